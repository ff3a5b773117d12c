#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Usage: translate.sh FILE
#
# Prints a source file of an architecture as the host can compile it: each instruction in it
# becomes a call of the model, with the operand it has in the kernel, and a UL
# literal gets the width of the address. Nothing else changes. An instruction
# in a form that is not known here is an error.

[ -f "$1" ] || { echo "error: no file '$1'" >&2; exit 1; }

text='asm volatile\s*\(\s*(("[^"]*"\s*)+)'
memory='\s*:\s*"memory"\s*'
out=$(sed -z -E "
	s/$text:\s*:\s*\"r\"\s*\(([^;]*)\)$memory\);/model_asm(\1, \3);/g
	s/$text(:\s*:$memory)?\);/model_asm(\1, 0);/g
	s/\b(0x[0-9a-fA-F]+|[0-9]+)UL\b/((unsigned long)\1)/g
" "$1") || exit 1

if printf '%s\n' "$out" | grep -nE '\b(asm|__asm__)\s*(volatile|__volatile__|inline|goto|\()'; then
	echo "error: $1: an instruction that translate.sh does not know" >&2
	exit 1
fi
printf '#line 1 "%s"\n%s\n' "$1" "$out"
