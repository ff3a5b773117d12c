#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Usage: run.sh DIRECTORY SUITE...
#
# Runs each SUITE, a command line that prints TAP, and makes one TAP stream of
# them. A suite that ends without all the results it planned has failed, and so
# has one whose exit status says something else than its results. Each suite's
# own output stays in DIRECTORY.

dir=$1
shift

number=0 passed=0 failed=0 skipped=0
echo 'TAP version 13'
for suite; do
	name=${suite%% *}
	name=${name##*/}
	echo "# $name"
	# A suite is a command line: it is meant to be split.
	# shellcheck disable=SC2086
	$suite >"$dir/$name.tap" 2>&1
	status=$?
	awk -v name="$name" -v number="$number" -v status="$status" -v counts="$dir/counts" '
		/^1\.\.0 # SKIP/ {
			sub(/^1\.\.0 # SKIP /, "")
			print "ok " ++number " - " name " # SKIP " $0
			skipped++
			next
		}
		/^1\.\.[0-9]+$/ { planned = substr($0, 4) + 0; next }
		/^TAP version|^# [0-9]+ passed, / { next }
		/^ok [0-9]+ - .* # SKIP / {
			sub(/^ok [0-9]+ - /, "")
			print "ok " ++number " - " name ": " $0
			left_out++
			next
		}
		/^(not )?ok [0-9]+ - / {
			verdict = /^not/ ? "not ok" : "ok"
			if (/^not/) bad++; else good++
			sub(/^(not )?ok [0-9]+ - /, "")
			print verdict " " ++number " - " name ": " $0
			next
		}
		{ print /^#/ ? $0 : "# " $0 }
		END {
			results = good + bad + left_out
			if (results + skipped == 0 || results != planned + 0 ||
			    !status != !bad) {
				print "not ok " ++number " - " name ": ended with status " status,
				      "after " results " of " planned + 0 " results"
				bad++
			}
			print number, good + 0, bad + 0, skipped + left_out >counts
		}' "$dir/$name.tap"
	read -r number good bad skip <"$dir/counts"
	passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + skip))
done
echo "1..$number"
echo "# $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
