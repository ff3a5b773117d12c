// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of arch/csky/mm/kernel_tlb.c, and of flush_tlb_all() in
 * arch/csky/mm/tlb.c if there is one, against a model of the MMU: csky/mmu.h.
 * Pages are mapped, used and unmapped, then flushed; then no TLB may know them.
 *
 * Built once for CPUs without TLBI (610, 807, 810) and once with it (860). Every
 * test name begins with the rule (README.rst) that it stands for. Output is TAP.
 */
#include <time.h>

#include "csky/mmu.h"

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

/* What CHUNK promises: entries at four accesses, and the ASID: read, changed, restored. */
#define MASKED_ENTRIES		16
#define MASKED_ACCESSES		(4 * MASKED_ENTRIES + 3)

struct ranges {
	unsigned int nr;
	struct kernel_tlb_range r[KERNEL_TLB_BATCH_RANGES];
};

/* How a flush finds the CPU. */
struct state {
	uint32_t asid;
	bool irqs_on, switching;
	struct rng rng;
};

/* What all flushes together saw: a test that saw nothing has shown nothing. */
static struct {
	uint64_t flushes, lookups, hits, interrupts, in_jtlb, in_utlb[NR_UTLBS];
	unsigned int longest_masked;
} seen;

/* ---- before a flush ---- */

static void map(uint32_t page)
{
	if (pte[page] || t.nr_mapped == MAX_LISTED_PAGES)
		return;
	pte[page] = PTE_MAPPED;
	t.mapped[t.nr_mapped++] = page;
}

static void map_to_unmap(uint32_t page)
{
	if (pte[page] || t.nr_unmapped == MAX_LISTED_PAGES)
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

	if (last - first < 40) {
		for (page = first; page <= last; page++)
			map_to_unmap(page);
		return;
	}
	for (page = 0; page < 4; page++) {
		map_to_unmap(first + page);
		map_to_unmap(last - page);
		map_to_unmap(first + 2 * MASKED_ENTRIES - 2 + page);
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
		map_outside(KERNEL_PAGE + below(&t.rng, NR_PAGES - KERNEL_PAGE), flush);
		map_outside(below(&t.rng, KERNEL_PAGE), flush);
	}
}

/* An entry of another process, if there is room for it. */
static void put_other(struct cpu *c, uint32_t page)
{
	uint32_t pair = page & ~1u, asid = other_asids[below(&t.rng, ARRAY_SIZE(other_asids))];
	struct entry *e = jtlb_victim(c, pair);

	if (e->valid || jtlb_find(c, pair, asid))
		return;
	*e = (struct entry){ .valid = true, .pair = pair, .asid = asid, .holds = { true, true } };
}

static void use_pages(struct cpu *c)
{
	unsigned int i, nr = t.nr_mapped + t.nr_unmapped;

	for (i = 0; i < t.nr_mapped; i++)
		touch(c, any_unit(), t.mapped[i]);
	for (i = 0; i < t.nr_unmapped; i++)
		touch(c, any_unit(), t.unmapped[i]);
	/* In an order of its own, so that the last ones are any. */
	for (i = 0; i < UTLB_ENTRIES; i++) {
		uint32_t n = below(&t.rng, nr);

		touch(c, any_unit(),
		      n < t.nr_mapped ? t.mapped[n] : t.unmapped[n - t.nr_mapped]);
	}
	for (i = 0; i < 4; i++) {
		touch(c, i % NR_UTLBS, t.unmapped[below(&t.rng, t.nr_unmapped)]);
		put_other(c, t.unmapped[below(&t.rng, t.nr_unmapped)]);
		put_other(c, below(&t.rng, KERNEL_PAGE));
	}
}

static void unmap_pages(void)
{
	unsigned int i;

	for (i = 0; i < t.nr_unmapped; i++) {
		pte[t.unmapped[i]] &= ~PTE_MAPPED;
#ifdef CONFIG_CPU_HAS_TLBI
		pte[t.unmapped[i]] |= PTE_STALE;
#endif
	}
}

static void begin(const struct ranges *flush, const struct state *s)
{
	unsigned int i;

	forget_pages();
	memset(&t, 0, sizeof(t));
	memset(cpus, 0, sizeof(cpus));
	t.rng = s->rng;
	t.switching = s->switching;
	choose_pages(flush);
	self = &cpus[below(&t.rng, CPUS)];
	for (i = 0; i < CPUS; i++) {
		cpus[i].asid = &cpus[i] == self ? s->asid : running_asids[i];
		set_entryhi(&cpus[i], cpus[i].asid);
		use_pages(&cpus[i]);
	}
	unmap_pages();
	irqs_on = s->irqs_on;
}

