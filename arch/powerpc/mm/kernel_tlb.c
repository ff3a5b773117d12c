// SPDX-License-Identifier: GPL-2.0
/*
 * How powerpc drops kernel translations; mm/kernel_tlb.c says which.
 *
 * Not on Book3S 64-bit. There a flush of kernel translations by radix takes the
 * page walk cache along, which callers that free page tables rely on, and hash
 * has no work to do. See Documentation/mm/kernel_tlb.rst.
 */
#include <linux/kernel_tlb.h>
#include <linux/mm.h>
#include <linux/smp.h>

#include <asm/tlbflush.h>

#include <mm/mmu_decl.h>

#if defined(CONFIG_PPC_BOOK3S_32) || defined(CONFIG_PPC_8xx)

/* One sync for them all. Uniprocessors: nobody else can be issuing tlbie. */
static void tlbie_ranges(const struct kernel_tlb_range *ranges, unsigned int nr)
{
	const struct kernel_tlb_range *r;
	unsigned long addr;

	for (r = ranges; r < ranges + nr; r++)
		for (addr = r->start; addr < r->end; addr += PAGE_SIZE)
			asm volatile("tlbie %0" : : "r" (addr) : "memory");
	asm volatile("sync" : : : "memory");
}

#endif

#if defined(CONFIG_PPC_BOOK3S_32)

/* Also removes the entries of the hash table, which are broadcast. */
static void hash_drop_ranges(const struct kernel_tlb_range *ranges,
			     unsigned int nr)
{
	const struct kernel_tlb_range *r;

	for (r = ranges; r < ranges + nr; r++)
		hash__flush_range(&init_mm, r->start, r->end);
}

void arch_flush_tlb_kernel_ranges(const struct kernel_tlb_range *ranges,
				  unsigned int nr)
{
	if (mmu_has_feature(MMU_FTR_HPTE_TABLE))
		hash_drop_ranges(ranges, nr);
	else
		tlbie_ranges(ranges, nr);
}

/* With a hash table only for ranges that reach the top of the address space. */
void arch_flush_tlb_kernel_all(void)
{
	if (mmu_has_feature(MMU_FTR_HPTE_TABLE))
		hash__flush_range(&init_mm, TASK_SIZE, ULONG_MAX);
	else
		_tlbia();
}

#elif defined(CONFIG_PPC_8xx)

void arch_flush_tlb_kernel_ranges(const struct kernel_tlb_range *ranges,
				  unsigned int nr)
{
	tlbie_ranges(ranges, nr);
}

void arch_flush_tlb_kernel_all(void)
{
	_tlbil_all();
}

#else /* 44x, 47x, e500, Book3E 64-bit */

static void ipi_drop_all(void *unused)
{
	_tlbil_pid(0);
}

/* A range would cost as much: mm/ asks for everything, whatever there is. */
void arch_flush_tlb_kernel_ranges(const struct kernel_tlb_range *ranges,
				  unsigned int nr)
{
	arch_flush_tlb_kernel_all();
}

void arch_flush_tlb_kernel_all(void)
{
	on_each_cpu(ipi_drop_all, NULL, 1);
}

#endif
