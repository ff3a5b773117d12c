#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Usage: mutants.sh DIRECTORY [NAME...]
#
# Does the test see the defects of mutants.txt? Each is made in a copy of the
# code and tested for both address widths. It is caught when a test fails whose
# name has the rule that the defect breaks; a crash alone says too little.

set -u

[ $# -gt 0 ] || { echo 'usage: mutants.sh DIRECTORY [NAME...]' >&2; exit 2; }
mkdir -p "$1/mutants" || exit 2
dir=$(cd "$1/mutants" && pwd)
shift
cd "$(dirname "$0")" || exit 2
wanted=" $* "
top=../../..
cc=${CC:-cc}
number=0 failed=0

result() {
	number=$((number + 1))
	echo "$1 $number - $2"
	[ "$1" = ok ] || failed=$((failed + 1))
}

# A copy of the code under $1, changed by the sed script $2. Fails if nothing changed.
make_mutant() {
	rm -rf "$1"
	mkdir -p "$1/mm" "$1/include/linux"
	changed=0
	for file in mm/kernel_tlb_ranges.c mm/kernel_tlb_ranges.h \
		include/linux/kernel_tlb_types.h; do
		sed "$2" "$top/$file" >"$1/$file" || return 1
		cmp -s "$top/$file" "$1/$file" || changed=1
	done
	[ $changed -eq 1 ]
}

# Builds and runs the test of the code under $1. What failed is in $1/failed.
run_test() {
	: >"$1/failed"
	for width in 32 64; do
		# The compiler may come with options or a wrapper.
		# shellcheck disable=SC2086
		$cc -std=gnu11 -Wall -Wextra -O1 -Iinclude -I"$1/mm" -I"$1/include" \
			-DADDR_BITS=$width kernel_tlb_ranges_test.c -o "$1/test-$width" \
			>"$1/build.log" 2>&1 || return 2
		timeout 60 "$1/test-$width" -n 20000 >"$1/test-$width.tap" 2>&1
		status=$?
		sed -n "s/^not ok [0-9]* - /$width-bit, /p" "$1/test-$width.tap" >>"$1/failed"
		[ $status -le 1 ] || echo "$width-bit, ended with status $status" >>"$1/failed"
	done
	[ ! -s "$1/failed" ]
}

[ -f "$top/mm/kernel_tlb_ranges.c" ] || { echo "no $top/mm/kernel_tlb_ranges.c" >&2; exit 2; }

# Else every defect would look caught.
make_mutant "$dir/none" ''
if run_test "$dir/none"; then
	result ok 'the code as it is passes'
else
	result 'not ok' 'the code as it is does not build or pass'
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
	mutant=$dir/$name

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
done 3<mutants.txt

[ $number -gt 1 ] || result 'not ok' "no such mutant:$wanted"
echo "1..$number"
echo "# $((number - failed)) passed, $failed failed"
[ $failed -eq 0 ]