/* ---- behind a flush ---- */

/* Does it have a page that is not mapped? */
static bool is_stale(const struct entry *e, uint32_t *page)
{
	unsigned int half;

	for (half = 0; e->valid && half < 2; half++) {
		*page = e->pair + half;
		if (e->holds[half] && !(pte[*page] & PTE_MAPPED))
			return true;
	}
	return false;
}

/* Before the flush, counts what it has to find; behind it, that is an error. */
static void look_for_stale(bool before)
{
	static const char * const name[] = { "I-micro-TLB", "D-micro-TLB" };
	unsigned int n, i, unit;
	uint32_t page;

	for (n = 0; n < CPUS; n++) {
		const struct cpu *c = &cpus[n];

		for (i = 0; i < JTLB_ENTRIES; i++) {
			const struct entry *e = &c->jtlb[i];

			/* Entries of other processes are none of this flush. */
			if (!matches(e, e->pair, c->asid) || !is_stale(e, &page))
				continue;
			if (before)
				seen.in_jtlb++;
			else
				broken(STALE, "page %#x is left in the joint TLB of CPU %u",
				       page, n);
		}
		for (unit = 0; unit < NR_UTLBS; unit++) {
			for (i = 0; i < UTLB_ENTRIES; i++) {
				if (!is_stale(&c->utlb[unit][i], &page))
					continue;
				if (before)
					seen.in_utlb[unit]++;
				else
					broken(STALE, "page %#x is left in the %s of CPU %u",
					       page, name[unit], n);
			}
		}
	}
}

static void end(const struct state *s)
{
	check_asid("behind the flush");
	if (irqs_on != s->irqs_on)
		broken(IRQS, "interrupts are %s behind the flush", irqs_on ? "on" : "off");
	if (s->irqs_on && t.longest_masked > MASKED_ACCESSES)
		broken(IRQS, "interrupts are off for %u accesses", t.longest_masked);
#ifdef CONFIG_CPU_HAS_TLBI
	if (t.irq_changes)
		broken(IRQS, "interrupts are turned off or on");
	if (t.unfinished)
		broken(BARRIERS, "no sync.i behind the last TLBI");
	if (t.sync_is != 1 || t.sync_i != 1)
		broken(BARRIERS, "sync.is %u times, sync.i %u times", t.sync_is, t.sync_i);
#endif
	look_for_stale(false);

	seen.flushes++;
	seen.lookups += t.lookups;
	seen.hits += t.hits;
	seen.interrupts += t.interrupts;
	if (s->irqs_on && seen.longest_masked < t.longest_masked)
		seen.longest_masked = t.longest_masked;
}

static uint64_t count_entries(const struct ranges *flush)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < flush->nr; i++)
		n += last_page(flush->r[i].end) / 2 - first_page(flush->r[i].start) / 2 + 1;
	return n;
}

static void flush_ranges(const struct ranges *flush, const struct state *s)
{
	begin(flush, s);
	look_for_stale(true);
	t.range = flush->r;
	t.nr_ranges = flush->nr;
	arch_flush_tlb_kernel_ranges(flush->r, flush->nr);
	end(s);
	if (t.lookups != count_entries(flush))
		broken(OTHERS, "%llu entries are looked up, the ranges have %llu",
		       (unsigned long long)t.lookups,
		       (unsigned long long)count_entries(flush));
}

/* ---- ranges ---- */

#define LISTED		3
#define VMALLOC		0xf0000		/* page, even */

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

static void single_pages(struct ranges *flush)
{
	unsigned int i;

	for (i = 0; i < KERNEL_TLB_BATCH_RANGES; i++)
		add(flush, VMALLOC + 1 + 3 * i, 1);
}

static void odd_pages(struct ranges *flush)
{
	unsigned int i;

	for (i = 0; i < KERNEL_TLB_BATCH_RANGES; i++)
		add(flush, VMALLOC + 1 + 2 * i, 1);
}

static void chunks(struct ranges *flush)
{
	unsigned int i;

	for (i = 0; i < KERNEL_TLB_BATCH_RANGES; i++)
		add(flush, VMALLOC + 1000 * i, 2 * MASKED_ENTRIES - 1 + i % 4);
}

static void up_to_the_top(struct ranges *flush)
{
	unsigned int i;

	for (i = 0; i < KERNEL_TLB_BATCH_RANGES; i++)
		add(flush, NR_PAGES - 2 - 2 * (KERNEL_TLB_BATCH_RANGES - 1 - i), 1);
}

#define R(from, to)	{ P(from), P(to) }
#define V(from, to)	R(VMALLOC + (from), VMALLOC + (to))
#define T(pages)	{ TOP - P(pages), TOP }

