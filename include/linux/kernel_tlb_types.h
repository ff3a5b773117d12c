/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KERNEL_TLB_TYPES_H
#define _LINUX_KERNEL_TLB_TYPES_H

#include <linux/types.h>

/*
 * How many separate ranges a batch holds before it has to close gaps. No
 * default ceiling is larger but KERNEL_TLB_NEVER_ALL, so that with defaults
 * every batch that is flushed range by range holds exactly what was added. The
 * batch takes 532 bytes of stack on 32 bit, 1064 on 64 bit.
 */
#define KERNEL_TLB_BATCH_RANGES	64

/**
 * struct kernel_tlb_range - kernel addresses whose translations must go
 * @start: first byte, page aligned
 * @end: first byte behind the range, page aligned, never 0
 */
struct kernel_tlb_range {
	unsigned long start;
	unsigned long end;
};

/**
 * struct kernel_tlb_batch - ranges that one flush will invalidate
 * @pages: pages in @ranges; more than @ceiling, or KERNEL_TLB_EVERYTHING, once
 *	   the batch stands for everything. Ranges are disjoint, so that the sum
 *	   cannot overflow.
 * @ceiling: pages, read once so that a concurrent sysctl write cannot split the
 *	     decision
 * @nr: entries of @ranges in use
 * @ranges: sorted, with at least one page between neighbours. The spare entry
 *	    lets a range go in first and a gap be closed afterwards.
 *
 * Ends up on the stack of whoever collects, or under vmap_purge_lock.
 */
struct kernel_tlb_batch {
	unsigned long pages;
	unsigned long ceiling;
	unsigned int nr;
	struct kernel_tlb_range ranges[KERNEL_TLB_BATCH_RANGES + 1];
};

#endif /* _LINUX_KERNEL_TLB_TYPES_H */
