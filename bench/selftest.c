// SPDX-License-Identifier: GPL-2.0
/*
 * Self-test of tlbcount without QEMU; see testlib.h.  It runs blocks of a
 * made-up kernel on CPUs of its choice, so that every preemption and every
 * interleaving is known.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symmap.h"
#include "testlib.h"
#include "tlbmodel.h"
#include "tlbop.h"

/* ---------------------------------------------------------------- decoder */

static void test_decoder(void)
{
	static const struct {
		uint32_t w;
		enum tlbop_kind k;
		const char *text;
	} t[] = {
		{ 0xee080f13, TLBOP_FULL_BC, "mcr c8,c3,0" },
		{ 0xee080f33, TLBOP_PAGE_BC, "mcr c8,c3,1" },
		{ 0xee080f53, TLBOP_ASID_BC, "mcr c8,c3,2" },
		{ 0xee080f73, TLBOP_PAGE_BC, "mcr c8,c3,3" },
		{ 0xee080f17, TLBOP_FULL_LOCAL, "mcr c8,c7,0" },
		{ 0xee081f37, TLBOP_PAGE_LOCAL, "mcr r1,c8,c7,1" },
		{ 0xee080f36, TLBOP_PAGE_LOCAL, "mcr c8,c6,1" },
		{ 0xee080f15, TLBOP_FULL_LOCAL, "mcr c8,c5,0" },
		{ 0xee080f57, TLBOP_ASID_LOCAL, "mcr c8,c7,2" },
		{ 0xee080f97, TLBOP_OTHER, "mcr c8,c7,4" },
		{ 0xee080f11, TLBOP_OTHER, "mcr c8,c1,0" },
		{ 0x1e080f13, TLBOP_FULL_BC, "mcrne c8,c3,0" },
		{ 0xfe080f13, TLBOP_NONE, "mcr2" },
		{ 0xee180f17, TLBOP_NONE, "mrc c8,c7,0" },
		{ 0xee070f15, TLBOP_NONE, "mcr c7,c5,0" },
		{ 0xee080e17, TLBOP_NONE, "mcr p14" },
		{ 0xee880f17, TLBOP_NONE, "mcr p15,4" },
		{ 0xe18aa00a, TLBOP_NONE, "the start marker" },
	};
	uint32_t imm = 0, target = 0;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		ok(tlbop_decode(t[i].w) == t[i].k, "decode %s", t[i].text);

	ok(insn_is_tst_imm(0xe3130602, &imm) && imm == 0x200000, "tst r3, #0x200000");
	ok(insn_is_tst_imm(0xe3130c12, &imm) && imm == 0x1200, "tst r3, #0x1200");
	ok(!insn_is_tst_imm(0xe1130004, &imm), "tst of a register has no immediate");
	ok(!insn_is_tst_imm(0x13130602, &imm), "a conditional tst decides nothing");

	ok(insn_leaves(0xe12fff1e, 0, 0, &target) == LEAVE_RETURN, "bx lr returns");
	ok(insn_leaves(0x012fff1e, 0, 0, &target) == LEAVE_RETURN, "bxeq lr returns");
	ok(insn_leaves(0xe12fff33, 0, 0, &target) == LEAVE_NO, "blx calls");
	ok(insn_leaves(0xe1a0f00e, 0, 0, &target) == LEAVE_RETURN, "mov pc, lr returns");
	ok(insn_leaves(0xe12fff13, 0xe1a0e00f, 0, &target) == LEAVE_NO,
	   "mov lr, pc; bx r3 calls");
	ok(insn_leaves(0xe8bd8010, 0, 0, &target) == LEAVE_RETURN, "pop with pc returns");
	ok(insn_leaves(0xe8bd4010, 0, 0, &target) == LEAVE_NO, "pop without pc does not");
	ok(insn_leaves(0xe49df004, 0, 0, &target) == LEAVE_RETURN, "pop {pc} returns");
	ok(insn_leaves(0xebfffffe, 0, 0, &target) == LEAVE_NO, "bl calls");
	ok(insn_leaves(0xea00003e, 0, 0x80, &target) == LEAVE_BRANCH && target == 0x180,
	   "b forwards");
	ok(insn_leaves(0xeaffffbe, 0, 0x1084, &target) == LEAVE_BRANCH && target == 0xf84,
	   "b backwards");
}