static const struct table_case cases[] = {
	{ "an even page", .list = { V(4, 5) } },
	{ "an odd page", .list = { V(5, 6) } },
	{ "both pages of an entry", .list = { V(4, 6) } },
	{ "two pages of two entries", .list = { V(5, 7) } },
	{ "three pages from an even one on", .list = { V(4, 7) } },
	{ "three pages from an odd one on", .list = { V(5, 8) } },
	{ "odd at both ends, three entries", .list = { V(5, 9) } },
	{ "15 entries", .list = { V(0, 30) } },
	{ "16 entries", .list = { V(0, 32) } },
	{ "16 entries, half of the outer ones", .list = { V(1, 31) } },
	{ "17 entries", .list = { V(0, 34) } },
	{ "17 entries, half of the last one", .list = { V(0, 33) } },
	{ "17 entries, half of the first one", .list = { V(1, 34) } },
	{ "17 entries, half of the outer ones", .list = { V(1, 33) } },
	{ "32 entries", .list = { V(0, 64) } },
	{ "33 entries, half of the outer ones", .list = { V(1, 65) } },
	{ "1000 pages", .list = { V(7, 1007) } },
	{ "two pages of neighbouring entries", .list = { V(5, 6), V(7, 8) } },
	{ "two ranges with one page between them", .list = { V(2, 5), V(6, 9) } },
	{ "ranges far apart", .list = { R(0x9f029, 0x9f02a), V(3, 5), T(1) } },
	{ "across the border of user and kernel", .list = { R(KERNEL_PAGE - 1, KERNEL_PAGE + 1) } },
	{ "page 0", .list = { R(0, 1) } },
	{ "page 1", .list = { R(1, 2) } },
	{ "64 single pages, odd and even", .make = single_pages },
	{ "64 odd pages, in entries side by side", .make = odd_pages },
	{ "64 ranges of a chunk, a page more and less", .make = chunks },
	{ "the last page but one (0xffffe000..0xfffff000)", .list = { T(1) } },
	{ "the last two pages but one", .list = { T(2) } },
	{ "csky's 0xffffc000..0xfffff000", .list = { T(3) } },
	{ "the last entry but one", .list = { R(NR_PAGES - 4, NR_PAGES - 2) } },
	{ "half of the last entry but one", .list = { R(NR_PAGES - 3, NR_PAGES - 2) } },
	{ "the last 16 entries", .list = { T(31) } },
	{ "the last 17 entries, half of the first one", .list = { T(32) } },
	{ "the last 64 pages but one", .list = { T(64) } },
	{ "64 ranges up to the top", .make = up_to_the_top },
	{ "all of the kernel but the last page",
	  .list = { { P(KERNEL_PAGE), TOP } }, .slow = true },
	{ "all but the last page",
	  .list = { { 0, TOP } }, .slow = true },
};

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

static const char * const rule_name[NR_RULES] = {
	[STALE] = "c1: no page that was flushed translates",
	[OTHERS] = "c2: nothing else is dropped, no entry is looked up twice",
	[ASID] = "c3: the CPU has its ASID in every interrupt and afterwards",
#ifdef CONFIG_CPU_HAS_TLBI
	[IRQS] = "c4: interrupts stay as they are",
	[BARRIERS] = "c5: one sync.is before the first, one sync.i behind the last",
#else
	[IRQS] = "c4: interrupts are off when registers are used, for a chunk at most",
#endif
};

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

