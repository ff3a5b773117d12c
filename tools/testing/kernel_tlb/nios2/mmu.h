/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of the nios2 MMU, as the Nios II Processor Reference Guide has it and
 * arch/nios2 relies on it, with everything that can go wrong going wrong:
 *
 * - Lines of 8 or 16 ways. The low bits of a page say the line; a page, a PID and
 *   a global bit are the tag. Nothing marks an entry as not valid. What two
 *   entries with one tag do is undefined.
 * - Writing TLBMISC with RD reads the entry of its WAY in the line of PTEADDR: that
 *   leaves the page in PTEADDR, the PID in TLBMISC and the rest in TLBACC.
 * - Writing TLBACC while TLBMISC has WE writes such an entry and moves on to the
 *   next way.
 * - TLBMISC is also where the PID is that the CPU runs with and the way that the
 *   next miss replaces. A miss leaves its page in PTEADDR and sets WE, its handler
 *   writes TLBACC.
 * - Whenever interrupts are on, one comes: it misses on other pages and may leave
 *   the CPU to a process with another PID.
 */
#ifndef NIOS2_MMU_H
#define NIOS2_MMU_H

#define KERNEL_PAGE		0x80000
#define TRANSLATED_PAGES	0xc0000
#define MAX_WAYS		16
#define MAX_LINES		64

enum rule { STALE = 1, OTHERS, MISC, IRQS, TAGS, NR_RULES };

static const char * const rule_name[NR_RULES] = {
	[STALE] = "n1: no entry of a page that was flushed is left, in no way, of no PID",
	[OTHERS] = "n2: nothing else is dropped, no way is read twice",
	[MISC] = "n3: the CPU has its PID and its next way in every interrupt and afterwards",
	[IRQS] = "n4: interrupts are off when registers are used, for a line at most",
	[TAGS] = "n5: a dropped entry is never looked up, and no two have one tag",
};

#include "../model.h"

#include <asm/pgtable.h>
#include <asm/registers.h>

#define PTEADDR_VPN_SHIFT	2
#define PTEADDR_VPN_MASK	0xfffff
#define TLBACC_IGNORED		0xfe000000u
#define TLBMISC_READ_ONLY	0xfu

/* The first is what the 10M50 board has. */
static const struct cpuinfo geometries[] = {
	{ .tlb_pid_num_bits = 8, .tlb_num_ways = 16, .tlb_num_ways_log2 = 4,
	  .tlb_num_lines = 16, .tlb_ptr_sz = 8 },
	{ .tlb_pid_num_bits = 8, .tlb_num_ways = 8, .tlb_num_ways_log2 = 3,
	  .tlb_num_lines = 16, .tlb_ptr_sz = 7 },
	{ .tlb_pid_num_bits = 14, .tlb_num_ways = 16, .tlb_num_ways_log2 = 4,
	  .tlb_num_lines = 64, .tlb_ptr_sz = 10 },
};

/* Some are ways as well, which stand in for PIDs of dropped entries. */
static const uint32_t running_asids[] = { 2, 0, 15, 255 };
static const uint32_t other_asids[] = { 1, 3, 128, 254 };

struct cpuinfo cpuinfo;

struct entry {
	uint32_t page, pid, acc;
};

#define ANY_PID			0xffffffffu
#define NO_PID			0xfffffffeu

static struct {
	uint32_t pteaddr, tlbmisc, tlbacc;
	uint32_t pid, way;		/* that TLBMISC has in an interrupt */
	uint32_t flushed_pid;		/* the only one whose entries may be dropped */
	struct entry tlb[MAX_LINES][MAX_WAYS];
} cpu;

/* ---- entries ---- */

static inline uint32_t misc_pid(void)
{
	return (cpu.tlbmisc & TLBMISC_PID) >> TLBMISC_PID_SHIFT;
}

static inline uint32_t misc_way(void)
{
	return (cpu.tlbmisc & TLBMISC_WAY) >> TLBMISC_WAY_SHIFT;
}

static inline uint32_t pteaddr_page(void)
{
	return cpu.pteaddr >> PTEADDR_VPN_SHIFT & PTEADDR_VPN_MASK;
}

static inline void set_pteaddr_page(uint32_t page)
{
	cpu.pteaddr &= ~(PTEADDR_VPN_MASK << PTEADDR_VPN_SHIFT);
	cpu.pteaddr |= page << PTEADDR_VPN_SHIFT;
}

static inline void set_misc(uint32_t pid, uint32_t way)
{
	cpu.tlbmisc = pid << TLBMISC_PID_SHIFT | way << TLBMISC_WAY_SHIFT;
}

static inline struct entry *line_of(uint32_t page)
{
	return cpu.tlb[page % cpuinfo.tlb_num_lines];
}

static inline unsigned int nr_entries(void)
{
	return cpuinfo.tlb_num_lines * cpuinfo.tlb_num_ways;
}

/* Line by line. */
static inline struct entry *entry_at(unsigned int i)
{
	return &cpu.tlb[i / cpuinfo.tlb_num_ways][i % cpuinfo.tlb_num_ways];
}