/* ------------------------------------------------------------------ model */

/* Slow and obvious: every set is a list of (key, time of last use). */
struct oracle {
	unsigned int sets, ways;
	uint32_t key[1024];
	unsigned long used[1024];
	unsigned long now;
};

static bool oracle_touch(struct oracle *o, uint32_t key)
{
	unsigned int base = key % o->sets * o->ways, victim = base;

	o->now++;
	for (unsigned int i = base; i < base + o->ways; i++) {
		if (o->used[i] && o->key[i] == key) {
			o->used[i] = o->now;
			return true;
		}
		if (o->used[i] < o->used[victim])
			victim = i;
	}
	o->key[victim] = key;
	o->used[victim] = o->now;
	return false;
}

static void test_model(void)
{
	static const char *const names[] = { "a7", "a9", "a15", "arm926" };
	static const unsigned int entries[] = { 256, 128, 512, 64 }, ways[] = { 2, 2, 4, 2 };
	struct tlbgeom tiny = { "tiny", 8, 2 };
	struct tlbmodel m;
	struct tlbpair p;

	for (int i = 0; i < 4; i++) {
		const struct tlbgeom *geo = tlbgeom_find(names[i]);

		ok(geo && geo->entries == entries[i] && geo->ways == ways[i],
		   "%s has %u entries, %u ways", names[i], entries[i], ways[i]);
	}
	ok(!tlbgeom_find("a8") && !tlbgeom_find(""), "an unknown core is refused");
	ok(!tlbmodel_init(&m, 0, 2) && !tlbmodel_init(&m, 8, 0) &&
	   !tlbmodel_init(&m, 9, 2) && !tlbmodel_init(&m, 12, 2), "bad geometries are refused");

	tlbmodel_init(&m, 8, 2);	/* 4 sets */
	ok(!tlbmodel_touch(&m, 0), "page 0 misses in an empty TLB");
	ok(tlbmodel_touch(&m, 0), "and hits afterwards");
	ok(!tlbmodel_touch(&m, 4) && tlbmodel_touch(&m, 0), "two pages share a set of two ways");
	tlbmodel_touch(&m, 8);		/* evicts 4, the older one */
	ok(tlbmodel_touch(&m, 0), "the page used last stays");
	ok(!tlbmodel_touch(&m, 4), "the page used least is gone");
	tlbmodel_touch(&m, 1);
	ok(tlbmodel_live(&m, 0) == 3, "three entries live");
	ok(tlbmodel_live(&m, 4) == 1, "one of them at or above 4");
	tlbmodel_flush(&m);
	ok(!tlbmodel_live(&m, 0) && !tlbmodel_touch(&m, 0), "a flush empties it");
	tlbmodel_free(&m);

	for (int i = 0; i < 4; i++) {
		struct oracle o = { .sets = entries[i] / ways[i], .ways = ways[i] };
		unsigned int seed = 1, bad = 0, misses = 0;

		tlbmodel_init(&m, entries[i], ways[i]);
		for (int j = 0; j < 200000; j++) {
			uint32_t key;
			bool a, b;

			seed = seed * 1103515245 + 12345;
			/* mostly a working set about the size of the TLB */
			key = (seed >> 8) % (j & 7 ? entries[i] * 5 / 4 : 0xfffff);
			a = tlbmodel_touch(&m, key);
			b = oracle_touch(&o, key);
			bad += a != b;
			misses += !a;
		}
		ok(!bad && misses, "%s agrees with the oracle (%u differ)", names[i], bad);
		tlbmodel_free(&m);
	}

	tlbpair_init(&p, &tiny);
	for (int i = 0; i < 8; i++)
		tlbpair_touch(&p, i, true);
	tlbpair_flush(&p, 1, 6, true);
	for (int i = 0; i < 5; i++)
		tlbpair_touch(&p, i, true);
	ok(p.miss_with == 13 && p.miss_without == 8, "5 of 8 pages come back: 5 refills");
	ok(p.live_sum == 8 && p.live_high_sum == 2 && p.live_max == 8 && p.flushes == 1,
	   "the flush found 8 entries, 2 of them high");
	tlbpair_flush(&p, 3, 6, true);
	ok(p.flushes == 4 && p.live_sum == 13, "three flushes in a row find entries once");
	tlbpair_restart(&p);
	tlbpair_touch(&p, 0, true);
	ok(p.miss_with == 1 && p.miss_without == 1 && p.touches == 1,
	   "after a restart old flushes are not charged");
	tlbpair_flush_both(&p);
	tlbpair_touch(&p, 0, true);
	ok(p.miss_with == 2 && p.miss_without == 2, "a flush of both is not charged");
	tlbpair_touch(&p, 1, false);
	ok(p.touches == 2 && p.miss_with == 2, "touches outside of the measured part do not count");
	tlbpair_free(&p);
}

