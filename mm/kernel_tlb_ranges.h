/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MM_KERNEL_TLB_RANGES_H
#define _MM_KERNEL_TLB_RANGES_H

#include <linux/kernel_tlb_types.h>
#include <linux/limits.h>

/*
 * The page count of a range that reaches the top of the address space. Such a
 * range has no representable end, and no page count is that large.
 */
#define KERNEL_TLB_EVERYTHING	ULONG_MAX

/**
 * kernel_tlb_exceeds - is a flush of that many pages a flush of everything?
 * @pages: from kernel_tlb_range_set() or a batch
 * @ceiling: pages
 *
 * The one place that compares with the ceiling. KERNEL_TLB_EVERYTHING stands by
 * itself because a ceiling of UINT_MAX has the same value on 32 bit.
 *
 * Return: true if everything is to be flushed.
 */
static inline bool kernel_tlb_exceeds(unsigned long pages, unsigned long ceiling)
{
	return pages == KERNEL_TLB_EVERYTHING || pages > ceiling;
}

unsigned long kernel_tlb_range_set(struct kernel_tlb_range *range,
				   unsigned long start, unsigned long end);
void kernel_tlb_ranges_init(struct kernel_tlb_batch *batch, unsigned long ceiling);
bool kernel_tlb_ranges_add(struct kernel_tlb_batch *batch,
			   unsigned long start, unsigned long end);

#endif /* _MM_KERNEL_TLB_RANGES_H */
