#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Counts a program without operating system in the real QEMU.  TAP output;
# exit 0 passed, 1 failed, 4 skipped (a tool is missing).
#
# usage: qemu-check.sh PLUGIN SCRATCH-DIR

set -u
if [ $# -ne 2 ]; then
	echo "usage: $0 PLUGIN SCRATCH-DIR" >&2
	exit 2
fi
plugin=$1
dir=$2
here=$(dirname "$0")
cross=${CROSS_COMPILE:-arm-linux-gnueabihf-}
qemu=${QEMU_ARM:-qemu-system-arm}

for tool in "${cross}gcc" "${cross}nm" "$qemu" timeout; do
	if ! command -v "$tool" >/dev/null; then
		echo "1..0 # SKIP $tool not found"
		exit 4
	fi
done
mkdir -p "$dir" || exit 1

if ! "${cross}gcc" -nostdlib -static -marm -Wl,-Ttext=0x40010000,--build-id=none \
	-Wl,-e,_stext -o "$dir/bare.elf" "$here/bare.S"; then
	echo "Bail out! the program does not build"
	exit 1
fi
"${cross}nm" -n "$dir/bare.elf" >"$dir/bare.map" || exit 1

rm -f "$dir/bare.out" "$dir/bare.log"
timeout 60 "$qemu" -M virt,gic-version=2 -cpu cortex-a15 -smp 2 -m 64M -nic none \
	-display none -serial none -monitor none -no-reboot -kernel "$dir/bare.elf" \
	-plugin "$plugin,map=$dir/bare.map,out=$dir/bare.out,log=$dir/bare.log,tlbflags=0x200000,model=a15" \
	</dev/null
status=$?

n=0
bad=0
expect()
{
	n=$((n + 1))
	if grep -qx "$1" "$2"; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "# is $(grep "^${1%%=*}=" "$2")"
		bad=1
	fi
}

n=1
if [ $status -eq 0 ] && [ -s "$dir/bare.out" ] && [ -s "$dir/bare.log" ]; then
	echo "ok 1 - QEMU runs the program to its end"
else
	echo "not ok 1 - QEMU ended with $status"
	echo "1..1"
	exit 1
fi

pages=100001
expect "starts=1" "$dir/bare.out"
expect "stops=1" "$dir/bare.out"
expect "page_broadcast=$((2 * pages))" "$dir/bare.out"
expect "vcpu0.page_broadcast=$pages" "$dir/bare.out"
expect "vcpu1.page_broadcast=$pages" "$dir/bare.out"
expect "page_local=2" "$dir/bare.out"
expect "full_broadcast=2" "$dir/bare.out"
expect "full_local=1" "$dir/bare.out"
expect "asid_broadcast=1" "$dir/bare.out"
expect "asid_local=1" "$dir/bare.out"
expect "undecided_ops=0" "$dir/bare.out"
expect "outside_ops=6" "$dir/bare.out"
expect "sym.mixed.ops=6" "$dir/bare.out"
expect "func.v7wbi_flush_kern_tlb_range.calls=4" "$dir/bare.out"
expect "func.v7wbi_flush_kern_tlb_range.max_ops=$((pages - 1))" "$dir/bare.out"
expect "func.v7wbi_flush_kern_tlb_range.orphan_ops=0" "$dir/bare.out"
expect "func.flush_tlb_all.calls=1" "$dir/bare.out"
expect "model.vcpu0.full_flushes=3" "$dir/bare.out"
expect "model.vcpu1.full_flushes=2" "$dir/bare.out"
expect "end=1" "$dir/bare.out"
expect "dropped=0" "$dir/bare.log"

echo "1..$n"
exit $bad