/* ----------------------------------------------------------------- symbols */

static const char map_text[] =
	"00000000 t __vectors_start\n"
	"00000020 t vector_swi_stub\n"
	"00000024 A cpu_suspend_size\n"
	"80004000 A swapper_pg_dir\n"
	"80008000 T _stext\n"
	"80008000 T _text\n"
	"80010000 T v7wbi_flush_kern_tlb_range\n"
	"80010100 T flush_tlb_all\n"
	"80010200 T arch_flush_tlb_kernel_ranges\n"
	"80010300 t helper.constprop.0.isra.1\n"
	"80010400 t plain\n"
	"80010500 t flush_tlb_all.cold\n"
	"80010600 T late\n"
	"80020000 T _etext\n"
	"80021000 D data_here\n"
	"80022000 D data_there\n";

static void test_symbols(void)
{
	struct symmap m;
	const struct symbol *s;
	const char *why;

	write_file("System.map", map_text);
	ok(!symmap_load(&m, in_dir("System.map")), "a map loads");
	ok(m.kernel_base == 0x7f000000, "the module area is below the kernel");
	s = symmap_find(&m, 0x80010000);
	ok(s && !strcmp(s->name, "v7wbi_flush_kern_tlb_range"), "first byte of a function");
	s = symmap_find(&m, 0x800100ff);
	ok(s && !strcmp(s->name, "v7wbi_flush_kern_tlb_range"), "last byte of a function");
	s = symmap_find(&m, 0x80010100);
	ok(s && !strcmp(s->name, "flush_tlb_all"), "first byte of the next");
	ok(!symmap_find(&m, 0x80021000), "data is no function");
	ok(!symmap_find(&m, 0x40008000) && !symmap_find(&m, 0x10), "user addresses are none");
	ok(!symmap_find(&m, 0xf0000000), "nothing above the last symbol");
	symmap_free(&m);
	why = symmap_load(&m, in_dir("nowhere"));
	ok(why && strstr(why, "nowhere"), "a missing map is named");
	write_file("bad.map", "hello world\n");
	ok(symmap_load(&m, in_dir("bad.map")), "a text file is no map");
	write_file("bad.map", "ffffffff81000000 T _stext\n");
	ok(symmap_load(&m, in_dir("bad.map")), "a 64-bit map is refused");
	write_file("bad.map", "80008000 T start\n");
	ok(symmap_load(&m, in_dir("bad.map")), "a map without _stext is refused");

	ok(symbol_matches("f", "f") && symbol_matches("f.isra.0", "f") &&
	   symbol_matches("f.constprop.0.isra.1", "f") && symbol_matches("f.part.12", "f") &&
	   symbol_matches("f.isra", "f"), "suffixes match");
	ok(!symbol_matches("ff", "f") && !symbol_matches("f_all", "f") &&
	   !symbol_matches("f.cold", "f") && !symbol_matches("f.israel.0", "f") &&
	   !symbol_matches("e", "f"), "other names do not");
	ok(symbol_is_cold_part("f.cold", "f") && symbol_is_cold_part("f.cold.3", "f") &&
	   !symbol_is_cold_part("f", "f") && !symbol_is_cold_part("f.cold.x", "f"),
	   "cold parts are known");
}

/* ---------------------------------------------------------- made-up kernel */

#define NOP		0xe320f000u
#define DSB		0xf57ff04bu
#define BX_LR		0xe12fff1eu
#define BXEQ_LR		0x012fff1eu
#define PUSH		0xe92d4010u
#define POP_PC		0xe8bd8010u
#define PAGE		0xee080f33u
#define PAGE_L		0xee080f37u
#define FULL		0xee080f13u
#define FULL_L		0xee080f17u
#define FULL_NE		0x1e080f13u
#define TST_SMP		0xe3130602u	/* #0x200000 */

