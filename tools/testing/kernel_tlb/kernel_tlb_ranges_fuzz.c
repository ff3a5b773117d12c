// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage-guided input for mm/kernel_tlb_ranges.c, judged by both models of
 * oracle.h. Built with -fsanitize=fuzzer it is a libFuzzer target; with
 * -DREPLAY it has a main() of its own, so that any C compiler runs the corpus.
 *
 * An input is one batch:
 *
 *	byte 0	bits 0-1 where the window of 256 pages lies, bits 2-3 the ceiling
 *	byte 1	the ceiling's value
 *	then	operations: a byte of kind (bits 0-2) and argument (bits 3-7), and
 *		operands. One that is cut short ends the input.
 */
#include "oracle.h"

struct input {
	const uint8_t *data;
	size_t left;
	bool cut;
};

static uint8_t take(struct input *in)
{
	if (!in->left) {
		in->cut = true;
		return 0;
	}
	in->left--;
	return *in->data++;
}

static addr_t take_address(struct input *in)
{
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < 8; i++)
		v = v << 8 | take(in);
	return v;
}

/* The same adds go to two batches: the list sees all, the bitmap stops at its window. */
struct fuzz {
	uint64_t base;
	struct events ev;
	bool in_window;
	struct bitmap_oracle bitmap;
	struct kernel_tlb_batch bitmap_batch;
	struct list_oracle list;
	struct kernel_tlb_batch list_batch;
	struct pair last;
	unsigned int adds;
};

/* Where the input is from; libFuzzer knows by itself. */
static const char *corpus_file = "input";
static unsigned int corpus_line;

static void give_up(const struct fuzz *f, const char *wrong)
{
	fprintf(stderr, "# %s:%u\n", corpus_file, corpus_line);
	fprintf(stderr, "# %d-bit: add %u: %s\n", ADDR_BITS, f->adds, wrong);
	show_adds(stderr, &f->last, 1);
	show_batch(stderr, &f->list_batch);
	abort();
}

static bool fits_window(const struct fuzz *f, addr_t start, addr_t end)
{
	if (meaning_of(start, end) != PAGES)
		return true;
	return first_page(start) >= f->base && last_page(end) - f->base < WINDOW_PAGES;
}

static void add(struct fuzz *f, addr_t start, addr_t end)
{
	const char *wrong;

	f->last = (struct pair){ start, end };
	f->adds++;
	wrong = list_add(&f->list, &f->list_batch, start, end);
	if (wrong)
		give_up(f, wrong);

	f->in_window &= fits_window(f, start, end);
	if (!f->in_window)
		return;
	wrong = bitmap_add(&f->bitmap, &f->bitmap_batch, start, end);
	if (wrong)
		give_up(f, wrong);
	if (is_full(&f->list_batch) != is_full(&f->bitmap_batch))
		give_up(f, "equal adds, unequal batches");
}

/* Page @n of the window, and the first behind it. */
static addr_t window(const struct fuzz *f, unsigned int n)
{
	return P(f->base + (n < WINDOW_PAGES ? n : WINDOW_PAGES));
}

/* Offsets in a page are 256 steps, of which the last is its last byte. */
static addr_t offset(uint8_t step)
{
	return step == 255 ? P(1) - 1 : P(1) / 256 * step;
}

static void add_pages(struct fuzz *f, unsigned int page, unsigned int pages)
{
	add(f, window(f, page), window(f, page + pages));
}

static void add_comb(struct fuzz *f, unsigned int page, unsigned int teeth, unsigned int stride)
{
	while (teeth--) {
		add_pages(f, page, 1);
		page = (page + stride) % WINDOW_PAGES;
	}
}

static void add_special(struct fuzz *f, unsigned int which)
{
	static const struct pair special[] = {
		{ ADDR_MAX, 0 }, { 0, 0 }, { 0, ADDR_MAX }, { TOP, 0 }, { TOP, ADDR_MAX },
		{ TOP - P(1), TOP }, { TOP - P(1), TOP + 1 }, { 0, TOP }, { 0, 1 },
		{ ADDR_MAX, ADDR_MAX }, { ADDR_MAX - 1, ADDR_MAX }, { P(1), 0 }, { 1, 0 },
		{ 0, (addr_t)1 << (ADDR_BITS - 1) }, { (addr_t)1 << (ADDR_BITS - 1), TOP },
	};
	const struct pair *p = &special[which % ARRAY_SIZE(special)];

	add(f, p->start, p->end);
}

