/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: nothing of it is used. */
