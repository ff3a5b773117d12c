// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel_tlb_util.h"

int kernel_tlb_read(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t got = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (got > 0 && len < size - 1) {
		got = read(fd, buf + len, size - 1 - len);
		len += got > 0 ? got : 0;
	}
	buf[len] = '\0';
	got = got < 0 ? -errno : 0;
	close(fd);
	return got;
}

/* One write(): most files here take one write for one command. */
int kernel_tlb_write(const char *path, const char *text)
{
	ssize_t done;
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	done = write(fd, text, strlen(text));
	done = done < 0 ? -errno : 0;
	close(fd);
	return done;
}

int kernel_tlb_get_ceiling(unsigned int *ceiling)
{
	char text[64];
	int ret = kernel_tlb_read(KERNEL_TLB_CEILING, text, sizeof(text));

	if (!ret)
		*ceiling = strtoul(text, NULL, 10);
	return ret;
}

int kernel_tlb_set_ceiling(unsigned int ceiling)
{
	char text[32];

	snprintf(text, sizeof(text), "%u\n", ceiling);
	return kernel_tlb_write(KERNEL_TLB_CEILING, text);
}

int kernel_tlb_read_counters(struct kernel_tlb_counters *now)
{
	const struct {
		const char *name;
		unsigned long *value;
	} want[] = {
		{ "kernel_tlb_flush_calls %lu", &now->calls },
		{ "kernel_tlb_flush_all %lu", &now->all },
		{ "kernel_tlb_flush_ranges %lu", &now->ranges },
		{ "kernel_tlb_flush_pages %lu", &now->pages },
	};
	FILE *f = fopen("/proc/vmstat", "re");
	unsigned int i, found = 0;
	char line[256];

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		for (i = 0; i < 4; i++)
			found += sscanf(line, want[i].name, want[i].value) == 1;
	fclose(f);
	return found == 4 ? 0 : -ENOENT;
}

struct kernel_tlb_counters
kernel_tlb_delta(const struct kernel_tlb_counters *then,
		 const struct kernel_tlb_counters *now)
{
	return (struct kernel_tlb_counters){
		.calls = now->calls - then->calls,
		.all = now->all - then->all,
		.ranges = now->ranges - then->ranges,
		.pages = now->pages - then->pages,
	};
}

int kernel_tlb_command(const char *command, char *answer, size_t size)
{
	int ret = kernel_tlb_write(KERNEL_TLB_COMMANDS, command);

	return ret ? ret : kernel_tlb_read(KERNEL_TLB_COMMANDS, answer, size);
}

bool kernel_tlb_value(const char *text, const char *key, char *value,
		      size_t size)
{
	size_t len = strlen(key);
	const char *line = text;

	while (line && *line) {
		if (!strncmp(line, key, len) && line[len] == '=') {
			line += len + 1;
			snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
			return true;
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return false;
}

/* Compares with many numbers, as the filters of browsers and systemd do. */
static int install_filter(unsigned int insns)
{
	struct sock_filter *prog = calloc(insns, sizeof(*prog));
	struct sock_fprog fprog = { .len = insns, .filter = prog };
	unsigned int i;

	if (!prog)
		return -ENOMEM;
	prog[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr));
	for (i = 1; i < insns - 1; i++)
		prog[i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						       100000 + i, 0, 0);
	prog[insns - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						       SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fprog))
		return -errno;
	return 0;
}

pid_t kernel_tlb_seccomp_process(unsigned int insns)
{
	pid_t pid;
	int status;

	if (insns < 2 || insns > BPF_MAXINSNS)
		return -EINVAL;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(-install_filter(insns));
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	if (!WIFEXITED(status))
		return -EINTR;
	return WEXITSTATUS(status) ? -WEXITSTATUS(status) : pid;
}

bool kernel_tlb_have_event(const char *event)
{
	char path[256];

	snprintf(path, sizeof(path), KERNEL_TLB_TRACING "events/%s/enable", event);
	return !access(path, W_OK);
}

static int switch_event(const char *event, bool on)
{
	char path[256];

	snprintf(path, sizeof(path), KERNEL_TLB_TRACING "events/%s/enable", event);
	return kernel_tlb_write(path, on ? "1" : "0");
}

static int switch_events(bool on)
{
	int ret = switch_event("vmalloc", on);

	if (kernel_tlb_have_event(KERNEL_TLB_EVENT))
		ret |= switch_event(KERNEL_TLB_EVENT, on);
	return ret ? -EIO : 0;
}

