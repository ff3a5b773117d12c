#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: ceiling.sh
#
# Where the default ceiling comes from: how many refills a full flush costs each
# CPU, from the TLB models of tlbmodel.c under the report's workload, and the
# number of pages at which page by page costs as much. Wants the patched kernel
# of `make run`. Leaves OUT/ceiling/{table,curve.png}.
#
# A page operation takes T_OP ns, the report's 4 to 8 ms by 372,106. A refill is
# two loads, T_WALK ns together: the L2 hit latency of these cores, twice.

# shellcheck disable=SC2154 # id: steps.sh
set -euo pipefail
source "$(dirname "$0")/../qemu/lib.sh"

T_OP=${T_OP:-11 21}
T_WALK=${T_WALK:-20 60}
CORES=(arm926 a9 a7 a15)
BUSY=(0 64 512)

# A ceiling of 0 turns every purge into a full flush, which the model watches.
# lowmem: the kernel maps its 1792 MiB with sections.
model() {
	step_boot "ceiling-$1-$2" patched \
		"ktlb.run=seccomp_load ktlb.args.seccomp_load=wait_s=1,busy_pages=$2 kernel_tlb_flush_ceiling=0" \
		"model=$1,modelfunc=flush_tlb_all,lowmem=0x80000000-0xf0000000"
}

# $1 core, $2 pages that a process on each CPU keeps reading.
# Prints: core busy entries flushes refills low high; low and high are the pages at
# which the two ways break even, for the dearest and the cheapest page operation.
row() {
	local file=$OUT/run/$id-ceiling-$1-$2/plugin.out

	awk -v core="$1" -v busy="$2" -v entries="$(value "$file" model.entries)" \
		-v flushes="$(value "$file" model.full_flushes)" \
		-v refills="$(value "$file" model.refills_per_flush)" \
		-v op="$T_OP" -v walk="$T_WALK" 'BEGIN {
			split(op, o, " "); split(walk, w, " ")
			printf "%-8s %7d %7d %7d %8.1f %8.0f %8.0f\n", core, busy, entries, flushes, \
				refills, refills * w[1] / o[2], refills * w[2] / o[1]
		}'
}

plot() {
	gnuplot <<- END
		set terminal pngcairo size 1100,540 font 'sans,11'
		set output '$dir/curve.png'
		set title 'One kernel flush: page by page against everything, per CPU'
		set xlabel 'pages' ; set ylabel 'ns'
		set logscale xy 2 ; set xrange [1:1024] ; set yrange [8:65536]
		set key outside right top ; set grid
		set arrow from $ceiling,8 to $ceiling,65536 nohead dt 2
		set label 'default ceiling' at $ceiling*1.1,12
		plot $(for op in $T_OP; do printf "x*%s title 'page by page, %s ns each' lw 2, " "$op" "$op"; done) \
			$(awk -v walk="$T_WALK" '{ split(walk, w, " ")
				printf "%s(%f) title \"everything, %s, %s pages busy\" dt 3 lw 2", \
					n++ ? ", " : "", $5 * w[2], $1, $2 }' "$dir/table")
	END
}

use_linux
source "$TOP/qemu/steps.sh"
dir=$OUT/ceiling
ceiling=$(sed -n 's/^#define ARCH_KERNEL_TLB_CEILING[[:space:]]*//p' "$TOP/arch/arm/include/asm/kernel_tlb.h")
command -v gnuplot > /dev/null || die 'gnuplot is missing: apt-get install gnuplot-nox' 4
mkdir -p "$dir"
: > "$dir/table"
for core in "${CORES[@]}"; do
	for busy in "${BUSY[@]}"; do
		model "$core" "$busy"
		row "$core" "$busy" >> "$dir/table"
	done
done
plot
printf '%-8s %7s %7s %7s %8s %8s %8s\n' core busy entries flushes refills low high
cat "$dir/table"
