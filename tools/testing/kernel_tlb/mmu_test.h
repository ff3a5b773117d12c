/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of the arch/ files against a model of the MMU: what they have in common.
 * Included by <arch>_mmu_test.c behind <arch>/mmu.h. That says which rules there
 * are. The test says how a flush finds the CPU, what must be true behind it, and
 *
 * RULES	the letter that the numbers of its rules begin with
 * INNER_EDGE	how far from its start a large range may be treated differently
 * VMALLOC	a page of the kernel to begin at
 */
#ifndef MMU_TEST_H
#define MMU_TEST_H

#include <time.h>

#define CONFIG_ARCH_HAS_FLUSH_TLB_KERNEL_RANGES
#define KERNEL_TLB_UNDER_TEST
#define long int
#include "kernel_tlb.c"
/* The kernel does not ask for these, nor would its own files pass. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "tlb.c"
#pragma GCC diagnostic pop
#undef long
#undef KERNEL_TLB_UNDER_TEST

struct ranges {
	unsigned int nr;
	struct kernel_tlb_range r[KERNEL_TLB_BATCH_RANGES];
};

/* How a flush finds the CPU. */
struct state {
	uint32_t asid;			/* or PID, or whatever a process has */
	bool irqs_on, switching;
	struct rng rng;
};

/* What all flushes together saw: a test that saw nothing has shown nothing. */
static struct {
	uint64_t flushes, lookups, hits, interrupts;
	unsigned int longest_masked;
} seen;

/* The test's own. */
static void begin(const struct ranges *flush, const struct state *s);
static void look_for_stale(bool before);
static void flush_ranges(const struct ranges *flush, const struct state *s);

/* ---- before a flush ---- */

static void map(uint32_t page)
{
	if (page >= TRANSLATED_PAGES || pte[page] || t.nr_mapped == MAX_LISTED_PAGES)
		return;
	pte[page] = PTE_MAPPED;
	t.mapped[t.nr_mapped++] = page;
}

static void map_to_unmap(uint32_t page)
{
	if (page >= TRANSLATED_PAGES || pte[page] || t.nr_unmapped == MAX_LISTED_PAGES)
		return;
	pte[page] = PTE_MAPPED;
	/* With switches the ASID that it was used under may be gone before the flush. */
	if (page >= KERNEL_PAGE && !t.switching && one_in(&t.rng, 8))
		pte[page] |= PTE_NOT_GLOBAL;
	t.unmapped[t.nr_unmapped++] = page;
}

static bool in_a_range(uint32_t page, const struct ranges *flush)
{
	unsigned int i;

	for (i = 0; i < flush->nr; i++)
		if (page >= first_page(flush->r[i].start) && page <= last_page(flush->r[i].end))
			return true;
	return false;
}

static void map_outside(uint64_t page, const struct ranges *flush)
{
	/* Below page 0 is far above the top. */
	if (page < NR_PAGES && !in_a_range(page, flush))
		map(page);
}

static void forget_pages(void)
{
	unsigned int i;

	for (i = 0; i < t.nr_mapped; i++)
		pte[t.mapped[i]] = 0;
	for (i = 0; i < t.nr_unmapped; i++)
		pte[t.unmapped[i]] = 0;
	t.nr_mapped = 0;
	t.nr_unmapped = 0;
}

/* All pages of a small range, both ends and some others of a large one. */
static void choose_unmapped(const struct kernel_tlb_range *range)
{
	uint64_t first = first_page(range->start), last = last_page(range->end), page;

	if (last - first < INNER_EDGE + 10) {
		for (page = first; page <= last; page++)
			map_to_unmap(page);
		return;
	}
	for (page = 0; page < 4; page++) {
		map_to_unmap(first + page);
		map_to_unmap(last - page);
		map_to_unmap(first + INNER_EDGE + page);
	}
	for (page = 0; page < 20; page++)
		map_to_unmap(first + below(&t.rng, last - first + 1));
}

static void choose_pages(const struct ranges *flush)
{
	unsigned int i, n;

	for (i = 0; i < flush->nr; i++)
		choose_unmapped(&flush->r[i]);
	for (i = 0; i < flush->nr; i++) {
		for (n = 1; n <= 3; n++) {
			map_outside(first_page(flush->r[i].start) - n, flush);
			map_outside(last_page(flush->r[i].end) + n, flush);
		}
	}
	for (i = 0; i < 16; i++) {
		map_outside(KERNEL_PAGE + below(&t.rng, TRANSLATED_PAGES - KERNEL_PAGE), flush);
		map_outside(below(&t.rng, KERNEL_PAGE), flush);
	}
}

static uint32_t any_page(void)
{
	uint32_t n = below(&t.rng, t.nr_mapped + t.nr_unmapped);

	return n < t.nr_mapped ? t.mapped[n] : t.unmapped[n - t.nr_mapped];
}

/* Which pages a flush of @flush is about, and what goes on meanwhile. */
static void prepare(const struct ranges *flush, const struct state *s)
{
	forget_pages();
	memset(&t, 0, sizeof(t));
	t.rng = s->rng;
	t.switching = s->switching;
	choose_pages(flush);
}

