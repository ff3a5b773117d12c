// SPDX-License-Identifier: GPL-2.0
/*
 * Self-test of tlbops without QEMU; see testlib.h.  With --decode it names the
 * words on stdin, which tlbops-check.sh has from the real assemblers.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testlib.h"
#include "tlbop_mach.h"

static const char map_text[] =
	"00000000 t vectors\n"
	"c0000000 T _stext\n"
	"c0000000 T _text\n"
	"c0001000 T flush_hash_pages\n"
	"c0001100 t create_hpte\n"
	"c0001200 T vm_unmap_aliases\n"
	"c0001300 t helper.isra.0\n"
	"c0001300 T helper_alias\n"
	"c0001400 T _etext\n"
	"c0002000 D data_here\n";

#define KERNEL		0xc0000000u
#define FLUSH		0xc0001000u
#define HPTE		0xc0001100u
#define MARK		0xc0001200u
#define HELPER		0xc0001300u
#define BELOW		0xbf800000u	/* module area */
#define USER		0x10000000u

#define NOP		0x60000000u
#define TLBIE		0x7c002264u
#define TLBIA		0x7c0002e4u
#define TLBSYNC		0x7c00046cu
#define TLBWE		0x7c0007a4u
#define TLBWE_WS1	0x7cc70fa4u
#define MMUCSR0		0x7c74fba6u

/* The guest's memory, where the kernel is at its start. */
static uint8_t memory[1 << 16];
#define AT(link)	(memory + ((link) - KERNEL))

/* Runs where it is linked. */
#define KRUN(vcpu, addr, ...) RUN_AT(vcpu, addr, AT(addr), __VA_ARGS__)
/* Runs with translation off. */
#define REAL(vcpu, addr, ...) RUN_AT(vcpu, (addr) - KERNEL, AT(addr), __VA_ARGS__)

static void scene_intervals(void)
{
	RUN(0, 0xfff00100u, TLBIA);		/* firmware */
	REAL(0, HPTE + 8, TLBIE);		/* before the kernel ran anywhere else */
	KRUN(0, FLUSH, NOP, TLBIE, TLBIE, TLBSYNC);
	KRUN(0, MARK, TLBIE, NOP);		/* the mark's own belong to it */
	KRUN(0, FLUSH + 4, TLBIE);
	KRUN(1, FLUSH, NOP, MMUCSR0);
	REAL(1, HPTE, TLBIE, TLBWE, TLBWE_WS1);	/* an entry, too */
	REAL(1, HPTE, NOP);
	REAL(1, HPTE + 16, TLBIE);
	/* other memory, a multiple of 4 GiB away */
	RUN_AT(0, HPTE - KERNEL, (void *)((uintptr_t)AT(HPTE) + (1ull << 32)), TLBIE);
	RUN_AT(0, USER, memory + 0x8000, TLBIE);	/* traps */
	RUN_AT(0, HPTE - KERNEL, memory + 0x9000, TLBIE);	/* a user's, same address */
	RUN_AT(0, BELOW, AT(FLUSH) + 4, TLBIE);	/* a module in freed kernel text */
	KRUN(0, MARK, NOP);
	KRUN(0, MARK, NOP);
	KRUN(0, MARK + 4, TLBIA);		/* not the first instruction */
	KRUN(0, HELPER, NOP);
	KRUN(0, 0xc0002000u, TLBIA);		/* data */
	KRUN(0, MARK, NOP);
	REAL(0, MARK, NOP);
	REAL(0, MARK, TLBIA);
}

