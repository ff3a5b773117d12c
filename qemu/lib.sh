# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Helpers of the workshop scripts; sourced, never run.
#
# Exit codes, the same for every script here:
#   0 passed   1 a test failed   2 a build failed   3 no boot, a kernel splat or
#   no result   4 skipped: a tool is missing   124 timeout

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BASE=${BASE:-6.12}
JOBS=${JOBS:-$(nproc)}
MACHINE=${MACHINE:-virt}
LINUX=${LINUX:-}
OUT=${OUT:-$TOP/out}
[[ $OUT == /* ]] || OUT=$TOP/$OUT
# Compilers that Debian has no package of, for all clones: qemu/toolchain.sh.
TOOLCHAINS=${TOOLCHAINS:-${XDG_CACHE_HOME:-${HOME:-$OUT}/.cache}/kernel-tlb}

# One line on stderr; the optional second argument is the exit code.
die() {
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	exit "${2:-1}"
}

# Prints the environment that a repeated command needs, without the defaults.
repeat_env() {
	[[ $OUT == "$TOP/out" ]] || printf 'OUT=%q ' "$OUT"
	[[ $BASE == 6.12 ]] || printf 'BASE=%q ' "$BASE"
	[[ -z $LINUX ]] || printf 'LINUX=%q ' "$LINUX"
	[[ $MACHINE == virt ]] || printf 'MACHINE=%q ' "$MACHINE"
}

# step TEXT LOG COMMAND...: runs the command with all its output in the log.
# Test scripts set STEP to "# ", which makes a comment of the line.
step() {
	local text=$1 log=$2 began=$SECONDS rc=0

	shift 2
	mkdir -p "${log%/*}"
	printf '%s%-46s ' "${STEP-  }" "$text"
	"$@" > "$log" 2>&1 || rc=$?
	if ((rc == 0)); then
		printf '%4d s  %s\n' $((SECONDS - began)) "$log"
		return 0
	fi
	printf '%4d s  FAILED\n' $((SECONDS - began))
	{
		# make runs on beside an error: it may stand far above the end.
		grep -nE -m 5 'error:|warning:|Error [0-9]' "$log" | sed 's/^/line /'
		printf -- '--- the end of %s\n' "$log"
		tail -n 25 "$log"
		printf -- '--- repeat with: %s' "$(repeat_env)"
		printf '%q ' "$@"
		echo
	} >&2
	return "$rc"
}

# Reads qemu/bases/BASE into PACKAGE, SUITE and TARBALL.
load_base() {
	local file=$TOP/qemu/bases/$1

	[[ $1 != */* && -f $file ]] ||
		die "unknown BASE '$1'; known: $(cd "$TOP/qemu/bases" && echo *)"
	# shellcheck source=qemu/bases/6.12
	source "$file"
}

# Reads qemu/machines/MACHINE into QEMU, MACHINE_ARGS, KARCH, CROSS, IMAGE, ...
load_machine() {
	local file=$TOP/qemu/machines/$1

	[[ $1 != */* && -f $file ]] ||
		die "unknown MACHINE '$1'; known: $(cd "$TOP/qemu/machines" && echo *)"
	# What a machine may leave out must not be that of the one before.
	unset -v CMDLINE_MAX CONFIG CPUS CROSS_PACKAGE DTB FLUSH INIT INIT_FLAGS KERNEL \
		PLUGIN_ARCH QEMU_PACKAGE RESULT TARGETS VIRTIO_SERIAL
	# shellcheck source=qemu/machines/virt
	source "$file"
}

# The entries of a list of this directory.
entries() {
	grep -v -e '^#' -e '^$' "$TOP/qemu/$1" || true
}

# splats CONSOLE [REGEX]: prints the lines that a healthy kernel never prints, but
# for those that match.
splats() {
	grep -aE -f <(entries splat.deny) "$1" |
		grep -av -E -f <(entries splat.allow; echo "${2:-^$}") || true
}

# kernel_version: prints VERSION.PATCHLEVEL of the kernel Makefile on stdin.
kernel_version() {
	sed -n '/^VERSION = /{s///;h}; /^PATCHLEVEL = /{s///;H;x;s/\n/./p}'
}

# The compiler of the machine, or the command that brings it. A machine without
# CROSS_PACKAGE has one that Debian ships as source only.
need_compiler() {
	local how=${CROSS_PACKAGE:+apt-get install $CROSS_PACKAGE}

	export PATH=$PATH:$TOOLCHAINS/${CROSS%-}/bin
	command -v "${CROSS}gcc" > /dev/null ||
		die "${CROSS}gcc is missing: ${how:-qemu/toolchain.sh ${CROSS%-}}" 4
}

need_qemu() {
	command -v "$QEMU" > /dev/null || die "$QEMU is missing: apt-get install $QEMU_PACKAGE" 4
}

# The same bits from the same source, whoever builds them, and a compiler cache
# where there is one, which serves other clones as well: paths count relative to
# the build directory. CROSS comes from the machine.
kernel_env() {
	export KBUILD_BUILD_TIMESTAMP='2000-01-01 00:00:00 UTC'
	export KBUILD_BUILD_USER=kernel-tlb KBUILD_BUILD_HOST=kernel-tlb
	export LC_ALL=C
	need_compiler
	KERNEL_CC=${CROSS}gcc
	if command -v ccache > /dev/null; then
		export CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1
		KERNEL_CC="ccache $KERNEL_CC"
	fi
}

# one_at_a_time DIR: waits for whoever else changes trees or builds under DIR.
one_at_a_time() {
	mkdir -p "$1"
	exec 9> "$1/lock"
	flock 9
}

# tree_id: the name of the source in use. Two trees of the user never share one.
tree_id() {
	if [[ -n $LINUX ]]; then
		echo "user-$(realpath "$LINUX" | sha256sum | cut -c1-8)"
	else
		echo "$BASE"
	fi
}

# use_linux: checks LINUX and takes BASE from it.
use_linux() {
	local version

	if [[ -z $LINUX ]]; then
		load_base "$BASE"
		return
	fi
	[[ -e $LINUX ]] || die "LINUX=$LINUX does not exist"
	if [[ -d $LINUX ]]; then
		[[ -f $LINUX/Makefile ]] || die "LINUX=$LINUX is no kernel source"
		version=$(kernel_version < "$LINUX/Makefile") || true
	else
		version=$(tar -xOf "$LINUX" --wildcards --no-wildcards-match-slash \
			--occurrence=1 '*/Makefile' 2> /dev/null | kernel_version) || true
	fi
	[[ -n $version ]] || die "LINUX=$LINUX is no kernel source"
	[[ -f $TOP/qemu/bases/$version ]] ||
		die "LINUX=$LINUX is Linux $version; known: $(cd "$TOP/qemu/bases" && echo *)"
	BASE=$version
}