/* ---- behind a flush ---- */

/* @longest: how many register accesses there may be with interrupts off. */
static void conclude(const struct state *s, unsigned int longest)
{
	if (irqs_on != s->irqs_on)
		broken(IRQS, "interrupts are %s behind the flush", irqs_on ? "on" : "off");
	if (s->irqs_on && t.longest_masked > longest)
		broken(IRQS, "interrupts are off for %u accesses", t.longest_masked);

	seen.flushes++;
	seen.lookups += t.lookups;
	seen.hits += t.hits;
	seen.interrupts += t.interrupts;
	if (s->irqs_on && seen.longest_masked < t.longest_masked)
		seen.longest_masked = t.longest_masked;
}

/* ---- ranges ---- */

#define LISTED		3

struct table_case {
	const char *name;
	struct pair list[LISTED];
	void (*make)(struct ranges *flush);
	bool slow;
};

static void add(struct ranges *flush, uint64_t first, uint64_t pages)
{
	flush->r[flush->nr++] = (struct kernel_tlb_range){ P(first), P(first + pages) };
}

#define R(from, to)	{ P(from), P(to) }
#define V(from, to)	R(VMALLOC + (from), VMALLOC + (to))
#define T(pages)	{ TOP - P(pages), TOP }

static struct ranges ranges_of(const struct table_case *c)
{
	struct ranges flush = { 0 };
	unsigned int i;

	if (c->make)
		c->make(&flush);
	for (i = 0; i < LISTED && c->list[i].end; i++)
		add(&flush, first_page(c->list[i].start),
		    last_page(c->list[i].end) - first_page(c->list[i].start) + 1);
	return flush;
}

/* As the contract of arch_flush_tlb_kernel_ranges() has it. */
static bool is_legal(const struct ranges *flush)
{
	unsigned int i;

	for (i = 0; i < flush->nr; i++)
		if (((flush->r[i].start | flush->r[i].end) & (P(1) - 1)) ||
		    flush->r[i].start >= flush->r[i].end ||
		    (i && flush->r[i].start <= flush->r[i - 1].end))
			return false;
	return flush->nr;
}

static void show_ranges(const struct ranges *flush, const struct state *s)
{
	unsigned int i;

	printf("#   ASID %#x, interrupts %s%s\n", s->asid, s->irqs_on ? "on" : "off",
	       s->switching ? ", other processes run" : "");
	for (i = 0; i < flush->nr && i < SHOWN; i++)
		printf("#     %#x-%#x\n", (uint32_t)flush->r[i].start, (uint32_t)flush->r[i].end);
	if (i < flush->nr)
		printf("#     ...\n");
}

/* ---- results by rule ---- */

static unsigned int nr_rules(void)
{
	unsigned int n = 0, i;

	for (i = 0; i < NR_RULES; i++)
		n += !!rule_name[i];
	return n;
}

/* The first failure of each rule in a group of flushes. */
struct verdict {
	char broken[NR_RULES][256];
};

static void note(struct verdict *v, const char *what)
{
	unsigned int i;

	for (i = 0; i < NR_RULES; i++)
		if (t.broken[i][0] && !v->broken[i][0])
			snprintf(v->broken[i], sizeof(v->broken[i]), "%s: %s", what, t.broken[i]);
}

/* One result for the rules from @from to @to. */
static void report_rule(const struct verdict *v, enum rule from, enum rule to, const char *name)
{
	bool ok = true;
	unsigned int i;

	for (i = from; i <= to; i++)
		if (v->broken[i][0])
			ok = fail("%s", v->broken[i]);
	report(ok, name);
}

static void report_rules(const struct verdict *v, enum rule from, const char *suffix)
{
	char name[128];
	unsigned int i;

	for (i = from; i < NR_RULES; i++) {
		if (!rule_name[i])
			continue;
		snprintf(name, sizeof(name), "rule %s, %s", rule_name[i], suffix);
		report_rule(v, i, i, name);
	}
}

/* ---- tests ---- */

/* In every state that a flush may find; slow ones in the last of them. */
static void run_case(const struct table_case *c, struct verdict *v, uint64_t seed)
{
	unsigned int nr_asids = ARRAY_SIZE(running_asids), i;
	struct ranges flush = ranges_of(c);
	bool ok = is_legal(&flush) || fail("not the ranges of a batch");
	/* What lies below belongs to one process. */
	bool kernel = first_page(flush.r[0].start) >= KERNEL_PAGE;
	char name[128];

	for (i = c->slow ? 4 * nr_asids - 1 : 0; ok && i < 4 * nr_asids; i++) {
		struct state s = {
			.asid = running_asids[i % nr_asids],
			.irqs_on = i & nr_asids,
			.switching = kernel && (i & (2 * nr_asids)),
			.rng = rng_of(seed, i),
		};

		flush_ranges(&flush, &s);
		note(v, c->name);
		if (t.broken[STALE][0]) {
			show_ranges(&flush, &s);
			ok = fail("%s", t.broken[STALE]);
		}
	}
	snprintf(name, sizeof(name), "rule " RULES "1: %s", c->name);
	report(ok, name);
}

