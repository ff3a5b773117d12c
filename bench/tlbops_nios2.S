/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nios2 without an operating system, where the kernel is: in the region that
 * is not translated.  TLB operations; then a "." on the serial line.
 */
	.text
	.globl	_stext
_stext:
	call	vm_unmap_aliases
	movi	r6, 1000
	movia	r7, 0x00400000
	call	flush
	call	vm_unmap_aliases
	wrctl	pteaddr, r7
	movia	r3, 0xf8001600
	movi	r4, '.'
	stwio	r4, 0(r3)
2:	br	2b

	.globl	vm_unmap_aliases
vm_unmap_aliases:
	ret

	.globl	flush
flush:
	movia	r4, 0x00040000
1:	wrctl	pteaddr, r7
	wrctl	tlbmisc, r4
	rdctl	r5, tlbmisc
	wrctl	tlbacc, r0
	wrctl	tlbmisc, r0
	addi	r6, r6, -1
	bne	r6, r0, 1b
	ret
	.globl	_etext
_etext:
