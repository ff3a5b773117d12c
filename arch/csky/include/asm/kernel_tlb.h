/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ASM_CSKY_KERNEL_TLB_H
#define __ASM_CSKY_KERNEL_TLB_H

/*
 * Pages. An entry holds two, so this is 32 to 64 entries, depending on how the
 * pages lie, out of 1024 on the CK860 and 128 on the others. With TLBI an entry
 * costs one instruction, without it three or four control register accesses;
 * everything costs one or three, and then up to 128 or 1024 misses that must be
 * served again, at a few dozen instructions each where software does it. So the
 * break-even is near the size of the TLB: csky once fell back at half of it. 64
 * is the most that a batch takes without closing gaps.
 */
#define ARCH_KERNEL_TLB_CEILING	64

#endif /* __ASM_CSKY_KERNEL_TLB_H */
