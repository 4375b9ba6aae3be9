#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# vm.sh - the arena's tests in a machine that has all that they can ask for
#
# As root in a virtual machine (scripts/check):
#
#   scripts/vm --nodes 2 --memory 5G --disk 256M \
#           --append "hugepagesz=1G hugepages=1" -- \
#           selftests/arena/vm.sh BUILD_DIR [--brief]
#
# --brief leaves out steady, which takes longer than all others together.
# Elsewhere they run with the others, and skip what the host does not have.
# Here, what is skipped for any reason that is not given below has failed.  The
# last line is as run.sh's.
set -euo pipefail
cd "$(dirname "$0")/../.."

BUILD=${1:?usage: selftests/arena/vm.sh BUILD_DIR [--brief]}
# Enough for any of them on each of two nodes.
NR_HUGEPAGES=600
NOT_HERE='of malloc carriers|the module is loaded'
NOT_HERE+='|root may use every device'
# Not thp and malloc, which are the same everywhere.
PROGRAMS=(arena/cgroup arena/choose arena/doctor arena/gigantic arena/hugetlb
	arena/module arena/nodes arena/yield cli/arena faults/arena load/module
	load/units)
[ "${2:-}" = --brief ] || PROGRAMS+=(arena/steady)
export LULL_STEADY_LOG2_ROWS=12
# Of this machine, the one file system that is read past the page cache.
export TMPDIR=/mnt

if [ -z "${LULL_VM:-}" ]; then
	echo "vm.sh: this takes the machine's memory: in a virtual one only" >&2
	exit 2
fi
echo $NR_HUGEPAGES >/proc/sys/vm/nr_hugepages
# Cgroups of version 2, of which this machine mounts none by itself.
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
# It would unmap pages to see who touches them: faults that steady counts.
echo 0 >/proc/sys/kernel/numa_balancing
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rc=0
LULL_TEST_JOBS=1 selftests/run.sh "$BUILD" \
	"${PROGRAMS[@]/#/$BUILD/selftests/}" | tee "$log" | sed '$d' || rc=$?
missing=$(grep '^  skipped ' "$log" | grep -cvE "$NOT_HERE" || true)
grep '^  skipped ' "$log" | grep -vE "$NOT_HERE" |
	sed 's/^  skipped /  FAILED must not be skipped here: /' || true
tail -n 1 "$log" | awk -v missing="$missing" '{
	printf "%d passed, %d failed, %d skipped\n", $1, $3 + missing,
		$5 - missing
}'
[ "$rc" = 0 ] && [ "$missing" = 0 ]
