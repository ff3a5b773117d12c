/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_NIOS2_KERNEL_TLB_H
#define _ASM_NIOS2_KERNEL_TLB_H

#include <asm/cpuinfo.h>

/*
 * Pages. There is no operation that finds a translation: one page costs a look
 * at every way of the line that it maps to, and as many lines as there are cost
 * what a pass over the whole TLB costs. With 16 ways that is 18 writes and 17
 * reads of control registers per page, against 33 writes per line, so they break
 * even at 0.94 pages per line; 16 lines of 16 ways are what the 10M50 board has.
 */
#define ARCH_KERNEL_TLB_CEILING	cpuinfo.tlb_num_lines

#endif /* _ASM_NIOS2_KERNEL_TLB_H */
