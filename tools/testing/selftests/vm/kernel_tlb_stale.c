// SPDX-License-Identifier: GPL-2.0
/*
 * No CPU reads through a translation of what has been unmapped, whichever side
 * of the ceiling the flush was on. The test_kernel_tlb module does the work; it
 * needs no kernel_tlb in the kernel, so this is a test of every kernel.
 */
#include "kernel_tlb_harness.h"

#include <dirent.h>
#include <unistd.h>

#define DEVICE_TREE	"/sys/firmware/devicetree/base"
#define MAX_WINDOWS	256

FIXTURE(stale)
{
	struct saved_ceiling saved;
};

FIXTURE_VARIANT(stale)
{
	enum ceiling ceiling;
};

FIXTURE_VARIANT_ADD(stale, ceiling_as_is) { .ceiling = AS_IS };
FIXTURE_VARIANT_ADD(stale, always_full) { .ceiling = ALWAYS_FULL };
FIXTURE_VARIANT_ADD(stale, never_full) { .ceiling = NEVER_FULL };

FIXTURE_SETUP(stale)
{
	if (need_module(_metadata))
		use_ceiling(_metadata, &self->saved, variant->ceiling);
}

FIXTURE_TEARDOWN(stale)
{
	restore_ceiling(_metadata, &self->saved);
}

/* @percent of the ceiling, plus @more pages, in one area. */
static void run_area(struct __test_metadata *_metadata, unsigned int ceiling,
		     unsigned int percent, int more)
{
	char command[64];
	long pages;

	/* Four times this is what the module takes; beyond it, any size will do. */
	if (ceiling > 2048)
		ceiling = 2048;
	pages = (long)ceiling * percent / 100 + more;
	if (pages < 1)
		pages = 1;
	snprintf(command, sizeof(command), "stale pages=%ld", pages);
	run(_metadata, command);
}

TEST_F(stale, one_page)
{
	run(_metadata, "stale pages=1 rounds=20");
}

TEST_F(stale, below_the_ceiling)
{
	run_area(_metadata, self->saved.pages, 100, -1);
}

TEST_F(stale, at_the_ceiling)
{
	run_area(_metadata, self->saved.pages, 100, 0);
}

TEST_F(stale, above_the_ceiling)
{
	run_area(_metadata, self->saved.pages, 100, 1);
}

TEST_F(stale, four_times_the_ceiling)
{
	run_area(_metadata, self->saved.pages, 400, 0);
}

TEST_F(stale, areas_far_apart)
{
	run(_metadata, "stale pages=1,2,3,4,5,6,7,8 gap=600");
}

/* A batch has room for 64 ranges: none of these may get lost. */
TEST_F(stale, more_areas_than_a_batch)
{
	run(_metadata, "stale pages=1,2 count=60 gap=2");
}

TEST_F(stale, areas_above_the_ceiling)
{
	run(_metadata, "stale pages=100,200,300,400 gap=100");
}

TEST_F(stale, blocks)
{
	run(_metadata, "vb pages=4 count=32");
}

TEST_F(stale, blocks_of_single_pages)
{
	run(_metadata, "vb pages=1 count=100");
}

/* Two blocks have at most 2048 pages. */
TEST_F(stale, blocks_used_up)
{
	run(_metadata, "vb pages=4 count=520");
}

/* At least the rest of a block after a purge of it, whatever the block's size. */
TEST_F(stale, blocks_that_live_on)
{
	run(_metadata, "vbone pages=32 count=33");
}

/* More than a block gives out at once. */
TEST_F(stale, areas_without_a_guard)
{
	run(_metadata, "vb pages=80 count=8");
}

TEST_F(stale, percpu_areas)
{
	run(_metadata, "percpu count=4 rounds=3");
}

TEST_F(stale, kmap_slots)
{
	run(_metadata, "pkmap");
}

TEST_F(stale, read_only_pages_take_no_write)
{
	run(_metadata, "ro pages=1,2,8,33");
}

TEST_F(stale, read_only_pages_above_the_ceiling)
{
	run(_metadata, "ro pages=40 count=5 gap=10");
}

TEST_F(stale, second_purge_waits_for_ranges)
{
	run(_metadata, "race pages=1,2,4 gap=3 rounds=100");
}

TEST_F(stale, cpu_with_interrupts_off_is_not_left_out)
{
	run(_metadata, "masked pages=1,2,4 gap=3 rounds=20");
}

TEST_F(stale, cpu_with_interrupts_off_is_not_left_out_above_the_ceiling)
{
	run(_metadata, "masked pages=20 count=10 rounds=10");
}

