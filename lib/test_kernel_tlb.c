// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Provoke and detect stale kernel translations
 *
 * A kernel range flush that is too short, too weak or missing leaves a CPU with
 * a translation of memory that has been freed. Nothing crashes at that moment,
 * so this module asks every CPU what it sees.
 *
 * A command is written to debugfs ``test_kernel_tlb/run``; the same file then
 * reads back the result as ``key=value`` lines. The write fails with EINVAL
 * when the command is malformed, and with ENOMEM when there was no memory to
 * run it. A command that ran says ``result=pass``, ``result=fail`` or
 * ``result=skip`` with a ``reason``.
 *
 * ``drain``
 *	Purge what is freed already, then the same with what ``purge`` left. A
 *	second one in a row has nothing to do.
 * ``map pages=a,b,... [count=N] [gap=N]``
 *	Map areas of a, b, ... pages, ``count`` (1) of each, and ``gap`` (0) more
 *	pages between each and the next, then purge all that is freed already. All pages
 *	are the same physical page, so large areas cost page tables only.
 * ``purge``
 *	Unmap the areas of ``map`` and purge once: the purge holds these and
 *	nothing else. What was mapped between them stays until the next ``drain``
 *	or ``map``, so that nothing else is flushed meanwhile.
 * ``stale pages=a,b,... [count=N] [gap=N] [rounds=N] [squeeze=1]``
 *	Map areas likewise, let every CPU read every page, unmap, purge: reads must now
 *	fault. Map other pages at the same addresses: reads must see those. What
 *	is mapped between the areas must stay readable all the time; without a
 *	gap, adjacent areas may not find their addresses again. With ``squeeze=1``,
 *	here and below, nobody calls vm_unmap_aliases(): the allocator purges before
 *	it refuses somebody who wants all address space.
 * ``vb pages=N [count=N] [rounds=N] [squeeze=1]``
 *	The same with ``count`` (64) small vm_map_ram() mappings. Every other one is
 *	unmapped and purged first, then the rest. A count of more than two
 *	blocks makes sure that one of them is used up completely. More than
 *	BITS_PER_LONG pages are an area of their own, one without a guard page.
 *	With ``squeeze=1``, all are unmapped at once: the allocator leaves alone
 *	what is in a block with others that are mapped.
 * ``vbone pages=N [count=N] [rounds=N]``
 *	The same, one by one, after one that was alone in its block. That block
 *	lives on when it is purged, unless it is nearly used up, and whatever it
 *	holds later must be flushed all the same.
 * ``ro pages=a,b,... [count=N] [gap=N] [rounds=N]``
 *	``stale``, where every CPU writes to the pages before they are unmapped,
 *	and the other pages are mapped read-only: writes to them must fault.
 * ``io at=PHYS pages=N [count=N] [rounds=N]``
 *	ioremap() N pages from a physical address on, ``count`` (1) times. Reads
 *	must fault after iounmap() and a purge. RAM is refused. The first word of
 *	each page is read on every CPU: choose registers that bear it.
 * ``race pages=a,b,... [count=N] [gap=N] [rounds=N]``
 *	Map areas likewise. One CPU unmaps them, and then all CPUs call
 *	vm_unmap_aliases() at once. One of them finds something to purge, and the
 *	others must wait for it: when the call returns, the reads of its caller
 *	must fault. The CPUs take turns at unmapping.
 * ``vbrace pages=N [count=N] [rounds=N]``
 *	The same with vm_map_ram() mappings, all but the first. That one keeps
 *	the block alive, so that there is nothing to purge, but something to flush.
 * ``masked pages=a,b,... [count=N] [gap=N] [rounds=N]``
 *	Likewise, but another CPU has its interrupts off when the first one purges
 *	alone. As soon as that purge has returned, the reads of the other CPU must
 *	fault, although it has taken no interrupt since. If the purge waits for
 *	one, interrupts are on again after MASKED_US.
 * ``reuse pages=N [count=N] [gap=N] [rounds=N]``
 *	Likewise, but one CPU purges alone and another one maps pages until it
 *	is given an address of these areas again, which it must then see them at.
 * ``drained pages=N [count=N] [gap=N] [rounds=N]``
 *	Likewise, but nobody purges: the first CPU maps and unmaps until so much is
 *	freed that a worker does.
 * ``percpu count=N [rounds=N]``
 *	Allocate N of the largest percpu objects and let every CPU read all of
 *	them. Free them and wait until percpu chunks are destroyed; after a purge,
 *	reads of what these had mapped must fault. Their areas have no guard page.
 *	Smaller objects would empty a chunk one by one, which is another flush.
 * ``peek [at=ADDR pages=N]``
 *	Let every CPU try to read N pages of vmalloc or module space, or else the
 *	areas of ``map``, also after their ``purge``. The answer is not judged:
 *	``could`` is the number of reads that succeeded, and ``stale`` says how
 *	many of these are of a page that the page tables do not have. Both come
 *	for each CPU as well, as ``could_cpu0`` and so on.
 * ``poke [at=ADDR pages=N]``
 *	The same with writes, which write back what they read.
 *
 *	When a module is loaded, the text of it is poked as soon as it is read-only,
 *	and that is what the file reads back then: later, the CPU that has written
 *	the text may have forgotten the translations by itself.
 * ``pkmap [rounds=N]``
 *	Map more highmem pages than there are kmap slots, which flushes the whole
 *	kmap window with interrupts off where the architecture does that.
 *
 * While ``race``, ``vbrace``, ``reuse`` and ``drained`` run, a flush of collected
 * ranges begins HOLD_US late, where kprobes exist. What must not happen before it
 * then has the time to happen; ``held`` says how many have been late.
 *
 * The reads happen in the interrupt of a cross call: a reader thread would be
 * scheduled in, and a switch of the address space can flush the very entries
 * that are to be caught.
 *
 * An address that has been purged belongs to nobody, and can be somebody else's
 * already when it is read. So a read that should fault is stale only if the page
 * tables have no page there either. A round in which that happened is repeated.
 *
 * An emulator may drop more than it was asked to. QEMU on ARM drops a CPU's
 * whole TLB for an operation on one page if that page is near a section
 * mapping. There, a flush that forgets some of its pages is not seen here; one
 * that forgets all of them, or another CPU, is.
 */

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

/* Bounds keep one cross call in the order of milliseconds on a slow CPU. */
#define MAX_SIZES	16
#define MAX_AREAS	512
#define MAX_READ_PAGES	16384
#define MAX_PURGE_PAGES	(256 * 1024)
#define MAX_CHUNKS	4096
#define MAX_OBJECTS	64
#define OBJECT_PAGES	(PCPU_MIN_UNIT_SIZE / PAGE_SIZE)
#define MAX_ROUNDS	1000
#define MAX_MISSES	1024
#define MAX_PLUGS	256
#define SPARE_ROUNDS	10
#define DROP_PAGES	2048
#define MAX_DROPS	64

