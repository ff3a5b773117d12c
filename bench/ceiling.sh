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

set -euo pipefail
source "$(dirname "$0")/../qemu/lib.sh"

T_OP=${T_OP:-11 21}
T_WALK=${T_WALK:-20 60}
CORES=(arm926 a9 a7 a15)

# A ceiling of 0 turns every purge into a full flush, which the model watches.
model() {
	step_boot "ceiling-$1" patched \
		'ktlb.run=seccomp_load ktlb.args.seccomp_load=wait_s=1 kernel_tlb_flush_ceiling=0' \
		"model=$1,modelfunc=arch_flush_tlb_kernel_all"
}

# Prints: core entries flushes refills low high; low and high are the pages at
# which the two ways break even, for the dearest and the cheapest page operation.
row() {
	local file=$OUT/run/$id-ceiling-$1/plugin.out

	awk -v core="$1" -v entries="$(value "$file" model.entries)" \
		-v flushes="$(value "$file" model.full_flushes)" \
		-v refills="$(value "$file" model.refills_per_flush)" \
		-v op="$T_OP" -v walk="$T_WALK" 'BEGIN {
			split(op, o, " "); split(walk, w, " ")
			printf "%-8s %7d %7d %8.1f %8.0f %8.0f\n", core, entries, flushes, \
				refills, refills * w[1] / o[2], refills * w[2] / o[1]
		}'
}

plot() {
	gnuplot <<- END
		set terminal pngcairo size 900,540 font 'sans,11'
		set output '$dir/curve.png'
		set title 'One kernel flush: page by page against everything, per CPU'
		set xlabel 'pages' ; set ylabel 'ns'
		set logscale xy 2 ; set xrange [1:1024] ; set yrange [8:65536]
		set key left top ; set grid
		set arrow from $ceiling,8 to $ceiling,65536 nohead dt 2
		set label 'default ceiling' at $ceiling*1.1,12
		plot $(for op in $T_OP; do printf "x*%s title 'page by page, %s ns each' lw 2, " "$op" "$op"; done) \
			$(awk -v walk="$T_WALK" '{ split(walk, w, " ")
				printf "%s(%f) title \"everything, %s, %s ns a refill\" dt 3 lw 2", \
					n++ ? ", " : "", $4 * w[2], $1, w[2] }' "$dir/table")
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
	model "$core"
	row "$core" >> "$dir/table"
done
plot
printf '%-8s %7s %7s %8s %8s %8s\n' core entries flushes refills low high
cat "$dir/table"
