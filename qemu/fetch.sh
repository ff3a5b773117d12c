#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: fetch.sh BASE
#        fetch.sh --package PACKAGE
#        fetch.sh --armhf PACKAGE...
#        fetch.sh --mirrors
#
# Leaves the source tarball of BASE as OUT/dl/TARBALL, or a package of this
# machine's own release, whole, as OUT/dl/PACKAGE.deb, or
# packages of that release for the guest's architecture as OUT/dl/armhf/PACKAGE.deb.
# An installed source package serves as it is. Otherwise apt downloads and verifies
# the package with lists and cache of its own under OUT, so that neither root
# nor a change to the machine's package configuration is needed. --mirrors only
# prints where a suite that this machine has no source for would be looked up.

set -euo pipefail
source "$(dirname "$0")/lib.sh"

# apt-get with its state under $apt; more options come from the caller.
own_apt() {
	apt-get -q -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" \
		-o Dir::State::status="$apt/status" -o APT::Sandbox::User= \
		"${sources[@]}" "$@"
}

# Prints the archive roots from which this machine takes its own release. apt
# reads its configuration itself, in every format that it knows.
own_mirrors() {
	local VERSION_CODENAME=

	# shellcheck source=/dev/null
	source "${OS_RELEASE:-/etc/os-release}"
	apt-get update --print-uris "${APT_OPTIONS[@]}" |
		sed -n "s|^'\(.*\)/dists/$VERSION_CODENAME/InRelease'.*|\1|p"
}

# Third-party archives may name their suite after a Debian release too: the
# first mirror wins whose SUITE Debian's own key has signed.
update_suite() {
	local mirror found=

	while read -r mirror; do
		found=$mirror
		echo "deb [signed-by=$KEYRING] $mirror $SUITE main" > "$apt/sources.list"
		sources=(-o Dir::Etc::sourcelist="$apt/sources.list"
			-o Dir::Etc::sourceparts=/dev/null)
		if own_apt -o APT::Update::Error-Mode=any update; then
			return 0
		fi
	done < <(own_mirrors)
	[[ -n $found ]] || die "no Debian mirror in this machine's package sources; give LINUX=TREE-OR-TARBALL"
	die "no configured mirror has a verified suite $SUITE; give LINUX=TREE-OR-TARBALL"
}

# download PACKAGE...: as $dl/PACKAGE.deb, from SUITE or the machine's release.
download() {
	local package

	mkdir -p "$dl" "$apt/lists/partial" "$apt/cache/archives/partial"
	: > "$apt/status"
	if [[ -n $SUITE ]]; then
		[[ -f $KEYRING ]] || die "$KEYRING is missing: apt-get install debian-archive-keyring" 4
		update_suite
	else
		# A broken third-party source is no reason to stop here.
		own_apt update || true
	fi
	cd "$dl"
	for package in "$@"; do
		rm -f "$package"_*.deb
	done
	own_apt download "$@" || die "package $*: cannot be downloaded"
	for package in "$@"; do
		mv "$package"_*.deb "$package.deb"
	done
}

# Kept while a toolchain needs it, which is until that is built.
package() {
	SUITE=
	apt=$OUT/dl/apt-$1
	[[ -f $OUT/dl/$1.deb ]] || download "$1"
}

# The state is apt's own here, so that the machine need not know the architecture.
armhf_packages() {
	local package missing=()

	SUITE=
	apt=$OUT/dl/apt-armhf dl=$OUT/dl/armhf
	sources+=(-o APT::Architecture=armhf -o APT::Architectures=armhf)
	for package in "$@"; do
		[[ -f $dl/$package.deb ]] || missing+=("$package")
	done
	((${#missing[@]} == 0)) || download "${missing[@]}"
}

KEYRING=${KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
# For the tests: where apt is to read the machine's sources from.
read -ra APT_OPTIONS <<< "${APT_OPTIONS:-}"
sources=("${APT_OPTIONS[@]}")
if [[ ${1:-} == --mirrors ]]; then
	own_mirrors
	exit
fi
dl=$OUT/dl
mkdir -p "$dl"
if [[ ${1:-} == --armhf ]]; then
	(($# > 1)) || die 'usage: fetch.sh --armhf PACKAGE...'
	armhf_packages "${@:2}"
	exit
fi
if [[ ${1:-} == --package ]]; then
	package "${2:?usage: fetch.sh --package PACKAGE}"
	exit
fi
load_base "${1:?usage: fetch.sh BASE}"
apt=$OUT/dl/apt-$1
if [[ -f $OUT/dl/$TARBALL ]]; then
	exit 0
fi
if [[ -z $SUITE && -f /usr/src/$TARBALL ]]; then
	ln -sf "/usr/src/$TARBALL" "$OUT/dl/$TARBALL"
	exit 0
fi
download "$PACKAGE"
dpkg-deb --fsys-tarfile "$PACKAGE.deb" | tar -xO "./usr/src/$TARBALL" > "$TARBALL.part"
mv "$TARBALL.part" "$TARBALL"
rm -f "$PACKAGE.deb"