#define HOLD_US		500
/* An emulator may let CPUs run by turns, of 10 ms and more each. */
#define MASKED_US	100000

#define TAG_OLD		0x01d00000U
#define TAG_NEW		0x0e300000U
#define TAG_HOLE	0x0601e000U

struct tlb_args {
	int sizes[MAX_SIZES + 1];	/* [0] is the number of sizes */
	unsigned int gap;
	unsigned int rounds;
	unsigned int count;
	u64 at;
	bool squeeze;
	/* private to stale and ro */
	bool read_only;
	struct page *filler;	/* of what is mapped between areas */
};

/**
 * enum expect - what an access to a page must do
 * @ABSENT: a read faults
 * @PRESENT: a read succeeds, whatever is there
 * @TAGGED: a read sees the tag
 * @WRITABLE: that, and a write succeeds
 * @READ_ONLY: that, and a write faults
 */
enum expect { ABSENT, PRESENT, TAGGED, WRITABLE, READ_ONLY };

/**
 * struct window - what every CPU must see at one place
 * @addr: first byte
 * @pages: pages to access
 * @tag: first word of the first page
 * @step: by how much the word grows from page to page
 * @expect: what must happen
 */
struct window {
	const void *addr;
	unsigned int pages;
	u32 tag;
	u32 step;
	enum expect expect;
};

struct probe {
	struct window *win;
	unsigned int nr;
	bool write;		/* peek or poke */
};

/**
 * struct tally - what the accesses of one CPU came to
 * @bad: not as expected
 * @could: succeeded; counted by ``peek`` and ``poke`` only
 * @taken: of somebody else's page
 */
struct tally {
	unsigned long bad;
	unsigned long could;
	unsigned long taken;
};

struct area {
	void *addr;
	void *hole;
	unsigned int nr;
	struct page **old;
	struct page **new;
	bool reused;
};

/**
 * struct mapping - what ``map`` leaves behind for ``purge``
 * @page: the page behind everything; NULL if there is nothing
 * @areas: what ``purge`` frees
 * @holes: what stays mapped meanwhile
 * @nr: number of areas, 0 once they are purged
 * @pages: sum of their pages
 * @win: where the areas are, or were
 * @nr_win: number of areas, purged or not
 */
struct mapping {
	struct page *page;
	void *areas[MAX_AREAS];
	void *holes[MAX_AREAS];
	int nr;
	unsigned long pages;
	struct window win[MAX_AREAS];
	int nr_win;
};

/**
 * struct race - one round of ``race`` or ``reuse``
 * @unmap: how the leader unmaps the areas
 * @then: what each CPU does once they are unmapped
 * @win: the areas
 * @nr: number of areas
 * @leader: the CPU that unmaps them
 * @arrived: number of other CPUs that wait for that
 * @unmapped: that it has happened
 * @page: what ``reuse`` maps
 * @reused: number of areas whose address it was given
 * @masked: that the other CPU of ``masked`` has interrupts off
 * @purged: that the purge of its leader has returned
 */
struct race {
	void (*unmap)(void);
	void (*then)(void);
	struct window *win;
	unsigned int nr;
	int leader;
	atomic_t arrived;
	bool unmapped;
	struct page *page;
	unsigned int reused;
	bool masked;
	bool purged;
};

static DEFINE_MUTEX(run_lock);
static struct mapping mapping;
static void *misses[MAX_MISSES];
static int nr_misses;
static void *plugs[MAX_PLUGS];
static int nr_plugs;
static struct race race;
static DEFINE_PER_CPU(struct work_struct, race_work);
static DEFINE_PER_CPU(struct tally, tally);
static unsigned long nr_reads;
static char report_text[4096];
static size_t report_len;
static struct dentry *debug_dir;

static int nr_areas(const struct tlb_args *args)
{
	return args->sizes[0] * args->count;
}

static int area_size(const struct tlb_args *args, int nth)
{
	return args->sizes[1 + nth / args->count];
}

static __printf(1, 2) void report(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report_len += vscnprintf(report_text + report_len,
				 sizeof(report_text) - report_len, fmt, args);
	va_end(args);
}

static void report_skip(const char *reason)
{
	report("result=skip\nreason=%s\n", reason);
}

/* An access that faults is an answer here, so it must not be an oops. */
static bool can_read(const void *addr, u32 *word)
{
	return !copy_from_kernel_nofault(word, addr, sizeof(*word));
}

static bool can_write(void *addr, u32 word)
{
	pagefault_disable();
	__put_kernel_nofault(addr, &word, u32, fault);
	pagefault_enable();
	return true;
fault:
	pagefault_enable();
	return false;
}

static bool has_page(const void *addr)
{
	return vmalloc_to_page(addr);
}

static bool absent_is_bad(const void *addr)
{
	u32 word;

	if (!can_read(addr, &word))
		return false;
	if (!has_page(addr))
		return true;
	this_cpu_inc(tally.taken);
	return false;
}

/* A write that succeeds changes nothing. */
static bool page_is_bad(const struct window *win, unsigned int i)
{
	void *addr = (void *)win->addr + i * PAGE_SIZE;
	u32 word;

	if (win->expect == ABSENT)
		return absent_is_bad(addr);
	if (!can_read(addr, &word))
		return true;
	if (win->expect == PRESENT)
		return false;
	if (word != win->tag + i * win->step)
		return true;
	return win->expect != TAGGED &&
	       can_write(addr, word) != (win->expect == WRITABLE);
}

static void probe_this_cpu(void *info)
{
	const struct probe *probe = info;
	unsigned long bad = 0;
	unsigned int i, j;

	for (i = 0; i < probe->nr; i++)
		for (j = 0; j < probe->win[i].pages; j++)
			bad += page_is_bad(&probe->win[i], j);
	this_cpu_add(tally.bad, bad);
}

static void peek_this_cpu(void *info)
{
	const struct probe *probe = info;
	unsigned int i, j;

	for (i = 0; i < probe->nr; i++) {
		for (j = 0; j < probe->win[i].pages; j++) {
			void *addr = (void *)probe->win[i].addr + j * PAGE_SIZE;
			u32 word;

			if (!can_read(addr, &word))
				continue;
			if (probe->write && !can_write(addr, word))
				continue;
			this_cpu_inc(tally.could);
			if (!has_page(addr))
				this_cpu_inc(tally.bad);
		}
	}
}

static unsigned int probe_pages(const struct probe *probe)
{
	unsigned int pages = 0, i;

	for (i = 0; i < probe->nr; i++)
		pages += probe->win[i].pages;
	return pages;
}

static void probe_all_cpus(struct probe *probe)
{
	nr_reads += probe_pages(probe) * num_online_cpus();
	on_each_cpu(probe_this_cpu, probe, 1);
}

