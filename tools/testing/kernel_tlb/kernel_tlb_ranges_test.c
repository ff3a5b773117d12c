// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of mm/kernel_tlb_ranges.c: tables of the cases that went wrong in some
 * kernel before, and random sequences against the models in oracle.h.
 *
 * Every test name begins with the rule of the batch that it stands for; the
 * rules are numbered in README.rst. Output is TAP.
 */
#include <time.h>

#include "oracle.h"
#include "tap.h"

#define NO_CEILING	ADDR_MAX

/* ---- a batch between canaries ---- */

#define CANARY		0x5ca1ab1e

/* Not every build has a sanitizer to see a write behind the array. */
struct guarded_batch {
	uint64_t before;
	struct kernel_tlb_batch b;
	uint64_t behind[4];
};

/* The array stays as it was left: init must not depend on what it finds. */
static const char *guarded_init(struct guarded_batch *g, addr_t ceiling)
{
	unsigned int i;

	g->before = CANARY;
	for (i = 0; i < ARRAY_SIZE(g->behind); i++)
		g->behind[i] = CANARY;
	g->b.pages = 0xaaaaaaaa;
	g->b.nr = 0xaaaaaaaa;
	kernel_tlb_ranges_init(&g->b, ceiling);
	return g->b.pages || g->b.nr || is_full(&g->b) || g->b.ceiling != ceiling ?
	       "rule 5: a new batch is not empty" : NULL;
}

static const char *guarded_check(const struct guarded_batch *g)
{
	unsigned int i;

	if (g->before != CANARY)
		return "rule 4: the batch writes in front of itself";
	for (i = 0; i < ARRAY_SIZE(g->behind); i++)
		if (g->behind[i] != CANARY)
			return "rule 4: the batch writes behind its array";
	return NULL;
}

/* ---- tables ---- */

#define MAX_LISTED	10

/* Ends a list of pairs: no table needs an empty range at this address. */
#define END		{ 0xbad, 0xbad }

enum outcome { RANGES, ALL };

struct table_case {
	const char *name;
	addr_t ceiling;
	struct pair add[MAX_LISTED];
	enum outcome outcome;
	addr_t pages;
	struct pair range[MAX_LISTED];
};

static bool is_end(const struct pair *p)
{
	return p->start == 0xbad && p->end == 0xbad;
}

static unsigned int length(const struct pair *list)
{
	unsigned int n = 0;

	while (n < MAX_LISTED && !is_end(&list[n]))
		n++;
	return n;
}

/* The numbers in the table are checked twice: against the batch and against the model. */
static bool run_case(const struct table_case *c)
{
	unsigned int nr_adds = length(c->add), nr_ranges = length(c->range), i;
	struct guarded_batch g;
	const struct kernel_tlb_batch *b = &g.b;
	const char *wrong = guarded_init(&g, c->ceiling);
	struct list_oracle o;
	struct events ev = { 0 };

	list_init(&o, &ev);
	for (i = 0; i < nr_adds && !wrong; i++)
		wrong = list_add(&o, &g.b, c->add[i].start, c->add[i].end);
	if (!wrong)
		wrong = guarded_check(&g);
	if (wrong) {
		show_adds(stdout, c->add, i);
		show_batch(stdout, b);
		return fail("%s", wrong);
	}
	if (c->outcome == ALL)
		return (o.full && is_full(b)) || fail("no full flush");
	if (o.full || is_full(b))
		return fail("a full flush");
	if (list_pages(&o) != c->pages || o.nr != nr_ranges)
		return fail("the model disagrees with the table: %u pages in %u ranges",
			    (unsigned int)list_pages(&o), o.nr);
	if (b->pages != c->pages || b->nr != nr_ranges)
		return fail("%llu pages in %u ranges, should be %llu in %u",
			    (unsigned long long)b->pages, b->nr,
			    (unsigned long long)c->pages, nr_ranges);
	for (i = 0; i < nr_ranges; i++)
		if (b->ranges[i].start != c->range[i].start || b->ranges[i].end != c->range[i].end)
			return fail("range %u is %#llx-%#llx", i,
				    (unsigned long long)b->ranges[i].start,
				    (unsigned long long)b->ranges[i].end);
	return true;
}

#define R(from, to)	{ P(from), P(to) }

