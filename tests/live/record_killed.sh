# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# After SIGKILL the recorded events remain; the next recording reports them, and kmemx recover makes
# a file of them. Runs in a directory whose filesystem can join pages in place, and in one whose
# cannot.
# only with LONG=1
# alone: its killed recorder would be in the state that others compare
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

# Records some megabytes into directory $1, then kills the recorder.
record_and_kill() {
	rm -f err
	"$KMEMX" record -b 1M -o "$1/r.dat" 2>err &
	pid=$!
	wait_started err
	instance=$(instance_of $pid)
	tries=0
	until [ "$(du -kc "$1"/.r.dat.* | tail -n 1 | cut -f 1)" -gt 12000 ] || [ $tries -gt 100 ]; do
		tries=$((tries + 1))
		ls -lR /etc /usr/share/doc >/dev/null
	done
	kill -KILL $pid
	wait $pid || :
	tmp=$1/.r.dat.${instance#kmemx-}.tmp
	[ -s "$tmp/recording.tmp" ] || fail "nothing is left of the killed recorder: $(ls -A "$1")"
}

# The recording $1 must be complete and marked, and have $2.
check_recovered() {
	"$KMEMX" info -i "$1" >info || fail "$1 is unreadable"
	grep -q '^facts .*recovered' info || fail "$1 is not marked: $(cat info)"
	grep -q '^symbols .*functions, the recording' info || fail "$1 has no symbols: $(cat info)"
	counted=$(awk '/^events / { print $2 + 0 }' info)
	[ "$counted" -gt 10000 ] || fail "$1: only '$counted' events"
	"$KMEMX" stat -i "$1" --slab --caller -l 3 >/dev/null || fail "stat of $1"
	if command -v trace-cmd >/dev/null; then
		lines=$(trace-cmd report -R "$1" 2>/dev/null | grep -vcE '^cpus=|EVENTS DROPPED')
		expect "$counted" "$lines" "events that trace-cmd reads from $1"
	fi
}

before=$(tracing_state)
mkdir disk memory
directories=disk
if mount -t tmpfs -o size=200m nodev memory 2>/dev/null; then
	trap 'umount memory' EXIT
	directories="disk memory"
else
	echo "no tmpfs can be mounted: only the disk is tried"
fi
for directory in $directories; do
	record_and_kill $directory
	"$KMEMX" recover --list $directory | grep -q 'interrupted$' || fail "recover --list in $directory"
	"$KMEMX" recover $directory 2>err || fail "recover in $directory: $(cat err)"
	grep -q "^kmemx: recovered .* -> $directory/r.dat" err || fail "$(cat err)"
	check_recovered $directory/r.dat
	expect r.dat "$(ls -A $directory)" "files left in $directory"
	expect_gone $instance

	# The next recording of this name reports the remains and does not change them.
	record_and_kill $directory
	"$KMEMX" record -o $directory/r.dat -- true 2>err || fail "$(cat err)"
	grep -q 'was interrupted' err || fail "the next recording does not report it: $(cat err)"
	grep -q "kmemx recover $tmp" err || fail "$(cat err)"
	mv err err.next
	[ -d "$tracefs/instances/$instance" ] || fail "the next recording removed the instance: $(cat err.next)"
	# Nor does a recording that cannot count what the buffers hold.
	if command -v strace >/dev/null; then
		strace -qq -o /dev/null -P "$tracefs/instances/$instance/per_cpu" \
			-e inject=open,openat:error=EMFILE "$KMEMX" record -q -o $directory/next.dat -- true
		rm $directory/next.dat
	fi
	[ -d "$tracefs/instances/$instance" ] || fail "the instance is gone: $(cat err.next)"
	"$KMEMX" recover "$tmp" 2>err || fail "recover: $(cat err)"
	grep -q 'from the ring buffers' err || fail "$(cat err.next err)"
	expect_gone $instance
	check_recovered $directory/r.dat.recovered
done

# A live recorder is left alone.
rm -f err
"$KMEMX" record -o disk/live.dat 2>err &
live=$!
wait_started err
"$KMEMX" recover --list disk | grep -q 'in use$' || fail "a live recorder was not noticed"
code=0
"$KMEMX" recover disk 2>out || code=$?
expect 1 $code "recover beside a live recorder: $(cat out)"
kill -INT $live
wait $live || fail "the live recorder: $(cat err)"
expect "$before" "$(tracing_state)" "state of the tracing system"
