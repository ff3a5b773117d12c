/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in. The header that says the ceiling is the shipped one. */
#ifndef NIOS2_TLBFLUSH_H
#define NIOS2_TLBFLUSH_H

#include <asm/kernel_tlb.h>
#include <asm/pgtable.h>

struct mm_struct;
struct vm_area_struct;

void flush_tlb_all(void);
void flush_tlb_mm(struct mm_struct *mm);
void flush_tlb_pid(unsigned long pid);
void flush_tlb_range(struct vm_area_struct *vma, unsigned long start, unsigned long end);
void reload_tlb_page(struct vm_area_struct *vma, unsigned long addr, pte_t pte);
void dump_tlb(void);
void dump_tlb_line(unsigned long line);
void set_mmu_pid(unsigned long pid);

#endif
