// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of /proc/vmstat against purges of a known number of pages, on
 * both sides of the ceiling.
 *
 * Somebody else can free an area or purge between two readings, so that a
 * measurement which is not as expected is repeated a few times. A kernel that
 * counts wrongly, or flushes too much or too often, is never as expected.
 */
#include "kernel_tlb_harness.h"

#define TRIES 10

FIXTURE(counters)
{
	struct saved_ceiling saved;
};

FIXTURE_VARIANT(counters)
{
	unsigned int ceiling;
	const char *areas;
	struct kernel_tlb_counters want;
};

/* .want: calls, all, ranges, pages */
FIXTURE_VARIANT_ADD(counters, one_page_below)
{
	.ceiling = 16, .areas = "pages=15", .want = { 1, 0, 1, 15 },
};

FIXTURE_VARIANT_ADD(counters, exactly)
{
	.ceiling = 16, .areas = "pages=16", .want = { 1, 0, 1, 16 },
};

FIXTURE_VARIANT_ADD(counters, one_page_above)
{
	.ceiling = 16, .areas = "pages=17", .want = { 1, 1, 0, 0 },
};

FIXTURE_VARIANT_ADD(counters, areas_below)
{
	.ceiling = 16, .areas = "pages=1,9,5", .want = { 1, 0, 1, 15 },
};

FIXTURE_VARIANT_ADD(counters, areas_exactly)
{
	.ceiling = 16, .areas = "pages=1,9,6", .want = { 1, 0, 1, 16 },
};

FIXTURE_VARIANT_ADD(counters, areas_above)
{
	.ceiling = 16, .areas = "pages=1,9,7", .want = { 1, 1, 0, 0 },
};

FIXTURE_VARIANT_ADD(counters, far_apart_exactly)
{
	.ceiling = 16, .areas = "pages=8,8 gap=5000", .want = { 1, 0, 1, 16 },
};

FIXTURE_VARIANT_ADD(counters, far_apart_above)
{
	.ceiling = 16, .areas = "pages=8,9 gap=5000", .want = { 1, 1, 0, 0 },
};

FIXTURE_VARIANT_ADD(counters, one)
{
	.ceiling = 1, .areas = "pages=1", .want = { 1, 0, 1, 1 },
};

FIXTURE_VARIANT_ADD(counters, two_above_one)
{
	.ceiling = 1, .areas = "pages=1,1", .want = { 1, 1, 0, 0 },
};

FIXTURE_VARIANT_ADD(counters, zero)
{
	.ceiling = 0, .areas = "pages=1", .want = { 1, 1, 0, 0 },
};

FIXTURE_VARIANT_ADD(counters, no_limit)
{
	.ceiling = UINT_MAX, .areas = "pages=300,1,7", .want = { 1, 0, 1, 308 },
};

FIXTURE_SETUP(counters)
{
	struct kernel_tlb_counters now;

	if (!need_ceiling(_metadata, &self->saved))
		return;
	if (kernel_tlb_read_counters(&now) == -ENOENT)
		SKIP(return, "no kernel_tlb_flush_* in /proc/vmstat: CONFIG_VM_EVENT_COUNTERS");
	if (!need_module(_metadata))
		return;
	ASSERT_EQ(0, kernel_tlb_set_ceiling(variant->ceiling));
}

FIXTURE_TEARDOWN(counters)
{
	restore_ceiling(_metadata, &self->saved);
}

static int count_command(const char *command, struct kernel_tlb_counters *delta)
{
	struct kernel_tlb_counters before, after;
	int ret;

	ret = kernel_tlb_read_counters(&before);
	if (!ret)
		ret = kernel_tlb_write(KERNEL_TLB_COMMANDS, command);
	if (!ret)
		ret = kernel_tlb_read_counters(&after);
	if (!ret)
		*delta = kernel_tlb_delta(&before, &after);
	return ret;
}

/* The per-CPU parts are not read at one instant, hence more than once. */
static void expect_invariant(struct __test_metadata *_metadata)
{
	struct kernel_tlb_counters now = { .calls = 1 };
	int i;

	for (i = 0; i < TRIES && now.calls != now.all + now.ranges; i++)
		ASSERT_EQ(0, kernel_tlb_read_counters(&now));
	EXPECT_EQ(now.calls, now.all + now.ranges);
	EXPECT_LT(0, now.calls);
	EXPECT_LE(now.ranges, now.pages);
}

