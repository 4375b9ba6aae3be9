#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# vm_test.sh - scripts/vm never takes a lost VM or an unhappy kernel for a pass
#
# For scripts/check; prints TAP.  Each case boots a VM.
# shellcheck disable=SC2317 # result() calls them
set -euo pipefail
cd "$(dirname "$0")/../.."

NR_CASES=11
# Long enough for a busy machine; the case of the time limit has its own.
LIMIT_S=240
# For one that ends while a command runs: long enough to boot here.  Where the
# command has not begun by then it is given more.
HANG_S=25
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
nr=0 failed=0

# result NAME WHAT...: TAP for whether the command WHAT is true.
result()
{
	local name=$1

	shift
	nr=$((nr + 1))
	if "$@"; then
		echo "ok $nr $name"
	else
		failed=1
		sed 's/^/# out: /' "$tmp/out"
		tail -n 20 "$tmp/err" | sed 's/^/# err: /'
		echo "# rc: $rc"
		echo "not ok $nr $name"
	fi
}

# vm ARGUMENT...: its outputs in files, its status in rc.
vm()
{
	rc=0
	scripts/vm --timeout "$LIMIT_S" --no-module --cpus 2 --memory 1G "$@" \
		>"$tmp/out" 2>"$tmp/err" || rc=$?
}

status_and_outputs()
{
	[ "$rc" = 7 ] && [ "$(cat "$tmp/out")" = "out $PWD a  b" ] &&
		[ "$(cat "$tmp/err")" = err ]
}

complains()
{
	[ "$rc" = 123 ] && grep -q "^vm: the kernel complained" "$tmp/err" &&
		grep -q "WARNING: of a test" "$tmp/err" &&
		[ "$(cat "$tmp/out")" = "done" ]
}

# One that was lost before it came up may be started again; this one is not.
died()
{
	[ "$rc" = 125 ] && [ "$(grep -c "Kernel panic" "$tmp/err")" = 1 ] &&
		grep -q "the VM died" "$tmp/err"
}

tried_again()
{
	[ "$rc" = 125 ] && [ "$(grep -c "once more" "$tmp/err")" = 2 ] &&
		grep -q "the VM died" "$tmp/err"
}

timed_out()
{
	[ "$rc" = 124 ] && grep -q "ran out of time" "$tmp/err" &&
		! grep -q "once more" "$tmp/err"
}

hang()
{
	local seconds

	for seconds in $HANG_S $LIMIT_S; do
		vm --timeout "$seconds" -- sh -c "echo begun; sleep $LIMIT_S"
		! grep -qx begun "$tmp/out" || return 0
	done
}

# By QEMU, twice for each processor, and by the kernel: what waits, for one.
says_where()
{
	timed_out && grep -qx begun "$tmp/out" &&
		[ "$(grep -c "^  RIP=.*HLT=" "$tmp/err")" = 4 ] &&
		grep -q "TB count" "$tmp/err" &&
		grep -q "sysrq: Show Blocked State" "$tmp/err" &&
		grep -q "Mem-Info:" "$tmp/err"
}

same_addresses()
{
	[ "$rc" = 0 ] && [ "$(wc -l <"$tmp/out")" = 2 ] &&
		[ "$(sort -u "$tmp/out" | wc -l)" = 1 ]
}

not_used_up()
{
	[ "$rc" = 0 ] && [ ! -e "$tmp/left" ] && [ -e "$tmp/share/left" ]
}

refused()
{
	[ "$rc" = 125 ] && grep -q "no kernel" "$tmp/err"
}

# Ended from outside, once QEMU runs.
ended()
{
	local pid

	scripts/vm --timeout "$LIMIT_S" --no-module -- sleep "$LIMIT_S" \
		>"$tmp/out" 2>"$tmp/err" &
	pid=$!
	while ! pgrep -f "qemu-system.*$tmp" >/dev/null; do
		kill -0 "$pid" || return 1
		sleep 0.2
	done
	kill "$pid"
	rc=0
	wait "$pid" || rc=$?
	[ "$rc" = 143 ] && ! pgrep -f "qemu-system.*$tmp" >/dev/null
}

nothing_left()
{
	! compgen -G "$TMPDIR/lull-vm.*" >/dev/null
}

echo "TAP version 13"
echo "1..$NR_CASES"
export TMPDIR=$tmp
# shellcheck disable=SC2016 # for the VM's shell
vm -- sh -c 'echo "out $PWD $1"; echo err >&2; exit 7' sh "a  b"
result "status, outputs, folder and words are the command's" status_and_outputs
vm -- sh -c 'echo "<3>WARNING: of a test" >/dev/kmsg; echo done'
result "a warning of the kernel is a failure" complains
vm -- sh -c 'echo c >/proc/sysrq-trigger'
result "a panic is a failure, with the console" died
vm --append rdinit=/none -- true
result "a VM that does not come up is started again, twice" tried_again
mkdir "$tmp/share"
vm --share "$tmp/share" -- touch "$tmp/left" "$tmp/share/left"
result "what is written stays in the VM, but for the shared folder" not_used_up
vm --timeout 2 -- true
result "the time limit" timed_out
hang
result "who runs out of time says where" says_where
vm -- sh -c 'for i in 1 2; do grep -m 1 libc.so /proc/self/maps; done'
result "a program is where it was, and not translated anew" same_addresses
vm --kernel "$tmp" -- true
result "a folder without a kernel" refused
result "who ends it ends QEMU" ended
result "no files are left" nothing_left
exit $failed
