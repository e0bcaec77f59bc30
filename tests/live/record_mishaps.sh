# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Errors other than a full disk: a file size limit, a name that cannot be used.
# only with LONG=1
# alone: another recorder would stop the tracing that it leaves on
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)

# A file size limit (SIGXFSZ): the file has what the limit allows, with or without the kernel's
# symbols. ulimit counts in 512 bytes here.
for limit in 40000 2000; do
	code=0
	: >err
	(
		ulimit -f $limit
		exec "$KMEMX" record -o limit.dat -- \
			timeout 20 sh -c 'until grep -q "cut short" err; do ls -lR /etc; done' \
			>/dev/null 2>err
	) || code=$?
	expect 1 $code "status with ulimit -f $limit: $(cat err)"
	grep -q 'cut short: File too large' err || fail "ulimit -f $limit: $(cat err)"
	"$KMEMX" info limit.dat >info || fail "ulimit -f $limit: the file is unreadable"
	grep -q truncated info || fail "ulimit -f $limit: not marked as truncated"
	[ "$(events_said err)" -gt 100 ] || fail "ulimit -f $limit: $(cat err)"
	[ "$(wc -c <limit.dat)" -le $((limit * 512)) ] || fail "limit.dat is larger than the limit"
	rm limit.dat
done

# The last rename fails: both the new and the old file are kept.
mkdir -p d/a.dat.old/x
echo old >d/a.dat
code=0
"$KMEMX" record -o d/a.dat -- true 2>err || code=$?
expect 1 $code "status if the existing file cannot be renamed: $(cat err)"
expect old "$(cat d/a.dat)" "the existing file"
kept=$(sed -n 's/^.*the recording is complete, but has another name: //p' err)
[ -n "$kept" ] || fail "no message about where the recording is: $(cat err)"
"$KMEMX" info "$kept" >info || fail "$kept is unreadable: $(cat err)"
grep -q 'mm_page_alloc' info || fail "$kept holds no events"
rm -r "${kept%/*}"
expect "$(printf 'a.dat\na.dat.old')" "$(ls -A d)" "other files left"
# Tracefs becomes read-only while recording: the message names what is left, and how to remove it.
if command -v unshare >/dev/null && unshare -m true 2>/dev/null; then
	code=0
	# Tracefs is mounted twice, as after a look at /sys/kernel/debug/tracing: the usual mount
	# point is used and named.
	mkdir -p first
	unshare -m sh -c 'umount -l "$0" && mount -t tracefs nodev first &&
		mount -t tracefs nodev "$0" && exec "$@"' "$tracefs" "$KMEMX" record -o ro.dat -- \
		mount -o remount,bind,ro "$tracefs" 2>err || code=$?
	if grep -q 'cannot stop and remove' err; then
		left=$(sed -n 's/^.*cannot stop and remove the tracing instance \([^:]*\): .*/\1/p' err)
		todo=$(sed -n 's/^  It keeps recording until: //p' err)
		[ -d "$tracefs/instances/$left" ] || fail "no such instance: $(cat err)"
		expect 1 "$(cat "$tracefs/instances/$left/tracing_on")" "tracing that could not be stopped"
		sh -c "$todo" || fail "the suggested command fails: $todo"
		"$KMEMX" info ro.dat >info || fail "ro.dat is unreadable: $(cat err)"
	else
		fail "no message about read-only tracing: $(cat err)"
	fi
else
	echo "no mount namespace here: read-only tracing is not tried"
fi

expect "$before" "$(tracing_state)" "state of the tracing system"
