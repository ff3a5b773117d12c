// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU TCG plugin that counts the TLB maintenance instructions an ARM guest
 * executes.  README.rst describes arguments, output and limits.
 *
 * Cost: callbacks sit on TLB instructions and on the entry and exit of the
 * flush functions only, and take one mutex.  That is small against what QEMU
 * does for one invalidate, and it makes the counts exact with a thread per
 * CPU.  The TLB model is another matter: it sees every memory access, so its
 * state is per CPU and without locks.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plugin_api.h"
#include "plugin_util.h"
#include "symmap.h"
#include "tlbmodel.h"
#include "tlbop.h"

const char plugin_name[] = "tlbcount";
PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API_VERSION;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
				      int argc, char **argv);

#define PAGE_SHIFT	12
/* Deeper nesting of flush functions on one CPU than any kernel shows. */
#define MAX_OPEN	16
#define MAX_BODY	4
#define DEFAULT_LOG_MAX	65536

static const char default_funcs[] =
	"v7wbi_flush_kern_tlb_range?:v7wbi_flush_user_tlb_range?:"
	"v6wbi_flush_kern_tlb_range?:v4wbi_flush_kern_tlb_range?:"
	"arch_flush_tlb_kernel_ranges?:arch_flush_tlb_kernel_all?:"
	"flush_tlb_all?:flush_tlb_mm?:flush_tlb_page?:flush_tlb_kernel_page?:"
	"ipi_flush_tlb_all?:ipi_flush_tlb_mm?:ipi_flush_tlb_page?:"
	"ipi_flush_tlb_kernel_page?";

static const char *const kind_names[TLBOP_KINDS] = {
	[TLBOP_PAGE_BC] = "page_broadcast",
	[TLBOP_PAGE_LOCAL] = "page_local",
	[TLBOP_FULL_BC] = "full_broadcast",
	[TLBOP_FULL_LOCAL] = "full_local",
	[TLBOP_ASID_BC] = "asid_broadcast",
	[TLBOP_ASID_LOCAL] = "asid_local",
	[TLBOP_OTHER] = "other",
};

enum call_end { END_RETURN, END_STOP, END_EXIT };

static const char *const end_names[] = { "return", "stop", "exit" };

struct body {
	uint32_t start, end;
};

struct flushfn {
	const char *name;
	struct body body[MAX_BODY];	/* [0] is where calls enter */
	unsigned int nr_bodies;
	/* since the start marker */
	uint64_t ops[TLBOP_KINDS];
	uint64_t calls, calls_ops, calls_with_ops;
	uint64_t carried, orphans;
	uint64_t max_ops, max_pages, max_inclusive;
	int64_t max_ns;
};

struct call {
	struct flushfn *fn;
	uint64_t seq;
	unsigned int vcpu;
	uint64_t page, full, asid, other, inclusive, broadcast;
	int64_t first_ns, last_ns;
	bool counted;		/* false: entered before the start marker */
	bool maybe_left;	/* at a conditional return, outcome not seen yet */
	const struct flushfn *tail;	/* left by a jump to this flush function */
	bool moved;		/* ran on more than one CPU */
};

enum site_type { SITE_OP, SITE_ENTRY, SITE_LEAVE, SITE_BODY, SITE_MARK };

struct site {
	struct site *next;
	uint32_t addr, word;
	enum site_type type;
	/* SITE_OP */
	enum tlbop_kind kind;
	const struct symbol *sym;	/* NULL: not in kernel text */
	bool studied;			/* the model's two copies differ in this one */
	bool undecided;			/* conditional, condition not known */
	uint64_t count;			/* since the start marker */
	/* all but SITE_MARK; for SITE_OP NULL outside of the flush functions */
	struct flushfn *fn;
	/* SITE_LEAVE */
	bool conditional;
	const struct flushfn *tail;	/* jumps to another flush function */
};

struct vcpu {
	uint64_t ops[TLBOP_KINDS];
	struct call open[MAX_OPEN];
	unsigned int nr_open;
	atomic_uint nr_maybe;		/* open calls with maybe_left */

	/* model: flushes posted by any CPU, applied by the owner */
	_Alignas(64) atomic_uint_fast64_t posted, posted_other;
	atomic_uint_fast64_t start_at, start_other_at, stop_at;
	/* the owner's */
	struct tlbpair pair;
	uint64_t applied, applied_other;
	unsigned int epoch;
};

static struct {
	pthread_mutex_t lock;
	struct symmap map;
	struct flushfn *fn;
	unsigned int nr_fns;
	char *missing;
	struct site *sites[1024];
	struct vcpu *vcpu;
	unsigned int nr_vcpus;
	uint32_t tlb_flags;
	bool have_tlb_flags;
	atomic_bool counting;
	uint64_t starts, stops;
	uint64_t undecided[TLBOP_KINDS];
	uint64_t seq, overflow, dup_open;
	atomic_bool thumb_kernel;
	FILE *out, *log;
	uint64_t log_nr, log_max, log_dropped;
	struct call *log_calls;
	enum call_end *log_end;
	/* model */
	const struct tlbgeom *geom;
	char *model_funcs;		/* NULL: every full flush is under study */
	uint32_t lowmem_start, lowmem_end;
	unsigned int section_shift;
	atomic_uint epoch;
} g = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* -------------------------------------------------------------- functions */