#define KERN		0x80010000u
#define ALL		0x80010100u
#define ARCH		0x80010200u
#define PLAIN		0x80010400u
#define COLD		0x80010500u
#define USER		0x00010000u

/* v7wbi_flush_kern_tlb_range as QEMU cuts it: blocks end at the invalidate. */
static void kern_enter(unsigned int vcpu)
{
	RUN(vcpu, KERN, DSB, NOP, PAGE);
}

static void kern_more(unsigned int vcpu)
{
	RUN(vcpu, KERN + 12, NOP, NOP, 0x3afffffb /* blo to the invalidate */);
	RUN(vcpu, KERN + 8, PAGE);
}

static void kern_return(unsigned int vcpu)
{
	RUN(vcpu, KERN + 12, NOP, NOP, 0x3afffffb);
	RUN(vcpu, KERN + 24, DSB, BX_LR);
}

static void all_whole(unsigned int vcpu)
{
	RUN(vcpu, ALL, PUSH, FULL);
	RUN(vcpu, ALL + 8, DSB, POP_PC);
}

static bool log_has(const char *part)
{
	return strstr(read_file("log"), part);
}

#define F(name, key) "func." name "." key
#define V7 "v7wbi_flush_kern_tlb_range"

/* ---------------------------------------------------------------- scenarios */

static void scene_loop(void)
{
	kern_enter(0);
	for (int i = 0; i < 4; i++)
		kern_more(0);
	kern_return(0);
	kern_enter(1);
	kern_return(1);
	all_whole(1);
	RUN(2, PLAIN, PAGE_L, NOP, FULL_L, BX_LR);
	RUN(3, 0x40008000, FULL_L);	/* before the MMU is on */
}

static void test_loop(void)
{
	const char *w = "loop";

	ok(play_ok(scene_loop, arg_path("log", "log"), NULL), "a run ends well");
	expect(w, "ops", 10);
	expect(w, "page_broadcast", 6);
	expect(w, "page_local", 1);
	expect(w, "full_broadcast", 1);
	expect(w, "full_local", 2);
	expect(w, "vcpu0.page_broadcast", 5);
	expect(w, "vcpu1.page_broadcast", 1);
	expect(w, "vcpu2.full_local", 1);
	expect(w, F(V7, "calls"), 2);
	expect(w, F(V7, "ops"), 6);
	expect(w, F(V7, "calls_ops"), 6);
	expect(w, F(V7, "max_ops"), 5);
	expect(w, F(V7, "max_pages"), 5);
	expect(w, F("flush_tlb_all", "full"), 1);
	expect(w, F("arch_flush_tlb_kernel_ranges", "calls"), 0);
	expect(w, "outside_ops", 3);
	expect(w, "sym.plain.ops", 2);
	expect(w, "sym.plain.page_local", 1);
	expect(w, "sym.unknown.full_local", 1);
	expect(w, "sym." V7 ".page_broadcast", 6);
	expect(w, "undecided_ops", 0);
	expect(w, "end", 1);
	ok(log_has("call=0 func=" V7 " vcpu=0 page=5 full=0 asid=0 other=0 broadcast=5 inclusive=5 "),
	   "loop: the log has the long call");
	ok(log_has("call=1 func=" V7 " vcpu=1 page=1 full=0 "), "loop: and the short one");
	ok(log_has("call=2 func=flush_tlb_all vcpu=1 page=0 full=1 "), "loop: and the full flush");
	ok(!log_has("end=exit") && log_has("\nend=1\n"), "loop: all calls returned");
	ok(!*read_file("err"), "loop: no complaint");
}

static void scene_interrupt(void)
{
	kern_enter(0);
	kern_more(0);
	all_whole(0);			/* an interrupt that flushes all */
	kern_enter(0);			/* and one that flushes a page */
	kern_return(0);
	kern_more(0);
	kern_return(0);
}

static void test_interrupt(void)
{
	const char *w = "interrupt";

	ok(play_ok(scene_interrupt, arg_path("log", "log"), NULL), "a run ends well");
	expect(w, F(V7, "calls"), 2);
	expect(w, F(V7, "max_ops"), 3);
	expect(w, F(V7, "max_inclusive"), 5);
	expect(w, F("flush_tlb_all", "max_ops"), 1);
	expect(w, F("flush_tlb_all", "max_inclusive"), 1);
	expect(w, "nested_calls", 1);
	ok(log_has("call=0 func=" V7 " vcpu=0 page=3 "), "interrupt: the outer call keeps its own");
	ok(log_has("call=2 func=" V7 " vcpu=0 page=1 "), "interrupt: so does the inner one");
}

