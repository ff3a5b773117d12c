// SPDX-License-Identifier: GPL-2.0
/*
 * The trace event kernel_tlb:kernel_tlb_flush: its fields, and that it tells of
 * a purge the same as the counters do.
 *
 * As in the test of the counters, what somebody else frees meanwhile makes a
 * measurement void, and it is repeated a few times.
 */
#include "kernel_tlb_harness.h"

#include <unistd.h>

#define TRIES 10

FIXTURE(event)
{
	struct saved_ceiling saved;
	struct kernel_tlb_trace trace;
};

FIXTURE_VARIANT(event)
{
	unsigned int ceiling;
	const char *areas;
	struct kernel_tlb_flush want;
};

/* A full flush tells only what was seen until collection stopped. */
FIXTURE_VARIANT_ADD(event, below)
{
	.ceiling = 16, .areas = "pages=15",
	.want = { .ranges = 1, .pages = 15 },
};

FIXTURE_VARIANT_ADD(event, exactly)
{
	.ceiling = 16, .areas = "pages=4,12",
	.want = { .ranges = 2, .pages = 16 },
};

FIXTURE_VARIANT_ADD(event, above)
{
	.ceiling = 16, .areas = "pages=17",
	.want = { .ranges = 0, .pages = 17, .all = true },
};

FIXTURE_VARIANT_ADD(event, far_apart)
{
	.ceiling = 16, .areas = "pages=1,2,3 gap=2000",
	.want = { .ranges = 3, .pages = 6 },
};

FIXTURE_VARIANT_ADD(event, zero)
{
	.ceiling = 0, .areas = "pages=1",
	.want = { .ranges = 0, .pages = 1, .all = true },
};

FIXTURE_VARIANT_ADD(event, no_limit)
{
	.ceiling = UINT_MAX, .areas = "pages=300,1",
	.want = { .ranges = 2, .pages = 301 },
};

FIXTURE_SETUP(event)
{
	if (!need_ceiling(_metadata, &self->saved))
		return;
	if (!kernel_tlb_have_event(KERNEL_TLB_EVENT))
		SKIP(return, KERNEL_TLB_NO_EVENT);
	if (!need_module(_metadata))
		return;
	ASSERT_EQ(0, kernel_tlb_set_ceiling(variant->ceiling));
}

FIXTURE_TEARDOWN(event)
{
	kernel_tlb_trace_stop();
	kernel_tlb_trace_free(&self->trace);
	restore_ceiling(_metadata, &self->saved);
}

/* Our own flush; NULL if there was none or more than one. */
static const struct kernel_tlb_flush *own_flush(const struct kernel_tlb_trace *t)
{
	const struct kernel_tlb_flush *own = NULL;
	unsigned int i;

	for (i = 0; i < t->nr_flushes; i++) {
		if (t->flushes[i].pid != getpid())
			continue;
		if (own)
			return NULL;
		own = &t->flushes[i];
	}
	return own;
}

/* Returns the flushes counted while one purge was traced, or -errno. */
static int trace_purge(const char *areas, struct kernel_tlb_trace *trace,
		       struct kernel_tlb_counters *delta)
{
	struct kernel_tlb_trace empty = {};
	struct kernel_tlb_counters before, after;
	char command[64];
	int ret;

	snprintf(command, sizeof(command), "map %s", areas);
	ret = kernel_tlb_write(KERNEL_TLB_COMMANDS, command);
	if (!ret)
		ret = kernel_tlb_trace_start();
	if (!ret)
		ret = kernel_tlb_read_counters(&before);
	if (!ret)
		ret = kernel_tlb_write(KERNEL_TLB_COMMANDS, "purge");
	if (!ret)
		ret = kernel_tlb_read_counters(&after);
	kernel_tlb_trace_stop();
	kernel_tlb_trace_free(trace);
	if (!ret)
		ret = kernel_tlb_trace_read(&empty, trace);
	if (ret)
		return ret;
	*delta = kernel_tlb_delta(&before, &after);
	return delta->calls;
}

static bool as_wanted(const struct kernel_tlb_flush *want,
		      const struct kernel_tlb_flush *flush)
{
	if (!flush || flush->all != want->all)
		return false;
	if (flush->all)
		return flush->pages > want->ceiling && flush->pages <= want->pages;
	return flush->ranges == want->ranges && flush->pages == want->pages;
}

TEST_F(event, agrees_with_counters)
{
	const struct kernel_tlb_flush *flush = NULL;
	struct kernel_tlb_counters delta;
	int i, calls = 0;

	for (i = 0; i < TRIES && (calls != 1 || !as_wanted(&variant->want, flush)); i++) {
		calls = trace_purge(variant->areas, &self->trace, &delta);
		ASSERT_LE(0, calls);
		flush = own_flush(&self->trace);
	}
	EXPECT_EQ(1, calls);
	EXPECT_EQ(1, self->trace.nr_flushes);
	ASSERT_TRUE(!!flush);
	EXPECT_TRUE(as_wanted(&variant->want, flush)) {
		TH_LOG("ranges=%u pages=%lu all=%d", flush->ranges, flush->pages,
		       flush->all);
	}
	EXPECT_EQ(variant->ceiling, flush->ceiling);
	EXPECT_EQ(delta.all, flush->all);
	EXPECT_EQ(delta.ranges, !flush->all);
	EXPECT_EQ(delta.pages, flush->all ? 0 : flush->pages);
	EXPECT_TRUE(!!strstr(flush->caller, "vm")) {
		TH_LOG("caller=%s", flush->caller);
	}
}

TEST(format)
{
	static const char * const fields[] = {
		"field:unsigned long caller;", "field:unsigned int ranges;",
		"field:unsigned long pages;", "ceiling;", "field:bool all;",
		"caller=%pS ranges=%u pages=%lu ceiling=", " what=%s",
	};
	char text[4096];
	unsigned int i;

	if (!kernel_tlb_have_event(KERNEL_TLB_EVENT))
		SKIP(return, KERNEL_TLB_NO_EVENT);
	ASSERT_EQ(0, kernel_tlb_read(KERNEL_TLB_TRACING "events/" KERNEL_TLB_EVENT "/format",
				     text, sizeof(text)));
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		EXPECT_TRUE(!!strstr(text, fields[i])) {
			TH_LOG("no '%s'", fields[i]);
		}
	}
}

TEST_HARNESS_MAIN
