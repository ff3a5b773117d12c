// SPDX-License-Identifier: GPL-2.0
/*
 * The range arithmetic of kernel TLB flushing, and nothing else: no locks, no
 * allocation, no other kernel code. It also builds in userspace, where
 * tools/testing/kernel_tlb checks it against a bitmap.
 *
 * A translation that is missed here is memory corruption later, one too many is
 * a few nanoseconds. So every doubtful input rounds towards more.
 */
#include <linux/kernel_tlb_types.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <asm/page.h>

#include "kernel_tlb_ranges.h"

/**
 * kernel_tlb_range_set - round addresses to a page range and count its pages
 * @range: where the rounded range goes; untouched unless there are pages to count
 * @start: first byte
 * @end: first byte behind the range; 0 is the top of the address space
 *
 * Rounds outwards before it counts: counting first hides the partial page at
 * the end from the ceiling, and rounding the end down leaves it stale.
 *
 * Return: pages in @range; 0 if the addresses are empty or inverted, as are 0..0
 * and ULONG_MAX..0, with which min/max loops begin; KERNEL_TLB_EVERYTHING if
 * they reach into the last page of the address space.
 */
unsigned long kernel_tlb_range_set(struct kernel_tlb_range *range,
				   unsigned long start, unsigned long end)
{
	if (!end && start && start != ULONG_MAX)
		return KERNEL_TLB_EVERYTHING;
	if (start >= end)
		return 0;

	start &= PAGE_MASK;
	end = (end + PAGE_SIZE - 1) & PAGE_MASK;
	if (!end)
		return KERNEL_TLB_EVERYTHING;

	range->start = start;
	range->end = end;
	return (end - start) >> PAGE_SHIFT;
}

static unsigned long range_pages(const struct kernel_tlb_range *range)
{
	return (range->end - range->start) >> PAGE_SHIFT;
}

static unsigned long gap_behind(const struct kernel_tlb_range *range)
{
	return range[1].start - range[0].end;
}

/* Make entries @from.. begin at @to instead. */
static void move_entries(struct kernel_tlb_batch *batch, unsigned int to,
			 unsigned int from)
{
	memmove(&batch->ranges[to], &batch->ranges[from],
		(batch->nr - from) * sizeof(batch->ranges[0]));
	batch->nr += to - from;
}

/* The cheapest way to have one range less: its price is the pages of one gap. */
static void close_smallest_gap(struct kernel_tlb_batch *batch)
{
	struct kernel_tlb_range *r = batch->ranges;
	unsigned int i, best = 0;

	for (i = 1; i < batch->nr - 1; i++)
		if (gap_behind(&r[i]) < gap_behind(&r[best]))
			best = i;

	batch->pages += gap_behind(&r[best]) >> PAGE_SHIFT;
	r[best].end = r[best + 1].end;
	move_entries(batch, best + 1, best + 2);
}

/**
 * kernel_tlb_ranges_init - begin an empty batch
 * @batch: to initialise; the entries themselves need no clearing
 * @ceiling: pages above which the batch stands for everything
 */
void kernel_tlb_ranges_init(struct kernel_tlb_batch *batch, unsigned long ceiling)
{
	batch->pages = 0;
	batch->ceiling = ceiling;
	batch->nr = 0;
}

/**
 * kernel_tlb_ranges_add - add a range to a batch
 * @batch: to add to
 * @start: first byte
 * @end: first byte behind the range
 *
 * Ranges may come in any order and may overlap; overlapping and adjacent ones
 * become one. Ascending order costs one comparison per range, any other order
 * at most a scan of KERNEL_TLB_BATCH_RANGES entries. A full batch closes its
 * smallest gap, whose pages count like any that were added.
 *
 * Return: false once the batch stands for everything: nothing that is added
 * from there on can matter, and the caller may stop collecting.
 */
bool kernel_tlb_ranges_add(struct kernel_tlb_batch *batch,
			   unsigned long start, unsigned long end)
{
	struct kernel_tlb_range new;
	unsigned int first, next;
	unsigned long pages;

	if (kernel_tlb_exceeds(batch->pages, batch->ceiling))
		return false;

	pages = kernel_tlb_range_set(&new, start, end);
	if (!pages)
		return true;
	if (pages == KERNEL_TLB_EVERYTHING) {
		batch->pages = pages;
		return false;
	}

	/* Entries first..next-1 overlap the new range or touch it. */
	first = batch->nr;
	while (first && batch->ranges[first - 1].end >= new.start)
		first--;
	for (next = first; next < batch->nr; next++) {
		struct kernel_tlb_range *old = &batch->ranges[next];

		if (old->start > new.end)
			break;
		if (old->start < new.start)
			new.start = old->start;
		if (old->end > new.end)
			new.end = old->end;
		batch->pages -= range_pages(old);
	}

	move_entries(batch, first + 1, next);
	batch->ranges[first] = new;
	batch->pages += range_pages(&new);
	if (kernel_tlb_exceeds(batch->pages, batch->ceiling))
		return false;
	if (batch->nr > KERNEL_TLB_BATCH_RANGES)
		close_smallest_gap(batch);

	return !kernel_tlb_exceeds(batch->pages, batch->ceiling);
}