static bool in_body(const struct flushfn *fn, uint32_t addr)
{
	for (unsigned int i = 0; i < fn->nr_bodies; i++)
		if (addr >= fn->body[i].start && addr < fn->body[i].end)
			return true;
	return false;
}

static struct flushfn *fn_at(uint32_t addr)
{
	for (unsigned int i = 0; i < g.nr_fns; i++)
		if (in_body(&g.fn[i], addr))
			return &g.fn[i];
	return NULL;
}

/* ------------------------------------------------------------------ calls */

static struct call *top_call(struct vcpu *v, const struct flushfn *fn)
{
	for (unsigned int i = v->nr_open; i--;)
		if (v->open[i].fn == fn)
			return &v->open[i];
	return NULL;
}

static void record_call(const struct call *c, enum call_end end)
{
	struct flushfn *fn = c->fn;
	uint64_t ops = c->page + c->full + c->asid + c->other;

	if (!c->counted)
		return;
	fn->calls_ops += ops;
	fn->calls_with_ops += ops > 0;
	if (c->inclusive > fn->max_inclusive)
		fn->max_inclusive = c->inclusive;
	if (c->page > fn->max_pages)
		fn->max_pages = c->page;
	if (ops > fn->max_ops) {
		fn->max_ops = ops;
		fn->max_ns = c->last_ns - c->first_ns;
	}
	if (!g.log_max)
		return;
	if (g.log_nr == g.log_max) {
		g.log_dropped++;
		return;
	}
	g.log_calls[g.log_nr] = *c;
	g.log_end[g.log_nr++] = end;
}

static void remove_call(struct vcpu *v, struct call *c)
{
	if (c->maybe_left)
		atomic_fetch_sub(&v->nr_maybe, 1);
	v->nr_open--;
	memmove(c, c + 1, (size_t)(&v->open[v->nr_open] - c) * sizeof(*c));
}

static void close_call(struct vcpu *v, struct call *c)
{
	const struct flushfn *gone = c->fn;

	record_call(c, END_RETURN);
	remove_call(v, c);
	/* a return of a function is a return of the one that jumped to it */
	while (c-- > v->open && c->tail == gone) {
		gone = c->fn;
		record_call(c, END_RETURN);
		remove_call(v, c);
	}
}

/* Something else runs here now: conditional returns before it were taken. */
static void settle(struct vcpu *v, const struct flushfn *except)
{
	if (!atomic_load_explicit(&v->nr_maybe, memory_order_relaxed))
		return;
	for (unsigned int i = v->nr_open; i--;)
		if (i < v->nr_open && v->open[i].maybe_left && v->open[i].fn != except)
			close_call(v, &v->open[i]);
}

/*
 * The call of @fn that runs on @v.  A preempted task may go on on another CPU
 * in the middle of a call: if just one call is open elsewhere, it is that one.
 */
static struct call *running_call(struct vcpu *v, const struct flushfn *fn)
{
	struct call *c = top_call(v, fn), copy;
	struct vcpu *from = NULL;

	if (c)
		return c;
	for (unsigned int i = 0; i < g.nr_vcpus; i++)
		for (unsigned int j = 0; j < g.vcpu[i].nr_open; j++)
			if (g.vcpu[i].open[j].fn == fn) {
				if (c)
					return NULL;
				from = &g.vcpu[i];
				c = &from->open[j];
			}
	if (!c || v->nr_open == MAX_OPEN)
		return NULL;
	copy = *c;
	remove_call(from, c);
	copy.moved = true;
	copy.maybe_left = false;
	copy.tail = NULL;
	v->open[v->nr_open] = copy;
	return &v->open[v->nr_open++];
}

static void on_entry(unsigned int vcpu, void *data)
{
	struct vcpu *v = &g.vcpu[vcpu];
	struct site *s = data;
	struct call *c;

	pthread_mutex_lock(&g.lock);
	settle(v, NULL);
	if (top_call(v, s->fn))
		g.dup_open++;
	if (v->nr_open == MAX_OPEN) {
		/* lost track: let the oldest go rather than the newest */
		g.overflow++;
		record_call(&v->open[0], END_RETURN);
		remove_call(v, &v->open[0]);
	}
	c = &v->open[v->nr_open++];
	memset(c, 0, sizeof(*c));
	c->fn = s->fn;
	c->vcpu = vcpu;
	c->counted = atomic_load(&g.counting);
	if (c->counted) {
		c->seq = g.seq++;
		s->fn->calls++;
	}
	pthread_mutex_unlock(&g.lock);
}

