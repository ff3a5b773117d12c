/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of the csky MMU, as far as arch/csky relies on it, with everything that
 * can go wrong going wrong:
 *
 * - A joint TLB whose entries hold two pages, an ASID and a global bit, and in
 *   front of it an I- and a D-micro-TLB, which are filled from it.
 * - ENTRYHI holds the page of the latest miss or of a probe, and the ASID that
 *   the CPU runs with. Commands in MCIR reach the joint TLB only; what drops the
 *   micro-TLBs is a change of the ASID (so arch/csky/mm/tlb.c).
 * - With TLBI, instructions reach all of these on all CPUs, but when they do is
 *   known only after a sync.i; and a walk may have read its page table entry at any
 *   time since the last sync.is.
 * - Whenever interrupts are on, one comes: it misses on other addresses and may
 *   leave the CPU to a process with another ASID.
 * - Between any two steps the CPU fetches ahead from the pages being flushed.
 *
 * Sizes are those of arch/csky/kernel/ptrace.c, the associativity is a guess.
 */
#ifndef CSKY_MMU_H
#define CSKY_MMU_H

#ifdef CONFIG_CPU_HAS_TLBI
#define CONFIG_CPU_ASID_BITS	12
#define CPUS			4
#define JTLB_ENTRIES		1024
#else
#define CONFIG_CPU_ASID_BITS	8
#define CPUS			1
#define JTLB_ENTRIES		128
#endif
#define JTLB_WAYS		4
#define JTLB_SETS		(JTLB_ENTRIES / JTLB_WAYS)
#define UTLB_ENTRIES		16
#define PENDING			8

#define KERNEL_PAGE		0x80000		/* PAGE_OFFSET_80000000 */
#define TRANSLATED_PAGES	NR_PAGES
#define ASID_BITS		((1u << CONFIG_CPU_ASID_BITS) - 1)
#define NO_INDEX		0x80000000u
#define ALL_PAGES		0xffffffffu
#define NO_PAIR			0xfffffffeu

enum rule { STALE = 1, OTHERS, ASID, IRQS, BARRIERS, NR_RULES };

static const char * const rule_name[NR_RULES] = {
	[STALE] = "c1: no page that was flushed translates",
	[OTHERS] = "c2: nothing else is dropped, no entry is looked up twice",
	[ASID] = "c3: the CPU has its ASID in every interrupt and afterwards",
#ifdef CONFIG_CPU_HAS_TLBI
	[IRQS] = "c4: interrupts stay as they are",
	[BARRIERS] = "c5: one sync.is before the first, one sync.i behind the last",
#else
	[IRQS] = "c4: interrupts are off when registers are used, for a chunk at most",
#endif
};

#include "../model.h"

/* The barriers that were seen. */
static struct {
	unsigned int sync_is, sync_i;
	bool unfinished;		/* a TLBI without a sync.i behind it */
} barriers;

/* ---- page tables ---- */

static inline bool walk_finds(uint32_t page)
{
	return pte[page] & (PTE_MAPPED | PTE_STALE);
}

/* Also of pages that are not mapped: csky fills its tables with the global bit. */
static inline bool is_global(uint32_t page)
{
	return page >= KERNEL_PAGE && !(pte[page] & PTE_NOT_GLOBAL);
}

/* ---- TLBs ---- */

struct entry {
	bool valid, global, holds[2];
	uint32_t pair, asid;
};

enum unit { I_UTLB, D_UTLB, NR_UTLBS };

struct cpu {
	uint32_t entryhi, index;
	uint32_t asid;			/* of the process that runs */
	struct entry jtlb[JTLB_ENTRIES];	/* set by set */
	struct entry utlb[NR_UTLBS][UTLB_ENTRIES];
	unsigned int next_way, next_utlb[NR_UTLBS];
	uint32_t pending[PENDING];	/* broadcasts that it has not obeyed yet */
	unsigned int nr_pending;
};

static struct cpu cpus[CPUS];
static struct cpu *self;		/* the one that flushes */

static inline bool matches(const struct entry *e, uint32_t pair, uint32_t asid)
{
	return e->valid && e->pair == pair && (e->global || e->asid == asid);
}

static inline struct entry *jtlb_set(struct cpu *c, uint32_t pair)
{
	return &c->jtlb[pair / 2 % JTLB_SETS * JTLB_WAYS];
}

static inline struct entry *jtlb_find(struct cpu *c, uint32_t pair, uint32_t asid)
{
	struct entry *set = jtlb_set(c, pair);
	unsigned int i;

	for (i = 0; i < JTLB_WAYS; i++)
		if (matches(&set[i], pair, asid))
			return &set[i];
	return NULL;
}

