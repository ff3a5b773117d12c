/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in for asm/mmu_context.h, abi/ckmmu.h and sync_is(): the
 * registers and instructions are the model's.
 */
#ifndef CSKY_MMU_CONTEXT_H
#define CSKY_MMU_CONTEXT_H

#include <asm/page.h>
#include <asm/tlbflush.h>

#define ASID_MASK		((1 << CONFIG_CPU_ASID_BITS) - 1)
#define cpu_asid(mm)		((mm)->context & ASID_MASK)

static inline int read_mmu_index(void)
{
	return csky_read_index();
}

static inline int read_mmu_entryhi(void)
{
	return csky_read_entryhi();
}

static inline void write_mmu_entryhi(int value)
{
	csky_write_entryhi(value);
}

static inline void tlb_probe(void)
{
	csky_probe();
}

static inline void tlb_invalid_indexed(void)
{
	csky_invalid_indexed();
}

#ifdef CONFIG_CPU_HAS_TLBI

static inline void sync_is(void)
{
	model_asm("sync.is\nsync.is\nsync.is\n", 0);
}

static inline void tlb_invalid_all(void)
{
	sync_is();
	model_asm("tlbi.alls\nsync.i\n", 0);
}

static inline void local_tlb_invalid_all(void)
{
	sync_is();
	model_asm("tlbi.all\nsync.i\n", 0);
}

#else

static inline void tlb_invalid_all(void)
{
	csky_invalid_all();
}

static inline void local_tlb_invalid_all(void)
{
	tlb_invalid_all();
}

#endif

#endif
