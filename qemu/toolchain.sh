#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: toolchain.sh TARGET
#
# Builds the binutils and GCC that Debian ships as source packages for a TARGET
# that it has no compiler for (csky-linux-gnuabiv2, nios2-linux-gnu), without a
# C library: enough for a kernel. They go to TOOLCHAINS/TARGET-VERSION, outside
# the tree, so that every clone uses them. Eleven minutes per target on two cores.

set -euo pipefail
source "$(dirname "$0")/lib.sh"

# unpack PACKAGE DIRECTORY: the one upstream tarball that the package is about.
unpack() {
	local package=$1 to=$2

	"$TOP/qemu/fetch.sh" --package "$package"
	mkdir -p "$to"
	dpkg-deb -x "$OUT/dl/$package.deb" "$work/deb"
	tar -xf "$(ls "$work/deb/usr/src/${package%-source}/${package%%-*}"-[0-9]*.tar.xz)" \
		-C "$to" --strip-components=1
}

configure() {
	"../$1/configure" --target="$target" --prefix="$prefix.part" --disable-nls \
		--disable-shared MAKEINFO=true CFLAGS=-O1 CXXFLAGS=-O1 "${@:2}"
}

binutils() {
	unpack binutils-source "$work/binutils"
	mkdir -p "$work/build-binutils"
	cd "$work/build-binutils"
	configure binutils --disable-gdb --disable-gprof --disable-gprofng \
		--disable-sim --disable-werror
	make -j"$JOBS" MAKEINFO=true all-binutils all-gas all-ld
	make MAKEINFO=true install-strip-binutils install-strip-gas install-strip-ld
}

# Debian's tarball has no manuals; the package's own patch lets it build without.
compiler() {
	unpack gcc-12-source "$work/gcc"
	patch -d "$work/gcc" -p2 < "$work/deb/usr/src/gcc-12/debian/patches/gcc-gfdl-build.diff"
	mkdir -p "$work/build-gcc"
	cd "$work/build-gcc"
	configure gcc --enable-languages=c --disable-threads --disable-libssp \
		--disable-libgomp --disable-libquadmath --disable-libatomic \
		--disable-decimal-float --disable-bootstrap --disable-lto \
		--disable-analyzer \
		--disable-plugin --disable-multilib --disable-gcov \
		--without-headers --with-newlib \
		--enable-checking=release
	make -j"$JOBS" MAKEINFO=true all-gcc all-target-libgcc
	make MAKEINFO=true install-strip-gcc install-target-libgcc
}

target=${1:?usage: toolchain.sh TARGET}
case $target in
csky-linux-gnuabiv2 | nios2-linux-gnu) ;;
*) die "unknown TARGET '$target'; known: csky-linux-gnuabiv2 nios2-linux-gnu" ;;
esac
prefix=$TOOLCHAINS/$target
work=$OUT/toolchain/$target
one_at_a_time "$TOOLCHAINS"
if [[ -x $prefix/bin/$target-gcc ]]; then
	exit 0
fi
rm -rf "$work" "$prefix.part"
mkdir -p "$work" "$prefix.part"
export PATH=$prefix.part/bin:$PATH
binutils
compiler
# Programs find their parts relative to themselves: the tree may be moved.
mv "$prefix.part" "$prefix"
rm -rf "$work"
