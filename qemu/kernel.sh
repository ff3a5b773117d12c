#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: kernel.sh TREE NAME TARGET... [-- FRAGMENT...]
#
# Builds TARGETs of OUT/src/ID/TREE for MACHINE in OUT/build/ID-NAME, configured
# with the FRAGMENTs of qemu/config on top of allnoconfig. A fragment line that the
# configuration does not honour is an error: a test on another kernel than the
# intended one proves nothing. Without "--" it stays configured as it is.

set -euo pipefail
source "$(dirname "$0")/lib.sh"

kmake() {
	make -C "$src" O="$build" ARCH="$KARCH" CROSS_COMPILE="$CROSS" CC="$KERNEL_CC" \
		-j"$JOBS" "$@"
}

# Later fragments win, as one option may appear once only. "[6.12] " before a
# line makes it one for that base.
merge_fragments() {
	(cd "$TOP/qemu/config" && cat "$@") | awk -v base="[$BASE]" '
		/^\[/ {
			if ($1 != base) next
			sub(/^[^ ]+ /, "")
		}
		match($0, /CONFIG_[A-Za-z0-9_]+/) && /^(# )?CONFIG_/ {
			name = substr($0, RSTART, RLENGTH)
			if (!(name in line)) order[++n] = name
			line[name] = $0
		}
		END { for (i = 1; i <= n; i++) print line[order[i]] }'
}

# An unset option is absent from .config when its dependencies are.
check_config() {
	local line name lost=

	while read -r line; do
		if [[ $line == '# '* ]]; then
			name=${line#\# } name=${name%% *}
			! grep -q "^$name=" "$build/.config" || lost+=" !$name"
		else
			grep -qxF -- "$line" "$build/.config" || lost+=" $line"
		fi
	done < "$build/fragment"
	[[ -z $lost ]] || die "not honoured by the configuration:$lost" 2
}

configure() {
	mkdir -p "$build"
	merge_fragments "$@" > "$build/fragment"
	kmake KCONFIG_ALLCONFIG="$build/fragment" allnoconfig
	check_config
}

tree=${1:?usage: kernel.sh TREE NAME TARGET... [-- FRAGMENT...]}
name=$2
shift 2
targets=()
while (($#)) && [[ $1 != -- ]]; do
	targets+=("$1")
	shift
done
use_linux
load_machine "$MACHINE"
kernel_env
src=$OUT/src/$(tree_id)/$tree
build=$OUT/build/$(tree_id)-$name
one_at_a_time "$OUT"
if (($#)); then
	configure "${@:2}"
elif [[ ! -f $build/.config ]]; then
	die "$build is not configured" 2
fi
# KFLAGS: more make variables, for example W=1 C=2.
read -ra flags <<< "${KFLAGS:-}"
kmake "${flags[@]}" "${targets[@]}"
