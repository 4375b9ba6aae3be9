#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# checkpatch.sh - the kernel's checkpatch.pl --strict over kmod/ and uapi/
#
# For `make kmod-checkpatch` and scripts/check.  The script is the kernel's own,
# out of the package linux-source-6.12 (scripts/vm-kernels), kept in
# build/kernels/checkpatch/.  Any message is a failure.  What cannot be as it
# wants it has its reason here, in TYPES and TRACE_TYPES.
#
#   scripts/checkpatch.sh [FILE]...     all of kmod/ and uapi/ if none given
set -euo pipefail
cd "$(dirname "$0")/.."

DIR=${LULL_KERNELS:-build/kernels}/checkpatch
TYPES=(
	# Wants a MAINTAINERS file, which belongs to the kernel's tree.
	FILE_PATH_CHANGES
)
# TRACE_EVENT is no function, whatever its parentheses look like: the kernel's
# own trace headers have the same messages, and clang-format makes them.
TRACE_TYPES=("${TYPES[@]}" OPEN_ENDED_LINE PARENTHESIS_ALIGNMENT)

die()
{
	echo "checkpatch.sh: $*" >&2
	exit 1
}

if [ ! -f "$DIR/checkpatch.pl" ]; then
	tarball=$(scripts/vm-kernels --source)
	rm -rf "$DIR.new"
	mkdir -p "$DIR.new"
	tar -xJf "$tarball" -C "$DIR.new" --strip-components=2 --wildcards \
		'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch' ||
		die "no checkpatch.pl in $tarball"
	mv "$DIR.new" "$DIR"
fi

# check TYPES FILE...: with the names that the files would have in the kernel,
# because some rules go by them (uapi headers have no BIT()).
check()
{
	local ignored=$1

	shift
	perl "$DIR/checkpatch.pl" --no-tree --strict --terse --show-types \
		--no-summary --ignore "$ignored" --file "$@" |
		sed 's|^drivers/misc/lull/|kmod/|; s|^include/uapi/|uapi/|'
}

if [ $# = 0 ]; then
	mapfile -t files < <(git ls-files -co --exclude-standard \
		'kmod/*.c' 'kmod/*.h' 'uapi/*.h')
	set -- "${files[@]}"
fi
[ $# -gt 0 ] || die "no files in kmod/ and uapi/"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
DIR=$(realpath "$DIR")
code=() trace=()
for file in "$@"; do
	case "$file" in
	uapi/*) name=include/$file ;;
	*) name=drivers/misc/lull/$(basename "$file") ;;
	esac
	mkdir -p "$tree/$(dirname "$name")"
	cp "$file" "$tree/$name"
	case "$file" in
	*/trace.h) trace+=("$name") ;;
	*) code+=("$name") ;;
	esac
done

cd "$tree"
IFS=,
rc=0
[ ${#code[@]} = 0 ] || check "${TYPES[*]}" "${code[@]}" || rc=1
[ ${#trace[@]} = 0 ] || check "${TRACE_TYPES[*]}" "${trace[@]}" || rc=1
[ $rc = 0 ] || exit 1
echo "checkpatch.sh: $# files, nothing to say"
