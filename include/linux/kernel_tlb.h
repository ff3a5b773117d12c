/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KERNEL_TLB_H
#define _LINUX_KERNEL_TLB_H

/*
 * Invalidation of kernel translations: the contract between mm/ and arch/.
 *
 *	flush_tlb_kernel_range(start, end) --+
 *	kernel_tlb_batch_flush(batch) -------+--> mm/kernel_tlb.c: align, merge, count
 *
 *		no pages		nothing
 *		at most the ceiling	arch_flush_tlb_kernel_ranges(ranges, nr)
 *		more			arch_flush_tlb_kernel_all()
 *
 * mm/ decides, an architecture only invalidates. One that selects
 * ARCH_HAS_FLUSH_TLB_KERNEL_RANGES supplies the two functions and
 * ARCH_KERNEL_TLB_CEILING, the pages above which the second is the cheaper one;
 * flush_tlb_kernel_range() then comes from mm/kernel_tlb.c. For all
 * others a batch is empty at compile time and its flush is one
 * flush_tlb_kernel_range() of the merged span, as ever.
 *
 * Ordering, the same for either function: page table stores that precede the
 * call are visible to every page table walk that follows the invalidation, and
 * when the call returns no CPU uses a translation that it dropped. So a caller
 * unmaps, flushes, and only then frees or reuses, in that order.
 */

#include <linux/limits.h>
#include <linux/mm.h>	/* which some asm/tlbflush.h expect */

#include <asm/tlbflush.h>

#ifdef CONFIG_ARCH_HAS_FLUSH_TLB_KERNEL_RANGES

#include <linux/kernel_tlb_types.h>

/*
 * ARCH_KERNEL_TLB_CEILING is an expression, evaluated once, when core_initcalls
 * run; until then every flush is a full one. Two of its values say that there is
 * only one way, and thus nothing to tune: no operation on single pages, or none
 * on everything that costs less than all ranges together.
 */
#define KERNEL_TLB_ALWAYS_ALL	0U
#define KERNEL_TLB_NEVER_ALL	UINT_MAX

#ifndef ARCH_KERNEL_TLB_CEILING
#error "asm/tlbflush.h lacks the kernel_tlb hook: it must define ARCH_KERNEL_TLB_CEILING"
#endif

/**
 * arch_flush_tlb_kernel_ranges - drop the translations of some ranges
 * @ranges: sorted, disjoint, page aligned
 * @nr: entries in @ranges, at least 1
 *
 * Drops them on every CPU with a single round of inter-processor interrupts or
 * a single barrier sequence, however many ranges there are. May drop more, but
 * never a locked or bolted entry.
 *
 * Context: any in which flush_tlb_kernel_range() is legal on the architecture:
 * on ARM with interrupts disabled where no IPI is needed, and on the boot CPU
 * before the others run. Does not sleep, allocate or take locks.
 */
void arch_flush_tlb_kernel_ranges(const struct kernel_tlb_range *ranges,
				  unsigned int nr);

/**
 * arch_flush_tlb_kernel_all - drop every translation of the kernel
 *
 * At least as strong as arch_flush_tlb_kernel_ranges() of any ranges: on every
 * CPU, ordered no weaker, with the same work-arounds. flush_tlb_all() is not
 * that on every architecture, so mm/ never calls it.
 *
 * Context: as arch_flush_tlb_kernel_ranges().
 */
void arch_flush_tlb_kernel_all(void);

void kernel_tlb_batch_init(struct kernel_tlb_batch *batch);
bool kernel_tlb_batch_add(struct kernel_tlb_batch *batch,
			  unsigned long start, unsigned long end);
void kernel_tlb_batch_flush(struct kernel_tlb_batch *batch,
			    unsigned long start, unsigned long end);

#else /* !CONFIG_ARCH_HAS_FLUSH_TLB_KERNEL_RANGES */

/*
 * The caller's min/max span says all that a single flush_tlb_kernel_range()
 * can use. These compile to nothing, down to the pointer to the batch.
 */
struct kernel_tlb_batch { };

static inline void kernel_tlb_batch_init(struct kernel_tlb_batch *batch)
{
}

static inline bool kernel_tlb_batch_add(struct kernel_tlb_batch *batch,
					unsigned long start, unsigned long end)
{
	return false;
}

static inline void kernel_tlb_batch_flush(struct kernel_tlb_batch *batch,
					  unsigned long start, unsigned long end)
{
	flush_tlb_kernel_range(start, end);
}

#endif /* CONFIG_ARCH_HAS_FLUSH_TLB_KERNEL_RANGES */

#endif /* _LINUX_KERNEL_TLB_H */