TEST_F(stale, nobody_gets_an_address_before_it_is_flushed)
{
	run(_metadata, "reuse pages=2 count=8 gap=2 rounds=20");
}

/* Nobody asks for the purge: so much is freed that a worker does it. */
TEST_F(stale, nobody_gets_an_address_before_the_worker_has_flushed)
{
	run(_metadata, "drained pages=2 count=8 gap=2 rounds=5");
}

/* Nor here: it is the allocator that purges before it gives up. */
TEST_F(stale, out_of_address_space)
{
	run(_metadata, "stale pages=1,2,8 gap=3 squeeze=1");
}

/* That purge takes all blocks, and worker and vm_unmap_aliases() do not. */
TEST_F(stale, blocks_out_of_address_space)
{
	run(_metadata, "vb pages=3 count=40 squeeze=1");
}

TEST_F(stale, second_purge_waits_for_blocks)
{
	run(_metadata, "vbrace pages=3 count=8 rounds=50");
}

TEST_F(stale, second_purge_waits_above_the_ceiling)
{
	run(_metadata, "race pages=20 count=10 rounds=30");
}

static int by_address(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Pages that begin with the registers of a virtio device, lowest first. */
static unsigned int find_windows(unsigned long *windows)
{
	DIR *dir = opendir(DEVICE_TREE);
	struct dirent *entry;
	unsigned int nr = 0;

	while (dir && nr < MAX_WINDOWS && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "virtio_mmio@%lx", &windows[nr]) == 1)
			nr += !(windows[nr] % sysconf(_SC_PAGESIZE));
	if (dir)
		closedir(dir);
	qsort(windows, nr, sizeof(*windows), by_address);
	return nr;
}

/*
 * A register block of virtio begins with a magic number that anybody may read.
 * The lowest pages in a row that begin with one are mapped @count times.
 */
static void run_io(struct __test_metadata *_metadata, unsigned int count)
{
	unsigned long windows[MAX_WINDOWS];
	unsigned int nr = find_windows(windows), pages = 1;
	char command[80];

	if (!nr)
		SKIP(return, "no virtio_mmio in the device tree");
	while (pages < nr && windows[pages] ==
	       windows[pages - 1] + sysconf(_SC_PAGESIZE))
		pages++;
	snprintf(command, sizeof(command), "io at=0x%lx pages=%u count=%u",
		 windows[0], pages, count);
	run(_metadata, command);
}

TEST_F(stale, device_pages_fault_after_iounmap)
{
	run_io(_metadata, 1);
}

TEST_F(stale, device_pages_above_the_ceiling)
{
	run_io(_metadata, 100);
}

TEST(ram_is_no_device)
{
	char line[256], command[64];
	unsigned long start = 0;
	FILE *f;

	if (!need_module(_metadata))
		return;
	f = fopen("/proc/iomem", "re");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "System RAM") && sscanf(line, "%lx-", &start) == 1 && start)
			break;
	if (f)
		fclose(f);
	if (!start)
		SKIP(return, "/proc/iomem does not say where RAM is");
	snprintf(command, sizeof(command), "io at=0x%lx pages=1", start);
	EXPECT_EQ(-EINVAL, kernel_tlb_write(KERNEL_TLB_COMMANDS, command)) {
		TH_LOG("%s", command);
	}
}

TEST(bad_commands_are_refused)
{
	static const char * const bad[] = {
		"sink", "drain pages=1", "drain at=0x1000", "stale", "stale pages=0",
		"stale pages=1 at=0x1000", "stale pages=1 rounds=0", "ro pages=-1",
		"vb pages=1 at=0x1000", "race", "race pages=1 count=1000", "masked",
		"percpu pages=1", "percpu count=0", "percpu gap=1",
		"io pages=1", "io at=0 pages=1", "io at=0x1001 pages=1", "io at=0x1000",
		"io at=0x1000 pages=1,1", "io at=0xfffffffffffff000 pages=1",
		"peek pages=1", "peek at=0x1000 pages=1", "poke at=0x1000 pages=1",
		"peek at=nowhere pages=1",
		"vbrace", "vbrace pages=1 count=1",
		"drained", "drained pages=1,2", "drained pages=1 squeeze=1",
		"stale pages=1 squeeze=2", "ro pages=1 squeeze=1", "drain squeeze=1",
		/* Nothing is mapped after a drain. */
		"purge", "peek", "poke",
	};
	unsigned int i;

	if (!need_module(_metadata))
		return;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_NE(0, kernel_tlb_write(KERNEL_TLB_COMMANDS, bad[i])) {
			TH_LOG("took '%s'", bad[i]);
		}
	}
}

TEST_HARNESS_MAIN
