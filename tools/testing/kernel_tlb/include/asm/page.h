/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in. addr_t instead of 1UL: a literal keeps the host's width,
 * whatever address width is being tested.
 */
#ifndef PAGE_SHIFT
#define PAGE_SHIFT	12
#endif
#define PAGE_SIZE	((addr_t)1 << PAGE_SHIFT)
#define PAGE_MASK	(~(PAGE_SIZE - 1))
