// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of arch/nios2/mm/kernel_tlb.c, and of arch/nios2/mm/tlb.c if there is one,
 * against a model of the MMU: nios2/mmu.h. Pages are mapped, used under several
 * PIDs and unmapped, then flushed; then the TLB may not have an entry of them.
 *
 * Every test name begins with the rule (README.rst) that it stands for. Output is
 * TAP.
 */
#include "nios2/mmu.h"

#define RULES			"n"
#define INNER_EDGE		cpuinfo.tlb_num_lines
#define VMALLOC			0x90000		/* page, of line 0 */

#include "mmu_test.h"

/* Entries to drop, of all flushes together. */
static uint64_t found;

/* What a line costs at most: to read and to drop each way, to save and to restore. */
static unsigned int masked_accesses(void)
{
	return (2 + 3) * cpuinfo.tlb_num_ways + 3;
}

/* ---- before a flush ---- */

/* As the boot leaves it. */
static void drop_everything(void)
{
	unsigned int i;

	for (i = 0; i < nr_entries(); i++)
		*entry_at(i) = (struct entry){
			.page = TRANSLATED_PAGES + i / cpuinfo.tlb_num_ways,
			.pid = i % cpuinfo.tlb_num_ways,
		};
}

/* To any way, as other misses before would have it. */
static void use_as(uint32_t pid, uint32_t page)
{
	set_misc(pid, below(&t.rng, cpuinfo.tlb_num_ways));
	touch(page);
}

/* As one of all processes. */
static void use(uint32_t page)
{
	uint32_t n = below(&t.rng, ARRAY_SIZE(running_asids));

	use_as(one_in(&t.rng, 2) ? running_asids[n] : other_asids[n], page);
}

static void use_pages(uint32_t pid)
{
	unsigned int i, n;

	for (i = 0; i < t.nr_mapped; i++)
		use(t.mapped[i]);
	for (i = 0; i < t.nr_unmapped; i++)
		use_as(pid, t.unmapped[i]);
	/* In an order of its own, so that the last ones are any. */
	for (i = 0; i < MAX_WAYS; i++)
		use(any_page());
	for (i = 0; i < 2 && t.nr_unmapped; i++) {
		uint32_t page = t.unmapped[below(&t.rng, t.nr_unmapped)];

		use_as(pid, page);
		for (n = 0; n < ARRAY_SIZE(other_asids); n++)
			use_as(other_asids[n], page);
	}
}

static void unmap_pages(void)
{
	unsigned int i;

	for (i = 0; i < t.nr_unmapped; i++)
		pte[t.unmapped[i]] &= ~PTE_MAPPED;
	/* Somebody may use it nevertheless: the entry then forbids everything. */
	if (t.nr_unmapped)
		use(t.unmapped[below(&t.rng, t.nr_unmapped)]);
}

static void begin(const struct ranges *flush, const struct state *s)
{
	struct rng r = s->rng;

	cpuinfo = geometries[below(&r, ARRAY_SIZE(geometries))];
	prepare(flush, s);
	memset(&cpu, 0, sizeof(cpu));
	cpu.flushed_pid = ANY_PID;
	drop_everything();
	use_pages(s->asid);
	unmap_pages();
	cpu.pid = s->asid;
	cpu.way = below(&t.rng, cpuinfo.tlb_num_ways);
	set_misc(cpu.pid, cpu.way);
	cpu.tlbmisc |= TLBMISC_WE | 1;
	irqs_on = s->irqs_on;
}

/* ---- behind a flush ---- */

/*
 * Of a kernel page even an entry that forbids everything is one too many. Of a
 * process it costs a fault, so tlb.c may leave it.
 */
static bool is_stale(const struct entry *e)
{
	return e->page < TRANSLATED_PAGES && !(pte[e->page] & PTE_MAPPED) && is_to_drop(e) &&
	       (e->acc || cpu.flushed_pid == ANY_PID);
}

/* Before the flush, counts what it has to find; behind it, that is an error. */
static void look_for_stale(bool before)
{
	unsigned int i;

	for (i = 0; i < nr_entries(); i++) {
		const struct entry *e = entry_at(i);

		if (!is_stale(e))
			continue;
		if (before)
			found++;
		else
			broken(STALE, "page %#x of PID %#x is left in way %u of %u", e->page,
			       e->pid, i % cpuinfo.tlb_num_ways, cpuinfo.tlb_num_ways);
	}
}

