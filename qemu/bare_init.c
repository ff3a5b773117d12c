// SPDX-License-Identifier: GPL-2.0
/*
 * The only process of a test guest whose architecture has no C library here.
 *
 * It copies the results of the KUnit suites kernel_tlb*, runs the commands of the
 * kernel command line, and ends the machine. What it says is TAP, in the protocol
 * of init.c: sections between "run NAME" and "exit NAME RC", and then "DONE". It
 * loads no modules, as nios2 cannot: test_kernel_tlb has to be built in, or its
 * commands fail. A sysctl that stock kernels do not have is a skip.
 *
 * Words of the kernel command line:
 *   ktlb.result=NAME  the result channel: "virtio" for the virtio-serial port
 *                     named "result", else a file of /dev. "console" is for
 *                     machines with no other: results begin after a line
 *                     "BEGIN", the kernel is silent from there, short of an
 *                     oops, and what it would have said follows after "DONE".
 *   ktlb.do=CMD;...   what to do, in this order; words are separated by ":".
 *                     May be given several times.
 *
 * Commands are those of test_kernel_tlb, for example "stale:pages=1,2:gap=300", and
 *   sysctl:NAME=VALUE
 *   vmstat[:PREFIX]   print the kernel_tlb lines of /proc/vmstat as
 *                     "PREFIXkernel_tlb_...=N"
 */
#include "bare_syscall.h"

#define DEBUGFS		"/sys/kernel/debug"
#define RUN		DEBUGFS "/test_kernel_tlb/run"
#define KUNIT		DEBUGFS "/kunit/"
#define PORTS		"/sys/class/virtio-ports/"
#define PORT_WAIT_MS	10000

#define AT_FDCWD	(-100)
#define O_RDONLY	0
#define O_WRONLY	1
#define O_NOCTTY	0400
#define ENOENT		2

#define REBOOT_MAGIC1	0xfee1dead
#define REBOOT_MAGIC2	672274793
#define REBOOT_RESTART	0x01234567

#define SYSLOG_READ_ALL	3
#define SYSLOG_CLEAR	5
#define SYSLOG_LEVEL	8

