#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Usage: mutants.sh DIRECTORY [NAME...]
#
# Do the tests see the defects of mutants.txt and csky/mutants.txt? Each is made in
# a copy of the code and tested for both address widths, or with and without TLBI.
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
number=0 failed=0 skipped=0 found='' without_tlb_c=''

tlb_c=${CSKY_TLB_C-$top/arch/csky/mm/tlb.c}
[ -f "$tlb_c" ] || tlb_c=

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
	arch/csky/mm/tlb.c) echo "$tlb_c" ;;
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
	$cc -std=gnu11 -Wall -Wextra -O1 -Iinclude -I"$1/mm" -I"$1/include" \
		-DADDR_BITS="$2" kernel_tlb_ranges_test.c -o "$3"
}

# shellcheck disable=SC2086
build_csky() {
	mkdir -p "$1/host/asm"
	echo '#define NO_TLB_C' >"$1/host/tlb.c"
	for file in $files; do
		./csky/translate.sh "$1/$file" >"$1/host/${file##*/}" || return 1
	done
	mv "$1/host/kernel_tlb.h" "$1/host/asm" || return 1
	case $2 in
	810) tlbi= ;;
	860) tlbi=-DCONFIG_CPU_HAS_TLBI ;;
	esac
	$cc -std=gnu11 -Wall -Wextra -O1 -I"$1/host" -Icsky/include -Iinclude \
		-I$top/mm -I$top/include -DADDR_BITS=32 $tlbi csky_mmu_test.c -o "$3"
}

# Builds and runs the tests of the code under $1. What failed is in $1/failed.
run_test() {
	: >"$1/failed"
	for kind in $kinds; do
		"$build" "$1" "$kind" "$1/test-$kind" >"$1/build.log" 2>&1 || return 2
		timeout 60 "$1/test-$kind" -n "$sequences" >"$1/test-$kind.tap" 2>&1
		status=$?
		sed -n "s/^not ok [0-9]* - /$kind, /p" "$1/test-$kind.tap" >>"$1/failed"
		[ $status -le 1 ] || echo "$kind, ended with status $status" >>"$1/failed"
	done
	[ ! -s "$1/failed" ]
}

# All defects of the list $1.
run_list() {
	# Else every defect would look caught.
	make_mutant "$dir/none" ''
	if run_test "$dir/none"; then
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

		if [ "$rule" = c6 ] && [ ! "$tlb_c" ]; then
			without_tlb_c="$without_tlb_c $name"
			continue
		fi
		if ! make_mutant "$mutant" "$script"; then
			result 'not ok' "DOES NOT APPLY: $name"
			continue
		fi
		run_test "$mutant"
		if [ $? -eq 2 ]; then
			result 'not ok' "DOES NOT BUILD: $name"
			sed 's/^/# /;5q' "$mutant/build.log"
			continue
		fi
		by=$(grep -m1 -E "rules? ([0-9] )*${rule}[: ]" "$mutant/failed")
		if [ "$by" ]; then
			result ok "caught: $name (rule $rule)"
			echo "# by $(wc -l <"$mutant/failed"), first: $by"
		else
			result 'not ok' "MISSED: $name (rule $rule)"
			sed 's/^/# but failed: /' "$mutant/failed"
		fi
	done 3<"$1"
}

[ -f "$top/mm/kernel_tlb_ranges.c" ] || { echo "no $top/mm/kernel_tlb_ranges.c" >&2; exit 2; }

build=build_ranges kinds='32 64' sequences=20000
files='mm/kernel_tlb_ranges.c mm/kernel_tlb_ranges.h include/linux/kernel_tlb_types.h'
run_list mutants.txt

build=build_csky kinds='810 860' sequences=300
files='arch/csky/mm/kernel_tlb.c arch/csky/include/asm/kernel_tlb.h'
[ ! "$tlb_c" ] || files="$files arch/csky/mm/tlb.c"
if [ -f "$top/arch/csky/mm/kernel_tlb.c" ]; then
	run_list csky/mutants.txt
else
	skip csky/mutants.txt "no $top/arch/csky/mm/kernel_tlb.c"
fi

[ ! "$without_tlb_c" ] ||
	skip "rule c6:$without_tlb_c" 'no arch/csky/mm/tlb.c: say with CSKY_TLB_C= where it is'
[ "$found" ] || result 'not ok' "no such mutant:$wanted"
echo "1..$number"
echo "# $((number - failed - skipped)) passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
