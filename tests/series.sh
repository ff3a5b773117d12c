#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests of ../series: tests/series.sh [PRISTINE-KERNEL-TREE...]
#
# Prints TAP, exits 1 when a test fails. The first part runs a small overlay
# made here against small trees made here. The second part runs the real
# overlay against copies of the touched files of each given tree (default:
# out/src/*/stock, where present); the trees themselves are only read.
# SERIES=path tests another copy of the script.

set -u
LC_ALL=C
export LC_ALL
unset SERIES_ROOT CDPATH
GIT_CONFIG_GLOBAL=/dev/null
GIT_CONFIG_NOSYSTEM=1
GIT_AUTHOR_NAME=tester
GIT_AUTHOR_EMAIL=tester@example.org
GIT_COMMITTER_NAME=tester
GIT_COMMITTER_EMAIL=tester@example.org
export GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL \
	GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL

TOP=$(cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
SERIES=${SERIES:-$TOP/series}
W=$(mktemp -d -t series-test.XXXXXXXX) || exit 1
MOUNTED=
finish() {
	[ -z "$MOUNTED" ] || umount "$MOUNTED" 2>/dev/null
	rm -rf -- "$W"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
# Scratch directories of the script must not outlive it: they go here.
mkdir "$W/tmp"
TMPDIR=$W/tmp
export TMPDIR
# Another user must be able to walk to the trees in here.
chmod 755 "$W"
chmod 1777 "$W/tmp"

N=0
FAILED=0
SKIPPED=0

# result STATUS DESCRIPTION: what went wrong stands in $W/why.
result() {
	N=$((N + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $N - $2"
	else
		echo "not ok $N - $2"
		[ ! -s "$W/why" ] || sed 's/^/#   /' "$W/why" | head -n 20
		FAILED=$((FAILED + 1))
	fi
	: >"$W/why"
}
skip() {
	N=$((N + 1))
	SKIPPED=$((SKIPPED + 1))
	echo "ok $N - $1 # SKIP $2"
}
why() { printf '%s\n' "$*" >>"$W/why"; }

# Run the script; output and status in $W/out, $W/err, $RC.
run() {
	"$SERIES" "$@" >"$W/out" 2>"$W/err" </dev/null
	RC=$?
}

# What a tree holds: kind, mode, time, link target and content of everything.
# A directory's own time changes with the journal in it and tells nothing.
snap() {
	(
		cd -- "$1" || exit 1
		find . -name .git -prune -o -type f -printf '%p f %m %T@\n' -o \
			-printf '%p %y %m %l\n' | sort
		find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
	)
}
# The same without times, for a tree that was changed and changed back.
snap_text() { snap "$1" | sed 's/ f \([0-7]*\) .*/ f \1/'; }

# same BEFORE TREE: nothing changed, no litter anywhere.
same() {
	snap "$2" >"$W/now"
	diff "$1" "$W/now" >>"$W/why" || return 1
	no_litter
}
no_litter() {
	ls -A "$W/tmp" >"$W/litter"
	[ ! -s "$W/litter" ] || { why "litter: $(cat "$W/litter")"; return 1; }
}

# expect RC 'stdout pattern' [stderr line pattern] after run
expect() {
	bad=0
	[ "$RC" -eq "$1" ] || { why "exit $RC, not $1"; bad=1; }
	if [ -z "$2" ]; then
		[ ! -s "$W/out" ] || { why "prints on stdout"; bad=1; }
	else
		grep -qE -e "$2" "$W/out" || { why "stdout does not match $2"; bad=1; }
	fi
	if [ -z "${3-}" ]; then
		[ ! -s "$W/err" ] || { why "prints on stderr"; bad=1; }
	else
		[ "$(wc -l <"$W/err")" -eq 1 ] || { why "stderr is not one line"; bad=1; }
		grep -qE -e "$3" "$W/err" || { why "stderr does not match $3"; bad=1; }
	fi
	[ "$bad" -eq 0 ] || { cat "$W/out" "$W/err" >>"$W/why"; return 1; }
	no_litter
}

# expect_applies PATTERN: as it does on a stable release that came after the last tested
# one, too. The series warns of that, and nothing else.
expect_applies() {
	e_warns=
	[ ! -s "$W/err" ] || e_warns='warning: [0-9.]* is outside the range tested on '
	expect 0 "$1" "$e_warns"
}

# refuses 'what' TREE 'pattern' VERB ARGS...: one line, exit 1, nothing changed.
refuses() {
	r_what=$1
	r_tree=$2
	r_pat=$3
	shift 3
	snap "$r_tree" >"$W/before"
	run "$@"
	expect 1 '' "$r_pat" && same "$W/before" "$r_tree"
	result $? "refused: $r_what"
}

# --------------------------------------------------------------- a small world

# A kernel tree of a few files: fake_tree DIR VERSION PATCHLEVEL SUBLEVEL
fake_tree() {
	mkdir -p "$1/mm" "$1/include/linux" "$1/scripts" "$1/tools/testing/selftests"
	case $2.$3 in
	6.1) mkdir "$1/tools/testing/selftests/vm" ;;
	*) mkdir "$1/tools/testing/selftests/mm" ;;
	esac
	echo keep >"$1/tools/testing/selftests/$(ls "$1/tools/testing/selftests")/keep"
	cat >"$1/Makefile" <<-END
	# SPDX-License-Identifier: GPL-2.0
	VERSION = $2
	PATCHLEVEL = $3
	SUBLEVEL = $4
	EXTRAVERSION =
	END
	echo '# kbuild' >"$1/Kbuild"
	echo '/* mm */' >"$1/include/linux/mm.h"
	{
		printf 'List of maintainers\n===================\n\nM:\tnot an entry\n\n'
		printf 'Maintainers List\n----------------\n\n.. note:: read on\n\n'
		for t in '3C59X NETWORK DRIVER' 'ALPHA' 'KERNEL AUTOMOUNTER' 'KERNEL UNIT TESTING' \
			'KERNEL ABSURDLY MISPLACED' 'KEYS' 'ZSWAP' 'THE REST'; do
			printf '%s\nM:\tA <a@example.org>\nS:\tMaintained\nF:\tmm/\n\n' "$t"
		done
	} | sed '$d' >"$1/MAINTAINERS"
	{
		for i in 1 2 3 4 5 6 7 8 9; do echo "line $i"; done
		printf 'purge(min(start), max(end));\n'
		for i in 11 12 13 14 15 16 17 18 19; do echo "line $i"; done
		[ "$2.$3" != 6.1 ] || echo 'only in 6.1'
		echo tail
	} >"$1/mm/vmalloc.c"
	# No newline at its end, and a mode of its own.
	printf 'obj-y := vmalloc.o\nobj-y += z.o' >"$1/mm/Makefile"
	chmod 664 "$1/mm/Makefile"
	printf '#!/bin/sh\necho one\necho two\n' >"$1/scripts/tool"
	chmod 755 "$1/scripts/tool"
	find "$1" -exec touch -d '2020-01-01' {} +
}

# The overlay: three commits; `core` and `exact` change mm/vmalloc.c in a chain.
fake_root() {
	mkdir -p "$1/mm" "$1/include/linux" "$1/tools/testing/selftests/vm" \
		"$1/tools/testing/house/sub" "$1/patches/common" "$1/patches/6.1" \
		"$1/patches/6.12+7.3" "$1/patches/6.12" "$1/patches/7.3" "$1/src"
	echo '/* core */' >"$1/mm/tlb.c"
	echo '/* types */' >"$1/include/linux/tlb.h"
	printf '#!/bin/sh\ntrue\n' >"$1/tools/testing/selftests/vm/tlb.sh"
	chmod 755 "$1/tools/testing/selftests/vm/tlb.sh"
	echo a >"$1/tools/testing/house/a"
	echo b >"$1/tools/testing/house/sub/b"
	echo 'old only' >"$1/src/old"
	printf -- '-ktlb\n' >"$1/localversion-ktlb"
	cat >"$1/MAINTAINERS" <<-'END'
	# SPDX-License-Identifier: GPL-2.0
	KERNEL TLB RANGES
	M:	kernel-tlb developers <kernel-tlb@example.org>
	S:	Maintained
	F:	mm/tlb.c
	F:	tools/testing/selftests/vm/tlb*
	END
	cat >"$1/patches/order" <<-'END'
	# SPDX-License-Identifier: GPL-2.0

	01-core
	02-old      # only where it is needed
	05-exact
	07-docs
	END
	echo 'kernel-tlb developers <kernel-tlb@example.org>' >"$1/patches/author"
	printf 'mm: cover subject\n\nCover body.\n' >"$1/patches/cover.msg"
	echo 6.1.100 6.1.192 >"$1/patches/6.1/tested"
	echo '6.12.10 6.12.20 # range' >"$1/patches/6.12/tested"
	echo 7.3.4 >"$1/patches/7.3/tested"
	cat >"$1/patches/core.msg" <<-'END'
	mm: one decision point

	Why the core is there.

	# not a comment inside the body

	Link: https://example.org/report
	---
	# what it brings
	File: mm/tlb.c
	File: include/linux/tlb.h
	END
	cat >"$1/patches/old.msg" <<-'END'
	mm: what only the old base needs

	Why.

	Signed-off-by: Somebody <somebody@example.org>
	---
	Base: 6.1
	File: src/old -> mm/old.c
	END
	printf 'mm: exact ranges\n\nWhy exact.\n' >"$1/patches/exact.msg"
	cat >"$1/patches/docs.msg" <<-'END'
	MAINTAINERS: add the entry

	Why.
	---
	File: MAINTAINERS
	File: [-6.1] tools/testing/house/
	File: tools/testing/selftests/vm/tlb.sh
	END
	cat >"$1/patches/common/core.patch" <<-'END'
	Comment before the first file.
	--- a/mm/Makefile
	+++ b/mm/Makefile
	@@ -1,2 +1,3 @@
	 obj-y := vmalloc.o
	+obj-y += tlb.o
	 obj-y += z.o
	\ No newline at end of file
	--- a/scripts/tool
	+++ b/scripts/tool
	@@ -2,2 +2,2 @@
	 echo one
	-echo two
	+echo three
	END
	cat >"$1/patches/common/exact.patch" <<-'END'
	--- a/mm/vmalloc.c
	+++ b/mm/vmalloc.c
	@@ -9,3 +9,4 @@
	 line 9
	-purge(min(start), max(end));
	+collect();
	+purge(batch);
	 line 11
	END
	cat >"$1/patches/6.12+7.3/exact.patch" <<-'END'
	--- a/mm/vmalloc.c
	+++ b/mm/vmalloc.c
	@@ -11,2 +11,3 @@
	 purge(batch);
	+done();
	 line 11
	@@ -19,2 +20,3 @@
	 line 18
	+inserted
	 line 19
	END
	cat >"$1/patches/6.1/exact.patch" <<-'END'
	--- a/mm/vmalloc.c
	+++ b/mm/vmalloc.c
	@@ -20,3 +20,2 @@
	 line 19
	-only in 6.1
	 tail
	END
}

# What apply must make of fake tree $1, written down without the script.
fake_expected() {
	case $1 in
	*6.1) mm=vm base=6.1 ;;
	*) mm=mm base=6.12 ;;
	esac
	printf 'obj-y := vmalloc.o\nobj-y += tlb.o\nobj-y += z.o' >"$1/mm/Makefile"
	sed -i s/two/three/ "$1/scripts/tool"
	if [ $base = 6.1 ]; then
		sed -i -e 's/^purge.*/collect();\npurge(batch);/' -e '/only in/d' "$1/mm/vmalloc.c"
		cp "$F/src/old" "$1/mm/old.c"
	else
		sed -i -e 's/^purge.*/collect();\npurge(batch);\ndone();/' \
			-e 's/^line 18/line 18\ninserted/' "$1/mm/vmalloc.c"
		cp -r "$F/tools/testing/house" "$1/tools/testing/house"
	fi
	cp "$F/mm/tlb.c" "$1/mm"
	cp "$F/include/linux/tlb.h" "$1/include/linux"
	cp "$F/tools/testing/selftests/vm/tlb.sh" "$1/tools/testing/selftests/$mm"
	cp "$F/localversion-ktlb" "$1"
	sed '1d' "$F/MAINTAINERS" | sed "s,selftests/vm,selftests/$mm," >"$W/entry"
	echo >>"$W/entry"
	line=$(grep -n '^KERNEL UNIT' "$1/MAINTAINERS" | cut -d: -f1)
	sed -i "$((line - 1))r $W/entry" "$1/MAINTAINERS"
}

