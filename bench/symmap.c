// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symmap.h"

/* The module area of ARM ends where lowmem starts and is 16 MiB at most. */
#define MODULE_AREA	(16u << 20)

static char message[512];

static const char *fail(const char *path, const char *why)
{
	snprintf(message, sizeof(message), "%s: %s", path, why);
	return message;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	/* text first, so that a data label cannot hide a function */
	return (int)y->text - (int)x->text;
}

const char *symmap_load(struct symmap *m, const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned int room = 0, text = 0, n;
	uint32_t stext = 0;
	char line[1024];

	memset(m, 0, sizeof(*m));
	if (!f)
		return fail(path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		unsigned long long addr;
		char type, name[768];

		if (sscanf(line, "%llx %c %767s", &addr, &type, name) != 3 ||
		    addr > UINT32_MAX) {
			fclose(f);
			symmap_free(m);
			return fail(path, "not the System.map of a 32-bit kernel");
		}
		/* absolute values are constants, not places */
		if (toupper((unsigned char)type) == 'A')
			continue;
		if (!strcmp(name, "_stext"))
			stext = addr;
		if (m->nr == room) {
			struct symbol *s;

			room = room ? room * 2 : 65536;
			s = realloc(m->sym, room * sizeof(*s));
			if (!s)
				break;
			m->sym = s;
		}
		m->sym[m->nr].addr = addr;
		m->sym[m->nr].text = strchr("TtWw", type);
		m->sym[m->nr].name = strdup(name);
		m->nr++;
	}
	fclose(f);
	if (!stext) {
		symmap_free(m);
		return fail(path, "no symbol _stext");
	}
	/* PAGE_OFFSET is a multiple of 256 MiB in every ARM split. */
	m->kernel_base = (stext & 0xf0000000) - MODULE_AREA;

	/*
	 * Vectors and stubs are listed at their link address near zero, where
	 * user programs live.
	 */
	n = 0;
	for (unsigned int i = 0; i < m->nr; i++) {
		if (m->sym[i].addr < m->kernel_base) {
			free(m->sym[i].name);
			continue;
		}
		text += m->sym[i].text;
		m->sym[n++] = m->sym[i];
	}
	m->nr = n;
	qsort(m->sym, m->nr, sizeof(*m->sym), by_address);
	for (unsigned int i = 0; i < m->nr; i++) {
		unsigned int j = i + 1;

		while (j < m->nr && m->sym[j].addr == m->sym[i].addr)
			j++;
		m->sym[i].end = j < m->nr ? m->sym[j].addr : m->sym[i].addr;
	}
	if (!text) {
		symmap_free(m);
		return fail(path, "no text symbols");
	}
	return NULL;
}

void symmap_free(struct symmap *m)
{
	for (unsigned int i = 0; i < m->nr; i++)
		free(m->sym[i].name);
	free(m->sym);
	memset(m, 0, sizeof(*m));
}

const struct symbol *symmap_find(const struct symmap *m, uint32_t addr)
{
	unsigned int lo = 0, hi = m->nr;

	/* the first symbol above addr */
	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (m->sym[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	/* the first of several names of one place */
	for (lo--; lo && m->sym[lo - 1].addr == m->sym[lo].addr; lo--)
		;
	if (!m->sym[lo].text || addr >= m->sym[lo].end)
		return NULL;
	return &m->sym[lo];
}

/* Length of ".word" or ".word.N" at @s, or 0. */
static size_t suffix_len(const char *s, const char *word)
{
	size_t n = strlen(word);

	if (*s != '.' || strncmp(s + 1, word, n))
		return 0;
	n++;
	if (s[n] == '.' && isdigit((unsigned char)s[n + 1]))
		for (n++; isdigit((unsigned char)s[n]); n++)
			;
	return n;
}

bool symbol_matches(const char *name, const char *want)
{
	static const char *const words[] = { "isra", "part", "constprop" };
	size_t len = strlen(want);

	if (strncmp(name, want, len))
		return false;
	name += len;
	while (*name) {
		size_t n = 0;

		for (size_t i = 0; !n && i < sizeof(words) / sizeof(words[0]); i++)
			n = suffix_len(name, words[i]);
		if (!n)
			return false;
		name += n;
	}
	return true;
}

bool symbol_is_cold_part(const char *name, const char *of)
{
	size_t len = strlen(of), n;

	if (strncmp(name, of, len))
		return false;
	n = suffix_len(name + len, "cold");
	return n && !name[len + n];
}
