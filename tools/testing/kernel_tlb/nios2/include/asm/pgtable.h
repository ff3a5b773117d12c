/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: a page table entry is what TLBACC gets. */
#ifndef NIOS2_PGTABLE_H
#define NIOS2_PGTABLE_H

typedef struct { unsigned long pte; } pte_t;

#define pte_val(x)		((x).pte)

#define _PAGE_GLOBAL		0x0100000
#define _PAGE_EXEC		0x0200000
#define _PAGE_WRITE		0x0400000
#define _PAGE_READ		0x0800000
#define _PAGE_CACHED		0x1000000

#endif
