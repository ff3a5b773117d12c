/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls without a C library, for the architectures that have none on this
 * machine. syscall5() returns what the kernel does: a value, or -errno.
 */
#ifndef BARE_SYSCALL_H
#define BARE_SYSCALL_H

#if defined(__powerpc__)

#define NR_read		3
#define NR_write	4
#define NR_close	6
#define NR_mount	21
#define NR_sync		36
#define NR_ioctl	54
#define NR_reboot	88
#define NR_syslog	103
#define NR_getdents64	202
#define NR_openat	286
#define NR_mkdirat	287
#define IOCTL_TCSBRK	0x2000741d

static inline long syscall5(long nr, long a, long b, long c, long d, long e)
{
	register long r0 __asm__("r0") = nr;
	register long r3 __asm__("r3") = a;
	register long r4 __asm__("r4") = b;
	register long r5 __asm__("r5") = c;
	register long r6 __asm__("r6") = d;
	register long r7 __asm__("r7") = e;

	/* An error is positive, with the summary overflow bit set. */
	__asm__ volatile("sc\n\tbns+ 1f\n\tneg %1, %1\n1:"
			 : "+r" (r0), "+r" (r3), "+r" (r4), "+r" (r5), "+r" (r6),
			   "+r" (r7)
			 : : "r8", "r9", "r10", "r11", "r12", "cr0", "ctr", "memory");
	return r3;
}

#else /* the generic table */

#define NR_ioctl	29
#define NR_mkdirat	34
#define NR_mount	40
#define NR_openat	56
#define NR_close	57
#define NR_getdents64	61
#define NR_read		63
#define NR_write	64
#define NR_sync		81
#define NR_syslog	116
#define NR_reboot	142
#define IOCTL_TCSBRK	0x5409

#if defined(__or1k__)

static inline long syscall5(long nr, long a, long b, long c, long d, long e)
{
	register long r11 __asm__("r11") = nr;
	register long r3 __asm__("r3") = a;
	register long r4 __asm__("r4") = b;
	register long r5 __asm__("r5") = c;
	register long r6 __asm__("r6") = d;
	register long r7 __asm__("r7") = e;

	__asm__ volatile("l.sys 1"
			 : "+r" (r11), "+r" (r3), "+r" (r4), "+r" (r5), "+r" (r6),
			   "+r" (r7)
			 : : "r8", "r12", "r13", "r15", "r17", "r19", "r21", "r23",
			     "r25", "r27", "r29", "r31", "memory");
	return r11;
}

#elif defined(__nios2__)

static inline long syscall5(long nr, long a, long b, long c, long d, long e)
{
	register long r2 __asm__("r2") = nr;
	register long r4 __asm__("r4") = a;
	register long r5 __asm__("r5") = b;
	register long r6 __asm__("r6") = c;
	register long r7 __asm__("r7") = d;
	register long r8 __asm__("r8") = e;

	/* An error is positive, with r7 set. */
	__asm__ volatile("trap"
			 : "+r" (r2), "+r" (r4), "+r" (r5), "+r" (r6), "+r" (r7),
			   "+r" (r8)
			 : : "r3", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
			     "memory");
	return r7 ? -r2 : r2;
}

/*
 * Nothing in this machine resets it, but QEMU ends at a semihosting call. It takes
 * the call's number, 0 for exit, and the address of its arguments.
 */
static inline void emulator_exit(void)
{
	long code[1] = { 0 };
	register long r4 __asm__("r4") = 0;
	register long *r5 __asm__("r5") = code;

	__asm__ volatile("break 1" : "+r" (r4), "+r" (r5) : : "memory");
}
#define HAVE_EMULATOR_EXIT

#else
#error "no system calls for this architecture"
#endif
#endif

/* The same number everywhere. */
#define NR_clock_nanosleep_time64	407

#ifndef HAVE_EMULATOR_EXIT
static inline void emulator_exit(void) { }
#endif

#endif
