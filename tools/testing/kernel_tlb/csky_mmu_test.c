// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of arch/csky/mm/kernel_tlb.c, and of flush_tlb_all() in
 * arch/csky/mm/tlb.c if there is one, against a model of the MMU: csky/mmu.h.
 * Pages are mapped, used and unmapped, then flushed; then no TLB may know them.
 *
 * Built once for CPUs without TLBI (610, 807, 810) and once with it (860). Every
 * test name begins with the rule (README.rst) that it stands for. Output is TAP.
 */
#include "csky/mmu.h"

#define RULES			"c"
#define INNER_EDGE		(2 * MASKED_ENTRIES - 2)
#define VMALLOC			0xf0000		/* page, even */

/* What CHUNK promises: entries at four accesses, and the ASID: read, changed, restored. */
#define MASKED_ENTRIES		16
#define MASKED_ACCESSES		(4 * MASKED_ENTRIES + 3)

#include "mmu_test.h"

/* What all flushes together found to drop. */
static struct {
	uint64_t in_jtlb, in_utlb[NR_UTLBS];
} found;

/* ---- before a flush ---- */

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
	unsigned int i;

	for (i = 0; i < t.nr_mapped; i++)
		touch(c, any_unit(), t.mapped[i]);
	for (i = 0; i < t.nr_unmapped; i++)
		touch(c, any_unit(), t.unmapped[i]);
	/* In an order of its own, so that the last ones are any. */
	for (i = 0; i < UTLB_ENTRIES; i++) {
		uint32_t page = any_page();

		touch(c, any_unit(), page);
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

	prepare(flush, s);
	memset(cpus, 0, sizeof(cpus));
	memset(&barriers, 0, sizeof(barriers));
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
				found.in_jtlb++;
			else
				broken(STALE, "page %#x is left in the joint TLB of CPU %u",
				       page, n);
		}
		for (unit = 0; unit < NR_UTLBS; unit++) {
			for (i = 0; i < UTLB_ENTRIES; i++) {
				if (!is_stale(&c->utlb[unit][i], &page))
					continue;
				if (before)
					found.in_utlb[unit]++;
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
#ifdef CONFIG_CPU_HAS_TLBI
	if (t.irq_changes)
		broken(IRQS, "interrupts are turned off or on");
	if (barriers.unfinished)
		broken(BARRIERS, "no sync.i behind the last TLBI");
	if (barriers.sync_is != 1 || barriers.sync_i != 1)
		broken(BARRIERS, "sync.is %u times, sync.i %u times",
		       barriers.sync_is, barriers.sync_i);
#endif
	look_for_stale(false);
	conclude(s, MASKED_ACCESSES);
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

/* Any pages of the process that runs. */
static void flush_process(const struct ranges *unmapped, const struct state *s)
{
	struct mm_struct mm = { .context = s->asid };
	struct ranges pages = { 0 };
	struct state now = *s;
	uint32_t first = 1 + below(&now.rng, KERNEL_PAGE - 8);

	(void)unmapped;
	add(&pages, first, 1 + below(&now.rng, 6));
	begin(&pages, &now);
	look_for_stale(true);
	flush_tlb_mm(&mm);
	end(&now);
}

#ifdef CONFIG_CPU_HAS_TLBI
#define NR_ALL		2
#else
#define NR_ALL		3
#endif

static void run_all(const struct options *o)
{
	struct verdict v = { 0 }, mm = { 0 };

	run_sequences(o, (o->sequences + 9) / 10, "random pages", flush_all, &v);
	report_rule(&v, STALE, STALE,
		    "rule c6: a full flush drops what is not mapped from every TLB");
	report_rule(&v, OTHERS, NR_RULES - 1,
		    "rule c6: a full flush takes care of ASID, interrupts and barriers");

	/* With TLBI it has an instruction of its own. */
	if (NR_ALL < 3)
		return;
	run_sequences(o, (o->sequences + 9) / 10, "pages of a process", flush_process, &mm);
	report_rule(&mm, STALE, STALE,
		    "rule c6: flush_tlb_mm() drops the user's pages from the micro-TLBs");
}

#endif

int main(int argc, char **argv)
{
	struct options o = parse_options(argc, argv, 20000);

	start_tests(&o, ARRAY_SIZE(cases) + NR_ALL);
	printf("# %s TLBI, %u CPUs, %u entries, ASIDs of %u bits\n",
	       nr_rules() == 5 ? "with" : "no", CPUS, JTLB_ENTRIES, CONFIG_CPU_ASID_BITS);
	run_tests(&o, cases, ARRAY_SIZE(cases));
	run_all(&o);
	return end_tests(found.in_jtlb && found.in_utlb[I_UTLB] && found.in_utlb[D_UTLB]);
}
