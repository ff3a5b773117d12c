/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two models of what a batch must hold, neither of which does arithmetic on
 * addresses the way mm/kernel_tlb_ranges.c does: both count in pages, and both
 * look at the last byte of a range, so that nothing in them can wrap.
 *
 * The bitmap sees a window of 256 pages and costs nanoseconds; it is for numbers.
 * The list sees the whole address space; it is for widths.
 *
 * Both predict the next state from the state before, so a wrong step is reported
 * at the step, with the rule (README.rst) that it breaks.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "under_test.h"

#define CAPACITY	KERNEL_TLB_BATCH_RANGES

struct pair {
	addr_t start, end;
};

/* What happened, so that a test can show that it did not run empty. */
struct events {
	uint64_t adds, merges, full_by_count, full_by_merge, full_by_wrap;
};

/* What a caller means by a pair of addresses. The one place that decides it. */
enum meaning { NOTHING, PAGES, EVERYTHING };

static inline enum meaning meaning_of(addr_t start, addr_t end)
{
	/* An end of 0 is the top. ULONG_MAX and 0 are an empty min/max span. */
	if (!end)
		return start && start != ULONG_MAX ? EVERYTHING : NOTHING;
	if (start >= end)
		return NOTHING;
	/* The end of the last page has no representation. */
	return (addr_t)(end - 1) >= TOP ? EVERYTHING : PAGES;
}

static inline uint64_t first_page(addr_t start)
{
	return start >> PAGE_SHIFT;
}

static inline uint64_t last_page(addr_t end)
{
	return (addr_t)(end - 1) >> PAGE_SHIFT;
}

/* The single range of flush_tlb_kernel_range(). */
static inline const char *check_set(addr_t start, addr_t end)
{
	struct kernel_tlb_range range = { 1, 2 };
	addr_t pages = kernel_tlb_range_set(&range, start, end);
	enum meaning meaning = meaning_of(start, end);

	if (meaning == EVERYTHING)
		return pages == KERNEL_TLB_EVERYTHING ? NULL :
		       "rule 1: a range that wraps is no full flush";
	if (meaning == NOTHING)
		return pages == 0 ? NULL : "rule 1: an empty or inverted range has pages";
	if (range.start != P(first_page(start)) || range.end != P(last_page(end) + 1))
		return "rule 1: a range is not rounded outwards";
	if (pages != last_page(end) - first_page(start) + 1)
		return "rule 1: pages are not counted after rounding";
	return NULL;
}

static inline bool is_full(const struct kernel_tlb_batch *b)
{
	return kernel_tlb_exceeds(b->pages, b->ceiling);
}

static inline const char *check_form(const struct kernel_tlb_batch *b)
{
	unsigned int i;

	if (b->nr > CAPACITY)
		return "rule 4: more ranges than the array holds";
	for (i = 0; i < b->nr; i++) {
		const struct kernel_tlb_range *r = &b->ranges[i];

		if ((r->start | r->end) & (P(1) - 1))
			return "rule 1: a range is not page aligned";
		if (r->start >= r->end)
			return "rule 1: a range is empty or inverted";
		if (i && r->start <= r[-1].end)
			return "rule 2: ranges are not sorted, disjoint and apart";
	}
	return NULL;
}

/* A full batch must stay as it is: its cost is bounded by the ceiling. */
static inline const char *check_frozen(struct kernel_tlb_batch *b, addr_t start, addr_t end)
{
	struct kernel_tlb_batch before = *b;

	if (kernel_tlb_ranges_add(b, start, end))
		return "rule 5: add() asks for more after the full flush was decided";
	if (b->pages != before.pages || b->ceiling != before.ceiling ||
	    b->nr != before.nr ||
	    memcmp(b->ranges, before.ranges, sizeof(b->ranges)))
		return "rule 5: add() works on after the full flush was decided";
	return NULL;
}

static inline const char *check_full(const struct kernel_tlb_batch *b, bool more, uint64_t pages,
				     const char *missing)
{
	if (!is_full(b))
		return missing;
	if (more)
		return "rule 5: add() asks for more on deciding the full flush";
	if (b->pages > pages && b->pages != KERNEL_TLB_EVERYTHING)
		return "rule 1: a full batch counts more pages than it was given";
	return NULL;
}

/* ---- bitmap ---- */

#define WINDOW_PAGES	256
#define WINDOW_WORDS	(WINDOW_PAGES / 64)

struct page_set {
	uint64_t w[WINDOW_WORDS];
};

struct bitmap_oracle {
	uint64_t base;			/* page */
	struct page_set needed;		/* what was asked for */
	struct page_set covered;	/* what the batch covers */
	bool full;
	uint64_t merges;
	struct events *ev;
};

static inline void set_pages(struct page_set *s, unsigned int first, unsigned int last)
{
	unsigned int w;

	for (w = first / 64; w <= last / 64; w++) {
		uint64_t mask = ~(uint64_t)0;

		if (w == first / 64)
			mask &= ~(uint64_t)0 << first % 64;
		if (w == last / 64)
			mask &= ~(uint64_t)0 >> (63 - last % 64);
		s->w[w] |= mask;
	}
}