static void check_tag(const struct entry *e, const struct entry *line)
{
	const struct entry *other;

	if (!e->acc && e->page < TRANSLATED_PAGES)
		broken(TAGS, "a dropped entry is found under page %#x", e->page);
	for (other = line; other < e; other++)
		if (same_tag(e, other->page, other->pid))
			broken(TAGS, "two entries have page %#x and PID %#x", e->page, e->pid);
}

static void check_tags(void)
{
	unsigned int i;

	for (i = 0; i < nr_entries(); i++)
		check_tag(entry_at(i), entry_at(i - i % cpuinfo.tlb_num_ways));
}

static void end(const struct state *s)
{
	check_misc("behind the flush");
	look_for_stale(false);
	conclude(s, masked_accesses());
}

static void flush_ranges(const struct ranges *flush, const struct state *s)
{
	uint64_t reads = 0;
	unsigned int i;

	begin(flush, s);
	look_for_stale(true);
	t.range = flush->r;
	t.nr_ranges = flush->nr;
	arch_flush_tlb_kernel_ranges(flush->r, flush->nr);
	end(s);
	check_tags();
	for (i = 0; i < flush->nr; i++)
		reads += (last_page(flush->r[i].end) - first_page(flush->r[i].start) + 1) *
			 cpuinfo.tlb_num_ways;
	if (t.lookups != reads)
		broken(OTHERS, "%llu entries are read, the lines of the ranges have %llu",
		       (unsigned long long)t.lookups, (unsigned long long)reads);
}

/* ---- ranges ---- */

static void single_pages(struct ranges *flush)
{
	unsigned int i;

	for (i = 0; i < KERNEL_TLB_BATCH_RANGES; i++)
		add(flush, VMALLOC + 3 * i, 1);
}

static void one_line(struct ranges *flush)
{
	unsigned int i;

	for (i = 0; i < KERNEL_TLB_BATCH_RANGES; i++)
		add(flush, VMALLOC + 5 + 64 * i, 1);
}

static void up_to_the_end(struct ranges *flush)
{
	unsigned int i;

	for (i = 0; i < KERNEL_TLB_BATCH_RANGES; i++)
		add(flush, TRANSLATED_PAGES - 1 - 2 * (KERNEL_TLB_BATCH_RANGES - 1 - i), 1);
}

#define END(pages)	R(TRANSLATED_PAGES - (pages), TRANSLATED_PAGES)

static const struct table_case cases[] = {
	{ "a page", .list = { V(5, 6) } },
	{ "a page of line 0", .list = { V(0, 1) } },
	{ "a page of the last line", .list = { V(63, 64) } },
	{ "two pages", .list = { V(5, 7) } },
	{ "15 pages, every line but one", .list = { V(0, 15) } },
	{ "16 pages, every line", .list = { V(0, 16) } },
	{ "17 pages, one line twice", .list = { V(0, 17) } },
	{ "16 pages across line 0", .list = { V(5, 21) } },
	{ "63 pages", .list = { V(1, 64) } },
	{ "64 pages", .list = { V(0, 64) } },
	{ "65 pages", .list = { V(1, 66) } },
	{ "1000 pages", .list = { V(7, 1007) } },
	{ "64 single pages", .make = single_pages },
	{ "64 pages of one line", .make = one_line },
	{ "pages with one tag when dropped",
	  .list = { R(0x10005, 0x10006), R(0x50005, 0x50006), V(5, 6) } },
	{ "two ranges with one page between them", .list = { V(2, 5), V(6, 9) } },
	{ "ranges far apart", .list = { R(0x80005, 0x80006), V(3, 5), END(1) } },
	{ "across the border of user and kernel", .list = { R(KERNEL_PAGE - 1, KERNEL_PAGE + 1) } },
	{ "page 0", .list = { R(0, 1) } },
	{ "page 1", .list = { R(1, 2) } },
	{ "the last translated page", .list = { END(1) } },
	{ "the last 64 translated pages", .list = { END(64) } },
	{ "64 ranges up to the last translated page", .make = up_to_the_end },
	{ "across the last translated page",
	  .list = { R(TRANSLATED_PAGES - 1, TRANSLATED_PAGES + 1) } },
	{ "pages that are not translated",
	  .list = { R(TRANSLATED_PAGES, TRANSLATED_PAGES + 20) } },
	{ "the last two pages but one", .list = { T(2) } },
	{ "the last 20000 translated pages", .list = { END(20000) }, .slow = true },
};