static inline struct entry *jtlb_victim(struct cpu *c, uint32_t pair)
{
	struct entry *set = jtlb_set(c, pair);
	unsigned int i;

	for (i = 0; i < JTLB_WAYS; i++)
		if (!set[i].valid)
			return &set[i];
	return &set[c->next_way++ % JTLB_WAYS];
}

static inline struct entry *utlb_find(struct cpu *c, enum unit u, uint32_t pair)
{
	unsigned int i;

	for (i = 0; i < UTLB_ENTRIES; i++)
		if (c->utlb[u][i].valid && c->utlb[u][i].pair == pair)
			return &c->utlb[u][i];
	return NULL;
}

static inline void utlb_drop(struct cpu *c, uint32_t pair)
{
	unsigned int unit, i;

	for (unit = 0; unit < NR_UTLBS; unit++)
		for (i = 0; i < UTLB_ENTRIES; i++)
			if (pair == ALL_PAGES || c->utlb[unit][i].pair == pair)
				c->utlb[unit][i].valid = false;
}

static inline void jtlb_drop(struct entry *e)
{
	if (e->valid && !is_flushed(e->pair, e->pair + 1))
		broken(OTHERS, "page %#x is dropped from the joint TLB", e->pair);
	e->valid = false;
}

static inline void set_entryhi(struct cpu *c, uint32_t value)
{
	uint32_t old = c->entryhi;

	c->entryhi = value & (P(NR_PAGES - 1) | ASID_BITS);
	if ((c->entryhi ^ old) & ASID_BITS)
		utlb_drop(c, ALL_PAGES);
}

/* What an access leaves in the TLBs: nothing if the page is not mapped. */
static inline void fill(struct cpu *c, enum unit u, uint32_t page)
{
	uint32_t pair = page & ~1u, asid = c->entryhi & ASID_BITS;
	struct entry *e;

	if (utlb_find(c, u, pair))
		return;
	e = jtlb_find(c, pair, asid);
	if (!e) {
		if (!walk_finds(page))
			return;
		e = jtlb_victim(c, pair);
		*e = (struct entry){
			.valid = true, .pair = pair, .asid = asid,
			.global = is_global(pair) && is_global(pair + 1),
			.holds = { walk_finds(pair), walk_finds(pair + 1) },
		};
	}
	c->utlb[u][c->next_utlb[u]++ % UTLB_ENTRIES] = *e;
}

/* An access of the program: a miss leaves its page in ENTRYHI. */
static inline void touch(struct cpu *c, enum unit u, uint32_t page)
{
	if (!utlb_find(c, u, page & ~1u) &&
	    !jtlb_find(c, page & ~1u, c->entryhi & ASID_BITS))
		set_entryhi(c, P(page) | (c->entryhi & ASID_BITS));
	fill(c, u, page);
}

/* One random number a statement: compilers differ in the order within one. */
static inline enum unit any_unit(void)
{
	return below(&t.rng, NR_UTLBS);
}

static inline void fetch_ahead(void)
{
	unsigned int i;

	for (i = 0; i < CPUS && t.nr_unmapped; i++) {
		enum unit u = any_unit();

		fill(&cpus[i], u, t.unmapped[below(&t.rng, t.nr_unmapped)]);
	}
}

/* ---- interrupts ---- */

/* ASIDs of processes that run here, and of others. None is in both. */
static const uint32_t running_asids[] = { 2, 0, ASID_BITS - 1, ASID_BITS };
static const uint32_t other_asids[] = { 1, 3, 5, ASID_BITS / 2 };

static inline void check_asid(const char *when)
{
	if ((self->entryhi & ASID_BITS) != self->asid)
		broken(ASID, "ENTRYHI has ASID %#x instead of %#x %s",
		       self->entryhi & ASID_BITS, self->asid, when);
}

static void interrupt(void)
{
	unsigned int i;

	t.interrupts++;
	check_asid("when an IRQ comes");
	for (i = 0; i < 3 && t.nr_mapped; i++) {
		enum unit u = any_unit();

		touch(self, u, t.mapped[below(&t.rng, t.nr_mapped)]);
	}
	if (t.switching && one_in(&t.rng, 4)) {
		self->asid = running_asids[below(&t.rng, ARRAY_SIZE(running_asids))];
		set_entryhi(self, P(below(&t.rng, NR_PAGES)) | self->asid);
	}
}

/* ---- registers ---- */

static inline void use_mmu_register(void)
{
	use_register();
	fetch_ahead();
}

