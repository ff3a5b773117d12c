/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel_tlb selftests share on top of the harness: the ceiling for
 * the time of a test, and commands of the test_kernel_tlb module.
 */
#ifndef KERNEL_TLB_HARNESS_H
#define KERNEL_TLB_HARNESS_H

#include "../kselftest_harness.h" /* first: it wants all of the C library */

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "kernel_tlb_util.h"

/* For kernels without the sysctl, where only the sizes depend on it. */
#define USUAL_CEILING	64

struct saved_ceiling {
	unsigned int pages;
	bool patched;
};

/* Skips, and returns false, on a kernel without the ceiling. */
static inline bool need_ceiling(struct __test_metadata *_metadata,
				struct saved_ceiling *saved)
{
	int ret = kernel_tlb_get_ceiling(&saved->pages);

	saved->patched = !ret;
	if (ret == -ENOENT)
		SKIP(return false, KERNEL_TLB_UNPATCHED);
	ASSERT_EQ(0, ret);
	return true;
}

static inline void restore_ceiling(struct __test_metadata *_metadata,
				   const struct saved_ceiling *saved)
{
	if (saved->patched)
		EXPECT_EQ(0, kernel_tlb_set_ceiling(saved->pages));
}

/* One for each kind of flush; a kernel without the ceiling has AS_IS only. */
enum ceiling { AS_IS, ALWAYS_FULL, NEVER_FULL };

static inline bool use_ceiling(struct __test_metadata *_metadata,
			       struct saved_ceiling *saved, enum ceiling which)
{
	if (which == AS_IS) {
		saved->pages = USUAL_CEILING;
		saved->patched = !kernel_tlb_get_ceiling(&saved->pages);
		return true;
	}
	if (!need_ceiling(_metadata, saved))
		return false;
	ASSERT_EQ(0, kernel_tlb_set_ceiling(which == ALWAYS_FULL ? 0 : UINT_MAX));
	return true;
}

static inline bool need_module(struct __test_metadata *_metadata)
{
	if (kernel_tlb_write(KERNEL_TLB_COMMANDS, "drain"))
		SKIP(return false, KERNEL_TLB_NO_MODULE);
	return true;
}

/* Runs a command that judges itself. */
static inline void run(struct __test_metadata *_metadata, const char *command)
{
	char answer[4096], result[16] = "", reason[128] = "";

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

/* What ``peek`` and ``poke`` answer; the test judges. */
struct seen {
	unsigned long reads;
	unsigned long could;
	unsigned long stale;	/* of these, without a page in the page tables */
	char answer[4096];
};

static inline struct seen read_seen(struct __test_metadata *_metadata)
{
	struct seen seen = {};
	char value[32];
	const struct {
		const char *key;
		unsigned long *value;
	} want[] = {
		{ "reads", &seen.reads },
		{ "could", &seen.could },
		{ "stale", &seen.stale },
	};
	unsigned int i;

	ASSERT_EQ(0, kernel_tlb_read(KERNEL_TLB_COMMANDS, seen.answer,
				     sizeof(seen.answer)));
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		ASSERT_TRUE(kernel_tlb_value(seen.answer, want[i].key, value,
					     sizeof(value)));
		*want[i].value = strtoul(value, NULL, 10);
	}
	ASSERT_LT(0, seen.reads);
	return seen;
}

static inline struct seen look(struct __test_metadata *_metadata,
			       const char *command)
{
	ASSERT_EQ(0, kernel_tlb_write(KERNEL_TLB_COMMANDS, command)) {
		TH_LOG("%s", command);
	}
	return read_seen(_metadata);
}

static inline void expect_all(struct __test_metadata *_metadata,
			      const char *command)
{
	struct seen seen = look(_metadata, command);

	EXPECT_EQ(seen.reads, seen.could) {
		TH_LOG("%s:\n%s", command, seen.answer);
	}
}

static inline void expect_none(struct __test_metadata *_metadata,
			       const char *command)
{
	struct seen seen = look(_metadata, command);

	EXPECT_EQ(0, seen.could) {
		TH_LOG("%s:\n%s", command, seen.answer);
	}
}

/* What is somebody else's by now can be read, and is not stale. */
static inline void expect_none_stale(struct __test_metadata *_metadata,
				     const char *command)
{
	struct seen seen = look(_metadata, command);

	EXPECT_EQ(0, seen.stale) {
		TH_LOG("%s:\n%s", command, seen.answer);
	}
}

static inline bool stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return !sched_setaffinity(0, sizeof(one), &one);
}

#endif /* KERNEL_TLB_HARNESS_H */
