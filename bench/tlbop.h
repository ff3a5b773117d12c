/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decoding of the few ARM (A32) instructions tlbcount looks for.  Pure, so the
 * self-test can feed it encodings; nothing here knows about QEMU.
 */
#ifndef TLBCOUNT_TLBOP_H
#define TLBCOUNT_TLBOP_H

#include <stdbool.h>
#include <stdint.h>

enum tlbop_kind {
	TLBOP_PAGE_BC,
	TLBOP_PAGE_LOCAL,
	TLBOP_FULL_BC,
	TLBOP_FULL_LOCAL,
	TLBOP_ASID_BC,
	TLBOP_ASID_LOCAL,
	TLBOP_OTHER,
	TLBOP_KINDS,
	TLBOP_NONE = TLBOP_KINDS,
};

#define COND_NE		0x1u
#define COND_AL		0xeu
#define COND_NV		0xfu	/* not a condition: another instruction space */

/*
 * No compiler emits an orr of a register with itself, and none of the two
 * words is a single instruction when read as Thumb.
 */
#define MARK_START	0xe18aa00au	/* orr r10, r10, r10 */
#define MARK_STOP	0xe18bb00bu	/* orr r11, r11, r11 */

static inline unsigned int insn_cond(uint32_t w)
{
	return w >> 28;
}

static inline enum tlbop_kind tlbop_decode(uint32_t w)
{
	unsigned int crm = w & 15, opc2 = (w >> 5) & 7;
	bool bc = crm == 3;

	if ((w & 0x0fff0f10) != 0x0e080f10 || insn_cond(w) == COND_NV)
		return TLBOP_NONE;
	if (crm != 3 && crm != 5 && crm != 6 && crm != 7)
		return TLBOP_OTHER;
	switch (opc2) {
	case 0:
		return bc ? TLBOP_FULL_BC : TLBOP_FULL_LOCAL;
	case 1:
	case 3:
		return bc ? TLBOP_PAGE_BC : TLBOP_PAGE_LOCAL;
	case 2:
		return bc ? TLBOP_ASID_BC : TLBOP_ASID_LOCAL;
	default:
		return TLBOP_OTHER;
	}
}

static inline bool tlbop_is_full(enum tlbop_kind k)
{
	return k == TLBOP_FULL_BC || k == TLBOP_FULL_LOCAL;
}

static inline bool tlbop_is_page(enum tlbop_kind k)
{
	return k == TLBOP_PAGE_BC || k == TLBOP_PAGE_LOCAL;
}

static inline bool tlbop_is_broadcast(enum tlbop_kind k)
{
	return k == TLBOP_PAGE_BC || k == TLBOP_FULL_BC || k == TLBOP_ASID_BC;
}

/* "tst rN, #imm", always executed: stores the immediate. */
static inline bool insn_is_tst_imm(uint32_t w, uint32_t *imm)
{
	unsigned int rot = ((w >> 8) & 15) * 2;
	uint32_t v = w & 0xff;

	if ((w & 0xfff00000) != 0xe3100000)
		return false;
	*imm = rot ? v >> rot | v << (32 - rot) : v;
	return true;
}

enum leave_kind {
	LEAVE_NO,
	LEAVE_RETURN,		/* return, or a jump through a register */
	LEAVE_BRANCH,		/* direct branch: leaves if the target is outside */
};

/*
 * Does @w hand control out of a function?  @prev is the word before it, 0 if
 * unknown: "mov lr, pc" in front makes an indirect jump a call (ARMv4).
 */
static inline enum leave_kind insn_leaves(uint32_t w, uint32_t prev, uint32_t pc,
					  uint32_t *target)
{
	if (insn_cond(w) == COND_NV)
		return LEAVE_NO;
	if ((w & 0x0f000000) == 0x0a000000) {
		/* imm24 is in words and relative to the instruction plus 8 */
		*target = pc + 8 + ((uint32_t)((int32_t)(w << 8) >> 6));
		return LEAVE_BRANCH;
	}
	if ((w & 0x0ffffff0) == 0x012fff10 ||	/* bx rM */
	    (w & 0x0ffffff0) == 0x01a0f000)	/* mov pc, rM */
		return prev == 0xe1a0e00f ? LEAVE_NO : LEAVE_RETURN;
	if ((w & 0x0e108000) == 0x08108000 ||	/* ldm with pc */
	    (w & 0x0fffffff) == 0x049df004)	/* ldr pc, [sp], #4 */
		return LEAVE_RETURN;
	return LEAVE_NO;
}

#endif
