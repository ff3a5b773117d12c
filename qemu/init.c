// SPDX-License-Identifier: GPL-2.0
/*
 * The first and only resident process of a test guest.
 *
 * It runs every program of /tests in name order with the result channel as
 * standard output and error, and then resets the machine. The channel is the
 * virtio-serial port named "result": what is written there cannot be mixed up
 * with kernel messages, and its end without a line "DONE" means that the guest
 * died. Whatever is missing is said in one line, and the machine still resets:
 * a guest that waits costs the whole time-out of the runner.
 *
 * Words of the kernel command line:
 *   ktlb.args=A,B        arguments of every program
 *   ktlb.args.NAME=A,B   arguments of the program /tests/NAME, instead
 *   ktlb.run=NAME,NAME   only these programs
 *   ktlb.modules=M,M     load /lib/modules-ktlb/M.ko first; "all" for every one
 *
 * KERNEL_TLB_MODULE, a word of it too, is in the environment of the programs: the
 * module that a selftest loads and unloads.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TESTS		"/tests"
#define MODULES		"/lib/modules-ktlb"
#define PORTS		"/sys/class/virtio-ports"
#define PORT_WAIT_MS	10000
#define MAX_ARGS	32

static char cmdline[4096];
static int result_fd = STDOUT_FILENO;

static void say(const char *fmt, ...)
{
	va_list args;

	printf("ktlb-init: ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

static void emit(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vdprintf(result_fd, fmt, args);
	va_end(args);
}

static void mount_one(const char *type, const char *where)
{
	mkdir(where, 0755);
	if (mount(type, where, type, 0, NULL) && errno != EBUSY)
		say("no %s on %s: %s", type, where, strerror(errno));
}

static void mount_all(void)
{
	mount_one("devtmpfs", "/dev");
	mount_one("proc", "/proc");
	mount_one("sysfs", "/sys");
	mount_one("tmpfs", "/tmp");
	mount_one("debugfs", "/sys/kernel/debug");
	mount_one("tracefs", "/sys/kernel/tracing");
}

/* Without a /dev/console in the initramfs the kernel starts init without any. */
static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR);
	int i;

	if (fd < 0)
		fd = open("/dev/null", O_RDWR);
	for (i = 0; i <= STDERR_FILENO; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void read_cmdline(void)
{
	FILE *f = fopen("/proc/cmdline", "re");

	if (!f || !fgets(cmdline, sizeof(cmdline), f))
		say("no kernel command line: every program runs without arguments");
	if (f)
		fclose(f);
	cmdline[strcspn(cmdline, "\n")] = '\0';
}

/* Returns a copy of what follows "KEY=" on the command line, or NULL. */
static char *cmdline_value(const char *key)
{
	size_t len = strlen(key);
	const char *word = cmdline;

	while ((word = strstr(word, key))) {
		if ((word == cmdline || word[-1] == ' ') && word[len] == '=')
			return strndup(word + len + 1,
				       strcspn(word + len + 1, " "));
		word += len;
	}
	return NULL;
}

static int in_list(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncmp(list, name, len) &&
		    (list[len] == ',' || !list[len]))
			return 1;
	}
	return 0;
}

/* The first line of a file, without its newline. */
static int read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	int ok = f && fgets(buf, size, f);

	if (f)
		fclose(f);
	if (ok)
		buf[strcspn(buf, "\n")] = '\0';
	return ok;
}

