# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A recorder killed at its start leaves a file without a header, and an instance with events
# enabled. The next recorder, even a quiet one, and kmemx recover remove both. If events were
# recorded, they are recovered.
# In: $LONG: 1: every third moment; 2: all.
# only with LONG=1
# alone: other recorders remove what this one leaves
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)
others=" $(echo "$tracefs"/instances/kmemx-*/) "
cleanup() {
	! mountpoint -q small || umount small
	for dir in $(left); do
		rmdir "$dir" || :
	done
}
trap cleanup EXIT

# The instances of this test's dead recorders.
left() {
	for dir in "$tracefs"/instances/kmemx-*/; do
		case $others in
		*" $dir "*) continue ;;
		esac
		[ ! -d "$dir" ] || ! flock "$tracefs/instances" flock -n "$dir" true || echo "$dir"
	done
}

# A command that waits for its start keeps a killed recorder's locks until it ends.
all_dead() {
	[ "$("$KMEMX" recover --list disk 2>/dev/null | grep -c 'in use$')" = 0 ]
}

# The number of recorded events, all of them in instances with events enabled.
held() {
	sum=0
	for dir in $(left); do
		echo 0 >"$dir/tracing_on"
		[ "$(cat "$dir/events/enable")" = 0 ] ||
			sum=$((sum + $(cat "$dir"/per_cpu/cpu*/stats |
				awk '/^(entries|read events):/ { n += $NF } END { print n + 0 }')))
	done
	echo $sum
}

# check WHAT: checks what a recorder killed there leaves
check() {
	wait_for "the end of the recorder, $1" all_dead
	events=$(held)
	turn=$((turn + 1))
	if [ $((turn % 2)) = 0 ]; then
		code=0
		"$KMEMX" record -q -o disk/next.dat -- true 2>err || code=$?
		expect 0 $code "the next recorder after $1: $(cat err)"
		rm disk/next.dat
		[ "$events" != 0 ] || expect "" "$(left)" "instances beside the next recorder after $1"
		[ "$events" = 0 ] || [ -n "$(left)" ] || fail "$1: the next recorder deleted $events events"
	fi
	code=0
	"$KMEMX" recover disk 2>err || code=$?
	grep -q 'no interrupted recording' err || expect 0 $code "recover after $1: $(cat err; ls -lA disk)"
	expect "" "$(left)" "instances after $1: $(cat err)"
	expect "" "$(find disk -name '.*')" "files after $1"
	found=0
	for file in disk/*.dat; do
		[ ! -e "$file" ] || found=$("$KMEMX" info -i "$file" | awk '/^events / { print $2 + 0 }')
	done
	lost=$(sed -n 's/^kmemx: \([0-9]*\) events that the recorder had read but not.*/\1/p' err)
	# Killed while it wrote the file: the kernel no longer counts all events.
	if grep -q 'it is complete: the recorder had written every event' err; then
		[ "$found" -ge "$events" ] || fail "$1: $found of $events events: $(cat err)"
	else
		expect "$events" $((found + ${lost:-0})) "events after $1: $(cat err)"
	fi
	echo "$1: $events events" >>log
	rm -f disk/*
}

mkdir disk
turn=0
times="0.02 0.2 0.3"
calls="5 12 22 27 28"
if [ -n "${LONG-}" ]; then
	[ "$LONG" = 2 ] && step=1 || step=3
	times=$(seq 0.02 0.0$((2 * step)) 0.5)
	calls=$(seq 1 $step 34)
fi
: >log
for options in "-o disk/r.dat" "--file-version 6 -o disk/r.dat" "--follow -o disk/r.dat" "--flight=64M -o disk"; do
	for time in $times; do
		# shellcheck disable=SC2086
		"$KMEMX" record $options -- sh -c 'true; sleep 0.1' >/dev/null 2>&1 &
		pid=$!
		sleep "$time"
		kill -KILL $pid 2>/dev/null || :
		wait $pid || :
		case $options in
		*flight*) [ ! -e disk/flight.dat ] ;;
		*) [ ! -e disk/r.dat ] || { rm disk/r.dat; continue; } ;;
		esac
		check "$time s, '$options'"
	done
done

# Killed before each write that sets up the instance; with --flight, one of them tests whether the
# kernel can stop tracing.
if command -v strace >/dev/null; then
	for options in "--file-version 6 -o disk/r.dat" "--flight=64M -o disk"; do
		for call in $calls; do
			# shellcheck disable=SC2086
			strace -qq -o /dev/null -e trace=write -e "inject=write:signal=KILL:when=$call" \
				"$KMEMX" record -q $options --duration 0.1 -- true >/dev/null 2>&1 || :
			rm -f disk/r.dat
			check "write $call, '$options'"
		done
	done
else
	echo "no strace here: only times are tried"
fi

# A flight recorder without disk space for a file's header: its events are only in the buffers.
mkdir small
if mount -t tmpfs -o size=64k nodev small 2>/dev/null; then
	rm -f err
	"$KMEMX" record --flight=16M -o small/files 2>err &
	pid=$!
	wait_for "a recorder" grep -q 'waiting for' err
	ls -lR /etc >/dev/null
	kill -KILL $pid
	wait $pid || :
	events=$(held)
	[ "$events" -gt 1000 ] || fail "a full disk: $events events"
	expect 0 "$(find small -name "recording.*" -size +0 | wc -l)" "files with content on a full disk"
	"$KMEMX" recover -o disk/r.dat small/files 2>err || fail "a full disk: $(cat err)"
	expect "$events" "$("$KMEMX" info -i disk/r.dat 2>info.err | awk '/^events / { print $2 + 0 }')" "events of a full disk: $(cat err)"
	expect "" "$(left)$(find small -type f)" "files left on a full disk"
	umount small
else
	echo "no tmpfs can be mounted: a full disk is left out"
fi
cat log
expect "$before" "$(tracing_state)" "state of the tracing system"
