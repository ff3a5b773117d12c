/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program for QEMU's "virt" machine with two CPUs and no operating system.
 * It executes a known number of TLB operations, on both CPUs at a time, and
 * powers off.  Function names are those the plugin watches in a kernel.
 */
	.arch	armv7-a
	.arch_extension virt
	.arm
	.text

	.equ	PSCI_CPU_ON, 0x84000003
	.equ	PSCI_SYSTEM_OFF, 0x84000008
	.equ	PAGES, 100000
	.equ	TLB_FLAG_SMP, 0x200000
	.equ	TLB_FLAGS_UP, 0x1200

	.globl	_stext
_stext:
	bl	flush_tlb_all		@ before the marker: not counted
	orr	r10, r10, r10
	ldr	r0, =PSCI_CPU_ON
	mov	r1, #1
	ldr	r2, =second_cpu
	mov	r3, #0
	hvc	#0
	bl	pages
	ldr	r4, =done
1:	ldr	r0, [r4]
	cmp	r0, #0
	beq	1b
	bl	flush_tlb_all
	bl	mixed
	orr	r11, r11, r11
	bl	flush_tlb_all		@ after the marker: not counted
	ldr	r0, =PSCI_SYSTEM_OFF
	hvc	#0
	b	.

	.globl	second_cpu
second_cpu:
	bl	pages
	ldr	r4, =done
	mov	r0, #1
	str	r0, [r4]
2:	wfi
	b	2b

	.globl	pages
pages:
	mov	r6, lr
	mov	r0, #0x10000000
	ldr	r1, =0x10000000 + PAGES * 4096
	bl	v7wbi_flush_kern_tlb_range
	mov	r0, #0x10000000
	add	r1, r0, #4096
	bl	v7wbi_flush_kern_tlb_range
	bx	r6
	.ltorg

	.globl	v7wbi_flush_kern_tlb_range
v7wbi_flush_kern_tlb_range:
	dsb	ish
1:	mcr	p15, 0, r0, c8, c3, 3
	add	r0, r0, #4096
	cmp	r0, r1
	blo	1b
	dsb	ish
	bx	lr

	.globl	flush_tlb_all
flush_tlb_all:
	mov	r0, #0
	mcr	p15, 0, r0, c8, c3, 0
	dsb	ish
	bx	lr

	.globl	mixed
mixed:
	mov	r0, #0
	mov	r3, #TLB_FLAG_SMP
	mcr	p15, 0, r0, c8, c7, 0
	mcr	p15, 0, r0, c8, c7, 1
	mcr	p15, 0, r0, c8, c7, 3
	mcr	p15, 0, r0, c8, c3, 2
	mcr	p15, 0, r0, c8, c7, 2
	tst	r3, #TLB_FLAGS_UP
	mcrne	p15, 0, r0, c8, c7, 0
	tst	r3, #TLB_FLAG_SMP
	mcrne	p15, 0, r0, c8, c3, 0
	bx	lr

	.globl	_etext
_etext:
	.data
	.globl	done
done:	.word	0