static int find_result_port(char *path, size_t size)
{
	DIR *dir = opendir(PORTS);
	struct dirent *entry;
	char file[512], name[64];
	int found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		snprintf(file, sizeof(file), PORTS "/%s/name", entry->d_name);
		if (!read_line(file, name, sizeof(name)) || strcmp(name, "result"))
			continue;
		found = snprintf(path, size, "/dev/%s", entry->d_name) < (int)size;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The port and its name come in messages of the host, after the driver. */
static void open_result_port(void)
{
	struct timespec tick = { .tv_nsec = 10 * 1000 * 1000 };
	char path[300];
	int waited, fd;

	for (waited = 0; waited < PORT_WAIT_MS; waited += 10) {
		if (find_result_port(path, sizeof(path))) {
			fd = open(path, O_WRONLY | O_CLOEXEC);
			if (fd >= 0) {
				result_fd = fd;
				return;
			}
		}
		nanosleep(&tick, NULL);
	}
	say("no virtio port named \"result\": results go to the console");
}

static void load_module(const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), MODULES "/%s.ko", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		say("cannot load %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void load_all_modules(void)
{
	struct dirent **list;
	int nr = scandir(MODULES, &list, NULL, alphasort);
	int i;
	char *dot;

	if (nr < 0)
		say("no modules in " MODULES);
	for (i = 0; i < nr; i++) {
		dot = strstr(list[i]->d_name, ".ko");
		if (!dot || dot[3])
			continue;
		*dot = '\0';
		load_module(list[i]->d_name);
	}
}

static void load_modules(void)
{
	char *list = cmdline_value("ktlb.modules");
	char *name;

	if (!list)
		return;
	if (!strcmp(list, "all")) {
		load_all_modules();
		return;
	}
	while ((name = strsep(&list, ",")))
		if (*name)
			load_module(name);
}

static void split_args(const char *name, char **argv)
{
	char key[300], *list;
	int n = 1;

	snprintf(key, sizeof(key), "ktlb.args.%s", name);
	list = cmdline_value(key);
	if (!list)
		list = cmdline_value("ktlb.args");
	while (list && n < MAX_ARGS) {
		argv[n] = strsep(&list, ",");
		n += *argv[n] != '\0';
	}
	argv[n] = NULL;
}

static void exec_program(const char *path, char **argv)
{
	dup2(result_fd, STDOUT_FILENO);
	dup2(result_fd, STDERR_FILENO);
	if (chdir("/tmp"))
		say("no /tmp: %s", strerror(errno));
	execv(path, argv);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", path, strerror(errno));
	_exit(127);
}

/* Like a shell: 128 plus the signal for a program that was killed. */
static int wait_for(pid_t pid)
{
	int status;
	pid_t got;

	do {
		got = wait(&status);
	} while (got != pid && (got > 0 || errno == EINTR));
	if (got != pid)
		return 126;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run_program(const char *name)
{
	char path[300], *argv[MAX_ARGS + 1];
	pid_t pid;

	snprintf(path, sizeof(path), TESTS "/%s", name);
	argv[0] = path;
	split_args(name, argv);
	say("run %s", name);
	emit("run %s\n", name);
	pid = fork();
	if (!pid)
		exec_program(path, argv);
	emit("exit %s %d\n", name, pid < 0 ? 126 : wait_for(pid));
}

static int is_program(const struct dirent *entry)
{
	char *only = cmdline_value("ktlb.run");
	int wanted = !only || in_list(only, entry->d_name);

	free(only);
	return entry->d_name[0] != '.' && wanted;
}

static void run_programs(void)
{
	struct dirent **list;
	int nr = scandir(TESTS, &list, is_program, alphasort);
	int i;

	if (nr <= 0)
		emit("nothing to run in " TESTS "\n");
	for (i = 0; i < nr; i++)
		run_program(list[i]->d_name);
}

int main(void)
{
	if (getpid() != 1) {
		fprintf(stderr, "ktlb-init: runs as process 1 of a test guest only\n");
		return 2;
	}
	mount_all();
	open_console();
	read_cmdline();
	setenv("KERNEL_TLB_MODULE", MODULES "/binfmt_misc.ko", 0);
	open_result_port();
	load_modules();
	run_programs();
	emit("DONE\n");
	say("done");
	sync();
	reboot(RB_AUTOBOOT);
	say("reset failed: %s", strerror(errno));
	for (;;)
		pause();
}