static struct tally sum_tallies(void)
{
	struct tally sum = {};
	int cpu;

	for_each_possible_cpu(cpu) {
		sum.bad += per_cpu(tally.bad, cpu);
		sum.could += per_cpu(tally.could, cpu);
		sum.taken += per_cpu(tally.taken, cpu);
	}
	return sum;
}

static void reset_reads(void)
{
	int cpu;

	nr_reads = 0;
	for_each_possible_cpu(cpu)
		per_cpu(tally, cpu) = (struct tally){};
}

static void report_counts(void)
{
	report("cpus=%u\nreads=%lu\nstale=%lu\n", num_online_cpus(), nr_reads,
	       sum_tallies().bad);
}

static void report_stale_cpus(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(tally.bad, cpu))
			report("stale_cpu%d=%lu\n", cpu, per_cpu(tally.bad, cpu));
}

static void report_reads(void)
{
	bool bad = sum_tallies().bad;

	report("result=%s\n", bad ? "fail" : "pass");
	if (bad)
		report("reason=CPUs could access what is unmapped, or not what is mapped\n");
	report_counts();
	report_stale_cpus();
}

/*
 * Somebody else's allocation can get in the way of a round, which is then
 * repeated. A stale read is a failure, however many rounds there were.
 */
static int run_rounds(int (*round)(const struct tlb_args *args, bool *valid),
		      const struct tlb_args *args)
{
	unsigned int tries, done = 0;
	int ret;

	for (tries = args->rounds + SPARE_ROUNDS; tries; tries--) {
		unsigned long taken = sum_tallies().taken;
		bool valid = true;

		ret = round(args, &valid);
		if (ret)
			return ret;
		done += valid && taken == sum_tallies().taken;
		if (done == args->rounds)
			break;
	}
	if (done < args->rounds && !sum_tallies().bad)
		report_skip("somebody else uses the addresses");
	else
		report_reads();
	return 0;
}

static void free_pages_array(struct page **pages, unsigned int nr)
{
	unsigned int i;

	if (!pages)
		return;
	for (i = 0; i < nr && pages[i]; i++)
		__free_page(pages[i]);
	kvfree(pages);
}

/* Tags differ from page to page: a neighbour's translation is stale as well. */
static struct page **alloc_pages_array(unsigned int nr, gfp_t gfp, u32 tag)
{
	struct page **pages = kvcalloc(nr, sizeof(*pages), GFP_KERNEL);
	unsigned int i;

	for (i = 0; pages && i < nr; i++, tag++) {
		pages[i] = alloc_page(gfp);
		if (!pages[i]) {
			free_pages_array(pages, nr);
			return NULL;
		}
		memcpy_to_page(pages[i], 0, (char *)&tag, sizeof(tag));
	}
	return pages;
}

static void drop_plugs(void)
{
	while (nr_plugs)
		vunmap(plugs[--nr_plugs]);
}

/*
 * The allocator takes the lowest place that fits, which may be a small one far
 * below @before. Such places are plugged until one behind it comes.
 */
static void *vmap_behind(const void *before, struct page **pages, unsigned int nr)
{
	void *addr = vmap(pages, nr, VM_MAP, PAGE_KERNEL);

	while (addr && addr < before && nr_plugs < MAX_PLUGS) {
		plugs[nr_plugs++] = addr;
		addr = vmap(pages, nr, VM_MAP, PAGE_KERNEL);
	}
	return addr;
}

/* One physical page @nr times: distance costs page tables, not memory. */
static void *map_filler(const void *before, struct page *page, unsigned int nr)
{
	struct page **pages = kvmalloc_array(nr, sizeof(*pages), GFP_KERNEL);
	void *addr;
	unsigned int i;

	if (!pages)
		return NULL;
	for (i = 0; i < nr; i++)
		pages[i] = page;
	addr = vmap_behind(before, pages, nr);
	kvfree(pages);
	return addr;
}

#define VMALLOC_SPACE	(VMALLOC_END - VMALLOC_START)

static void squeeze(void)
{
	vfree(__vmalloc(VMALLOC_SPACE, GFP_KERNEL | __GFP_NOWARN));
}

static void unmap_all(void **addr)
{
	int i;

	for (i = 0; i < MAX_AREAS; i++)
		if (addr[i])
			vunmap(addr[i]);
	memset(addr, 0, MAX_AREAS * sizeof(*addr));
}

static void drop_mapping(void)
{
	unmap_all(mapping.areas);
	unmap_all(mapping.holes);
	drop_plugs();
	if (mapping.page)
		__free_page(mapping.page);
	memset(&mapping, 0, sizeof(mapping));
}

static int add_mapping(int i, unsigned int pages, unsigned int gap)
{
	mapping.areas[i] = map_filler(i ? mapping.holes[i - 1] : NULL, mapping.page,
				      pages);
	if (!mapping.areas[i])
		return -ENOMEM;
	mapping.win[i] = (struct window){ mapping.areas[i], pages, .expect = PRESENT };
	mapping.nr_win++;
	mapping.pages += pages;
	mapping.nr++;
	if (!gap)
		return 0;
	mapping.holes[i] = map_filler(mapping.areas[i], mapping.page, gap);
	return mapping.holes[i] ? 0 : -ENOMEM;
}

static int run_drain(struct tlb_args *args)
{
	vm_unmap_aliases();
	if (mapping.page) {
		drop_mapping();
		vm_unmap_aliases();
	}
	report("result=pass\n");
	return 0;
}

static int map_areas(const struct tlb_args *args)
{
	int i, ret;

	drop_mapping();
	mapping.page = alloc_page(GFP_KERNEL);
	if (!mapping.page)
		return -ENOMEM;
	for (i = 0; i < nr_areas(args); i++) {
		ret = add_mapping(i, area_size(args, i), args->gap);
		if (ret) {
			drop_mapping();
			return ret;
		}
	}
	/* The arrays of map_filler() can have been vmalloc'ed, too. */
	vm_unmap_aliases();
	return 0;
}

static int run_map(struct tlb_args *args)
{
	int ret = map_areas(args);

	if (!ret)
		report("result=pass\nareas=%d\npages=%lu\n", mapping.nr, mapping.pages);
	return ret;
}

static int run_purge(struct tlb_args *args)
{
	if (!mapping.nr)
		return -EINVAL;
	unmap_all(mapping.areas);
	vm_unmap_aliases();
	report("result=pass\nareas=%d\npages=%lu\n", mapping.nr, mapping.pages);
	mapping.nr = 0;
	mapping.pages = 0;
	return 0;
}

