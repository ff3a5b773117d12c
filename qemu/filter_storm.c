// SPDX-License-Identifier: GPL-2.0
/*
 * The workload of syzbot's report "task hung in _vm_unmap_aliases": many threads
 * attach socket filters and close the sockets, processes with a seccomp filter
 * come and go, and beside them a module is loaded and unloaded, with the JIT on
 * and off in turn, so that filters lie among the modules as well.
 *
 * Runs on stock and on patched kernels alike and judges nothing. Key=value lines
 * say what was done. Arguments are key=value as well:
 *   seconds=45   length of the load       threads=8    attach and close
 *   processes=2  loops of seccomp exits   insns=40     length of a filter
 *   gap_ms=20    pause after each round   wait_s=60    for the workers to end
 *   hung_s=30    hung_task_timeout_secs   module=      as in seccomp_load
 *
 * Every minute a line "progress ..." appears. The load runs in processes of its
 * own. This one takes no lock that they can hold, so it ends, and says how many
 * are stuck, whatever the kernel does to them.
 *
 * workers_idle counts workers without a round in the last quarter of the load.
 *
 * Exit: 0 measured, 1 not measured, 2 bad argument, 4 the kernel lacks what is
 * asked for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel_tlb_util.h"
#include "load_util.h"
#include "tlbcount_marker.h"

#define MAX_THREADS	64
#define MAX_PROCESSES	16
#define TICK_MS		100
#define SKIP		4

static unsigned int seconds = 45, threads = 8, processes = 2, insns = 40;
static unsigned int gap_ms = 20, wait_s = 60, hung_s = 30;
static char module[64];

static const struct load_option options[] = {
	{ "seconds", &seconds, 4, 86400 },
	{ "threads", &threads, 1, MAX_THREADS },
	{ "processes", &processes, 0, MAX_PROCESSES },
	{ "insns", &insns, 2, BPF_MAXINSNS },
	{ "gap_ms", &gap_ms, 0, 60000 },
	{ "wait_s", &wait_s, 1, 3600 },
	{ "hung_s", &hung_s, 1, 3600 },
	{ "module", .text = module, .max = sizeof(module) },
};

#define NR_OPTIONS (sizeof(options) / sizeof(*options))

enum kind { ATTACH, SECCOMP, MODULE, NR_KINDS };

static const char *const kind_names[NR_KINDS] = {
	[ATTACH] = "attach", [SECCOMP] = "seccomp", [MODULE] = "module",
};

/* Each worker writes its own and the main process reads all: shared memory. */
struct worker {
	enum kind kind;
	unsigned long rounds;
	unsigned long before;	/* rounds when the last quarter began */
	unsigned long enomem;
	unsigned long failed;	/* for any other reason */
	int error;		/* the last such reason */
};

#define MAX_WORKERS (MAX_THREADS + MAX_PROCESSES + 1)

static struct worker *workers;
static unsigned int nr_workers;

static struct sock_filter program[BPF_MAXINSNS];

static void count_round(struct worker *worker, int ret)
{
	if (ret == -ENOMEM) {
		worker->enomem++;
	} else if (ret < 0) {
		worker->failed++;
		worker->error = -ret;
	} else {
		__atomic_fetch_add(&worker->rounds, 1, __ATOMIC_RELAXED);
	}
	load_sleep_ms(gap_ms);
}

static int attach_and_close(void)
{
	struct sock_fprog fprog = { .len = insns, .filter = program };
	int ret, fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	ret = setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &fprog, sizeof(fprog));
	ret = ret ? -errno : 0;
	close(fd);
	return ret;
}

static void *attach_forever(void *worker)
{
	for (;;)
		count_round(worker, attach_and_close());
	return NULL;
}

static void run_attachers(struct worker *first)
{
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < threads; i++)
		if (pthread_create(&thread, NULL, attach_forever, &first[i]))
			_exit(1);
	pause();
}

static void run_seccomp(struct worker *worker)
{
	for (;;)
		count_round(worker, kernel_tlb_seccomp_process(insns));
}

static void run_modules(struct worker *worker)
{
	int ret = 0;

	for (;;) {
		if (*module)
			ret = load_cycle_module(module);
		if (!ret)
			ret = load_set_jit(worker->rounds & 1);
		count_round(worker, ret);
	}
}

static pid_t children[MAX_PROCESSES + 2];
static unsigned int nr_children;

/* Starts one process for @nr workers of @kind. */
static int start(enum kind kind, unsigned int nr, void (*run)(struct worker *))
{
	struct worker *first = &workers[nr_workers];
	unsigned int i;
	pid_t pid;

	for (i = 0; i < nr; i++)
		workers[nr_workers++].kind = kind;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(first);
		_exit(1);
	}
	if (pid < 0)
		return -errno;
	children[nr_children++] = pid;
	return 0;
}