static const struct table_case cases[] = {
	/* Rule 1: half-open, aligned outwards, then counted. */
	{ "rule 1: nothing added, nothing to flush",
	  NO_CEILING, { END }, RANGES, 0, { END } },
	{ "rule 1: empty, aligned",
	  NO_CEILING, { R(5, 5), R(0, 0), { TOP, TOP }, END }, RANGES, 0, { END } },
	{ "rule 1: empty, unaligned",
	  NO_CEILING, { { P(5) + 1, P(5) + 1 }, { P(6) - 1, P(6) - 1 },
			{ ADDR_MAX, ADDR_MAX }, END }, RANGES, 0, { END } },
	{ "rule 1: inverted by pages",
	  NO_CEILING, { R(6, 5), R(200, 1), { TOP, P(1) }, END }, RANGES, 0, { END } },
	{ "rule 1: inverted by one byte across a page boundary",
	  NO_CEILING, { { P(5) + 1, P(5) }, { P(5), P(5) - 1 }, END }, RANGES, 0, { END } },
	{ "rule 1: inverted within a page",
	  NO_CEILING, { { P(5) + 8, P(5) + 4 }, END }, RANGES, 0, { END } },
	{ "rule 1: ULONG_MAX..0, the empty span of min and max",
	  NO_CEILING, { { ADDR_MAX, 0 }, END }, RANGES, 0, { END } },
	{ "rule 1: ULONG_MAX..0 does nothing with ceiling 0 either",
	  0, { { ADDR_MAX, 0 }, R(5, 5), R(6, 5), END }, RANGES, 0, { END } },
	{ "rule 1: what adds nothing leaves the rest alone",
	  NO_CEILING, { R(5, 6), R(5, 5), R(9, 2), { ADDR_MAX, 0 }, END },
	  RANGES, 1, { R(5, 6), END } },
	{ "rule 1: one byte is one page",
	  NO_CEILING, { { P(5) + 77, P(5) + 78 }, END }, RANGES, 1, { R(5, 6), END } },
	{ "rule 1: first byte of a page",
	  NO_CEILING, { { P(5), P(5) + 1 }, END }, RANGES, 1, { R(5, 6), END } },
	{ "rule 1: last byte of a page",
	  NO_CEILING, { { P(6) - 1, P(6) }, END }, RANGES, 1, { R(5, 6), END } },
	{ "rule 1: two bytes in two pages",
	  NO_CEILING, { { P(6) - 1, P(6) + 1 }, END }, RANGES, 2, { R(5, 7), END } },
	{ "rule 1: 0x20 bytes across a boundary (openrisc flushed one page)",
	  NO_CEILING, { { P(2) - 0x10, P(2) + 0x10 }, END }, RANGES, 2, { R(1, 3), END } },
	{ "rule 1: a page and a half is two pages (ARM flushed one)",
	  NO_CEILING, { { P(1), P(2) + P(1) / 2 }, END }, RANGES, 2, { R(1, 3), END } },
	{ "rule 1: aligned is taken as it is",
	  NO_CEILING, { R(5, 7), END }, RANGES, 2, { R(5, 7), END } },
	{ "rule 1: start one byte late",
	  NO_CEILING, { { P(5) + 1, P(7) }, END }, RANGES, 2, { R(5, 7), END } },
	{ "rule 1: start a page less one byte late",
	  NO_CEILING, { { P(6) - 1, P(7) }, END }, RANGES, 2, { R(5, 7), END } },
	{ "rule 1: end one byte late",
	  NO_CEILING, { { P(5), P(7) + 1 }, END }, RANGES, 3, { R(5, 8), END } },
	{ "rule 1: end a page less one byte late",
	  NO_CEILING, { { P(5), P(8) - 1 }, END }, RANGES, 3, { R(5, 8), END } },
	{ "rule 1: both ends unaligned",
	  NO_CEILING, { { P(6) - 1, P(7) + 1 }, END }, RANGES, 3, { R(5, 8), END } },
	{ "rule 1: page 0",
	  NO_CEILING, { { 0, 1 }, END }, RANGES, 1, { R(0, 1), END } },
	{ "rule 1: the page below the top one",
	  NO_CEILING, { { TOP - P(1), TOP }, END }, RANGES, 1, { { TOP - P(1), TOP }, END } },
	{ "rule 1: one byte into the top page",
	  NO_CEILING, { { TOP - P(1), TOP + 1 }, END }, ALL, 0, { END } },
	{ "rule 1: the top page less its last byte",
	  NO_CEILING, { { TOP, ADDR_MAX }, END }, ALL, 0, { END } },
	{ "rule 1: one byte of the top page",
	  NO_CEILING, { { ADDR_MAX - 1, ADDR_MAX }, END }, ALL, 0, { END } },
	{ "rule 1: the top page, its end wrapped to 0",
	  NO_CEILING, { { TOP, 0 }, END }, ALL, 0, { END } },
	{ "rule 1: some pages up to the top, the end wrapped to 0 (ARM flushed one)",
	  NO_CEILING, { { TOP - P(1), 0 }, END }, ALL, 0, { END } },
	{ "rule 1: csky's 0xffffc000..0xfffff000 (csky flushed nothing)",
	  NO_CEILING, { { TOP - P(3), TOP }, END }, RANGES, 3, { { TOP - P(3), TOP }, END } },
	{ "rule 1: a wrap is everything, whatever was added before and after",
	  NO_CEILING, { R(5, 6), { TOP, ADDR_MAX }, R(9, 10), { ADDR_MAX, 0 }, END },
	  ALL, 0, { END } },
	{ "rule 1: 0..ULONG_MAX is everything below every ceiling",
	  NO_CEILING, { { 0, ADDR_MAX }, END }, ALL, 0, { END } },
	{ "rule 1: 0..ULONG_MAX is everything below ceiling UINT_MAX",
	  0xffffffff, { { 0, ADDR_MAX }, END }, ALL, 0, { END } },
	{ "rule 1: 0..ULONG_MAX is everything above ceiling 0",
	  0, { { 0, ADDR_MAX }, END }, ALL, 0, { END } },
	{ "rule 1: all but the top page, no ceiling",
	  NO_CEILING, { { 0, TOP }, END }, RANGES, NR_PAGES - 1, { { 0, TOP }, END } },
	{ "rule 1: all but the top page, as many as the ceiling",
	  NR_PAGES - 1, { { 0, TOP }, END }, RANGES, NR_PAGES - 1, { { 0, TOP }, END } },
	{ "rule 1: all but the top page, one more than the ceiling",
	  NR_PAGES - 2, { { 0, TOP }, END }, ALL, 0, { END } },
	{ "rule 1: 0..1UL<<31 counts as unsigned",
	  NO_CEILING, { { 0, (addr_t)1 << 31 }, END }, RANGES,
	  (addr_t)1 << (31 - PAGE_SHIFT), { { 0, (addr_t)1 << 31 }, END } },
	{ "rule 1: across the sign bit",
	  NO_CEILING, { R(NR_PAGES / 2 - 2, NR_PAGES / 2 + 3), END }, RANGES, 5,
	  { R(NR_PAGES / 2 - 2, NR_PAGES / 2 + 3), END } },
#if ADDR_BITS == 64
	{ "rule 1: 2^31 pages are not negative",
	  0x80000000, { R(1, 1 + ((uint64_t)1 << 31)), END }, RANGES, (addr_t)1 << 31,
	  { R(1, 1 + ((uint64_t)1 << 31)), END } },
	{ "rule 1: 2^32 - 1 pages are not above UINT_MAX",
	  0xffffffff, { R(1, (uint64_t)1 << 32), END }, RANGES, 0xffffffff,
	  { R(1, (uint64_t)1 << 32), END } },
	{ "rule 1: 2^32 pages do not count as 0",
	  0xffffffff, { R(1, 1 + ((uint64_t)1 << 32)), END }, ALL, 0, { END } },
	{ "rule 1: 2^32 + 1 pages do not count as 1",
	  64, { R(1, 2 + ((uint64_t)1 << 32)), END }, ALL, 0, { END } },
	{ "rule 1: two ranges of 2^31 pages do not count as 0",
	  0xffffffff, { R(1, 1 + ((uint64_t)1 << 31)),
			R((uint64_t)1 << 33, ((uint64_t)1 << 33) + ((uint64_t)1 << 31)), END },
	  ALL, 0, { END } },
#endif

	/* Rule 2: overlapping and adjacent ranges merge, in whatever order they come. */
	{ "rule 2: ascending",
	  NO_CEILING, { R(1, 2), R(5, 7), R(9, 10), END },
	  RANGES, 4, { R(1, 2), R(5, 7), R(9, 10), END } },
	{ "rule 2: descending",
	  NO_CEILING, { R(9, 10), R(5, 7), R(1, 2), END },
	  RANGES, 4, { R(1, 2), R(5, 7), R(9, 10), END } },
	{ "rule 2: into the middle",
	  NO_CEILING, { R(1, 2), R(9, 10), R(5, 7), END },
	  RANGES, 4, { R(1, 2), R(5, 7), R(9, 10), END } },
	{ "rule 2: areas of two vmap nodes, interleaved",
	  NO_CEILING, { R(16, 18), R(48, 50), R(80, 82), R(32, 34), R(64, 66), R(0, 2), END },
	  RANGES, 12, { R(0, 2), R(16, 18), R(32, 34), R(48, 50), R(64, 66), R(80, 82), END } },
	{ "rule 2: the same range twice counts once",
	  NO_CEILING, { R(5, 7), R(5, 7), END }, RANGES, 2, { R(5, 7), END } },
	{ "rule 2: adjacent behind",
	  NO_CEILING, { R(5, 7), R(7, 9), END }, RANGES, 4, { R(5, 9), END } },
	{ "rule 2: adjacent in front",
	  NO_CEILING, { R(7, 9), R(5, 7), END }, RANGES, 4, { R(5, 9), END } },
	{ "rule 2: adjacent in front at page 0",
	  NO_CEILING, { R(1, 2), R(0, 1), END }, RANGES, 2, { R(0, 2), END } },
	{ "rule 2: one page apart stays apart",
	  NO_CEILING, { R(5, 7), R(8, 9), R(3, 4), END },
	  RANGES, 4, { R(3, 4), R(5, 7), R(8, 9), END } },
	{ "rule 2: adjacent only after rounding",
	  NO_CEILING, { { P(5), P(7) - 1 }, { P(7) + 1, P(8) }, END },
	  RANGES, 3, { R(5, 8), END } },
	{ "rule 2: two parts of one page are one page",
	  NO_CEILING, { { P(5), P(5) + 9 }, { P(5) + 99, P(5) + 100 }, END },
	  RANGES, 1, { R(5, 6), END } },
	{ "rule 2: overlap behind",
	  NO_CEILING, { R(5, 8), R(7, 10), END }, RANGES, 5, { R(5, 10), END } },
	{ "rule 2: overlap in front",
	  NO_CEILING, { R(7, 10), R(5, 8), END }, RANGES, 5, { R(5, 10), END } },
	{ "rule 2: inside",
	  NO_CEILING, { R(5, 10), R(6, 8), END }, RANGES, 5, { R(5, 10), END } },
	{ "rule 2: around",
	  NO_CEILING, { R(6, 8), R(5, 10), END }, RANGES, 5, { R(5, 10), END } },
	{ "rule 2: same start, longer and shorter",
	  NO_CEILING, { R(5, 7), R(5, 9), R(5, 6), END }, RANGES, 4, { R(5, 9), END } },
	{ "rule 2: same end, longer and shorter",
	  NO_CEILING, { R(7, 9), R(5, 9), R(8, 9), END }, RANGES, 4, { R(5, 9), END } },
	{ "rule 2: a page that closes a gap joins both sides",
	  NO_CEILING, { R(5, 7), R(8, 9), R(20, 21), R(7, 8), END },
	  RANGES, 5, { R(5, 9), R(20, 21), END } },
	{ "rule 2: one range swallows some of its neighbours",
	  NO_CEILING, { R(1, 2), R(5, 6), R(8, 9), R(11, 12), R(20, 21), R(4, 13), END },
	  RANGES, 11, { R(1, 2), R(4, 13), R(20, 21), END } },
	{ "rule 2: one range swallows all",
	  NO_CEILING, { R(5, 6), R(8, 9), R(11, 12), R(3, 30), END },
	  RANGES, 27, { R(3, 30), END } },
	{ "rule 2: one range overlaps the outer ones in part",
	  NO_CEILING, { R(1, 5), R(8, 9), R(11, 15), R(3, 12), END },
	  RANGES, 14, { R(1, 15), END } },
	{ "rule 2: pages are counted once, against the ceiling too",
	  4, { R(0, 3), R(1, 4), R(0, 2), END }, RANGES, 4, { R(0, 4), END } },

	/* Rule 5: a batch is full as soon as it has more pages than the ceiling. */
	{ "rule 5: one range of N-1 pages, ceiling N",
	  64, { R(5, 68), END }, RANGES, 63, { R(5, 68), END } },
	{ "rule 5: one range of N pages, ceiling N",
	  64, { R(5, 69), END }, RANGES, 64, { R(5, 69), END } },
	{ "rule 5: one range of N+1 pages, ceiling N",
	  64, { R(5, 70), END }, ALL, 0, { END } },
	{ "rule 5: N pages and one byte, ceiling N",
	  64, { { P(5), P(69) + 1 }, END }, ALL, 0, { END } },
	{ "rule 5: one byte, N-1 pages and one byte, ceiling N",
	  64, { { P(5) - 1, P(68) + 1 }, END }, ALL, 0, { END } },
	{ "rule 5: N pages in all, ceiling N",
	  4, { R(5, 6), R(8, 10), R(30, 31), END },
	  RANGES, 4, { R(5, 6), R(8, 10), R(30, 31), END } },
	{ "rule 5: N+1 pages in all, ceiling N",
	  4, { R(5, 6), R(8, 10), R(30, 32), END }, ALL, 0, { END } },
	{ "rule 5: the page that joins two ranges is the one too many",
	  4, { R(5, 7), R(8, 10), R(7, 8), END }, ALL, 0, { END } },
	{ "rule 5: nothing is added after everything",
	  4, { R(5, 10), R(20, 21), { 0, ADDR_MAX }, R(5, 5), { ADDR_MAX, 0 }, END },
	  ALL, 0, { END } },
	{ "rule 5: ceiling 0, one byte",
	  0, { { P(5), P(5) + 1 }, END }, ALL, 0, { END } },
	{ "rule 5: ceiling 1",
	  1, { R(5, 6), R(5, 6), END }, RANGES, 1, { R(5, 6), END } },
	{ "rule 5: ceiling 1, two pages",
	  1, { R(5, 6), R(7, 8), END }, ALL, 0, { END } },
};

