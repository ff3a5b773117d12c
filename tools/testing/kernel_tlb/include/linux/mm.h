/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: what an mm/tlb.c knows of a process. */
#ifndef MM_H
#define MM_H

typedef unsigned long mm_context_t;

struct mm_struct {
	mm_context_t context;
};

struct vm_area_struct {
	struct mm_struct *vm_mm;
};

#endif