static int start_all(void)
{
	unsigned int i;
	int ret;

	ret = start(ATTACH, threads, run_attachers);
	for (i = 0; !ret && i < processes; i++)
		ret = start(SECCOMP, 1, run_seccomp);
	return ret ? ret : start(MODULE, 1, run_modules);
}

/* Returns how many did not end. */
static unsigned int stop_all(void)
{
	unsigned long began = load_now_ms();
	unsigned int i, stuck;

	for (i = 0; i < nr_children; i++)
		kill(children[i], SIGKILL);
	do {
		stuck = 0;
		for (i = 0; i < nr_children; i++) {
			if (children[i] && waitpid(children[i], NULL, WNOHANG))
				children[i] = 0;
			stuck += children[i] != 0;
		}
		load_sleep_ms(TICK_MS);
	} while (stuck && load_now_ms() - began < wait_s * 1000UL);
	return stuck;
}

static unsigned int hung_tasks, log_lost;

/* One record of the kernel log for each read(). */
static void read_log(int fd)
{
	char record[2048];
	ssize_t got;

	for (;;) {
		got = read(fd, record, sizeof(record) - 1);
		if (got < 0 && errno == EPIPE) {
			log_lost++;
			continue;
		}
		if (got <= 0)
			return;
		record[got] = '\0';
		hung_tasks += strstr(record, "blocked for more than") != NULL;
	}
}

static int open_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

static const struct setting {
	const char *path, *value;
} hung_settings[] = {
	{ "/proc/sys/kernel/hung_task_panic", "0" },
	{ "/proc/sys/kernel/hung_task_warnings", "-1" },
	{ "/proc/sys/kernel/hung_task_check_interval_secs", "5" },
};

static int watch_hung_tasks(void)
{
	char text[16];
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < sizeof(hung_settings) / sizeof(*hung_settings); i++)
		ret = kernel_tlb_write(hung_settings[i].path, hung_settings[i].value);
	snprintf(text, sizeof(text), "%u", hung_s);
	return ret ? ret : kernel_tlb_write("/proc/sys/kernel/hung_task_timeout_secs",
					    text);
}

/* The purges, read while they happen: the ring holds some minutes at most. */
static struct purge_sums {
	unsigned long purges, areas, span_max, full, ranged, flushed_max, lost;
	double last, gap_max;
} sums;

static struct kernel_tlb_trace trace;

static int open_trace(void)
{
	if (kernel_tlb_write(KERNEL_TLB_TRACING "events/vmalloc/purge_vmap_area_lazy/enable",
			     "1"))
		return -1;
	if (kernel_tlb_have_event(KERNEL_TLB_EVENT))
		kernel_tlb_write(KERNEL_TLB_TRACING "events/" KERNEL_TLB_EVENT "/enable",
				 "1");
	return open(KERNEL_TLB_TRACING "trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static void take_purge(const struct kernel_tlb_purge *p)
{
	unsigned long span = 0;

	if (p->end > p->start)
		span = (p->end - p->start) / sysconf(_SC_PAGESIZE);
	sums.purges++;
	sums.areas += p->areas;
	if (span > sums.span_max)
		sums.span_max = span;
	if (sums.last && p->time - sums.last > sums.gap_max)
		sums.gap_max = p->time - sums.last;
	sums.last = p->time;
}

static void take_flush(const struct kernel_tlb_flush *f)
{
	sums.full += f->all;
	sums.ranged += !f->all;
	if (!f->all && f->pages > sums.flushed_max)
		sums.flushed_max = f->pages;
}

/* Only sums are kept: what the reader has collected is used up each time. */
static void take_line(const char *line)
{
	unsigned int i;

	kernel_tlb_trace_line(&trace, line);
	for (i = 0; i < trace.nr_purges; i++)
		take_purge(&trace.purges[i]);
	for (i = 0; i < trace.nr_flushes; i++)
		take_flush(&trace.flushes[i]);
	sums.lost += trace.lost;
	trace.nr_purges = 0;
	trace.nr_flushes = 0;
	trace.lost = 0;
}

static void read_trace(int fd)
{
	static char text[65536];
	static size_t have;
	char *line, *end;
	ssize_t got;

	while ((got = read(fd, text + have, sizeof(text) - 1 - have)) > 0) {
		have += got;
		text[have] = '\0';
		for (line = text; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			take_line(line);
		}
		have = strlen(line);
		memmove(text, line, have);
	}
}

static unsigned long rounds_of(enum kind kind)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < nr_workers; i++)
		if (workers[i].kind == kind)
			sum += workers[i].rounds;
	return sum;
}

static void print_progress(unsigned long minute)
{
	enum kind kind;

	printf("progress minute=%lu", minute);
	for (kind = 0; kind < NR_KINDS; kind++)
		printf(" %s=%lu", kind_names[kind], rounds_of(kind));
	printf(" purges=%lu full=%lu ranged=%lu hung_tasks=%u\n", sums.purges, sums.full,
	       sums.ranged, hung_tasks);
}

