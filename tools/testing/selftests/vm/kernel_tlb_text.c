// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that holds code: modules and compiled BPF programs. It is made
 * read-only when it is complete, and its pages are flushed when they are freed
 * and not some time later. No CPU may write to it before, nor read it after.
 *
 * KERNEL_TLB_MODULE is the module to load and unload: a name for modprobe or
 * the path of a .ko file. It should do little and must not be in use.
 */
#include "kernel_tlb_harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL_MODULE	"test_module"
#define MAX_SECTIONS	64
#define WAIT_TICKS	200	/* of 10 ms, for what is freed by a work item */
#define TRIES		3

struct pages {
	unsigned long start;
	unsigned long nr;
};

FIXTURE(text)
{
	struct saved_ceiling saved;
	char module[64];
	bool was_loaded;
	char jit[16];
	int prog;
};

FIXTURE_VARIANT(text)
{
	enum ceiling ceiling;
};

FIXTURE_VARIANT_ADD(text, ceiling_as_is) { .ceiling = AS_IS };
FIXTURE_VARIANT_ADD(text, always_full) { .ceiling = ALWAYS_FULL };
FIXTURE_VARIANT_ADD(text, never_full) { .ceiling = NEVER_FULL };

static const char *module_source(void)
{
	const char *given = getenv("KERNEL_TLB_MODULE");

	return given && *given ? given : USUAL_MODULE;
}

/* "/lib/some-module.ko" is named some_module by the kernel. */
static void module_name(char *name, size_t size)
{
	const char *from = strrchr(module_source(), '/');

	from = from ? from + 1 : module_source();
	snprintf(name, size, "%.*s", (int)strcspn(from, "."), from);
	for (; *name; name++)
		if (*name == '-')
			*name = '_';
}

static int modprobe(const char *name)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execlp("modprobe", "modprobe", name, NULL);
		_exit(1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -ENOENT;
	return 0;
}

static int load_module(void)
{
	const char *from = module_source();
	int fd, ret;

	if (!strchr(from, '/'))
		return modprobe(from);
	fd = open(from, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

static int unload_module(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

FIXTURE_SETUP(text)
{
	self->prog = -1;
	if (!need_module(_metadata) ||
	    !use_ceiling(_metadata, &self->saved, variant->ceiling))
		return;
	kernel_tlb_read(KERNEL_TLB_JIT, self->jit, sizeof(self->jit));
	module_name(self->module, sizeof(self->module));
	self->was_loaded = !unload_module(self->module);
}

FIXTURE_TEARDOWN(text)
{
	if (self->prog >= 0)
		close(self->prog);
	if (*self->jit)
		kernel_tlb_write(KERNEL_TLB_JIT, self->jit);
	if (self->was_loaded)
		load_module();
	restore_ceiling(_metadata, &self->saved);
}

static void peek(char *command, size_t size, const char *how,
		 const struct pages *pages)
{
	snprintf(command, size, "%s at=0x%lx pages=%lu", how, pages->start, pages->nr);
}

static unsigned long read_address(const char *path)
{
	unsigned long addr = 0;
	FILE *f = fopen(path, "re");

	if (f && fscanf(f, "%lx", &addr) != 1)
		addr = 0;
	if (f)
		fclose(f);
	return addr;
}

static unsigned long section(const char *module, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", module, name);
	return read_address(path);
}

/* Freed when init is over; the symbol tables that stay are copies. */
static bool belongs_to_init(const char *section)
{
	return strstr(section, "init") || !strcmp(section, ".symtab") ||
	       !strcmp(section, ".strtab");
}

/* The first page of each section of the module itself, when init is over. */
static unsigned int find_sections(const char *module, struct pages *sections)
{
	unsigned long page = sysconf(_SC_PAGESIZE), addr;
	unsigned int nr = 0;
	struct dirent *entry;
	char path[512];
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/module/%s/sections", module);
	dir = opendir(path);
	while (dir && nr < MAX_SECTIONS && (entry = readdir(dir))) {
		if (belongs_to_init(entry->d_name) || strstr(entry->d_name, "percpu"))
			continue;
		addr = section(module, entry->d_name);
		if (addr)
			sections[nr++] = (struct pages){ addr & -page, 1 };
	}
	if (dir)
		closedir(dir);
	return nr;
}

/*
 * Skips, and returns false, if the module cannot be had. What belongs to its
 * exit is the last of its text, if it has any.
 */
static bool need_text(struct __test_metadata *_metadata, const char *module,
		      struct pages *text)
{
	unsigned long page = sysconf(_SC_PAGESIZE), last;

	if (load_module())
		SKIP(return false, "no module %s: KERNEL_TLB_MODULE names another",
		     module_source());
	text->start = section(module, ".text") & -page;
	if (!text->start) {
		unload_module(module);
		SKIP(return false, "%s does not say where it is: CONFIG_KALLSYMS",
		     module);
	}
	last = section(module, ".exit.text");
	text->nr = last > text->start ? (last - text->start) / page + 1 : 1;
	return true;
}

/* Only the CPU that loads a module has written to it: another one knows. */
static bool other_cpu_could(const struct seen *seen, int cpu)
{
	char key[32], value[32];

	snprintf(key, sizeof(key), "could_cpu%d", cpu);
	if (!kernel_tlb_value(seen->answer, key, value, sizeof(value)))
		return true;
	return strtoul(value, NULL, 10) < seen->could;
}

TEST_F(text, no_cpu_writes_to_the_text_of_a_module)
{
	int cpu = sched_getcpu(), i;
	char command[64];
	struct pages text;
	struct seen seen;

	ASSERT_TRUE(stay_on(cpu));
	for (i = 0; i < TRIES; i++) {
		if (!need_text(_metadata, self->module, &text))
			return;
		/* The load was a command: it poked the text as soon as it could. */
		seen = read_seen(_metadata);
		peek(command, sizeof(command), "peek", &text);
		expect_all(_metadata, command);
		ASSERT_EQ(0, unload_module(self->module));
		if (seen.could && other_cpu_could(&seen, cpu))
			SKIP(return, "text stays writable: CONFIG_STRICT_MODULE_RWX");
		EXPECT_EQ(0, seen.could) {
			TH_LOG("%s", seen.answer);
		}
	}
}

TEST_F(text, no_cpu_reads_a_module_after_its_unload)
{
	struct pages text, sections[MAX_SECTIONS];
	unsigned int nr, i, try;
	char command[64];

	for (try = 0; try < TRIES; try++) {
		if (!need_text(_metadata, self->module, &text))
			return;
		nr = find_sections(self->module, sections);
		ASSERT_LT(0, nr);
		for (i = 0; i < nr; i++) {
			peek(command, sizeof(command), "peek", &sections[i]);
			expect_all(_metadata, command);
		}
		ASSERT_EQ(0, unload_module(self->module));
		for (i = 0; i < nr; i++) {
			peek(command, sizeof(command), "peek", &sections[i]);
			expect_none_stale(_metadata, command);
		}
	}
}

static int bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

/* A socket filter of @insns instructions; returns its file or -errno. */
static int load_filter(unsigned int insns)
{
	struct bpf_insn *prog = calloc(insns, sizeof(*prog));
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insn_cnt = insns,
		.insns = (unsigned long)prog,
		.license = (unsigned long)"GPL",
	};
	unsigned int i;
	int ret;

	if (!prog)
		return -ENOMEM;
	for (i = 0; i < insns - 1; i++)
		prog[i] = (struct bpf_insn){
			.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = i
		};
	prog[insns - 1].code = BPF_JMP | BPF_EXIT;
	ret = bpf(BPF_PROG_LOAD, &attr);
	free(prog);
	return ret;
}

static int find_image(int prog, struct pages *image)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	__u64 start = 0;
	struct bpf_prog_info info = {
		.nr_jited_ksyms = 1,
		.jited_ksyms = (unsigned long)&start,
	};
	union bpf_attr attr = {
		.info = {
			.bpf_fd = prog,
			.info_len = sizeof(info),
			.info = (unsigned long)&info,
		},
	};
	int ret = bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);

	if (ret)
		return ret;
	if (!start || !info.jited_prog_len)
		return -ENOENT;
	image->start = start & -page;
	image->nr = (start + info.jited_prog_len - image->start + page - 1) / page;
	return 0;
}

