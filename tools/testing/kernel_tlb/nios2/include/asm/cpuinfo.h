/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: what the TLB code asks of it. */
#ifndef NIOS2_CPUINFO_H
#define NIOS2_CPUINFO_H

struct cpuinfo {
	unsigned int tlb_pid_num_bits;
	unsigned int tlb_num_ways;
	unsigned int tlb_num_ways_log2;
	unsigned int tlb_num_lines;
	unsigned int tlb_ptr_sz;		/* bits of an entry's number */
};

extern struct cpuinfo cpuinfo;

#endif