TEST_F(counters, purge)
{
	struct kernel_tlb_counters delta = {};
	char command[64];
	int i;

	snprintf(command, sizeof(command), "map %s", variant->areas);
	for (i = 0; i < TRIES && memcmp(&variant->want, &delta, sizeof(delta)); i++) {
		ASSERT_EQ(0, kernel_tlb_write(KERNEL_TLB_COMMANDS, command));
		ASSERT_EQ(0, count_command("purge", &delta));
	}
	EXPECT_EQ(variant->want.calls, delta.calls);
	EXPECT_EQ(variant->want.all, delta.all);
	EXPECT_EQ(variant->want.ranges, delta.ranges);
	EXPECT_EQ(variant->want.pages, delta.pages);
	expect_invariant(_metadata);
}

TEST(nothing_freed)
{
	struct kernel_tlb_counters delta;
	int i;

	if (kernel_tlb_read_counters(&delta))
		SKIP(return, KERNEL_TLB_UNPATCHED);
	if (!need_module(_metadata))
		return;
	delta.calls = 1;
	for (i = 0; i < TRIES && delta.calls; i++)
		ASSERT_EQ(0, count_command("drain", &delta));
	EXPECT_EQ(0, delta.calls);
	EXPECT_EQ(0, delta.all + delta.ranges + delta.pages);
}

/*
 * Blocks of vm_map_ram() are used up by a few rounds, and then freed. What they
 * add to a purge is what was unmapped since the one before, which leaves room for
 * flushes of others, but not for one block as a whole: 512 pages at least.
 */
#define BLOCK_ROUNDS 40

FIXTURE(blocks)
{
	struct saved_ceiling saved;
};

FIXTURE_SETUP(blocks)
{
	struct kernel_tlb_counters now;

	if (!need_ceiling(_metadata, &self->saved) || !need_module(_metadata))
		return;
	if (kernel_tlb_read_counters(&now))
		SKIP(return, KERNEL_TLB_UNPATCHED);
	ASSERT_EQ(0, kernel_tlb_set_ceiling(UINT_MAX));
}

FIXTURE_TEARDOWN(blocks)
{
	restore_ceiling(_metadata, &self->saved);
}

TEST_F(blocks, are_flushed_where_they_were_dirty)
{
	struct kernel_tlb_counters delta = {};
	char command[64];
	int i;

	snprintf(command, sizeof(command), "vb pages=32 count=1 rounds=%d", BLOCK_ROUNDS);
	for (i = 0; i < TRIES && (!delta.calls || delta.pages >= 32 * BLOCK_ROUNDS + 500); i++)
		ASSERT_EQ(0, count_command(command, &delta));
	EXPECT_LE(32 * BLOCK_ROUNDS, delta.pages);
	EXPECT_GT(32 * BLOCK_ROUNDS + 500, delta.pages);
	EXPECT_EQ(0, delta.all);
}

/*
 * More than BITS_PER_LONG pages are an area of their own, one without a guard page: a
 * last page that is not flushed, each time, is more than what else may be flushed.
 */
TEST_F(blocks, areas_without_a_guard_are_flushed_to_their_end)
{
	struct kernel_tlb_counters delta = {};

	ASSERT_EQ(0, count_command("vb pages=65 count=1 rounds=1000", &delta));
	EXPECT_LE(65 * 1000, delta.pages);
	EXPECT_EQ(0, delta.all);
}

/*
 * A flush for each area would be 500. With KASAN there is one more than usual, that
 * of the shadow, and KFENCE flushes whenever it takes a sample, hence the margin.
 */
TEST(many_areas_need_few_flushes)
{
	struct kernel_tlb_counters delta;

	if (kernel_tlb_read_counters(&delta))
		SKIP(return, KERNEL_TLB_UNPATCHED);
	if (!need_module(_metadata))
		return;
	ASSERT_EQ(0, kernel_tlb_write(KERNEL_TLB_COMMANDS, "map pages=1 count=500"));
	ASSERT_EQ(0, count_command("purge", &delta));
	TH_LOG("%lu flushes in a purge of 500 areas", delta.calls);
	EXPECT_LT(0, delta.calls);
	EXPECT_GT(100, delta.calls);
}

TEST(invariant)
{
	struct kernel_tlb_counters now;

	if (kernel_tlb_read_counters(&now))
		SKIP(return, KERNEL_TLB_UNPATCHED);
	expect_invariant(_metadata);
}

TEST_HARNESS_MAIN
