/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: of what it brings, only this is used. */
#ifndef NIOS2_PAGEMAP_H
#define NIOS2_PAGEMAP_H

/* Of a width of long that is not the host's: nothing that printf() could print. */
static inline void pr_debug(const char *fmt, ...)
{
	(void)fmt;
}

#endif