struct dirent64 {
	unsigned long long ino;
	long long off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

struct timespec64 {
	long long sec;
	long long nsec;
};

static char cmdline[4096];
static char text[1 << 17];
static long text_len;
static int result_fd = -1;
static int nr_tests;
static int nr_failed;

#define call(nr, a, b, c, d, e)						\
	syscall5(NR_##nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))

/* The compiler calls these on its own, too. */
void *memset(void *to, int c, unsigned long len)
{
	char *p = to;

	while (len--)
		*p++ = c;
	return to;
}

void *memcpy(void *to, const void *from, unsigned long len)
{
	char *p = to;
	const char *q = from;

	while (len--)
		*p++ = *q++;
	return to;
}

unsigned long strlen(const char *s)
{
	const char *end = s;

	while (*end)
		end++;
	return end - s;
}

static int starts(const char *s, const char *with)
{
	while (*with)
		if (*s++ != *with++)
			return 0;
	return 1;
}

static int same(const char *a, const char *b)
{
	return starts(a, b) && !a[strlen(b)];
}

static char *find(char *s, char c)
{
	while (*s && *s != c)
		s++;
	return *s ? s : 0;
}

/* Cuts the first word off *s and returns it; NULL if there is none. */
static char *cut(char **s, char at)
{
	char *word = *s, *end;

	if (!word)
		return 0;
	end = find(word, at);
	*s = end ? end + 1 : 0;
	if (end)
		*end = '\0';
	return word;
}

static void replace(char *s, char from, char to)
{
	while ((s = find(s, from)))
		*s = to;
}

/* Strings up to a NULL, one after the other, as far as there is room. */
static char *join(char *to, unsigned long size, const char *const *parts)
{
	unsigned long len = 0, part;

	for (; *parts; parts++) {
		part = strlen(*parts);
		if (part > size - 1 - len)
			part = size - 1 - len;
		memcpy(to + len, *parts, part);
		len += part;
	}
	to[len] = '\0';
	return to;
}

#define path_of(...)							\
	join((char[512]){ 0 }, 512, (const char *const[]){ __VA_ARGS__, 0 })

static void put_bytes(int fd, const char *s, long len)
{
	long done;

	for (; len > 0; s += done, len -= done) {
		done = call(write, fd, s, len, 0, 0);
		if (done <= 0)
			return;
	}
}

static void put_parts(int fd, const char *const *parts)
{
	for (; *parts; parts++)
		put_bytes(fd, *parts, strlen(*parts));
}

#define emit(...) put_parts(result_fd, (const char *const[]){ __VA_ARGS__, 0 })

static const char *decimal(long n)
{
	static char buf[24];
	char *p = buf + sizeof(buf) - 1;
	unsigned long rest = n < 0 ? -n : n;

	do {
		*--p = '0' + rest % 10;
		rest /= 10;
	} while (rest);
	if (n < 0)
		*--p = '-';
	return p;
}

static long open_file(const char *path, int flags)
{
	return call(openat, AT_FDCWD, path, flags, 0, 0);
}

/* Reads all that fits into buf and ends it. */
static long read_file(const char *path, char *buf, long size)
{
	long fd = open_file(path, O_RDONLY), len = 0, got;

	if (fd < 0)
		return fd;
	do {
		got = call(read, fd, buf + len, size - 1 - len, 0, 0);
		len += got > 0 ? got : 0;
	} while (got > 0);
	call(close, fd, 0, 0, 0, 0);
	buf[len] = '\0';
	return got < 0 ? got : len;
}

static long write_file(const char *path, const char *s)
{
	long fd = open_file(path, O_WRONLY), ret;

	if (fd < 0)
		return fd;
	ret = call(write, fd, s, strlen(s), 0, 0);
	call(close, fd, 0, 0, 0, 0);
	return ret;
}

/* The kernel's log takes what has no other place. */
static void complain(const char *what, const char *which)
{
	write_file("/dev/kmsg", path_of("ktlb-init: ", what, which, "\n"));
}

static void mount_one(const char *type, const char *where)
{
	call(mkdirat, AT_FDCWD, where, 0755, 0, 0);
	call(mount, type, where, type, 0, 0);
}

static void mount_all(void)
{
	mount_one("devtmpfs", "/dev");
	mount_one("proc", "/proc");
	mount_one("sysfs", "/sys");
	mount_one("debugfs", DEBUGFS);
}

/* Calls fn with every name of a directory; fewer than none is an error. */
static long for_each_name(const char *dir, void (*fn)(const char *name))
{
	static char buf[4096] __attribute__((aligned(8)));
	long fd = open_file(dir, O_RDONLY), len, at;
	struct dirent64 *entry;

	if (fd < 0)
		return fd;
	while ((len = call(getdents64, fd, buf, sizeof(buf), 0, 0)) > 0) {
		for (at = 0; at < len; at += entry->reclen) {
			entry = (struct dirent64 *)(buf + at);
			if (entry->name[0] != '.')
				fn(entry->name);
		}
	}
	call(close, fd, 0, 0, 0, 0);
	return len;
}

static void try_port(const char *port)
{
	char name[64];

	if (result_fd < 0 &&
	    read_file(path_of(PORTS, port, "/name"), name, sizeof(name)) > 0 &&
	    same(name, "result\n"))
		result_fd = open_file(path_of("/dev/", port), O_WRONLY);
}

static void sleep_ms(long ms)
{
	struct timespec64 time = { ms / 1000, ms % 1000 * 1000000LL };

	call(clock_nanosleep_time64, 1 /* monotonic */, 0, &time, 0, 0);
}

/* A device can come after its driver. */
static void open_result(const char *name)
{
	int waited;

	for (waited = 0; result_fd < 0 && waited < PORT_WAIT_MS; waited += 10) {
		if (waited)
			sleep_ms(10);
		if (same(name, "virtio"))
			for_each_name(PORTS, try_port);
		else
			result_fd = open_file(path_of("/dev/", name),
					      O_WRONLY | O_NOCTTY);
	}
	if (result_fd < 0)
		complain("no result channel ", name);
}

static void test_line(int ok, const char *name, const char *skip)
{
	emit(ok ? "ok " : "not ok ", decimal(++nr_tests), " - ", name,
	     skip ? " # SKIP " : "", skip ? skip : "", "\n");
	nr_failed += !ok;
}

static void test_errno(const char *name, long error)
{
	test_line(0, name, 0);
	emit("# errno=", decimal(-error), "\n");
}

static void begin(const char *section)
{
	nr_tests = 0;
	nr_failed = 0;
	emit("run ", section, "\n");
}

static void end(const char *section)
{
	emit("1..", decimal(nr_tests), "\n");
	emit("exit ", section, nr_failed || !nr_tests ? " 1\n" : " 0\n");
}

/*
 * KUnit says itself what passed: its lines are copied, its failures counted. A suite
 * that did not run says "ok" as well, in the line of the suite alone.
 */
static void copy_suite(const char *name)
{
	int nr_results = 0;
	char *rest = text, *line;

	if (!starts(name, "kernel_tlb"))
		return;
	text_len = read_file(path_of(KUNIT, name, "/results"), text, sizeof(text));
	nr_tests++;
	while (text_len > 0 && (line = cut(&rest, '\n'))) {
		if (rest)
			emit(line, "\n");
		while (*line == ' ')
			line++;
		nr_results += starts(line, "ok") || starts(line, "not ok");
		nr_failed += starts(line, "not ok");
	}
	if (nr_results < 2)
		nr_failed++;
}

/* Built in, and not turned off: then there are suites without results. */
static int has_kunit(void)
{
	const char *word;
	long fd;

	for (word = cmdline; *word; word++)
		if (starts(word, "kunit.enable=0"))
			return 0;
	fd = open_file(KUNIT, O_RDONLY);
	if (fd >= 0)
		call(close, fd, 0, 0, 0, 0);
	return fd >= 0;
}

static void copy_kunit(void)
{
	if (!has_kunit())
		return;
	begin("kunit");
	for_each_name(KUNIT, copy_suite);
	emit("exit kunit ", nr_failed || !nr_tests ? "1\n" : "0\n");
}

static void print_answer(void)
{
	char *rest = text, *line;

	while ((line = cut(&rest, '\n')) && *line)
		emit("# ", line, "\n");
}

/* A copy of what follows key at the start of a line of text, or NULL. */
static char *value_of(const char *key, char *buf, unsigned long size)
{
	char *line = text, *end;

	for (; line && !starts(line, key); line = end ? end + 1 : 0)
		end = find(line, '\n');
	if (!line)
		return 0;
	join(buf, size, (const char *const[]){ line + strlen(key), 0 });
	end = find(buf, '\n');
	if (end)
		*end = '\0';
	return buf;
}

static void run_test(char *command)
{
	char result[16], reason[128];
	long ret = write_file(RUN, command);

	if (ret >= 0)
		ret = read_file(RUN, text, sizeof(text));
	if (ret < 0) {
		test_errno(command, ret);
		return;
	}
	if (!value_of("result=", result, sizeof(result)))
		result[0] = '\0';
	if (same(result, "skip"))
		test_line(1, command, value_of("reason=", reason, sizeof(reason)));
	else
		test_line(same(result, "pass"), command, 0);
	print_answer();
}

/* setting is "NAME=VALUE". */
static void run_sysctl(const char *command, char *setting)
{
	char *name = cut(&setting, '=');
	long ret;

	replace(name, '.', '/');
	ret = setting ? write_file(path_of("/proc/sys/", name), setting) : -ENOENT;
	if (ret == -ENOENT)
		test_line(1, command, "this kernel has no such sysctl");
	else if (ret < 0)
		test_errno(command, ret);
	else
		test_line(1, command, 0);
}

static void print_vmstat(const char *prefix)
{
	char *rest = text, *line, *name;

	if (read_file("/proc/vmstat", text, sizeof(text)) < 0)
		return;
	while ((line = cut(&rest, '\n'))) {
		if (!starts(line, "kernel_tlb"))
			continue;
		name = cut(&line, ' ');
		emit(prefix, name, "=", line ? line : "", "\n");
	}
}

static void run_command(char *command)
{
	replace(command, ':', ' ');
	if (starts(command, "sysctl "))
		run_sysctl(path_of(command), command + strlen("sysctl "));
	else if (starts(command, "vmstat "))
		print_vmstat(command + strlen("vmstat "));
	else if (same(command, "vmstat"))
		print_vmstat("");
	else if (*command)
		run_test(command);
}

static void run_list(char *list)
{
	char *command;

	while ((command = cut(&list, ';')))
		run_command(command);
}

/* Words that name no file: the version, and what really runs. */
static void print_facts(void)
{
	if (read_file("/proc/sys/kernel/osrelease", text, sizeof(text)) > 0)
		emit("kernel=", text);
	if (read_file("/sys/devices/system/cpu/online", text, sizeof(text)) > 0)
		emit("cpus_online=", text);
}

static void run_all(char *rest)
{
	char *word;

	begin("do");
	while ((word = cut(&rest, ' ')))
		if (starts(word, "ktlb.do="))
			run_list(word + strlen("ktlb.do="));
	end("do");
}

static char *result_name(void)
{
	static char name[64];
	static const char key[] = "ktlb.result=";
	char *word = cmdline;

	for (; word; word = find(word, ' ')) {
		word += *word == ' ';
		if (starts(word, key)) {
			join(name, sizeof(name),
			     (const char *const[]){ word + strlen(key), 0 });
			word = name;
			return cut(&word, ' ');
		}
	}
	return "console";
}

/* The log goes on without being printed. An oops still is. */
static void silence_console(void)
{
	call(syslog, SYSLOG_LEVEL, 0, 1, 0, 0);
	call(syslog, SYSLOG_CLEAR, 0, 0, 0, 0);
	emit("\nBEGIN\n");
}

static void copy_log(void)
{
	text_len = call(syslog, SYSLOG_READ_ALL, text, sizeof(text), 0, 0);
	put_bytes(result_fd, text, text_len);
}

static void end_machine(void)
{
	/* What a UART has not sent yet would be lost. */
	call(ioctl, result_fd, IOCTL_TCSBRK, 1, 0, 0);
	call(sync, 0, 0, 0, 0, 0);
	emulator_exit();
	call(reboot, REBOOT_MAGIC1, REBOOT_MAGIC2, REBOOT_RESTART, 0, 0);
	complain("reset failed", "");
	for (;;)
		sleep_ms(1000);
}

__attribute__((noreturn)) void _start(void)
{
	char *name;
	int shared;

	mount_all();
	read_file("/proc/cmdline", cmdline, sizeof(cmdline));
	replace(cmdline, '\n', '\0');
	name = result_name();
	shared = same(name, "console");
	open_result(name);
	if (shared)
		silence_console();
	print_facts();
	copy_kunit();
	run_all(cmdline);
	print_vmstat("");
	emit("DONE\n");
	if (shared)
		copy_log();
	end_machine();
	for (;;)
		;
}
