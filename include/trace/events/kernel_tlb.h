/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kernel_tlb

#if !defined(_TRACE_KERNEL_TLB_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_KERNEL_TLB_H

#include <linux/tracepoint.h>

/**
 * kernel_tlb_flush - kernel translations were invalidated
 * @caller: who asked for it
 * @ranges: separate ranges invalidated, 0 for "all"
 * @pages: pages in these ranges. Collection ends with the range that exceeds
 *	   the ceiling, so that for "all" this is what was seen until then, and
 *	   ULONG_MAX for what reaches the top of the address space.
 * @ceiling: pages, as it was when collection began
 * @all: everything was invalidated instead of the ranges
 *
 * Fires once per flush, after it.
 */
TRACE_EVENT(kernel_tlb_flush,

	TP_PROTO(unsigned long caller, unsigned int ranges, unsigned long pages,
		 unsigned long ceiling, bool all),

	TP_ARGS(caller, ranges, pages, ceiling, all),

	TP_STRUCT__entry(
		__field(unsigned long, caller)
		__field(unsigned long, pages)
		__field(unsigned long, ceiling)
		__field(unsigned int, ranges)
		__field(bool, all)
	),

	TP_fast_assign(
		__entry->caller = caller;
		__entry->pages = pages;
		__entry->ceiling = ceiling;
		__entry->ranges = ranges;
		__entry->all = all;
	),

	TP_printk("caller=%pS ranges=%u pages=%lu ceiling=%lu what=%s",
		  (void *)__entry->caller, __entry->ranges, __entry->pages,
		  __entry->ceiling, __entry->all ? "all" : "ranges")
);

#endif /* _TRACE_KERNEL_TLB_H */

#include <trace/define_trace.h>
