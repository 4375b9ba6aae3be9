#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# run.sh - run test programs, read their TAP, count
#
#   selftests/run.sh BUILD_DIR                 every program in BUILD_DIR/selftests
#   selftests/run.sh BUILD_DIR input curve     those of these areas
#   selftests/run.sh BUILD_DIR ./x/y.py        any program that prints TAP
#   selftests/run.sh BUILD_DIR -faults -cli/key   all but this area and program
#
# Runs them from the root of the tree with LULL_BUILD=BUILD_DIR, as many at a
# time as there are processors (LULL_TEST_JOBS), each for LULL_TEST_TIMEOUT
# seconds at most.  A program that dies, ends early, runs out of time or prints
# no plan has failed, whatever it printed before.  Each program's line ends with
# its time and the processors' time that it had, which a busy machine does not
# lengthen.  The last line is "N passed, N failed", and ", N skipped" where some
# were.  Exit 0 only when something passed and nothing failed.
set -euo pipefail
cd "$(dirname "$0")/.."
ulimit -c 0

JOBS=${LULL_TEST_JOBS:-$(nproc)}
TIMEOUT=${LULL_TEST_TIMEOUT:-600}
# What timeout(1) returns for a program that it ended; 137 if it had to kill.
RC_TIMEOUT=124

usage()
{
	echo "usage: selftests/run.sh BUILD_DIR [-][AREA|PROGRAM]..." >&2
	exit 2
}

if [ $# -lt 1 ] || [ ! -d "$1" ]; then
	usage
fi
BUILD=${1%/}
shift
export LULL_BUILD=$BUILD

# programs_in WHAT: of an area or all of them, one a line.
programs_in()
{
	find "$BUILD/selftests${1:+/$1}" -type f -perm -u+x ! -name '*.o' |
		LC_ALL=C sort
}

programs=() without=()
for what in "$@"; do
	[ "${what#-}" = "$what" ] || without+=("${what#-}")
done
[ ${#without[@]} -lt $# ] || set -- "" "$@"
for what in "$@"; do
	if [ "${what#-}" != "$what" ]; then
		continue
	elif [ -f "$what" ] && [ -x "$what" ]; then
		programs+=("$what")
	elif [ -d "$BUILD/selftests/$what" ]; then
		mapfile -t found < <(programs_in "$what")
		programs+=("${found[@]}")
	else
		echo "run.sh: no area or program '$what' in $BUILD" >&2
		exit 2
	fi
done

for what in "${without[@]}"; do
	kept=()
	for program in "${programs[@]}"; do
		case "$program" in
		"$BUILD/selftests/$what" | "$BUILD/selftests/$what"/*) ;;
		*) kept+=("$program") ;;
		esac
	done
	if [ ${#kept[@]} = ${#programs[@]} ]; then
		echo "run.sh: no '$what' to leave out in $BUILD" >&2
		exit 2
	fi
	programs=("${kept[@]}")
done

tmp=$(mktemp -d)
pids=()
trap 'rm -rf "$tmp"' EXIT
trap 'kill "${pids[@]}" 2>/dev/null || true; exit 130' INT TERM

start()
{
	local i=$1

	(
		rc=0
		TIMEFORMAT='%3R %3U %3S'
		{
			time timeout -k 10 "$TIMEOUT" "${programs[$i]}" \
				>"$tmp/$i.out" 2>&1 </dev/null || rc=$?
		} 2>"$tmp/$i.time"
		# Whole at once: who sees it may read all.
		tail -n 1 "$tmp/$i.time" | sed "s/^/$rc /; s/[.]//g" \
			>"$tmp/$i.rc.part"
		mv "$tmp/$i.rc.part" "$tmp/$i.rc"
	) 2>/dev/null &
	pids[i]=$!
}

# One program's output -> text for the reader, and "passed failed skipped" on
# the last line.  A diagnostic ("# ...") belongs to the result that follows it.
# shellcheck disable=SC2016 # the dollars are awk's
READ_TAP='
function diagnose(what) { print "  FAILED " name ": " what }
/^1\.\.[0-9]+/ {
	planned = 1; plan = substr($1, 4) + 0
	if (plan == 0 && match($0, /# *[Ss][Kk][Ii][Pp][^ ]* */)) {
		skipped++
		print "  skipped " name ": " substr($0, RSTART + RLENGTH)
	}
	next
}
/^(not )?ok( |$)/ {
	results++
	title = $0
	sub(/^(not )?ok *[0-9]* *(- )?/, "", title)
	if ($1 == "ok" && match(title, / *# *[Ss][Kk][Ii][Pp][^ ]* */)) {
		skipped++
		print "  skipped " name ": " substr(title, 1, RSTART - 1) \
			": " substr(title, RSTART + RLENGTH)
	} else if ($1 == "ok") {
		passed++
	} else {
		failed++
		diagnose(title)
		printf "%s", said
	}
	said = ""
	next
}
/^TAP version/ { next }
/^Bail out!/ { bailed = 1 }
{ said = said "    " $0 "\n" }
END {
	why = ""
	if (rc == rc_timeout || (rc > 128 && ms >= timeout * 1000))
		why = "ran out of time (" timeout " s)"
	else if (rc > 128)
		why = "ended by signal " (rc - 128)
	else if (bailed)
		why = "bailed out"
	else if (!planned)
		why = "printed no plan, exit " rc
	else if (rc != 0 && failed == 0)
		why = "exit " rc " though no test failed"
	else if (results != plan)
		why = "printed " results + 0 " results, planned " plan
	if (why != "") {
		lost = plan - results
		failed += lost > 0 ? lost : 1
		diagnose(why)
		printf "%s", said
	}
	printf "%d %d %d\n", passed, failed, skipped
}'

report()
{
	local i=$1 rc ms user system text counts p f s

	read -r rc ms user system <"$tmp/$i.rc"
	ms=$((10#$ms))
	text=$(awk -v name="${programs[$i]#"$BUILD"/selftests/}" -v rc="$rc" \
		-v rc_timeout=$RC_TIMEOUT -v ms="$ms" \
		-v timeout="$TIMEOUT" "$READ_TAP" "$tmp/$i.out")
	counts=${text##*$'\n'}
	read -r p f s <<<"$counts"
	printf '%-44s %4d passed, %d failed, %d skipped, %d ms, %d of CPU\n' \
		"${programs[$i]#"$BUILD"/selftests/}" "$p" "$f" "$s" "$ms" \
		$((10#$user + 10#$system))
	[ "$text" = "$counts" ] || printf '%s\n' "${text%$'\n'*}"
	passed=$((passed + p))
	failed=$((failed + f))
	skipped=$((skipped + s))
}

# Whoever ends makes room for the next; the reports keep the programs' order.
passed=0 failed=0 skipped=0 started=0 running=0 reported=0
while [ "$reported" -lt ${#programs[@]} ]; do
	while [ "$started" -lt ${#programs[@]} ] &&
		[ "$running" -lt "$JOBS" ]; do
		start "$started"
		started=$((started + 1)) running=$((running + 1))
	done
	wait -n -p ended || true
	if [ -z "${ended:-}" ]; then
		echo "run.sh: ${programs[$reported]} left no status" >&2
		exit 1
	fi
	running=$((running - 1))
	while [ -f "$tmp/$reported.rc" ]; do
		report "$reported"
		reported=$((reported + 1))
	done
done

line="$passed passed, $failed failed"
[ "$skipped" = 0 ] || line="$line, $skipped skipped"
echo "$line"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