static int peek_or_poke(const struct tlb_args *args, bool write)
{
	struct window win = { (void *)(unsigned long)args->at, args->sizes[1] };
	struct probe probe = { &win, 1, write };
	int cpu;

	if (!args->at) {
		probe.win = mapping.win;
		probe.nr = mapping.nr_win;
	}
	if (!probe.nr)
		return -EINVAL;
	nr_reads = probe_pages(&probe) * num_online_cpus();
	on_each_cpu(peek_this_cpu, &probe, 1);
	report("result=pass\ncould=%lu\n", sum_tallies().could);
	report_counts();
	for_each_online_cpu(cpu)
		report("could_cpu%d=%lu\n", cpu, per_cpu(tally.could, cpu));
	report_stale_cpus();
	return 0;
}

static int run_peek(struct tlb_args *args)
{
	return peek_or_poke(args, false);
}

static int run_poke(struct tlb_args *args)
{
	return peek_or_poke(args, true);
}

static void say(bool *what)
{
	/* Pairs with the acquire in is_said(). */
	smp_store_release(what, true);
}

static bool is_said(const bool *what)
{
	/* Pairs with the release in say(). */
	return smp_load_acquire(what);
}

static void unmap_race_areas(void)
{
	unmap_all(mapping.areas);
}

/* The others must be waiting, or they would come long after the purge. */
static void lead_race(void)
{
	struct probe probe = { race.win, race.nr };
	unsigned int i;

	while (atomic_read(&race.arrived) < num_online_cpus() - 1)
		cond_resched();
	probe_all_cpus(&probe);
	race.unmap();
	for (i = 0; i < race.nr; i++)
		race.win[i].expect = ABSENT;
	say(&race.unmapped);
}

static void follow_race(void)
{
	atomic_inc(&race.arrived);
	while (!is_said(&race.unmapped))
		cond_resched();
}

static void purge_and_probe(void)
{
	struct probe probe = { race.win, race.nr };

	vm_unmap_aliases();
	probe_this_cpu(&probe);
}

/* What was mapped elsewhere stays, too, so that it is not offered again. */
static bool map_one_again(void)
{
	unsigned int pages = race.win[0].pages, i;
	void *addr = map_filler(NULL, race.page, pages);
	struct window win = { addr, pages, TAG_NEW, 0, TAGGED };
	struct probe probe = { &win, 1 };

	if (!addr)
		return false;
	misses[nr_misses++] = addr;
	for (i = 0; i < race.nr; i++) {
		if (race.win[i].addr != addr)
			continue;
		probe_this_cpu(&probe);
		race.reused++;
	}
	/* The purge may take a while, and there is no end of other addresses. */
	usleep_range(50, 100);
	return race.reused < race.nr && nr_misses < MAX_MISSES;
}

static bool is_other(int cpu)
{
	return cpu == cpumask_any_but(cpu_online_mask, race.leader);
}

/* One CPU maps: the list of what it has mapped has no lock. */
static void purge_or_map_again(void)
{
	if (raw_smp_processor_id() == race.leader) {
		vm_unmap_aliases();
		return;
	}
	if (!is_other(raw_smp_processor_id()))
		return;
	while (map_one_again())
		;
}

/* The worker is bound to this CPU and of lower priority. */
static void drop_until_purged(void)
{
	unsigned int i;

	for (i = 0; i < MAX_DROPS && !is_said(&race.purged); i++) {
		vunmap(map_filler(NULL, mapping.page, DROP_PAGES));
		usleep_range(50, 100);
	}
}

static void drop_or_map_again(void)
{
	if (raw_smp_processor_id() == race.leader) {
		drop_until_purged();
		return;
	}
	if (!is_other(raw_smp_processor_id()))
		return;
	while (map_one_again())
		;
	say(&race.purged);
}

static void purge_when_masked(void)
{
	while (!is_said(&race.masked))
		cond_resched();
	vm_unmap_aliases();
	say(&race.purged);
}

/* A purge that waits for an interrupt here returns too late to be judged. */
static void probe_masked(void)
{
	struct probe probe = { race.win, race.nr };
	unsigned long flags;
	unsigned int us;

	local_irq_save(flags);
	say(&race.masked);
	for (us = 0; us < MASKED_US && !is_said(&race.purged); us++)
		udelay(1);
	if (is_said(&race.purged))
		probe_this_cpu(&probe);
	local_irq_restore(flags);
}

static void purge_or_mask(void)
{
	if (raw_smp_processor_id() == race.leader)
		purge_when_masked();
	else if (is_other(raw_smp_processor_id()))
		probe_masked();
}

static void race_this_cpu(struct work_struct *work)
{
	if (raw_smp_processor_id() == race.leader)
		lead_race();
	else
		follow_race();
	race.then();
}

/* Workers are kernel threads: they bring no address space of their own. */
static void race_for(struct window *win, unsigned int nr)
{
	int cpu;

	race.reused = 0;
	race.win = win;
	race.nr = nr;
	race.leader = cpumask_next(race.leader, cpu_online_mask);
	if (race.leader >= nr_cpu_ids)
		race.leader = cpumask_first(cpu_online_mask);
	race.unmapped = false;
	race.masked = false;
	race.purged = false;
	atomic_set(&race.arrived, 0);
	for_each_online_cpu(cpu) {
		INIT_WORK(per_cpu_ptr(&race_work, cpu), race_this_cpu);
		queue_work_on(cpu, system_highpri_wq, per_cpu_ptr(&race_work, cpu));
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(&race_work, cpu));
}

static int race_once(const struct tlb_args *args)
{
	int ret = map_areas(args);

	if (!ret)
		race_for(mapping.win, mapping.nr_win);
	return ret;
}

static int race_round(const struct tlb_args *args, bool *valid)
{
	int ret = race_once(args);

	nr_reads += mapping.pages * num_online_cpus();
	return ret;
}

static void drop_misses(void)
{
	while (nr_misses)
		vunmap(misses[--nr_misses]);
}

static int reuse_round(const struct tlb_args *args, bool *valid)
{
	int ret = race_once(args);

	*valid = race.reused;
	nr_reads += race.reused * args->sizes[1];
	drop_misses();
	return ret;
}

static bool can_race(void (*unmap)(void), void (*then)(void))
{
	if (num_online_cpus() < 2) {
		report_skip("one CPU does not race");
		return false;
	}
	race.leader = -1;
	race.unmap = unmap;
	race.then = then;
	return true;
}

static int run_racing(int (*round)(const struct tlb_args *args, bool *valid),
		      void (*then)(void), const struct tlb_args *args)
{
	int ret;

	if (!can_race(unmap_race_areas, then))
		return 0;
	ret = run_rounds(round, args);
	drop_mapping();
	return ret;
}

static int run_race(struct tlb_args *args)
{
	return run_racing(race_round, purge_and_probe, args);
}

static int run_masked(struct tlb_args *args)
{
	return run_racing(race_round, purge_or_mask, args);
}

static int map_again(void (*then)(void), const struct tlb_args *args)
{
	struct page **page = alloc_pages_array(1, GFP_KERNEL, TAG_NEW);
	int ret;

	if (!page)
		return -ENOMEM;
	race.page = page[0];
	ret = run_racing(reuse_round, then, args);
	free_pages_array(page, 1);
	return ret;
}

static int run_reuse(struct tlb_args *args)
{
	return map_again(purge_or_map_again, args);
}

static int run_drained(struct tlb_args *args)
{
	return map_again(drop_or_map_again, args);
}

static void free_areas(struct area *areas, int nr)
{
	int i;

	drop_plugs();
	for (i = 0; i < nr; i++) {
		if (areas[i].addr)
			vunmap(areas[i].addr);
		if (areas[i].hole)
			vunmap(areas[i].hole);
		free_pages_array(areas[i].old, areas[i].nr);
		free_pages_array(areas[i].new, areas[i].nr);
	}
}

static int fill_area(struct area *area, const void *before, struct page *page,
		     unsigned int gap)
{
	area->old = alloc_pages_array(area->nr, GFP_KERNEL, TAG_OLD);
	area->new = alloc_pages_array(area->nr, GFP_KERNEL, TAG_NEW);
	if (!area->old || !area->new)
		return -ENOMEM;
	area->addr = vmap_behind(before, area->old, area->nr);
	if (!area->addr)
		return -ENOMEM;
	if (!gap)
		return 0;
	area->hole = map_filler(area->addr, page, gap);
	return area->hole ? 0 : -ENOMEM;
}

/* Areas of one size carry the same tags: any of their addresses will do. */
static struct area *find_former(struct area *areas, const struct window *win,
				int nr, const void *addr, unsigned int pages)
{
	int i;

	for (i = 0; i < nr; i++)
		if (win[i].addr == addr && win[i].pages == pages &&
		    !areas[i].reused)
			return &areas[i];
	return NULL;
}

/* ARM has a fallback for PAGE_KERNEL_RO only, which is writable. */
static pgprot_t read_only_prot(void)
{
#ifdef CONFIG_ARM
	return __pgprot(pgprot_val(PAGE_KERNEL) | L_PTE_RDONLY);
#else
	return PAGE_KERNEL_RO;
#endif
}

/*
 * The allocator promises no address, but takes the lowest that fits. Wrong ones
 * stay mapped until the end, so that they are not offered again.
 */
static bool remap_area(struct area *areas, const struct window *win, int nr,
		       int nth, pgprot_t prot)
{
	struct area *former = NULL;
	void *addr;

	while (!former && nr_misses < MAX_MISSES) {
		addr = vmap(areas[nth].new, areas[nth].nr, VM_MAP, prot);
		if (!addr)
			return false;
		former = find_former(areas, win, nr, addr, areas[nth].nr);
		if (!former)
			misses[nr_misses++] = addr;
	}
	if (!former)
		return false;
	former->addr = addr;
	former->reused = true;
	return true;
}

static bool remap_areas(struct area *areas, const struct window *win, int nr,
			pgprot_t prot)
{
	bool reused = true;
	int i;

	for (i = 0; i < nr && reused; i++)
		reused = remap_area(areas, win, nr, i, prot);
	drop_misses();
	return reused;
}

static void open_windows(struct window *win, const struct area *areas, int nr,
			 const struct tlb_args *args)
{
	enum expect expect = args->read_only ? WRITABLE : TAGGED;
	int i;

	for (i = 0; i < nr; i++) {
		win[i] = (struct window){ areas[i].addr, areas[i].nr, TAG_OLD, 1, expect };
		win[nr + i] = (struct window){ areas[i].hole, args->gap, TAG_HOLE, 0, TAGGED };
	}
}

static void expect_areas(struct window *win, int nr, u32 tag, enum expect expect)
{
	int i;

	for (i = 0; i < nr; i++) {
		win[i].tag = tag;
		win[i].expect = expect;
	}
}

/*
 * False if the areas did not find their addresses again. A TLB has room for few
 * entries: the areas are read last before the purge and first after it, so that
 * reads of what is between them do not evict what might be stale.
 */
static bool provoke_stale(struct area *areas, struct window *win, int nr,
			  const struct tlb_args *args)
{
	struct probe freed = { win, nr }, kept = { win + nr, nr };
	pgprot_t prot = args->read_only ? read_only_prot() : PAGE_KERNEL;
	int i;

	open_windows(win, areas, nr, args);
	probe_all_cpus(&kept);
	probe_all_cpus(&freed);

	for (i = 0; i < nr; i++) {
		vunmap(areas[i].addr);
		areas[i].addr = NULL;
	}
	if (args->squeeze)
		squeeze();
	else
		vm_unmap_aliases();
	expect_areas(win, nr, TAG_OLD, ABSENT);
	probe_all_cpus(&freed);
	probe_all_cpus(&kept);

	if (!remap_areas(areas, win, nr, prot))
		return false;
	expect_areas(win, nr, TAG_NEW, args->read_only ? READ_ONLY : TAGGED);
	probe_all_cpus(&freed);
	probe_all_cpus(&kept);
	return true;
}

static int stale_round(const struct tlb_args *args, bool *reused)
{
	int nr = nr_areas(args), i, ret = -ENOMEM;
	struct window *win = kcalloc(2 * nr, sizeof(*win), GFP_KERNEL);
	struct area *areas = kcalloc(nr, sizeof(*areas), GFP_KERNEL);

	if (!win || !areas)
		goto out;
	/* What the purge below would free next to an area could shift it. */
	vm_unmap_aliases();
	for (i = 0; i < nr; i++) {
		areas[i].nr = area_size(args, i);
		ret = fill_area(&areas[i], i ? areas[i - 1].hole : NULL,
				args->filler, args->gap);
		if (ret)
			goto out_areas;
	}
	*reused = provoke_stale(areas, win, nr, args);
out_areas:
	free_areas(areas, nr);
out:
	kfree(areas);
	kfree(win);
	return ret;
}

static int larger_first(const void *a, const void *b)
{
	return *(const int *)b - *(const int *)a;
}

/*
 * The largest comes first, each time: an area that lands in the former place of
 * a larger one would take it away.
 */
static int run_stale(struct tlb_args *args)
{
	struct page **hole = alloc_pages_array(1, GFP_KERNEL, TAG_HOLE);
	int ret;

	if (!hole)
		return -ENOMEM;
	sort(args->sizes + 1, args->sizes[0], sizeof(int), larger_first, NULL);
	args->filler = hole[0];
	ret = run_rounds(stale_round, args);
	free_pages_array(hole, 1);
	return ret;
}

static int run_ro(struct tlb_args *args)
{
	if (pgprot_val(read_only_prot()) == pgprot_val(PAGE_KERNEL)) {
		report_skip("no read-only kernel mappings on this architecture");
		return 0;
	}
	args->read_only = true;
	return run_stale(args);
}

#ifdef CONFIG_HAS_IOMEM
static unsigned int map_io(struct window *win, const struct tlb_args *args)
{
	unsigned int i;

	for (i = 0; i < args->count; i++) {
		win[i] = (struct window){
			(void __force *)ioremap(args->at, args->sizes[1] * PAGE_SIZE),
			args->sizes[1], .expect = PRESENT
		};
		if (!win[i].addr)
			break;
	}
	return i;
}

static void unmap_io(struct window *win, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		iounmap((void __iomem __force *)win[i].addr);
		win[i].expect = ABSENT;
	}
}

static int io_round(const struct tlb_args *args, bool *valid)
{
	struct window *win = kcalloc(args->count, sizeof(*win), GFP_KERNEL);
	struct probe probe = { win, args->count };
	unsigned int nr;

	if (!win)
		return -ENOMEM;
	nr = map_io(win, args);
	if (nr == args->count) {
		probe_all_cpus(&probe);
		unmap_io(win, nr);
		vm_unmap_aliases();
		probe_all_cpus(&probe);
	} else {
		unmap_io(win, nr);
	}
	kfree(win);
	return nr == args->count ? 0 : -ENOMEM;
}

static int run_io(struct tlb_args *args)
{
	unsigned long pfn = PHYS_PFN(args->at);
	int i;

	for (i = 0; i < args->sizes[1]; i++)
		if (pfn_valid(pfn + i) || page_is_ram(pfn + i))
			return -EINVAL;
	return run_rounds(io_round, args);
}
#else
static int run_io(struct tlb_args *args)
{
	report_skip("kernel without ioremap()");
	return 0;
}
#endif

static void unmap_chunks(struct window *win, unsigned int first,
			 unsigned int nr, unsigned int step)
{
	unsigned int i;

	for (i = first; i < nr; i += step) {
		if (win[i].expect == ABSENT)
			continue;
		vm_unmap_ram((void *)win[i].addr, win[i].pages);
		win[i].expect = ABSENT;
	}
}

static unsigned int map_chunks(struct window *win, struct page **pages,
			       unsigned int nr, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		win[i] = (struct window){ vm_map_ram(pages + i * size, size, NUMA_NO_NODE),
					  size, TAG_OLD + i * size, 1, TAGGED };
		if (!win[i].addr)
			break;
	}
	return i;
}

static void unmap_chunks_and_squeeze(struct window *win, unsigned int nr)
{
	struct probe probe = { win, nr };

	unmap_chunks(win, 0, nr, 1);
	squeeze();
	probe_all_cpus(&probe);
}

static void unmap_every_other_chunk(struct window *win, unsigned int nr)
{
	struct probe probe = { win, nr };

	unmap_chunks(win, 0, nr, 2);
	vm_unmap_aliases();
	probe_all_cpus(&probe);
	unmap_chunks(win, 1, nr, 2);
	vm_unmap_aliases();
	probe_all_cpus(&probe);
}

/* The flush of one chunk can drop the translations of others, hence reads for each. */
static void unmap_chunk_by_chunk(struct window *win, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct probe probe = { win + i, 1 };

		probe_all_cpus(&probe);
		unmap_chunks(win, i, i + 1, 1);
		vm_unmap_aliases();
		probe_all_cpus(&probe);
	}
}

static void unmap_race_chunks(void)
{
	unmap_chunks(race.win, 0, race.nr, 1);
}

static void race_for_chunks(struct window *win, unsigned int nr)
{
	vm_unmap_aliases();
	race_for(win + 1, nr - 1);
	unmap_chunks(win, 0, 1, 1);
}

static int vb_once(struct window *win, struct page **pages, unsigned int nr,
		   unsigned int size,
		   void (*unmap)(struct window *win, unsigned int nr))
{
	unsigned int mapped = map_chunks(win, pages, nr, size);
	struct probe probe = { win, mapped };

	if (mapped < nr) {
		unmap_chunks(win, 0, mapped, 1);
		return -ENOMEM;
	}
	probe_all_cpus(&probe);
	unmap(win, nr);
	return 0;
}

static int vb_round(struct window *win, struct page **pages,
		    const struct tlb_args *args)
{
	return vb_once(win, pages, args->count, args->sizes[1],
		       args->squeeze ? unmap_chunks_and_squeeze : unmap_every_other_chunk);
}

/* Each CPU has blocks of its own. */
static int vb_one_round(struct window *win, struct page **pages,
			const struct tlb_args *args)
{
	unsigned int size = args->sizes[1];
	int ret;

	migrate_disable();
	ret = vb_once(win, pages, 1, size, unmap_chunk_by_chunk);
	if (!ret)
		ret = vb_once(win, pages, args->count, size, unmap_chunk_by_chunk);
	migrate_enable();
	return ret;
}

static int vb_race_round(struct window *win, struct page **pages,
			 const struct tlb_args *args)
{
	return vb_once(win, pages, args->count, args->sizes[1], race_for_chunks);
}

static int run_chunks(const struct tlb_args *args,
		      int (*round)(struct window *win, struct page **pages,
				   const struct tlb_args *args))
{
	unsigned int total = args->count * args->sizes[1], i;
	struct page **pages = alloc_pages_array(total, GFP_KERNEL, TAG_OLD);
	struct window *win = kvcalloc(args->count, sizeof(*win), GFP_KERNEL);
	int ret = pages && win ? 0 : -ENOMEM;

	for (i = 0; i < args->rounds && !ret; i++)
		ret = round(win, pages, args);
	kvfree(win);
	free_pages_array(pages, total);
	if (!ret)
		report_reads();
	return ret;
}

static int run_vb(struct tlb_args *args)
{
	return run_chunks(args, vb_round);
}

static int run_vbone(struct tlb_args *args)
{
	return run_chunks(args, vb_one_round);
}

static int run_vbrace(struct tlb_args *args)
{
	if (!can_race(unmap_race_chunks, purge_and_probe))
		return 0;
	return run_chunks(args, vb_race_round);
}

/* Where each CPU's copies of the objects are; the first chunk is not in vmalloc space. */
static unsigned int open_percpu_windows(struct window *win,
					void __percpu **objects, unsigned int nr)
{
	unsigned int nr_win = 0, i;
	int cpu;

	for (i = 0; i < nr; i++) {
		for_each_possible_cpu(cpu) {
			void *addr = per_cpu_ptr(objects[i], cpu);

			if (is_vmalloc_addr(addr))
				win[nr_win++] = (struct window){
					addr, OBJECT_PAGES, .expect = PRESENT
				};
		}
	}
	return nr_win;
}

static unsigned int count_absent(const struct window *win, unsigned int nr)
{
	unsigned int absent = 0, i;

	for (i = 0; i < nr; i++)
		absent += !has_page(win[i].addr);
	return absent;
}

