#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The decoder of tlbops against the words that real assemblers make.  TAP
# output; exit 0 passed, 1 failed.  A missing assembler is a skipped test.
#
# usage: tlbops-check.sh SELFTEST SCRATCH-DIR

set -u
if (($# != 2)); then
	echo "usage: $0 SELFTEST SCRATCH-DIR" >&2
	exit 2
fi
selftest=$1
dir=$2
mkdir -p "$dir" || exit 1
n=0
bad=0

report() {
	n=$((n + 1))
	echo "$1 $n - $2"
	[[ $1 == ok ]] || bad=1
}

# Tables: what the assembler must be told; kind and class expected; mnemonic;
# operands, one case per ";".  "-" is nothing, none is an instruction that must
# not count.
nios2_table() {
	local control

	cat <<-'EOF'
	- | pteaddr | other | wrctl | pteaddr, r0; pteaddr, r4; pteaddr, r31; ctl8, r2
	- | tlbacc | entry | wrctl | tlbacc, r0; tlbacc, et; tlbacc, r31; ctl9, r15
	- | tlbmisc | other | wrctl | tlbmisc, r0; tlbmisc, r3; tlbmisc, r31; ctl10, r2
	- | none | none | rdctl | r2, pteaddr; r2, tlbacc; r2, tlbmisc; r31, ctl8; r0, ctl9
	- | none | none | wrctl | status, r0; estatus, r24; ienable, r0; bstatus, r2; badaddr, r3
	- | none | none | - | nop; ret; eret; break; flushp; flushi r4; initi r4; sync
	- | none | none | add | r2, r8, r9; r10, r8, r9; r2, r3, r4
	- | none | none | slli | r2, r3, 8; r2, r3, 9; r2, r3, 10
	- | none | none | srai | r2, r3, 8; r2, r3, 9; r2, r3, 10
	EOF
	for control in {0..7} {11..31}; do
		echo "- | none | none | wrctl | ctl$control, r5"
	done
}

ppc_table() {
	cat <<-'EOF'
	603 | tlbie | page | tlbie | 0; 4; 31
	860 | tlbie | page | tlbie | 0; 12; 31
	403 | tlbia | full | tlbia | -
	603 | tlbsync | other | tlbsync | -
	603 | tlbwe | entry | tlbld | 0; 3; 31; 1; 2
	603 | tlbli | entry | tlbli | 0; 3; 31
	440 | tlbwe | entry | tlbwe | 6, 6, 0; 3, 0, 0; 0, 3, 0; 31, 31, 0; 0, 0, 0
	440 | tlbwe_data | other | tlbwe | 6, 7, 1; 6, 7, 2; 4, 0, 1; 0, 4, 2; 31, 31, 1
	440 | tlbsx | other | tlbsx | 6, 0, 3; 31, 31, 31
	440 | tlbsx | other | tlbsx. | 6, 0, 3; 0, 0, 0
	440 | tlbre | other | tlbre | 24, 23, 0; 25, 23, 1; 26, 23, 2
	476 | tlbivax | page | tlbivax | 0, 3; 4, 5
	476 | tlbwe | entry | tlbwe | 4, 7, 0
	e500 | tlbwe | entry | tlbwe | -
	e500 | tlbre | other | tlbre | -
	e500 | tlbsx | other | tlbsx | 0, 3; 4, 31
	e500 | tlbivax | page | tlbivax | 0, 6; 31, 31
	e500 | mmucsr0 | full | mtspr | 1012, 3; 1012, 0; 1012, 31
	e500mc | tlbilxlpid | full | tlbilxlpid | -
	e500mc | tlbilxpid | pid | tlbilxpid | -
	e500mc | tlbilxva | page | tlbilxva | 0, 3; 31, 31
	e500mc | tlbilxlpid | full | tlbilx | 0, 0, 0
	e500mc | tlbilxpid | pid | tlbilx | 1, 0, 0
	e500mc | tlbilxva | page | tlbilx | 3, 4, 5; 3, 0, 31
	e500 | none | none | mfspr | 3, 1012; 31, 1012
	e500 | none | none | mtspr | 1011, 3; 1013, 3; 624, 3; 625, 3; 626, 3; 630, 3; 1015, 3; 20, 3
	440 | none | none | mtspr | 946, 3; 48, 3
	860 | none | none | mtspr | 790, 3; 798, 3
	603 | none | none | - | nop; sync; isync; eieio; blr; rfi; sc; mfmsr 3; mtmsr 3
	603 | none | none | - | icbi 0, 3; dcbf 0, 3; dcbst 0, 3; dcbi 0, 3; dcbz 0, 3; mtsr 3, 4; mtsrin 3, 4
	603 | none | none | - | lwarx 3, 0, 4; stwcx. 3, 0, 4; lwzx 3, 4, 5; add 3, 4, 5; mtlr 3; mtctr 3
	e500 | none | none | - | msync; mbar; wrteei 0; wrtee 10; isel 3, 4, 5, 6; dcbtls 0, 0, 3
	EOF
}

or1k_table() {
	local way set

	cat <<-'EOF'
	- | dtlbeir | page | l.mtspr | r0, r3, 0x802; r0, r0, 0x802; r0, r31, 0x802
	- | itlbeir | page | l.mtspr | r0, r3, 0x1002; r0, r0, 0x1002; r0, r31, 0x1002
	- | none | none | l.mtspr | r0, r3, 0x800; r0, r3, 0x801; r0, r3, 0x803; r0, r3, 0x9ff; r0, r3, 0xe00
	- | none | none | l.mtspr | r0, r3, 0x1000; r0, r3, 0x1001; r0, r3, 0x11ff; r0, r3, 0x1600; r0, r3, 0x2802
	- | none | none | l.mtspr | r0, r3, 0; r0, r3, 17; r0, r3, 2; r0, r3, 0x1802; r0, r3, 0x2002; r0, r3, 0x5000
	- | none | none | l.mtspr | r0, r3, 0x2a00; r0, r3, 0x3200; r0, r3, 0x4a00; r0, r3, 0x8a00; r0, r3, 0xfa80
	- | none | none | l.mfspr | r3, r0, 0x802; r3, r0, 0x1002; r3, r0, 0xa00; r3, r4, 0x1200
	- | none | none | - | l.nop 0; l.nop 0x802; l.msync; l.psync; l.rfe; l.add r3, r4, r5
	- | none | none | - | l.sw 0x202(r3), r4; l.sb 0x202(r3), r4; l.swa 0(r3), r4; l.lwa r3, 0(r4)
	- | mtspr_reg | other | l.mtspr | r5, r0, 0; r31, r3, 0; r5, r0, 0x800; r5, r3, 0x1000
	EOF
	for way in 0 1 2 3; do
		for set in 0 1 63 127; do
			cat <<-EOF
			- | dtlbmr | entry | l.mtspr | r0, r3, $((0xa00 + way * 256 + set))
			- | dtlbtr | other | l.mtspr | r0, r3, $((0xa80 + way * 256 + set))
			- | itlbmr | entry | l.mtspr | r0, r3, $((0x1200 + way * 256 + set))
			- | itlbtr | other | l.mtspr | r0, r3, $((0x1280 + way * 256 + set))
			EOF
		done
		cat <<-EOF
		- | dtlbmr | entry | l.mtspr | r2, r5, $((0xa00 + way * 256)); r31, r0, $((0xa00 + way * 256))
		- | dtlbtr | other | l.mtspr | r2, r5, $((0xa80 + way * 256)); r31, r0, $((0xa80 + way * 256))
		- | itlbmr | entry | l.mtspr | r2, r5, $((0x1200 + way * 256)); r31, r0, $((0x1200 + way * 256))
		- | itlbtr | other | l.mtspr | r2, r5, $((0x1280 + way * 256)); r31, r0, $((0x1280 + way * 256))
		EOF
	done
}

# cases FILE < TABLE: writes FILE.s, one instruction per line of FILE.want ("kind
# class instruction").
cases() {
	local machine kind class mnemonic operands operand text
	local -a list

	: > "$1.s"
	: > "$1.want"
	while IFS='|' read -r machine kind class mnemonic operands; do
		read -r machine <<< "$machine"
		read -r kind <<< "$kind"
		read -r class <<< "$class"
		read -r mnemonic <<< "$mnemonic"
		IFS=';' read -ra list <<< "$operands"
		for operand in "${list[@]}"; do
			read -r operand <<< "$operand"
			text=
			[[ $mnemonic == - ]] || text=$mnemonic
			[[ $operand == - ]] || text=${text:+$text }$operand
			[[ $machine == - ]] || echo "	.machine \"$machine\"" >> "$1.s"
			echo "	$text" >> "$1.s"
			echo "$kind $class $text" >> "$1.want"
		done
	done
}

# check_arch ARCH PREFIX ENDIAN HOW-TO-GET-IT AS-OPTION... < TABLE
check_arch() {
	local arch=$1 prefix=$2 endian=$3 remedy=$4 base=$dir/$1
	local kind class text i
	local -a words wants answers

	shift 4
	if ! command -v "${prefix}as" > /dev/null || ! command -v "${prefix}objcopy" > /dev/null; then
		report ok "$arch: decode # SKIP ${prefix}as is missing: $remedy"
		return
	fi
	cases "$base"
	if ! "${prefix}as" "$@" -o "$base.o" "$base.s" ||
		! "${prefix}objcopy" -O binary -j .text "$base.o" "$base.bin"; then
		report "not ok" "$arch: the cases assemble"
		return
	fi
	mapfile -t words < <(od -An -v -tx4 -w4 --endian="$endian" "$base.bin")
	printf '%s\n' "${words[@]}" | "$selftest" --decode "$arch" > "$base.got"
	mapfile -t wants < "$base.want"
	mapfile -t answers < "$base.got"
	if [[ "${#words[@]} ${#answers[@]}" != "${#wants[@]} ${#wants[@]}" ]]; then
		report "not ok" "$arch: one word and one answer per case"
		return
	fi
	for i in "${!wants[@]}"; do
		read -r kind class text <<< "${wants[i]}"
		if [[ ${answers[i]} == "$kind $class" ]]; then
			report ok "$arch: $text: $kind, $class"
		else
			report "not ok" "$arch: $text: $kind, $class"
			echo "# is ${answers[i]}"
		fi
	done
}

nios2=${NIOS2_CROSS:-nios2-linux-gnu-}
if ! command -v "${nios2}as" > /dev/null; then
	nios2=${TOOLCHAINS:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/kernel-tlb}/nios2-linux-gnu/bin/nios2-linux-gnu-
fi
check_arch nios2 "$nios2" little "qemu/toolchain.sh nios2-linux-gnu" \
	< <(nios2_table)
check_arch ppc "${PPC_CROSS:-powerpc-linux-gnu-}" big \
	"apt-get install binutils-powerpc-linux-gnu" -a32 < <(ppc_table)
check_arch or1k "${OR1K_CROSS:-or1k-elf-}" big "apt-get install binutils-or1k-elf" \
	< <(or1k_table)
echo "1..$n"
exit $bad
