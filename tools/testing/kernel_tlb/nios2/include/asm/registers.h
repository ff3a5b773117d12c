/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in. Numbers and fields are those of the Nios II Processor
 * Reference Guide, the registers are the model's.
 */
#ifndef NIOS2_REGISTERS_H
#define NIOS2_REGISTERS_H

#include <asm/cpuinfo.h>

#define CTL_PTEADDR		8
#define CTL_TLBACC		9
#define CTL_TLBMISC		10

#define RDCTL(reg)		nios2_rdctl(reg)
#define WRCTL(reg, value)	nios2_wrctl(reg, value)

#define TLBMISC_PID_SHIFT	4
#define TLBMISC_PID_MASK	((1u << cpuinfo.tlb_pid_num_bits) - 1)
#define TLBMISC_PID		(TLBMISC_PID_MASK << TLBMISC_PID_SHIFT)
#define TLBMISC_WE		0x40000
#define TLBMISC_RD		0x80000
#define TLBMISC_WAY_SHIFT	20
#define TLBMISC_WAY_MASK	0xf
#define TLBMISC_WAY		(TLBMISC_WAY_MASK << TLBMISC_WAY_SHIFT)

#endif
