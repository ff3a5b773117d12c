/* SPDX-License-Identifier: GPL-2.0 */
/* What the plugins share: complaints, arguments, functions by name, files. */
#ifndef TLBCOUNT_PLUGIN_UTIL_H
#define TLBCOUNT_PLUGIN_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "plugin_api.h"
#include "symmap.h"

/* Each plugin says who it is. */
extern const char plugin_name[];

struct plugin_arg {
	const char *key;
	const char **value;
};

/* One line on stderr; all of these return -1 after one, and 0 if all is well. */
__attribute__((format(printf, 1, 2)))
int complain(const char *fmt, ...);
int plugin_parse(const struct plugin_arg *known, size_t nr, int argc, char **argv);
/*
 * Calls @add for each function of @list, "name1:name2".  "name?" may be
 * missing from the map (@path) and is then appended to *@missing.
 */
int plugin_select(const struct symmap *map, const char *path, const char *list,
		  int (*add)(const struct symbol *sym), char **missing);
/* Open for writing and leave what is there; empty it. */
int plugin_open(FILE **f, const char *path);
int plugin_empty(FILE *f, const char *path);

uint32_t plugin_insn_word(const struct qemu_plugin_insn *insn, bool big_endian);

#endif
