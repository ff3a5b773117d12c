/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel_tlb selftests share: the knobs and counters, the workload of
 * the report, and the reader of the trace that it leaves.
 */
#ifndef KERNEL_TLB_UTIL_H
#define KERNEL_TLB_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define KERNEL_TLB_CEILING	"/proc/sys/vm/kernel_tlb_flush_ceiling"
#define KERNEL_TLB_COMMANDS	"/sys/kernel/debug/test_kernel_tlb/run"
#define KERNEL_TLB_TRACING	"/sys/kernel/tracing/"
#define KERNEL_TLB_EVENT	"kernel_tlb/kernel_tlb_flush"
#define KERNEL_TLB_JIT		"/proc/sys/net/core/bpf_jit_enable"

#define KERNEL_TLB_UNPATCHED \
	"kernel without vm.kernel_tlb_flush_ceiling: not patched, or its architecture has not opted in"
#define KERNEL_TLB_NO_MODULE \
	"no " KERNEL_TLB_COMMANDS ": load test_kernel_tlb and mount debugfs"
#define KERNEL_TLB_NO_EVENT \
	"no trace event kernel_tlb:kernel_tlb_flush: mount tracefs, CONFIG_TRACEPOINTS"

/* All return 0 or a negative errno. */
int kernel_tlb_read(const char *path, char *buf, size_t size);
int kernel_tlb_write(const char *path, const char *text);
int kernel_tlb_get_ceiling(unsigned int *ceiling);
int kernel_tlb_set_ceiling(unsigned int ceiling);

struct kernel_tlb_counters {
	unsigned long calls;
	unsigned long all;
	unsigned long ranges;
	unsigned long pages;
};

int kernel_tlb_read_counters(struct kernel_tlb_counters *now);
struct kernel_tlb_counters
kernel_tlb_delta(const struct kernel_tlb_counters *then,
		 const struct kernel_tlb_counters *now);

/*
 * Runs one command of the test_kernel_tlb module. Returns a negative errno if
 * it did not run; else 0 with the key=value lines of the answer in @answer.
 */
int kernel_tlb_command(const char *command, char *answer, size_t size);
/* Copies the value of @key in @text, up to the end of its line. */
bool kernel_tlb_value(const char *text, const char *key, char *value,
		      size_t size);

/*
 * A process that installs a seccomp filter of @insns instructions and exits.
 * Returns its pid, or a negative errno if the filter could not be installed.
 */
pid_t kernel_tlb_seccomp_process(unsigned int insns);

/* One purge_vmap_area_lazy event and what belongs to it. */
struct kernel_tlb_purge {
	double time;
	pid_t pid;
	unsigned long start;
	unsigned long end;
	unsigned int areas;	/* purged */
	unsigned int unknown;	/* of these, without a known size */
	unsigned long mapped;	/* pages, guard pages left out */
	bool teardown;		/* ends the teardown of a filter */
	double waited;		/* seconds since the teardown freed its area */
	unsigned int flushes;	/* kernel_tlb_flush events inside this purge */
	unsigned int full;	/* of these, full ones */
	unsigned int ranges;
	unsigned long flushed;	/* pages of the ranged ones */
};

struct kernel_tlb_flush {
	double time;
	pid_t pid;
	char caller[96];
	unsigned int ranges;
	unsigned long pages;
	unsigned int ceiling;
	bool all;
};

/* What a task has done since its last purge event. */
struct kernel_tlb_task {
	pid_t pid;
	double freed;		/* when it freed the area of a filter, or 0 */
	unsigned int flushes;
	unsigned int full;
	unsigned int ranges;
	unsigned long flushed;
};

struct kernel_tlb_area {
	unsigned long start;
	unsigned long size;
	pid_t owner;		/* who allocated it; 0 if that was not seen */
	bool pending;		/* freed and not purged yet */
	unsigned long nth;	/* order in which it was freed */
};

/*
 * How a teardown is recognised: a kworker frees an area which one of @owners
 * has allocated, and later emits purge_vmap_area_lazy. That event is the last
 * thing that happens before the memory itself is returned. Only the first area
 * of an owner counts: a compiled filter has two. A purge takes all
 * that is freed at that moment, in the order in which it was freed; the event
 * says how many.
 */
struct kernel_tlb_trace {
	const pid_t *owners;
	unsigned int nr_owners;
	struct kernel_tlb_purge *purges;
	unsigned int nr_purges;
	struct kernel_tlb_flush *flushes;
	unsigned int nr_flushes;
	unsigned int teardowns;
	unsigned int lost;	/* lines that say so: the numbers are too small */
	/* private */
	struct kernel_tlb_area *areas;
	unsigned int nr_areas;
	struct kernel_tlb_task *tasks;
	unsigned int nr_tasks;
	pid_t *ended;		/* owners whose first area was freed */
	unsigned int nr_ended;
	unsigned long nr_freed;
	unsigned int debt;	/* purged before the event of the free came */
};

bool kernel_tlb_have_event(const char *event);
/* Empties the trace and switches on the vmalloc events and our own. */
int kernel_tlb_trace_start(void);
void kernel_tlb_trace_stop(void);
/* Reads /proc/vmallocinfo, so that areas older than the trace are known. */
void kernel_tlb_trace_snapshot(struct kernel_tlb_trace *trace);
/* Parses one line of the trace; other lines are ignored. */
void kernel_tlb_trace_line(struct kernel_tlb_trace *trace, const char *line);
/* Parses the whole trace on top of a copy of @snapshot. */
int kernel_tlb_trace_read(const struct kernel_tlb_trace *snapshot,
			  struct kernel_tlb_trace *trace);
void kernel_tlb_trace_free(struct kernel_tlb_trace *trace);

#endif /* KERNEL_TLB_UTIL_H */
