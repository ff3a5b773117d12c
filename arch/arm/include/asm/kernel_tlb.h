/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of asm/tlbflush.h, which includes it where tlb_op() and tlb_flag() are
 * defined: what arch/arm/mm/kernel_tlb.c is made of.
 */
#ifndef _ASMARM_TLBFLUSH_H
#error "include <asm/tlbflush.h> instead"
#endif

/*
 * Pages; the size of the main TLB of the ARM926, and of the Cortex-A9 at its
 * smallest (Cortex-A5 and A7 have 128 and 256 entries, A15 has 512). To drop
 * more pages than the TLB has entries one by one cannot win on these. At
 * the 11 to 21 ns that one broadcast operation cost in the report, 64 of them
 * bound a flush to about a microsecond.
 */
#define ARCH_KERNEL_TLB_CEILING	64

/*
 * The tlb-*.S range functions bring their barriers along: two DSBs and an ISB
 * per call on v6 and v7, on v4wb the whole I-TLB as well. A batch pays for them
 * once, between kernel_tlb_begin() and kernel_tlb_end().
 *
 * "ish" on v7 as in tlb-v7.S: where the operations are broadcast, the barriers
 * have to wait for the other CPUs, too. Before v7 the argument has no meaning.
 */
static inline void kernel_tlb_begin(void)
{
	const unsigned int __tlb_flag = __cpu_tlb_flags;

	if (tlb_flag(TLB_WB))
		dsb(ish);

	/* v4wb cannot drop single I-TLB entries. */
	if (!tlb_flag(TLB_V4_I_PAGE))
		tlb_op(TLB_V4_I_FULL, "c8, c5, 0", 0);
}

static inline void kernel_tlb_end(void)
{
	const unsigned int __tlb_flag = __cpu_tlb_flags;

	if (tlb_flag(TLB_BARRIER)) {
		dsb(ish);
		isb();
	}
}

static inline void kernel_tlb_drop_page(unsigned long addr)
{
	const unsigned int __tlb_flag = __cpu_tlb_flags;

	tlb_op(TLB_V4_U_PAGE | TLB_V6_U_PAGE, "c8, c7, 1", addr);
	tlb_op(TLB_V4_D_PAGE | TLB_V6_D_PAGE, "c8, c6, 1", addr);
	tlb_op(TLB_V4_I_PAGE | TLB_V6_I_PAGE, "c8, c5, 1", addr);
#ifdef CONFIG_ARM_ERRATA_720789
	tlb_op(TLB_V7_UIS_PAGE, "c8, c3, 3", addr);
#else
	tlb_op(TLB_V7_UIS_PAGE, "c8, c3, 1", addr);
#endif
}

#ifdef CONFIG_SMP
void broadcast_tlb_a15_erratum(void);
#else
static inline void broadcast_tlb_a15_erratum(void) { }
#endif
