/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the models of all MMUs have in common: the pages of a test, interrupts, and
 * what was seen to go wrong. Included by <arch>/mmu.h, which defines the rules
 * (enum rule), KERNEL_PAGE and TRANSLATED_PAGES, and an interrupt().
 */
#ifndef MODEL_H
#define MODEL_H

#include "oracle.h"
#include "tap.h"

#define MAX_LISTED_PAGES	4096

/* What a test asks, and what it is told. */
static struct {
	struct rng rng;

	/* What is being flushed: ranges, or everything if there are none. */
	const struct kernel_tlb_range *range;
	unsigned int nr_ranges;
	uint32_t unmapped[MAX_LISTED_PAGES];	/* some of their pages */
	uint32_t mapped[MAX_LISTED_PAGES];	/* pages outside that stay mapped */
	unsigned int nr_unmapped, nr_mapped;
	bool switching;			/* interrupts may change the process */

	/* What was seen. */
	char broken[NR_RULES][160];
	uint64_t lookups, hits, interrupts;
	unsigned int masked, longest_masked;	/* register accesses with interrupts off */
	unsigned int irq_changes;
} t;

static bool irqs_on;

static inline void broken(enum rule rule, const char *fmt, ...)
{
	va_list ap;

	if (t.broken[rule][0])
		return;
	va_start(ap, fmt);
	vsnprintf(t.broken[rule], sizeof(t.broken[rule]), fmt, ap);
	va_end(ap);
}

/* Is one of these pages flushed? In pages, so that nothing wraps. */
static inline bool is_flushed(uint32_t first, uint32_t last)
{
	unsigned int i;

	for (i = 0; i < t.nr_ranges; i++)
		if (first_page(t.range[i].start) <= last &&
		    first <= last_page(t.range[i].end))
			return true;
	return !t.nr_ranges;
}

/* ---- page tables ---- */

#define PTE_MAPPED	1
#define PTE_STALE	2		/* unmapped, but a walk may have read it before */
#define PTE_NOT_GLOBAL	4		/* a kernel page of one process only */

static uint8_t pte[1 << 20];

/* ---- interrupts ---- */

static void interrupt(void);

static inline bool model_irqs_on(void)
{
	return irqs_on;
}

/* Returns what was before. In the kernel the flags are a word, here they are this. */
static inline bool model_irqs_set(bool on)
{
	bool before = irqs_on;

	t.irq_changes++;
	if (before)
		interrupt();
	irqs_on = on;
	if (before && !on)
		t.masked = 0;
	if (!before && on) {
		if (t.longest_masked < t.masked)
			t.longest_masked = t.masked;
		interrupt();
	}
	return before;
}

static inline void use_register(void)
{
	if (irqs_on) {
		broken(IRQS, "an MMU register is used with interrupts on");
		interrupt();
	}
	t.masked++;
}

#endif