static void watch(int log, int pipe)
{
	unsigned long began = load_now_ms(), passed = 0, minute = 0;
	unsigned int i, quarter = 0;

	while (passed < seconds * 1000UL) {
		load_sleep_ms(TICK_MS);
		read_log(log);
		read_trace(pipe);
		passed = load_now_ms() - began;
		if (!quarter && passed >= seconds * 750UL) {
			for (i = 0; i < nr_workers; i++)
				workers[i].before = workers[i].rounds;
			quarter = 1;
		}
		if (passed / 60000 > minute)
			print_progress(++minute);
	}
}

static unsigned int idle_workers(void)
{
	unsigned int i, idle = 0;

	for (i = 0; i < nr_workers; i++)
		idle += workers[i].rounds == workers[i].before;
	return idle;
}

static void print_kind(enum kind kind)
{
	unsigned long enomem = 0, failed = 0;
	unsigned int i;
	int error = 0;

	for (i = 0; i < nr_workers; i++) {
		if (workers[i].kind != kind)
			continue;
		enomem += workers[i].enomem;
		failed += workers[i].failed;
		error = workers[i].error ? workers[i].error : error;
	}
	printf("%s_rounds=%lu\n", kind_names[kind], rounds_of(kind));
	printf("%s_enomem=%lu\n%s_failed=%lu\n", kind_names[kind], enomem,
	       kind_names[kind], failed);
	if (error)
		printf("%s_error=%s\n", kind_names[kind], strerror(error));
}

static void print_results(unsigned int idle, unsigned int stuck)
{
	enum kind kind;

	printf("workers=%u\nworkers_idle=%u\nprocesses_stuck=%u\n", nr_workers, idle,
	       stuck);
	for (kind = 0; kind < NR_KINDS; kind++)
		print_kind(kind);
	printf("hung_tasks=%u\nlog_lost=%u\n", hung_tasks, log_lost);
	printf("purges=%lu\nareas=%lu\nspan_pages_max=%lu\n", sums.purges, sums.areas,
	       sums.span_max);
	if (kernel_tlb_have_event(KERNEL_TLB_EVENT))
		printf("full_flushes=%lu\nranged_flushes=%lu\nflushed_pages_max=%lu\n",
		       sums.full, sums.ranged, sums.flushed_max);
	printf("purge_gap_us_max=%.0f\n", sums.gap_max * 1e6);
	printf("trace_lost=%lu\n", sums.lost);
}

static void print_setting(void)
{
	unsigned int ceiling;
	struct utsname name;

	uname(&name);
	printf("workload=filter_storm\nkernel=%s\n", name.release);
	printf("seconds=%u\nthreads=%u\nprocesses=%u\ninsns=%u\n", seconds, threads,
	       processes, insns);
	printf("gap_ms=%u\nwait_s=%u\nhung_s=%u\nmodule=%s\n", gap_ms, wait_s, hung_s,
	       module);
	if (!kernel_tlb_get_ceiling(&ceiling))
		printf("ceiling=%u\n", ceiling);
}

static void make_program(void)
{
	unsigned int i;

	for (i = 0; i < insns - 1; i++)
		program[i] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, i);
	program[i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0xffff);
}

/* What a round needs, tried once: a missing option is no failure of the load. */
static int try_rounds(void)
{
	int ret = attach_and_close();

	if (ret) {
		printf("cannot attach a socket filter: %s\n", strerror(-ret));
		return SKIP;
	}
	ret = *module ? load_cycle_module(module) : 0;
	if (ret) {
		printf("cannot load and unload module %s: %s\n", module, strerror(-ret));
		return SKIP;
	}
	ret = watch_hung_tasks();
	if (ret) {
		printf("cannot set the hung task detector: %s\n", strerror(-ret));
		return SKIP;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int idle, stuck;
	int i, log, pipe, ret;

	setlinebuf(stdout);
	for (i = 1; i < argc; i++) {
		if (load_set_option(options, NR_OPTIONS, argv[i])) {
			printf("bad argument '%s'; known: seconds threads processes insns gap_ms wait_s hung_s module\n",
			       argv[i]);
			return 2;
		}
	}
	make_program();
	ret = try_rounds();
	if (ret)
		return ret;
	print_setting();
	workers = mmap(NULL, MAX_WORKERS * sizeof(*workers), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	log = open_log();
	pipe = open_trace();
	if (workers == MAP_FAILED || log < 0 || pipe < 0) {
		printf("cannot open /dev/kmsg and trace_pipe: %s\n", strerror(errno));
		return 1;
	}

	tlbcount_start();
	ret = start_all();
	if (!ret)
		watch(log, pipe);
	idle = idle_workers();
	stuck = stop_all();
	tlbcount_stop();
	read_log(log);
	read_trace(pipe);
	if (ret) {
		printf("cannot start the workers: %s\n", strerror(-ret));
		return 1;
	}
	print_results(idle, stuck);
	return 0;
}