static inline unsigned int count_pages(const struct page_set *s)
{
	unsigned int n = 0, w;

	for (w = 0; w < WINDOW_WORDS; w++)
		n += __builtin_popcountll(s->w[w]);
	return n;
}

/* A run starts at a page whose predecessor is not in the set. */
static inline unsigned int count_runs(const struct page_set *s)
{
	uint64_t carry = 0;
	unsigned int n = 0, w;

	for (w = 0; w < WINDOW_WORDS; w++) {
		n += __builtin_popcountll(s->w[w] & ~(s->w[w] << 1 | carry));
		carry = s->w[w] >> 63;
	}
	return n;
}

static inline unsigned int smallest_gap(const struct page_set *s)
{
	unsigned int smallest = WINDOW_PAGES, previous = WINDOW_PAGES, w;

	for (w = 0; w < WINDOW_WORDS; w++) {
		uint64_t rest = s->w[w];

		for (; rest; rest &= rest - 1) {
			unsigned int page = w * 64 + __builtin_ctzll(rest);

			if (previous < page - 1 && page - previous - 1 < smallest)
				smallest = page - previous - 1;
			previous = page;
		}
	}
	return smallest;
}

static inline void bitmap_init(struct bitmap_oracle *o, uint64_t base, struct events *ev)
{
	memset(o, 0, sizeof(*o));
	o->base = base;
	o->ev = ev;
}

/* Adds to the batch and to the oracle; says what is wrong with the outcome. */
static inline const char *bitmap_add(struct bitmap_oracle *o, struct kernel_tlb_batch *b,
				     addr_t start, addr_t end)
{
	struct page_set expect = o->covered, actual = { { 0 } };
	enum meaning meaning = meaning_of(start, end);
	unsigned int pages, gap = 0, i, w;
	const char *wrong;
	bool more, same = true;

	o->ev->adds++;
	if (o->full)
		return check_frozen(b, start, end);

	wrong = check_set(start, end);
	if (wrong)
		return wrong;
	if (meaning == PAGES) {
		set_pages(&o->needed, first_page(start) - o->base, last_page(end) - o->base);
		set_pages(&expect, first_page(start) - o->base, last_page(end) - o->base);
	}
	more = kernel_tlb_ranges_add(b, start, end);

	pages = count_pages(&expect);
	if (meaning == EVERYTHING) {
		o->full = true;
		o->ev->full_by_wrap++;
		return check_full(b, more, pages, "rule 1: a range that wraps is no full flush");
	}
	if (count_runs(&expect) > CAPACITY)
		gap = smallest_gap(&expect);
	if (pages > b->ceiling) {
		o->full = true;
		o->ev->full_by_count++;
		return check_full(b, more, pages + gap,
				  "rule 5: more pages than the ceiling, no full flush");
	}
	if (gap) {
		if (pages + gap > b->ceiling) {
			o->full = true;
			o->ev->full_by_merge++;
			return check_full(b, more, pages + gap,
					  "rule 4: a merge exceeds the ceiling, no full flush");
		}
		o->ev->merges++;
		o->merges++;
	}

	if (is_full(b))
		return "rule 5: a full flush for no more pages than the ceiling";
	if (!more)
		return "rule 5: add() stops although no full flush was decided";
	wrong = check_form(b);
	if (wrong)
		return wrong;
	for (i = 0; i < b->nr; i++) {
		uint64_t first = first_page(b->ranges[i].start), last = last_page(b->ranges[i].end);

		if (first < o->base || last - o->base >= WINDOW_PAGES)
			return "rule 1: a range lies where nothing was added";
		set_pages(&actual, first - o->base, last - o->base);
	}
	for (w = 0; w < WINDOW_WORDS; w++) {
		if (o->needed.w[w] & ~actual.w[w])
			return gap ? "rule 4: a full array drops a page" :
				     "rule 2: a page that must be flushed is not covered";
		same &= actual.w[w] == expect.w[w];
	}
	if (!gap && !same)
		return "rule 2: a page is covered that nobody asked for";
	if (gap && (b->nr != CAPACITY || count_pages(&actual) != pages + gap))
		return "rule 4: not the smallest gap was merged";
	if (b->pages != pages + gap)
		return gap ? "rule 4: the pages of a merged gap are not counted" :
			     "rule 1: the page count is wrong";
	o->covered = actual;
	return NULL;
}

/* ---- list ---- */

struct span {
	uint64_t first, last;		/* pages, inclusive */
};

struct list_oracle {
	struct span span[CAPACITY + 1];
	unsigned int nr;
	bool full;
	uint64_t merges;
	struct events *ev;
};

static inline void list_init(struct list_oracle *o, struct events *ev)
{
	o->nr = 0;
	o->full = false;
	o->merges = 0;
	o->ev = ev;
}

