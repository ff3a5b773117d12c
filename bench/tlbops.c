// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU TCG plugin that counts the TLB instructions of nios2, powerpc (32
 * bit) and or1k guests, by kernel function and in intervals that begin at each
 * call of one function.  README.rst describes arguments, output and limits.
 *
 * A callback takes one mutex: counts and intervals are exact with a thread per
 * CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin_api.h"
#include "plugin_util.h"
#include "symmap.h"
#include "tlbop_mach.h"

const char plugin_name[] = "tlbops";
PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API_VERSION;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
				      int argc, char **argv);

/* nios2: physical memory as the kernel sees it, cached; no translation. */
#define NIOS2_KERNEL_REGION	0xc0000000u
#define NIOS2_KERNEL_REGION_END	0xe0000000u

/* A place that is counted: an instruction, or the entry of a function. */
struct site {
	struct site *next;
	uint32_t addr;
	uintptr_t host;
	int op;				/* row of the table; -1: entry of a function */
	const struct symbol *sym;	/* the function that is entered */
	uint64_t count, total;		/* since the last mark, before it */
};

/* What one site did in one interval. */
struct record {
	uint64_t interval, count;
	const struct site *site;
};

/* What one function did, in an interval or in all. */
struct tally {
	const struct symbol *sym;	/* NULL: not in kernel text */
	uint64_t entries, ops[MACH_MAX_OPS];
};

static struct {
	pthread_mutex_t lock;
	const struct machine *mach;
	struct symmap map;
	struct site *sites;
	uint32_t mark_addr;
	char *mark_missing, *calls_missing;
	uint64_t marks;
	struct record *rec;
	size_t nr_rec, room_rec;
	/* Of kernel text: where QEMU keeps it, minus its address. */
	uintptr_t text_at;
	bool have_text;
	FILE *out;
} g = { .lock = PTHREAD_MUTEX_INITIALIZER };

/*
 * The link address of an instruction, if it is kernel text.  Code that runs
 * with translation off (exception entry, create_hpte) has a program counter
 * below the kernel, where user programs may be as well: what decides is that
 * it is the same memory as kernel text.
 */
static const struct symbol *find_sym(uint32_t addr, uintptr_t host, uint32_t *link)
{
	*link = addr;
	if (addr < g.map.kernel_base) {
		if (!g.have_text || !host || host - g.text_at > UINT32_MAX)
			return NULL;
		*link = host - g.text_at;
	}
	return symmap_find(&g.map, *link);
}

/* -------------------------------------------------------------- execution */

static void on_site(unsigned int vcpu, void *data)
{
	struct site *s = data;

	(void)vcpu;
	pthread_mutex_lock(&g.lock);
	s->count++;
	pthread_mutex_unlock(&g.lock);
}

static void end_interval(void)
{
	for (struct site *s = g.sites; s; s = s->next) {
		if (!s->count)
			continue;
		if (g.nr_rec == g.room_rec) {
			g.room_rec = g.room_rec ? 2 * g.room_rec : 1024;
			g.rec = realloc(g.rec, g.room_rec * sizeof(*g.rec));
			if (!g.rec) {
				complain("out of memory");
				abort();
			}
		}
		g.rec[g.nr_rec++] = (struct record){ g.marks, s->count, s };
		s->total += s->count;
		s->count = 0;
	}
}

static void on_mark(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	pthread_mutex_lock(&g.lock);
	end_interval();
	g.marks++;
	pthread_mutex_unlock(&g.lock);
}

/* ------------------------------------------------------------ translation */

/* One site per place and kind, however often it is translated. */
static struct site *site_get(uint32_t addr, uintptr_t host, int op)
{
	struct site *s;

	for (s = g.sites; s; s = s->next)
		if (s->addr == addr && s->host == host && s->op == op)
			return s;
	s = calloc(1, sizeof(*s));
	if (!s) {
		complain("out of memory");
		abort();
	}
	s->addr = addr;
	s->host = host;
	s->op = op;
	s->next = g.sites;
	g.sites = s;
	return s;
}

