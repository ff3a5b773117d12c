// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests for kernel TLB range flushing.
 *
 * What a flush did is taken from the counters of this CPU, with preemption off:
 * other tasks purge vmalloc space while the tests run. The trace event would say
 * more, but not every architecture has tracepoints.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel_tlb.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/vmalloc.h>
#include <linux/vmstat.h>

#include "../kernel_tlb_ranges.h"

/* Somewhere in the middle, so that ranges can grow to both sides. */
#define BASE		(ULONG_MAX / 2 + 1)
#define PAGE(n)		(BASE + (unsigned long)(n) * PAGE_SIZE)

struct flush_counts {
	unsigned long calls, all, ranges, pages;
};

static struct flush_counts counts_of(const unsigned long *event)
{
	return (struct flush_counts) {
		.calls = event[KERNEL_TLB_FLUSH_CALLS],
		.all = event[KERNEL_TLB_FLUSH_ALL],
		.ranges = event[KERNEL_TLB_FLUSH_RANGES],
		.pages = event[KERNEL_TLB_FLUSH_PAGES],
	};
}

static struct flush_counts difference(struct flush_counts now,
				      struct flush_counts before)
{
	return (struct flush_counts) {
		.calls = now.calls - before.calls,
		.all = now.all - before.all,
		.ranges = now.ranges - before.ranges,
		.pages = now.pages - before.pages,
	};
}

/* From here to unwatch() this task stays on this CPU, alone. */
static void watch(struct kunit *test)
{
	struct flush_counts *before = test->priv;

	preempt_disable();
	*before = counts_of(this_cpu_ptr(&vm_event_states)->event);
}

static struct flush_counts unwatch(struct kunit *test)
{
	struct flush_counts *before = test->priv, now;

	now = counts_of(this_cpu_ptr(&vm_event_states)->event);
	preempt_enable();
	return difference(now, *before);
}

static int kernel_tlb_test_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct flush_counts), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static struct kernel_tlb_batch *new_batch(struct kunit *test, unsigned long ceiling)
{
	struct kernel_tlb_batch *batch;

	batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, batch);
	kernel_tlb_ranges_init(batch, ceiling);
	return batch;
}

/* Since watch(): so many flushes, all of them of everything or none. */
static void expect_flush(struct kunit *test, unsigned long flushes,
			 unsigned long pages, bool all)
{
	struct flush_counts seen = unwatch(test);

	KUNIT_EXPECT_EQ(test, seen.calls, flushes);
	KUNIT_EXPECT_EQ(test, seen.all, all ? flushes : 0);
	KUNIT_EXPECT_EQ(test, seen.ranges, all ? 0 : flushes);
	KUNIT_EXPECT_EQ(test, seen.pages, all ? 0 : pages);
}

static void expect_batch_flush(struct kunit *test, struct kernel_tlb_batch *batch,
			       unsigned long flushes, bool all)
{
	watch(test);
	kernel_tlb_batch_flush(batch, 0, 0);
	expect_flush(test, flushes, batch->pages, all);
}

static void expect_range_flush(struct kunit *test, unsigned long start,
			       unsigned long end, unsigned long pages, bool all)
{
	watch(test);
	flush_tlb_kernel_range(start, end);
	expect_flush(test, pages ? 1 : 0, pages, all);
}

static unsigned long default_ceiling(void)
{
	struct kernel_tlb_batch batch;

	kernel_tlb_batch_init(&batch);
	return batch.ceiling;
}

/* An end behind BASE that is a full flush: one page more than the ceiling. */
static unsigned long end_above_ceiling(void)
{
	unsigned long n = default_ceiling();

	return n == KERNEL_TLB_NEVER_ALL ? 0 : PAGE(n + 1);
}

/* Pages of a flush range by range, a handful where any number is one. */
static unsigned long pages_below_ceiling(void)
{
	return min(default_ceiling(), 64UL);
}

/* "Excessive TLB flush ranges", 15 May 2023: 372106 pages, merged. */
static const struct kernel_tlb_range report_areas[] = {
	{ 0xf08a1000, 0xf08a5000 }, { 0xf08a5000, 0xf08a9000 },
	{ 0xf08a9000, 0xf08ad000 }, { 0xf08ad000, 0xf08b1000 },
	{ 0xf08b3000, 0xf08b7000 }, { 0xf08b7000, 0xf08bb000 },
	{ 0xf08bb000, 0xf08bf000 }, { 0xf0a15000, 0xf0a17000 },
};

static const struct kernel_tlb_range report_direct_map = { 0x95c8d000, 0x95c8e000 };

static void replay_report(struct kunit *test, struct kernel_tlb_batch *batch,
			  unsigned long guard)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(report_areas); i++)
		KUNIT_EXPECT_TRUE(test,
				  kernel_tlb_batch_add(batch, report_areas[i].start,
						       report_areas[i].end - guard));
}