static void on_leave(unsigned int vcpu, void *data)
{
	struct vcpu *v = &g.vcpu[vcpu];
	struct site *s = data;
	struct call *c;

	pthread_mutex_lock(&g.lock);
	settle(v, s->fn);
	c = running_call(v, s->fn);
	if (c && s->conditional) {
		if (!c->maybe_left)
			atomic_fetch_add(&v->nr_maybe, 1);
		c->maybe_left = true;
	} else if (c && s->tail) {
		c->tail = s->tail;
	} else if (c) {
		close_call(v, c);
	}
	pthread_mutex_unlock(&g.lock);
}

/* Control is (back) in the body: a conditional return was not taken. */
static void on_body(unsigned int vcpu, void *data)
{
	struct vcpu *v = &g.vcpu[vcpu];
	struct site *s = data;
	struct call *c;

	if (!atomic_load_explicit(&v->nr_maybe, memory_order_relaxed))
		return;
	pthread_mutex_lock(&g.lock);
	c = top_call(v, s->fn);
	if (c && c->maybe_left) {
		c->maybe_left = false;
		atomic_fetch_sub(&v->nr_maybe, 1);
	}
	pthread_mutex_unlock(&g.lock);
}

/* ------------------------------------------------------------- operations */

static void post_flush(unsigned int vcpu, const struct site *s)
{
	bool bc = tlbop_is_broadcast(s->kind);

	for (unsigned int i = 0; i < g.nr_vcpus; i++)
		if (bc || i == vcpu)
			atomic_fetch_add(s->studied ? &g.vcpu[i].posted :
					 &g.vcpu[i].posted_other, 1);
}

static void add_op(struct call *c, enum tlbop_kind k)
{
	if (tlbop_is_page(k))
		c->page++;
	else if (tlbop_is_full(k))
		c->full++;
	else if (k == TLBOP_OTHER)
		c->other++;
	else
		c->asid++;
	c->broadcast += tlbop_is_broadcast(k);
	c->last_ns = now_ns();
	if (!c->first_ns)
		c->first_ns = c->last_ns;
}

static void on_op(unsigned int vcpu, void *data)
{
	struct vcpu *v = &g.vcpu[vcpu];
	struct site *s = data;
	struct call *c = NULL;

	pthread_mutex_lock(&g.lock);
	if (s->undecided) {
		if (atomic_load(&g.counting))
			g.undecided[s->kind]++;
		goto out;
	}
	if (g.geom && tlbop_is_full(s->kind))
		post_flush(vcpu, s);
	settle(v, s->fn);
	/* also while stopped: it keeps track of where calls run */
	if (s->fn)
		c = running_call(v, s->fn);
	if (!atomic_load(&g.counting))
		goto out;
	s->count++;
	v->ops[s->kind]++;
	for (unsigned int i = 0; i < v->nr_open; i++)
		v->open[i].inclusive += !v->open[i].maybe_left;
	if (!s->fn)
		goto out;
	s->fn->ops[s->kind]++;
	if (!c)
		s->fn->orphans++;
	else if (!c->counted)
		s->fn->carried++;
	else
		add_op(c, s->kind);
out:
	pthread_mutex_unlock(&g.lock);
}

/* ---------------------------------------------------------------- markers */

static void on_start(void)
{
	memset(g.undecided, 0, sizeof(g.undecided));
	g.seq = g.overflow = g.dup_open = 0;
	g.log_nr = g.log_dropped = 0;
	for (unsigned int i = 0; i < g.nr_fns; i++) {
		struct flushfn *fn = &g.fn[i];

		memset(fn->ops, 0, sizeof(fn->ops));
		fn->calls = fn->calls_ops = fn->calls_with_ops = 0;
		fn->carried = fn->orphans = 0;
		fn->max_ops = fn->max_pages = fn->max_inclusive = 0;
		fn->max_ns = 0;
	}
	for (unsigned int i = 0; i < 1024; i++)
		for (struct site *s = g.sites[i]; s; s = s->next)
			s->count = 0;
	for (unsigned int i = 0; i < g.nr_vcpus; i++) {
		struct vcpu *v = &g.vcpu[i];

		memset(v->ops, 0, sizeof(v->ops));
		for (unsigned int j = 0; j < v->nr_open; j++)
			v->open[j].counted = false;
		atomic_store(&v->start_at, atomic_load(&v->posted));
		atomic_store(&v->start_other_at, atomic_load(&v->posted_other));
		atomic_store(&v->stop_at, UINT64_MAX);
	}
	atomic_store(&g.counting, true);
	atomic_fetch_add(&g.epoch, 1);
	g.starts++;
}

static void record_open(enum call_end end)
{
	for (unsigned int i = 0; i < g.nr_vcpus; i++)
		for (unsigned int j = 0; j < g.vcpu[i].nr_open; j++) {
			struct call *c = &g.vcpu[i].open[j];

			record_call(c, c->maybe_left ? END_RETURN : end);
			c->counted = false;
		}
}