# A fresh copy of the pristine fake tree: fresh NAME; its path is $T.
fresh() {
	T=$W/${1:-t}
	rm -rf -- "$T"
	cp -a -- "$W/pristine" "$T"
}

git_tree() {
	git -C "$1" init -q --template= &&
		git -C "$1" add -A -f && git -C "$1" commit -q -m base
}

# A PATH shim for command $1 that runs $3 at its $2-th call instead of $1.
# It calls nothing by name: that could be itself.
shim() {
	rm -rf -- "${W:?}/bin"
	mkdir "$W/bin"
	echo 0 >"$W/bin/count"
	real=$(command -v "$1")
	cat >"$W/bin/$1" <<-END
	#!/bin/sh
	read -r n <"$W/bin/count"
	n=\$((n + 1))
	echo \$n >"$W/bin/count"
	if [ \$n -eq $2 ]; then
		$3
	fi
	exec $real "\$@"
	END
	chmod 755 "$W/bin/$1"
}
run_shimmed() {
	PATH=$W/bin:$PATH "$SERIES" "$@" >"$W/out" 2>"$W/err" </dev/null
	RC=$?
}
calls() { cat "$W/bin/count"; }

F=$W/overlay
fake_root "$F"
fake_tree "$W/pristine" 6 12 15
SERIES_ROOT=$F
export SERIES_ROOT

