/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: memmove() is the C library's. */
#include <string.h>
