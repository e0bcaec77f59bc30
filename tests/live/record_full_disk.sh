# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# On a full disk the recording ends; everything read is kept and readable, and the exit status is 1.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

mkdir small
mount -t tmpfs -o size=4m nodev small 2>/dev/null || skip "cannot mount a small tmpfs"
umount small

# On tmpfs each CPU's pages are copied at the end; on ext4, of which this test can make a small one,
# they stay where they were written.
mount_small() {
	case $1 in
	ext4)
		truncate -s 40m image
		mkfs.ext4 -q -O ^has_journal image
		mount -o loop image small
		rmdir small/lost+found
		;;
	*) mount -t tmpfs -o "size=$1" nodev small ;;
	esac
}
sizes="24m 4m"
if command -v mkfs.ext4 >/dev/null && mount_small ext4 2>/dev/null; then
	umount small
	sizes="$sizes ext4"
else
	echo "no ext4 here: its part is left out"
fi

before=$(tracing_state)

# The file is compressed if there is room for that, otherwise not, but always complete.
for size in 24m 4m; do
	mount_small $size
	trap 'umount small' EXIT
	code=0
	: >err
	"$KMEMX" record --compress -o small/r.dat -- \
		timeout 60 sh -c 'until grep -q "cut short" err; do ls -lR /etc; done' \
		>/dev/null 2>err || code=$?
	expect 1 $code "status with --compress and $size: $(cat err)"
	"$KMEMX" info -i small/r.dat >facts || fail "--compress, $size: unreadable: $(cat err)"
	grep -q truncated facts || fail "--compress, $size: not marked as truncated"
	expect r.dat "$(ls -A small)" "files left by --compress on $size"
	umount small
	trap - EXIT
	tail -n 3 err
done

for size in $sizes; do
	mount_small "$size"
	trap 'umount small' EXIT
	code=0
	: >err
	"$KMEMX" record -o small/r.dat -- \
		timeout 60 sh -c 'until grep -q "cut short" err; do ls -lR /etc; done' \
		>/dev/null 2>err || code=$?
	expect 1 $code "status with a disk of $size: $(cat err)"
	grep -q 'cut short: No space left' err || fail "$size: $(cat err)"
	said=$(events_said err)
	[ "$said" -gt 1000 ] || fail "$size: only '$said' events: $(cat err)"
	"$KMEMX" info -i small/r.dat >facts || fail "$size: the file is unreadable"
	grep -q truncated facts || fail "$size: not marked as truncated"
	grep -q '^truncated *CUT SHORT: No space left' facts || fail "$size: info: $(cat facts)"
	grep -q 'none lost' err && fail "$size: says that none were lost: $(cat err)"
	grep -q 'next:' err && fail "$size: suggests a next command: $(cat err)"
	code=0
	"$KMEMX" stat -i small/r.dat --max-lost 100% >out 2>stat.err || code=$?
	expect 125 $code "$size: stat --max-lost 100%: $(cat stat.err)"
	"$KMEMX" info -i small/r.dat --json | grep -q '"truncated": "No space left' ||
		fail "$size: info --json does not say that it is cut short"
	code=0
	"$KMEMX" diff small/r.dat small/r.dat --fail-on 'hit>+1' >out 2>diff.err || code=$?
	expect 125 $code "$size: a gate: $(cat diff.err)"
	if command -v trace-cmd >/dev/null; then
		lines=$(trace-cmd report -R small/r.dat 2>/dev/null | grep -vc '^cpus=')
		expect "$said" "$lines" "events that trace-cmd reads from $size"
	fi
	expect r.dat "$(ls -A small)" "files left on $size"
	umount small
	trap - EXIT
done

# Frees have their own ring buffers, but each CPU is listed only once.
mount_small 4m
trap 'umount small' EXIT
: >err
"$KMEMX" record --follow -o small/r.dat -- \
	sh -c 'until grep -q "cut short" err; do ls -lR /etc; done' >/dev/null 2>err || :
"$KMEMX" stat -i small/r.dat --json >out.json 2>/dev/null || :
twice=$(grep -o '"cpu": [0-9]*, "missing"' out.json | sort | uniq -d)
grep -q '"missing": [0-9]*}' out.json || fail "--follow: no table of missing events"
expect "" "$twice" "CPUs that are listed twice"
umount small
trap - EXIT

expect "$before" "$(tracing_state)" "state of the tracing system"