static void on_stop(void)
{
	g.stops++;
	if (!atomic_load(&g.counting))
		return;
	record_open(END_STOP);
	for (unsigned int i = 0; i < g.nr_vcpus; i++)
		atomic_store(&g.vcpu[i].stop_at, atomic_load(&g.vcpu[i].posted));
	atomic_store(&g.counting, false);
}

static void on_mark(unsigned int vcpu, void *data)
{
	struct site *s = data;

	(void)vcpu;
	pthread_mutex_lock(&g.lock);
	if (s->word == MARK_START)
		on_start();
	else
		on_stop();
	pthread_mutex_unlock(&g.lock);
}

/* ------------------------------------------------------------------ model */

static uint32_t model_key(uint32_t va)
{
	/* bit 24 keeps section numbers apart from page numbers */
	if (va >= g.lowmem_start && va < g.lowmem_end)
		return va >> g.section_shift | 1u << 24;
	return va >> PAGE_SHIFT;
}

static void model_catch_up(struct vcpu *v)
{
	uint32_t high = g.map.kernel_base >> PAGE_SHIFT;
	unsigned int epoch = atomic_load(&g.epoch);
	uint64_t posted, other, stop;

	if (epoch != v->epoch) {
		uint64_t at = atomic_load(&v->start_at);
		uint64_t other_at = atomic_load(&v->start_other_at);

		if (other_at > v->applied_other) {
			tlbpair_flush_both(&v->pair);
			v->applied_other = other_at;
		}
		if (at > v->applied) {
			tlbpair_flush(&v->pair, at - v->applied, high, false);
			v->applied = at;
		}
		tlbpair_restart(&v->pair);
		v->epoch = epoch;
	}
	posted = atomic_load(&v->posted);
	other = atomic_load(&v->posted_other);
	stop = atomic_load(&v->stop_at);
	if (posted > v->applied) {
		uint64_t upto = posted < stop ? posted : stop;

		if (upto > v->applied) {
			tlbpair_flush(&v->pair, upto - v->applied, high, true);
			v->applied = upto;
		}
		tlbpair_flush(&v->pair, posted - v->applied, high, false);
		v->applied = posted;
	}
	if (other > v->applied_other) {
		tlbpair_flush_both(&v->pair);
		v->applied_other = other;
	}
}

static void model_touch(struct vcpu *v, uint32_t va)
{
	if (atomic_load_explicit(&v->posted, memory_order_acquire) != v->applied ||
	    atomic_load_explicit(&v->posted_other, memory_order_acquire) != v->applied_other ||
	    atomic_load_explicit(&g.epoch, memory_order_acquire) != v->epoch)
		model_catch_up(v);
	tlbpair_touch(&v->pair, model_key(va),
		      atomic_load_explicit(&g.counting, memory_order_relaxed));
}

static void on_fetch(unsigned int vcpu, void *data)
{
	model_touch(&g.vcpu[vcpu], (uint32_t)(uintptr_t)data);
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t va, void *data)
{
	(void)info;
	(void)data;
	model_touch(&g.vcpu[vcpu], va);
}

/* ------------------------------------------------------------ translation */

/*
 * One site per place and instruction, however often QEMU translates it and on
 * however many CPUs at a time; call with the lock held.
 */
static struct site *site_get(uint32_t addr, uint32_t word, enum site_type type, bool *fresh)
{
	struct site **head = &g.sites[(addr >> 2) % 1024], *s;

	*fresh = false;
	for (s = *head; s; s = s->next)
		if (s->addr == addr && s->word == word && s->type == type)
			return s;
	s = calloc(1, sizeof(*s));
	if (!s) {
		complain("out of memory");
		abort();
	}
	s->addr = addr;
	s->word = word;
	s->type = type;
	s->next = *head;
	*head = s;
	*fresh = true;
	return s;
}

static bool in_list(const char *list, const char *name)
{
	char *copy = strdup(list), *save = NULL;
	bool found = false;

	for (char *w = strtok_r(copy, ":", &save); w && !found; w = strtok_r(NULL, ":", &save))
		found = symbol_matches(name, w);
	free(copy);
	return found;
}

/* Returns NULL for an instruction known never to execute. */
static struct site *op_site(uint32_t addr, uint32_t word, uint32_t prev, enum tlbop_kind k)
{
	bool fresh, taken = true, undecided = false;
	struct site *s;
	uint32_t imm;

