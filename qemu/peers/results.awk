# SPDX-License-Identifier: GPL-2.0
#
# Reads what qemu/peers/guest wrote and prints a line for each test that a suite
# has a result of: SUITE, pass|fail|skip and the test's name, between tabs. The
# exit code of a suite is a test of its own, "exit", except where it says nothing.

function result(verdict, name)
{
	gsub(/[ \t]+/, " ", name)
	sub(/ $/, "", name)
	if (name == "")
		name = "unnamed"
	# The same name again is another test.
	if (seen[suite, name]++)
		name = name " (" seen[suite, name] ")"
	printf "%s\t%s\t%s\n", suite, verdict, name
}

function kselftest(line,	verdict)
{
	verdict = line ~ /^not / ? "fail" : line ~ /# *SKIP/ ? "skip" : "pass"
	sub(/^(not )?ok [0-9]+ *(- )?/, "", line)
	sub(/ *# .*/, "", line)
	result(verdict, line)
}

{ gsub(/\r/, "") }

/^suite / { suite = $2; next }

/^end / {
	if (suite != "test_vmalloc")
		result($3 == 0 ? "pass" : $3 == 4 ? "skip" : "fail", "exit")
	suite = ""
	next
}

suite == "" || !/^\| / { next }

{ sub(/^\| /, "") }

suite == "test_vmalloc" && match($0, /Summary: [a-z0-9_]+ passed: [0-9]+ failed: [0-9]+/) {
	split(substr($0, RSTART, RLENGTH), part, / /)
	result(part[4] > 0 && part[6] == 0 ? "pass" : "fail", part[2])
	next
}

suite ~ /^test_bpf_/ && /Summary: / {
	text = $0
	sub(/.*test_bpf: /, "", text)
	name = text ~ /^[a-z_]+: / ? substr(text, 1, index(text, ":") - 1) : "test_bpf"
	jited = text ~ /\[[1-9][0-9]*\/[0-9]+ JIT/
	jit = suite ~ /_jit$/ ? " by the JIT" : " by the interpreter"
	result(text ~ / 0 FAILED/ && text ~ /: [1-9][0-9]* PASSED/ ? "pass" : "fail", \
		name " has no failure")
	if (text ~ /JIT/)
		result(jited == (suite ~ /_jit$/) ? "pass" : "fail", name jit)
	next
}

suite ~ /^test_bpf_/ && match($0, /test_bpf: #[0-9]+ /) {
	test = substr($0, RSTART + 10)
	sub(/ (jited:[01] .*|PASS|FAIL.*|)$/, "", test)
}

# Another message may come between the name and the verdict.
suite ~ /^test_bpf_/ {
	if (test != "" && $0 ~ /(PASS|FAIL.*)$/) {
		result($0 ~ /PASS$/ ? "pass" : "fail", test)
		test = ""
	}
	next
}

suite == "cyclictest" && /^cycles wanted: / { cycles = $3 }

# It ends when the first thread has done its cycles.
suite == "cyclictest" && match($0, /^T: *[0-9]+ .*C: *[0-9]+/) {
	text = substr($0, RSTART, RLENGTH)
	sub(/.*C: */, "", text)
	result(text + 0 >= (thread++ ? 1 : cycles) ? "pass" : "fail", "thread " thread)
	next
}

# "stress-ng: metrc: [9] fork 100 10.52 ...": a stressor and what it did.
suite == "stress_ng" && $2 == "metrc:" && $5 ~ /^[0-9]+$/ && NF > 8 {
	result($5 > 0 ? "pass" : "fail", $4)
	next
}

/^(not )?ok [0-9]+/ { kselftest($0) }
