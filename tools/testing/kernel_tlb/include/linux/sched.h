/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in. */
#ifndef SCHED_H
#define SCHED_H

struct mm_struct;

struct task_struct {
	struct mm_struct *mm;
};

extern struct task_struct *current;

#endif
