#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs_test.sh - scripts/check-docs.py finds names of nothing, and no others
#
# For scripts/check; prints TAP.  Each case is one line of a README in a small
# tree, and what the script must say of it; the last ones are of pages that
# contradict each other, the folder or the module.
set -euo pipefail
cd "$(dirname "$0")/../.."

NR_CASES=14
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
git -C "$tmp" init -q
mkdir -p "$tmp"/{scripts,userspace/msm,Documentation/internals}
cp scripts/check-docs.py "$tmp/scripts/"
touch "$tmp"/userspace/msm/{plan,sum}.c "$tmp/Documentation/internals/msm.rst"
nr=0 failed=0

# expect NAME LINE SAID
expect()
{
	local got rc=0 want_rc=0

	echo "$2" >"$tmp/README.md"
	got=$("$tmp/scripts/check-docs.py" 2>&1) || rc=$?
	[ -z "$3" ] || want_rc=1
	nr=$((nr + 1))
	if [ "$got" = "$3" ] && [ $rc = $want_rc ]; then
		echo "ok $nr $1"
	else
		failed=1
		echo "# expected exit $want_rc: $3"
		echo "# found    exit $rc: $got"
		echo "not ok $nr $1"
	fi
}

echo "TAP version 13"
echo "1..$NR_CASES"
expect "from the root" "\`userspace/msm/plan.c\` and userspace/msm/." ""
expect "shorter" "msm/plan.c, internals/msm.rst, (internals/msm)" ""
expect "of several" "msm/*.c" ""
expect "of other trees" "/usr/userspace/x, a/b, build/msm/x, ~/msm/x" ""
expect "a file that is not there" "See \`msm/plan.h\`." \
	"README.md:1: msm/plan.h"
expect "a folder that is not there" "scripts/none/" "README.md:1: scripts/none"
expect "a stem's beginning" "internals/ms" "README.md:1: internals/ms"
rm "$tmp/userspace/msm/plan.c"
expect "a file that is gone" "userspace/msm/plan.c" \
	"README.md:1: userspace/msm/plan.c"

cd "$tmp"
index=Documentation/index.rst
echo "\`\`internals/\`\`" >$index
printf 'One\n===\n' | tee Documentation/internals/{msm,ntt}.rst >/dev/null
expect "two pages of one title" "" "Documentation/internals/ntt.rst: the title \
of Documentation/internals/msm.rst: One"
printf 'Two\n===\n' >Documentation/internals/ntt.rst
mkdir Documentation/results
expect "a folder that is not in the index" "" "$index: no results"
rmdir Documentation/results

abi=Documentation/ABI/testing/sysfs-class-misc-lull_arena
page=Documentation/admin-guide/lull-arena.rst
mkdir -p kmod Documentation/ABI/testing Documentation/admin-guide
echo "\`\`ABI/\`\` \`\`admin-guide/\`\`" >>$index
printf '\tSTATE(live, LIVE),\n\t{ __ATTR(pages, 0644, show, store),\n' \
	>kmod/sysfs.c
echo 'module_param_named(gap, lull_gap, uint, 0444);' >kmod/pool.c
printf 'What:\t\t/sys/%s\n' live node0/pages >$abi
echo "gap  how far" >$page
expect "a module as it is described" "" ""
echo "What:		/sys/pages2" >>$abi
expect "a file in sysfs that is not there" "" \
	"$abi: pages2, which kmod/sysfs.c has not"
echo "What:		/sys/live" >$abi
echo >$page
expect "what is not described" "" "$abi: no pages
$page: no gap"
echo 'getenv("HOW")' >userspace/msm/sum.c
expect "a variable that is not told" "" "$abi: no pages
userspace/msm/sum.c: HOW stands in no manual page
$page: no gap"
exit $failed
