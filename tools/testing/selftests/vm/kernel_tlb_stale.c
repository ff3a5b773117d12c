// SPDX-License-Identifier: GPL-2.0
/*
 * No CPU reads through a translation of what has been unmapped, whichever side
 * of the ceiling the flush was on. The test_kernel_tlb module does the work; it
 * needs no kernel_tlb in the kernel, so this is a test of every kernel.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "../kselftest_harness.h"
#include "kernel_tlb_util.h"

/* For kernels without the sysctl, where only the sizes depend on it. */
#define USUAL_CEILING	64

FIXTURE(stale)
{
	unsigned int saved;
	bool patched;
};

FIXTURE_VARIANT(stale)
{
	enum { AS_IS, ALWAYS_FULL, NEVER_FULL } ceiling;
};

FIXTURE_VARIANT_ADD(stale, ceiling_as_is) { .ceiling = AS_IS };
FIXTURE_VARIANT_ADD(stale, always_full) { .ceiling = ALWAYS_FULL };
FIXTURE_VARIANT_ADD(stale, never_full) { .ceiling = NEVER_FULL };

FIXTURE_SETUP(stale)
{
	if (kernel_tlb_write(KERNEL_TLB_COMMANDS, "drain"))
		SKIP(return, KERNEL_TLB_NO_MODULE);
	self->saved = USUAL_CEILING;
	self->patched = !kernel_tlb_get_ceiling(&self->saved);
	if (variant->ceiling == AS_IS)
		return;
	if (!self->patched)
		SKIP(return, KERNEL_TLB_UNPATCHED);
	ASSERT_EQ(0, kernel_tlb_set_ceiling(variant->ceiling == ALWAYS_FULL ? 0 : UINT_MAX));
}

FIXTURE_TEARDOWN(stale)
{
	if (self->patched)
		EXPECT_EQ(0, kernel_tlb_set_ceiling(self->saved));
}

static void run(struct __test_metadata *_metadata, const char *command)
{
	char answer[1024], result[16] = "", reason[128] = "";

	ASSERT_EQ(0, kernel_tlb_command(command, answer, sizeof(answer))) {
		TH_LOG("%s", command);
	}
	kernel_tlb_value(answer, "result", result, sizeof(result));
	kernel_tlb_value(answer, "reason", reason, sizeof(reason));
	if (!strcmp(result, "skip"))
		SKIP(return, "%s: %s", command, reason);
	EXPECT_STREQ("pass", result) {
		TH_LOG("%s:\n%s", command, answer);
	}
}

/* @percent of the ceiling, plus @more pages, in one area. */
static void run_area(struct __test_metadata *_metadata, unsigned int ceiling,
		     unsigned int percent, int more)
{
	char command[64];
	long pages;

	/* Four times this is what the module takes; beyond it, any size will do. */
	if (ceiling > 2048)
		ceiling = 2048;
	pages = (long)ceiling * percent / 100 + more;
	if (pages < 1)
		pages = 1;
	snprintf(command, sizeof(command), "stale pages=%ld", pages);
	run(_metadata, command);
}

TEST_F(stale, one_page)
{
	run(_metadata, "stale pages=1 rounds=20");
}

TEST_F(stale, below_the_ceiling)
{
	run_area(_metadata, self->saved, 100, -1);
}

TEST_F(stale, at_the_ceiling)
{
	run_area(_metadata, self->saved, 100, 0);
}

TEST_F(stale, above_the_ceiling)
{
	run_area(_metadata, self->saved, 100, 1);
}

TEST_F(stale, four_times_the_ceiling)
{
	run_area(_metadata, self->saved, 400, 0);
}

TEST_F(stale, areas_far_apart)
{
	run(_metadata, "stale pages=1,2,3,4,5,6,7,8 gap=600");
}

/* A batch has room for 64 ranges: none of these may get lost. */
TEST_F(stale, more_areas_than_a_batch)
{
	run(_metadata, "stale pages=1,2 count=60 gap=2");
}

TEST_F(stale, areas_above_the_ceiling)
{
	run(_metadata, "stale pages=100,200,300,400 gap=100");
}

TEST_F(stale, blocks)
{
	run(_metadata, "vb pages=4 count=32");
}

TEST_F(stale, blocks_of_single_pages)
{
	run(_metadata, "vb pages=1 count=100");
}

/* Two blocks have at most 2048 pages. */
TEST_F(stale, blocks_used_up)
{
	run(_metadata, "vb pages=4 count=520");
}

TEST_F(stale, kmap_slots)
{
	run(_metadata, "pkmap");
}

TEST_HARNESS_MAIN
