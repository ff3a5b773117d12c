/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set-associative TLB with least-recently-used replacement, and a pair of
 * them that differ only in seeing full flushes.
 */
#ifndef TLBMODEL_H
#define TLBMODEL_H

#include <stdbool.h>
#include <stdint.h>

struct tlbgeom {
	const char *name;
	unsigned int entries, ways;
};

/* NULL if the core is not known. */
const struct tlbgeom *tlbgeom_find(const char *name);
/* "a7|a9|..." for messages. */
const char *tlbgeom_names(void);

struct tlbmodel {
	unsigned int sets, ways;
	uint32_t *tag;		/* sets * ways, most recently used first; 0 is empty */
};

/* False if the geometry makes no sense or memory is short. */
bool tlbmodel_init(struct tlbmodel *m, unsigned int entries, unsigned int ways);
void tlbmodel_free(struct tlbmodel *m);
/* Looks @key up and loads it if absent.  True on a hit. */
bool tlbmodel_touch(struct tlbmodel *m, uint32_t key);
/* Entries held whose key is at least @min. */
unsigned int tlbmodel_live(const struct tlbmodel *m, uint32_t min);
void tlbmodel_flush(struct tlbmodel *m);
void tlbmodel_copy(struct tlbmodel *dst, const struct tlbmodel *src);

struct tlbpair {
	struct tlbmodel with, without;
	uint64_t touches, miss_with, miss_without;
	uint64_t flushes, live_sum, live_high_sum;
	unsigned int live_max;
};

bool tlbpair_init(struct tlbpair *p, const struct tlbgeom *g);
void tlbpair_free(struct tlbpair *p);
void tlbpair_touch(struct tlbpair *p, uint32_t key, bool count);
/* @nr flushes with no touch between them; live entries are split at @high. */
void tlbpair_flush(struct tlbpair *p, uint64_t nr, uint32_t high, bool count);
/* A flush that is not under study: neither copy keeps anything. */
void tlbpair_flush_both(struct tlbpair *p);
/* Zero the statistics; both copies go on from what the flushed one holds. */
void tlbpair_restart(struct tlbpair *p);

#endif
