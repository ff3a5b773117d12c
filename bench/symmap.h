/* SPDX-License-Identifier: GPL-2.0 */
/* Text symbols of a System.map, by address. */
#ifndef TLBCOUNT_SYMMAP_H
#define TLBCOUNT_SYMMAP_H

#include <stdbool.h>
#include <stdint.h>

struct symbol {
	uint32_t addr, end;	/* [addr, end) */
	bool text;
	char *name;
};

struct symmap {
	struct symbol *sym;
	unsigned int nr;
	uint32_t kernel_base;	/* lowest kernel address: the module area */
};

/* NULL on success, else a message (static storage) that names the file. */
const char *symmap_load(struct symmap *m, const char *path);
void symmap_free(struct symmap *m);
/* The text symbol that contains @addr, or NULL. */
const struct symbol *symmap_find(const struct symmap *m, uint32_t addr);
/* Is @name equal to @want, or @want plus suffixes the compiler adds? */
bool symbol_matches(const char *name, const char *want);
/* Is @name the cold part of the function @of? */
bool symbol_is_cold_part(const char *name, const char *of);

#endif