	if (insn_cond(word) != COND_AL) {
		/*
		 * Callbacks come before the condition is evaluated, and this
		 * version of the interface cannot read the flags.  The kernel
		 * tests a constant of the machine right in front.
		 */
		if (g.have_tlb_flags && insn_cond(word) == COND_NE &&
		    insn_is_tst_imm(prev, &imm))
			taken = imm & g.tlb_flags;
		else
			undecided = true;
	}
	/*
	 * The decompressor has conditional ones for every core it may meet;
	 * it is no part of what is measured and cannot be decided.
	 */
	if (!taken || (undecided && !symmap_find(&g.map, addr)))
		return NULL;
	s = site_get(addr, word, SITE_OP, &fresh);
	if (fresh) {
		s->kind = k;
		s->sym = symmap_find(&g.map, addr);
		s->fn = fn_at(addr);
		s->undecided = undecided;
		s->studied = !g.model_funcs ||
			     (s->sym && in_list(g.model_funcs, s->sym->name));
	}
	return s;
}

static struct site *leave_site(uint32_t addr, uint32_t word, uint32_t prev, struct flushfn *fn)
{
	struct flushfn *to = NULL;
	uint32_t target = 0;
	enum leave_kind l;
	struct site *s;
	bool fresh;

	l = insn_leaves(word, prev, addr, &target);
	if (l == LEAVE_NO)
		return NULL;
	if (l == LEAVE_BRANCH) {
		if (in_body(fn, target))
			return NULL;
		to = fn_at(target);
		if (to && target != to->body[0].start)
			to = NULL;
	}
	s = site_get(addr, word, SITE_LEAVE, &fresh);
	if (fresh) {
		s->fn = fn;
		s->conditional = insn_cond(word) != COND_AL;
		/*
		 * A conditional jump to a flush function ends its call at
		 * once; it only loses its share of "inclusive".
		 */
		s->tail = s->conditional ? NULL : to;
	}
	return s;
}

static void add_fn_callbacks(struct qemu_plugin_insn *insn, uint32_t addr, uint32_t word,
			     uint32_t prev, bool first, struct flushfn *fn,
			     enum tlbop_kind k)
{
	struct site *s;
	bool fresh;

	if (addr == fn->body[0].start) {
		s = site_get(addr, word, SITE_ENTRY, &fresh);
		s->fn = fn;
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_entry,
						       QEMU_PLUGIN_CB_NO_REGS, s);
	} else if (first) {
		s = site_get(addr, word, SITE_BODY, &fresh);
		s->fn = fn;
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_body,
						       QEMU_PLUGIN_CB_NO_REGS, s);
	}
	if (k != TLBOP_NONE)
		return;
	s = leave_site(addr, word, prev, fn);
	if (s)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_leave,
						       QEMU_PLUGIN_CB_NO_REGS, s);
}

static void count_in_tb(struct qemu_plugin_tb *tb, size_t n)
{
	uint32_t prev = 0;

	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t addr = qemu_plugin_insn_vaddr(insn);
		uint32_t word;
		enum tlbop_kind k;
		struct flushfn *fn;
		struct site *s;
		bool fresh;

		if (qemu_plugin_insn_size(insn) != 4) {
			if (symmap_find(&g.map, addr))
				atomic_store(&g.thumb_kernel, true);
			prev = 0;
			continue;
		}
		word = plugin_insn_word(insn, false);
		k = tlbop_decode(word);
		fn = fn_at(addr);
		if (k == TLBOP_NONE && !fn && word != MARK_START && word != MARK_STOP) {
			prev = word;
			continue;
		}
		pthread_mutex_lock(&g.lock);
		if (fn)
			add_fn_callbacks(insn, addr, word, prev, !i, fn, k);
		if (k != TLBOP_NONE) {
			s = op_site(addr, word, prev, k);
			if (s)
				qemu_plugin_register_vcpu_insn_exec_cb(insn, on_op,
								       QEMU_PLUGIN_CB_NO_REGS, s);
		}
		if (word == MARK_START || word == MARK_STOP) {
			s = site_get(addr, word, SITE_MARK, &fresh);
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
							       QEMU_PLUGIN_CB_NO_REGS, s);
		}
		pthread_mutex_unlock(&g.lock);
		prev = word;
	}
}

static void model_in_tb(struct qemu_plugin_tb *tb, size_t n)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
	uint32_t first = qemu_plugin_insn_vaddr(insn), last;

	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_fetch, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)first);
	for (size_t i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	}
	last = qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn) - 1;
	if (first >> PAGE_SHIFT != last >> PAGE_SHIFT)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_fetch, QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(uintptr_t)last);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	if (!n)
		return;
	count_in_tb(tb, n);
	if (g.geom)
		model_in_tb(tb, n);
}

/* ----------------------------------------------------------------- output */

struct symcount {
	const char *name;
	uint64_t ops[TLBOP_KINDS], total;
};

static int by_count(const void *a, const void *b)
{
	const struct symcount *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return strcmp(x->name, y->name);
}

static uint64_t put_kinds(const char *prefix, const uint64_t *ops)
{
	uint64_t sum = 0;

	for (int k = 0; k < TLBOP_KINDS; k++) {
		fprintf(g.out, "%s%s=%" PRIu64 "\n", prefix, kind_names[k], ops[k]);
		sum += ops[k];
	}
	return sum;
}