# ------------------------------------------------------------------------ usage

run --help
expect 0 '^usage: series apply TREE' && grep -q SERIES_ROOT "$W/out"
result $? "--help prints the usage"
for args in '' 'frobnicate x' 'apply' 'check a b' 'reverse' 'export x' 'export --base 6.12' \
	'export x --base' 'export x --frob' 'export x --base 6.x' 'export x y --base 6.12'; do
	# shellcheck disable=SC2086
	run $args
	expect 2 '' "series: .*series --help"
	result $? "usage error: 'series $args'"
done

# --------------------------------------------------- apply, check, reverse

fresh
snap "$T" >"$W/s0"
snap_text "$T" >"$W/s0t"
run check "$T"
expect 0 'would apply, 3 commits \(Linux 6.12.15, tested on 6.12.10 to 6.12.20\)' && same "$W/s0" "$T"
result $? "check: a pristine tree would take it, nothing changed"

run apply "$T"
cp -a "$W/pristine" "$W/expected"
fake_expected "$W/expected"
snap_text "$W/expected" >"$W/st"
snap_text "$T" >"$W/now"
expect 0 'applied, 3 commits' && diff "$W/st" "$W/now" >>"$W/why"
result $? "apply: the files are those written down by hand, modes included"

fresh
find "$T" -type f -links +1 | grep -q . && why "fixture has hard links"
cp -al "$T" "$W/linked"
snap_text "$W/linked" >"$W/st"
run apply "$T"
snap_text "$W/linked" >"$W/now"
expect 0 applied && diff "$W/st" "$W/now" >>"$W/why"
result $? "apply: a hard-linked copy of the tree keeps the old content"
rm -rf "$W/linked"

find "$T" -exec touch -d '2021-01-01' {} +
snap "$T" >"$W/s1"
run apply "$T"
expect 0 'already applied \(' && same "$W/s1" "$T"
result $? "apply: a second time says so and changes nothing"
run check "$T"
expect 0 'already applied' && same "$W/s1" "$T"
result $? "check: an applied tree is named as such"

run reverse "$T"
snap_text "$T" >"$W/now"
expect 0 'taken out' && diff "$W/s0t" "$W/now" >>"$W/why"
result $? "reverse: byte for byte as before, no directory left over"
[ -n "$(find "$T/mm/vmalloc.c" -newermt 2021-06-01)" ]
result $? "reverse: a changed file has a new time, so that make sees it"
snap "$T" >"$W/s1"
run reverse "$T"
expect 0 'not applied' && same "$W/s1" "$T"
result $? "reverse: a pristine tree is left alone"

fake_tree "$W/old6.1" 6 1 150
cp -a "$W/old6.1" "$W/want6.1"
fake_expected "$W/want6.1"
snap_text "$W/old6.1" >"$W/s0t"
run apply "$W/old6.1"
snap_text "$W/want6.1" >"$W/st"
snap_text "$W/old6.1" >"$W/now"
expect 0 applied && diff "$W/st" "$W/now" >>"$W/why"
result $? "apply: a base with selftests/vm, a file of its own and without common parts"
run reverse "$W/old6.1"
snap_text "$W/old6.1" >"$W/now"
expect 0 taken && diff "$W/s0t" "$W/now" >>"$W/why"
result $? "reverse: the same base"

snap_text "$W/pristine" >"$W/s0t"
snap_text "$W/expected" >"$W/st"
fresh 'a tree with  blanks'
run apply "$T" && expect 0 applied && snap_text "$T" >"$W/now" && diff "$W/st" "$W/now" >>"$W/why" &&
	run reverse "$T" && expect 0 taken && snap_text "$T" >"$W/now" && diff "$W/s0t" "$W/now" >>"$W/why"
result $? "a path with blanks: round trip"
rm -rf -- "$T"
fresh rel
(cd "$W" && run apply rel && expect 0 applied && run check ./rel/ && expect 0 already &&
	cd rel/mm && run reverse .. && expect 0 taken)
rc=$?
snap_text "$T" >"$W/now"
[ $rc -eq 0 ] && diff "$W/s0t" "$W/now" >>"$W/why"
result $? "relative paths: round trip"
fresh
ln -s "$T" "$W/link"
run apply "$W/link" && expect 0 applied && snap_text "$T" >"$W/now" && diff "$W/st" "$W/now" >>"$W/why"
result $? "a symbolic link to the tree: applied to what it names"
rm "$W/link"
mkdir -p "$W/copy/patches"
cp -r "$F/." "$W/copy/"
cp "$SERIES" "$W/copy/series"
ln -s "$W/copy/series" "$W/series-link"
fresh
(unset SERIES_ROOT; cd /; "$W/series-link" apply "$T") >"$W/out" 2>"$W/err"
RC=$?
expect 0 applied && snap_text "$T" >"$W/now" && diff "$W/st" "$W/now" >>"$W/why"
result $? "the overlay is found beside the script, through a symbolic link, from any directory"
rm -rf "$W/copy" "$W/series-link"

fresh
sed -i '1i added\nabove' "$T/mm/vmalloc.c"
snap_text "$T" >"$W/before"
run apply "$T"
expect 0 '[1-9] at an offset' && run reverse "$T" && expect 0 taken && snap_text "$T" >"$W/now" &&
	diff "$W/before" "$W/now" >>"$W/why"
result $? "moved lines: applies at an offset, says so, reverses"
fresh
run apply "$T"
sed -i 's/^line 2$/mine/' "$T/mm/vmalloc.c"
run reverse "$T"
sed 's/^line 2$/mine/' "$W/pristine/mm/vmalloc.c" >"$W/st"
expect 0 taken && cmp "$W/st" "$T/mm/vmalloc.c" >>"$W/why"
result $? "reverse: an edit elsewhere in a file stays"

fresh
sed -i 's/^SUBLEVEL.*/SUBLEVEL = 21/' "$T/Makefile"
run apply "$T"
expect 0 applied 'warning: 6.12.21 is outside the range tested on 6.12.10 to 6.12.20'
result $? "a sublevel above the tested range: warned, applied"
fresh
sed -i 's/^SUBLEVEL.*/SUBLEVEL = 9/' "$T/Makefile"
run check "$T"
expect 0 'would apply' 'warning: 6.12.9 is outside'
result $? "a sublevel below the tested range: warned"
for n in 10 20; do
	sed -i "s/^SUBLEVEL.*/SUBLEVEL = $n/" "$T/Makefile"
	run check "$T"
	expect 0 'would apply'
	result $? "sublevel $n is inside the tested range: no warning"
done

# --------------------------------------------------------------------- refusals