/* ---- a full array ---- */

struct array {
	struct guarded_batch g;
	struct list_oracle o;
	struct events ev;
};

static bool begin(struct array *a, addr_t ceiling)
{
	const char *wrong = guarded_init(&a->g, ceiling);

	memset(&a->ev, 0, sizeof(a->ev));
	list_init(&a->o, &a->ev);
	return !wrong || fail("%s", wrong);
}

static bool add_page(struct array *a, uint64_t page)
{
	const char *wrong = list_add(&a->o, &a->g.b, P(page), P(page + 1));

	if (!wrong)
		wrong = guarded_check(&a->g);
	if (!wrong)
		return true;
	show_batch(stdout, &a->g.b);
	return fail("page %llu: %s", (unsigned long long)page, wrong);
}

/*
 * Fills the array with single pages @gap pages apart from @first on, but puts
 * @narrow pages between entry @where and the next.
 */
static bool fill_array(struct array *a, addr_t ceiling, uint64_t first, unsigned int gap,
		       unsigned int where, unsigned int narrow)
{
	uint64_t page = first;
	unsigned int i;

	if (!begin(a, ceiling))
		return false;
	for (i = 0; i < CAPACITY; i++) {
		if (!add_page(a, page))
			return false;
		page += 1 + (i == where ? narrow : gap);
	}
	return a->g.b.nr == CAPACITY || fail("the array is not full");
}

