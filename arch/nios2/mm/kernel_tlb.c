// SPDX-License-Identifier: GPL-2.0
/*
 * How nios2 drops kernel translations; mm/kernel_tlb.c says which.
 *
 * The TLB is read and written through PTEADDR, TLBMISC and TLBACC, which the
 * CPU itself overwrites when it misses. So an interrupt in between would turn
 * the rest of a scan to another line. The code below cannot miss: kernel text,
 * stacks and data are in the region that is not translated.
 */
#include <linux/irqflags.h>
#include <linux/kernel_tlb.h>

#include <asm/cpuinfo.h>
#include <asm/page.h>
#include <asm/registers.h>
#include <asm/tlbflush.h>

#define VPN_SHIFT	2	/* of PTEADDR */
#define VPN_MASK	(~0UL >> PAGE_SHIFT)

/* The TLB never looks up what is not translated, which is from here to the top. */
#define UNTRANSLATED	0xc0000000UL

/* Leaves the PID of the entry in TLBMISC and its page in PTEADDR. */
static unsigned long read_vpn(unsigned int way)
{
	WRCTL(CTL_TLBMISC, TLBMISC_RD | (way << TLBMISC_WAY_SHIFT));
	return (RDCTL(CTL_PTEADDR) >> VPN_SHIFT) & VPN_MASK;
}

/*
 * An address in the same line that is never looked up. The way stands in for
 * the PID, so that no two entries have the same tag.
 */
static void kill_entry(unsigned long addr, unsigned int way)
{
	WRCTL(CTL_TLBMISC, TLBMISC_WE | (way << TLBMISC_WAY_SHIFT) |
	      (way << TLBMISC_PID_SHIFT));
	WRCTL(CTL_PTEADDR, (addr | UNTRANSLATED) >> PAGE_SHIFT << VPN_SHIFT);
	WRCTL(CTL_TLBACC, 0);
}

/* Every way, whatever its PID: the kernel's pages have that of who missed. */
static void kernel_tlb_drop_page(unsigned long addr)
{
	unsigned long flags, misc;
	unsigned int way;

	/* A line at a time: about fifty control register accesses. */
	local_irq_save(flags);
	misc = RDCTL(CTL_TLBMISC) & (TLBMISC_PID | TLBMISC_WAY);
	WRCTL(CTL_PTEADDR, addr >> PAGE_SHIFT << VPN_SHIFT);
	for (way = 0; way < cpuinfo.tlb_num_ways; way++)
		if (read_vpn(way) == addr >> PAGE_SHIFT)
			kill_entry(addr, way);
	WRCTL(CTL_TLBMISC, misc);
	local_irq_restore(flags);
}

void arch_flush_tlb_kernel_ranges(const struct kernel_tlb_range *ranges,
				  unsigned int nr)
{
	const struct kernel_tlb_range *r;
	unsigned long addr;

	for (r = ranges; r < ranges + nr; r++)
		for (addr = r->start; addr < r->end; addr += PAGE_SIZE)
			kernel_tlb_drop_page(addr);
}

void arch_flush_tlb_kernel_all(void)
{
	flush_tlb_all();
}
