/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: the part of the kernel's header that the range logic uses. */
#include <stdbool.h>
#include <stddef.h>
