// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of /proc/vmstat against purges of a known number of pages, on
 * both sides of the ceiling.
 *
 * Somebody else can free an area or purge between two readings, so that a
 * measurement which is not as expected is repeated a few times. A kernel that
 * counts wrongly, or flushes too much or too often, is never as expected.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "../kselftest_harness.h"
#include "kernel_tlb_util.h"

#define TRIES 10

FIXTURE(counters)
{
	unsigned int saved;
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
	.ceiling = UINT_MAX, .areas = "pages=3000,1,7", .want = { 1, 0, 1, 3008 },
};

FIXTURE_SETUP(counters)
{
	struct kernel_tlb_counters now;
	int ret = kernel_tlb_get_ceiling(&self->saved);

	if (ret == -ENOENT)
		SKIP(return, KERNEL_TLB_UNPATCHED);
	ASSERT_EQ(0, ret);
	if (kernel_tlb_read_counters(&now) == -ENOENT)
		SKIP(return, "no kernel_tlb_flush_* in /proc/vmstat: CONFIG_VM_EVENT_COUNTERS");
	if (kernel_tlb_write(KERNEL_TLB_COMMANDS, "drain"))
		SKIP(return, KERNEL_TLB_NO_MODULE);
	ASSERT_EQ(0, kernel_tlb_set_ceiling(variant->ceiling));
}

FIXTURE_TEARDOWN(counters)
{
	EXPECT_EQ(0, kernel_tlb_set_ceiling(self->saved));
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
	if (kernel_tlb_write(KERNEL_TLB_COMMANDS, "drain"))
		SKIP(return, KERNEL_TLB_NO_MODULE);
	delta.calls = 1;
	for (i = 0; i < TRIES && delta.calls; i++)
		ASSERT_EQ(0, count_command("drain", &delta));
	EXPECT_EQ(0, delta.calls);
	EXPECT_EQ(0, delta.all + delta.ranges + delta.pages);
}

TEST(invariant)
{
	struct kernel_tlb_counters now;

	if (kernel_tlb_read_counters(&now))
		SKIP(return, KERNEL_TLB_UNPATCHED);
	expect_invariant(_metadata);
}

TEST_HARNESS_MAIN
