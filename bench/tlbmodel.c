// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "tlbmodel.h"

/*
 * Main TLBs only.  The micro TLBs in front are far smaller than any flush this
 * is used to judge and refill from the main TLB, not from memory.
 */
static const struct tlbgeom cores[] = {
	{ "a7", 256, 2 },
	{ "a9", 128, 2 },
	{ "a15", 512, 4 },
	{ "arm926", 64, 2 },
};

#define NR_CORES (sizeof(cores) / sizeof(cores[0]))

const struct tlbgeom *tlbgeom_find(const char *name)
{
	for (size_t i = 0; i < NR_CORES; i++)
		if (!strcmp(cores[i].name, name))
			return &cores[i];
	return NULL;
}

const char *tlbgeom_names(void)
{
	static char list[64];

	if (!list[0])
		for (size_t i = 0; i < NR_CORES; i++) {
			if (i)
				strcat(list, "|");
			strcat(list, cores[i].name);
		}
	return list;
}

bool tlbmodel_init(struct tlbmodel *m, unsigned int entries, unsigned int ways)
{
	unsigned int sets;

	m->tag = NULL;
	if (!ways || !entries || entries % ways)
		return false;
	sets = entries / ways;
	if (sets & (sets - 1))
		return false;
	m->sets = sets;
	m->ways = ways;
	m->tag = calloc(entries, sizeof(*m->tag));
	return m->tag;
}

void tlbmodel_free(struct tlbmodel *m)
{
	free(m->tag);
	m->tag = NULL;
}

bool tlbmodel_touch(struct tlbmodel *m, uint32_t key)
{
	uint32_t *set = m->tag + (size_t)(key & (m->sets - 1)) * m->ways;
	/* page 0 is a valid page, tag 0 an empty way */
	uint32_t tag = key + 1;
	unsigned int way;
	bool hit;

	if (set[0] == tag)
		return true;
	for (way = 1; way < m->ways && set[way] != tag; way++)
		;
	hit = way < m->ways;
	if (!hit)
		way = m->ways - 1;
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = tag;
	return hit;
}

unsigned int tlbmodel_live(const struct tlbmodel *m, uint32_t min)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < m->sets * m->ways; i++)
		n += m->tag[i] && m->tag[i] - 1 >= min;
	return n;
}

void tlbmodel_flush(struct tlbmodel *m)
{
	memset(m->tag, 0, (size_t)m->sets * m->ways * sizeof(*m->tag));
}

void tlbmodel_copy(struct tlbmodel *dst, const struct tlbmodel *src)
{
	memcpy(dst->tag, src->tag, (size_t)src->sets * src->ways * sizeof(*src->tag));
}

bool tlbpair_init(struct tlbpair *p, const struct tlbgeom *g)
{
	memset(p, 0, sizeof(*p));
	if (tlbmodel_init(&p->with, g->entries, g->ways) &&
	    tlbmodel_init(&p->without, g->entries, g->ways))
		return true;
	tlbpair_free(p);
	return false;
}

void tlbpair_free(struct tlbpair *p)
{
	tlbmodel_free(&p->with);
	tlbmodel_free(&p->without);
}

void tlbpair_touch(struct tlbpair *p, uint32_t key, bool count)
{
	bool with = tlbmodel_touch(&p->with, key);
	bool without = tlbmodel_touch(&p->without, key);

	if (!count)
		return;
	p->touches++;
	p->miss_with += !with;
	p->miss_without += !without;
}

void tlbpair_flush(struct tlbpair *p, uint64_t nr, uint32_t high, bool count)
{
	if (count && nr) {
		unsigned int live = tlbmodel_live(&p->with, 0);

		/* of several flushes in a row only the first finds anything */
		p->flushes += nr;
		p->live_sum += live;
		p->live_high_sum += tlbmodel_live(&p->with, high);
		if (live > p->live_max)
			p->live_max = live;
	}
	if (nr)
		tlbmodel_flush(&p->with);
}

void tlbpair_flush_both(struct tlbpair *p)
{
	tlbmodel_flush(&p->with);
	tlbmodel_flush(&p->without);
}

void tlbpair_restart(struct tlbpair *p)
{
	/*
	 * Otherwise refills owed to flushes before the restart would be
	 * charged to the measured part.
	 */
	tlbmodel_copy(&p->without, &p->with);
	p->touches = p->miss_with = p->miss_without = 0;
	p->flushes = p->live_sum = p->live_high_sum = 0;
	p->live_max = 0;
}
