#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: compare.sh
#
# Builds a stock and a patched kernel of BASE (or LINUX), tears down processes
# with seccomp filters on both, and prints the figures side by side. The last
# line, also in OUT/result-BASE.txt, has them as key=value.

# shellcheck disable=SC2154 # id: steps.sh
set -euo pipefail
source "$(dirname "$0")/lib.sh"

# Prints key=value lines of one run.
figures() {
	local result plugin in_time ended

	result=$(result "$1")
	plugin=$(plugin "$1")
	in_time=$(value "$result" teardowns_in_time)
	ended=$(value "$result" teardowns_done)
	cat <<- END
		kernel=$(value "$result" kernel)
		teardowns_in_time=${in_time%% *}
		teardowns=${ended%% *}
		teardowns_wanted=${ended##* }
		purges=$(value "$result" purges)
		areas=$(value "$result" areas)
		mapped_pages=$(value "$result" mapped_pages)
		span_pages_max=$(value "$result" span_pages_max)
		page_ops=$(sum "$plugin" page "${RANGE[@]}")
		full_ops=$(sum "$plugin" full "${RANGE[@]}" "${ALL[@]}")
		longest_ops=$(highest "$plugin" max_inclusive "${RANGE[@]}" "${ALL[@]}")
		teardown_us_max=$(value "$result" waited_us_max)
	END
}

row() {
	printf '%-52s %12s %12s\n' "$1" "$(value "$out/stock" "$2" -)" \
		"$(value "$out/patched" "$2" -)"
}

table() {
	row "Linux $BASE on $MACHINE" kernel
	row 'processes with a seccomp filter' teardowns_wanted
	row 'teardowns complete 50 ms after the last exit' teardowns_in_time
	row 'teardowns complete in the end' teardowns
	row 'purges completed' purges
	row 'areas purged' areas
	row 'pages really mapped in them' mapped_pages
	row 'widest purge, pages from first to last' span_pages_max
	row 'page invalidates executed in kernel-range flushes' page_ops
	row 'full flushes executed there' full_ops
	row 'longest flush, instructions' longest_ops
	row 'longest teardown in us (emulated: not judged)' teardown_us_max
}

use_linux
source "$TOP/qemu/steps.sh"
step_packages
step_sources
step_kernel stock stock arm.config
step_kernel patched patched arm.config patched.config
step_plugin
workload='ktlb.run=seccomp_load'
for kernel in stock patched; do
	step_initramfs "$kernel" "$kernel"
	step_boot "$kernel" "$kernel" "$workload"
done
out=$OUT/run/$id-figures
mkdir -p "$out"
for kernel in stock patched; do
	figures "$kernel" > "$out/$kernel"
done
printf '\n%-52s %12s %12s\n' '' stock patched
table
{
	# shellcheck disable=SC2031 # in_base changes its own copy
	printf 'RESULT base=%s machine=%s' "$BASE" "$MACHINE"
	for kernel in stock patched; do
		sed "s/^/ $kernel./" "$out/$kernel" | tr -d '\n'
	done
	echo
} | tee "$OUT/result-$id.txt"