int kernel_tlb_trace_start(void)
{
	int fd, ret;

	ret = kernel_tlb_write(KERNEL_TLB_TRACING "tracing_on", "1");
	if (ret)
		return ret;
	kernel_tlb_trace_stop();
	fd = open(KERNEL_TLB_TRACING "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return switch_events(true);
}

void kernel_tlb_trace_stop(void)
{
	switch_events(false);
}

/* Running out of memory ends a test; it is no answer to what it asks. */
static void *grow(void *array, unsigned int nr, size_t size)
{
	if (nr & (nr - 1) || nr == 1)
		return array;
	array = realloc(array, (nr ? nr * 2 : 2) * size);
	if (!array) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return array;
}

static struct kernel_tlb_area *find_area(struct kernel_tlb_trace *t,
					 unsigned long start)
{
	unsigned int i;

	for (i = 0; i < t->nr_areas; i++)
		if (t->areas[i].start == start)
			return &t->areas[i];
	return NULL;
}

static struct kernel_tlb_area *get_area(struct kernel_tlb_trace *t,
					unsigned long start)
{
	struct kernel_tlb_area *area = find_area(t, start);

	if (area)
		return area;
	t->areas = grow(t->areas, t->nr_areas, sizeof(*area));
	area = &t->areas[t->nr_areas++];
	*area = (struct kernel_tlb_area){ .start = start };
	return area;
}

/*
 * The guard page is part of an area's size and is never mapped. Blocks of
 * vm_map_ram() have none, but nothing traced here frees one.
 */
static void count_area(struct kernel_tlb_purge *purge,
		       struct kernel_tlb_area *area)
{
	unsigned long page = sysconf(_SC_PAGESIZE);

	if (area->size)
		purge->mapped += area->size / page - 1;
	else
		purge->unknown++;
	area->pending = false;
	area->size = 0;
	area->owner = 0;
}

static struct kernel_tlb_area *oldest_pending(struct kernel_tlb_trace *t)
{
	struct kernel_tlb_area *oldest = NULL;
	unsigned int i;

	for (i = 0; i < t->nr_areas; i++)
		if (t->areas[i].pending &&
		    (!oldest || t->areas[i].nth < oldest->nth))
			oldest = &t->areas[i];
	return oldest;
}

/* A purge can be quicker than the event of the free: it is owed that area. */
static void free_area(struct kernel_tlb_trace *t, struct kernel_tlb_area *area)
{
	if (area->pending)
		return;
	if (t->debt && t->nr_purges) {
		t->debt--;
		t->purges[t->nr_purges - 1].unknown--;
		count_area(&t->purges[t->nr_purges - 1], area);
		return;
	}
	area->pending = true;
	area->nth = t->nr_freed++;
}

static bool is_owner(const struct kernel_tlb_trace *t, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < t->nr_owners; i++)
		if (t->owners[i] == pid)
			return true;
	return false;
}

static struct kernel_tlb_task *get_task(struct kernel_tlb_trace *t, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < t->nr_tasks; i++)
		if (t->tasks[i].pid == pid)
			return &t->tasks[i];
	t->tasks = grow(t->tasks, t->nr_tasks, sizeof(*t->tasks));
	t->tasks[t->nr_tasks] = (struct kernel_tlb_task){ .pid = pid };
	return &t->tasks[t->nr_tasks++];
}

struct event {
	double time;
	pid_t pid;
	bool kworker;
	const char *text;	/* "name: fields" */
};

static void on_alloc(struct kernel_tlb_trace *t, const struct event *ev)
{
	unsigned long start, size;
	struct kernel_tlb_area *area;
	int failed;

	if (sscanf(ev->text,
		   "alloc_vmap_area: va_start: %lu size=%lu align=%*u vstart=%*s vend=%*s failed=%d",
		   &start, &size, &failed) != 3 || failed)
		return;
	area = get_area(t, start);
	area->size = size;
	area->owner = ev->pid;
	area->pending = false;
}

static bool ends_first(struct kernel_tlb_trace *t, pid_t owner)
{
	unsigned int i;

	for (i = 0; i < t->nr_ended; i++)
		if (t->ended[i] == owner)
			return false;
	t->ended = grow(t->ended, t->nr_ended, sizeof(*t->ended));
	t->ended[t->nr_ended++] = owner;
	return true;
}

static void on_free(struct kernel_tlb_trace *t, const struct event *ev)
{
	struct kernel_tlb_area *area;
	unsigned long start;

	if (sscanf(ev->text, "free_vmap_area_noflush: va_start=0x%lx", &start) != 1)
		return;
	area = get_area(t, start);
	if (ev->kworker && is_owner(t, area->owner) && ends_first(t, area->owner))
		get_task(t, ev->pid)->freed = ev->time;
	free_area(t, area);
}

static void take_areas(struct kernel_tlb_trace *t, struct kernel_tlb_purge *purge)
{
	struct kernel_tlb_area *area;
	unsigned int i;

	t->debt = 0;
	for (i = 0; i < purge->areas; i++) {
		area = oldest_pending(t);
		if (area) {
			count_area(purge, area);
		} else {
			purge->unknown++;
			t->debt++;
		}
	}
}

