# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What the kernel says of its flushes against what the plugin saw it execute; sourced
# after qemu/steps.sh.

# plugin_agrees RUN: the instructions that the plugin saw are those that the kernel
# owns up to.
plugin_agrees() {
	local said counted

	said=$(tr -d '\r' < "$(result "$1")" | awk '
		/^trace: .*kernel_tlb_flush: / {
			what = $0; sub(/.*what=/, "", what); sub(/ .*/, "", what)
			n = $0; sub(/.* pages=/, "", n); sub(/ .*/, "", n)
			if (what == "all") all++; else pages += n
		}
		END { print pages + 0 " pages, " all + 0 " full" }')
	counted="$(sum "$(plugin "$1")" page "${RANGE[@]}") pages, $(sum "$(plugin "$1")" full "${RANGE[@]}" "${ALL[@]}") full"
	echo "trace: $said; plugin: $counted"
	[[ $said == "$counted" && $said != "0 pages, 0 full" ]]
}

# ceiling_obeyed RUN CEILING: each flush decides by this ceiling. How many pages a
# purge has is up to the load; the kselftests have purges of exactly N-1, N and N+1.
ceiling_obeyed() {
	tr -d '\r' < "$(result "$1")" | awk -v ceiling="$2" '
		/^trace: .*kernel_tlb_flush: / {
			for (i = 1; i <= NF; i++)
				if (split($i, field, "=") == 2)
					v[field[1]] = field[2]
			flushes++
			three += v["pages"] == 3
			if (v["ceiling"] == ceiling && \
			    (v["what"] == "all") == (v["pages"] > ceiling)) next
			bad++
			print
		}
		END {
			print flushes + 0 " flushes, " three + 0 " of three pages, " bad + 0 " wrong"
			exit bad || flushes < 20
		}'
}

# What the plugin has to watch for erratum_once.
ERRATUM=func=arch_flush_tlb_kernel_ranges:arch_flush_tlb_kernel_all:flush_tlb_all
ERRATUM+=:smp_call_function:ipi_flush_tlb_a15_erratum

# erratum_once RUN: each flush of kernel translations worked around erratum 798181
# once, by one cross call, which nothing else makes meanwhile; and the other CPU was
# reached each time. Flushes of user mappings reach it, too, in a way of their own.
erratum_once() {
	local flushes calls reached

	flushes=$(tr -d '\r' < "$(result "$1")" | grep -c '^trace: .*kernel_tlb_flush: ')
	calls=$(value "$(plugin "$1")" func.smp_call_function.calls 0)
	reached=$(value "$(plugin "$1")" func.ipi_flush_tlb_a15_erratum.calls 0)
	at_least flushes "$flushes" 20 && exactly 'cross calls' "$calls" "$flushes" &&
		at_least 'interrupts of the other CPU' "$reached" "$flushes"
}

# Machines whose results come from tlbops: the call of a counting boot that is the
# purge, and what the plugin counted since.
TLBOPS=$OUT/tlbops.so
WIDE="drain;map:pages=1,1,1,1:gap=%d;purge;drain"
PURGE=3

# mark RUN KEY...: sum of the plugin's counts since the purge of a counting boot.
mark() {
	local key total=0

	for key in "${@:2}"; do
		((total += $(value "$(plugin "$1")" "mark$PURGE.$key" 0))) || true
	done
	echo "$total"
}

# one_interrupt RUN FUNCTION: the purge called it once on each CPU.
one_interrupt() {
	exactly "calls of $2" "$(mark "$1" "calls.$2")" "$CPUS"
}
