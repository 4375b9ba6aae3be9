#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check-gen.sh - userspace/curve/gen/ is what scripts/gen-curves.py writes
#
# For scripts/check: nobody may edit a generated constant by hand.
set -euo pipefail
cd "$(dirname "$0")/.."

GEN=userspace/curve/gen
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

scripts/gen-curves.py "$tmp" >/dev/null
if ! diff -ru "$GEN" "$tmp"; then
	echo "check-gen: $GEN differs; run scripts/gen-curves.py and commit"
	exit 1
fi