static void operation(struct fuzz *f, struct input *in)
{
	uint8_t op = take(in), argument = op >> 3, a, b;
	addr_t start, length;

	switch (op & 7) {
	case 0:		/* whole pages */
		a = take(in);
		if (!in->cut)
			add_pages(f, a, argument + 1);
		break;
	case 1:		/* part of the first and of the last page */
		a = take(in);
		b = take(in);
		start = window(f, a) + offset(b);
		b = take(in);
		if (!in->cut)
			add(f, start, window(f, a + argument + 1) - offset(b));
		break;
	case 2:		/* nothing: the other way round */
		a = take(in);
		if (!in->cut)
			add(f, window(f, a + argument), window(f, a));
		break;
	case 3:		/* single pages with gaps, upwards */
		a = take(in);
		b = take(in);
		if (!in->cut)
			add_comb(f, a, argument + 1, 2 + b % 16);
		break;
	case 4:		/* downwards */
		a = take(in);
		b = take(in);
		if (!in->cut)
			add_comb(f, a, argument + 1, WINDOW_PAGES - 2 - b % 16);
		break;
	case 5:		/* anywhere */
		start = take_address(in);
		length = take_address(in) >> argument * (ADDR_BITS / 32);
		if (!in->cut)
			add(f, start, start + length);
		break;
	case 6:
		add_special(f, argument);
		break;
	case 7:		/* beside the last one */
		start = f->last.end + P(argument);
		add(f, start, start + P(1));
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t base[] = {
		0, NR_PAGES - WINDOW_PAGES, NR_PAGES / 2 - WINDOW_PAGES / 2, NR_PAGES / 5,
	};
	struct input in = { .data = data, .left = size };
	uint8_t head = take(&in), value = take(&in);
	addr_t ceiling;
	struct fuzz f;

	memset(&f, 0xaa, sizeof(f));
	f.base = base[head & 3];
	switch (head >> 2 & 3) {
	case 0:
		ceiling = value;
		break;
	case 1:
		ceiling = (addr_t)1 << value % ADDR_BITS;
		break;
	case 2:
		ceiling = 0xffffffff;
		break;
	default:
		ceiling = ADDR_MAX;
	}

	f.in_window = true;
	f.adds = 0;
	f.last = (struct pair){ window(&f, 0), window(&f, 0) };
	f.ev = (struct events){ 0 };
	bitmap_init(&f.bitmap, f.base, &f.ev);
	list_init(&f.list, &f.ev);
	kernel_tlb_ranges_init(&f.bitmap_batch, ceiling);
	kernel_tlb_ranges_init(&f.list_batch, ceiling);
	while (in.left)
		operation(&f, &in);
	return 0;
}

#ifdef REPLAY
/* A corpus file holds one input a line, in hexadecimal; # begins a comment. */

#define LONGEST	4096

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Returns the number of bytes, or -1 for a line that is not an input. */
static int parse(const char *line, uint8_t *bytes)
{
	int n = 0;

	while (*line && !strchr("\n\t #", *line)) {
		int high = hex_digit(line[0]), low = high < 0 ? -1 : hex_digit(line[1]);

		if (low < 0 || n == LONGEST)
			return -1;
		bytes[n++] = high << 4 | low;
		line += 2;
	}
	return n;
}

static void extract(const char *dir, unsigned int nr, const uint8_t *bytes, int n)
{
	char name[4096];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%04u", dir, nr);
	f = fopen(name, "wb");
	if (!f || fwrite(bytes, 1, n, f) != (size_t)n || fclose(f)) {
		fprintf(stderr, "%s: %s\n", name, strerror(errno));
		exit(2);
	}
}

static unsigned int each_input(const char *file, const char *dir, unsigned int nr)
{
	static char line[2 * LONGEST + 256];
	static uint8_t bytes[LONGEST];
	FILE *f = fopen(file, "r");

	if (!f) {
		fprintf(stderr, "%s: %s\n", file, strerror(errno));
		exit(2);
	}
	corpus_file = file;
	corpus_line = 0;
	while (fgets(line, sizeof(line), f)) {
		int n = parse(line, bytes);

		corpus_line++;
		if (n < 0) {
			fprintf(stderr, "%s:%u: not an input\n", file, corpus_line);
			exit(2);
		}
		if (!n)
			continue;
		nr++;
		if (dir)
			extract(dir, nr, bytes, n);
		else
			LLVMFuzzerTestOneInput(bytes, n);
	}
	fclose(f);
	return nr;
}

static void pack(const char *file)
{
	FILE *f = fopen(file, "rb");
	int c, n = 0;

	if (!f) {
		fprintf(stderr, "%s: %s\n", file, strerror(errno));
		exit(2);
	}
	for (; (c = fgetc(f)) != EOF && n < LONGEST; n++)
		printf("%02x", c);
	printf("\n");
	fclose(f);
}

int main(int argc, char **argv)
{
	const char *dir = NULL;
	unsigned int nr = 0;
	bool packs = false;
	int c;

	while ((c = getopt(argc, argv, "px:")) != -1) {
		if (c == 'p') {
			packs = true;
		} else if (c == 'x') {
			dir = optarg;
		} else {
			fprintf(stderr, "usage: %s [-x DIRECTORY] CORPUS...   run or extract\n"
				"       %s -p INPUT...   write a corpus\n", argv[0], argv[0]);
			return 2;
		}
	}
	if (packs) {
		for (; optind < argc; optind++)
			pack(argv[optind]);
		return 0;
	}
	if (!dir)
		printf("TAP version 13\n1..1\n");
	for (; optind < argc; optind++)
		nr = each_input(argv[optind], dir, nr);
	if (dir)
		return 0;
	printf("%sok 1 - rules 1 2 4 5: %d-bit, the fuzzer's corpus of %u inputs\n",
	       nr ? "" : "not ", ADDR_BITS, nr);
	printf("# %d passed, %d failed\n", !!nr, !nr);
	return nr ? 0 : 1;
}
#endif
