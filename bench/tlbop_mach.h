/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instructions tlbops looks for, one table per architecture.  The first
 * row that matches decides; one without a name says that it is none of them.
 * Pure, so that the self-test can feed it the words of a real assembler.
 */
#ifndef TLBCOUNT_TLBOP_MACH_H
#define TLBCOUNT_TLBOP_MACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MACH_MAX_OPS	32

enum opclass {
	OP_PAGE,	/* drops one page by address */
	OP_FULL,	/* drops all there is */
	OP_PID,		/* drops one address space, as the kernel's */
	OP_ENTRY,	/* overwrites one entry: drops the old, may add a new one */
	OP_OTHER,	/* drops nothing by itself */
	OP_CLASSES,
};

static const char *const opclass_names[OP_CLASSES] = { "page", "full", "pid", "entry", "other" };

struct machop {
	uint32_t mask, match;
	const char *kind;
	enum opclass class;
};

struct machine {
	const char *name;
	bool big_endian;
	const struct machop *op;
	unsigned int nr_ops;
};

/* wrctl ctlN, rA; any rA */
#define WRCTL(n)	0x07ffffffu, 0x3au | (n) << 6 | 0x2eu << 11

static const struct machop nios2_ops[] = {
	{ WRCTL(8), "pteaddr", OP_OTHER },
	{ WRCTL(9), "tlbacc", OP_ENTRY },
	{ WRCTL(10), "tlbmisc", OP_OTHER },
};

/* Opcode 31 with an extended one; the record bit and operands are free. */
#define X31(xo)		0xfc0007feu, 0x7c000000u | (xo) << 1
#define X31_RS_RA(xo)	0xffff07feu, 0x7c000000u | (xo) << 1	/* rS and rA 0 */
#define X31_RB(xo, b)	0xfc00fffeu, 0x7c000000u | (xo) << 1 | (b) << 11
#define X31_T(xo, t)	0xfc6007feu, 0x7c000000u | (xo) << 1 | (t) << 21
#define MTSPR(spr)	0xfc1ffffeu, 0x7c0003a6u | ((spr) & 31) << 16 | ((spr) >> 5) << 11
#define SPRN_MMUCSR0	1012u

static const struct machop ppc_ops[] = {
	{ X31(306), "tlbie", OP_PAGE },
	{ X31(370), "tlbia", OP_FULL },
	{ X31(566), "tlbsync", OP_OTHER },
	{ X31_T(18, 0u), "tlbilxlpid", OP_FULL },
	{ X31_T(18, 1u), "tlbilxpid", OP_PID },
	{ X31_T(18, 3u), "tlbilxva", OP_PAGE },
	{ X31(786), "tlbivax", OP_PAGE },
	/*
	 * "tlbwe" (e500) and "tlbwe rS,rA,0" (40x, 44x: the word with the valid
	 * bit) write an entry; words 1 and 2 complete one.  "tlbld rB" (603)
	 * has the opcode of tlbwe, and with r0 its very encoding.
	 */
	{ X31_RS_RA(978), "tlbwe", OP_ENTRY },
	{ X31_RB(978, 1u), "tlbwe_data", OP_OTHER },
	{ X31_RB(978, 2u), "tlbwe_data", OP_OTHER },
	{ X31(978), "tlbwe", OP_ENTRY },
	{ X31(1010), "tlbli", OP_ENTRY },
	{ X31(914), "tlbsx", OP_OTHER },
	{ X31(946), "tlbre", OP_OTHER },
	{ MTSPR(SPRN_MMUCSR0), "mmucsr0", OP_FULL },
};

/*
 * l.mtspr rA,rB,K writes SPR number rA | K.  Where K says which register of
 * the group, rA holds the set at most.
 */
#define L_MTSPR(mask, k)	0xfc000000u | (mask) >> 11 << 21 | ((mask) & 0x7ff), \
				0xc0000000u | (k) >> 11 << 21 | ((k) & 0x7ff)
#define SPR(k)			L_MTSPR(0xffffu, k)
#define WAYS(base, kind, class)						\
	{ L_MTSPR(0xff80u, (base) + 0x000u), kind, class },		\
	{ L_MTSPR(0xff80u, (base) + 0x100u), kind, class },		\
	{ L_MTSPR(0xff80u, (base) + 0x200u), kind, class },		\
	{ L_MTSPR(0xff80u, (base) + 0x300u), kind, class }

static const struct machop or1k_ops[] = {
	{ SPR(0x0802u), "dtlbeir", OP_PAGE },
	{ SPR(0x1002u), "itlbeir", OP_PAGE },
	WAYS(0x0a00u, "dtlbmr", OP_ENTRY),
	WAYS(0x0a80u, "dtlbtr", OP_OTHER),
	WAYS(0x1200u, "itlbmr", OP_ENTRY),
	WAYS(0x1280u, "itlbtr", OP_OTHER),
	/* rA is r0: the number is K, and none of these */
	{ 0xfc1f0000u, 0xc0000000u, NULL, OP_OTHER },
	/* the rest of the number is in a register: it may be one of these */
	{ SPR(0x0000u), "mtspr_reg", OP_OTHER },
	{ SPR(0x0800u), "mtspr_reg", OP_OTHER },
	{ SPR(0x1000u), "mtspr_reg", OP_OTHER },
};

#define MACHINE(name, be) { #name, be, name##_ops, sizeof(name##_ops) / sizeof(name##_ops[0]) }

static const struct machine machines[] = {
	MACHINE(nios2, false),
	MACHINE(ppc, true),
	MACHINE(or1k, true),
};

#define NR_MACHINES (sizeof(machines) / sizeof(machines[0]))
_Static_assert(sizeof(or1k_ops) / sizeof(or1k_ops[0]) <= MACH_MAX_OPS, "MACH_MAX_OPS");
_Static_assert(sizeof(ppc_ops) / sizeof(ppc_ops[0]) <= MACH_MAX_OPS, "MACH_MAX_OPS");

static inline const struct machine *machine_find(const char *name)
{
	for (size_t i = 0; i < NR_MACHINES; i++)
		if (!strcmp(machines[i].name, name))
			return &machines[i];
	return NULL;
}

/* The first row with the kind of @w, so that it can be an index; -1 if none. */
static inline int machop_decode(const struct machine *m, uint32_t w)
{
	for (unsigned int i = 0; i < m->nr_ops; i++) {
		if ((w & m->op[i].mask) != m->op[i].match)
			continue;
		if (!m->op[i].kind)
			return -1;
		for (unsigned int j = 0; j < i; j++)
			if (m->op[j].kind && !strcmp(m->op[j].kind, m->op[i].kind))
				return (int)j;
		return (int)i;
	}
	return -1;
}

#endif