static void scene_migrate(void)
{
	kern_enter(0);
	kern_more(0);
	kern_more(2);			/* preempted and moved */
	kern_more(2);
	kern_return(2);
	kern_enter(0);
	kern_return(0);
	kern_more(3);			/* nobody runs this function any more */
}

static void test_migrate(void)
{
	const char *w = "migration";

	ok(play_ok(scene_migrate, arg_path("log", "log"), NULL), "a run ends well");
	expect(w, F(V7, "calls"), 2);
	expect(w, F(V7, "max_ops"), 4);
	expect(w, F(V7, "ops"), 6);
	expect(w, F(V7, "calls_ops"), 5);
	expect(w, F(V7, "orphan_ops"), 1);
	ok(log_has("call=0 func=" V7 " vcpu=0 page=4 full=0 asid=0 other=0 broadcast=4 inclusive=4 ") &&
	   log_has("moved=1"), "migration: the call followed its task");
}

static void scene_conditional_return(void)
{
	RUN(0, ALL, FULL);
	RUN(0, ALL + 4, DSB, BXEQ_LR);	/* not taken */
	RUN(0, ALL + 12, NOP, NOP);
	RUN(0, PLAIN, PAGE_L);		/* an interrupt */
	RUN(0, ALL + 20, FULL);
	RUN(0, ALL + 24, DSB, BX_LR);
	RUN(0, ALL, FULL);
	RUN(0, ALL + 4, DSB, BXEQ_LR);	/* taken */
	RUN(0, PLAIN, PAGE_L);
	RUN(3, ALL + 12, FULL);		/* no call it could belong to */
	RUN(0, ALL, FULL);		/* cold part */
	RUN(0, ALL + 4, NOP, 0xea0000fd /* b to the cold part */);
	RUN(0, COLD, FULL);
	RUN(0, COLD + 4, NOP, 0xeafffefd /* b back */);
	RUN(0, ALL + 12, FULL);
	RUN(0, ALL + 16, DSB, BX_LR);
}

static void test_conditional_return(void)
{
	const char *w = "conditional return";

	ok(play_ok(scene_conditional_return, arg_path("log", "log"), NULL), "a run ends well");
	expect(w, F("flush_tlb_all", "calls"), 3);
	expect(w, F("flush_tlb_all", "max_ops"), 3);
	expect(w, F("flush_tlb_all", "orphan_ops"), 1);
	ok(log_has("call=0 func=flush_tlb_all vcpu=0 page=0 full=2 asid=0 other=0 broadcast=2 inclusive=3 "),
	   "conditional return: not taken, the call goes on");
	ok(log_has("call=1 func=flush_tlb_all vcpu=0 page=0 full=1 asid=0 other=0 broadcast=1 inclusive=1 "),
	   "conditional return: taken, the call is over");
	ok(log_has("call=2 func=flush_tlb_all vcpu=0 page=0 full=3 "),
	   "the cold part belongs to its function");
}

static void scene_tail(void)
{
	RUN(0, ARCH, PUSH, 0xebffff7d /* bl */);
	kern_enter(0);
	kern_return(0);
	/* last range: a jump, the callee returns to our caller */
	RUN(0, ARCH + 8, NOP, 0xeaffff7b /* b KERN */);
	all_whole(0);			/* an interrupt in between */
	kern_enter(0);
	kern_more(0);
	kern_return(0);
	all_whole(0);
}

static void test_tail(void)
{
	const char *w = "tail call";

	ok(play_ok(scene_tail, arg_path("log", "log"), NULL), "a run ends well");
	expect(w, F("arch_flush_tlb_kernel_ranges", "calls"), 1);
	expect(w, F("arch_flush_tlb_kernel_ranges", "ops"), 0);
	expect(w, F("arch_flush_tlb_kernel_ranges", "max_inclusive"), 4);
	expect(w, F(V7, "calls"), 2);
	ok(!log_has("end=exit"), "tail call: the caller's call is over too");
}

