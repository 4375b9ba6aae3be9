#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# run_test.sh - selftests/run.sh never takes a lost result for a pass
#
# For scripts/check; prints TAP.  Each case is one small program, and the last
# line and the exit status that run.sh must give for it.
set -euo pipefail
cd "$(dirname "$0")/../.."

NR_CASES=16
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/selftests/area"
nr=0 failed=0
# What run.sh is given besides.
words=()

# program NAME BODY: a shell program.
program()
{
	printf '#!/bin/bash\n%s\n' "$2" >"$tmp/selftests/area/$1"
	chmod +x "$tmp/selftests/area/$1"
}

# expect NAME EXIT LINE [BODY]: of the programs that are there, the last is BODY.
expect()
{
	local name=$1 want="exit $2: $3" rc=0 got

	[ $# = 3 ] || program program "$4"
	got=$(LULL_TEST_TIMEOUT=${limit_s:-60} \
		selftests/run.sh "$tmp" "${words[@]}" 2>&1) ||
		rc=$?
	got="exit $rc: ${got##*$'\n'}"
	nr=$((nr + 1))
	if [ "$got" = "$want" ]; then
		echo "ok $nr $name"
	else
		failed=1
		echo "# expected $want"
		echo "# found    $got"
		echo "not ok $nr $name"
	fi
}

echo "TAP version 13"
echo "1..$NR_CASES"
expect "all pass" 0 "2 passed, 0 failed" \
	'printf "TAP version 13\n1..2\nok 1 a\nok 2 b\n"'
expect "plan at the end" 0 "1 passed, 0 failed" \
	'printf "ok 1 a\n1..1\n"'
expect "one fails" 1 "1 passed, 1 failed" \
	'printf "1..2\n# wrong\nnot ok 1 a\nok 2 b\n"; exit 1'
expect "one fails, exit 0" 1 "1 passed, 1 failed" \
	'printf "1..2\nnot ok 1 a\nok 2 b\n"'
expect "one is skipped" 0 "1 passed, 0 failed, 1 skipped" \
	'printf "1..2\nok 1 a\nok 2 b # SKIP no device\n"'
expect "all are skipped" 1 "0 passed, 0 failed, 1 skipped" \
	'echo "1..0 # SKIP no device"'
expect "dies" 1 "1 passed, 2 failed" \
	'printf "1..3\nok 1 a\n"; kill -SEGV $$'
expect "dies after its last result" 1 "1 passed, 1 failed" \
	'printf "1..1\nok 1 a\n"; kill -SEGV $$'
expect "ends early" 1 "1 passed, 2 failed" \
	'printf "1..3\nok 1 a\n"'
expect "prints more than its plan" 1 "2 passed, 1 failed" \
	'printf "1..1\nok 1 a\nok 2 b\n"'
expect "exit 3 and no failure" 1 "1 passed, 1 failed" \
	'printf "1..1\nok 1 a\n"; exit 3'
expect "no plan" 1 "0 passed, 1 failed" 'echo hello'
limit_s=5 expect "runs out of time" 1 "1 passed, 1 failed" \
	'printf "1..2\nok 1 a\n"; exec sleep 60'
# Of two at a time the first waits for what the third does.
program 1 "until [ -e $tmp/done ]; do sleep 0.1; done; printf '1..1\nok 1 a\n'"
program 2 "printf '1..1\nok 1 a\n'"
program 3 "touch $tmp/done; printf '1..1\nok 1 a\n'"
rm "$tmp/selftests/area/program"
LULL_TEST_JOBS=2 expect "the next begins when any has ended" 0 \
	"3 passed, 0 failed"
program 1 'echo hello'
words=(-area/1)
expect "one is left out" 0 "2 passed, 0 failed"
words=(-area/1 -area/4)
expect "one that is not there is left out" 2 \
	"run.sh: no 'area/4' to leave out in $tmp"
exit $failed