static void test_intervals(void)
{
	const char *w = "intervals", *out;

	ok(play_ok(scene_intervals, "arch=ppc",
		   "calls=flush_hash_pages:create_hpte:helper:helper_alias:vm_unmap_aliases:absent?", NULL),
	   "a run ends well");
	expect(w, "marks", 6);
	expect(w, "mark0.tlbie", 3);
	expect(w, "mark0.tlbia", 1);
	expect(w, "mark0.tlbsync", 1);
	expect(w, "mark0.func.unknown.tlbia", 1);
	expect(w, "mark0.func.create_hpte.tlbie", 1);
	expect(w, "mark0.func.flush_hash_pages.tlbie", 2);
	expect(w, "mark0.calls.flush_hash_pages", 1);
	expect(w, "mark0.calls.create_hpte", -1);
	expect(w, "mark0.calls.vm_unmap_aliases", -1);
	expect(w, "mark1.func.vm_unmap_aliases.tlbie", 1);
	expect(w, "mark1.func.flush_hash_pages.tlbie", 1);
	expect(w, "mark1.func.flush_hash_pages.mmucsr0", 1);
	expect(w, "mark1.func.create_hpte.tlbie", 2);
	expect(w, "mark1.func.create_hpte.tlbwe", 1);
	expect(w, "mark1.func.create_hpte.tlbwe_data", 1);
	expect(w, "mark1.func.unknown.tlbie", 4);
	expect(w, "mark1.tlbie", 8);
	expect(w, "mark1.class.page", 8);
	expect(w, "mark1.class.entry", 1);
	expect(w, "mark1.class.full", 1);
	expect(w, "mark1.class.other", 1);
	expect(w, "mark1.calls.flush_hash_pages", 1);
	expect(w, "mark1.calls.create_hpte", 2);
	expect(w, "mark1.calls.vm_unmap_aliases", 1);
	expect(w, "mark2.calls.vm_unmap_aliases", 1);
	expect(w, "mark2.class.full", -1);
	expect(w, "mark3.func.vm_unmap_aliases.tlbia", 1);
	expect(w, "mark3.func.unknown.tlbia", 1);
	expect(w, "mark3.calls.helper.isra.0", 1);
	expect(w, "mark4.calls.vm_unmap_aliases", 1);
	expect(w, "mark6.func.vm_unmap_aliases.tlbia", 1);
	expect(w, "tlbie", 11);
	expect(w, "tlbia", 4);
	expect(w, "class.full", 5);
	expect(w, "func.unknown.tlbia", 2);
	expect(w, "func.create_hpte.tlbie", 3);
	expect(w, "calls.vm_unmap_aliases", 6);
	expect(w, "end", 1);
	ok(strstr(read_file("out"), "calls_missing=absent\n"), "an optional function may be missing");
	out = read_file("out");
	ok(strstr(out, "\nfunc.unknown.tlbie") < strstr(out, "\nfunc.flush_hash_pages.tlbie") &&
	   strstr(out, "\nfunc.flush_hash_pages.tlbie") < strstr(out, "\nfunc.create_hpte.tlbie"),
	   "intervals: functions are in order of address");
	ok(!*read_file("err"), "intervals: no complaint");
}

static void scene_nios2(void)
{
	RUN(0, FLUSH, 0x28017000u | 8u << 6 | 0x3au);	/* wrctl pteaddr, r5 */
	RUN(0, FLUSH + 4, 0x28017000u | 9u << 6 | 0x3au);
	RUN(0, 0xf8000000u, 0x28017000u | 9u << 6 | 0x3au);	/* a device */
}

static void test_nios2(void)
{
	const char *w = "nios2, bytes withheld";

	fake_big_endian = false;
	fake_no_bytes = true;
	fake_target = "nios2";
	ok(play_ok(scene_nios2, "arch=nios2", NULL), "a run ends well");
	expect(w, "func.flush_hash_pages.pteaddr", 1);
	expect(w, "func.flush_hash_pages.tlbacc", 1);
	expect(w, "tlbacc", 1);
	expect(w, "class.entry", 1);
	expect(w, "marks", 0);
	fake_no_bytes = false;
	fake_big_endian = true;
	fake_target = "ppc";
}

#define ROUNDS 50000