static void put_symbols(void)
{
	struct symcount *list = NULL;
	size_t nr = 0;

	for (unsigned int i = 0; i < 1024; i++)
		for (struct site *s = g.sites[i]; s; s = s->next) {
			const char *name = s->sym ? s->sym->name : "unknown";
			struct symcount *l;
			size_t j;

			if (s->type != SITE_OP || !s->count)
				continue;
			for (j = 0; j < nr && strcmp(list[j].name, name); j++)
				;
			if (j == nr) {
				l = realloc(list, (nr + 1) * sizeof(*list));
				if (!l)
					goto out;
				list = l;
				memset(&list[nr], 0, sizeof(*list));
				list[nr++].name = name;
			}
			list[j].ops[s->kind] += s->count;
			list[j].total += s->count;
		}
	if (nr)
		qsort(list, nr, sizeof(*list), by_count);
	for (size_t j = 0; j < nr; j++) {
		char prefix[800];

		fprintf(g.out, "sym.%s.ops=%" PRIu64 "\n", list[j].name, list[j].total);
		snprintf(prefix, sizeof(prefix), "sym.%s.", list[j].name);
		put_kinds(prefix, list[j].ops);
	}
out:
	free(list);
}

static void put_functions(void)
{
	for (unsigned int i = 0; i < g.nr_fns; i++) {
		struct flushfn *fn = &g.fn[i];
		uint64_t ops = 0;

		for (int k = 0; k < TLBOP_KINDS; k++)
			ops += fn->ops[k];
#define PUT(key, value) \
		fprintf(g.out, "func.%s." key "=%" PRIu64 "\n", fn->name, (uint64_t)(value))
		PUT("calls", fn->calls);
		PUT("ops", ops);
		PUT("page", fn->ops[TLBOP_PAGE_BC] + fn->ops[TLBOP_PAGE_LOCAL]);
		PUT("full", fn->ops[TLBOP_FULL_BC] + fn->ops[TLBOP_FULL_LOCAL]);
		PUT("calls_ops", fn->calls_ops);
		PUT("calls_with_ops", fn->calls_with_ops);
		PUT("max_ops", fn->max_ops);
		PUT("max_pages", fn->max_pages);
		PUT("max_inclusive", fn->max_inclusive);
		PUT("max_ns", fn->max_ns);
		PUT("carried_ops", fn->carried);
		PUT("orphan_ops", fn->orphans);
#undef PUT
	}
	fprintf(g.out, "func_missing=%s\n", g.missing ? g.missing : "");
}

static void put_model(void)
{
	uint64_t flushes = 0, refills = 0;

	fprintf(g.out, "model=%s\n", g.geom->name);
	fprintf(g.out, "model.entries=%u\nmodel.ways=%u\n", g.geom->entries, g.geom->ways);
	fprintf(g.out, "model.studied=%s\n", g.model_funcs ? g.model_funcs : "all");
	fprintf(g.out, "model.lowmem=0x%08" PRIx32 "-0x%08" PRIx32 "\n",
		g.lowmem_start, g.lowmem_end);
	for (unsigned int i = 0; i < g.nr_vcpus; i++) {
		struct tlbpair *p = &g.vcpu[i].pair;
		uint64_t refill;

		model_catch_up(&g.vcpu[i]);
		refill = p->miss_with - p->miss_without;
#define PUT(key, value) \
		fprintf(g.out, "model.vcpu%u." key "=%" PRIu64 "\n", i, (uint64_t)(value))
		PUT("touches", p->touches);
		PUT("misses", p->miss_with);
		PUT("misses_without", p->miss_without);
		PUT("refills", refill);
		PUT("full_flushes", p->flushes);
		PUT("live_sum", p->live_sum);
		PUT("live_kernel_sum", p->live_high_sum);
		PUT("live_max", p->live_max);
#undef PUT
		fprintf(g.out, "model.vcpu%u.refills_per_flush=%.2f\n", i,
			p->flushes ? (double)refill / p->flushes : 0.0);
		fprintf(g.out, "model.vcpu%u.live_per_flush=%.2f\n", i,
			p->flushes ? (double)p->live_sum / p->flushes : 0.0);
		flushes += p->flushes;
		refills += refill;
	}
	fprintf(g.out, "model.full_flushes=%" PRIu64 "\nmodel.refills=%" PRIu64 "\n",
		flushes, refills);
	fprintf(g.out, "model.refills_per_flush=%.2f\n",
		flushes ? (double)refills / flushes : 0.0);
}

