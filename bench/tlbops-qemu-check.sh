#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Counts programs without an operating system in the real QEMU, one per
# architecture.  TAP output; exit 0 passed, 1 failed.  An architecture whose
# tools are missing is a skipped test.
#
# usage: tlbops-qemu-check.sh PLUGIN SCRATCH-DIR

set -u
if (($# != 2)); then
	echo "usage: $0 PLUGIN SCRATCH-DIR" >&2
	exit 2
fi
plugin=$1
dir=$2
here=$(dirname "$0")
mkdir -p "$dir" || exit 1
n=0
bad=0

report() {
	n=$((n + 1))
	echo "$1 $n - $2"
	[[ $1 == ok ]] || bad=1
}

# missing ARCH PREFIX REMEDY QEMU-PACKAGE: says so and succeeds if a tool is missing.
missing() {
	if ! command -v "qemu-system-$1" > /dev/null; then
		report ok "$1: run # SKIP qemu-system-$1 is missing: apt-get install qemu-system-$4"
	elif ! command -v "${2}as" > /dev/null || ! command -v "${2}ld" > /dev/null; then
		report ok "$1: run # SKIP ${2}as is missing: $3"
	else
		return 1
	fi
}

# build ARCH PREFIX LINK-ADDRESS LOAD-ADDRESS AS-OPTION...
build() {
	local base=$dir/$1 prefix=$2 link=$3 load=$4

	shift 4
	"${prefix}as" "$@" -o "$base.o" "$here/tlbops_${base##*/}.S" &&
		"${prefix}ld" -N --no-warn-rwx-segments -Ttext="$link" -e _stext \
			-o "$base.elf" "$base.o" &&
		"${prefix}objcopy" --change-section-lma .text="$load" "$base.elf" &&
		"${prefix}objcopy" -O binary -j .text "$base.elf" "$base.bin" &&
		"${prefix}nm" -n "$base.elf" > "$base.map" && return
	report "not ok" "$1: the program builds"
	return 1
}

# simulate ARCH MACHINE QEMU-OPTION...: ends QEMU by SIGTERM when the program
# has written its dot, if it has not ended by itself; 60 seconds at most.
simulate() {
	local base=$dir/$1 machine=$2 pid i

	rm -f "$base.out" "$base.serial"
	"qemu-system-$1" -M "$machine" -nic none -display none -monitor none \
		-serial "file:$base.serial" -no-reboot "${@:3}" \
		-plugin "$plugin,arch=$1,map=$base.map,out=$base.out,calls=flush:vm_unmap_aliases" \
		< /dev/null &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		if [[ -s $base.serial ]] || ! kill -0 "$pid" 2> /dev/null; then
			break
		fi
		sleep 0.1
	done
	kill -TERM "$pid" 2> /dev/null
	wait "$pid"
}

# expect ARCH: the wanted lines on stdin, all but those of intervals after mark2.
expect() {
	if diff <(sort) <(grep -vE '^mark([3-9]|[0-9]{2,})\.' "$dir/$1.out" | sort) \
		> "$dir/$1.diff"; then
		report ok "$1: the counts of a program are exact"
	else
		report "not ok" "$1: the counts of a program are exact"
		sed 's/^/# /' "$dir/$1.diff"
	fi
}

# sums ARCH KEY WANTED: KEY of all the intervals.
sums() {
	local sum

	sum=$(awk -F= -v key="$2" '$1 ~ "^mark[0-9]+\\." { sub("^mark[0-9]+\\.", "", $1)
		if ($1 == key) sum += $2 } END { print sum + 0 }' "$dir/$1.out")
	if ((sum == $3)); then
		report ok "$1: $2 of the intervals adds up to $3"
	else
		report "not ok" "$1: $2 of the intervals adds up to $3"
		echo "# is $sum"
	fi
}

nios2=${NIOS2_CROSS:-nios2-linux-gnu-}
if ! command -v "${nios2}as" > /dev/null; then
	nios2=${TOOLCHAINS:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/kernel-tlb}/nios2-linux-gnu/bin/nios2-linux-gnu-
fi
if ! missing nios2 "$nios2" "qemu/toolchain.sh nios2-linux-gnu" misc &&
	build nios2 "$nios2" 0xc8000000 0x08000000; then
	simulate nios2 10m50-ghrd \
		-device "loader,file=$dir/nios2.bin,addr=0x08000000,force-raw=on" \
		-device loader,addr=0xc8000000,cpu-num=0
	expect nios2 <<-'EOF'
	tlbops=1
	arch=nios2
	marks=2
	calls_missing=
	pteaddr=1001
	tlbacc=1000
	tlbmisc=2000
	class.entry=1000
	class.other=3001
	func._stext.pteaddr=1
	func.flush.pteaddr=1000
	func.flush.tlbacc=1000
	func.flush.tlbmisc=2000
	calls.vm_unmap_aliases=2
	calls.flush=1
	mark1.pteaddr=1000
	mark1.tlbacc=1000
	mark1.tlbmisc=2000
	mark1.class.entry=1000
	mark1.class.other=3000
	mark1.func.flush.pteaddr=1000
	mark1.func.flush.tlbacc=1000
	mark1.func.flush.tlbmisc=2000
	mark1.calls.vm_unmap_aliases=1
	mark1.calls.flush=1
	mark2.pteaddr=1
	mark2.class.other=1
	mark2.func._stext.pteaddr=1
	mark2.calls.vm_unmap_aliases=1
	end=1
	EOF
fi

ppc=${PPC_CROSS:-powerpc-linux-gnu-}
if ! missing ppc "$ppc" "apt-get install binutils-powerpc-linux-gnu" ppc &&
	build ppc "$ppc" 0xc1000000 0x1000000 -a32; then
	simulate ppc ref405ep -kernel "$dir/ppc.elf" -device loader,addr=0x1000000,cpu-num=0
	expect ppc <<-'EOF'
	tlbops=1
	arch=ppc
	marks=1002
	calls_missing=
	tlbia=1001
	tlbsync=1000
	tlbwe=64
	tlbwe_data=64
	tlbsx=63
	class.full=1001
	class.entry=64
	class.other=1127
	func._stext.tlbia=1
	func._stext.tlbwe=1
	func._stext.tlbwe_data=1
	func.real.tlbia=1000
	func.real.tlbsync=1000
	func.flush.tlbwe=63
	func.flush.tlbwe_data=63
	func.flush.tlbsx=63
	calls.vm_unmap_aliases=1002
	calls.flush=1
	mark0.tlbia=1
	mark0.tlbwe=1
	mark0.tlbwe_data=1
	mark0.class.full=1
	mark0.class.entry=1
	mark0.class.other=1
	mark0.func._stext.tlbia=1
	mark0.func._stext.tlbwe=1
	mark0.func._stext.tlbwe_data=1
	mark1.tlbwe=63
	mark1.tlbwe_data=63
	mark1.tlbsx=63
	mark1.class.entry=63
	mark1.class.other=126
	mark1.func.flush.tlbwe=63
	mark1.func.flush.tlbwe_data=63
	mark1.func.flush.tlbsx=63
	mark1.calls.vm_unmap_aliases=1
	mark1.calls.flush=1
	mark2.tlbia=1
	mark2.tlbsync=1
	mark2.class.full=1
	mark2.class.other=1
	mark2.func.real.tlbia=1
	mark2.func.real.tlbsync=1
	mark2.calls.vm_unmap_aliases=1
	end=1
	EOF
	sums ppc func.real.tlbia 1000
	sums ppc calls.vm_unmap_aliases 1002
fi

or1k=${OR1K_CROSS:-or1k-elf-}
if ! missing or1k "$or1k" "apt-get install binutils-or1k-elf" misc &&
	build or1k "$or1k" 0xc0000000 0; then
	simulate or1k or1k-sim -device "loader,file=$dir/or1k.bin,addr=0,force-raw=on" \
		-device loader,addr=0x100,cpu-num=0
	expect or1k <<-'EOF'
	tlbops=1
	arch=or1k
	marks=1002
	calls_missing=
	dtlbeir=63
	itlbeir=63
	dtlbmr=1063
	dtlbtr=1000
	itlbmr=64
	itlbtr=1
	class.page=126
	class.entry=1127
	class.other=1001
	func._stext.itlbmr=1
	func._stext.itlbtr=1
	func.real.dtlbmr=1000
	func.real.dtlbtr=1000
	func.flush.dtlbeir=63
	func.flush.itlbeir=63
	func.flush.dtlbmr=63
	func.flush.itlbmr=63
	calls.vm_unmap_aliases=1002
	calls.flush=1
	mark0.itlbmr=1
	mark0.itlbtr=1
	mark0.class.entry=1
	mark0.class.other=1
	mark0.func._stext.itlbmr=1
	mark0.func._stext.itlbtr=1
	mark1.dtlbeir=63
	mark1.itlbeir=63
	mark1.dtlbmr=63
	mark1.itlbmr=63
	mark1.class.page=126
	mark1.class.entry=126
	mark1.func.flush.dtlbeir=63
	mark1.func.flush.itlbeir=63
	mark1.func.flush.dtlbmr=63
	mark1.func.flush.itlbmr=63
	mark1.calls.vm_unmap_aliases=1
	mark1.calls.flush=1
	mark2.dtlbmr=1
	mark2.dtlbtr=1
	mark2.class.entry=1
	mark2.class.other=1
	mark2.func.real.dtlbmr=1
	mark2.func.real.dtlbtr=1
	mark2.calls.vm_unmap_aliases=1
	end=1
	EOF
	sums or1k func.real.dtlbmr 1000
	sums or1k calls.vm_unmap_aliases 1002
fi

echo "1..$n"
exit $bad