for verb in apply check reverse; do
	fresh
	refuses "$verb: no such directory" "$T" 'is not a directory: name' "$verb" "$T/nowhere"
	refuses "$verb: a file" "$T" 'is not a directory: name' "$verb" "$T/Makefile"
	refuses "$verb: a directory inside a tree" "$T" 'not the top of a kernel tree: it has no Kbuild' "$verb" "$T/mm"
	sed -i /PATCHLEVEL/d "$T/Makefile"
	refuses "$verb: a Makefile without version" "$T" 'is not a kernel tree' "$verb" "$T"
	fresh
	sed -i 's/^PATCHLEVEL.*/PATCHLEVEL = 13/' "$T/Makefile"
	refuses "$verb: unknown version" "$T" 'is Linux 6\.13\.15, and there are patches for 6\.1 6\.12 7\.3 only' "$verb" "$T"
	fresh
	sed -i 's/^line 9$/line nine/' "$T/mm/vmalloc.c"
	refuses "$verb: context differs (no fuzz), file and hunk named" "$T" \
		'mm/vmalloc\.c: hunk 1 at line 9 of patches/common/exact\.patch does not apply' "$verb" "$T"
	fresh
	sed -i 's/^line 18$/line eighteen/' "$T/mm/vmalloc.c"
	refuses "$verb: second hunk of a chained patch, after all others applied" "$T" \
		'mm/vmalloc\.c: hunk 2 at line 20 of patches/6\.12\+7\.3/exact\.patch does not apply' "$verb" "$T"
	fresh
	rm "$T/scripts/tool"
	refuses "$verb: a file is missing" "$T" 'lacks scripts/tool' "$verb" "$T"
	fresh
	echo foreign >"$T/mm/tlb.c"
	refuses "$verb: an overlay path has other content" "$T" 'already has mm/tlb\.c with other content' "$verb" "$T"
	fresh
	mkdir "$T/mm/tlb.c"
	refuses "$verb: an overlay path is a directory" "$T" 'already has mm/tlb\.c with other content' "$verb" "$T"
	fresh
	echo -- -mine >"$T/localversion-ktlb"
	refuses "$verb: localversion-ktlb has other content" "$T" 'already has localversion-ktlb' "$verb" "$T"
	fresh
	sed -i 's/^KEYS$/KERNEL TLB RANGES/' "$T/MAINTAINERS"
	refuses "$verb: our MAINTAINERS title is taken" "$T" 'MAINTAINERS already has an entry of our title' "$verb" "$T"

	# Patched in part, each way.
	fresh
	cp "$F/mm/tlb.c" "$T/mm/tlb.c"
	refuses "$verb: only one overlay file is in" "$T" 'patched in part.*mm/tlb\.c is there, include/linux/tlb\.h is missing' "$verb" "$T"
	fresh
	(cd "$T" && patch -s -p1 <"$F/patches/common/core.patch")
	refuses "$verb: only the hunks of one commit are in" "$T" 'patched in part.*has the hunks of patches/common/core\.patch' "$verb" "$T"
	fresh
	cp "$W/expected/MAINTAINERS" "$T"
	refuses "$verb: only the MAINTAINERS entry is in" "$T" 'patched in part.*MAINTAINERS has our entry' "$verb" "$T"
	fresh
	cp "$F/localversion-ktlb" "$T"
	refuses "$verb: only localversion-ktlb is in" "$T" 'patched in part.*localversion-ktlb is there' "$verb" "$T"
	fresh
	run apply "$T"
	rm "$T/mm/tlb.c"
	refuses "$verb: all but one overlay file is in" "$T" 'patched in part.*mm/tlb\.c is missing' "$verb" "$T"
	fresh
	run apply "$T"
	cp "$W/pristine/mm/Makefile" "$T/mm/"
	refuses "$verb: all but one hunk is in" "$T" 'was changed since.*mm/Makefile' "$verb" "$T"
	fresh
	run apply "$T"
	cp "$W/pristine/MAINTAINERS" "$T"
	refuses "$verb: all but the MAINTAINERS entry is in" "$T" 'was changed since.*MAINTAINERS' "$verb" "$T"

	# Edited since.
	fresh
	run apply "$T"
	echo '/* mine */' >>"$T/mm/tlb.c"
	refuses "$verb: an overlay file was edited since" "$T" 'changed since.*mm/tlb\.c differs' "$verb" "$T"
	fresh
	run apply "$T"
	sed -i 's/^purge(batch)/purge(mine)/' "$T/mm/vmalloc.c"
	refuses "$verb: a patched line was edited since" "$T" 'changed since.*mm/vmalloc\.c: hunk 1' "$verb" "$T"
	fresh
	run apply "$T"
	sed -i 's/^F:	mm.tlb.c/&x/' "$T/MAINTAINERS"
	refuses "$verb: our MAINTAINERS entry was edited since" "$T" 'changed since.*MAINTAINERS' "$verb" "$T"

	# Symbolic links out of the tree.
	fresh
	mkdir "$W/outside"
	cp -a "$T/mm/." "$W/outside/"
	rm -r "$T/mm"
	ln -s ../outside "$T/mm"
	snap "$W/outside" >"$W/so"
	refuses "$verb: a directory is a symbolic link" "$T" 'leads through a symbolic link \(mm\)' "$verb" "$T"
	snap "$W/outside" | diff "$W/so" - >>"$W/why"
	result $? "$verb: what the link names is untouched"
	rm -r "$W/outside"
	fresh
	ln -s "$W/elsewhere" "$T/mm/tlb.c"
	refuses "$verb: an overlay path is a dangling link" "$T" 'leads through a symbolic link \(mm/tlb\.c\)' "$verb" "$T"
	[ ! -e "$W/elsewhere" ]
	result $? "$verb: nothing is made where the link points"
done

# An insertion whose context occurs twice applies a second time at an offset.
fresh
cp -r "$F" "$W/twice"
sed -i 's/^line 11$/line 18/; s/^line 12$/line 19/' "$T/mm/vmalloc.c"
cat >"$W/twice/patches/6.12+7.3/exact.patch" <<-'END'
	--- a/mm/vmalloc.c
	+++ b/mm/vmalloc.c
	@@ -19,2 +19,3 @@
	 line 18
	+inserted
	 line 19
	END
rm "$W/twice/patches/common/exact.patch"
sed -i '18a inserted' "$T/mm/vmalloc.c"
SERIES_ROOT=$W/twice
refuses "a hunk that is in but would apply again elsewhere" "$T" 'patched in part.*mm/vmalloc\.c has the hunks' apply "$T"
SERIES_ROOT=$F
rm -r "$W/twice"

