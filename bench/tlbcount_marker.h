/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks the part of a guest program that tlbcount shall measure.  Each call
 * executes one instruction that changes nothing and that no compiler emits, so
 * the program also runs without the plugin, on hardware too.
 *
 * The plugin knows the A32 encoding only; distributions compile for Thumb by
 * default, hence the attribute.
 */
#ifndef TLBCOUNT_MARKER_H
#define TLBCOUNT_MARKER_H

/* Zero all counters and count from here. */
__attribute__((target("arm"), noinline, unused))
static void tlbcount_start(void)
{
	__asm__ volatile("orr r10, r10, r10" : : : "memory");
}

/* Keep the counters as they are until the next start. */
__attribute__((target("arm"), noinline, unused))
static void tlbcount_stop(void)
{
	__asm__ volatile("orr r11, r11, r11" : : : "memory");
}

#endif
