#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check-symbols.sh - the library's names keep to themselves
#
#   scripts/check-symbols.sh BUILD_DIR
#
# For scripts/check.  Every global of liblull.a begins with lull_ (a static
# library shares one name space with its users), liblull.so exports exactly
# what userspace/lull.map lists, and that is what the public
# headers mark LULL_API.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C

BUILD=${1:?usage: scripts/check-symbols.sh BUILD_DIR}
MAP=userspace/lull.map
HEADERS=(userspace/include/*.h)
rc=0

# say TITLE NAMES: a fault if there are names.
say()
{
	[ -n "$2" ] || return 0
	echo "check-symbols: $1:"
	printf '%s\n' "$2" | sed 's/^/    /'
	rc=1
}

# Sanitizers and coverage add names of their own (__asan..., __odr...).
globals=$(nm -g --defined-only "$BUILD/liblull.a" | awk 'NF == 3 { print $3 }' |
	sort -u)
say "liblull.a has globals without lull_" \
	"$(grep -vE '^(lull_|__)' <<<"$globals" || true)"

exported=$(nm -D --defined-only "$BUILD/liblull.so" |
	awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
listed=$(sed 's|/\*.*\*/||; s/#.*//' "$MAP" |
	awk '/local:/ { exit } { print }' | grep -oE '\blull_\w+ *;' |
	tr -d ' ;' | sort -u)
marked=$(cat "${HEADERS[@]}" | tr '\n' ' ' | grep -oE 'LULL_API [^;]*;' |
	grep -oE '\blull_\w+ *\(' | tr -d ' (' | sort -u)

[ -n "$exported" ] || say "liblull.so" "exports nothing"
say "exported by liblull.so, not in $MAP" \
	"$(comm -23 <(echo "$exported") <(echo "$listed"))"
say "in $MAP, not exported by liblull.so" \
	"$(comm -13 <(echo "$exported") <(echo "$listed"))"
say "in $MAP, not marked LULL_API in ${HEADERS[*]}" \
	"$(comm -23 <(echo "$listed") <(echo "$marked"))"
say "marked LULL_API in ${HEADERS[*]}, not in $MAP" \
	"$(comm -13 <(echo "$listed") <(echo "$marked"))"
exit $rc