static bool get_word(const struct qemu_plugin_insn *insn, uint32_t addr, uint32_t *word)
{
	const void *host;

	switch (qemu_plugin_insn_size(insn)) {
	case 4:
		*word = plugin_insn_word(insn, g.mach->big_endian);
		return true;
	case 0:
		/*
		 * QEMU 7.2 does not pass nios2 instructions on; look at the
		 * guest's memory.  There may be a device elsewhere.
		 */
		host = qemu_plugin_insn_haddr(insn);
		if (!host || addr < NIOS2_KERNEL_REGION || addr >= NIOS2_KERNEL_REGION_END)
			return false;
		memcpy(word, host, sizeof(*word));
		return true;
	default:
		return false;
	}
}

static struct site *entry_site(uint32_t link)
{
	for (struct site *s = g.sites; s; s = s->next)
		if (s->sym && s->sym->addr == link)
			return s;
	return NULL;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	pthread_mutex_lock(&g.lock);
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uintptr_t host = (uintptr_t)qemu_plugin_insn_haddr(insn);
		uint32_t addr = qemu_plugin_insn_vaddr(insn), link, word;
		const struct symbol *sym = find_sym(addr, host, &link);
		struct site *s;
		int op;

		if (sym && host && link == addr) {
			g.text_at = host - addr;
			g.have_text = true;
		}
		/* an instruction at a mark belongs to the interval that begins */
		if (sym && link == g.mark_addr)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		s = sym && link == sym->addr ? entry_site(link) : NULL;
		if (s)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_site,
							       QEMU_PLUGIN_CB_NO_REGS, s);
		if (!get_word(insn, addr, &word))
			continue;
		op = machop_decode(g.mach, word);
		if (op >= 0)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_site,
							       QEMU_PLUGIN_CB_NO_REGS,
							       site_get(addr, host, op));
	}
	pthread_mutex_unlock(&g.lock);
}

/* ----------------------------------------------------------------- output */

