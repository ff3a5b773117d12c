/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test program that plays QEMU: it offers the plugin calls, translates
 * blocks and runs them on CPUs of its choice.  Each scenario runs in a process
 * of its own because a plugin is loaded once.  Output is TAP.
 */
#ifndef TLBCOUNT_TESTLIB_H
#define TLBCOUNT_TESTLIB_H

#include <stdbool.h>
#include <stdint.h>

/* Scratch files, named after the program; @target is QEMU's name of it. */
void test_begin(const char *program, const char *plugin, const char *target);
/* The exit status of the program. */
int test_end(void);

__attribute__((format(printf, 2, 3)))
void ok(bool good, const char *fmt, ...);
__attribute__((noreturn))
void bail(const char *why);
const char *in_dir(const char *name);
void write_file(const char *name, const char *text);
/* Contents of a scratch file, "" if there is none. */
char *read_file(const char *name);
/* "key=PATH", the path of a scratch file. */
const char *arg_path(const char *key, const char *name);

/* How the next plays differ from ARM: byte order, target, withheld bytes. */
extern bool fake_big_endian, fake_no_bytes;
extern const char *fake_target;

/*
 * Translate and run @nr words placed at @addr, which QEMU keeps at @host;
 * each then touches @data if set.
 */
void run(unsigned int vcpu, uint32_t addr, const void *host, const uint32_t *words,
	 unsigned int nr, uint32_t data);

#define RUN_AT(vcpu, addr, host, ...) do { \
		const uint32_t w_[] = { __VA_ARGS__ }; \
		run(vcpu, addr, host, w_, sizeof(w_) / sizeof(w_[0]), 0); \
	} while (0)
#define RUN(vcpu, addr, ...) RUN_AT(vcpu, addr, NULL, __VA_ARGS__)

/*
 * Load the plugin in a new process, play @scene, let "QEMU" end.  What the
 * plugin says goes to the file "err".  Returns the plugin's answer.
 */
int play(void (*scene)(void), const char *target, bool system, const char *const *args);
/* With map= and out= and the arguments given up to NULL. */
bool play_ok(void (*scene)(void), const char *more, ...);
/* The value of a key in the result, -1 if it is not there. */
double value(const char *key);
void expect(const char *what, const char *key, double want);
/* The plugin must say one line with @hint, and leave no result. */
void refuse(const char *what, const char *hint, const char *target, const char *const *args);

#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

#endif