static void on_purge(struct kernel_tlb_trace *t, const struct event *ev)
{
	struct kernel_tlb_purge purge = { .time = ev->time, .pid = ev->pid };
	struct kernel_tlb_task *task = get_task(t, ev->pid);

	if (sscanf(ev->text, "purge_vmap_area_lazy: start=0x%lx end=0x%lx num_purged=%u",
		   &purge.start, &purge.end, &purge.areas) != 3)
		return;
	take_areas(t, &purge);
	purge.flushes = task->flushes;
	purge.full = task->full;
	purge.ranges = task->ranges;
	purge.flushed = task->flushed;
	purge.teardown = task->freed > 0;
	purge.waited = purge.teardown ? ev->time - task->freed : 0;
	t->teardowns += purge.teardown;
	*task = (struct kernel_tlb_task){ .pid = ev->pid };
	t->purges = grow(t->purges, t->nr_purges, sizeof(purge));
	t->purges[t->nr_purges++] = purge;
}

/* The function whose flush belongs to a purge, whatever suffix it was given. */
#define PURGE "__purge_vmap_area_lazy"

static void on_flush(struct kernel_tlb_trace *t, const struct event *ev)
{
	struct kernel_tlb_flush flush = { .time = ev->time, .pid = ev->pid };
	struct kernel_tlb_task *task = get_task(t, ev->pid);
	char what[8];

	if (sscanf(ev->text,
		   "kernel_tlb_flush: caller=%95s ranges=%u pages=%lu ceiling=%u what=%7s",
		   flush.caller, &flush.ranges, &flush.pages, &flush.ceiling,
		   what) != 5)
		return;
	flush.all = !strcmp(what, "all");
	t->flushes = grow(t->flushes, t->nr_flushes, sizeof(flush));
	t->flushes[t->nr_flushes++] = flush;

	/* The same task may have changed permissions before, which flushes, too. */
	if (strncmp(flush.caller, PURGE, strlen(PURGE)))
		return;
	task->flushes++;
	if (flush.all) {
		task->full++;
	} else {
		task->ranges += flush.ranges;
		task->flushed += flush.pages;
	}
}

/* "   kworker/0:1-23      [000] .....     1.234567: event: fields" */
static bool split_line(const char *line, struct event *ev)
{
	const char *cpu = strstr(line, " ["), *time, *dash;

	if (*line == '#' || !cpu)
		return false;
	for (dash = cpu; dash > line && *dash != '-'; dash--)
		;
	ev->pid = atoi(dash + 1);
	line += strspn(line, " ");
	ev->kworker = !strncmp(line, "kworker/", 8);
	ev->text = strstr(cpu, ": ");
	if (!ev->text)
		return false;
	for (time = ev->text; time > cpu && *time != ' '; time--)
		;
	ev->time = atof(time);
	ev->text += 2;
	return true;
}

void kernel_tlb_trace_line(struct kernel_tlb_trace *t, const char *line)
{
	struct event ev;

	if (strstr(line, "LOST") && strstr(line, "EVENTS"))
		t->lost++;
	if (!split_line(line, &ev))
		return;
	on_alloc(t, &ev);
	on_free(t, &ev);
	on_purge(t, &ev);
	on_flush(t, &ev);
}

/* "0xf0801000-0xf0803000    8192 ..." or "... unpurged vm_area" */
static void snapshot_line(struct kernel_tlb_trace *t, const char *line)
{
	unsigned long start, end;
	struct kernel_tlb_area *area;

	if (sscanf(line, "0x%lx-0x%lx", &start, &end) != 2 || !start)
		return;
	area = get_area(t, start);
	area->size = end - start;
	if (strstr(line, "unpurged vm_area")) {
		area->pending = true;
		area->nth = t->nr_freed++;
	}
}

/* %pK shows addresses to root only while kptr_restrict is 1. */
void kernel_tlb_trace_snapshot(struct kernel_tlb_trace *t)
{
	static const char knob[] = "/proc/sys/kernel/kptr_restrict";
	char old[16] = "", line[512];
	FILE *f;

	kernel_tlb_read(knob, old, sizeof(old));
	kernel_tlb_write(knob, "1");
	f = fopen("/proc/vmallocinfo", "re");
	while (f && fgets(line, sizeof(line), f))
		snapshot_line(t, line);
	if (f)
		fclose(f);
	kernel_tlb_write(knob, old);
}

int kernel_tlb_trace_read(const struct kernel_tlb_trace *snapshot,
			  struct kernel_tlb_trace *t)
{
	FILE *f = fopen(KERNEL_TLB_TRACING "trace", "re");
	char line[1024];
	unsigned int i;

	if (!f)
		return -errno;
	*t = (struct kernel_tlb_trace){
		.owners = snapshot->owners,
		.nr_owners = snapshot->nr_owners,
		.nr_freed = snapshot->nr_freed,
	};
	for (i = 0; i < snapshot->nr_areas; i++)
		*get_area(t, snapshot->areas[i].start) = snapshot->areas[i];
	while (fgets(line, sizeof(line), f))
		kernel_tlb_trace_line(t, line);
	fclose(f);
	return 0;
}

void kernel_tlb_trace_free(struct kernel_tlb_trace *t)
{
	free(t->purges);
	free(t->flushes);
	free(t->areas);
	free(t->tasks);
	free(t->ended);
	*t = (struct kernel_tlb_trace){ .owners = t->owners,
					.nr_owners = t->nr_owners };
}
