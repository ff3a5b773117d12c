#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: tree.sh stock|patched|tested
#
# Makes OUT/src/ID/stock from the source of BASE, or from LINUX (a tree, which is
# copied and never modified, or a tarball), and OUT/src/ID/patched from that with
# the series applied, or OUT/src/ID/tested, which has nothing new but the module
# test_kernel_tlb, for machines that load no modules. A second run keeps the time stamps of what has not
# changed, so that make rebuilds what has.

set -euo pipefail
source "$(dirname "$0")/lib.sh"

# Another source under the same name would leave objects that look up to date.
forget_if_other() {
	local key=$1

	if [[ ! -f $src/stock.key || $(< "$src/stock.key") != "$key" ]]; then
		rm -rf "$src" "$OUT/build/$id"-*
	fi
	mkdir -p "$src"
}

stock_from_tarball() {
	local key

	key=$(stat -L -c '%s %Y %n' "$1")
	forget_if_other "$key"
	[[ ! -f $src/stock.key ]] || return 0
	rm -rf "$src/stock"
	mkdir "$src/stock"
	tar -xf "$1" -C "$src/stock" --strip-components=1
	echo "$key" > "$src/stock.key"
}

stock_from_tree() {
	[[ ! -e $1/mm/kernel_tlb.c ]] ||
		die "LINUX=$1 has the series already: take a tree without, or ./series reverse it"
	forget_if_other "$1"
	rsync -a --delete --exclude=/.git "$1/" "$src/stock/"
	if [[ -e $src/stock/.config || -e $src/stock/include/config ]]; then
		make -C "$src/stock" mrproper
	fi
	echo "$1" > "$src/stock.key"
}

make_stock() {
	if [[ -d $LINUX ]]; then
		stock_from_tree "$(realpath "$LINUX")"
	elif [[ -n $LINUX ]]; then
		stock_from_tarball "$LINUX"
	else
		"$TOP/qemu/fetch.sh" "$BASE"
		load_base "$BASE"
		stock_from_tarball "$OUT/dl/$TARBALL"
	fi
}

# Everything that decides what the patched tree looks like.
series_key() {
	(
		cd "$TOP"
		find arch include lib mm tools Documentation MAINTAINERS patches series \
			-type f -print0 2> /dev/null | sort -z | xargs -0 sha256sum
		cat "$src/stock.key"
	) | sha256sum
}

# A file that reads as before gets its old time back; one that the series no
# longer touches gets a new one, since objects were built from its old text.
settle_times() {
	local file

	find patched -type f -cnewer mark -printf '%P\n' > touched.new
	while read -r file; do
		if cmp -s "saved/$file" "patched/$file"; then
			touch -r "saved/$file" "patched/$file"
		fi
	done < touched.new
	sort touched.new touched.new touched | uniq -u | while read -r file; do
		[[ ! -f patched/$file ]] || touch "patched/$file"
	done
	mv touched.new touched
}

make_patched() {
	local key

	cd "$src"
	key=$(series_key)
	if [[ -f patched.key && $(< patched.key) == "$key" && -z $LINUX ]]; then
		return 0
	fi
	rm -rf patched.key saved
	mkdir saved
	touch -a touched
	if [[ -d patched ]]; then
		(cd patched && xargs -rd '\n' cp -a --parents -t ../saved 2> /dev/null) < touched || true
	fi
	rsync -a --delete stock/ patched/
	touch mark
	sleep 1 # a file system may keep whole seconds
	"$TOP/series" apply patched
	settle_times
	echo "$key" > patched.key
}

# Hard links: what changes must be written anew. The module is built in.
make_tested() {
	local module=lib/test_kernel_tlb.c

	cd "$src"
	if [[ tested -nt stock.key ]] && cmp -s "$TOP/$module" "tested/$module"; then
		return 0
	fi
	rm -rf tested
	cp -al stock tested
	cp -p "$TOP/$module" "tested/$module"
	sed -i '$ a obj-y += test_kernel_tlb.o' tested/lib/Makefile
	touch tested
}

use_linux
id=$(tree_id)
src=$OUT/src/$id
one_at_a_time "$OUT"
case ${1:-} in
stock)
	make_stock
	;;
patched)
	make_patched
	;;
tested)
	make_tested
	;;
*)
	die 'usage: tree.sh stock|patched|tested'
	;;
esac
