// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin_api.h"
#include "testlib.h"

static unsigned int tests, failed;
static char dir[512];
static const char *plugin;
bool fake_big_endian, fake_no_bytes;
const char *fake_target;

void ok(bool good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %u - ", good ? "" : "not ", ++tests);
	failed += !good;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

void bail(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

const char *in_dir(const char *name)
{
	static char path[4][600];
	static unsigned int n;
	char *p = path[n++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

void write_file(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		bail("cannot write a scratch file");
}

char *read_file(const char *name)
{
	static char text[2][1 << 16];
	static unsigned int n;
	char *t = text[n++ % 2];
	FILE *f = fopen(in_dir(name), "r");
	size_t len = 0;

	if (f) {
		len = fread(t, 1, sizeof(text[0]) - 1, f);
		fclose(f);
	}
	t[len] = 0;
	return t;
}

void test_begin(const char *program, const char *plugin_path, const char *target)
{
	plugin = plugin_path;
	fake_target = target;
	snprintf(dir, sizeof(dir), "%s.test-XXXXXX", program);
	if (!mkdtemp(dir))
		bail("no scratch directory");
}

int test_end(void)
{
	static const char *const leftover[] = { "System.map", "bad.map", "out", "log", "err" };

	for (size_t i = 0; i < sizeof(leftover) / sizeof(leftover[0]); i++)
		unlink(in_dir(leftover[i]));
	rmdir(dir);
	printf("1..%u\n", tests);
	if (failed)
		printf("# %u of %u failed\n", failed, tests);
	return failed != 0;
}

/* --------------------------------------------------------------- fake QEMU */

#define MAX_CBS	8

struct callback {
	plugin_exec_fn exec;
	plugin_mem_fn mem;
	void *data;
};

struct qemu_plugin_insn {
	uint32_t addr, size;
	uint8_t bytes[4];
	const uint8_t *host;
	struct callback cb[MAX_CBS], mem;
	unsigned int nr_cbs;
};

struct qemu_plugin_tb {
	struct qemu_plugin_insn insn[16];
	struct callback cb[2];
	unsigned int nr, nr_cbs;
};

static plugin_tb_trans_fn translate;
static plugin_exit_fn at_exit;

PLUGIN_EXPORT void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
							 plugin_tb_trans_fn fn)
{
	(void)id;
	translate = fn;
}

PLUGIN_EXPORT void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, plugin_exit_fn fn,
						  void *data)
{
	(void)id;
	(void)data;
	at_exit = fn;
}

PLUGIN_EXPORT void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
							plugin_exec_fn fn,
							enum qemu_plugin_cb_flags flags,
							void *data)
{
	(void)flags;
	tb->cb[tb->nr_cbs++] = (struct callback){ .exec = fn, .data = data };
}

PLUGIN_EXPORT void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
							  plugin_exec_fn fn,
							  enum qemu_plugin_cb_flags flags,
							  void *data)
{
	(void)flags;
	insn->cb[insn->nr_cbs++] = (struct callback){ .exec = fn, .data = data };
}

PLUGIN_EXPORT void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
						    plugin_mem_fn fn,
						    enum qemu_plugin_cb_flags flags,
						    enum qemu_plugin_mem_rw rw, void *data)
{
	(void)flags;
	(void)rw;
	insn->mem = (struct callback){ .mem = fn, .data = data };
}

PLUGIN_EXPORT size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->nr;
}

PLUGIN_EXPORT struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
							       size_t i)
{
	return (struct qemu_plugin_insn *)&tb->insn[i];
}

PLUGIN_EXPORT const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
	return insn->bytes;
}

PLUGIN_EXPORT size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

PLUGIN_EXPORT void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn)
{
	return (void *)insn->host;
}

PLUGIN_EXPORT uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->addr;
}

