// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin_util.h"

int complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "%s: ", plugin_name);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	return -1;
}

int plugin_parse(const struct plugin_arg *known, size_t nr, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		const char *eq = strchr(argv[i], '=');
		size_t k;

		for (k = 0; eq && k < nr; k++)
			if (strlen(known[k].key) == (size_t)(eq - argv[i]) &&
			    !strncmp(known[k].key, argv[i], (size_t)(eq - argv[i])))
				break;
		if (!eq || k == nr)
			return complain("unknown argument %s", argv[i]);
		if (!eq[1])
			return complain("argument %s has no value", argv[i]);
		*known[k].value = eq + 1;
	}
	return 0;
}

int plugin_select(const struct symmap *map, const char *path, const char *list,
		  int (*add)(const struct symbol *sym), char **missing)
{
	char *copy = strdup(list), *save = NULL;
	int ret = 0;

	*missing = calloc(1, strlen(list) + 1);
	if (!copy || !*missing) {
		ret = complain("out of memory");
		goto out;
	}
	for (char *w = strtok_r(copy, ":", &save); w; w = strtok_r(NULL, ":", &save)) {
		size_t len = strlen(w);
		bool optional = w[len - 1] == '?', found = false;

		if (optional)
			w[len - 1] = 0;
		for (unsigned int i = 0; i < map->nr; i++) {
			const struct symbol *sym = &map->sym[i];

			if (!sym->text || sym->end == sym->addr || !symbol_matches(sym->name, w))
				continue;
			found = true;
			ret = add(sym);
			if (ret)
				goto out;
		}
		if (found)
			continue;
		if (!optional) {
			ret = complain("no function %s in %s", w, path);
			goto out;
		}
		if (**missing)
			strcat(*missing, ":");
		strcat(*missing, w);
	}
out:
	free(copy);
	return ret;
}

int plugin_open(FILE **f, const char *path)
{
	*f = fopen(path, "a");
	return *f ? 0 : complain("%s: %s", path, strerror(errno));
}

int plugin_empty(FILE *f, const char *path)
{
	return ftruncate(fileno(f), 0) ? complain("%s: %s", path, strerror(errno)) : 0;
}

uint32_t plugin_insn_word(const struct qemu_plugin_insn *insn, bool big_endian)
{
	const uint8_t *b = qemu_plugin_insn_data(insn);

	if (big_endian)
		return (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}
