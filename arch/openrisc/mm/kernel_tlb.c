// SPDX-License-Identifier: GPL-2.0
/*
 * How OpenRISC drops kernel translations; mm/kernel_tlb.c says which.
 *
 * Nothing is broadcast: the other CPUs are interrupted.
 */
#include <linux/kernel_tlb.h>
#include <linux/smp.h>

#include <asm/tlbflush.h>

struct flush_args {
	const struct kernel_tlb_range *ranges;
	unsigned int nr;
};

/* On this CPU. */
static void drop_ranges(const struct kernel_tlb_range *ranges, unsigned int nr)
{
	const struct kernel_tlb_range *r;

	for (r = ranges; r < ranges + nr; r++)
		local_flush_tlb_range(NULL, r->start, r->end);
}

static void ipi_drop_ranges(void *arg)
{
	const struct flush_args *args = arg;

	drop_ranges(args->ranges, args->nr);
}

static void ipi_drop_all(void *unused)
{
	local_flush_tlb_all();
}

void arch_flush_tlb_kernel_ranges(const struct kernel_tlb_range *ranges,
				  unsigned int nr)
{
	struct flush_args args = { ranges, nr };

	/* The array may be on this CPU's stack: wait for the others. */
	on_each_cpu(ipi_drop_ranges, &args, 1);
}

void arch_flush_tlb_kernel_all(void)
{
	on_each_cpu(ipi_drop_all, NULL, 1);
}
