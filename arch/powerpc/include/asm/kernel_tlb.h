/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_POWERPC_KERNEL_TLB_H
#define _ASM_POWERPC_KERNEL_TLB_H

#include <asm/mmu.h>

/*
 * Pages.
 *
 * Book3S 32-bit with a hash table: an entry of the hash table is found by its
 * address only, and one that stays behind is loaded again. Dropping everything
 * is walking the page tables of the whole kernel, which costs more than any
 * ranges in it.
 *
 * 603: _tlbia() is 32 times tlbie, one for each set of its TLBs.
 *
 * 8xx: both ways are one instruction. tlbia takes with it what else is in the
 * two TLBs of 32 entries, each of which is then loaded by software again; no
 * more than 32 pages of a range can be in the one for data.
 *
 * 44x, 47x, e500 and Book3E 64-bit: the kernel's translations go all at once,
 * by PID or by a sweep.
 */
#if defined(CONFIG_PPC_BOOK3S_32)
#define ARCH_KERNEL_TLB_CEILING \
	(mmu_has_feature(MMU_FTR_HPTE_TABLE) ? KERNEL_TLB_NEVER_ALL : 32)
#elif defined(CONFIG_PPC_8xx)
#define ARCH_KERNEL_TLB_CEILING	32
#else
#define ARCH_KERNEL_TLB_CEILING	KERNEL_TLB_ALWAYS_ALL
#endif

#endif /* _ASM_POWERPC_KERNEL_TLB_H */