/* ---- mm/tlb.c ---- */

#ifdef NO_TLB_C

#define NR_ALL		1

void flush_tlb_all(void)
{
}

static void run_all(const struct options *o)
{
	(void)o;
	skip("rule n6: a full flush", "no arch/nios2/mm/tlb.c: say with NIOS2_TLB_C= where it is");
}

#else

#define NR_ALL		4

static struct mm_struct mm;
static struct task_struct task = { .mm = &mm };
struct task_struct *current = &task;

static void flush_all(const struct ranges *unmapped, const struct state *s)
{
	begin(unmapped, s);
	look_for_stale(true);
	arch_flush_tlb_kernel_all();
	end(s);
	check_tags();
}

static struct vm_area_struct vma = { .vm_mm = &mm };

static void flush_pages(const struct ranges *pages)
{
	flush_tlb_range(&vma, pages->r[0].start, pages->r[0].end);
}

static void flush_everything(const struct ranges *pages)
{
	(void)pages;
	t.nr_ranges = 0;
	flush_tlb_mm(&mm);
}

/* Nothing is dropped, but what has an entry has another one. */
static void reload_pages(const struct ranges *pages)
{
	uint32_t page = first_page(pages->r[0].start), last = last_page(pages->r[0].end);
	pte_t new = { 0x12345 | _PAGE_WRITE };

	for (; page <= last; page++) {
		const struct entry *e;

		reload_tlb_page(&vma, P(page), new);
		e = tlb_find(page, mm.context);
		if (e && e->acc != pte_val(new))
			broken(STALE, "page %#x of PID %#x has its old entry", page, e->pid);
	}
	cpu.flushed_pid = NO_PID;
}

static void look_at_everything(const struct ranges *pages)
{
	(void)pages;
	cpu.flushed_pid = NO_PID;
	dump_tlb();
}

static void (* const uses[])(const struct ranges *pages) = {
	flush_pages, flush_everything, reload_pages, look_at_everything,
};

static void flush_process(const struct ranges *unmapped, const struct state *s)
{
	struct state now = *s;
	unsigned int use = below(&now.rng, ARRAY_SIZE(uses));
	uint32_t first = below(&now.rng, KERNEL_PAGE - 64);
	struct ranges pages = { 0 };

	(void)unmapped;
	add(&pages, first, 1 + below(&now.rng, 40));
	begin(&pages, &now);
	mm.context = now.asid;
	cpu.flushed_pid = now.asid;
	look_for_stale(true);
	t.range = pages.r;
	t.nr_ranges = pages.nr;
	uses[use](&pages);
	end(&now);
}

static void run_all(const struct options *o)
{
	struct verdict all = { 0 }, process = { 0 };

	run_sequences(o, o->sequences, "random pages", flush_all, &all);
	report_rule(&all, STALE, STALE,
		    "rule n6: a full flush leaves no entry of what is not mapped");
	report_rule(&all, OTHERS, NR_RULES - 1,
		    "rule n6: a full flush takes care of TLBMISC, interrupts and tags");
	run_sequences(o, o->sequences, "pages of a process", flush_process, &process);
	report_rule(&process, STALE, STALE, "rule n6: a process keeps none of its old entries");
	report_rule(&process, OTHERS, NR_RULES - 1,
		    "rule n6: and the rest of tlb.c takes care of TLBMISC and interrupts");
}

#endif

int main(int argc, char **argv)
{
	struct options o = parse_options(argc, argv, 20000);
	unsigned int i;

	start_tests(&o, ARRAY_SIZE(cases) + NR_ALL);
	for (i = 0; i < ARRAY_SIZE(geometries); i++)
		printf("# %u ways, %u lines, PIDs of %u bits\n", geometries[i].tlb_num_ways,
		       geometries[i].tlb_num_lines, geometries[i].tlb_pid_num_bits);
	run_tests(&o, cases, ARRAY_SIZE(cases));
	run_all(&o);
	return end_tests(found);
}