/* The one that the registers name. */
static inline struct entry *named_entry(void)
{
	return &line_of(pteaddr_page())[misc_way() % cpuinfo.tlb_num_ways];
}

static inline bool same_tag(const struct entry *e, uint32_t page, uint32_t pid)
{
	return e->page == page && (e->pid == pid || (e->acc & _PAGE_GLOBAL));
}

static inline struct entry *tlb_find(uint32_t page, uint32_t pid)
{
	struct entry *line = line_of(page);
	unsigned int way;

	for (way = 0; way < cpuinfo.tlb_num_ways; way++)
		if (same_tag(&line[way], page, pid))
			return &line[way];
	return NULL;
}

/* Is it one that this flush may drop, if it is not dropped already? */
static inline bool is_to_drop(const struct entry *e)
{
	return is_flushed(e->page, e->page) &&
	       (cpu.flushed_pid == ANY_PID || cpu.flushed_pid == e->pid);
}

static inline void read_entry(void)
{
	const struct entry *e = named_entry();

	set_pteaddr_page(e->page);
	cpu.tlbmisc &= ~TLBMISC_PID;
	cpu.tlbmisc |= e->pid << TLBMISC_PID_SHIFT;
	cpu.tlbacc = e->acc;
}

static inline void write_entry(void)
{
	*named_entry() = (struct entry){ pteaddr_page(), misc_pid(), cpu.tlbacc };
	set_misc(misc_pid(), (misc_way() + 1) % cpuinfo.tlb_num_ways);
	cpu.tlbmisc |= TLBMISC_WE;
}

/* ---- misses ---- */

static inline uint32_t pte_of(uint32_t page)
{
	if (!(pte[page] & PTE_MAPPED))
		return 0;
	return page | _PAGE_READ |
	       (page >= KERNEL_PAGE && !(pte[page] & PTE_NOT_GLOBAL) ? _PAGE_GLOBAL : 0);
}

/* An access of the program. The handler writes whatever the page table has. */
static inline void touch(uint32_t page)
{
	if (tlb_find(page, misc_pid()))
		return;
	set_pteaddr_page(page);
	cpu.tlbacc = pte_of(page);
	write_entry();
}

/* ---- interrupts ---- */

static inline void check_misc(const char *when)
{
	if (misc_pid() != cpu.pid)
		broken(MISC, "TLBMISC has PID %#x instead of %#x %s", misc_pid(), cpu.pid, when);
	if (misc_way() != cpu.way)
		broken(MISC, "TLBMISC has way %u instead of %u %s", misc_way(), cpu.way, when);
}

static void interrupt(void)
{
	unsigned int i;

	t.interrupts++;
	check_misc("when an IRQ comes");
	for (i = 0; i < 3 && t.nr_mapped; i++)
		touch(t.mapped[below(&t.rng, t.nr_mapped)]);
	if (t.switching && one_in(&t.rng, 4))
		set_misc(running_asids[below(&t.rng, ARRAY_SIZE(running_asids))], misc_way());
	cpu.pid = misc_pid();
	cpu.way = misc_way();
}

/* ---- registers ---- */

static inline void unknown_register(unsigned int reg)
{
	fprintf(stderr, "the model does not know control register %u\n", reg);
	exit(2);
}

static inline uint32_t nios2_rdctl(unsigned int reg)
{
	use_register();
	switch (reg) {
	case CTL_PTEADDR:
		return cpu.pteaddr;
	case CTL_TLBMISC:
		return cpu.tlbmisc;
	case CTL_TLBACC:
		return cpu.tlbacc;
	}
	unknown_register(reg);
	return 0;
}

static inline void write_tlbmisc(uint32_t value)
{
	cpu.tlbmisc = value & ~(TLBMISC_RD | TLBMISC_READ_ONLY);
	if (misc_way() >= cpuinfo.tlb_num_ways)
		broken(OTHERS, "TLBMISC is written with way %u of %u", misc_way(),
		       cpuinfo.tlb_num_ways);
	if (value & TLBMISC_RD) {
		t.lookups++;
		read_entry();
	}
}

static inline void write_tlbacc(uint32_t value)
{
	const struct entry *old = named_entry();

	cpu.tlbacc = value & ~TLBACC_IGNORED;
	if (!(cpu.tlbmisc & TLBMISC_WE))
		return;
	if (old->acc && !is_to_drop(old))
		broken(OTHERS, "page %#x of PID %#x is dropped", old->page, old->pid);
	t.hits += !!old->acc;
	write_entry();
}

static inline void nios2_wrctl(unsigned int reg, uint32_t value)
{
	use_register();
	switch (reg) {
	case CTL_PTEADDR:
		cpu.pteaddr = value;
		break;
	case CTL_TLBMISC:
		write_tlbmisc(value);
		break;
	case CTL_TLBACC:
		write_tlbacc(value);
		break;
	default:
		unknown_register(reg);
	}
}

#endif
