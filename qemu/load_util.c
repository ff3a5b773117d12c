// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernel_tlb_util.h"
#include "load_util.h"

static int set_text(const struct load_option *option, const char *value)
{
	if (strlen(value) >= option->max || strchr(value, '/'))
		return -1;
	strcpy(option->text, value);
	return 0;
}

static int set_number(const struct load_option *option, const char *value)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno ||
	    number < option->min || number > option->max)
		return -1;
	*option->value = number;
	return 0;
}

int load_set_option(const struct load_option *options, unsigned int nr,
		    const char *arg)
{
	const char *equals = strchr(arg, '=');
	unsigned int i;

	for (i = 0; equals && i < nr; i++) {
		if (strncmp(arg, options[i].name, equals - arg) ||
		    options[i].name[equals - arg])
			continue;
		if (options[i].text)
			return set_text(&options[i], equals + 1);
		return set_number(&options[i], equals + 1);
	}
	return -1;
}

void load_sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

unsigned long load_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000UL + ts.tv_nsec / 1000000;
}

int load_set_jit(unsigned int jit)
{
	char text[8];
	int ret;

	snprintf(text, sizeof(text), "%u\n", jit);
	ret = kernel_tlb_write(KERNEL_TLB_JIT, text);
	/* A kernel without a JIT behaves as with 0. */
	return ret == -ENOENT && !jit ? 0 : ret;
}

int load_cycle_module(const char *name)
{
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), "/lib/modules-ktlb/%s.ko", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	if (!ret && syscall(SYS_delete_module, name, O_NONBLOCK))
		ret = -errno;
	return ret;
}
