/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in. C libraries include a file of this name for PATH_MAX, so
 * it hides the system's only while the code under test is being compiled.
 */
#ifdef KERNEL_TLB_UNDER_TEST
#undef ULONG_MAX
#define ULONG_MAX	((addr_t)-1)
#else
#include_next <linux/limits.h>
#endif
