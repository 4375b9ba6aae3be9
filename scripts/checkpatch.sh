#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# checkpatch.sh - the kernel's checkpatch.pl --strict over kmod/ and uapi/
#
# For `make kmod-checkpatch` and scripts/check.  The script is the kernel's own,
# out of the package linux-source-6.12 (scripts/vm-kernels), kept in
# build/kernels/checkpatch/.  Any message is a failure.  A file that must
# differ says why here, in TYPES.
#
#   scripts/checkpatch.sh [FILE]...     all of kmod/ and uapi/ if none given
set -euo pipefail
cd "$(dirname "$0")/.."

DIR=${LULL_KERNELS:-build/kernels}/checkpatch
TYPES=(
	# Wants a MAINTAINERS file, which belongs to the kernel's tree.
	FILE_PATH_CHANGES
	# 100 columns are the limit here, as in the kernel (checkpatch's own
	# default), but the tests of the length of strings are tidy.py's.
	LONG_LINE_STRING
)

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

if [ $# = 0 ]; then
	mapfile -t files < <(git ls-files -co --exclude-standard \
		'kmod/*.c' 'kmod/*.h' 'uapi/*.h')
	set -- "${files[@]}"
fi
[ $# -gt 0 ] || die "no files in kmod/ and uapi/"
ignored=$(IFS=, && echo "${TYPES[*]}")
perl "$DIR/checkpatch.pl" --no-tree --strict --terse --show-types \
	--no-summary --ignore "$ignored" --file "$@"
echo "checkpatch.sh: $# files, nothing to say"