/* Skips, and returns false, if there is no compiled program. */
static bool need_image(struct __test_metadata *_metadata, unsigned int insns,
		       int *prog, struct pages *image)
{
	if (kernel_tlb_write(KERNEL_TLB_JIT, "1"))
		SKIP(return false, "no BPF JIT to switch on");
	*prog = load_filter(insns);
	if (*prog < 0)
		SKIP(return false, "no socket filter: %s", strerror(-*prog));
	if (find_image(*prog, image))
		SKIP(return false, "the kernel does not say where it compiled to");
	return true;
}

/* It is freed by a work item after a grace period, and flushed with that. */
static void expect_freed(struct __test_metadata *_metadata, const char *command)
{
	struct seen seen = look(_metadata, command);
	int i;

	for (i = 0; i < WAIT_TICKS && seen.could > seen.stale; i++) {
		usleep(10000);
		seen = look(_metadata, command);
	}
	EXPECT_EQ(seen.stale, seen.could) {
		TH_LOG("still there:\n%s", seen.answer);
	}
	/* Unmapped, but perhaps not yet handed to a purge. */
	for (i = 0; i < TRIES && seen.stale; i++) {
		usleep(10000);
		ASSERT_EQ(0, kernel_tlb_write(KERNEL_TLB_COMMANDS, "drain"));
		seen = look(_metadata, command);
	}
	EXPECT_EQ(0, seen.stale) {
		TH_LOG("%s:\n%s", command, seen.answer);
	}
}

static void cycle_filter(struct __test_metadata *_metadata, unsigned int insns,
			 int *prog)
{
	struct pages image;
	char command[64];

	if (!need_image(_metadata, insns, prog, &image))
		return;
	peek(command, sizeof(command), "poke", &image);
	expect_none(_metadata, command);
	peek(command, sizeof(command), "peek", &image);
	expect_all(_metadata, command);
	close(*prog);
	*prog = -1;
	expect_freed(_metadata, command);
}

TEST_F(text, no_cpu_writes_to_a_bpf_image_or_reads_it_when_freed)
{
	cycle_filter(_metadata, 40, &self->prog);
}

TEST_F(text, no_cpu_writes_to_a_large_bpf_image_or_reads_it_when_freed)
{
	cycle_filter(_metadata, 4000, &self->prog);
}

TEST_HARNESS_MAIN