static void report_exact(struct kunit *test)
{
	struct kernel_tlb_batch *batch = new_batch(test, 64);

	if (PAGE_SIZE != 4096)
		kunit_skip(test, "the report's addresses are multiples of 4 KiB");

	replay_report(test, batch, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, batch->pages, 22UL);
	KUNIT_EXPECT_EQ(test, batch->nr, 8U);

	expect_batch_flush(test, batch, 1, false);
}

static void report_with_guards_and_direct_map(struct kunit *test)
{
	struct kernel_tlb_batch *batch = new_batch(test, 64);

	if (PAGE_SIZE != 4096)
		kunit_skip(test, "the report's addresses are multiples of 4 KiB");

	kernel_tlb_batch_add(batch, report_direct_map.start, report_direct_map.end);
	replay_report(test, batch, 0);
	KUNIT_EXPECT_EQ(test, batch->pages, 31UL);
	KUNIT_EXPECT_EQ(test, batch->nr, 4U);

	expect_batch_flush(test, batch, 1, false);
}

struct range_case {
	const char *name;
	unsigned long start, end;
	unsigned long pages;
};

static const struct range_case range_cases[] = {
	{ "empty", PAGE(1), PAGE(1), 0 },
	{ "empty, unaligned", PAGE(1) + 1, PAGE(1) + 1, 0 },
	{ "inverted", PAGE(2), PAGE(1), 0 },
	{ "empty span of a min/max loop", ULONG_MAX, 0, 0 },
	{ "nothing at all", 0, 0, 0 },
	{ "one page", PAGE(1), PAGE(2), 1 },
	{ "one byte", PAGE(1) + 1, PAGE(1) + 2, 1 },
	{ "last byte", PAGE(2) - 1, PAGE(2), 1 },
	{ "two bytes of two pages", PAGE(2) - 1, PAGE(2) + 1, 2 },
	{ "partial page at the end", PAGE(1), PAGE(2) + 1, 2 },
	{ "partial page at the start", PAGE(1) - 1, PAGE(2), 2 },
	{ "up to the last page", 0UL - 2 * PAGE_SIZE, 0UL - PAGE_SIZE, 1 },
	{ "into the last page", 0UL - 2 * PAGE_SIZE, 1 - PAGE_SIZE, KERNEL_TLB_EVERYTHING },
	{ "to the top", 0UL - 2 * PAGE_SIZE, 0, KERNEL_TLB_EVERYTHING },
	{ "the address space", 0, ULONG_MAX, KERNEL_TLB_EVERYTHING },
};