# Git checkouts.
fresh
git_tree "$T"
run check "$T"
expect 0 'would apply'
result $? "a clean git checkout: would apply"
sed -i '1a # mine' "$T/scripts/tool"
refuses "a git checkout with a change in a file that we touch" "$T" 'uncommitted changes in scripts/tool' apply "$T"
refuses "check says so too" "$T" 'uncommitted changes in scripts/tool' check "$T"
git -C "$T" commit -q -a -m mine
echo '# mine' >>"$T/Kbuild"
run apply "$T"
expect 0 applied
result $? "a git checkout with a change elsewhere: applied"
run reverse "$T"
git -C "$T" checkout -q Kbuild
expect 0 taken && git -C "$T" status --porcelain --ignored >"$W/why" && [ ! -s "$W/why" ]
result $? "a git checkout is clean after apply and reverse"
sed -i s/A/B/ "$T/MAINTAINERS"
git -C "$T" add MAINTAINERS
refuses "a git checkout with a staged change in MAINTAINERS" "$T" 'uncommitted changes in MAINTAINERS' apply "$T"
fresh outer
git_tree "$T"
echo inner >"$T/.gitignore"
cp -a "$W/pristine" "$T/inner"
run apply "$T/inner"
expect 0 applied
result $? "a plain tree in an ignored directory of some git checkout: applied"
rm -rf "$T"
fresh
git_tree "$T"
git -C "$T" config core.fsmonitor "touch $W/hooked; false"
git -C "$T" config filter.x.clean "touch $W/hooked; cat"
mkdir -p "$T/.git/info"
echo '* filter=x' >"$T/.git/info/attributes"
run apply "$T"
expect 0 applied && [ ! -e "$W/hooked" ]
result $? "commands in the tree's git configuration do not run"

# As another user, in a tree that is not his.
as_nobody() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
cp "$SERIES" "$W/series-copy"
if as_nobody test -x "$W/series-copy"; then
	for dir in . mm tools/testing; do
		fresh
		if [ "$(id -u)" -eq 0 ]; then chown -R 65534:65534 "$T"; fi
		chmod a-w "$T/$dir"
		snap "$T" >"$W/before"
		for verb in apply check; do
			as_nobody env SERIES_ROOT="$F" "$W/series-copy" $verb "$T" >"$W/out" 2>"$W/err"
			RC=$?
			expect 1 '' 'cannot be written' && same "$W/before" "$T"
			result $? "refused: $verb: directory $dir is read-only"
		done
		chmod u+w "$T/$dir"
	done
	fresh
	if [ "$(id -u)" -eq 0 ]; then chown -R 65534:65534 "$T"; fi
	as_nobody env SERIES_ROOT="$F" "$W/series-copy" apply "$T" >"$W/out" 2>"$W/err"
	RC=$?
	chmod a-w "$T/mm"
	snap "$T" >"$W/before"
	as_nobody env SERIES_ROOT="$F" "$W/series-copy" reverse "$T" >"$W/out" 2>"$W/err"
	RC=$?
	expect 1 '' 'cannot be written' && same "$W/before" "$T"
	result $? "refused: reverse: directory mm is read-only"
	chmod u+w "$T/mm"
	fresh
	if [ "$(id -u)" -eq 0 ]; then chown -R 65534:65534 "$T"; fi
	chmod 0 "$T/mm/vmalloc.c"
	snap_text "$T" >"$W/before"
	as_nobody env SERIES_ROOT="$F" "$W/series-copy" apply "$T" >"$W/out" 2>"$W/err"
	RC=$?
	expect 1 '' 'mm/vmalloc.c cannot be copied' && snap_text "$T" | diff "$W/before" - >>"$W/why"
	result $? "refused: apply: a file that cannot be read"
else
	skip "read-only trees" "no setpriv to become another user"
fi
rm "$W/series-copy"

# ----------------------------------------------------------- stopped half way

