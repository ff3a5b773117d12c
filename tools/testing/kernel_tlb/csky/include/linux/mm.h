/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: what arch/csky/mm/tlb.c knows of a process. */
#ifndef CSKY_MM_H
#define CSKY_MM_H

struct mm_struct {
	unsigned long asid;
};

struct vm_area_struct {
	struct mm_struct *vm_mm;
};

#endif
