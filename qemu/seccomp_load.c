// SPDX-License-Identifier: GPL-2.0
/*
 * The workload of the report: processes with a seccomp filter come and go.
 *
 * Runs on stock and on patched kernels alike and judges nothing. It prints
 * key=value lines and, last, the raw trace with "trace: " before each line.
 * Arguments are key=value as well:
 *   count=20    processes           gap_ms=50   between two of them
 *   insns=40    length of a filter: 500 take one page more
 *   jit=0       net.core.bpf_jit_enable: 1 puts the images next to the modules
 *   module=     load and unload /lib/modules-ktlb/NAME.ko before each process
 *   wait_s=30   give up waiting for the teardowns after so many seconds
 *   busy_pages=0  beside it, on each CPU, a process that reads so many pages
 *
 * teardowns_done counts those that were complete within wait_s, and
 * teardowns_in_time those that were complete one gap after the last process:
 * a kernel that is busy with the first purge has not done the others by then.
 *
 * A teardown is complete when the kworker that freed the filter's memory has
 * emitted its purge_vmap_area_lazy event: that comes after the flush, right
 * before the memory goes back to the page allocator. Of each purge the output
 * says: areas, the span from the lowest to the highest address in pages, the
 * pages that were mapped in these areas (each area's size minus its guard page)
 * and, on a patched kernel, what the flush did.
 *
 * Exit: 0 measured, 1 not measured, 2 bad argument, 4 the kernel lacks what is
 * asked for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernel_tlb_util.h"
#include "load_util.h"
#include "tlbcount_marker.h"

#define MAX_COUNT	1000
#define SKIP		4

static unsigned int count = 20, gap_ms = 50, insns = 40, jit, wait_s = 30, busy_pages;
static char module[64];
static pid_t pids[MAX_COUNT];

static const struct load_option options[] = {
	{ "count", &count, 1, MAX_COUNT },
	{ "gap_ms", &gap_ms, 0, 60000 },
	{ "insns", &insns, 2, 4096 },
	{ "jit", &jit, 0, 1 },
	{ "module", .text = module, .max = sizeof(module) },
	{ "wait_s", &wait_s, 0, 3600 },
	{ "busy_pages", &busy_pages, 0, 65536 },
};

#define NR_OPTIONS (sizeof(options) / sizeof(*options))

/* A working set that a full flush takes away, and that wants to come back. */
static void read_pages_forever(void)
{
	size_t page = sysconf(_SC_PAGESIZE), size = busy_pages * page, at;
	volatile char *area = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (area != MAP_FAILED)
		for (at = 0; at < size; at += page)
			(void)area[at];
	_exit(1);
}

static int start_busy_processes(void)
{
	long cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (cpu = 0; busy_pages && cpu < cpus; cpu++) {
		pid_t pid = fork();

		if (!pid)
			read_pages_forever();
		if (pid < 0)
			return 1;
	}
	return 0;
}

static int run_processes(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++) {
		if (i)
			load_sleep_ms(gap_ms);
		ret = *module ? load_cycle_module(module) : 0;
		if (ret) {
			printf("cannot load and unload module %s: %s\n", module,
			       strerror(-ret));
			return SKIP;
		}
		pids[i] = kernel_tlb_seccomp_process(insns);
		if (pids[i] < 0) {
			printf("cannot install a seccomp filter: %s\n",
			       strerror(-pids[i]));
			return SKIP;
		}
	}
	return 0;
}

static unsigned int teardowns_done(const struct kernel_tlb_trace *snapshot)
{
	struct kernel_tlb_trace now;
	unsigned int done;

	if (kernel_tlb_trace_read(snapshot, &now))
		return 0;
	done = now.teardowns;
	kernel_tlb_trace_free(&now);
	return done;
}

static void wait_for_teardowns(const struct kernel_tlb_trace *snapshot, bool traced)
{
	unsigned long began = load_now_ms();

	load_sleep_ms(gap_ms);
	if (traced)
		printf("teardowns_in_time=%u of %u\n", teardowns_done(snapshot), count);

	while (load_now_ms() - began < wait_s * 1000UL) {
		load_sleep_ms(200);
		if (traced && teardowns_done(snapshot) >= count)
			break;
	}
	printf("waited_ms=%lu\n", load_now_ms() - began);
}

static unsigned long span_pages(const struct kernel_tlb_purge *purge)
{
	if (purge->end <= purge->start)
		return 0;
	return (purge->end - purge->start) / sysconf(_SC_PAGESIZE);
}

