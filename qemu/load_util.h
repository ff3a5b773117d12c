/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the workloads of the guest share: their arguments and small helpers.
 */
#ifndef LOAD_UTIL_H
#define LOAD_UTIL_H

/* An argument NAME=VALUE: a number, or a word where @text is set. */
struct load_option {
	const char *name;
	unsigned int *value;
	unsigned int min, max;
	char *text;		/* no '/' in it; @max is the size of the buffer */
};

/* Returns 0, or -1 if @arg is none of the options or out of range. */
int load_set_option(const struct load_option *options, unsigned int nr,
		    const char *arg);

void load_sleep_ms(unsigned int ms);
/* The monotonic clock in milliseconds: printed and used for waiting only. */
unsigned long load_now_ms(void);

/* Both return 0 or a negative errno. */
int load_set_jit(unsigned int jit);
/* Loads and unloads /lib/modules-ktlb/NAME.ko. */
int load_cycle_module(const char *name);

#endif /* LOAD_UTIL_H */
