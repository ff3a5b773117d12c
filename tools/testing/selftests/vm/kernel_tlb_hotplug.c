// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU that was off line during a purge has no translation of what was purged
 * when it is back, and CPUs that come and go do not disturb those that stay.
 */
#include "kernel_tlb_harness.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS	6

FIXTURE(hotplug)
{
	struct saved_ceiling saved;
	char online[64];	/* the file of the CPU that goes */
	pid_t toggler;
};

FIXTURE_VARIANT(hotplug)
{
	enum ceiling ceiling;
};

FIXTURE_VARIANT_ADD(hotplug, ceiling_as_is) { .ceiling = AS_IS };
FIXTURE_VARIANT_ADD(hotplug, always_full) { .ceiling = ALWAYS_FULL };
FIXTURE_VARIANT_ADD(hotplug, never_full) { .ceiling = NEVER_FULL };

/* The last CPU that is on line and can go. */
static bool find_cpu(char *path, size_t size)
{
	long cpu = sysconf(_SC_NPROCESSORS_CONF);
	char now[4];

	while (--cpu > 0) {
		snprintf(path, size, "/sys/devices/system/cpu/cpu%ld/online", cpu);
		if (!kernel_tlb_read(path, now, sizeof(now)) && *now == '1')
			return true;
	}
	return false;
}

FIXTURE_SETUP(hotplug)
{
	if (!find_cpu(self->online, sizeof(self->online)))
		SKIP(return, "no second CPU that can go: CONFIG_HOTPLUG_CPU");
	if (need_module(_metadata))
		use_ceiling(_metadata, &self->saved, variant->ceiling);
}

FIXTURE_TEARDOWN(hotplug)
{
	char now[4] = "";

	if (self->toggler > 0) {
		kill(self->toggler, SIGKILL);
		waitpid(self->toggler, NULL, 0);
	}
	/* Refused if it is on line already. */
	kernel_tlb_write(self->online, "1");
	EXPECT_EQ(0, kernel_tlb_read(self->online, now, sizeof(now)));
	EXPECT_EQ('1', *now);
	restore_ceiling(_metadata, &self->saved);
}

static void purge_without_cpu(struct __test_metadata *_metadata,
			      const char *online, const char *map)
{
	ASSERT_EQ(0, kernel_tlb_write(KERNEL_TLB_COMMANDS, map));
	expect_all(_metadata, "peek");
	ASSERT_EQ(0, kernel_tlb_write(online, "0"));
	/* The others have had much to do meanwhile: fill their TLBs again. */
	expect_all(_metadata, "peek");
	ASSERT_EQ(0, kernel_tlb_write(KERNEL_TLB_COMMANDS, "purge"));
	expect_none_stale(_metadata, "peek");
	ASSERT_EQ(0, kernel_tlb_write(online, "1"));
	expect_none_stale(_metadata, "peek");
}

TEST_F(hotplug, cpu_comes_back_without_what_was_purged)
{
	purge_without_cpu(_metadata, self->online, "map pages=1,3,8");
}

TEST_F(hotplug, cpu_comes_back_without_what_was_purged_above_the_ceiling)
{
	purge_without_cpu(_metadata, self->online, "map pages=50 count=8 gap=10");
}

static void toggle(const char *online)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		if (kernel_tlb_write(online, "0") || kernel_tlb_write(online, "1"))
			_exit(1);
	_exit(0);
}

TEST_F(hotplug, nothing_stale_while_cpus_come_and_go)
{
	int status;

	self->toggler = fork();
	ASSERT_LE(0, self->toggler);
	if (!self->toggler)
		toggle(self->online);
	do {
		run(_metadata, "stale pages=1,2,30 gap=3 rounds=1");
		run(_metadata, "stale pages=100,5 rounds=1");
	} while (!waitpid(self->toggler, &status, WNOHANG));
	self->toggler = 0;
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
