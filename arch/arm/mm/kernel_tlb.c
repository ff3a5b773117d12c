// SPDX-License-Identifier: GPL-2.0
/*
 * How ARM drops kernel translations; mm/kernel_tlb.c says which.
 *
 * Kernel translations are global, so the ASID in the operand is 0.
 */
#include <linux/kernel_tlb.h>
#include <linux/smp.h>

#include <asm/smp_plat.h>
#include <asm/tlbflush.h>

struct flush_args {
	const struct kernel_tlb_range *ranges;
	unsigned int nr;
};

/*
 * On the CPUs that the instructions reach: all of them where the hardware
 * broadcasts, this one where tlb_ops_need_broadcast() and on uniprocessors.
 */
static void drop_ranges(const struct kernel_tlb_range *ranges, unsigned int nr)
{
	const struct kernel_tlb_range *r;
	unsigned long addr;

	kernel_tlb_begin();
	for (r = ranges; r < ranges + nr; r++)
		for (addr = r->start; addr < r->end; addr += PAGE_SIZE)
			kernel_tlb_drop_page(addr);
	kernel_tlb_end();
}

static void ipi_drop_ranges(void *arg)
{
	const struct flush_args *args = arg;

	drop_ranges(args->ranges, args->nr);
}

/* Cortex-A15 erratum 798181 wants its work-around after the last barrier. */
void arch_flush_tlb_kernel_ranges(const struct kernel_tlb_range *ranges,
				  unsigned int nr)
{
	struct flush_args args = { ranges, nr };

	/* The array may be on this CPU's stack: wait for the others. */
	if (tlb_ops_need_broadcast())
		on_each_cpu(ipi_drop_ranges, &args, 1);
	else
		drop_ranges(ranges, nr);
	broadcast_tlb_a15_erratum();
}

/*
 * Broadcasts, waits and works around errata like the ranges; its first barrier
 * orders stores only, which is what page table walks have to see. Not
 * local_flush_tlb_all(), which leaves the other CPUs of a v7 SMP system alone.
 */
void arch_flush_tlb_kernel_all(void)
{
	flush_tlb_all();
}
