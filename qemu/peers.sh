#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: peers.sh TREE NAME...
#
# Makes OUT/initramfs/NAME-peers.cpio for each kernel OUT/build/NAME: NAME.cpio and,
# as a second archive behind it, the peers: the selftests of the source tree TREE,
# the same programs for every kernel, Debian's armhf stress-ng and rt-tests with the
# libraries that they need, and the kernel's own test modules. Exit 4: the packages
# cannot be had.

set -euo pipefail
source "$(dirname "$0")/lib.sh"

# One line each of a list in qemu/peers, without comments.
list() {
	grep -v -e '^#' -e '^$' "$TOP/qemu/peers/$1"
}

unpack_packages() {
	local package packages

	mapfile -t packages < <(list packages)
	"$TOP/qemu/fetch.sh" --armhf "${packages[@]}" ||
		die "the armhf packages of qemu/peers/packages cannot be had" 4
	for package in "${packages[@]}"; do
		dpkg-deb -x "$OUT/dl/armhf/$package.deb" "$debian"
	done
}

# needed FILE: the names of the libraries that it asks for.
needed() {
	"${CROSS}readelf" -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'
}

# copy_needed FILE: those, and what they need in turn, into /lib.
copy_needed() {
	local library file

	while read -r library; do
		[[ ! -e $root/lib/$library ]] || continue
		file=$(find "$debian/lib" "$debian/usr/lib" -name "$library" -print -quit)
		[[ -n $file ]] || die "$library, which ${1##*/} needs, is in no package of qemu/peers/packages" 4
		cp -L "$file" "$root/lib/$library"
		copy_needed "$root/lib/$library"
	done < <(needed "$1")
}

copy_programs() {
	cp "$debian/bin/busybox" "$root/peers/"
	cp "$debian/usr/bin/"{stress-ng,cyclictest} "$root/peers/"
	copy_needed "$root/peers/stress-ng"
	copy_needed "$root/peers/cyclictest"
	cp "$TOP/qemu/peers/guest" "$root/tests/peers"
	list selftests > "$root/peers/selftests"
}

# The tests are newer than the C library's headers. make wants its own O=.
export_headers() {
	make -C "$tree" O="$work/headers-build" ARCH="$KARCH" headers_install \
		INSTALL_HDR_PATH="$work/headers"
}

# Their own Makefiles want to link a libcap and a libnuma of this machine's.
build_selftest() {
	local source=$1 tests=$tree/tools/testing/selftests more=()

	[[ $source != mm/* ]] || more=("$tests/mm/vm_util.c" "$tests/mm/thp_settings.c")
	"${CROSS}gcc" -w -O2 -static -pthread -U_FORTIFY_SOURCE -D_GNU_SOURCE= \
		-isystem "$work/headers/include" -I"$tree" -I"$debian/usr/include" \
		-o "$root/peers/${source##*/}" "$tests/$source.c" "${more[@]}" \
		"$debian/usr/lib/arm-linux-gnueabihf/libcap.a" -lrt -lm
}

build_selftests() {
	local name

	while read -r _ name; do
		build_selftest "$name"
	done < <(list selftests)
}

# Loading those modules is testing: they are not among those that the init loads.
pack() {
	local cpio=$OUT/initramfs/$1-peers.cpio

	cp "$OUT/build/$1/lib/"test_{vmalloc,bpf}.ko "$root/peers/modules/"
	(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) > "$root.part"
	cat "$OUT/initramfs/$1.cpio" "$root.part" > "$cpio.part"
	mv "$cpio.part" "$cpio"
}

tree=${1:?usage: peers.sh TREE NAME...}
shift
load_machine "$MACHINE"
kernel_env
work=$OUT/peers/$(tree_id)
debian=$work/debian
root=$work/root
rm -rf "$debian" "$root"
mkdir -p "$debian" "$root"/{lib,tests,peers/modules}
unpack_packages
copy_programs
[[ -d $work/headers ]] || export_headers
build_selftests
for name in "$@"; do
	pack "$name"
done
