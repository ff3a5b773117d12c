// SPDX-License-Identifier: GPL-2.0
/*
 * How csky drops kernel translations; mm/kernel_tlb.c says which.
 *
 * An entry of the TLB holds two pages. Kernel page tables are filled with the
 * global bit from the start, so both halves of a pair are global.
 */
#include <linux/irqflags.h>
#include <linux/kernel_tlb.h>
#include <linux/minmax.h>
#include <linux/mmu_context.h>

#include <asm/tlbflush.h>

#define ENTRY_SIZE	(2 * PAGE_SIZE)
#define ENTRY_MASK	(~(ENTRY_SIZE - 1))

/* The entries of a range: no address is behind the last one of them all. */
static unsigned long first_entry(const struct kernel_tlb_range *range)
{
	return range->start & ENTRY_MASK;
}

static unsigned long nr_entries(const struct kernel_tlb_range *range)
{
	return ((range->end - 1) / ENTRY_SIZE) - (range->start / ENTRY_SIZE) + 1;
}

#ifdef CONFIG_CPU_HAS_TLBI

static void drop_entries(unsigned long addr, unsigned long nr)
{
	for (; nr; nr--, addr += ENTRY_SIZE)
		asm volatile("tlbi.vaas %0" : : "r" (addr) : "memory");
}

/* The instructions are broadcast; sync.i waits for them on all CPUs. */
void arch_flush_tlb_kernel_ranges(const struct kernel_tlb_range *ranges,
				  unsigned int nr)
{
	const struct kernel_tlb_range *r;

	sync_is();
	for (r = ranges; r < ranges + nr; r++)
		drop_entries(first_entry(r), nr_entries(r));
	asm volatile("sync.i" : : : "memory");
}

#else /* !CONFIG_CPU_HAS_TLBI */

/* Entries, at four register accesses each, for which interrupts are held off. */
#define CHUNK	16UL

/*
 * ENTRYHI has the operand of a probe and the ASID that the CPU runs with, so
 * interrupts stay off from the first write to the one that restores it.
 */
static void drop_chunk(unsigned long addr, unsigned long nr)
{
	unsigned long flags, asid;

	local_irq_save(flags);
	asid = read_mmu_entryhi() & ASID_MASK;
	for (; nr; nr--, addr += ENTRY_SIZE) {
		write_mmu_entryhi(addr | asid);
		tlb_probe();
		if (read_mmu_index() >= 0)
			tlb_invalid_indexed();
	}
	/* Only a change of the ASID drops the micro-TLBs. */
	write_mmu_entryhi(asid + 1);
	write_mmu_entryhi(asid);
	local_irq_restore(flags);
}

static void drop_entries(unsigned long addr, unsigned long nr)
{
	unsigned long now;

	for (; nr; nr -= now, addr += now * ENTRY_SIZE) {
		now = min(nr, CHUNK);
		drop_chunk(addr, now);
	}
}

void arch_flush_tlb_kernel_ranges(const struct kernel_tlb_range *ranges,
				  unsigned int nr)
{
	const struct kernel_tlb_range *r;

	for (r = ranges; r < ranges + nr; r++)
		drop_entries(first_entry(r), nr_entries(r));
}

#endif /* CONFIG_CPU_HAS_TLBI */

void arch_flush_tlb_kernel_all(void)
{
	flush_tlb_all();
}
