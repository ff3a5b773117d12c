/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shipped mm/kernel_tlb_ranges.c, compiled for an address space of ADDR_BITS
 * bits. A 32-bit one needs no 32-bit compiler or C library: after the system's
 * headers, `unsigned long` is made to mean `unsigned int` for that one file.
 */
#ifndef UNDER_TEST_H
#define UNDER_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ADDR_BITS
#error "build with -DADDR_BITS=32 or -DADDR_BITS=64"
#endif

#define KERNEL_TLB_UNDER_TEST
#if ADDR_BITS == 32
#define long int
#endif
typedef unsigned long addr_t;
#include <kernel_tlb_ranges.c>
#if ADDR_BITS == 32
#undef long
#endif
#undef KERNEL_TLB_UNDER_TEST

_Static_assert(sizeof(addr_t) * 8 == ADDR_BITS, "this compiler's long has another width");

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define ADDR_MAX	((addr_t)-1)
#define NR_PAGES	((uint64_t)1 << (ADDR_BITS - PAGE_SHIFT))

/* The addresses of page @n, and of the page that no half-open range can reach. */
#define P(n)		((addr_t)((addr_t)(n) << PAGE_SHIFT))
#define TOP		P(NR_PAGES - 1)

#endif