static void scene_marker(void)
{
	kern_enter(0);
	RUN(1, PLAIN, FULL_L);
	RUN(3, USER, MARK_START, BX_LR);
	kern_more(0);
	kern_return(0);
	kern_enter(1);
	kern_return(1);
	kern_enter(1);
	RUN(3, USER + 8, MARK_STOP, BX_LR);
	kern_more(1);
	kern_return(1);
	kern_enter(2);
	all_whole(2);
}

static void test_marker(void)
{
	const char *w = "marker";

	ok(play_ok(scene_marker, arg_path("log", "log"), NULL), "a run ends well");
	expect(w, "starts", 1);
	expect(w, "stops", 1);
	expect(w, "stopped", 1);
	expect(w, "ops", 3);
	expect(w, "full_local", 0);
	expect(w, F(V7, "calls"), 2);
	expect(w, F(V7, "ops"), 3);
	expect(w, F(V7, "carried_ops"), 1);
	expect(w, F(V7, "calls_ops"), 2);
	expect(w, F("flush_tlb_all", "calls"), 0);
	expect(w, "sym.plain.ops", -1);
	ok(log_has("call=0 func=" V7 " vcpu=1 page=1 ") && log_has("end=stop"),
	   "marker: the log holds the marked part");
}

#define PER_THREAD 200000

static void *hammer(void *arg)
{
	unsigned int vcpu = (uintptr_t)arg;

	for (int i = 0; i < PER_THREAD / 4; i++) {
		kern_enter(vcpu);
		kern_more(vcpu);
		kern_return(vcpu);
		all_whole(vcpu);
		RUN(vcpu, PLAIN, PAGE_L);
	}
	return NULL;
}

