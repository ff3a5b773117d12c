/* SPDX-License-Identifier: GPL-2.0 */
/*
 * or1k without an operating system: linked at 0xc0000000, loaded at 0.  TLB
 * operations with and without translation of instructions; then a "." on the
 * serial line.
 */
	.equ	SR, 17
	.equ	EPCR, 32
	.equ	ESR, 64
	.equ	SR_IME, 0x40
	.equ	DTLBEIR, 0x802
	.equ	DTLBMR, 0xa00
	.equ	DTLBTR, 0xa80
	.equ	ITLBEIR, 0x1002
	.equ	ITLBMR, 0x1200
	.equ	ITLBTR, 0x1280

	.text
	.org	0x100
	.globl	_stext
_stext:
	/* a page of code: 0xc0000000 is 0, to be executed by the supervisor */
	l.movhi	r3, 0xc000
	l.ori	r3, r3, 1
	l.mtspr	r0, r3, ITLBMR
	l.ori	r3, r0, 0x40
	l.mtspr	r0, r3, ITLBTR
	l.movhi	r3, hi(virtual)
	l.ori	r3, r3, lo(virtual)
	l.mtspr	r0, r3, EPCR
	l.mfspr	r4, r0, SR
	l.ori	r4, r4, SR_IME
	l.mtspr	r0, r4, ESR
	l.rfe

	.globl	virtual
virtual:
	l.jal	vm_unmap_aliases
	 l.nop
	l.jal	flush
	 l.nop
	l.jal	vm_unmap_aliases
	 l.nop
	/* off again, in real mode */
	l.movhi	r3, hi(real)
	l.ori	r3, r3, lo(real)
	l.movhi	r4, 0x3fff
	l.ori	r4, r4, 0xffff
	l.and	r3, r3, r4
	l.mtspr	r0, r3, EPCR
	l.mfspr	r4, r0, SR
	l.addi	r5, r0, -65
	l.and	r4, r4, r5
	l.mtspr	r0, r4, ESR
	l.rfe

	.globl	real
real:
	l.ori	r6, r0, 1000
1:	l.mtspr	r6, r0, DTLBMR
	l.mtspr	r6, r0, DTLBTR
	l.jal	vm_unmap_aliases
	 l.nop
	l.addi	r6, r6, -1
	l.sfne	r6, r0
	l.bf	1b
	 l.nop
	l.movhi	r3, 0x9000
	l.ori	r4, r0, '.'
	l.sb	0(r3), r4
2:	l.j	2b
	 l.nop

	.globl	vm_unmap_aliases
vm_unmap_aliases:
	l.jr	r9
	 l.nop

	/* 63 of each; set 0 translates this very code */
	.globl	flush
flush:
	l.ori	r6, r0, 63
	l.movhi	r7, 0xd000
1:	l.mtspr	r6, r0, ITLBMR
	l.mtspr	r6, r0, DTLBMR
	l.addi	r7, r7, 0x2000
	l.mtspr	r0, r7, DTLBEIR
	l.mtspr	r0, r7, ITLBEIR
	l.addi	r6, r6, -1
	l.sfne	r6, r0
	l.bf	1b
	 l.nop
	l.jr	r9
	 l.nop
	.globl	_etext
_etext:
