#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# packaging_test.sh - what `make dkms-install` installs works
#
# For scripts/check; prints TAP.  DKMS builds the module from the installed
# files alone, in folders of the test's own; a VM loads it and has udev, sysusers
# and tmpfiles read the installed rules.
# shellcheck disable=SC2317 # result() calls them
set -euo pipefail
cd "$(dirname "$0")/../.."

NR_CASES=8
LIMIT_S=400
KERNELS=${LULL_KERNELS:-build/kernels}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
dest=$tmp/dest
nr=0 failed=0

# result NAME WHAT...: TAP for whether the command WHAT is true; its output is
# shown if not.
result()
{
	local name=$1

	shift
	nr=$((nr + 1))
	if "$@" >"$tmp/log" 2>&1; then
		echo "ok $nr $name"
	else
		failed=1
		tail -n 30 "$tmp/log" | sed 's/^/# /'
		echo "not ok $nr $name"
	fi
}

install_files()
{
	make -s dkms-install DESTDIR="$dest" &&
		[ -f "$dest/usr/src/lull-arena-$version/dkms.conf" ] &&
		[ -f "$dest/usr/lib/udev/rules.d/70-lull-arena.rules" ]
}

# Signing would make a key for this machine.
dkms_build()
{
	mkdir -p "$dest/var/lib/dkms"
	sign_file=/nonexistent dkms build "lull-arena/$version" -k "$release" \
		--dkmstree "$dest/var/lib/dkms" --sourcetree "$dest/usr/src" \
		--kernelsourcedir "$(realpath "$KERNELS/$release/headers")" ||
		return 1
	find "$dest/var/lib/dkms" -name 'lull_arena.ko.xz' -exec xz -dk {} +
	find "$dest/var/lib/dkms" -name 'lull_arena.ko' -exec cp {} "$tmp/" \;
	[ -f "$tmp/lull_arena.ko" ]
}

# The VM's part: one line for each thing that is so.
cat >"$tmp/in-the-vm" <<'END'
dest=$1
device=/dev/lull_arena
files=/sys/class/misc/lull_arena
reserve=8388608

systemd-sysusers "$dest/usr/lib/sysusers.d/lull-arena.conf"
getent group lull >/dev/null && echo "group"
mkdir -p /run/udev/rules.d
cp "$dest/usr/lib/udev/rules.d/70-lull-arena.rules" /run/udev/rules.d/
/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add --sysname-match=lull_arena
udevadm settle --timeout=60
[ "$(stat -c '%U %G %a' $device)" = "root lull 660" ] && echo "owner"
as() { setpriv --reuid 65534 --regid 65534 "$@"; }
as --clear-groups test -w $device || echo "stranger refused"
as --groups "$(getent group lull | cut -d: -f3)" test -w $device &&
	echo "member"
[ "$(cat $files/reserve_bytes)" = $reserve ] && echo "parameter"
sed "s/ [0-9]*\$/ 4194304/" \
	"$dest"/usr/local/share/doc/lull-arena/examples/tmpfiles.conf >/run/lull.conf
systemd-tmpfiles --create /run/lull.conf
[ "$(cat $files/node1/reserve_bytes)" = 4194304 ] && echo "tmpfiles"
END

in_the_vm()
{
	scripts/vm --timeout $LIMIT_S --cpus 2 --nodes 2 --memory 2G \
		--module "$tmp/lull_arena.ko" \
		--module-params "reserve_bytes=8388608" \
		-- bash "$tmp/in-the-vm" "$dest" >"$tmp/said" 2>"$tmp/err" || true
}

said()
{
	cat "$tmp/said" "$tmp/err"
	grep -qx "$1" "$tmp/said"
}

version=$(sed -n 's/^.define LULL_VERSION "\(.*\)"/\1/p' userspace/include/lull.h)
release=$(scripts/vm-kernels --list | tail -n 1)
echo "TAP version 13"
echo "1..$NR_CASES"
result "the files are installed" install_files
result "DKMS builds the module from them" dkms_build
in_the_vm
result "the group exists" said group
result "udev gives the device to it" said owner
result "no other user may open the device" said "stranger refused"
result "a member may" said member
result "a reserve is set by a parameter" said parameter
result "a reserve of a node is set by tmpfiles" said tmpfiles
exit $failed
