// SPDX-License-Identifier: GPL-2.0
/*
 * vm.kernel_tlb_flush_ceiling: what it takes, what it refuses, and that a
 * refusal changes nothing.
 */
#include "kernel_tlb_harness.h"

#include <sys/stat.h>

FIXTURE(ceiling)
{
	struct saved_ceiling saved;
};

FIXTURE_SETUP(ceiling)
{
	if (!need_ceiling(_metadata, &self->saved))
		return;
	if (kernel_tlb_set_ceiling(self->saved.pages) == -EACCES)
		SKIP(return, "needs root");
	ASSERT_EQ(0, kernel_tlb_set_ceiling(77));
}

FIXTURE_TEARDOWN(ceiling)
{
	restore_ceiling(_metadata, &self->saved);
}

TEST_F(ceiling, mode)
{
	struct stat st;

	ASSERT_EQ(0, stat(KERNEL_TLB_CEILING, &st));
	EXPECT_EQ(0644, st.st_mode & 07777);
}

TEST_F(ceiling, takes)
{
	static const struct {
		const char *text;
		unsigned int value;
	} good[] = {
		{ "0\n", 0 },
		{ "1\n", 1 },
		{ "64", 64 },
		{ " 512\t\n", 512 },
		{ "0x10\n", 16 },
		{ "4294967295\n", UINT_MAX },
	};
	unsigned int i, now;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		EXPECT_EQ(0, kernel_tlb_write(KERNEL_TLB_CEILING, good[i].text)) {
			TH_LOG("wrote '%s'", good[i].text);
		}
		ASSERT_EQ(0, kernel_tlb_get_ceiling(&now));
		EXPECT_EQ(good[i].value, now);
	}
}

TEST_F(ceiling, refuses)
{
	static const char * const bad[] = {
		"-1\n", "-0x1\n", "4294967296\n", "18446744073709551616\n",
		"99999999999999999999999\n", "1e3\n", "1.5\n", "64k\n", "+1\n",
		"off\n", "all\n", "0x\n", "\n", "\t\n", "-\n", ",1\n",
	};
	unsigned int i, now;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, kernel_tlb_write(KERNEL_TLB_CEILING, bad[i])) {
			TH_LOG("wrote '%s'", bad[i]);
		}
		ASSERT_EQ(0, kernel_tlb_get_ceiling(&now));
		EXPECT_EQ(77, now) {
			TH_LOG("after '%s'", bad[i]);
		}
	}
}

/* A write of no bytes never reaches the handler, for any sysctl. */
TEST_F(ceiling, empty_write)
{
	unsigned int now;

	EXPECT_EQ(0, kernel_tlb_write(KERNEL_TLB_CEILING, ""));
	ASSERT_EQ(0, kernel_tlb_get_ceiling(&now));
	EXPECT_EQ(77, now);
}

TEST_F(ceiling, reads_as_one_number)
{
	char text[64];

	ASSERT_EQ(0, kernel_tlb_read(KERNEL_TLB_CEILING, text, sizeof(text)));
	EXPECT_STREQ("77\n", text);
}

TEST_HARNESS_MAIN
