#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: initramfs.sh NAME BUILD TREE
#
# Makes OUT/initramfs/NAME.cpio for the kernel in the build directory BUILD: the
# init, the workload and the kernel_tlb selftests of the source tree TREE, if it
# has them, all static; and the modules that the build has. A machine with
# INIT=bare has no C library: its init does all by itself.

set -euo pipefail
source "$(dirname "$0")/lib.sh"

cc() {
	"${CROSS}gcc" -O2 -g -Wall -static -pthread -I"$shared" -I"$TOP/bench" "$@"
}

# No C library, and none of what compilers do for one. Not at address 0.
bare() {
	# shellcheck disable=SC2086 # INIT_FLAGS are words
	"${CROSS}gcc" -O2 -g -Wall -Wextra -ffreestanding -fno-stack-protector -fno-pie \
		-no-pie -nostdlib -static -Wl,-e,_start,-Ttext=0x100000,-z,noexecstack \
		${INIT_FLAGS:-} "$@" -lgcc
}

# They include the harness of the tree, by its place. A stock tree has none.
build_tests() {
	local file test

	for file in "$tree"/tools/testing/selftests/{vm,mm}/kernel_tlb_*.c; do
		test=${file##*/} test=${test%.c}
		[[ -f $file && $test != kernel_tlb_util ]] || continue
		cc -o "$root/tests/$test" "$file" "${file%/*}/kernel_tlb_util.c"
	done
}

# Not those whose loading takes minutes, being a test: qemu/peers.sh has them.
copy_modules() {
	local module

	mkdir -p "$root/lib/modules-ktlb"
	find "$build" -name '*.ko' ! -name test_vmalloc.ko ! -name test_bpf.ko | while read -r module; do
		cp "$module" "$root/lib/modules-ktlb/"
	done
}

name=${1:?usage: initramfs.sh NAME BUILD TREE} build=$2 tree=$3
load_machine "$MACHINE"
kernel_env
shared=$TOP/tools/testing/selftests/vm
root=$OUT/initramfs/$name
rm -rf "$root"
mkdir -p "$root"/{dev,proc,sys,tmp,tests}
if [[ ${INIT:-} == bare ]]; then
	bare -o "$root/init" "$TOP/qemu/bare_init.c"
else
	cc -o "$root/init" "$TOP/qemu/init.c"
	for load in seccomp_load filter_storm; do
		cc -o "$root/tests/$load" "$TOP/qemu/$load.c" "$TOP/qemu/load_util.c" \
			"$shared/kernel_tlb_util.c"
	done
	build_tests
	copy_modules
fi
(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) > "$root.part"
mv "$root.part" "$root.cpio"
