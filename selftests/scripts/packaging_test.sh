#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# packaging_test.sh - what `make dkms-install` installs works, and goes again
#
# For scripts/check; prints TAP.  The real installation is done in this machine's
# file system with a layer in memory over it, for the newest of the fetched
# kernels, and so is its removal; with the last process the layer is gone.  A VM
# loads the module that DKMS installed there, and has udev, sysusers and tmpfiles
# read the installed rules.
# shellcheck disable=SC2317 # result() calls them
set -euo pipefail
cd "$(dirname "$0")/../.."

NR_CASES=12
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

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# The outer part has the mounts to itself.  What is read from the layer is put
# into the test's folder, which is the same on both sides.
cat >"$tmp/outer" <<'END'
set -euo pipefail
tmp=$1 kernel=$2 release=$3
layer=$tmp/layer
root=$layer/root
mkdir -p "$layer" "$tmp/real"
mount -t tmpfs layer "$layer"
mkdir "$layer"/{root,files,files.work,modules,modules.work}
mount -t overlay overlay "$root" -o \
	"lowerdir=/,upperdir=$layer/files,workdir=$layer/files.work"
mkdir -p "$root/lib/modules"
mount -t overlay overlay "$root/lib/modules" -o \
	"lowerdir=$kernel/lib/modules,upperdir=$layer/modules,workdir=$layer/modules.work"
ln -s "$(realpath "$kernel/headers")" "$root/lib/modules/$release/build"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs run "$root/run"
mount --bind "$tmp/real" "$root/mnt"
chroot "$root" bash "$tmp/inner" "$PWD" "$release"
END

# The inner part is in the layer: it does what an administrator would.
cat >"$tmp/inner" <<'END'
set -euo pipefail
cd "$1"
release=$2
traces()
{
	find /lib/modules /var/lib/dkms /usr/src /usr/lib/udev /usr/lib/sysusers.d \
		/usr/local/share -name '*lull*' 2>/dev/null || true
}
traces >/mnt/before
make dkms-install DKMS_KERNEL="$release" >/mnt/install.log 2>&1
dkms status lull-arena >/mnt/status
getent group lull >/mnt/group
file=$(modinfo -k "$release" -F filename lull_arena)
case "$file" in
*.xz) xz -dc "$file" ;;
*) cat "$file" ;;
esac >/mnt/lull_arena.ko
echo "$file" >/mnt/file
make dkms-uninstall >/mnt/uninstall.log 2>&1
traces >/mnt/after
END

real_install()
{
	as_root unshare --mount --propagation private bash "$tmp/outer" \
		"$tmp" "$(realpath "$KERNELS/$release")" "$release" ||
		{
			cat "$tmp"/real/*.log
			return 1
		}
	cat "$tmp"/real/{install.log,status,file}
	[ -s "$tmp/real/group" ] &&
		grep -q '/updates/dkms/lull_arena\.ko' "$tmp/real/file"
}

is_listed()
{
	cat "$tmp/real/status"
	grep -qx "lull-arena/$version, $release, $(uname -m): installed" \
		"$tmp/real/status"
}

has_gone()
{
	cat "$tmp/real/uninstall.log"
	diff "$tmp/real/before" "$tmp/real/after"
}

# This machine has nothing of it: no module tree, no group, no key.
is_unharmed()
{
	[ "$(machine)" = "$machine_before" ]
}

machine()
{
	cat /etc/group
	find /var/lib/dkms /usr/src /usr/lib/udev/rules.d /usr/lib/sysusers.d \
		-maxdepth 1 2>/dev/null | sort
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
		--module "$tmp/real/lull_arena.ko" \
		--module-params "reserve_bytes=8388608" \
		-- bash "$tmp/in-the-vm" "$dest" >"$tmp/said" 2>"$tmp/err" || true
}

said()
{
	cat "$tmp/said" "$tmp/err"
	grep -qx "$1" "$tmp/said"
}

# A name that the module does not know would only be a line in the log.
has_parameters()
{
	local names name

	names=$(sed -n 's/^options lull_arena//p' \
		kmod/packaging/modprobe.conf | grep -o '[a-z_]*=')
	[ "$(wc -w <<<"$names")" -ge 5 ] || return 1
	for name in ${names//=/}; do
		modinfo -F parm "$tmp/real/lull_arena.ko" | grep "^$name:" ||
			return 1
	done
}

version=$(sed -n 's/^.define LULL_VERSION "\(.*\)"/\1/p' userspace/include/lull.h)
release=$(scripts/vm-kernels --list | tail -n 1)
machine_before=$(machine)
echo "TAP version 13"
echo "1..$NR_CASES"
result "the files are installed" install_files
result "DKMS builds and installs the module" real_install
result "dkms status lists it" is_listed
result "nothing is left when it is uninstalled" has_gone
result "this machine is as it was" is_unharmed
result "the module has the parameters of the example" has_parameters
in_the_vm
result "the group exists" said group
result "udev gives the device to it" said owner
result "no other user may open the device" said "stranger refused"
result "a member may" said member
result "a reserve is set by a parameter" said parameter
result "a reserve of a node is set by tmpfiles" said tmpfiles
exit $failed