static void report_rules(const struct verdict *v, enum rule from, const char *suffix)
{
	char name[128];
	unsigned int i;

	for (i = from; i < NR_RULES; i++) {
		if (!rule_name[i])
			continue;
		snprintf(name, sizeof(name), "rule %s, %s", rule_name[i], suffix);
		report(!v->broken[i][0] || fail("%s", v->broken[i]), name);
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
	snprintf(name, sizeof(name), "rule c1: %s", c->name);
	report(ok, name);
}

static uint64_t random_base(struct rng *r)
{
	switch (below(r, 4)) {
	case 0:
		return NR_PAGES - WINDOW_PAGES;
	case 1:
		return KERNEL_PAGE;
	default:
		return KERNEL_PAGE + below(r, NR_PAGES - KERNEL_PAGE - WINDOW_PAGES);
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

static void run_random(const struct options *o)
{
	struct verdict v = { 0 };
	uint64_t i;

	for (i = o->first; i < o->first + o->sequences; i++) {
		struct rng r = rng_of(o->seed, i);
		struct ranges flush = random_ranges(&r);
		struct state s = random_state(&r);
		struct verdict before = v;

		flush_ranges(&flush, &s);
		note(&v, "random ranges");
		if (memcmp(&before, &v, sizeof(v))) {
			show_ranges(&flush, &s);
			show_again(o, i);
		}
	}
	report_rules(&v, STALE, "random ranges");
}

/* ---- everything ---- */

#ifdef NO_TLB_C

#define NR_ALL		1

void flush_tlb_all(void)
{
}

static void run_all(const struct options *o)
{
	(void)o;
	skip("rule c6: a full flush", "no arch/csky/mm/tlb.c: say with CSKY_TLB_C= where it is");
}

#else

static void flush_all(const struct ranges *unmapped, const struct state *s)
{
	begin(unmapped, s);
	look_for_stale(true);
	arch_flush_tlb_kernel_all();
	end(s);
}

static void run_all_of_process(const struct options *o, struct verdict *v)
{
	uint64_t i;

	for (i = o->first; i < o->first + (o->sequences + 9) / 10; i++) {
		struct rng r = rng_of(o->seed, i);
		struct state s = random_state(&r);
		struct mm_struct mm = { .asid = s.asid };
		struct ranges unmapped = { 0 };

		uint32_t first = 1 + below(&r, KERNEL_PAGE - 8);

		add(&unmapped, first, 1 + below(&r, 6));
		begin(&unmapped, &s);
		look_for_stale(true);
		flush_tlb_mm(&mm);
		end(&s);
		note(v, "random pages of a process");
	}
}

#ifdef CONFIG_CPU_HAS_TLBI
#define NR_ALL		2
#else
#define NR_ALL		3
#endif

static void run_all(const struct options *o)
{
	struct verdict v = { 0 }, mm = { 0 };
	bool care = true;
	uint64_t i;

	for (i = o->first; i < o->first + (o->sequences + 9) / 10; i++) {
		struct rng r = rng_of(o->seed, i);
		struct ranges unmapped = random_ranges(&r);
		struct state s = random_state(&r);
		struct verdict before = v;

		flush_all(&unmapped, &s);
		note(&v, "random pages");
		if (memcmp(&before, &v, sizeof(v)))
			show_again(o, i);
	}
	report(!v.broken[STALE][0] || fail("%s", v.broken[STALE]),
	       "rule c6: a full flush drops what is not mapped from every TLB");
	for (i = OTHERS; i < NR_RULES; i++)
		if (v.broken[i][0])
			care = fail("%s", v.broken[i]);
	report(care, "rule c6: a full flush takes care of ASID, interrupts and barriers");

	/* With TLBI it has an instruction of its own. */
	if (NR_ALL < 3)
		return;
	run_all_of_process(o, &mm);
	report(!mm.broken[STALE][0] || fail("%s", mm.broken[STALE]),
	       "rule c6: flush_tlb_mm() drops the user's pages from the micro-TLBs");
}

#endif

/* ---- the model itself ---- */

static bool saw_enough(void)
{
	if (!seen.in_jtlb || !seen.in_utlb[I_UTLB] || !seen.in_utlb[D_UTLB])
		return fail("a TLB had nothing to drop");
	if (!seen.lookups || !seen.hits || !seen.interrupts)
		return fail("%llu of %llu lookups were hits, %llu interrupts",
			    (unsigned long long)seen.hits, (unsigned long long)seen.lookups,
			    (unsigned long long)seen.interrupts);
	return true;
}

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

int main(int argc, char **argv)
{
	struct options o = parse_options(argc, argv, 20000);
	clock_t start = clock();
	struct verdict v = { 0 };
	unsigned int i;

	printf("TAP version 13\n");
	printf("1..%zu\n", ARRAY_SIZE(cases) + 2 * nr_rules() - 1 + NR_ALL + 2);
	printf("# %s TLBI, %u CPUs, %u entries, ASIDs of %u bits, %llu sequences, seed %#llx\n",
	       nr_rules() == 5 ? "with" : "no", CPUS, JTLB_ENTRIES, CONFIG_CPU_ASID_BITS,
	       (unsigned long long)o.sequences, (unsigned long long)o.seed);

	report(model_sees(), "the model sees what is left without a flush");
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(&cases[i], &v, o.seed);
	report_rules(&v, OTHERS, "the ranges above");
	run_random(&o);
	run_all(&o);
	report(saw_enough(), "the flushes had something to do");

	printf("# %llu flushes, %llu lookups, %llu hits, %llu interrupts; ",
	       (unsigned long long)seen.flushes, (unsigned long long)seen.lookups,
	       (unsigned long long)seen.hits, (unsigned long long)seen.interrupts);
	printf("interrupts off for up to %u accesses; %.1f s\n", seen.longest_masked,
	       (double)(clock() - start) / CLOCKS_PER_SEC);
	return summary();
}
