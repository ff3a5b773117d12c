/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in. */
#ifndef EXPORT_SYMBOL
#define EXPORT_SYMBOL(name)	struct name##_is_exported
#endif