static void scene_threads(void)
{
	pthread_t t[4];

	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, hammer, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void test_threads(void)
{
	const char *w = "four threads";

	ok(play_ok(scene_threads, arg_path("log", "log"), "logmax=100", NULL), "a run ends well");
	expect(w, "ops", 4 * PER_THREAD);
	expect(w, "page_broadcast", 2 * PER_THREAD);
	expect(w, "vcpu3.page_local", PER_THREAD / 4);
	expect(w, F(V7, "calls"), PER_THREAD);
	expect(w, F(V7, "calls_ops"), 2 * PER_THREAD);
	expect(w, F(V7, "max_ops"), 2);
	expect(w, F(V7, "orphan_ops"), 0);
	expect(w, "sym.flush_tlb_all.full_broadcast", PER_THREAD);
	ok(log_has("dropped=399900\n"), "the log is bounded and says so");
}

static void scene_condition(void)
{
	RUN(0, PLAIN, TST_SMP, FULL_NE);
	RUN(0, PLAIN + 8, 0xe3130c12 /* tst #0x1200 */, 0x1e080f17);
}

static void test_condition(void)
{
	ok(play_ok(scene_condition, NULL, NULL), "a run ends well");
	expect("condition unknown", "ops", 0);
	expect("condition unknown", "undecided_ops", 2);
	ok(strstr(read_file("err"), "tlbflags="), "condition unknown: a hint is given");
	ok(play_ok(scene_condition, "tlbflags=0x90f00000", NULL), "a run ends well");
	expect("condition known", "full_broadcast", 1);
	expect("condition known", "full_local", 0);
	expect("condition known", "undecided_ops", 0);
}

static void touch(unsigned int vcpu, uint32_t va)
{
	const uint32_t w = NOP;

	run(vcpu, USER, NULL, &w, 1, va);
}

static void scene_model(void)
{
	for (int i = 0; i < 10; i++)
		touch(0, 0x90000000 + i * 4096);
	touch(1, 0x1000);
	RUN(2, USER, NOP);
	all_whole(2);			/* everybody */
	for (int i = 0; i < 4; i++)
		touch(0, 0x90000000 + i * 4096);
	RUN(0, PLAIN, FULL_L);		/* CPU 0 only */
	touch(0, 0x90000000);
	touch(1, 0x1000);
	RUN(0, USER, MARK_STOP);
	all_whole(2);
	touch(0, 0x90000000);
}

static void test_model_in_plugin(void)
{
	const char *w = "model";

	ok(play_ok(scene_model, "model=a15", NULL), "a run ends well");
	expect(w, "model.entries", 512);
	expect(w, "model.vcpu0.full_flushes", 2);
	expect(w, "model.vcpu1.full_flushes", 1);
	expect(w, "model.vcpu3.full_flushes", 1);
	/*
	 * CPU 0: the first flush costs the user's code page and 4 of the 10
	 * data pages, the second code page and 1 data page; PLAIN is new.
	 */
	expect(w, "model.vcpu0.refills", 7);
	expect(w, "model.vcpu1.refills", 2);
	expect(w, "model.vcpu0.live_max", 11);
	expect(w, "model.vcpu0.live_sum", 17);
	expect(w, "model.vcpu0.live_kernel_sum", 15);
	expect(w, "model.full_flushes", 5);

	ok(play_ok(scene_model, "model=a15", "modelfunc=plain", NULL), "a run ends well");
	expect("model of one function", "model.vcpu0.full_flushes", 1);
	expect("model of one function", "model.vcpu1.full_flushes", 0);
	expect("model of one function", "model.vcpu0.refills", 2);
	expect("model of one function", "model.vcpu1.refills", 0);

	ok(play_ok(scene_model, "model=a15", "lowmem=0x80000000-0xf0000000", NULL),
	   "a run ends well");
	expect("model with sections", "model.vcpu0.live_max", 3);
	ok(play_ok(scene_model, NULL, NULL), "a run ends well");
	expect("no model", "model.full_flushes", -1);
}

static void test_refusals(void)
{
	const char *map = arg_path("map", "System.map"), *out = arg_path("out", "out");
	const char *nomap = arg_path("map", "nowhere"), *badout = arg_path("out", "no/such/out");

	refuse("no map", "map=", "arm", ARGS(out));
	refuse("no out", "out=", "arm", ARGS(map));
	refuse("missing map", "nowhere", "arm", ARGS(nomap, out));
	refuse("unwritable out", "no/such/out", "arm", ARGS(map, badout));
	refuse("unknown argument", "colour=red", "arm", ARGS(map, out, "colour=red"));
	refuse("argument without value", "func=", "arm", ARGS(map, out, "func="));
	refuse("bare word", "verbose", "arm", ARGS(map, out, "verbose"));
	refuse("unknown function", "no_such_function", "arm",
	       ARGS(map, out, "func=flush_tlb_all:no_such_function"));
	refuse("nothing to watch", "none_of_it", "arm", ARGS(map, out, "func=none_of_it?"));
	refuse("unknown core", "m3", "arm", ARGS(map, out, "model=m3"));
	refuse("bad range", "lowmem=", "arm", ARGS(map, out, "model=a7", "lowmem=12"));
	refuse("empty range", "lowmem=", "arm", ARGS(map, out, "model=a7", "lowmem=5-5"));
	refuse("bad section", "section=", "arm",
	       ARGS(map, out, "model=a7", "lowmem=0-4096", "section=3"));
	refuse("unknown model function", "nobody", "arm",
	       ARGS(map, out, "model=a7", "modelfunc=nobody"));
	refuse("lowmem without model", "model=", "arm", ARGS(map, out, "lowmem=0-4096"));
	refuse("bad flags", "tlbflags=", "arm", ARGS(map, out, "tlbflags=v7"));
	refuse("bad log bound", "logmax=", "arm",
	       ARGS(map, out, arg_path("log", "log"), "logmax=0"));
	refuse("log bound without log", "log=", "arm", ARGS(map, out, "logmax=5"));
	refuse("one file for two", "same file", "arm", ARGS(map, out, arg_path("log", "out")));
	refuse("another target", "x86_64", "x86_64", ARGS(map, out));
}

static void scene_nothing(void)
{
}

static void test_names(void)
{
	ok(play_ok(scene_nothing, "func=helper:plain:absent?", NULL), "a run ends well");
	expect("names", F("helper.constprop.0.isra.1", "calls"), 0);
	expect("names", F("plain", "max_ops"), 0);
	ok(strstr(read_file("out"), "func_missing=absent\n"), "an optional function may be missing");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s tlbcount.so\n", argv[0]);
		return 2;
	}
	test_begin(argv[0], argv[1], "arm");

	test_decoder();
	test_model();
	test_symbols();
	test_loop();
	test_interrupt();
	test_migrate();
	test_conditional_return();
	test_tail();
	test_marker();
	test_threads();
	test_condition();
	test_model_in_plugin();
	test_names();
	test_refusals();

	return test_end();
}