# Each move of a file into place, and each other step, is made to fail in turn:
# with an error, with a signal, and with a kill that leaves no time to tidy up.
for verb in apply reverse; do
	fresh
	[ $verb = apply ] || run apply "$T"
	find "$T" -exec touch -d '2021-01-01' {} +
	cp -a "$T" "$W/start"
	for cmd in mv mkdir cp rm tac patch; do
		shim $cmd 0 :
		run_shimmed $verb "$T"
		[ "$RC" -eq 0 ] || why "$verb with a shim for $cmd fails by itself: $(cat "$W/err")"
		total=$(calls)
		[ "$total" -gt 0 ] || why "the shim for $cmd is not called"
		[ ! -s "$W/why" ]
		result $? "$verb: $total calls of $cmd can be made to fail"
		for how in error TERM KILL; do
			# 2 is what patch returns when it is in trouble; cp on a
			# full disk leaves a file without its end.
			case $cmd-$how in
			cp-error) action="for f; do :; done; [ -d \"\$f\" ] || : >\"\$f\"; echo mock: disk full >&2; exit 1" ;;
			*-error) action='echo "mock: No space left on device" >&2; exit 2' ;;
			mv-*) action="kill -$how \$PPID; exit 1" ;;
			*) continue ;;
			esac
			bad=0
			n=0
			while [ $n -lt "$total" ]; do
				n=$((n + 1))
				rm -rf "$T"
				cp -a "$W/start" "$T"
				snap "$T" >"$W/before"
				shim $cmd $n "$action"
				run_shimmed $verb "$T"
				case $RC-$cmd in
				0-rm)
					# Litter only; the next run must find all done, and tidy up.
					rm -rf "$W"/tmp/*
					run $verb "$T"
					expect 0 'already applied|not applied' || bad=1
					[ ! -e "$T/.series-ktlb" ] || { why "$cmd call $n: journal left"; bad=1; }
					continue ;;
				0-*)	why "$cmd call $n: $how goes unnoticed"
					bad=1
					continue ;;
				esac
				if [ $how != KILL ]; then
					[ "$(wc -l <"$W/err")" -eq 1 ] || { why "$cmd call $n: $(cat "$W/err")"; bad=1; }
				else
					rm -rf "$W"/tmp/*
					if [ -e "$T/.series-ktlb/plan" ]; then
						run check "$T"
						expect 1 '' 'killed half way' || { why "$cmd call $n: check"; bad=1; }
					fi
					# The verb that does nothing here but put things back.
					if [ $verb = apply ]; then run reverse "$T"; else run apply "$T"; fi
					grep -qE 'not applied|already applied' "$W/out" || { cat "$W/out" "$W/err" >>"$W/why"; bad=1; }
				fi
				[ $cmd != rm ] || rm -rf "$W"/tmp/*
				same "$W/before" "$T" || { why "$cmd call $n: $how leaves changes"; bad=1; }
			done
			result $bad "$verb: $how at each call of $cmd leaves the tree as it was"
		done
	done
	rm -rf "$W/start"
done
rm -rf "${W:?}/bin"

fresh
mkdir "$T/.series-ktlb"
echo $$ >"$T/.series-ktlb/pid"
refuses "another run works on the tree" "$T" "process $$ works on" apply "$T"
rm -r "$T/.series-ktlb"
ln -s "$W/tmp" "$T/.series-ktlb"
refuses "the journal is a symbolic link" "$T" 'in the way and not ours' apply "$T"
rm "$T/.series-ktlb"
mkdir "$T/.series-ktlb"
echo precious >"$W/victim"
for line in 'C ../victim' "C $W/victim" 'C mm/../../victim'; do
	echo "$line" >"$T/.series-ktlb/plan"
	cp "$T/.series-ktlb/plan" "$T/.series-ktlb/undo"
	refuses "a forged journal with '${line#C }'" "$T" 'damaged' apply "$T"
done
[ -s "$W/victim" ]
result $? "a forged journal reaches nothing outside"
rm -r "$T/.series-ktlb"

if [ "$(id -u)" -eq 0 ] && mkdir "$W/small" && mount -t tmpfs -o size=256k none "$W/small" 2>/dev/null; then
	MOUNTED=$W/small
	T=$W/small/t
	cp -a "$W/pristine" "$T"
	ok=0
	bad=0
	# From no room at all upwards, until it fits.
	for room in 0 4 8 12 16 24 32 48 64 96 128; do
		rm -f "$W/small/fill"
		free=$(df --output=avail -k "$W/small" | tail -n 1)
		[ "$room" -lt "$free" ] || break
		dd if=/dev/zero of="$W/small/fill" bs=1k count=$((free - room)) 2>/dev/null
		snap "$T" >"$W/before"
		run apply "$T"
		[ "$RC" -ne 0 ] || break
		ok=$((ok + 1))
		expect 1 '' 'No space|no room|cannot' || bad=1
		same "$W/before" "$T" || { why "room for $room k"; bad=1; }
	done
	if [ $ok -le 1 ] || [ "$RC" -ne 0 ]; then
		why "$ok runs ran out of room, last exit $RC"
		bad=1
	fi
	result $bad "apply: a full disk leaves the tree as it was"
	umount "$W/small"
	MOUNTED=
else
	skip "apply: a full disk leaves the tree as it was" "cannot mount a small file system here"
fi

# ----------------------------------------------------------------------- export

fresh
run export "$W/mail" --base 6.12 --tree "$T"
expect 0 '3 patches and a cover letter for Linux 6.12.15'
result $? "export: says what it made"
printf '%s\n' 0000-cover-letter.patch 0001-mm-one-decision-point.patch 0002-mm-exact-ranges.patch \
	0003-MAINTAINERS-add-the-entry.patch >"$W/st"
# shellcheck disable=SC2012
ls -A "$W/mail" | diff "$W/st" - >>"$W/why"
result $? "export: one file per commit of this base, and the cover letter"
grep -q '^Subject: \[PATCH 0/3\] mm: cover subject$' "$W/mail/0000-cover-letter.patch" &&
	grep -q '^Cover body\.$' "$W/mail/0000-cover-letter.patch" &&
	! grep -q '\*\*\*' "$W/mail/0000-cover-letter.patch"
result $? "export: the cover letter is patches/cover.msg"
[ "$(head -qn 1 "$W"/mail/*.patch | grep -c "^From 0000000000000000000000000000000000000000 ")" -eq 4 ] &&
	[ "$(grep -l '^From: kernel-tlb developers <kernel-tlb@example.org>$' "$W"/mail/* | wc -l)" -eq 4 ] &&
	[ "$(grep -l '^Signed-off-by: kernel-tlb developers' "$W"/mail/000[123]* | wc -l)" -eq 3 ]
result $? "export: no commit ids, the author of patches/author, signed off"
! grep -lE "$W|tester|^File:|^Base:" "$W"/mail/* >>"$W/why"
result $? "export: nothing of this machine or of the .msg block shows"
grep -A 2 '^# not a comment' "$W/mail/0001"* | grep -q '^Link: ' &&
	grep -B 1 '^Signed-off-by' "$W/mail/0001"* | grep -q '^Link: '
result $? "export: the message is kept, sign-off joined to its trailers"

GIT_AUTHOR_DATE='2001-01-01T00:00:00' HOME=$W TZ=Asia/Tokyo
export GIT_AUTHOR_DATE HOME TZ
printf '[format]\nsignature=x\nattach=true\nthread=true\n[diff]\ncontext=9\nnoprefix=true\n' >"$W/.gitconfig"
(
	unset GIT_CONFIG_GLOBAL
	umask 077
	cd "$T/mm" && COLUMNS=200 GIT_DIR=$W/nowhere run export ../../mail2 --tree="$T" --base=6.12
	exit "$RC"
)
rc=$?
unset GIT_AUTHOR_DATE TZ
[ $rc -eq 0 ] && diff -r "$W/mail" "$W/mail2" >>"$W/why"
result $? "export: the same bytes for another user, zone, place and git configuration"
rm -rf "$W/mail2" "$W/.gitconfig"
snap "$T" >"$W/now"
snap "$W/pristine" | diff - "$W/now" >>"$W/why"
result $? "export: the tree is untouched"

git_tree "$T"
git -C "$T" am -q "$W"/mail/000[1-9]*.patch >>"$W/why" 2>&1
rc=$?
rm -rf "$W/t2"
cp -a "$W/pristine" "$W/t2"
run apply "$W/t2"
rm "$W/t2/localversion-ktlb"
# git knows one bit of a mode only.
chmod 644 "$W/t2/mm/Makefile" "$T/mm/Makefile"
snap_text "$W/t2" >"$W/st"
snap_text "$T" >"$W/now"
[ $rc -eq 0 ] && diff "$W/st" "$W/now" >>"$W/why"
result $? "export: git am gives what apply gives"
snap "$T" >"$W/before"
run apply "$T"
expect 0 'already applied, without localversion-ktlb' && same "$W/before" "$T"
result $? "apply: a tree that took the mails is named as applied"
git -C "$T" show --stat=200 --format= HEAD~2 | awk 'NF > 2 && /\|/ { print $1 }' | sort >"$W/now"
printf '%s\n' include/linux/tlb.h mm/Makefile mm/tlb.c scripts/tool | diff - "$W/now" >>"$W/why"
result $? "export: a commit holds its own files and hunks only"

refuses "export: the directory is not empty" "$W/mail" 'is not empty' export "$W/mail" --base 6.12 --tree "$W/pristine"
refuses "export: the directory is a file" "$W/mail" 'is not a directory' export "$W/mail/0000-cover-letter.patch" --base 6.12 --tree "$W/pristine"
refuses "export: unknown base" "$W/mail" 'no base 9\.9: there are 6\.1 6\.12 7\.3' export "$W/m" --base 9.9 --tree "$W/pristine"
refuses "export: another base than the tree" "$W/mail" 'is Linux 6\.12\.15, not 7\.3' export "$W/m" --base 7.3 --tree "$W/pristine"
refuses "export: no tree" "$W/mail" 'out/src/6\.12/stock does not exist: name' export "$W/m" --base 6.12
refuses "export: an applied tree" "$W/mail" 'needs a pristine tree' export "$W/m" --base 6.12 --tree "$W/t2"
fresh
echo x >"$T/mm/tlb.c"
refuses "export: a tree that cannot take it" "$T" 'other content' export "$W/m" --base 6.12 --tree "$T"
[ ! -e "$W/m" ]
result $? "export: a refusal makes no directory"
mkdir -p "$F/out/src/6.12" "$W/empty"
cp -a "$W/pristine" "$F/out/src/6.12/stock"
run export "$W/empty" --base 6.12
expect 0 '3 patches' && diff -r "$W/mail" "$W/empty" >>"$W/why"
result $? "export: into an empty directory, from out/src/6.12/stock"
rm -r "$F/out" "$W/empty" "$W/mail"
fresh
git_tree "$T"
git -C "$T" tag -a -m v v6.12.15
run export "$W/mail" --base 6.12 --tree "$T"
expect 0 '3 patches' && grep -qx "base-commit: $(git -C "$T" rev-parse HEAD)" "$W/mail/0000-cover-letter.patch"
result $? "export: base-commit when the tree is at a release tag"
rm -r "$W/mail" "$W/t2"

# ------------------------------------------------------- mistakes in the overlay

# broken 'what' 'pattern' 'shell commands in a copy of the overlay'
broken() {
	rm -rf "$W/broken"
	cp -a "$F" "$W/broken"
	(cd "$W/broken" && eval "$3")
	fresh
	SERIES_ROOT=$W/broken
	refuses "overlay: $1" "$T" "$2" check "$T"
	SERIES_ROOT=$F
}
broken "no order" 'patches/order does not exist' 'rm patches/order'
broken "order names a role twice" 'patches/order:7: role core is taken' 'echo 09-core >>patches/order'
broken "order not rising" 'patches/order:7: numbers must rise' 'echo 03-more >>patches/order'
broken "order with a bad word" 'patches/order:7: expected NN-role' 'echo more >>patches/order'
broken "a message is missing" 'patches/docs\.msg does not exist' 'rm patches/docs.msg'
broken "a message nobody lists" 'patches/stray\.msg: patches/order does not list' 'cp patches/core.msg patches/stray.msg'
broken "a patch nobody lists" 'patches/6\.12/stray\.patch: patches/order does not list' 'cp patches/common/core.patch patches/6.12/stray.patch'
broken "no subject" 'patches/exact\.msg:1: no subject' ': >patches/exact.msg'
broken "no blank line after the subject" 'patches/exact\.msg:2: the second line' 'printf "a\nb\n" >patches/exact.msg'
broken "an unknown line in the block" 'patches/core\.msg:12: only File: and Base:' 'echo "Fil: x" >>patches/core.msg'
broken "a bad condition" 'patches/core\.msg:12: a condition is' 'echo "File: [six] x" >>patches/core.msg'
broken "a path with .." 'patches/core\.msg:12: not a plain relative path' 'echo "File: mm/tlb.c -> mm/../../x" >>patches/core.msg'
broken "an absolute path" 'patches/core\.msg:12: not a plain relative path' 'echo "File: mm/tlb.c -> /x" >>patches/core.msg'
broken "a file that is not there" 'patches/core\.msg: mm/none\.c does not exist' 'echo "File: mm/none.c" >>patches/core.msg'
broken "a file that is a link" 'patches/core\.msg: mm/l is a symbolic link' 'ln -s tlb.c mm/l; echo "File: mm/l" >>patches/core.msg'
broken "a file twice" 'include/linux/tlb\.h is brought twice' 'echo "File: include/linux/tlb.h" >>patches/docs.msg'
broken "a commit without content" 'patches/exact\.msg: the commit would be empty on 6\.12' 'rm patches/*/exact.patch'
broken "a hunk too short" 'patches/common/core\.patch:[0-9]+: hunk ends' 'sed -i "s/^@@ -1,2 +1,3/@@ -1,3 +1,4/" patches/common/core.patch'
broken "a hunk too long" 'patches/common/core\.patch:[0-9]+: hunk is longer' 'sed -i "s/^@@ -1,2 +1,3/@@ -1,1 +1,2/" patches/common/core.patch'
broken "a patch that ends early" 'patches/common/core\.patch:[0-9]+: ends inside' 'sed -i "/echo three/d" patches/common/core.patch'
broken "a patch that makes a file" 'patches/common/core\.patch:2: expected --- a/path' 'sed -i "s,^--- a/mm/Makefile,--- /dev/null," patches/common/core.patch'
broken "a patch between two names" 'patches/common/core\.patch:3: expected \+\+\+ b/mm/Makefile' 'sed -i "s,^+++ b/mm/Makefile,+++ b/mm/Kconfig," patches/common/core.patch'
broken "a patch without hunk" 'patches/common/core\.patch:[0-9]+: holds no hunk' 'echo text >patches/common/core.patch'
broken "a patch to an overlay file" 'a hunk changes mm/tlb\.c' 'sed -i s,mm/Makefile,mm/tlb.c, patches/common/core.patch'
broken "a tested range of another base" 'patches/6\.12/tested: expected' 'echo 6.1.1 6.1.2 >patches/6.12/tested'
broken "a MAINTAINERS fragment that is none" 'MAINTAINERS: expected entries' 'echo free text >>MAINTAINERS'
rm -rf "$W/broken"
fresh
mv "$F/patches/author" "$W/author"
refuses "export: no author" "$T" 'patches/author: expected' export "$W/m" --base 6.12 --tree "$T"
mv "$W/author" "$F/patches/author"
mv "$F/patches/cover.msg" "$W/cover.msg"
refuses "export: no cover letter" "$T" 'patches/cover\.msg does not exist' export "$W/m" --base 6.12 --tree "$T"
mv "$W/cover.msg" "$F/patches/cover.msg"