void run(unsigned int vcpu, uint32_t addr, const void *host, const uint32_t *words,
	 unsigned int nr, uint32_t data)
{
	struct qemu_plugin_tb tb = { .nr = nr };

	for (unsigned int i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = &tb.insn[i];

		for (int b = 0; b < 4; b++)
			insn->bytes[b] = words[i] >> 8 * (fake_big_endian ? 3 - b : b);
		insn->addr = addr + 4 * i;
		insn->host = host ? (const uint8_t *)host + 4 * i : NULL;
		insn->size = 4;
		if (fake_no_bytes) {
			/* what there is to see, is in the guest's memory */
			insn->host = insn->bytes;
			insn->size = 0;
		}
	}
	translate(1, &tb);
	for (unsigned int i = 0; i < tb.nr_cbs; i++)
		tb.cb[i].exec(vcpu, tb.cb[i].data);
	for (unsigned int i = 0; i < nr; i++) {
		for (unsigned int j = 0; j < tb.insn[i].nr_cbs; j++)
			tb.insn[i].cb[j].exec(vcpu, tb.insn[i].cb[j].data);
		if (data && tb.insn[i].mem.mem)
			tb.insn[i].mem.mem(vcpu, 0, data, tb.insn[i].mem.data);
	}
}

static int install(const char *target, bool system, char **argv)
{
	int (*fn)(qemu_plugin_id_t, const qemu_info_t *, int, char **);
	qemu_info_t info = {
		.target_name = target,
		.system_emulation = system,
		.system = { .smp_vcpus = 4, .max_vcpus = 4 },
	};
	void *lib = dlopen(plugin, RTLD_NOW);
	int argc = 0;

	if (!lib) {
		fprintf(stderr, "%s\n", dlerror());
		return -2;
	}
	*(void **)&fn = dlsym(lib, "qemu_plugin_install");
	while (argv[argc])
		argc++;
	return fn ? fn(1, &info, argc, argv) : -2;
}

const char *arg_path(const char *key, const char *name)
{
	static char text[8][700];
	static unsigned int n;
	char *t = text[n++ % 8];

	snprintf(t, sizeof(text[0]), "%s=%s/%s", key, dir, name);
	return t;
}

int play(void (*scene)(void), const char *target, bool system, const char *const *args)
{
	char *argv[16];
	int n = 0, fd, status, ret;
	pid_t pid;

	for (; args[n]; n++)
		argv[n] = (char *)args[n];
	argv[n] = NULL;
	unlink(in_dir("out"));
	unlink(in_dir("log"));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		fd = open(in_dir("err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, 2);
		ret = install(target, system, argv);
		if (ret)
			_exit(ret == -2 ? 2 : 1);
		if (scene) {
			scene();
			at_exit(1, NULL);
		}
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		bail("cannot run a scenario");
	ret = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
	if (ret >= 2)
		printf("# scenario ended with %d: %s\n", ret, read_file("err"));
	return ret;
}

bool play_ok(void (*scene)(void), const char *more, ...)
{
	const char *args[16] = { arg_path("map", "System.map"), arg_path("out", "out") };
	int n = 2;
	va_list ap;

	va_start(ap, more);
	for (; more && n < 15; more = va_arg(ap, const char *))
		args[n++] = more;
	va_end(ap);
	return !play(scene, fake_target, true, args);
}

double value(const char *key)
{
	char *text = read_file("out"), *p = text;
	size_t len = strlen(key);

	for (; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, key, len) && p[len] == '=')
			return atof(p + len + 1);
	}
	return -1;
}

void expect(const char *what, const char *key, double want)
{
	double got = value(key);

	ok(got == want, "%s: %s=%g", what, key, want);
	if (got != want)
		printf("# is %g\n", got);
}

void refuse(const char *what, const char *hint, const char *target, const char *const *args)
{
	int ret;
	char *err;
	struct stat st;

	ret = play(NULL, target, true, args);
	err = read_file("err");
	ok(ret == 1 && strstr(err, hint) && strchr(err, '\n') == strrchr(err, '\n') &&
	   stat(in_dir("out"), &st), "refused in one line: %s", what);
	if (ret != 1 || !strstr(err, hint))
		printf("# %d %s\n", ret, err);
}