/* Where fill_array() put entry @i if nothing is narrow. */
static uint64_t entry(unsigned int i, uint64_t first, unsigned int gap)
{
	return first + (uint64_t)i * (gap + 1);
}

static bool array_holds_capacity(void)
{
	struct array a;

	return fill_array(&a, CAPACITY, 100, 1, -1, 0) &&
	       (a.g.b.pages == CAPACITY || fail("%u ranges do not fit", CAPACITY));
}

/* @where: the entry whose gap is the smallest. The new page is far from all. */
static bool merges_old_neighbours(unsigned int where)
{
	struct array a;
	addr_t joined;

	if (!fill_array(&a, NO_CEILING, 1000, 9, where, 3))
		return false;
	joined = a.g.b.ranges[where].start;
	if (!add_page(&a, 5000))
		return false;
	if (a.g.b.ranges[where].start != joined || a.g.b.ranges[where].end != joined + P(5))
		return fail("entry %u does not end at the next one", where);
	return a.g.b.pages == CAPACITY + 1 + 3 || fail("the 3 pages of the gap are not counted");
}

static bool merges_first_gap(void)
{
	return merges_old_neighbours(0);
}

static bool merges_middle_gap(void)
{
	return merges_old_neighbours(CAPACITY / 2);
}

static bool merges_last_gap(void)
{
	return merges_old_neighbours(CAPACITY - 2);
}

