// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel stacks in vmalloc space come and go with processes, on every CPU and
 * while purges run. A CPU with a stale translation of one runs on memory that
 * is somebody else's: children then come back with a wrong status, if at all.
 * Page poisoning (page_poison=1) makes the memory of a freed stack worthless.
 *
 * Processes come with an address space each, and an emulator may flush all of a
 * TLB when that changes. Threads share one, so that nothing hides a stale stack.
 */
#include "kernel_tlb_harness.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCHES		8
#define THREAD_BATCHES	12
#define BATCH		16	/* more than the stacks that the kernel caches */

FIXTURE(forks)
{
	struct saved_ceiling saved;
};

FIXTURE_VARIANT(forks)
{
	enum ceiling ceiling;
};

FIXTURE_VARIANT_ADD(forks, ceiling_as_is) { .ceiling = AS_IS };
FIXTURE_VARIANT_ADD(forks, always_full) { .ceiling = ALWAYS_FULL };
FIXTURE_VARIANT_ADD(forks, never_full) { .ceiling = NEVER_FULL };

FIXTURE_SETUP(forks)
{
	if (need_module(_metadata))
		use_ceiling(_metadata, &self->saved, variant->ceiling);
}

FIXTURE_TEARDOWN(forks)
{
	restore_ceiling(_metadata, &self->saved);
}

/* System calls that need some stack: path walks, seq files, an array to poll. */
static int use_stack(void)
{
	struct pollfd fds[64];
	char text[4096];
	unsigned int i;
	int pipes[2];
	DIR *dir;

	if (pipe(pipes))
		return 1;
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = (struct pollfd){ .fd = pipes[i % 2], .events = POLLOUT };
	if (poll(fds, ARRAY_SIZE(fds), 0) != ARRAY_SIZE(fds) / 2)
		return 2;
	if (kernel_tlb_read("/proc/self/maps", text, sizeof(text)) || !strchr(text, '-'))
		return 3;
	dir = opendir("/proc/self/fd");
	if (!dir || !readdir(dir))
		return 4;
	closedir(dir);
	close(pipes[0]);
	close(pipes[1]);
	return 0;
}

static pid_t fork_child(int status)
{
	pid_t pid = fork();

	if (!pid)
		_exit(use_stack() ? 255 : status);
	return pid;
}

/* All of a batch live at the same time, so that stacks are taken and freed. */
static int run_batch(void)
{
	pid_t pids[BATCH];
	int i, status, wrong = 0;

	for (i = 0; i < BATCH; i++)
		pids[i] = fork_child(i + 1);
	for (i = 0; i < BATCH; i++)
		wrong += pids[i] < 0 || waitpid(pids[i], &status, 0) != pids[i] ||
			 !WIFEXITED(status) || WEXITSTATUS(status) != i + 1;
	return wrong;
}

static void storm_on(int cpu)
{
	int i, wrong = 0;

	if (!stay_on(cpu))
		_exit(255);
	for (i = 0; i < BATCHES; i++)
		wrong += run_batch();
	_exit(wrong < 254 ? wrong : 254);
}

static int start_storm(void)
{
	int cpu, started = 0;
	cpu_set_t allowed;
	pid_t pid;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		pid = fork();
		if (!pid)
			storm_on(cpu);
		if (pid < 0)
			return -errno;
		started++;
	}
	return started;
}

TEST_F(forks, every_child_comes_back_while_stacks_are_purged)
{
	struct kernel_tlb_counters before, after;
	bool counted = !kernel_tlb_read_counters(&before);
	int storms = start_storm(), status;
	pid_t pid;

	ASSERT_LT(0, storms);
	while (storms) {
		ASSERT_EQ(0, kernel_tlb_write(KERNEL_TLB_COMMANDS, "drain"));
		pid = waitpid(-1, &status, WNOHANG);
		ASSERT_LE(0, pid);
		if (!pid)
			continue;
		EXPECT_EQ(0, status);
		storms--;
	}
	if (!counted || kernel_tlb_read_counters(&after))
		return;
	EXPECT_LT(0, kernel_tlb_delta(&before, &after).calls) {
		TH_LOG("no purge at all: CONFIG_VMAP_STACK?");
	}
}

static void *thread(void *arg)
{
	return stay_on(*(int *)arg) && !use_stack() ? arg : NULL;
}

/* Each begins where its creator is, and goes on where it is sent. */
static int run_threads(int *cpu)
{
	pthread_t threads[BATCH];
	int i, started, wrong = 0;
	void *result;

	for (started = 0; started < BATCH; started++)
		if (pthread_create(&threads[started], NULL, thread, cpu))
			break;
	for (i = 0; i < started; i++)
		wrong += pthread_join(threads[i], &result) || result != cpu;
	return wrong + BATCH - started;
}

static int next_cpu(const cpu_set_t *allowed, int cpu)
{
	do {
		cpu = (cpu + 1) % CPU_SETSIZE;
	} while (!CPU_ISSET(cpu, allowed));
	return cpu;
}

TEST_F(forks, every_thread_comes_back_while_stacks_are_purged)
{
	int here = -1, there, i;
	cpu_set_t allowed;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(allowed), &allowed));
	for (i = 0; i < THREAD_BATCHES; i++) {
		here = next_cpu(&allowed, here);
		there = next_cpu(&allowed, here);
		ASSERT_TRUE(stay_on(here));
		EXPECT_EQ(0, run_threads(&there));
		ASSERT_EQ(0, kernel_tlb_write(KERNEL_TLB_COMMANDS, "drain"));
	}
}

TEST_HARNESS_MAIN
