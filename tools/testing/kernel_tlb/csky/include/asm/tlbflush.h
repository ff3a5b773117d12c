/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in. The header that says the ceiling is the shipped one. */
#ifndef CSKY_TLBFLUSH_H
#define CSKY_TLBFLUSH_H

#include <asm/kernel_tlb.h>

struct mm_struct;
struct vm_area_struct;

void flush_tlb_all(void);
void flush_tlb_mm(struct mm_struct *mm);
void flush_tlb_page(struct vm_area_struct *vma, unsigned long page);
void flush_tlb_range(struct vm_area_struct *vma, unsigned long start, unsigned long end);
void flush_tlb_kernel_range(unsigned long start, unsigned long end);
void flush_tlb_one(unsigned long vaddr);

#endif