/* The new page is nearer to an entry than the entries are to each other. */
static bool merges_new(uint64_t page, unsigned int gap)
{
	struct array a;

	if (!fill_array(&a, NO_CEILING, 1000, 9, -1, 0) || !add_page(&a, page))
		return false;
	return a.g.b.pages == CAPACITY + 1 + gap || fail("not the new page's gap was closed");
}

static bool merges_new_with_its_left(void)
{
	return merges_new(entry(20, 1000, 9) + 3, 2);
}

static bool merges_new_with_its_right(void)
{
	return merges_new(entry(20, 1000, 9) - 3, 2);
}

static bool merges_new_at_the_front(void)
{
	return merges_new(1000 - 4, 3);
}

static bool merges_new_at_the_back(void)
{
	return merges_new(entry(CAPACITY - 1, 1000, 9) + 4, 3);
}

/* The smallest gap of all opens between the new page and what it lands next to. */
static bool merges_none_for_a_neighbour(void)
{
	struct array a;

	if (!fill_array(&a, NO_CEILING, 1000, 9, -1, 0) ||
	    !add_page(&a, 1000) ||
	    !add_page(&a, 1001) ||
	    !add_page(&a, 999) ||
	    !add_page(&a, entry(CAPACITY - 1, 1000, 9) + 1))
		return false;
	return (a.g.b.nr == CAPACITY && a.g.b.pages == CAPACITY + 3 && !a.o.merges) ||
	       fail("a range that needs no entry of its own closed a gap");
}

static bool room_after_a_join(void)
{
	struct array a;

	if (!fill_array(&a, NO_CEILING, 1000, 1, -1, 0) ||
	    !add_page(&a, 1001) ||
	    !add_page(&a, 5000))
		return false;
	return (a.g.b.nr == CAPACITY && a.g.b.pages == CAPACITY + 2 && !a.o.merges) ||
	       fail("the entry that a join freed was not used");
}

static bool every_page_survives_pressure(void)
{
	struct array a;
	unsigned int i;

	if (!fill_array(&a, NO_CEILING, 40000, 9, -1, 0))
		return false;
	for (i = 0; i < 20 * CAPACITY; i++)
		if (!add_page(&a, 1000 + i * 20))
			return false;
	return a.o.merges > 10 * CAPACITY || fail("only %u merges", (unsigned int)a.o.merges);
}

/* 65 pages and 9 of a gap: 74 pages, against ceilings around that. */
static bool gap_against_ceiling(addr_t ceiling, bool full)
{
	struct array a;

	if (!fill_array(&a, ceiling, 1000, 9, -1, 0) || !add_page(&a, 5000))
		return false;
	return is_full(&a.g.b) == full || fail("%s", full ? "not full" : "full");
}

static bool gap_up_to_ceiling(void)
{
	return gap_against_ceiling(CAPACITY + 1 + 9, false);
}

static bool gap_above_ceiling(void)
{
	return gap_against_ceiling(CAPACITY + 9, true);
}

static bool pages_above_ceiling(void)
{
	return gap_against_ceiling(CAPACITY, true);
}

/* A gap of nearly the whole address space is negative where gaps are signed. */
static bool merges_beside_huge_gaps(void)
{
	struct array a;

	if (!fill_array(&a, NO_CEILING, 1, 9, -1, 0) ||
	    !add_page(&a, NR_PAGES - 2))
		return false;
	return a.g.b.ranges[CAPACITY - 1].end == TOP || fail("the far page went missing");
}

static bool init_starts_over(void)
{
	struct array a;

	return begin(&a, 0) && add_page(&a, 1) &&
	       (is_full(&a.g.b) || fail("not full")) &&
	       begin(&a, 64) && add_page(&a, 7);
}

#if PAGE_SHIFT == 12
/* "Excessive TLB flush ranges", 15 May 2023; the pages are those of a 4 KiB machine. */
static const struct pair report_areas[] = {
	{ 0xf08a1000, 0xf08a5000 }, { 0xf08a5000, 0xf08a9000 },
	{ 0xf08a9000, 0xf08ad000 }, { 0xf08ad000, 0xf08b1000 },
	{ 0xf08b3000, 0xf08b7000 }, { 0xf08b7000, 0xf08bb000 },
	{ 0xf08bb000, 0xf08bf000 }, { 0xf0a15000, 0xf0a17000 },
};

static const struct pair report_direct_map = { 0x95c8d000, 0x95c8e000 };

static bool add_pair(struct array *a, addr_t start, addr_t end)
{
	const char *wrong = list_add(&a->o, &a->g.b, start, end);

	return !wrong || fail("%s", wrong);
}

static bool holds(struct array *a, unsigned int pages, unsigned int nr)
{
	if (a->g.b.pages == pages && a->g.b.nr == nr && !is_full(&a->g.b))
		return true;
	show_batch(stdout, &a->g.b);
	return fail("not %u pages in %u ranges", pages, nr);
}

static bool add_report(struct array *a, addr_t ceiling, addr_t guard)
{
	unsigned int i;

	if (!begin(a, ceiling))
		return false;
	for (i = 0; i < ARRAY_SIZE(report_areas); i++)
		if (!add_pair(a, report_areas[i].start, report_areas[i].end - guard))
			return false;
	return true;
}