static void print_purge(unsigned int nr, const struct kernel_tlb_purge *p, bool ours)
{
	printf("purge%u.areas=%u\n", nr, p->areas);
	printf("purge%u.areas_unknown=%u\n", nr, p->unknown);
	printf("purge%u.start=0x%lx\n", nr, p->start);
	printf("purge%u.end=0x%lx\n", nr, p->end);
	printf("purge%u.span_pages=%lu\n", nr, span_pages(p));
	printf("purge%u.mapped_pages=%lu\n", nr, p->mapped);
	printf("purge%u.teardown=%d\n", nr, p->teardown);
	if (p->teardown)
		printf("purge%u.waited_us=%.0f\n", nr, p->waited * 1e6);
	if (!ours)
		return;
	printf("purge%u.flushes=%u\n", nr, p->flushes);
	printf("purge%u.full=%u\n", nr, p->full);
	printf("purge%u.ranges=%u\n", nr, p->ranges);
	printf("purge%u.flushed_pages=%lu\n", nr, p->flushed);
}

static void print_sums(const struct kernel_tlb_trace *t, bool ours)
{
	unsigned long areas = 0, unknown = 0, span = 0, span_max = 0, mapped = 0;
	unsigned long flushed = 0, full = 0, flushes = 0;
	double waited_max = 0;
	unsigned int i;

	for (i = 0; i < t->nr_purges; i++) {
		const struct kernel_tlb_purge *p = &t->purges[i];

		areas += p->areas;
		unknown += p->unknown;
		span += span_pages(p);
		span_max = span_pages(p) > span_max ? span_pages(p) : span_max;
		mapped += p->mapped;
		flushes += p->flushes;
		full += p->full;
		flushed += p->flushed;
		waited_max = p->waited > waited_max ? p->waited : waited_max;
	}
	printf("purges=%u\n", t->nr_purges);
	printf("areas=%lu\nareas_unknown=%lu\n", areas, unknown);
	printf("span_pages=%lu\nspan_pages_max=%lu\n", span, span_max);
	printf("mapped_pages=%lu\n", mapped);
	printf("waited_us_max=%.0f\n", waited_max * 1e6);
	if (ours)
		printf("flushes=%lu\nfull_flushes=%lu\nflushed_pages=%lu\n",
		       flushes, full, flushed);
	printf("trace_lost=%u\n", t->lost);
}

static void print_raw_trace(void)
{
	FILE *f = fopen(KERNEL_TLB_TRACING "trace", "re");
	char line[1024];

	while (f && fgets(line, sizeof(line), f))
		printf("trace: %s", line);
	if (f)
		fclose(f);
}

static int print_results(const struct kernel_tlb_trace *snapshot)
{
	bool ours = kernel_tlb_have_event(KERNEL_TLB_EVENT);
	struct kernel_tlb_trace t;
	unsigned int i;
	int ret;

	ret = kernel_tlb_trace_read(snapshot, &t);
	if (ret) {
		printf("cannot read the trace: %s\n", strerror(-ret));
		return 1;
	}
	printf("teardowns_done=%u of %u\n", t.teardowns, count);
	print_sums(&t, ours);
	for (i = 0; i < t.nr_purges; i++)
		print_purge(i + 1, &t.purges[i], ours);
	kernel_tlb_trace_free(&t);
	print_raw_trace();
	return 0;
}

static void print_setting(void)
{
	struct utsname name;

	uname(&name);
	printf("workload=seccomp_load\nkernel=%s\n", name.release);
	printf("count=%u\ngap_ms=%u\ninsns=%u\njit=%u\nmodule=%s\nbusy_pages=%u\n", count,
	       gap_ms, insns, jit, module, busy_pages);
}

int main(int argc, char **argv)
{
	struct kernel_tlb_trace snapshot = { .owners = pids };
	bool traced;
	int i, ret;

	setlinebuf(stdout);
	for (i = 1; i < argc; i++) {
		if (load_set_option(options, NR_OPTIONS, argv[i])) {
			printf("bad argument '%s'; known: count gap_ms insns jit module wait_s busy_pages\n",
			       argv[i]);
			return 2;
		}
	}
	ret = load_set_jit(jit);
	if (ret) {
		printf("cannot set net.core.bpf_jit_enable to %u: %s\n", jit,
		       strerror(-ret));
		return SKIP;
	}
	print_setting();
	traced = !kernel_tlb_trace_start();
	printf("traced=%d\n", traced);
	kernel_tlb_trace_snapshot(&snapshot);
	snapshot.nr_owners = count;

	if (start_busy_processes())
		return 1;
	tlbcount_start();
	ret = run_processes();
	if (!ret)
		wait_for_teardowns(&snapshot, traced);
	tlbcount_stop();

	if (traced)
		kernel_tlb_trace_stop();
	if (!ret && traced)
		ret = print_results(&snapshot);
	kernel_tlb_trace_free(&snapshot);
	return ret;
}
