/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __ASM_OPENRISC_KERNEL_TLB_H
#define __ASM_OPENRISC_KERNEL_TLB_H

#include <asm/spr.h>
#include <asm/spr_defs.h>

/*
 * Pages. One costs two register writes, one for each TLB, and everything costs
 * two for each set, so more pages than sets cannot win. 64 sets are what the
 * OR1200 has and mor1kx by default, QEMU has 128.
 */
#define ARCH_KERNEL_TLB_CEILING \
	(1U << ((mfspr(SPR_DMMUCFGR) & SPR_DMMUCFGR_NTS) >> SPR_DMMUCFGR_NTS_OFF))

#endif /* __ASM_OPENRISC_KERNEL_TLB_H */