static bool report_areas_only(void)
{
	struct array a;

	return add_report(&a, 64, P(1)) && holds(&a, 22, 8) &&
	       ((a.g.b.ranges[0].start == 0xf08a1000 && a.g.b.ranges[0].end == 0xf08a4000 &&
		 a.g.b.ranges[7].start == 0xf0a15000 && a.g.b.ranges[7].end == 0xf0a16000) ||
		fail("other ranges"));
}

static bool report_guards_and_direct_map(void)
{
	struct array a;

	return add_report(&a, 31, 0) &&
	       add_pair(&a, report_direct_map.start, report_direct_map.end) &&
	       holds(&a, 31, 4) &&
	       ((a.g.b.ranges[0].start == 0x95c8d000 && a.g.b.ranges[0].end == 0x95c8e000 &&
		 a.g.b.ranges[1].start == 0xf08a1000 && a.g.b.ranges[1].end == 0xf08b1000 &&
		 a.g.b.ranges[2].start == 0xf08b3000 && a.g.b.ranges[2].end == 0xf08bf000 &&
		 a.g.b.ranges[3].start == 0xf0a15000 && a.g.b.ranges[3].end == 0xf0a17000) ||
		fail("other ranges"));
}

static bool report_above_ceiling(void)
{
	struct array a;

	return add_report(&a, 30, 0) && holds(&a, 30, 3) &&
	       add_pair(&a, report_direct_map.start, report_direct_map.end) &&
	       (is_full(&a.g.b) || fail("no full flush"));
}

static bool report_as_a_span(void)
{
	struct array a;

	return begin(&a, NO_CEILING) &&
	       add_pair(&a, report_direct_map.start, report_areas[7].end) &&
	       holds(&a, 372106, 1);
}

static bool syzbot_modules_and_vmalloc(void)
{
	struct array a;

	return begin(&a, 64) && add_pair(&a, 0xecfd6000, 0xecfd7000) &&
	       add_pair(&a, 0x7f029000, 0x7f02a000) && holds(&a, 2, 2) &&
	       begin(&a, NO_CEILING) && add_pair(&a, 0x7f029000, 0xecfd7000) &&
	       holds(&a, 450478, 1);
}
#endif

static const struct {
	const char *name;
	bool (*run)(void);
} functions[] = {
	{ "rule 4: the array holds KERNEL_TLB_BATCH_RANGES ranges", array_holds_capacity },
	{ "rule 4: a full array closes its first gap if that is the smallest", merges_first_gap },
	{ "rule 4: a full array closes a middle gap if that is the smallest", merges_middle_gap },
	{ "rule 4: a full array closes its last gap if that is the smallest", merges_last_gap },
	{ "rule 4: the new range merges with its left neighbour", merges_new_with_its_left },
	{ "rule 4: the new range merges with its right neighbour", merges_new_with_its_right },
	{ "rule 4: the new range merges at the front", merges_new_at_the_front },
	{ "rule 4: the new range merges at the back", merges_new_at_the_back },
	{ "rule 4: no gap is closed for a range that touches an entry",
	  merges_none_for_a_neighbour },
	{ "rule 4: two joined entries make room for one", room_after_a_join },
	{ "rule 4: a gap across the address space is not the smallest", merges_beside_huge_gaps },
	{ "rule 4: no page is lost in a thousand merges", every_page_survives_pressure },
	{ "rule 4: a gap that reaches the ceiling is closed", gap_up_to_ceiling },
	{ "rule 4: a gap that exceeds the ceiling is a full flush", gap_above_ceiling },
	{ "rule 5: a full array above the ceiling is a full flush", pages_above_ceiling },
	{ "rule 5: init forgets an earlier use", init_starts_over },
#if PAGE_SHIFT == 12
	{ "rule 2: the report's list, areas only: 22 pages in 8 ranges", report_areas_only },
	{ "rule 2: the report's list with guards and direct map: 31 pages in 4 ranges",
	  report_guards_and_direct_map },
	{ "rule 5: the report's list one page above the ceiling", report_above_ceiling },
	{ "rule 1: the report's span as one range: 372106 pages", report_as_a_span },
	{ "rule 2: syzbot's module and vmalloc pages: 2 pages in 2 ranges, 450478 in one",
	  syzbot_modules_and_vmalloc },
#endif
};

/* ---- random sequences ---- */

#define MAX_ADDS	192

struct sequence {
	uint64_t base;			/* page at which the window begins */
	addr_t ceiling;
	unsigned int nr;
	struct pair add[MAX_ADDS];
};

static uint64_t random_base(struct rng *r)
{
	switch (below(r, 4)) {
	case 0:
		return 0;
	case 1:
		return NR_PAGES - WINDOW_PAGES;
	case 2:
		return NR_PAGES / 2 - WINDOW_PAGES / 2;
	default:
		return rnd(r) % (NR_PAGES - WINDOW_PAGES);
	}
}

static addr_t random_ceiling(struct rng *r)
{
	switch (below(r, 8)) {
	case 0:
		return below(r, 4);
	case 1:
	case 2:
		return below(r, 64);
	case 3:
		return 64;
	case 4:
		return below(r, WINDOW_PAGES + 2);
	case 5:
		return 0xffffffff;
	default:
		return NO_CEILING;
	}
}

/* Up to a page less one byte, and mostly nothing or the extremes. */
static addr_t random_offset(struct rng *r)
{
	switch (below(r, 8)) {
	case 0:
		return 1;
	case 1:
		return P(1) - 1;
	case 2:
		return below(r, P(1));
	default:
		return 0;
	}
}

static struct pair random_pair(struct rng *r, uint64_t base, uint32_t longest)
{
	uint32_t page = below(r, WINDOW_PAGES), pages = 1 + below(r, longest);
	struct pair p;

