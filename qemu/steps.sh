# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2031
#
# The steps that `make run` and `make test` share, each one progress line;
# sourced after lib.sh and use_linux.

id=$(tree_id)
logs=$OUT/log/$id
PLUGIN=$OUT/tlbcount.so

step_packages() {
	step 'packages' "$OUT/log/packages.log" "$TOP/qemu/need.sh"
}

# The compilers that are built here, of ARCH if that is set.
toolchain_targets() {
	local target

	for target in nios2-linux-gnu csky-linux-gnuabiv2; do
		# shellcheck disable=SC2053
		[[ ${target%%-*} != ${ARCH:-*} ]] || echo "$target"
	done
}

# begin_toolchains: with what the levels before their own leave of the machine.
begin_toolchains() {
	local target

	while IFS= read -r target; do
		nice -n 19 "$TOP/qemu/toolchain.sh" "$target"
	done < <(toolchain_targets) > "$OUT/log/toolchains.log" 2>&1
}

step_sources() {
	step "source of Linux $BASE" "$logs/stock-tree.log" "$TOP/qemu/tree.sh" stock &&
		step "series applied to Linux $BASE" "$logs/patched-tree.log" \
			"$TOP/qemu/tree.sh" patched
}

# step_kernel TREE NAME FRAGMENT...
step_kernel() {
	step "kernel $id-$2" "$logs/build-$2.log" \
		"$TOP/qemu/kernel.sh" "$1" "$2" zImage modules -- "${@:3}"
}

step_plugin() {
	step 'counting plugin' "$OUT/log/plugin.log" make -C "$TOP/bench" OUT="$OUT" all
}

# step_initramfs TREE NAME
step_initramfs() {
	step "initramfs $id-$2" "$logs/initramfs-$2.log" "$TOP/qemu/initramfs.sh" \
		"$id-$2" "$OUT/build/$id-$2" "$OUT/src/$id/$1"
}

# step_boot RUN NAME APPEND [PLUGIN-ARGUMENTS]: NAME's kernel and initramfs.
step_boot() {
	step "boot $id-$1" "$logs/boot-$1.log" "$TOP/qemu/run.sh" -a "$3" \
		-p "$PLUGIN${4:+,$4}" "$id-$1" "$OUT/build/$id-$2" \
		"$OUT/initramfs/$id-$2.cpio"
}

# result RUN, plugin RUN: what the guest and the plugin left of a run.
result() {
	echo "$OUT/run/$id-$1/result"
}

plugin() {
	echo "$OUT/run/$id-$1/plugin.out"
}

# value FILE KEY [DEFAULT]: of the last line KEY=VALUE.
value() {
	local found=

	[[ ! -f $1 ]] || found=$(tr -d '\r' < "$1" | sed -n "s/^${2//./\\.}=//p" | tail -n 1)
	echo "${found:-${3:-}}"
}

# Functions that execute the operations of a kernel-range flush, stock and
# patched; the plugin counts an operation where it stands.
# shellcheck disable=SC2034
RANGE=(v7wbi_flush_kern_tlb_range arch_flush_tlb_kernel_ranges)
# shellcheck disable=SC2034 # for the scripts that source this
ALL=(flush_tlb_all) # where arch_flush_tlb_kernel_all() jumps to

# sum FILE KEY FUNCTION...
sum() {
	local file=$1 key=$2 function total=0

	for function in "${@:3}"; do
		((total += $(value "$file" "func.$function.$key" 0))) || true
	done
	echo "$total"
}

# highest FILE KEY FUNCTION...
highest() {
	local file=$1 key=$2 function now top=0

	for function in "${@:3}"; do
		now=$(value "$file" "func.$function.$key" 0)
		((now <= top)) || top=$now
	done
	echo "$top"
}

# in_base BASE COMMAND...: as if BASE had been given and LINUX had not.
in_base() (
	export BASE=$1 LINUX=
	source "$TOP/qemu/steps.sh"
	"${@:2}"
)
