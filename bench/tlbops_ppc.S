/* SPDX-License-Identifier: GPL-2.0 */
/*
 * powerpc 405 without an operating system: linked at 0xc1000000, loaded at
 * 0x1000000.  TLB operations with and without translation; then a reset.
 */
	.equ	MSR_IR, 0x20
	.equ	DBCR0, 1010
	.equ	SRR0, 26
	.equ	SRR1, 27
	.machine "405"
	.text
	.globl	_stext
_stext:
	tlbia
	/* 16 MiB: 0xc1000000 is 0x1000000, to be written and executed */
	lis	3, 0xc100
	ori	3, 3, 0x3c0
	lis	4, 0x100
	ori	4, 4, 0x300
	li	5, 0
	tlbwe	4, 5, 1
	tlbwe	3, 5, 0
	lis	3, virtual@h
	ori	3, 3, virtual@l
	mtspr	SRR0, 3
	li	4, MSR_IR
	mtspr	SRR1, 4
	rfi

	.globl	virtual
virtual:
	bl	vm_unmap_aliases
	bl	flush
	bl	vm_unmap_aliases
	/* off again */
	lis	3, (real - 0xc0000000)@h
	ori	3, 3, (real - 0xc0000000)@l
	mtspr	SRR0, 3
	li	4, 0
	mtspr	SRR1, 4
	rfi

	.globl	real
real:
	li	6, 1000
1:	tlbia
	tlbsync
	bl	vm_unmap_aliases
	addic.	6, 6, -1
	bne	1b
	lis	3, 0x3000
	mtspr	DBCR0, 3
2:	b	2b

	.globl	vm_unmap_aliases
vm_unmap_aliases:
	blr

	/* entries 63 to 1; 0 translates this very code */
	.globl	flush
flush:
	li	4, 63
	li	3, 0
1:	tlbwe	3, 4, 1
	tlbwe	3, 4, 0
	tlbsx.	6, 0, 3
	addic.	4, 4, -1
	bne	1b
	blr
	.globl	_etext
_etext:
