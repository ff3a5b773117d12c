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
 * ``stale pages=a,b,... [count=N] [gap=N] [rounds=N]``
 *	Map areas likewise, let every CPU read every page, unmap, purge: reads must now
 *	fault. Map other pages at the same addresses: reads must see those. What
 *	is mapped between the areas must stay readable all the time; without a
 *	gap, adjacent areas may not find their addresses again.
 * ``vb pages=N [count=N] [rounds=N]``
 *	The same with ``count`` (64) small vm_map_ram() mappings. Every other one is
 *	unmapped and purged first, then the rest. A count of more than two
 *	blocks makes sure that one of them is used up completely.
 * ``pkmap [rounds=N]``
 *	Map more highmem pages than there are kmap slots, which flushes the whole
 *	kmap window with interrupts off where the architecture does that.
 *
 * The reads happen in the interrupt of a cross call: a reader thread would be
 * scheduled in, and a switch of the address space can flush the very entries
 * that are to be caught.
 *
 * An emulator may drop more than it was asked to. QEMU on ARM drops a CPU's
 * whole TLB for an operation on one page if that page is near a section
 * mapping. There, a flush that forgets some of its pages is not seen here; one
 * that forgets all of them, or another CPU, is.
 */

#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

/* Bounds keep one cross call in the order of milliseconds on a slow CPU. */
#define MAX_SIZES	16
#define MAX_AREAS	128
#define MAX_READ_PAGES	16384
#define MAX_PURGE_PAGES	(256 * 1024)
#define MAX_CHUNKS	4096
#define MAX_ROUNDS	1000
#define MAX_MISSES	256
#define MAX_PLUGS	256
#define SPARE_ROUNDS	10

#define TAG_OLD		0x01d00000U
#define TAG_NEW		0x0e300000U
#define TAG_HOLE	0x0601e000U

struct tlb_args {
	int sizes[MAX_SIZES + 1];	/* [0] is the number of sizes */
	unsigned int gap;
	unsigned int rounds;
	unsigned int count;
};

/**
 * struct window - what every CPU must see at one place
 * @addr: first byte
 * @pages: pages to read
 * @tag: first word of the first page
 * @step: by how much the word grows from page to page
 * @mapped: false if a read has to fault
 */
struct window {
	const void *addr;
	unsigned int pages;
	u32 tag;
	u32 step;
	bool mapped;
};

struct probe {
	struct window *win;
	unsigned int nr;
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
 */
struct mapping {
	struct page *page;
	void *areas[MAX_AREAS];
	void *holes[MAX_AREAS];
	int nr;
	unsigned long pages;
};

static DEFINE_MUTEX(run_lock);
static struct mapping mapping;
static void *misses[MAX_MISSES];
static int nr_misses;
static void *plugs[MAX_PLUGS];
static int nr_plugs;
static DEFINE_PER_CPU(unsigned long, bad_reads);
static unsigned long nr_reads;
static char report_text[1024];
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

/* A read that faults is an answer here, so it must not be an oops. */
static bool page_is_bad(const struct window *win, unsigned int i)
{
	bool present;
	u32 word;

	present = !copy_from_kernel_nofault(&word, win->addr + i * PAGE_SIZE,
					    sizeof(word));
	if (!win->mapped)
		return present;
	return !present || word != win->tag + i * win->step;
}

static void probe_this_cpu(void *info)
{
	const struct probe *probe = info;
	unsigned long bad = 0;
	unsigned int i, j;

	for (i = 0; i < probe->nr; i++)
		for (j = 0; j < probe->win[i].pages; j++)
			bad += page_is_bad(&probe->win[i], j);
	this_cpu_add(bad_reads, bad);
}

static void probe_all_cpus(struct probe *probe)
{
	unsigned int i;

	for (i = 0; i < probe->nr; i++)
		nr_reads += probe->win[i].pages * num_online_cpus();
	on_each_cpu(probe_this_cpu, probe, 1);
}

static unsigned long sum_bad_reads(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(bad_reads, cpu);
	return sum;
}

static void reset_reads(void)
{
	int cpu;

	nr_reads = 0;
	for_each_possible_cpu(cpu)
		per_cpu(bad_reads, cpu) = 0;
}

static void report_reads(void)
{
	unsigned long bad = sum_bad_reads();
	int cpu;

	report("result=%s\n", bad ? "fail" : "pass");
	if (bad)
		report("reason=CPUs read what was unmapped, or not what is mapped\n");
	report("cpus=%u\nreads=%lu\nstale=%lu\n", num_online_cpus(), nr_reads, bad);
	for_each_possible_cpu(cpu)
		if (per_cpu(bad_reads, cpu))
			report("stale_cpu%d=%lu\n", cpu, per_cpu(bad_reads, cpu));
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

static int run_map(struct tlb_args *args)
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
	report("result=pass\nareas=%d\npages=%lu\n", mapping.nr, mapping.pages);
	return 0;
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

/*
 * The allocator promises no address, but takes the lowest that fits. Wrong ones
 * stay mapped until the end, so that they are not offered again.
 */
static bool remap_area(struct area *areas, const struct window *win, int nr,
		       int nth)
{
	struct area *former = NULL;
	void *addr;

	while (!former && nr_misses < MAX_MISSES) {
		addr = vmap(areas[nth].new, areas[nth].nr, VM_MAP, PAGE_KERNEL);
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

static bool remap_areas(struct area *areas, const struct window *win, int nr)
{
	bool reused = true;
	int i;

	for (i = 0; i < nr && reused; i++)
		reused = remap_area(areas, win, nr, i);
	while (nr_misses)
		vunmap(misses[--nr_misses]);
	return reused;
}

static void open_windows(struct window *win, const struct area *areas, int nr,
			 unsigned int gap)
{
	int i;

	for (i = 0; i < nr; i++) {
		win[i] = (struct window){ areas[i].addr, areas[i].nr, TAG_OLD, 1, true };
		win[nr + i] = (struct window){ areas[i].hole, gap, TAG_HOLE, 0, true };
	}
}

static void expect_areas(struct window *win, int nr, u32 tag, bool mapped)
{
	int i;

	for (i = 0; i < nr; i++) {
		win[i].tag = tag;
		win[i].mapped = mapped;
	}
}

/*
 * False if the areas did not find their addresses again. A TLB has room for few
 * entries: the areas are read last before the purge and first after it, so that
 * reads of what is between them do not evict what might be stale.
 */
static bool provoke_stale(struct area *areas, struct window *win, int nr,
			  unsigned int gap)
{
	struct probe freed = { win, nr }, kept = { win + nr, nr };
	int i;

	open_windows(win, areas, nr, gap);
	probe_all_cpus(&kept);
	probe_all_cpus(&freed);

	for (i = 0; i < nr; i++) {
		vunmap(areas[i].addr);
		areas[i].addr = NULL;
	}
	vm_unmap_aliases();
	expect_areas(win, nr, TAG_OLD, false);
	probe_all_cpus(&freed);
	probe_all_cpus(&kept);

	if (!remap_areas(areas, win, nr))
		return false;
	expect_areas(win, nr, TAG_NEW, true);
	probe_all_cpus(&freed);
	probe_all_cpus(&kept);
	return true;
}

static int stale_round(const struct tlb_args *args, struct page *page,
		       bool *reused)
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
		ret = fill_area(&areas[i], i ? areas[i - 1].hole : NULL, page,
				args->gap);
		if (ret)
			goto out_areas;
	}
	*reused = provoke_stale(areas, win, nr, args->gap);
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

/* Somebody else's allocation can get in the way of a round. */
static int stale_rounds(const struct tlb_args *args, struct page *page,
			unsigned int *done)
{
	unsigned int tries;
	int ret = 0;

	for (tries = args->rounds + SPARE_ROUNDS; tries && !ret; tries--) {
		bool reused = false;

		ret = stale_round(args, page, &reused);
		*done += reused;
		if (*done == args->rounds)
			break;
	}
	return ret;
}

/*
 * The largest comes first, each time: an area that lands in the former place of
 * a larger one would take it away.
 */
static int run_stale(struct tlb_args *args)
{
	struct page **hole = alloc_pages_array(1, GFP_KERNEL, TAG_HOLE);
	unsigned int done = 0;
	int ret;

	if (!hole)
		return -ENOMEM;
	sort(args->sizes + 1, args->sizes[0], sizeof(int), larger_first, NULL);
	ret = stale_rounds(args, hole[0], &done);
	free_pages_array(hole, 1);
	if (ret)
		return ret;
	/* A stale read is a failure, however many rounds there were. */
	if (done < args->rounds && !sum_bad_reads())
		report_skip("address not reused");
	else
		report_reads();
	return 0;
}

static void unmap_chunks(struct window *win, unsigned int first,
			 unsigned int nr, unsigned int step)
{
	unsigned int i;

	for (i = first; i < nr; i += step) {
		if (!win[i].mapped)
			continue;
		vm_unmap_ram((void *)win[i].addr, win[i].pages);
		win[i].mapped = false;
	}
}

static unsigned int map_chunks(struct window *win, struct page **pages,
			       unsigned int nr, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		win[i] = (struct window){ vm_map_ram(pages + i * size, size, NUMA_NO_NODE),
					  size, TAG_OLD + i * size, 1, true };
		if (!win[i].addr)
			break;
	}
	return i;
}

static int vb_round(struct window *win, struct page **pages,
		    const struct tlb_args *args)
{
	unsigned int nr = map_chunks(win, pages, args->count, args->sizes[1]);
	struct probe probe = { win, nr };

	if (nr == args->count) {
		probe_all_cpus(&probe);
		unmap_chunks(win, 0, nr, 2);
		vm_unmap_aliases();
		probe_all_cpus(&probe);
		unmap_chunks(win, 1, nr, 2);
		vm_unmap_aliases();
		probe_all_cpus(&probe);
		return 0;
	}
	unmap_chunks(win, 0, nr, 1);
	return -ENOMEM;
}

static int run_vb(struct tlb_args *args)
{
	unsigned int total = args->count * args->sizes[1], round;
	struct page **pages = alloc_pages_array(total, GFP_KERNEL, TAG_OLD);
	struct window *win = kvcalloc(args->count, sizeof(*win), GFP_KERNEL);
	int ret = pages && win ? 0 : -ENOMEM;

	for (round = 0; round < args->rounds && !ret; round++)
		ret = vb_round(win, pages, args);
	kvfree(win);
	free_pages_array(pages, total);
	if (!ret)
		report_reads();
	return ret;
}

#ifdef CONFIG_HIGHMEM
static void pkmap_round(struct page **pages, unsigned int nr)
{
	struct window win;
	struct probe probe = { &win, 1 };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		win = (struct window){ kmap_high(pages[i]), 1, TAG_NEW + i, 0, true };
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
	return args->count <= MAX_AREAS && nr_areas(args) <= MAX_AREAS &&
	       sizes_ok(args, max);
}

static bool map_ok(const struct tlb_args *args)
{
	return areas_ok(args, MAX_PURGE_PAGES);
}

static bool stale_ok(const struct tlb_args *args)
{
	return areas_ok(args, MAX_READ_PAGES);
}

/* More than BITS_PER_LONG pages would not come from a block. */
static bool vb_ok(const struct tlb_args *args)
{
	return args->sizes[0] == 1 && args->sizes[1] <= BITS_PER_LONG &&
	       !args->gap && args->count <= MAX_CHUNKS &&
	       sizes_ok(args, MAX_READ_PAGES);
}

static bool plain_ok(const struct tlb_args *args)
{
	return !args->sizes[0] && !args->gap;
}

static const struct command {
	const char *name;
	unsigned int count;	/* unless the command says otherwise */
	bool (*args_ok)(const struct tlb_args *args);
	int (*run)(struct tlb_args *args);
} commands[] = {
	{ "drain",	1,	plain_ok,	run_drain },
	{ "map",	1,	map_ok,		run_map },
	{ "purge",	1,	plain_ok,	run_purge },
	{ "stale",	1,	stale_ok,	run_stale },
	{ "vb",	64,		vb_ok,		run_vb },
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
	if (!strcmp(word, "gap"))
		return kstrtouint(value, 10, &args->gap) ? -EINVAL : 0;
	if (!strcmp(word, "rounds"))
		return kstrtouint(value, 10, &args->rounds) ? -EINVAL : 0;
	if (!strcmp(word, "count"))
		return kstrtouint(value, 10, &args->count) ? -EINVAL : 0;
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
	return cmd;
}

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

	mutex_lock(&run_lock);
	/* A CPU that comes or goes in the middle would be asked only once. */
	cpus_read_lock();
	report_len = 0;
	reset_reads();
	ret = cmd->run(&args);
	cpus_read_unlock();
	mutex_unlock(&run_lock);
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
	return 0;
}

static void __exit test_kernel_tlb_exit(void)
{
	debugfs_remove(debug_dir);
	drop_mapping();
}

module_init(test_kernel_tlb_init);
module_exit(test_kernel_tlb_exit);
MODULE_DESCRIPTION("Provoke and detect stale kernel translations");
MODULE_LICENSE("GPL");
