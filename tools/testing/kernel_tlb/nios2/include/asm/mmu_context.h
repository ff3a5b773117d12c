/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in. */
#ifndef NIOS2_MMU_CONTEXT_H
#define NIOS2_MMU_CONTEXT_H

#include <linux/mm.h>

#include <asm/registers.h>

static inline unsigned long get_pid_from_context(mm_context_t *context)
{
	return *context & TLBMISC_PID_MASK;
}

#endif
