/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in. */
#include <asm/registers.h>
#include <asm/tlbflush.h>