static inline uint32_t csky_read_entryhi(void)
{
	use_mmu_register();
	return self->entryhi;
}

static inline void csky_write_entryhi(uint32_t value)
{
	use_mmu_register();
	set_entryhi(self, value);
}

static inline uint32_t csky_read_index(void)
{
	use_mmu_register();
	return self->index;
}

/* What the odd page of an entry finds is nowhere documented: here, nothing. */
static inline void csky_probe(void)
{
	struct entry *e;

	use_mmu_register();
	e = jtlb_find(self, first_page(self->entryhi), self->entryhi & ASID_BITS);
	t.lookups++;
	t.hits += !!e;
	self->index = e ? e - self->jtlb : NO_INDEX;
}

static inline void csky_invalid_indexed(void)
{
	use_mmu_register();
	if (self->index & NO_INDEX)
		broken(OTHERS, "an entry is dropped after a probe that found none");
	else
		jtlb_drop(&self->jtlb[self->index]);
}

static inline void csky_invalid_all(void)
{
	unsigned int i;

	use_mmu_register();
	for (i = 0; i < JTLB_ENTRIES; i++)
		jtlb_drop(&self->jtlb[i]);
}

/* ---- instructions ---- */

/* Entries of any ASID. */
static inline void obey(struct cpu *c, uint32_t pair)
{
	struct entry *e = pair == ALL_PAGES ? c->jtlb : jtlb_set(c, pair);
	struct entry *end = e + (pair == ALL_PAGES ? JTLB_ENTRIES : JTLB_WAYS);

	for (; e < end; e++) {
		if (e->valid && (pair == ALL_PAGES || e->pair == pair)) {
			t.hits++;
			jtlb_drop(e);
		}
	}
	utlb_drop(c, pair);
}

static inline void obey_pending(struct cpu *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_pending; i++)
		obey(c, c->pending[i]);
	c->nr_pending = 0;
}

static inline void tlbi(bool broadcast, uint32_t pair)
{
	unsigned int i;

	if (!barriers.sync_is)
		broken(BARRIERS, "no sync.is in front of a TLBI");
	barriers.unfinished = true;
	t.lookups++;
	for (i = 0; i < CPUS; i++) {
		struct cpu *c = &cpus[i];

		if (!broadcast && c != self)
			continue;
		if (c->nr_pending == PENDING || one_in(&t.rng, 2))
			obey_pending(c);
		if (one_in(&t.rng, 2)) {
			obey_pending(c);
			obey(c, pair);
		} else {
			c->pending[c->nr_pending++] = pair;
		}
	}
}

static inline void finish_tlbi(void)
{
	unsigned int i;

	for (i = 0; i < CPUS; i++)
		obey_pending(&cpus[i]);
	barriers.unfinished = false;
}

static inline void finish_walks(void)
{
	unsigned int i;

	finish_tlbi();
	for (i = 0; i < t.nr_unmapped; i++)
		pte[t.unmapped[i]] &= ~PTE_STALE;
}

static inline bool is_next(const char **code, const char *mnemonic)
{
	size_t length = strlen(mnemonic);

	if (strncmp(*code, mnemonic, length) || !strchr(" \t\n", (*code)[length]))
		return false;
	*code += length;
	*code += strcspn(*code, "\n");
	return true;
}

/* The operand of every instruction in @code. */
static inline void model_asm(const char *code, uint32_t operand)
{
	/* The odd page of an entry drops nothing, as it finds nothing in a probe. */
	uint32_t pair = first_page(operand) & 1 ? NO_PAIR : first_page(operand);
	bool was_sync_is = false;

	for (code += strspn(code, " \t\n"); *code; code += strspn(code, " \t\n")) {
		if (irqs_on && one_in(&t.rng, 8))
			interrupt();
		fetch_ahead();
		if (is_next(&code, "sync.is")) {
			barriers.sync_is += !was_sync_is;
			was_sync_is = true;
			finish_walks();
			continue;
		}
		was_sync_is = false;
		if (is_next(&code, "sync.i")) {
			barriers.sync_i++;
			finish_tlbi();
		} else if (is_next(&code, "tlbi.vaas")) {
			tlbi(true, pair);
		} else if (is_next(&code, "tlbi.vaa")) {
			tlbi(false, pair);
		} else if (is_next(&code, "tlbi.alls")) {
			tlbi(true, ALL_PAGES);
		} else if (is_next(&code, "tlbi.all")) {
			tlbi(false, ALL_PAGES);
		} else {
			fprintf(stderr, "the model does not know the instruction: %s\n", code);
			exit(2);
		}
	}
}

#endif