static void put_log(void)
{
	for (uint64_t i = 0; i < g.log_nr; i++) {
		const struct call *c = &g.log_calls[i];

		fprintf(g.log, "call=%" PRIu64 " func=%s vcpu=%u page=%" PRIu64
			" full=%" PRIu64 " asid=%" PRIu64 " other=%" PRIu64
			" broadcast=%" PRIu64 " inclusive=%" PRIu64
			" ns=%" PRId64 " moved=%d end=%s\n",
			c->seq, c->fn->name, c->vcpu, c->page, c->full, c->asid,
			c->other, c->broadcast, c->inclusive,
			c->last_ns - c->first_ns, c->moved, end_names[g.log_end[i]]);
	}
	fprintf(g.log, "dropped=%" PRIu64 "\nend=1\n", g.log_dropped);
	if (fclose(g.log))
		complain("log: %s", strerror(errno));
}

static void on_exit_qemu(qemu_plugin_id_t id, void *data)
{
	uint64_t ops[TLBOP_KINDS] = { 0 }, undecided = 0, attributed = 0, sum;
	bool counting;

	(void)id;
	(void)data;
	pthread_mutex_lock(&g.lock);
	counting = atomic_load(&g.counting);
	if (counting)
		record_open(END_EXIT);
	for (unsigned int i = 0; i < g.nr_vcpus; i++)
		for (int k = 0; k < TLBOP_KINDS; k++)
			ops[k] += g.vcpu[i].ops[k];
	for (unsigned int i = 0; i < g.nr_fns; i++)
		for (int k = 0; k < TLBOP_KINDS; k++)
			attributed += g.fn[i].ops[k];
	for (int k = 0; k < TLBOP_KINDS; k++)
		undecided += g.undecided[k];

	fprintf(g.out, "tlbcount=1\nvcpus=%u\n", g.nr_vcpus);
	fprintf(g.out, "starts=%" PRIu64 "\nstops=%" PRIu64 "\nstopped=%d\n",
		g.starts, g.stops, !counting);
	sum = put_kinds("", ops);
	fprintf(g.out, "ops=%" PRIu64 "\n", sum);
	fprintf(g.out, "outside_ops=%" PRIu64 "\n", sum - attributed);
	fprintf(g.out, "undecided_ops=%" PRIu64 "\n", undecided);
	fprintf(g.out, "thumb_kernel=%d\n", atomic_load(&g.thumb_kernel));
	fprintf(g.out, "nested_calls=%" PRIu64 "\nlost_calls=%" PRIu64 "\n",
		g.dup_open, g.overflow);
	for (unsigned int i = 0; i < g.nr_vcpus; i++) {
		char prefix[32];

		snprintf(prefix, sizeof(prefix), "vcpu%u.", i);
		put_kinds(prefix, g.vcpu[i].ops);
	}
	put_functions();
	put_symbols();
	if (g.geom)
		put_model();
	fprintf(g.out, "end=1\n");
	if (fclose(g.out))
		complain("out: %s", strerror(errno));
	if (g.log)
		put_log();
	if (undecided)
		complain("%" PRIu64 " conditional TLB operations not counted: give tlbflags=",
			 undecided);
	if (atomic_load(&g.thumb_kernel))
		complain("the kernel runs Thumb code, which is not counted");
	pthread_mutex_unlock(&g.lock);
}

/* -------------------------------------------------------------- arguments */

static int add_fn(const struct symbol *sym)
{
	struct flushfn *fn;

	for (unsigned int i = 0; i < g.nr_fns; i++)
		if (g.fn[i].body[0].start == sym->addr)
			return 0;
	fn = realloc(g.fn, (g.nr_fns + 1) * sizeof(*fn));
	if (!fn)
		return complain("out of memory");
	g.fn = fn;
	fn += g.nr_fns++;
	memset(fn, 0, sizeof(*fn));
	fn->name = sym->name;
	fn->body[0].start = sym->addr;
	fn->body[0].end = sym->end;
	fn->nr_bodies = 1;
	for (unsigned int i = 0; i < g.map.nr; i++) {
		const struct symbol *cold = &g.map.sym[i];

		if (cold->text && fn->nr_bodies < MAX_BODY &&
		    symbol_is_cold_part(cold->name, sym->name)) {
			fn->body[fn->nr_bodies].start = cold->addr;
			fn->body[fn->nr_bodies++].end = cold->end;
		}
	}
	return 0;
}

static int find_functions(const char *list, const char *map)
{
	int ret = plugin_select(&g.map, map, list, add_fn, &g.missing);

	if (!ret && !g.nr_fns)
		ret = complain("func: no function of %s in %s", list, map);
	return ret;
}

static bool parse_number(const char *s, uint64_t max, uint64_t *v)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*v = strtoull(s, &end, 0);
	return !errno && !*end && *v <= max;
}

static bool parse_range(const char *s, uint32_t *start, uint32_t *end)
{
	const char *dash = strchr(s, '-');
	char first[32];
	uint64_t a, b;

	if (!dash || (size_t)(dash - s) >= sizeof(first))
		return false;
	memcpy(first, s, (size_t)(dash - s));
	first[dash - s] = 0;
	if (!parse_number(first, UINT32_MAX, &a) || !parse_number(dash + 1, UINT32_MAX, &b) ||
	    a >= b)
		return false;
	*start = a;
	*end = b;
	return true;
}

