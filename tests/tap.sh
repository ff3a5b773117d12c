# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# TAP of the test levels; sourced by tests/run.sh. T is a shell pattern: tests
# whose name it does not match do not exist for this run.

passed=0 failed=0 skipped=0 number=0
# shellcheck disable=SC2034 # for step()
STEP='# '

# at_exit COMMAND...: whatever ends this run.
at_exit_commands=()
at_exit() {
	at_exit_commands+=("$(printf '%q ' "$@")")
}

# end_group PID: it may have ended by itself.
end_group() {
	kill -- "-$1" 2> /dev/null || true
}

run_at_exit() {
	local command

	for command in "${at_exit_commands[@]}"; do
		eval "$command"
	done
}
trap run_at_exit EXIT

wanted() {
	# shellcheck disable=SC2053 # T is a pattern
	[[ -z ${T:-} || $1 == *$T* ]]
}

tap_ok() {
	printf 'ok %d - %s\n' $((++number)) "$1"
	((++passed))
}

tap_not_ok() {
	printf 'not ok %d - %s\n' $((++number)) "$1"
	((++failed))
}

tap_skip() {
	wanted "$1" || return 0
	printf 'ok %d - %s # SKIP %s\n' $((++number)) "$1" "$2"
	((++skipped))
}

# expect RC NAME COMMAND...: passes when the command exits with RC. Its output is
# in $log, and the end of that is shown when it does not.
expect() {
	local want=$1 name=$2 rc=0

	shift 2
	wanted "$name" || return 0
	log=$OUT/log/test/${name//[^A-Za-z0-9._-]/-}.log
	mkdir -p "${log%/*}"
	"$@" > "$log" 2>&1 < /dev/null || rc=$?
	if ((rc == want)); then
		tap_ok "$name"
		return 0
	fi
	tap_not_ok "$name"
	tail -n 15 "$log" | sed 's/^/#   /'
	printf '#   exit %d, not %d; log: %s; repeat: %s' "$rc" "$want" "$log" "$(repeat_env)"
	[[ $1 != said ]] || shift 2
	printf '%q ' "$@"
	echo
}

# check NAME COMMAND...: passes when the command succeeds.
check() {
	expect 0 "$@"
}

# refuses RC REGEX NAME COMMAND...: the command exits with RC and the line that
# it says matches.
refuses() {
	local want=$1 regex=$2 name=$3

	shift 3
	expect "$want" "$name" said "$regex" "$@"
}

# said REGEX COMMAND...: the exit code of the command, or 99 without the line.
said() {
	local regex=$1 rc=0 output

	shift
	output=$("$@" 2>&1) || rc=$?
	echo "$output"
	grep -qE -- "$regex" <<< "$output" || return 99
	return "$rc"
}

# at_most WHAT NUMBER LIMIT, at_least and exactly likewise: say the figures that they
# compare, so that a failure explains itself.
at_most() {
	echo "$1: $2, wanted at most $3"
	(($2 <= $3))
}

at_least() {
	echo "$1: $2, wanted at least $3"
	(($2 >= $3))
}

exactly() {
	echo "$1: $2, wanted $3"
	(($2 == $3))
}

# built NAME STEP...: a step of the preparation, which is a test of its own.
built() {
	local name=$1

	shift
	if "$@"; then
		tap_ok "build: $name"
	else
		tap_not_ok "build: $name"
		return 1
	fi
}

# kselftests NAME [APPEND]: every test program of that kernel's initramfs.
kselftests() {
	local run=$1-kselftest rc=0

	wanted "kselftest: $BASE $1" || return 0
	step_boot "$run" "$1" "ktlb.modules=all ${2:-}" || rc=$?
	[[ ! -f $(result "$run") ]] || import "kselftest: $BASE $1" "$(result "$run")"
	check "kselftest: $BASE $1: runner says $rc" runner_said "$rc" "$run"
}

# runner_said RC RUN: succeeds with RC; what the runner said explains another one.
runner_said() {
	tail -n 12 "$logs/boot-$2.log"
	(($1 == 0))
}

# warns_not COMMAND...: succeeds if the command does, without compiler warnings.
warns_not() {
	local output rc=0

	output=$("$@" 2>&1) || rc=$?
	echo "$output"
	! grep -E '(warning|error):' <<< "$output" || return 1
	return "$rc"
}

# import PREFIX FILE: takes over the TAP of another program; lines of subtests are
# indented there and do not count. With "comments" its step lines are shown too.
import() {
	local prefix=$1 line name

	while IFS= read -r line; do
		name=${line#not } name=${name#ok } name=${name#*[0-9] } name=${name#- }
		case $line in
		'not ok '*) tap_import tap_not_ok "$prefix: ${name%% # *}" ;;
		'ok '*'# SKIP'*) tap_skip "$prefix: ${name%% # *}" "${line#*# SKIP }" ;;
		'ok '*) tap_import tap_ok "$prefix: ${name%% # *}" ;;
		'# '*) [[ -z ${comments:-} ]] || printf '%s\n' "$line" ;;
		esac
	done < <(tr -d '\r' < "$2")
}

# import_folded PREFIX COMMAND...: runs a program that prints TAP. What passed is
# one test here; what failed or was skipped is taken over.
import_folded() {
	local prefix=$1 rc=0 good bad

	shift
	wanted "$prefix" || return 0
	log=$OUT/log/test/$prefix.log
	mkdir -p "${log%/*}"
	"$@" > "$log" 2>&1 < /dev/null || rc=$?
	good=$(grep -E '^ok ' "$log" | grep -vc '# SKIP')
	bad=$(grep -c '^not ok ' "$log")
	import "$prefix" <(grep -E '^not ok |^ok .*# SKIP' "$log")
	if ((good > 0 && (rc == 0) == (bad == 0))); then
		tap_ok "$prefix: $good cases"
		((bad == 0)) || printf '#   log: %s\n' "$log"
	else
		tap_not_ok "$prefix: exit $rc after $good passed and $bad failed cases; log: $log"
		tail -n 5 "$log" | sed 's/^/#   /'
	fi
}

tap_import() {
	wanted "$2" || return 0
	"$1" "$2"
}

# tap_level NAME NUMBER: the next of NUMBER levels begins. How far the run is, and
# what the level before came to, is kept for the table at the end.
levels_begun=0
declare -a level_rows
tap_level() {
	level_done
	((++levels_begun))
	level_name=$1 level_passed=$passed level_failed=$failed level_skipped=$skipped
	level_began=$SECONDS
	printf '# level %d of %d: %s; after %d s: %d passed, %d failed, %d skipped\n' \
		"$levels_begun" "$2" "$1" "$SECONDS" "$passed" "$failed" "$skipped"
}

level_done() {
	((levels_begun > 0)) || return 0
	level_rows+=("$(printf '%-12s %7d %7d %8d %8d' "$level_name" \
		$((passed - level_passed)) $((failed - level_failed)) \
		$((skipped - level_skipped)) $((SECONDS - level_began)))")
}

# One level's table would only repeat the last line.
tap_table() {
	((levels_begun > 1)) || return 0
	printf '# | %-12s %7s %7s %8s %8s\n' level passed failed skipped seconds
	printf '# | %s\n' "${level_rows[@]}"
}

tap_end() {
	level_done
	tap_table
	printf '1..%d\n' "$number"
	printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	((failed == 0 && number > 0))
}