# Build output in an overlay directory stays out when git can tell.
cp -a "$F" "$W/gitroot"
(cd "$W/gitroot" && git init -q --template= && echo '*.o' >.gitignore && git add -A && : >tools/testing/house/x.o &&
	echo new >tools/testing/house/new)
fresh
SERIES_ROOT=$W/gitroot
run apply "$T"
SERIES_ROOT=$F
expect 0 applied && [ -e "$T/tools/testing/house/new" ] && [ ! -e "$T/tools/testing/house/x.o" ]
result $? "overlay: an ignored file in a directory is left out, a new one is not"
rm -rf "$W/gitroot"

# -------------------------------------------------------------- the real overlay

unset SERIES_ROOT
if [ $# -eq 0 ]; then
	for t in "$TOP"/out/src/*/stock; do
		[ ! -d "$t" ] || set -- "$@" "$t"
	done
fi
if [ ! -f "$TOP/patches/order" ]; then
	skip "the real overlay" "patches/order does not exist"
	set --
elif [ $# -eq 0 ]; then
	skip "the real overlay" "no pristine tree given, none in out/src/*/stock"
fi

if [ -f "$TOP/patches/order" ]; then
	# Each overlay file belongs to a commit of some base, or it would not ship.
	(
		cd "$TOP" || exit 1
		sed -n '/^---$/,$s/^File: *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\).*/\2/p' patches/*.msg | sed 's,/$,,' >"$W/named"
		if [ -e .git ]; then
			git ls-files -co --exclude-standard -- include mm arch lib tools/testing Documentation
		else
			find include mm arch lib tools/testing Documentation -type f 2>/dev/null
		fi | sort -u | while read -r f; do
			[ -f "$f" ] || continue
			d=$f
			while ! grep -qxF -e "$d" "$W/named"; do
				case $d in
				*/*) d=${d%/*} ;;
				*)	echo "no File: line brings $f"
					break ;;
				esac
			done
		done
	) >"$W/why" 2>&1
	[ ! -s "$W/why" ]
	result $? "real overlay: every file is brought by a commit"

	# One text, one place: the same hunk for the same role and file twice?
	for p in "$TOP"/patches/*/*.patch; do
		[ -f "$p" ] || continue
		awk -v role="${p##*/}" -v name="${p#"$TOP"/}" '
		function out() { if (text != "") print role " " path " " text "\t" name; text = "" }
		/^--- a\// { out(); path = $2; next }
		/^\+\+\+ b\// { next }
		/^@@ / { out(); text = "@"; next }
		text != "" && /^[-+ \\]/ { gsub(/\t/, "  "); text = text "|" $0 }
		END { out() }' "$p"
	done | sort | awk -F '\t' '$1 == last && $2 != name { split($1, w, " "); print w[2] ": the same hunk in " name " and " $2 }
		{ last = $1; name = $2 }' >"$W/why"
	[ ! -s "$W/why" ]
	result $? "real overlay: no hunk stands twice"
fi

# From here on a copy: an overlay file that is being edited is no failure.
if [ $# -gt 0 ]; then
	SERIES_ROOT=$W/snapshot
	mkdir "$SERIES_ROOT"
	for d in include mm arch lib tools/testing Documentation MAINTAINERS localversion-ktlb patches; do
		if [ -e "$TOP/.git" ]; then
			git -C "$TOP" ls-files -co --exclude-standard -- "$d"
		elif [ -e "$TOP/$d" ]; then
			(cd "$TOP" && find "$d" -type f)
		fi
	done | while read -r f; do
		[ ! -e "$TOP/$f" ] || { mkdir -p "$SERIES_ROOT/$(dirname "$f")" && cp -p "$TOP/$f" "$SERIES_ROOT/$f"; }
	done
	export SERIES_ROOT
	TOP=$SERIES_ROOT
fi

for tree; do
	name=$(sed -n 's/^VERSION = //p' "$tree/Makefile" 2>/dev/null).$(sed -n 's/^PATCHLEVEL = //p' "$tree/Makefile" 2>/dev/null)
	R=$W/real
	rm -rf "$R"
	mkdir "$R"
	cp "$tree/Makefile" "$tree/MAINTAINERS" "$tree/Kbuild" "$R/" || { result 1 "$tree: copied"; continue; }
	for d in mm vm; do
		[ ! -d "$tree/tools/testing/selftests/$d" ] || mkdir -p "$R/tools/testing/selftests/$d"
	done
	sed -n 's,^--- a/\([^	 ]*\).*,\1,p' "$TOP"/patches/*/*.patch | sort -u | while read -r f; do
		[ ! -f "$tree/$f" ] || { mkdir -p "$R/$(dirname "$f")" && cp -p "$tree/$f" "$R/$f"; }
	done
	find "$R" -exec touch -d '2020-01-01' {} +
	cp -a "$R" "$W/real0"
	snap_text "$R" >"$W/s0t"
	snap "$R" >"$W/s0"

	run check "$R"
	expect_applies 'would apply' && same "$W/s0" "$R"
	result $? "$name: check says it applies"
	[ "$RC" -eq 0 ] || { rm -rf "$W/real0"; continue; }
	run apply "$R"
	expect_applies 'applied, '
	result $? "$name: apply"
	grep -qw offset "$W/out" && echo "# $name: $(cat "$W/out")"
	find "$R" -name '*.orig' -o -name '*.rej' -o -name '.series*' >"$W/why"
	[ ! -s "$W/why" ]
	result $? "$name: no rejects, nothing left over"
	snap "$R" >"$W/s1"
	run apply "$R"
	expect_applies 'already applied' && same "$W/s1" "$R"
	result $? "$name: apply again changes nothing"
	diff "$W/real0/MAINTAINERS" "$R/MAINTAINERS" | grep '^[<>]' >"$W/delta"
	if [ -s "$W/delta" ]; then
		sed '/^#/d; /^$/d' "$TOP/MAINTAINERS" | sed -n '/^[A-Z]:	/!p' >"$W/titles"
		awk 'NR == FNR { ours[$0] = 1; next }
		/^Maintainers List/ { list = 1 }
		list && /^[A-Z]:\t/ && title {
			me = toupper(prev)
			if (check && before != "" && me != "THE REST" && me < before) print "before " prev ": wrong place"
			check = 0
			if (prev in ours) { if (me < last) print prev " after " last; check = 1; before = me; n++ }
			last = me
		}
		{ title = (blank && $0 !~ /^[A-Z]:[ \t]/ && $0 != ""); prev = $0; blank = ($0 == "") }
		END { if (!n) print "no entry of ours" }' "$W/titles" "$R/MAINTAINERS" >"$W/why"
		grep -q '^<' "$W/delta" && why "lines were taken out of MAINTAINERS"
		[ ! -s "$W/why" ]
		result $? "$name: our MAINTAINERS entry stands in alphabetical place"
	fi
	cp -a "$R" "$W/real1"
	run reverse "$R"
	snap_text "$R" >"$W/now"
	expect_applies 'taken out' && diff "$W/s0t" "$W/now" >>"$W/why"
	result $? "$name: reverse gives every byte back"

	run export "$W/mail" --base "$name" --tree "$W/real0"
	expect_applies 'patches and a cover letter'
	result $? "$name: export"
	rm -rf "$R"
	cp -a "$W/real0" "$R"
	# Every patch of the series must apply alone after the ones before it.
	git_tree "$R" && git -C "$R" am -q "$W"/mail/000[1-9]*.patch "$W"/mail/00[1-9]*.patch >"$W/why" 2>&1
	rm -f "$W/real1/localversion-ktlb"
	snap_text "$R" | sed 's/ f \([0-7]*\)$/ f/' >"$W/now"
	snap_text "$W/real1" | sed 's/ f \([0-7]*\)$/ f/' >"$W/st"
	diff "$W/st" "$W/now" >"$W/why"
	result $? "$name: git am of the export gives what apply gives"
	[ "$(git -C "$R" rev-list --count HEAD)" -eq $(($(find "$W/mail" -name '*.patch' | wc -l))) ]
	result $? "$name: one commit per patch"
	rm -rf "$W/mail" "$W/real0" "$W/real1"
done

echo "1..$N"
echo "# $((N - FAILED - SKIPPED)) passed, $FAILED failed, $SKIPPED skipped"
[ "$FAILED" -eq 0 ]