	if (one_in(r, 64)) {
		switch (below(r, 3)) {
		case 0:
			return (struct pair){ ADDR_MAX, 0 };
		case 1:
			p.start = P(base + page) + random_offset(r);
			p.end = p.start;
			return p;
		default:
			p.end = P(base + page) + random_offset(r);
			p.start = p.end + 1 + below(r, P(3));
			/* No room behind it at the top of the address space. */
			if (p.start < p.end)
				p.start = ADDR_MAX;
			return p;
		}
	}
	if (page + pages > WINDOW_PAGES)
		pages = WINDOW_PAGES - page;
	/* The top page ends a sequence; most are to go on. */
	if (base + page + pages == NR_PAGES && !one_in(r, 16)) {
		if (pages > 1)
			pages--;
		else
			page--;
	}
	p.start = P(base + page) + random_offset(r);
	p.end = P(base + page + pages) - random_offset(r);
	return p;
}

/* A handful of ranges of any size: order, overlap, rounding, ceiling. */
static void short_sequence(struct rng *r, struct sequence *s)
{
	uint32_t longest = one_in(r, 4) ? 64 : one_in(r, 2) ? 8 : 2;

	s->base = random_base(r);
	s->ceiling = random_ceiling(r);
	s->nr = 1 + below(r, 12);
	for (unsigned int i = 0; i < s->nr; i++)
		s->add[i] = random_pair(r, s->base, longest);
}

/*
 * More separate pages than the array has entries: first every second or third
 * page of the window in a random rotation, then ranges as they come.
 */
static void long_sequence(struct rng *r, struct sequence *s)
{
	uint32_t stride = 2 + below(r, 2), start = below(r, WINDOW_PAGES), i;
	uint32_t comb = 56 + below(r, WINDOW_PAGES / stride - 56), spread = one_in(r, 2) ? 1 : 7;

	s->base = random_base(r);
	s->ceiling = one_in(r, 4) ? 64 + below(r, 128) : NO_CEILING;
	s->nr = comb + below(r, MAX_ADDS - comb);
	for (i = 0; i < s->nr; i++) {
		uint64_t page = s->base + (start + i * stride * spread) % WINDOW_PAGES;

		if (i < comb && page != NR_PAGES - 1)
			s->add[i] = (struct pair){ P(page), P(page + 1) };
		else
			s->add[i] = random_pair(r, s->base, 2);
	}
}

/* The whole address space: the distance and length of ranges in every power of two. */
static void wide_sequence(struct rng *r, struct sequence *s)
{
	unsigned int i;

	s->base = 0;
	s->ceiling = one_in(r, 4) ? rnd(r) >> below(r, 64) : NO_CEILING;
	s->nr = 1 + below(r, one_in(r, 4) ? MAX_ADDS : 20);
	for (i = 0; i < s->nr; i++) {
		addr_t start = rnd(r), span = rnd(r), near = rnd(r);

		if (i && one_in(r, 2)) {
			near >>= below(r, ADDR_BITS);
			if (one_in(r, 2))
				start = s->add[i - 1].end + near;
			else
				start = s->add[i - 1].start - near;
		}
		span >>= below(r, ADDR_BITS);
		/* Long ranges leave no room for others. */
		if (!one_in(r, 16))
			span >>= ADDR_BITS / 4;
		/* Nor is anything added behind a range that wraps. */
		if (start + span < start || one_in(r, 256))
			start = one_in(r, 16) ? ADDR_MAX - span : start - span;
		s->add[i] = (struct pair){ start, start + span };
	}
}

/* What one way of running a sequence needs and leaves behind. */
struct run {
	struct guarded_batch g;
	uint64_t merges;
	unsigned int done;		/* adds, the wrong one included */
};

static const char *run_bitmap(const struct sequence *s, struct run *run, struct events *ev)
{
	const char *wrong = guarded_init(&run->g, s->ceiling);
	struct bitmap_oracle o;
	unsigned int i;

	bitmap_init(&o, s->base, ev);
	for (i = 0; i < s->nr && !wrong; i++)
		wrong = bitmap_add(&o, &run->g.b, s->add[i].start, s->add[i].end);
	run->merges = o.merges;
	run->done = i;
	return wrong ? wrong : guarded_check(&run->g);
}

static const char *run_list(const struct sequence *s, struct run *run, struct events *ev)
{
	const char *wrong = guarded_init(&run->g, s->ceiling);
	struct list_oracle o;
	unsigned int i;

	list_init(&o, ev);
	for (i = 0; i < s->nr && !wrong; i++)
		wrong = list_add(&o, &run->g.b, s->add[i].start, s->add[i].end);
	run->merges = o.merges;
	run->done = i;
	return wrong ? wrong : guarded_check(&run->g);
}

/* Shows the failure in as few adds as still make one. */
static const char *shortest_failure(struct sequence s,
				    const char *(*fn)(const struct sequence *s, struct run *run,
						      struct events *ev))
{
	struct events ev = { 0 };
	const char *wrong;
	struct run run;
	unsigned int i = 0;

	while (i < s.nr) {
		struct sequence shorter = s;

		shorter.nr--;
		memmove(&shorter.add[i], &shorter.add[i + 1],
			(shorter.nr - i) * sizeof(shorter.add[0]));
		if (fn(&shorter, &run, &ev))
			s = shorter;
		else
			i++;
	}
	wrong = fn(&s, &run, &ev);
	show_adds(stdout, s.add, run.done);
	show_batch(stdout, &run.g.b);
	return wrong;
}