static void *hammer(void *arg)
{
	unsigned int vcpu = (uintptr_t)arg;

	for (int i = 0; i < ROUNDS; i++) {
		KRUN(vcpu, FLUSH, NOP, TLBIE, TLBIE);
		KRUN(vcpu, HELPER, TLBWE);
		if (vcpu == 3 && i % 1000 == 0)
			KRUN(vcpu, MARK, NOP);
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
	double sum = 0, calls = 0;
	char key[64];

	ok(play_ok(scene_threads, "arch=ppc", "calls=flush_hash_pages", NULL), "a run ends well");
	expect(w, "marks", ROUNDS / 1000);
	expect(w, "tlbie", 8 * ROUNDS);
	expect(w, "func.helper.isra.0.tlbwe", 4 * ROUNDS);
	expect(w, "calls.flush_hash_pages", 4 * ROUNDS);
	for (int i = 0; i <= ROUNDS / 1000; i++) {
		snprintf(key, sizeof(key), "mark%d.func.flush_hash_pages.tlbie", i);
		sum += value(key) > 0 ? value(key) : 0;
		snprintf(key, sizeof(key), "mark%d.calls.flush_hash_pages", i);
		calls += value(key) > 0 ? value(key) : 0;
	}
	ok(sum == 8 * ROUNDS && calls == 4 * ROUNDS, "four threads: the intervals add up");
}

static void test_refusals(void)
{
	const char *map = arg_path("map", "System.map"), *out = arg_path("out", "out");
	const char *nomap = arg_path("map", "nowhere"), *badout = arg_path("out", "no/such/out");
	const char *ppc = "arch=ppc";

	refuse("no arch", "arch=", "ppc", ARGS(map, out));
	refuse("no map", "map=", "ppc", ARGS(ppc, out));
	refuse("no out", "out=", "ppc", ARGS(ppc, map));
	refuse("unknown arch", "arch=arm", "arm", ARGS("arch=arm", map, out));
	refuse("another target", "or1k", "or1k", ARGS(ppc, map, out));
	refuse("missing map", "nowhere", "ppc", ARGS(ppc, nomap, out));
	refuse("unwritable out", "no/such/out", "ppc", ARGS(ppc, map, badout));
	refuse("unknown argument", "colour=red", "ppc", ARGS(ppc, map, out, "colour=red"));
	refuse("argument without value", "calls=", "ppc", ARGS(ppc, map, out, "calls="));
	refuse("bare word", "verbose", "ppc", ARGS(ppc, map, out, "verbose"));
	refuse("unknown function", "nobody", "ppc",
	       ARGS(ppc, map, out, "calls=helper:nobody"));
	refuse("unknown mark", "nobody", "ppc", ARGS(ppc, map, out, "mark=nobody"));
	refuse("no mark", "nobody", "ppc", ARGS(ppc, map, out, "mark=nobody?"));
	refuse("two marks", "mark", "ppc", ARGS(ppc, map, out, "mark=helper:create_hpte"));
}

static int decode(const char *arch)
{
	const struct machine *m = machine_find(arch);
	unsigned int w;

	if (!m) {
		fprintf(stderr, "unknown architecture %s\n", arch);
		return 2;
	}
	while (scanf("%x", &w) == 1) {
		int op = machop_decode(m, w);

		printf("%s %s\n", op < 0 ? "none" : m->op[op].kind,
		       op < 0 ? "none" : opclass_names[m->op[op].class]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--decode"))
		return decode(argv[2]);
	if (argc != 2) {
		fprintf(stderr, "usage: %s tlbops.so | --decode ARCH <WORDS\n", argv[0]);
		return 2;
	}
	test_begin(argv[0], argv[1], "ppc");
	write_file("System.map", map_text);
	fake_big_endian = true;

	test_intervals();
	test_threads();
	test_nios2();
	test_refusals();
	return test_end();
}
