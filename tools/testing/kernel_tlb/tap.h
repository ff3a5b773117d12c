/* SPDX-License-Identifier: GPL-2.0 */
/* What every test here needs: results as TAP, random numbers, a command line. */
#ifndef TAP_H
#define TAP_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned int nr_passed, nr_failed, nr_skipped;
static char reason[256];

static inline bool fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	return false;
}

static inline void report(bool ok, const char *name)
{
	if (ok)
		nr_passed++;
	else
		nr_failed++;
	printf("%sok %u - %s\n", ok ? "" : "not ", nr_passed + nr_failed + nr_skipped, name);
	if (!ok)
		printf("# %s\n", reason);
	fflush(stdout);
}

static inline void skip(const char *name, const char *why)
{
	nr_skipped++;
	printf("ok %u - %s # SKIP %s\n", nr_passed + nr_failed + nr_skipped, name, why);
}

/* The last line; returns what main() returns. */
static inline int summary(void)
{
	printf("# %u passed, %u failed\n", nr_passed, nr_failed);
	return nr_failed ? 1 : 0;
}

/* splitmix64: every number depends on the seed and its own index only. */
struct rng {
	uint64_t state;
};

/* The generator of sequence @n. */
static inline struct rng rng_of(uint64_t seed, uint64_t n)
{
	return (struct rng){ seed + n * 0xd1342543de82ef95 };
}

static inline uint64_t rnd(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Takes the high half of a product: division would cost more than the code under test. */
static inline uint32_t below(struct rng *r, uint32_t n)
{
	return (rnd(r) >> 32) * n >> 32;
}

static inline bool one_in(struct rng *r, uint32_t n)
{
	return below(r, n) == 0;
}

struct options {
	uint64_t sequences, seed, first;
	bool one;			/* a single sequence is to be run again */
};

static inline void wrong_usage(const char *self)
{
	fprintf(stderr, "usage: %s [-n SEQUENCES] [-s SEED] [-f FIRST]\n", self);
	exit(2);
}

static inline uint64_t parse_number(const char *self, const char *text)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || *end || *text < '0' || *text > '9') {
		fprintf(stderr, "%s: not a number: '%s'\n", self, text);
		exit(2);
	}
	return n;
}

static inline struct options parse_options(int argc, char **argv, uint64_t sequences)
{
	struct options o = { .sequences = sequences, .seed = 0x6b746c62 };
	int c;

	while ((c = getopt(argc, argv, "n:s:f:")) != -1) {
		switch (c) {
		case 'n':
			o.sequences = parse_number(argv[0], optarg);
			break;
		case 's':
			o.seed = parse_number(argv[0], optarg);
			break;
		case 'f':
			o.first = parse_number(argv[0], optarg);
			o.one = true;
			break;
		default:
			wrong_usage(argv[0]);
		}
	}
	if (optind != argc)
		wrong_usage(argv[0]);
	return o;
}

#endif