static void range_case_desc(const struct range_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(range, range_cases, range_case_desc);

/* One call, one flush, of what the range rounds to; or none. */
static void single_range(struct kunit *test)
{
	const struct range_case *c = test->param_value;

	expect_range_flush(test, c->start, c->end, c->pages,
			   kernel_tlb_exceeds(c->pages, default_ceiling()));
}

static void batch_range(struct kunit *test)
{
	const struct range_case *c = test->param_value;
	struct kernel_tlb_batch *batch = new_batch(test, UINT_MAX);

	KUNIT_EXPECT_EQ(test, kernel_tlb_batch_add(batch, c->start, c->end),
			c->pages != KERNEL_TLB_EVERYTHING);
	KUNIT_EXPECT_EQ(test, batch->pages, c->pages);

	expect_batch_flush(test, batch, c->pages ? 1 : 0,
			   c->pages == KERNEL_TLB_EVERYTHING);
}

static void flush_pages_at(struct kunit *test, unsigned long pages,
			   unsigned long ceiling, bool all)
{
	struct kernel_tlb_batch *batch = new_batch(test, ceiling);

	KUNIT_EXPECT_EQ(test, kernel_tlb_batch_add(batch, BASE, PAGE(pages)), !all);
	KUNIT_EXPECT_EQ(test, batch->pages, pages);
	expect_batch_flush(test, batch, 1, all);
}

static void ceiling_is_exact(struct kunit *test)
{
	const unsigned long n = 64;

	flush_pages_at(test, 1, 0, true);
	flush_pages_at(test, 1, 1, false);
	flush_pages_at(test, 2, 1, true);
	flush_pages_at(test, n + 1, n, true);
	flush_pages_at(test, n + 1, n + 1, false);
	flush_pages_at(test, n + 1, n + 2, false);
	flush_pages_at(test, 4 * n + 4, UINT_MAX, false);
}

static void default_ceiling_is_used(struct kunit *test)
{
	unsigned long n = pages_below_ceiling();

	if (n > 1)
		expect_range_flush(test, BASE, PAGE(n - 1), n - 1, false);
	if (n > 0)
		expect_range_flush(test, BASE, PAGE(n), n, false);
	expect_range_flush(test, BASE, end_above_ceiling(), KERNEL_TLB_EVERYTHING, true);
}

/* Pages 0, 2, 4, … as if from vmap nodes that interleave. */
static void order_does_not_matter(struct kunit *test)
{
	static const unsigned int orders[][6] = {
		{ 0, 1, 2, 3, 4, 5 }, { 5, 4, 3, 2, 1, 0 },
		{ 0, 3, 1, 4, 2, 5 }, { 2, 5, 0, 4, 1, 3 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		struct kernel_tlb_batch *batch = new_batch(test, 64);

		for (j = 0; j < 6; j++)
			kernel_tlb_batch_add(batch, PAGE(2 * orders[i][j]),
					     PAGE(2 * orders[i][j] + 1));
		KUNIT_EXPECT_EQ(test, batch->pages, 6UL);
		KUNIT_ASSERT_EQ(test, batch->nr, 6U);
		for (j = 0; j < 6; j++)
			KUNIT_EXPECT_EQ(test, batch->ranges[j].start, PAGE(2 * j));
	}
}

static void overlap_counts_once(struct kunit *test)
{
	struct kernel_tlb_batch *batch = new_batch(test, 64);

	kernel_tlb_batch_add(batch, PAGE(0), PAGE(4));
	kernel_tlb_batch_add(batch, PAGE(8), PAGE(12));
	kernel_tlb_batch_add(batch, PAGE(2), PAGE(9));
	kernel_tlb_batch_add(batch, PAGE(12), PAGE(13));
	KUNIT_EXPECT_EQ(test, batch->nr, 1U);
	KUNIT_EXPECT_EQ(test, batch->pages, 13UL);
}

static bool batch_covers(const struct kernel_tlb_batch *batch, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < batch->nr; i++)
		if (batch->ranges[i].start <= addr && addr < batch->ranges[i].end)
			return true;
	return false;
}

/* More ranges than a batch holds: gaps are closed, smallest first, none dropped. */
static void full_batch_drops_nothing(struct kunit *test)
{
	struct kernel_tlb_batch *batch = new_batch(test, UINT_MAX);
	unsigned int i, nr = KERNEL_TLB_BATCH_RANGES + 10;

	/* Gaps of 3 pages, the last ten of them of 1 page. */
	for (i = 0; i < nr; i++) {
		unsigned int page = i < KERNEL_TLB_BATCH_RANGES ? 4 * i :
			4 * (KERNEL_TLB_BATCH_RANGES - 1) +
			2 * (i - KERNEL_TLB_BATCH_RANGES + 1);

		KUNIT_EXPECT_TRUE(test, kernel_tlb_batch_add(batch, PAGE(page),
							     PAGE(page + 1)));
	}
	KUNIT_EXPECT_EQ(test, batch->nr, (unsigned int)KERNEL_TLB_BATCH_RANGES);
	KUNIT_EXPECT_EQ(test, batch->pages, nr + 10UL);

	for (i = 0; i < KERNEL_TLB_BATCH_RANGES; i++)
		KUNIT_EXPECT_TRUE(test, batch_covers(batch, PAGE(4 * i)));
	for (i = 1; i <= 10; i++) {
		unsigned int page = 4 * (KERNEL_TLB_BATCH_RANGES - 1) + 2 * i;

		KUNIT_EXPECT_TRUE(test, batch_covers(batch, PAGE(page)));
	}
	KUNIT_EXPECT_FALSE(test, batch_covers(batch, PAGE(1)));
}

static void collection_stops_at_the_ceiling(struct kunit *test)
{
	struct kernel_tlb_batch *batch = new_batch(test, 2);

	KUNIT_EXPECT_TRUE(test, kernel_tlb_batch_add(batch, PAGE(0), PAGE(1)));
	KUNIT_EXPECT_TRUE(test, kernel_tlb_batch_add(batch, PAGE(4), PAGE(5)));
	KUNIT_EXPECT_FALSE(test, kernel_tlb_batch_add(batch, PAGE(8), PAGE(9)));
	KUNIT_EXPECT_FALSE(test, kernel_tlb_batch_add(batch, PAGE(0), PAGE(1)));
	KUNIT_EXPECT_EQ(test, batch->pages, 3UL);
	expect_batch_flush(test, batch, 1, true);
}

static void empty_batch_flushes_nothing(struct kunit *test)
{
	struct kernel_tlb_batch *batch = new_batch(test, 0);

	expect_batch_flush(test, batch, 0, false);
}

/* Each flush is counted as one of the two kinds, an empty one not at all. */
static void counters_add_up(struct kunit *test)
{
	unsigned long n = pages_below_ceiling();
	struct flush_counts seen;

	watch(test);
	flush_tlb_kernel_range(BASE, BASE);
	flush_tlb_kernel_range(BASE, PAGE(n));
	flush_tlb_kernel_range(BASE, end_above_ceiling());
	flush_tlb_kernel_range(BASE, 0);
	seen = unwatch(test);

	/* A ceiling of 0 makes the second call an empty one. */
	KUNIT_EXPECT_EQ(test, seen.all, 2UL);
	KUNIT_EXPECT_EQ(test, seen.ranges, n ? 1UL : 0UL);
	KUNIT_EXPECT_EQ(test, seen.pages, n);
	KUNIT_EXPECT_EQ(test, seen.calls, seen.all + seen.ranges);
}

static void irqs_off(struct kunit *test)
{
	unsigned long flags, n = min(1UL, pages_below_ceiling());
	struct flush_counts seen;
	bool still_off;

	if (num_online_cpus() > 1)
		kunit_skip(test, "an architecture may need IPIs, which need interrupts");

	watch(test);
	local_irq_save(flags);
	flush_tlb_kernel_range(BASE, PAGE(n));
	flush_tlb_kernel_range(BASE, end_above_ceiling());
	still_off = irqs_disabled();
	local_irq_restore(flags);
	seen = unwatch(test);

	KUNIT_EXPECT_TRUE(test, still_off);
	KUNIT_EXPECT_EQ(test, seen.ranges, n);
	KUNIT_EXPECT_EQ(test, seen.all, 1UL);
}

/* Of all CPUs: the purge below sleeps and may move. */
static struct flush_counts all_counts(void)
{
	unsigned long event[NR_VM_EVENT_ITEMS];

	all_vm_events(event);
	return counts_of(event);
}

/* One flush of three pages, or of everything where that is too many. */
static bool exact(struct flush_counts seen)
{
	if (default_ceiling() < 3)
		return seen.calls == 1 && seen.all == 1;
	return seen.calls == 1 && seen.pages == 3;
}

/*
 * The whole way, from what frees three pages to their flush. Other tasks free
 * areas and purge, too, so that a try can see more pages or fewer; an undisturbed
 * one must come soon.
 */
static void expect_exact_purge(struct kunit *test,
			       void (*map_and_free)(struct kunit *test))
{
	struct flush_counts seen;
	unsigned int try;

	for (try = 0; try < 20; try++) {
		vm_unmap_aliases();
		map_and_free(test);
		seen = all_counts();
		vm_unmap_aliases();
		seen = difference(all_counts(), seen);
		if (exact(seen))
			return;
	}
	KUNIT_FAIL(test, "%u tries; last: %lu flushes, %lu of everything, %lu pages",
		   try, seen.calls, seen.all, seen.pages);
}

static void free_two_areas(struct kunit *test)
{
	void *one = vmalloc(PAGE_SIZE);
	void *two = vmalloc(2 * PAGE_SIZE);

	KUNIT_EXPECT_NOT_NULL(test, one);
	KUNIT_EXPECT_NOT_NULL(test, two);
	vfree(one);
	vfree(two);
}

/* The pages of two areas, without their guards, in one flush. */
static void purge_is_exact(struct kunit *test)
{
	expect_exact_purge(test, free_two_areas);
}

static void free_area_without_guard(struct kunit *test)
{
	struct vm_struct *area = get_vm_area(3 * PAGE_SIZE, VM_MAP | VM_NO_GUARD);

	KUNIT_ASSERT_NOT_NULL(test, area);
	free_vm_area(area);
}

static void purge_without_guard(struct kunit *test)
{
	expect_exact_purge(test, free_area_without_guard);
}

static struct kunit_case kernel_tlb_cases[] = {
	KUNIT_CASE(report_exact),
	KUNIT_CASE(report_with_guards_and_direct_map),
	KUNIT_CASE_PARAM(single_range, range_gen_params),
	KUNIT_CASE_PARAM(batch_range, range_gen_params),
	KUNIT_CASE(ceiling_is_exact),
	KUNIT_CASE(default_ceiling_is_used),
	KUNIT_CASE(order_does_not_matter),
	KUNIT_CASE(overlap_counts_once),
	KUNIT_CASE(full_batch_drops_nothing),
	KUNIT_CASE(collection_stops_at_the_ceiling),
	KUNIT_CASE(empty_batch_flushes_nothing),
	KUNIT_CASE(counters_add_up),
	KUNIT_CASE(irqs_off),
	KUNIT_CASE(purge_is_exact),
	KUNIT_CASE(purge_without_guard),
	{}
};

static struct kunit_suite kernel_tlb_suite = {
	.name = "kernel_tlb",
	.init = kernel_tlb_test_init,
	.test_cases = kernel_tlb_cases,
};

kunit_test_suite(kernel_tlb_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests for kernel TLB range flushing");
