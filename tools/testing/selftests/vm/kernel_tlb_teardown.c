// SPDX-License-Identifier: GPL-2.0
/*
 * The case of the report: processes with a seccomp filter exit.
 *
 * Every teardown has to complete, and no purge may flush more pages than were
 * really mapped in the areas that it frees, unless it is exactly one full
 * flush. That is counted from the trace; times play no part in it.
 */
#include "kernel_tlb_harness.h"

#include <unistd.h>

#define PROCESSES	20
#define GAP_US		50000
#define WAIT_TICKS	600	/* of 50 ms, then the missing ones are a failure */

FIXTURE(teardown)
{
	struct saved_ceiling saved;
	char jit[16];
	pid_t pids[PROCESSES];
	struct kernel_tlb_trace snapshot;
	struct kernel_tlb_trace trace;
};

FIXTURE_VARIANT(teardown)
{
	const char *ceiling;	/* NULL: as it is */
	const char *jit;
	unsigned int insns;
};

FIXTURE_VARIANT_ADD(teardown, interpreter)
{
	.jit = "0", .insns = 40,
};

FIXTURE_VARIANT_ADD(teardown, interpreter_3_pages)
{
	.jit = "0", .insns = 1200,
};

FIXTURE_VARIANT_ADD(teardown, jit_image_among_modules)
{
	.jit = "1", .insns = 40,
};

FIXTURE_VARIANT_ADD(teardown, always_full)
{
	.ceiling = "0", .jit = "0", .insns = 40,
};

FIXTURE_VARIANT_ADD(teardown, never_full)
{
	.ceiling = "4294967295", .jit = "0", .insns = 40,
};

FIXTURE_SETUP(teardown)
{
	if (!need_ceiling(_metadata, &self->saved))
		return;
	if (!kernel_tlb_have_event(KERNEL_TLB_EVENT))
		SKIP(return, KERNEL_TLB_NO_EVENT);
	if (!kernel_tlb_have_event("vmalloc/purge_vmap_area_lazy"))
		SKIP(return, "no vmalloc trace events: kernel older than 6.3");
	kernel_tlb_read(KERNEL_TLB_JIT, self->jit, sizeof(self->jit));
	if (kernel_tlb_write(KERNEL_TLB_JIT, variant->jit) && *variant->jit != '0')
		SKIP(return, "no BPF JIT to switch on");
	if (variant->ceiling)
		ASSERT_EQ(0, kernel_tlb_write(KERNEL_TLB_CEILING, variant->ceiling));
	self->snapshot.owners = self->pids;
	self->snapshot.nr_owners = PROCESSES;
	ASSERT_EQ(0, kernel_tlb_trace_start());
	kernel_tlb_trace_snapshot(&self->snapshot);
}

FIXTURE_TEARDOWN(teardown)
{
	kernel_tlb_trace_stop();
	kernel_tlb_trace_free(&self->trace);
	kernel_tlb_trace_free(&self->snapshot);
	kernel_tlb_write(KERNEL_TLB_JIT, self->jit);
	restore_ceiling(_metadata, &self->saved);
}

static void check_purge(struct __test_metadata *_metadata,
			const struct kernel_tlb_purge *purge)
{
	EXPECT_GE(1, purge->flushes);
	EXPECT_EQ(0, purge->unknown);
	if (purge->full) {
		EXPECT_EQ(1, purge->full);
		EXPECT_EQ(0, purge->flushed);
	} else {
		EXPECT_LE(purge->flushed, purge->mapped);
		EXPECT_LE(purge->ranges, purge->areas);
	}
	if (purge->areas)
		EXPECT_EQ(1, purge->flushes);
}

TEST_F_TIMEOUT(teardown, all_complete_and_exact, 120)
{
	unsigned int i, full = 0, areas = 0;

	for (i = 0; i < PROCESSES; i++) {
		self->pids[i] = kernel_tlb_seccomp_process(variant->insns);
		if (self->pids[i] == -EINVAL)
			SKIP(return, "no seccomp filters: CONFIG_SECCOMP_FILTER");
		ASSERT_LT(0, self->pids[i]);
		usleep(GAP_US);
	}
	for (i = 0; i < WAIT_TICKS && self->trace.teardowns < PROCESSES; i++) {
		usleep(50000);
		kernel_tlb_trace_free(&self->trace);
		ASSERT_EQ(0, kernel_tlb_trace_read(&self->snapshot, &self->trace));
	}
	EXPECT_EQ(PROCESSES, self->trace.teardowns);
	EXPECT_EQ(0, self->trace.lost);
	for (i = 0; i < self->trace.nr_purges; i++) {
		check_purge(_metadata, &self->trace.purges[i]);
		full += self->trace.purges[i].full;
		areas += self->trace.purges[i].areas;
	}
	EXPECT_LT(0, areas);
	if (variant->ceiling && *variant->ceiling == '0')
		EXPECT_LT(0, full);
	if (variant->ceiling && *variant->ceiling != '0')
		EXPECT_EQ(0, full);
}

TEST_HARNESS_MAIN
