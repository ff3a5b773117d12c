#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: run.sh [-t SECONDS] [-a APPEND] [-p PLUGIN[,KEY=VALUE...]] [-e REGEX]
#               NAME BUILD INITRD
#
# Boots the kernel of the build directory BUILD with INITRD and leaves qemu-cmd,
# console.log, config, result and plugin.out in OUT/run/NAME. The verdict is the
# exit code, see lib.sh: what the guest writes to its result port decides, after
# the console was searched for splats. A guest that says nothing has failed. -e is
# for a kernel that has to show a fault: console lines that match are no splats here,
# and whoever asks for it counts them.

set -euo pipefail
source "$(dirname "$0")/lib.sh"

# Prints the arguments that lead console and results into files.
channels() {
	case ${RESULT:-virtio} in
	virtio)
		printf '%s\n' -serial "file:$dir/console.log" \
			-device "${VIRTIO_SERIAL:-virtio-serial-device}" \
			-chardev "file,id=res,path=$dir/result" \
			-device virtserialport,chardev=res,name=result
		;;
	console)
		printf '%s\n' -serial "file:$dir/serial"
		;;
	*)
		printf '%s\n' -serial "file:$dir/console.log" -serial "file:$dir/result"
		;;
	esac
}

# What the kernel is told. A line that it cuts would run half of the tests.
kernel_line() {
	local line="console=$CONSOLE panic=-1 "

	[[ -z ${KERNEL_ARGS:-} ]] || line+="$KERNEL_ARGS "
	[[ ${INIT:-} != bare ]] || line+="ktlb.result=${RESULT:-virtio} "
	line+=$append
	((${#line} < ${CMDLINE_MAX:-1024})) ||
		die "$name: a command line of ${#line} characters is too long" 2
	echo "$line"
}

# The results stand between the kernel's messages on the only UART that there is.
split_serial() {
	sed -n '/^BEGIN\r*$/,/^DONE\r*$/p' "$dir/serial" | sed 1d > "$dir/result"
	mv "$dir/serial" "$dir/console.log"
}

# A machine that cannot be reset does nothing more after a panic, for ever.
end_at_panic() {
	until grep -q '^Kernel panic' "$dir/serial" 2> /dev/null; do
		sleep 1
		kill -0 $$ 2> /dev/null || return
	done
	sleep 1 # it says why
	kill "$(< "$dir/qemu.pid")"
}

boot() {
	local watch='' ended=0
	local cmd=("$QEMU" "${MACHINE_ARGS[@]}" -no-reboot -display none -monitor none
		"${channels[@]}" -kernel "$build/$IMAGE" -initrd "$initrd" -append "$line")

	[[ -z ${DTB:-} ]] || cmd+=(-dtb "$build/$DTB")
	if [[ -n $plugin ]]; then
		cmd+=(-plugin "${plugin%%,*},map=$build/System.map,out=$dir/plugin.out${plugin#"${plugin%%,*}"}")
	fi
	printf '%q ' "${cmd[@]}" > "$dir/qemu-cmd"
	echo >> "$dir/qemu-cmd"
	if [[ ${RESULT:-} == console ]]; then
		cmd+=(-pidfile "$dir/qemu.pid")
		end_at_panic > /dev/null 2>&1 &
		watch=$!
	fi
	# The console's end of file keeps a forgotten -S or monitor from waiting.
	timeout -k 5 "$limit" "${cmd[@]}" < /dev/null > "$dir/qemu.log" 2>&1 || ended=$?
	[[ -z $watch ]] || kill "$watch" 2> /dev/null || true
	return "$ended"
}

verdict() {
	local found

	if (($1 == 124 || $1 == 137)); then
		die "$name: no end after $limit s: $dir/console.log" 124
	fi
	found=$(splats "$dir/console.log" "$expected")
	if [[ -n $found ]]; then
		head -n 5 <<< "$found" >&2
		die "$name: kernel splat: $dir/console.log" 3
	fi
	# The end alone says nothing: a guest that had nothing to run reaches it too.
	tr -d '\r' < "$dir/result" > "$dir/lines"
	if ! grep -qx DONE "$dir/lines" || ! grep -q '^exit ' "$dir/lines"; then
		tail -n 3 "$dir/qemu.log" "$dir/console.log" >&2
		die "$name: no result: $dir/console.log" 3
	fi
	if grep '^exit ' "$dir/lines" | grep -qv ' [04]$'; then
		grep -m 20 -E '^(not ok|# [^ ]|exit)' "$dir/lines" >&2
		die "$name: a test failed: $dir/result" 1
	fi
}

limit=600 append='' plugin='' expected='^$'
while getopts t:a:p:e: opt; do
	case $opt in
	t) limit=$OPTARG ;;
	a) append=$OPTARG ;;
	p) plugin=$OPTARG ;;
	e) expected=$OPTARG ;;
	*) die 'usage: run.sh [-t SECONDS] [-a APPEND] [-p PLUGIN] [-e REGEX] NAME BUILD INITRD' ;;
	esac
done
shift $((OPTIND - 1))
(($# == 3)) || die 'usage: run.sh [-t SECONDS] [-a APPEND] [-p PLUGIN] [-e REGEX] NAME BUILD INITRD'
name=$1 build=$2 initrd=$3
load_machine "$MACHINE"
need_qemu
[[ -f $build/$IMAGE ]] || die "$build/$IMAGE is not built" 2
[[ -f $initrd ]] || die "$initrd is not built" 2
dir=$OUT/run/$name
rm -rf "$dir"
mkdir -p "$dir"
cp "$build/.config" "$dir/config"
: > "$dir/result"
: > "$dir/console.log"
line=$(kernel_line)
mapfile -t channels < <(channels)
rc=0
boot || rc=$?
[[ ! -f $dir/serial ]] || split_serial
verdict "$rc"
