#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Usage: mutants.sh DIRECTORY [NAME...]
#
# Do the tests see the defects of mutants.txt and <arch>/mutants.txt? Each is made in
# a copy of the code and tested for both address widths, or for each kind of CPU.
# It is caught when a test fails whose name has the rule that the defect breaks; a
# crash alone says too little.

set -u

[ $# -gt 0 ] || { echo 'usage: mutants.sh DIRECTORY [NAME...]' >&2; exit 2; }
mkdir -p "$1/mutants" || exit 2
dir=$(cd "$1/mutants" && pwd)
shift
cd "$(dirname "$0")" || exit 2
wanted=" $* "
top=../../..
cc=${CC:-cc}
number=0 failed=0 skipped=0 found=''

result() {
	number=$((number + 1))
	echo "$1 $number - $2"
	[ "$1" = ok ] || failed=$((failed + 1))
}

skip() {
	result ok "$1 # SKIP $2"
	skipped=$((skipped + 1))
}

# Prints where the file $1 of the list comes from.
source_of() {
	case $1 in
	arch/*/mm/tlb.c) echo "$tlb_c" ;;
	*) echo "$top/$1" ;;
	esac
}

# A copy of the files under $1, changed by the sed script $2. Fails if nothing changed.
make_mutant() {
	rm -rf "$1"
	changed=0
	for file in $files; do
		from=$(source_of "$file")
		mkdir -p "$1/${file%/*}"
		sed "$2" "$from" >"$1/$file" || return 1
		cmp -s "$from" "$1/$file" || changed=1
	done
	[ $changed -eq 1 ]
}

# The compiler may come with options or a wrapper.
# shellcheck disable=SC2086
build_ranges() {
	$cc -std=gnu11 -Wall -Wextra -O0 -Iinclude -I"$1/mm" -I"$1/include" \
		-DADDR_BITS="$2" kernel_tlb_ranges_test.c -o "$3"
}

# shellcheck disable=SC2086
build_mmu() {
	mkdir -p "$1/host/asm"
	echo '#define NO_TLB_C' >"$1/host/tlb.c"
	for file in $files; do
		./translate.sh "$1/$file" >"$1/host/${file##*/}" || return 1
	done
	mv "$1/host/kernel_tlb.h" "$1/host/asm" || return 1
	option=
	[ "$2" != 860 ] || option=-DCONFIG_CPU_HAS_TLBI
	$cc -std=gnu11 -Wall -Wextra -O0 -I"$1/host" -I"$arch/include" -Iinclude \
		-I$top/mm -I$top/include -DADDR_BITS=32 $option "${arch}_mmu_test.c" -o "$3"
}

# The first failed test of the code under $1 that has the rule $2 in its name.
caught_by() {
	grep -m1 -E "rules? ([0-9] )*${2}[: ]" "$1/failed"
}

# Builds and runs the tests of the code under $1, up to the first one that fails
# for the rule $2. What failed is in $1/failed.
run_test() {
	: >"$1/failed"
	for kind in $kinds; do
		"$build" "$1" "$kind" "$1/test-$kind" >"$1/build.log" 2>&1 || return 2
		timeout 60 "$1/test-$kind" -n "$sequences" >"$1/test-$kind.tap" 2>&1
		status=$?
		sed -n "s/^not ok [0-9]* - /$kind, /p" "$1/test-$kind.tap" >>"$1/failed"
		[ $status -le 1 ] || echo "$kind, ended with status $status" >>"$1/failed"
		! caught_by "$1" "$2" >/dev/null || break
	done
	[ ! -s "$1/failed" ]
}

# All defects of the list $1.
run_list() {
	# Else every defect would look caught.
	make_mutant "$dir/none" ''
	if run_test "$dir/none" '.*'; then
		result ok "$1: the code as it is passes"
	else
		result 'not ok' "$1: the code as it is does not build or pass"
		sed 's/^/# /' "$dir/none/failed" "$dir/none/build.log"
	fi

	while read -r name rule script <&3; do
		case $name in
		'' | '#'*) continue ;;
		esac
		case $wanted in
		'  ' | *" $name "*) ;;
		*) continue ;;
		esac
		found=1
		mutant=$dir/$name

		if [ "$rule" = "$all_rule" ] && [ ! "$tlb_c" ]; then
			without_tlb_c="$without_tlb_c $name"
			continue
		fi
		if ! make_mutant "$mutant" "$script"; then
			result 'not ok' "DOES NOT APPLY: $name"
			continue
		fi
		run_test "$mutant" "$rule"
		if [ $? -eq 2 ]; then
			result 'not ok' "DOES NOT BUILD: $name"
			sed 's/^/# /;5q' "$mutant/build.log"
			continue
		fi
		if by=$(caught_by "$mutant" "$rule"); then
			result ok "caught: $name (rule $rule)"
			echo "# by $(wc -l <"$mutant/failed"), first: $by"
		else
			result 'not ok' "MISSED: $name (rule $rule)"
			sed 's/^/# but failed: /' "$mutant/failed"
		fi
	done 3<"$1"
}

# run_arch NAME RULE FILE KIND...: RULE is the one of FILE, the architecture's mm/tlb.c,
# which is not where the series' own files are.
run_arch() {
	arch=$1 all_rule=$2 tlb_c=$3 without_tlb_c=''
	variable=$(echo "$arch" | tr '[:lower:]' '[:upper:]')_TLB_C
	shift 3
	build=build_mmu kinds=$* sequences=100
	files="arch/$arch/mm/kernel_tlb.c arch/$arch/include/asm/kernel_tlb.h"
	if [ ! -f "$top/arch/$arch/mm/kernel_tlb.c" ]; then
		skip "$arch/mutants.txt" "no $top/arch/$arch/mm/kernel_tlb.c"
		return
	fi
	if [ -f "$tlb_c" ]; then
		files="$files arch/$arch/mm/tlb.c"
	else
		tlb_c=
	fi
	run_list "$arch/mutants.txt"
	[ ! "$without_tlb_c" ] ||
		skip "rule $all_rule:$without_tlb_c" \
			"no arch/$arch/mm/tlb.c: say with $variable= where it is"
}

[ -f "$top/mm/kernel_tlb_ranges.c" ] || { echo "no $top/mm/kernel_tlb_ranges.c" >&2; exit 2; }

build=build_ranges kinds='32 64' sequences=20000 all_rule=none tlb_c=
files='mm/kernel_tlb_ranges.c mm/kernel_tlb_ranges.h include/linux/kernel_tlb_types.h'
run_list mutants.txt
run_arch csky c6 "${CSKY_TLB_C-$top/arch/csky/mm/tlb.c}" 810 860
run_arch nios2 n6 "${NIOS2_TLB_C-$top/arch/nios2/mm/tlb.c}" f

[ "$found" ] || result 'not ok' "no such mutant:$wanted"
echo "1..$number"
echo "# $((number - failed - skipped)) passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