/* Collects everything that touches the new span into it, then puts it in its place. */
static inline void list_insert(struct list_oracle *o, struct span new)
{
	unsigned int i, kept = 0, place = 0;

	for (i = 0; i < o->nr; i++) {
		struct span old = o->span[i];

		if (old.last + 1 < new.first || new.last + 1 < old.first) {
			o->span[kept++] = old;
			continue;
		}
		if (old.first < new.first)
			new.first = old.first;
		if (old.last > new.last)
			new.last = old.last;
	}
	while (place < kept && o->span[place].first < new.first)
		place++;
	for (i = kept; i > place; i--)
		o->span[i] = o->span[i - 1];
	o->span[place] = new;
	o->nr = kept + 1;
}

static inline uint64_t list_pages(const struct list_oracle *o)
{
	uint64_t pages = 0;
	unsigned int i;

	for (i = 0; i < o->nr; i++)
		pages += o->span[i].last - o->span[i].first + 1;
	return pages;
}

static inline uint64_t list_gap(const struct list_oracle *o, unsigned int i)
{
	return o->span[i + 1].first - o->span[i].last - 1;
}

static inline uint64_t list_smallest_gap(const struct list_oracle *o)
{
	uint64_t smallest = NR_PAGES;
	unsigned int i;

	for (i = 0; i + 1 < o->nr; i++)
		if (list_gap(o, i) < smallest)
			smallest = list_gap(o, i);
	return smallest;
}

/* The gap that the batch chose: where its ranges first differ from the spans. */
static inline void list_close_gap(struct list_oracle *o, const struct kernel_tlb_batch *b)
{
	unsigned int i = 0;

	while (i + 2 < o->nr && last_page(b->ranges[i].end) == o->span[i].last)
		i++;
	o->span[i].last = o->span[i + 1].last;
	for (o->nr--, i++; i < o->nr; i++)
		o->span[i] = o->span[i + 1];
}

static inline const char *list_add(struct list_oracle *o, struct kernel_tlb_batch *b,
				   addr_t start, addr_t end)
{
	enum meaning meaning = meaning_of(start, end);
	uint64_t pages, gap = 0;
	const char *wrong;
	unsigned int i;
	bool more;

	o->ev->adds++;
	if (o->full)
		return check_frozen(b, start, end);

	wrong = check_set(start, end);
	if (wrong)
		return wrong;
	more = kernel_tlb_ranges_add(b, start, end);

	if (meaning == EVERYTHING) {
		o->full = true;
		o->ev->full_by_wrap++;
		return check_full(b, more, list_pages(o),
				  "rule 1: a range that wraps is no full flush");
	}
	if (meaning == PAGES)
		list_insert(o, (struct span){ first_page(start), last_page(end) });
	pages = list_pages(o);
	if (o->nr > CAPACITY)
		gap = list_smallest_gap(o);
	if (pages > b->ceiling) {
		o->full = true;
		o->ev->full_by_count++;
		return check_full(b, more, pages + gap,
				  "rule 5: more pages than the ceiling, no full flush");
	}
	if (gap) {
		if (pages + gap > b->ceiling) {
			o->full = true;
			o->ev->full_by_merge++;
			return check_full(b, more, pages + gap,
					  "rule 4: a merge exceeds the ceiling, no full flush");
		}
		o->ev->merges++;
		o->merges++;
	}

	if (is_full(b))
		return "rule 5: a full flush for no more pages than the ceiling";
	if (!more)
		return "rule 5: add() stops although no full flush was decided";
	wrong = check_form(b);
	if (wrong)
		return wrong;
	if (gap) {
		if (b->nr != CAPACITY)
			return "rule 4: a full array loses a range";
		list_close_gap(o, b);
		if (list_pages(o) != pages + gap)
			return "rule 4: not the smallest gap was merged";
	}
	if (b->nr != o->nr)
		return "rule 2: the number of ranges is wrong";
	for (i = 0; i < o->nr; i++)
		if (first_page(b->ranges[i].start) != o->span[i].first ||
		    last_page(b->ranges[i].end) != o->span[i].last)
			return gap ? "rule 4: a full array covers the wrong pages" :
				     "rule 2: the ranges cover the wrong pages";
	if (b->pages != pages + gap)
		return gap ? "rule 4: the pages of a merged gap are not counted" :
			     "rule 1: the page count is wrong";
	return NULL;
}

/* ---- reports ---- */

#define SHOWN	12

static inline void show_batch(FILE *f, const struct kernel_tlb_batch *b)
{
	unsigned int i;

	fprintf(f, "#   batch: %s, nr=%u pages=%llu ceiling=%llu\n",
		is_full(b) ? "everything" : "ranges", b->nr,
		(unsigned long long)b->pages, (unsigned long long)b->ceiling);
	for (i = 0; i < b->nr && i < SHOWN; i++)
		fprintf(f, "#     %#llx-%#llx\n", (unsigned long long)b->ranges[i].start,
			(unsigned long long)b->ranges[i].end);
	if (i < b->nr)
		fprintf(f, "#     ...\n");
}

static inline void show_adds(FILE *f, const struct pair *add, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		fprintf(f, "#   add(%#llx, %#llx)%s\n", (unsigned long long)add[i].start,
			(unsigned long long)add[i].end, i + 1 == nr ? "   <- wrong here" : "");
}

#endif