static void add_to_tally(struct tally **list, size_t *nr, const struct site *s, uint64_t count)
{
	uint32_t link;
	const struct symbol *sym = s->sym ? s->sym : find_sym(s->addr, s->host, &link);
	struct tally *t;
	size_t i;

	for (i = 0; i < *nr && (*list)[i].sym != sym; i++)
		;
	if (i == *nr) {
		t = realloc(*list, (*nr + 1) * sizeof(*t));
		if (!t) {
			complain("out of memory");
			abort();
		}
		*list = t;
		memset(&t[(*nr)++], 0, sizeof(*t));
		t[i].sym = sym;
	}
	t = &(*list)[i];
	if (s->sym)
		t->entries += count;
	else
		t->ops[s->op] += count;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = ((const struct tally *)a)->sym, *y = ((const struct tally *)b)->sym;

	if (!x || !y)
		return x ? 1 : -1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Of kinds and classes only those that occurred. */
static void put(const char *prefix, struct tally *list, size_t nr)
{
	uint64_t kind[MACH_MAX_OPS] = { 0 }, class[OP_CLASSES] = { 0 };

	if (nr)
		qsort(list, nr, sizeof(*list), by_address);
	for (size_t i = 0; i < nr; i++)
		for (unsigned int k = 0; k < g.mach->nr_ops; k++) {
			kind[k] += list[i].ops[k];
			class[g.mach->op[k].class] += list[i].ops[k];
		}
	for (unsigned int k = 0; k < g.mach->nr_ops; k++)
		if (kind[k])
			fprintf(g.out, "%s%s=%" PRIu64 "\n", prefix, g.mach->op[k].kind, kind[k]);
	for (unsigned int c = 0; c < OP_CLASSES; c++)
		if (class[c])
			fprintf(g.out, "%sclass.%s=%" PRIu64 "\n", prefix, opclass_names[c],
				class[c]);
	for (size_t i = 0; i < nr; i++)
		for (unsigned int k = 0; k < g.mach->nr_ops; k++)
			if (list[i].ops[k])
				fprintf(g.out, "%sfunc.%s.%s=%" PRIu64 "\n", prefix,
					list[i].sym ? list[i].sym->name : "unknown",
					g.mach->op[k].kind, list[i].ops[k]);
	for (size_t i = 0; i < nr; i++)
		if (list[i].entries)
			fprintf(g.out, "%scalls.%s=%" PRIu64 "\n", prefix, list[i].sym->name,
				list[i].entries);
	free(list);
}

static void on_exit_qemu(qemu_plugin_id_t id, void *data)
{
	struct tally *list = NULL;
	size_t nr = 0;

	(void)id;
	(void)data;
	pthread_mutex_lock(&g.lock);
	end_interval();
	fprintf(g.out, "tlbops=1\narch=%s\nmarks=%" PRIu64 "\ncalls_missing=%s\n",
		g.mach->name, g.marks, g.calls_missing ? g.calls_missing : "");
	for (const struct site *s = g.sites; s; s = s->next)
		if (s->total)
			add_to_tally(&list, &nr, s, s->total);
	put("", list, nr);
	for (size_t i = 0; i < g.nr_rec;) {
		uint64_t interval = g.rec[i].interval;
		char prefix[32];

		list = NULL;
		nr = 0;
		for (; i < g.nr_rec && g.rec[i].interval == interval; i++)
			add_to_tally(&list, &nr, g.rec[i].site, g.rec[i].count);
		snprintf(prefix, sizeof(prefix), "mark%" PRIu64 ".", interval);
		put(prefix, list, nr);
	}
	fprintf(g.out, "end=1\n");
	if (fclose(g.out))
		complain("out: %s", strerror(errno));
	pthread_mutex_unlock(&g.lock);
}

/* -------------------------------------------------------------- arguments */

static int add_mark(const struct symbol *sym)
{
	if (g.mark_addr && g.mark_addr != sym->addr)
		return complain("mark: more than one function %s", sym->name);
	g.mark_addr = sym->addr;
	return 0;
}

static int add_call(const struct symbol *sym)
{
	struct site *s = site_get(sym->addr, 0, -1);

	/* of several names of one place, the one that was asked for first */
	if (!s->sym)
		s->sym = sym;
	return 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	const char *arch = NULL, *map = NULL, *out = NULL, *calls = NULL, *why;
	const char *mark = "vm_unmap_aliases";
	const struct plugin_arg known[] = {
		{ "arch", &arch }, { "map", &map }, { "out", &out },
		{ "mark", &mark }, { "calls", &calls },
	};

	if (plugin_parse(known, sizeof(known) / sizeof(known[0]), argc, argv))
		return -1;
	if (!arch || !map || !out)
		return complain("%s is missing", !arch ? "arch=nios2|ppc|or1k" :
				!map ? "map=SYSTEM.MAP" : "out=FILE");
	g.mach = machine_find(arch);
	if (!g.mach)
		return complain("arch=%s is not nios2, ppc or or1k", arch);
	/* qemu-system-ppc64 has all the 32-bit machines, too */
	if (!info->system_emulation || (strcmp(info->target_name, arch) &&
	    !(!strcmp(arch, "ppc") && !strcmp(info->target_name, "ppc64"))))
		return complain("arch=%s is for qemu-system-%s, not for target %s", arch, arch,
				info->target_name);
	why = symmap_load(&g.map, map);
	if (why)
		return complain("%s", why);
	if (plugin_select(&g.map, map, mark, add_mark, &g.mark_missing) ||
	    (calls && plugin_select(&g.map, map, calls, add_call, &g.calls_missing)))
		return -1;
	if (!g.mark_addr)
		return complain("mark: no function %s in %s", mark, map);
	/* Last, so that a refused start leaves old results alone. */
	if (plugin_open(&g.out, out) || plugin_empty(g.out, out))
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_qemu, NULL);
	return 0;
}