static uint64_t random_base(struct rng *r)
{
	switch (below(r, 4)) {
	case 0:
		return TRANSLATED_PAGES - WINDOW_PAGES;
	case 1:
		return KERNEL_PAGE;
	default:
		return KERNEL_PAGE + below(r, TRANSLATED_PAGES - KERNEL_PAGE - WINDOW_PAGES);
	}
}

/* As they come from mm/: through the batch, which sorts and merges. */
static struct ranges random_ranges(struct rng *r)
{
	uint32_t adds = one_in(r, 4) ? 1 + below(r, 80) : 1 + below(r, 8), i;
	uint32_t longest = one_in(r, 4) ? 80 : one_in(r, 2) ? 8 : 2;
	struct kernel_tlb_batch batch;
	struct ranges flush = { 0 };
	uint64_t base = random_base(r);

	kernel_tlb_ranges_init(&batch, ADDR_MAX);
	for (i = 0; i < adds; i++) {
		uint64_t first = base + below(r, WINDOW_PAGES - 1);
		uint64_t pages = 1 + below(r, longest);

		if (one_in(r, 32))
			first = random_base(r);
		if (one_in(r, 64))
			pages = below(r, 5000);
		if (first + pages > NR_PAGES - 1)
			pages = NR_PAGES - 1 - first;
		kernel_tlb_ranges_add(&batch, P(first), P(first + pages));
	}
	if (!batch.nr)
		kernel_tlb_ranges_add(&batch, P(base), P(base + 1));
	flush.nr = batch.nr;
	memcpy(flush.r, batch.ranges, batch.nr * sizeof(flush.r[0]));
	return flush;
}

static struct state random_state(struct rng *r)
{
	struct state s;

	s.asid = running_asids[below(r, ARRAY_SIZE(running_asids))];
	s.irqs_on = !one_in(r, 4);
	s.switching = one_in(r, 2);
	s.rng = *r;
	return s;
}

static void show_again(const struct options *o, uint64_t n)
{
	printf("#   again: -s %#llx -f %llu -n 1\n", (unsigned long long)o->seed,
	       (unsigned long long)n);
}

/* Calls @flush @nr times with random ranges. */
static void run_sequences(const struct options *o, uint64_t nr, const char *what,
			  void (*flush)(const struct ranges *ranges, const struct state *s),
			  struct verdict *v)
{
	uint64_t i;

	for (i = o->first; i < o->first + nr; i++) {
		struct rng r = rng_of(o->seed, i);
		struct ranges ranges = random_ranges(&r);
		struct state s = random_state(&r);
		struct verdict before = *v;

		flush(&ranges, &s);
		note(v, what);
		if (memcmp(&before, v, sizeof(before))) {
			show_ranges(&ranges, &s);
			show_again(o, i);
		}
	}
}

/* ---- all of it, and the model itself ---- */

/* Without a flush a page must be seen to be left, or the model shows nothing. */
static bool model_sees(void)
{
	struct state s = { .asid = running_asids[0], .rng = { 1 } };
	struct ranges flush = { 0 };

	add(&flush, VMALLOC, 2);
	begin(&flush, &s);
	look_for_stale(false);
	return t.broken[STALE][0] || fail("no flush, and nothing is left");
}

/* @more: results of the test's own. */
static void start_tests(const struct options *o, unsigned int more)
{
	printf("TAP version 13\n");
	printf("1..%u\n", more + 2 * nr_rules() - 1 + 2);
	printf("# %llu sequences, seed %#llx\n",
	       (unsigned long long)o->sequences, (unsigned long long)o->seed);
}

static void run_tests(const struct options *o, const struct table_case *c, unsigned int nr)
{
	struct verdict in_table = { 0 }, random = { 0 };
	unsigned int i;

	report(model_sees(), "the model sees what is left without a flush");
	for (i = 0; i < nr; i++)
		run_case(&c[i], &in_table, o->seed);
	report_rules(&in_table, OTHERS, "the ranges above");
	run_sequences(o, o->sequences, "random ranges", flush_ranges, &random);
	report_rules(&random, STALE, "random ranges");
}

static bool saw_enough(bool all_had_work)
{
	if (!all_had_work)
		return fail("a TLB had nothing to drop");
	if (!seen.lookups || !seen.hits || !seen.interrupts)
		return fail("%llu of %llu lookups were hits, %llu interrupts",
			    (unsigned long long)seen.hits, (unsigned long long)seen.lookups,
			    (unsigned long long)seen.interrupts);
	return true;
}

/* Returns what main() returns. */
static int end_tests(bool all_had_work)
{
	report(saw_enough(all_had_work), "the flushes had something to do");

	printf("# %llu flushes, %llu lookups, %llu hits, %llu interrupts; ",
	       (unsigned long long)seen.flushes, (unsigned long long)seen.lookups,
	       (unsigned long long)seen.hits, (unsigned long long)seen.interrupts);
	printf("interrupts off for up to %u accesses; %.1f s\n", seen.longest_masked,
	       (double)clock() / CLOCKS_PER_SEC);
	return summary();
}

#endif
