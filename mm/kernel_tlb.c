// SPDX-License-Identifier: GPL-2.0
/*
 * When to invalidate kernel translations one by one, and when all at once.
 *
 * One by one costs every CPU of the machine a few nanoseconds a page. All at
 * once costs a few nanoseconds in total, and afterwards every CPU of the
 * machine a page table walk for each translation that it still needed. The
 * ceiling is where the first begins to lose.
 *
 * See Documentation/mm/kernel_tlb.rst.
 */
#define pr_fmt(fmt) "kernel_tlb: " fmt

#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kernel_tlb.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/sysctl.h>

#include "kernel_tlb_ranges.h"

#define CREATE_TRACE_POINTS
#include <trace/events/kernel_tlb.h>

/*
 * Pages. Zero at first, so that the flushes of early boot are full ones: some
 * architectures know their TLB only after they have read the device tree.
 */
static unsigned int kernel_tlb_flush_ceiling __read_mostly;

static bool ceiling_on_command_line __initdata;

static unsigned long current_ceiling(void)
{
	return READ_ONCE(kernel_tlb_flush_ceiling);
}

/*
 * Until the scheduler runs, a per-CPU counter may still live in the template
 * that every CPU's area is copied from: one early flush would count once per
 * CPU.
 */
static void count_flush(unsigned long pages, bool all)
{
	if (system_state < SYSTEM_SCHEDULING)
		return;

	count_vm_event(KERNEL_TLB_FLUSH_CALLS);
	if (all) {
		count_vm_event(KERNEL_TLB_FLUSH_ALL);
		return;
	}
	count_vm_event(KERNEL_TLB_FLUSH_RANGES);
	count_vm_events(KERNEL_TLB_FLUSH_PAGES, pages);
}

static void flush_ranges(const struct kernel_tlb_range *ranges, unsigned int nr,
			 unsigned long pages, unsigned long ceiling,
			 unsigned long caller)
{
	bool all = kernel_tlb_exceeds(pages, ceiling);

	if (!pages)
		return;

	if (all)
		arch_flush_tlb_kernel_all();
	else
		arch_flush_tlb_kernel_ranges(ranges, nr);

	count_flush(pages, all);
	trace_kernel_tlb_flush(caller, all ? 0 : nr, pages, ceiling, all);
}

/**
 * flush_tlb_kernel_range - drop the translations of a range of kernel addresses
 * @start: first byte, rounded down to a page
 * @end: first byte behind the range, rounded up to a page
 *
 * Afterwards no CPU uses a translation of the range that was in the page tables
 * before the call. An empty or inverted range does nothing; one of more pages
 * than vm.kernel_tlb_flush_ceiling drops everything.
 *
 * Context: as arch_flush_tlb_kernel_ranges(); adds no restriction of its own.
 */
void flush_tlb_kernel_range(unsigned long start, unsigned long end)
{
	struct kernel_tlb_range range;
	unsigned long pages = kernel_tlb_range_set(&range, start, end);

	flush_ranges(&range, 1, pages, current_ceiling(), _RET_IP_);
}

/**
 * kernel_tlb_batch_init - begin to collect ranges for one flush
 * @batch: to initialise
 *
 * Reads the ceiling, so that collection and flush decide by the same value.
 */
void kernel_tlb_batch_init(struct kernel_tlb_batch *batch)
{
	kernel_tlb_ranges_init(batch, current_ceiling());
}

/**
 * kernel_tlb_batch_add - collect a range of kernel addresses
 * @batch: to add to
 * @start: first byte, rounded down to a page
 * @end: first byte behind the range, rounded up to a page
 *
 * The range must be unmapped before the batch is flushed, and not be freed or
 * reused until then. The caller serialises access to @batch.
 *
 * Return: false once the flush will be a full one. The caller may stop
 * collecting then, which bounds the cost by the ceiling instead of by the
 * number of areas.
 */
bool kernel_tlb_batch_add(struct kernel_tlb_batch *batch,
			  unsigned long start, unsigned long end)
{
	return kernel_tlb_ranges_add(batch, start, end);
}

/**
 * kernel_tlb_batch_flush - drop the translations of all that was collected
 * @batch: what was collected; flushed once, then to be initialised again
 * @start: lowest address collected, unused here
 * @end: highest address collected, unused here
 *
 * What flush_tlb_kernel_range() is for one range, with one round of IPIs or one
 * barrier sequence for them all. The span is what architectures without
 * ARCH_HAS_FLUSH_TLB_KERNEL_RANGES flush.
 *
 * Context: as flush_tlb_kernel_range().
 */
void kernel_tlb_batch_flush(struct kernel_tlb_batch *batch,
			    unsigned long start, unsigned long end)
{
	flush_ranges(batch->ranges, batch->nr, batch->pages, batch->ceiling,
		     _RET_IP_);
}

static int __init kernel_tlb_flush_ceiling_param(char *arg)
{
	unsigned int pages;

	if (!arg || kstrtouint(arg, 0, &pages)) {
		pr_warn("kernel_tlb_flush_ceiling=%s is not a number of pages, ignored\n",
			arg ?: "");
		return 0;
	}
	kernel_tlb_flush_ceiling = pages;
	ceiling_on_command_line = true;
	return 0;
}
early_param("kernel_tlb_flush_ceiling", kernel_tlb_flush_ceiling_param);

/* Not const: register_sysctl_init() takes a const table only since 6.13. */
static struct ctl_table kernel_tlb_sysctls[] = {
	{
		.procname	= "kernel_tlb_flush_ceiling",
		.data		= &kernel_tlb_flush_ceiling,
		.maxlen		= sizeof(kernel_tlb_flush_ceiling),
		.mode		= 0644,
		.proc_handler	= proc_douintvec,
	},
};

/* More than a batch has ranges would let it close gaps that it need not. */
static unsigned int __init usual_ceiling(void)
{
	unsigned int pages = ARCH_KERNEL_TLB_CEILING;

	if (pages == KERNEL_TLB_NEVER_ALL)
		return pages;
	return min_t(unsigned int, pages, KERNEL_TLB_BATCH_RANGES);
}

/* There is nothing to tune where one of the two ways does not exist. */
static void __init fix_ceiling(unsigned int pages)
{
	if (ceiling_on_command_line)
		pr_warn("kernel_tlb_flush_ceiling= has no effect on this CPU\n");
	kernel_tlb_flush_ceiling = pages;
	pr_info("flush %s\n", pages == KERNEL_TLB_NEVER_ALL ?
		"each range, however large" : "everything, however small the range");
}

static int __init kernel_tlb_init(void)
{
	unsigned int pages = usual_ceiling();

	if (pages == KERNEL_TLB_NEVER_ALL || pages == KERNEL_TLB_ALWAYS_ALL) {
		fix_ceiling(pages);
		return 0;
	}
	if (!ceiling_on_command_line)
		kernel_tlb_flush_ceiling = pages;
	register_sysctl_init("vm", kernel_tlb_sysctls);
	pr_info("flush everything above %u pages\n", kernel_tlb_flush_ceiling);
	return 0;
}
core_initcall(kernel_tlb_init);