/* Chunks are destroyed by a worker, all but one of those that are free. */
static bool wait_until_absent(const struct window *win, unsigned int nr)
{
	unsigned int tries, now = 0, before;

	for (tries = 0; tries < 50; tries++) {
		before = now;
		msleep(20);
		now = count_absent(win, nr);
		if (now && now == before)
			return true;
	}
	return false;
}

/* Of the windows, those that are gone, as windows of pages that must be. */
static unsigned int keep_absent(struct window *win, unsigned int nr)
{
	unsigned int nr_absent = 0, i;

	for (i = 0; i < nr; i++) {
		if (has_page(win[i].addr))
			continue;
		win[nr_absent] = win[i];
		win[nr_absent++].expect = ABSENT;
	}
	return nr_absent;
}

static void free_percpu_objects(void __percpu **objects, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && objects[i]; i++)
		free_percpu(objects[i]);
}

static bool alloc_percpu_objects(void __percpu **objects, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		objects[i] = __alloc_percpu(PCPU_MIN_UNIT_SIZE, PAGE_SIZE);
		if (!objects[i]) {
			free_percpu_objects(objects, nr);
			return false;
		}
	}
	return true;
}

static int probe_percpu(struct window *win, void __percpu **objects,
			unsigned int nr, bool *valid)
{
	struct probe probe = { win };

	if (!alloc_percpu_objects(objects, nr))
		return -ENOMEM;
	probe.nr = open_percpu_windows(win, objects, nr);
	probe_all_cpus(&probe);
	free_percpu_objects(objects, nr);
	*valid = wait_until_absent(win, probe.nr);
	vm_unmap_aliases();
	probe.nr = keep_absent(win, probe.nr);
	probe_all_cpus(&probe);
	return 0;
}

static int percpu_round(const struct tlb_args *args, bool *valid)
{
	unsigned int nr = args->count;
	void __percpu **objects = kvcalloc(nr, sizeof(*objects), GFP_KERNEL);
	struct window *win = kvcalloc(nr, num_possible_cpus() * sizeof(*win), GFP_KERNEL);
	int ret = -ENOMEM;

	if (win && objects)
		ret = probe_percpu(win, objects, nr, valid);
	kvfree(win);
	kvfree(objects);
	return ret;
}

static int run_percpu(struct tlb_args *args)
{
	if (!IS_ENABLED(CONFIG_SMP)) {
		report_skip("one CPU needs no percpu areas");
		return 0;
	}
	return run_rounds(percpu_round, args);
}

#ifdef CONFIG_HIGHMEM
static void pkmap_round(struct page **pages, unsigned int nr)
{
	struct window win;
	struct probe probe = { &win, 1 };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		win = (struct window){ kmap_high(pages[i]), 1, TAG_NEW + i, 0, TAGGED };
		probe_all_cpus(&probe);
		kunmap_high(pages[i]);
	}
}

/* Half as many again as slots: each round wraps and reuses slots. */
static int run_pkmap(struct tlb_args *args)
{
	unsigned int nr = LAST_PKMAP + LAST_PKMAP / 2, round, i;
	struct page **pages = alloc_pages_array(nr, GFP_HIGHUSER, TAG_NEW);
	bool high = true;

	if (!pages)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		high &= PageHighMem(pages[i]);
	for (round = 0; high && round < args->rounds; round++)
		pkmap_round(pages, nr);
	free_pages_array(pages, nr);
	if (high)
		report_reads();
	else
		report_skip("this machine has no free highmem pages");
	return 0;
}
#else
static int run_pkmap(struct tlb_args *args)
{
	report_skip("kernel without highmem");
	return 0;
}
#endif

static bool sizes_ok(const struct tlb_args *args, u64 max)
{
	u64 sum = 0;
	int i;

	for (i = 1; i <= args->sizes[0]; i++) {
		if (args->sizes[i] <= 0 || args->sizes[i] > max)
			return false;
		sum += ((u64)args->sizes[i] + args->gap) * args->count;
	}
	return args->sizes[0] && args->count && sum <= max;
}

static bool areas_ok(const struct tlb_args *args, u64 max)
{
	return !args->at && args->count <= MAX_AREAS &&
	       nr_areas(args) <= MAX_AREAS && sizes_ok(args, max);
}

static bool map_ok(const struct tlb_args *args)
{
	return areas_ok(args, MAX_PURGE_PAGES);
}

static bool stale_ok(const struct tlb_args *args)
{
	return areas_ok(args, MAX_READ_PAGES);
}

static bool vb_ok(const struct tlb_args *args)
{
	return args->sizes[0] == 1 && !args->at && !args->gap &&
	       args->count <= MAX_CHUNKS && sizes_ok(args, MAX_READ_PAGES);
}

static bool vbrace_ok(const struct tlb_args *args)
{
	return args->count > 1 && vb_ok(args);
}

static bool reuse_ok(const struct tlb_args *args)
{
	return args->sizes[0] == 1 && stale_ok(args);
}

static bool plain_ok(const struct tlb_args *args)
{
	return !args->sizes[0] && !args->gap && !args->at;
}

static bool io_ok(const struct tlb_args *args)
{
	u64 last = args->at + (u64)args->sizes[1] * PAGE_SIZE - 1;

	return args->at && !offset_in_page(args->at) && args->sizes[0] == 1 &&
	       !args->gap && args->count <= MAX_AREAS &&
	       sizes_ok(args, MAX_READ_PAGES) &&
	       last > args->at && last == (phys_addr_t)last;
}

static bool vmalloc_or_module(u64 addr)
{
#ifdef MODULES_VADDR
	if (addr >= MODULES_VADDR && addr < MODULES_END)
		return true;
#endif
	return addr >= VMALLOC_START && addr < VMALLOC_END;
}

static bool percpu_ok(const struct tlb_args *args)
{
	return !args->sizes[0] && !args->gap && !args->at &&
	       args->count && args->count <= MAX_OBJECTS;
}

static bool peek_ok(const struct tlb_args *args)
{
	if (!args->at)
		return plain_ok(args);
	return args->sizes[0] == 1 && args->count == 1 && !args->gap &&
	       sizes_ok(args, MAX_READ_PAGES) && IS_ALIGNED(args->at, sizeof(u32)) &&
	       vmalloc_or_module(args->at) &&
	       vmalloc_or_module(args->at + (u64)(args->sizes[1] - 1) * PAGE_SIZE);
}