static void shuffle(struct rng *r, struct sequence *s)
{
	unsigned int i;

	for (i = s->nr - 1; i > 0; i--) {
		unsigned int j = below(r, i + 1);
		struct pair p = s->add[i];

		s->add[i] = s->add[j];
		s->add[j] = p;
	}
}

static const char *compare(const struct kernel_tlb_batch *a, const struct kernel_tlb_batch *b)
{
	unsigned int i;

	if (is_full(a) != is_full(b))
		return "rule 2: the order decides whether it is a full flush";
	if (is_full(a))
		return NULL;
	if (a->nr != b->nr || a->pages != b->pages)
		return "rule 2: the order changes the count";
	for (i = 0; i < a->nr; i++)
		if (a->ranges[i].start != b->ranges[i].start ||
		    a->ranges[i].end != b->ranges[i].end)
			return "rule 2: the order changes the ranges";
	return NULL;
}

static const char *sequence_short(struct rng *r, struct events *ev)
{
	static struct run run, again;
	static struct sequence s;
	const char *wrong;

	short_sequence(r, &s);
	if (run_bitmap(&s, &run, ev))
		return shortest_failure(s, run_bitmap);
	shuffle(r, &s);
	if (run_bitmap(&s, &again, ev))
		return shortest_failure(s, run_bitmap);
	if (run.merges || again.merges)
		return NULL;
	wrong = compare(&run.g.b, &again.g.b);
	if (wrong) {
		show_adds(stdout, s.add, s.nr);
		show_batch(stdout, &again.g.b);
		printf("#   in another order:\n");
		show_batch(stdout, &run.g.b);
	}
	return wrong;
}

static const char *sequence_long(struct rng *r, struct events *ev)
{
	static struct sequence s;
	static struct run run;

	long_sequence(r, &s);
	return run_bitmap(&s, &run, ev) ? shortest_failure(s, run_bitmap) : NULL;
}

static const char *sequence_wide(struct rng *r, struct events *ev)
{
	static struct sequence s;
	static struct run run;

	wide_sequence(r, &s);
	return run_list(&s, &run, ev) ? shortest_failure(s, run_list) : NULL;
}

struct random_test {
	const char *name;
	uint32_t share;			/* of a hundred sequences */
	const char *(*run)(struct rng *r, struct events *ev);
	bool overflows;			/* the array, often enough to also reach the ceiling so */
};

static const struct random_test random_tests[] = {
	{ "rules 1 2 5: random sequences in two orders, against a bitmap", 90,
	  sequence_short, false },
	{ "rules 1 2 4 5: random sequences that overflow the array, against a bitmap", 6,
	  sequence_long, true },
	{ "rules 1 2 4 5: random sequences over the whole address space, against a list", 4,
	  sequence_wide, false },
};

/* A test that saw none of what it is for has shown nothing. */
static bool saw_enough(const struct random_test *t, uint64_t sequences, const struct events *ev)
{
	if (sequences < 10000)
		return true;
	if (!ev->full_by_count || !ev->full_by_wrap)
		return fail("no full flush in %llu sequences", (unsigned long long)sequences);
	if (t->overflows && (!ev->merges || !ev->full_by_merge))
		return fail("no merge in %llu sequences", (unsigned long long)sequences);
	return true;
}

static bool run_random(const struct random_test *t, uint64_t sequences, uint64_t first,
		       uint64_t seed)
{
	struct events ev = { 0 };
	clock_t begin = clock();
	uint64_t i;

	for (i = first; i < first + sequences; i++) {
		struct rng r = rng_of(seed, i);
		const char *wrong = t->run(&r, &ev);

		if (wrong) {
			printf("#   again: -s %#llx -f %llu -n 1\n",
			       (unsigned long long)seed, (unsigned long long)i);
			return fail("sequence %llu: %s", (unsigned long long)i, wrong);
		}
	}
	printf("# %llu sequences, %llu adds, %llu merges, ", (unsigned long long)sequences,
	       (unsigned long long)ev.adds, (unsigned long long)ev.merges);
	printf("full: %llu by count, %llu by merge, %llu by wrap; %.1f s\n",
	       (unsigned long long)ev.full_by_count,
	       (unsigned long long)ev.full_by_merge, (unsigned long long)ev.full_by_wrap,
	       (double)(clock() - begin) / CLOCKS_PER_SEC);
	return saw_enough(t, sequences, &ev);
}

int main(int argc, char **argv)
{
	struct options o = parse_options(argc, argv, 1000000);
	unsigned int i;

	printf("TAP version 13\n");
	printf("1..%zu\n", ARRAY_SIZE(cases) + ARRAY_SIZE(functions) + ARRAY_SIZE(random_tests));
	printf("# %d-bit addresses, pages of %u bytes, %llu sequences, seed %#llx\n", ADDR_BITS,
	       1U << PAGE_SHIFT, (unsigned long long)o.sequences, (unsigned long long)o.seed);

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		report(run_case(&cases[i]), cases[i].name);
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		report(functions[i].run(), functions[i].name);
	for (i = 0; i < ARRAY_SIZE(random_tests); i++) {
		const struct random_test *t = &random_tests[i];
		/* Replaying one sequence of one test tries that number in all of them. */
		uint64_t n = o.one ? o.sequences : (o.sequences * t->share + 99) / 100;

		report(run_random(t, n, o.first, o.seed), t->name);
	}

	return summary();
}
