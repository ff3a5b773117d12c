#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: run.sh LEVEL...
#
# Runs the named levels, tests/LEVEL.tests each, in the given order. Cheap levels
# come first, so that the usual mistake costs seconds. One test is one line, the
# last line is the sum, and the exit code is 1 if any test failed. FULL=1 asks for
# the complete form of levels that have a short one.

set -uo pipefail
source "$(dirname "$0")/../qemu/lib.sh"
source "$TOP/tests/tap.sh"
cd "$TOP" || exit 1

# unit needs a compiler only, on any machine; the others need their packages and,
# from series on, the two trees.
if [[ $* != unit ]]; then
	use_linux
	source "$TOP/qemu/steps.sh"
	step_packages || exit
fi
for level in "$@"; do
	[[ -f $TOP/tests/$level.tests ]] || die "unknown level '$level'"
done
if [[ " $* " == *' toolchains '* ]]; then
	# A process group of its own, to be ended as one.
	set -m
	begin_toolchains < /dev/null &
	set +m
	at_exit end_group $!
fi
for level in "$@"; do
	tap_level "$level" $#
	# shellcheck source=/dev/null
	source "$TOP/tests/$level.tests"
done
tap_end