static const struct command {
	const char *name;
	unsigned int count;	/* unless the command says otherwise */
	bool (*args_ok)(const struct tlb_args *args);
	int (*run)(struct tlb_args *args);
	bool late;		/* a flush of collected ranges is */
	bool squeezes;		/* if it is told to */
} commands[] = {
	{ "drain",	1,	plain_ok,	run_drain },
	{ "map",	1,	map_ok,		run_map },
	{ "purge",	1,	plain_ok,	run_purge },
	{ "stale",	1,	stale_ok,	run_stale,	.squeezes = true },
	{ "ro",		1,	stale_ok,	run_ro },
	{ "io",		1,	io_ok,		run_io },
	{ "race",	1,	stale_ok,	run_race,	true },
	{ "masked",	1,	stale_ok,	run_masked },
	{ "reuse",	1,	reuse_ok,	run_reuse,	true },
	{ "drained",	1,	reuse_ok,	run_drained,	true },
	{ "percpu",	4,	percpu_ok,	run_percpu },
	{ "peek",	1,	peek_ok,	run_peek },
	{ "poke",	1,	peek_ok,	run_poke },
	{ "vb",	64,		vb_ok,		run_vb,		.squeezes = true },
	{ "vbone",	64,		vb_ok,		run_vbone },
	{ "vbrace",	8,		vbrace_ok,	run_vbrace,	true },
	{ "pkmap",	1,	plain_ok,	run_pkmap },
};

static int parse_sizes(char *list, struct tlb_args *args)
{
	char *word;
	int ret;

	while ((word = strsep(&list, ","))) {
		if (args->sizes[0] == MAX_SIZES)
			return -EINVAL;
		ret = kstrtoint(word, 10, &args->sizes[++args->sizes[0]]);
		if (ret)
			return -EINVAL;
	}
	return 0;
}

static int parse_arg(char *word, struct tlb_args *args)
{
	char *value = strchr(word, '=');

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	if (!strcmp(word, "pages") && !args->sizes[0])
		return parse_sizes(value, args);
	if (!strcmp(word, "at"))
		return kstrtou64(value, 0, &args->at) || !args->at ? -EINVAL : 0;
	if (!strcmp(word, "gap"))
		return kstrtouint(value, 10, &args->gap) ? -EINVAL : 0;
	if (!strcmp(word, "rounds"))
		return kstrtouint(value, 10, &args->rounds) ? -EINVAL : 0;
	if (!strcmp(word, "count"))
		return kstrtouint(value, 10, &args->count) ? -EINVAL : 0;
	if (!strcmp(word, "squeeze"))
		return kstrtobool(value, &args->squeeze) ? -EINVAL : 0;
	return -EINVAL;
}

static const struct command *find_command(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static const struct command *parse(char *line, struct tlb_args *args)
{
	const struct command *cmd = find_command(strsep(&line, " "));
	char *word;

	if (!cmd)
		return NULL;
	args->count = cmd->count;
	while ((word = strsep(&line, " ")))
		if (*word && parse_arg(word, args))
			return NULL;
	if (!args->rounds || args->rounds > MAX_ROUNDS || !cmd->args_ok(args))
		return NULL;
	if (args->squeeze && !cmd->squeezes)
		return NULL;
	return cmd;
}

#ifdef CONFIG_KPROBES
static unsigned long nr_held;
static struct kprobe hold;

static int hold_flush(struct kprobe *probe, struct pt_regs *regs)
{
	if (!READ_ONCE(race.unmapped))
		return 0;
	nr_held++;
	udelay(HOLD_US);
	return 0;
}

/* A kernel that flushes in another way has nothing to hold. */
static bool hold_flushes(void)
{
	nr_held = 0;
	hold = (struct kprobe){
		.symbol_name	= "kernel_tlb_batch_flush",
		.pre_handler	= hold_flush,
	};
	return !register_kprobe(&hold);
}

static void release_flushes(void)
{
	unregister_kprobe(&hold);
	report("held=%lu\n", nr_held);
}
#else
static bool hold_flushes(void)
{
	return false;
}

static void release_flushes(void) { }
#endif

/* What is larger than memory is refused at once, without a purge. */
static int run_squeezed(const struct command *cmd, struct tlb_args *args)
{
	if (VMALLOC_SPACE / PAGE_SIZE < totalram_pages())
		return cmd->run(args);
	report_skip("less memory than address space");
	return 0;
}

static int run(const struct command *cmd, struct tlb_args *args)
{
	bool held;
	int ret;

	mutex_lock(&run_lock);
	report_len = 0;
	reset_reads();
	/* Kprobes hold a mutex of theirs when they take the lock of hotplug. */
	held = cmd->late && hold_flushes();
	/* A CPU that comes or goes in the middle would be asked only once. */
	cpus_read_lock();
	ret = args->squeeze ? run_squeezed(cmd, args) : cmd->run(args);
	cpus_read_unlock();
	if (held)
		release_flushes();
	mutex_unlock(&run_lock);
	return ret;
}

#ifdef CONFIG_MODULES
static int poke_coming_module(struct notifier_block *nb, unsigned long state,
			      void *data)
{
	const struct module *mod = data;
	struct tlb_args args = {
		.sizes = { 1, PFN_UP(mod->mem[MOD_TEXT].size) },
		.at = (unsigned long)mod->mem[MOD_TEXT].base,
	};

	if (state == MODULE_STATE_COMING)
		run(find_command("poke"), &args);
	return NOTIFY_DONE;
}
#else
static int poke_coming_module(struct notifier_block *nb, unsigned long state,
			      void *data)
{
	return NOTIFY_DONE;
}
#endif

static struct notifier_block module_notifier = {
	.notifier_call = poke_coming_module,
};

static ssize_t run_write(struct file *file, const char __user *buf,
			 size_t len, loff_t *ppos)
{
	struct tlb_args args = { .rounds = 3 };
	const struct command *cmd;
	char line[256];
	int ret;

	if (*ppos || !len || len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, len))
		return -EFAULT;
	line[len] = '\0';
	cmd = parse(strim(line), &args);
	if (!cmd)
		return -EINVAL;

	ret = run(cmd, &args);
	return ret ?: len;
}

static ssize_t run_read(struct file *file, char __user *buf, size_t len,
			loff_t *ppos)
{
	ssize_t ret;

	mutex_lock(&run_lock);
	ret = simple_read_from_buffer(buf, len, ppos, report_text, report_len);
	mutex_unlock(&run_lock);
	return ret;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = run_read,
	.write = run_write,
	.llseek = default_llseek,
};

static int __init test_kernel_tlb_init(void)
{
	debug_dir = debugfs_create_dir("test_kernel_tlb", NULL);
	debugfs_create_file("run", 0600, debug_dir, NULL, &run_fops);
	return register_module_notifier(&module_notifier);
}

static void __exit test_kernel_tlb_exit(void)
{
	unregister_module_notifier(&module_notifier);
	debugfs_remove(debug_dir);
	drop_mapping();
}

module_init(test_kernel_tlb_init);
module_exit(test_kernel_tlb_exit);
MODULE_DESCRIPTION("Provoke and detect stale kernel translations");
MODULE_LICENSE("GPL");