struct args {
	const char *map, *out, *log, *func, *model, *modelfunc, *lowmem, *section;
	const char *tlbflags, *logmax;
};

static int parse_args(int argc, char **argv, struct args *a)
{
	const struct plugin_arg known[] = {
		{ "map", &a->map }, { "out", &a->out }, { "log", &a->log },
		{ "func", &a->func }, { "model", &a->model },
		{ "modelfunc", &a->modelfunc }, { "lowmem", &a->lowmem },
		{ "section", &a->section }, { "tlbflags", &a->tlbflags },
		{ "logmax", &a->logmax },
	};

	if (plugin_parse(known, sizeof(known) / sizeof(known[0]), argc, argv))
		return -1;
	if (!a->map)
		return complain("map=SYSTEM.MAP is missing");
	if (!a->out)
		return complain("out=FILE is missing");
	if (!a->model && (a->modelfunc || a->lowmem || a->section))
		return complain("modelfunc=, lowmem= and section= need model=");
	if (a->section && !a->lowmem)
		return complain("section= needs lowmem=");
	if (a->log && !strcmp(a->log, a->out))
		return complain("out= and log= name the same file");
	if (a->logmax && !a->log)
		return complain("logmax= needs log=");
	return 0;
}

static int setup_model(const struct args *a)
{
	uint64_t mib = 1;
	char *copy, *save = NULL;

	g.geom = tlbgeom_find(a->model);
	if (!g.geom)
		return complain("model=%s is not one of %s", a->model, tlbgeom_names());
	if (a->lowmem && !parse_range(a->lowmem, &g.lowmem_start, &g.lowmem_end))
		return complain("lowmem=%s is not START-END", a->lowmem);
	if (a->section && (!parse_number(a->section, 2, &mib) || !mib))
		return complain("section=%s is not 1 or 2", a->section);
	g.section_shift = mib == 1 ? 20 : 21;
	if (a->modelfunc && strcmp(a->modelfunc, "all")) {
		g.model_funcs = strdup(a->modelfunc);
		copy = strdup(a->modelfunc);
		for (char *w = strtok_r(copy, ":", &save); w; w = strtok_r(NULL, ":", &save)) {
			unsigned int i;

			for (i = 0; i < g.map.nr; i++)
				if (g.map.sym[i].text && symbol_matches(g.map.sym[i].name, w))
					break;
			if (i == g.map.nr) {
				complain("no function %s in %s", w, a->map);
				free(copy);
				return -1;
			}
		}
		free(copy);
	}
	for (unsigned int i = 0; i < g.nr_vcpus; i++)
		if (!tlbpair_init(&g.vcpu[i].pair, g.geom))
			return complain("out of memory");
	return 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	struct args a = { 0 };
	const char *why;
	uint64_t n;

	if (!info->system_emulation || strcmp(info->target_name, "arm"))
		return complain("this is for qemu-system-arm, not for target %s",
				info->target_name);
	if (parse_args(argc, argv, &a))
		return -1;
	if (a.tlbflags) {
		if (!parse_number(a.tlbflags, UINT32_MAX, &n))
			return complain("tlbflags=%s is not a 32-bit number", a.tlbflags);
		g.tlb_flags = n;
		g.have_tlb_flags = true;
	}
	if (a.log)
		g.log_max = DEFAULT_LOG_MAX;
	if (a.logmax) {
		if (!parse_number(a.logmax, 1 << 24, &n) || !n)
			return complain("logmax=%s is not 1 to %d", a.logmax, 1 << 24);
		g.log_max = n;
	}
	why = symmap_load(&g.map, a.map);
	if (why)
		return complain("%s", why);
	if (find_functions(a.func ? a.func : default_funcs, a.map))
		return -1;

	g.nr_vcpus = info->system.max_vcpus;
	g.vcpu = aligned_alloc(64, g.nr_vcpus * sizeof(*g.vcpu));
	if (!g.vcpu)
		return complain("out of memory");
	memset(g.vcpu, 0, g.nr_vcpus * sizeof(*g.vcpu));
	for (unsigned int i = 0; i < g.nr_vcpus; i++)
		atomic_store(&g.vcpu[i].stop_at, UINT64_MAX);
	if (a.model && setup_model(&a))
		return -1;
	if (g.log_max) {
		g.log_calls = calloc(g.log_max, sizeof(*g.log_calls));
		g.log_end = calloc(g.log_max, sizeof(*g.log_end));
		if (!g.log_calls || !g.log_end)
			return complain("out of memory");
	}
	/* Last, and emptied last, so that a refused start leaves old results alone. */
	if (plugin_open(&g.out, a.out) || (a.log && plugin_open(&g.log, a.log)))
		return -1;
	if ((a.log && plugin_empty(g.log, a.log)) || plugin_empty(g.out, a.out))
		return -1;
	atomic_store(&g.counting, true);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_qemu, NULL);
	return 0;
}
