# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A recorder killed at any moment loses nothing: events in its file and in the kernel's buffers are
# recovered, and those in its memory are counted as lost. The same holds while it finishes, and for
# extract. The kernel's counts say how many events there were.
# In: $LONG: 1: all moments, on disk; 2: also in memory; else some moments, on disk.
# only with LONG=1
# alone: other recorders remove what this one leaves
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)
busy=
mine=$tracefs/instances/mine-$$
others=$(echo "$tracefs"/instances/kmemx-*/)
cleanup() {
	[ -z "$busy" ] || kill $busy 2>/dev/null || :
	if [ -d "$mine" ]; then
		echo 0 >"$mine/tracing_on"
		echo >"$mine/set_event"
		rmdir "$mine" || :
	fi
	umount memory 2>/dev/null || :
}
trap cleanup EXIT
trap 'exit 130' INT TERM
timeout 300 sh -c 'while :; do ls -l /etc /dev; sleep 0.02; done' >/dev/null 2>&1 &
busy=$!

# The number of events that instance $1 recorded, read and unread, without overwritten ones.
kernel_count() {
	echo 0 >"$1/tracing_on" 2>/dev/null || :
	cat "$1"/per_cpu/cpu*/stats | awk '/^(entries|read events):/ { n += $NF } END { print n + 0 }'
}

# The number of events in recording $1.
count() {
	"$KMEMX" info -i "$1" >info || fail "$1 is unreadable"
	awk '/^events / { print $2 + 0 }' info
}

# Instances of this test's recorders, without those that existed before.
only_instance() {
	for dir in "$tracefs"/instances/kmemx-*/; do
		case " $others " in
		*" $dir "*) continue ;;
		esac
		[ ! -d "$dir" ] || echo "$dir"
	done
}

# check DIR WHAT: recovers the remains in DIR, where only recordings may be left
check() {
	events=
	# With --follow there are two: the command's allocations, and the frees of all tasks.
	for dir in $(only_instance); do
		[ "$(cat "$dir/events/enable")" = 0 ] || events=$((events + $(kernel_count "$dir")))
		events=${events:-0}
	done
	ls -A "$1" >listing
	# A killed process holds its locks until the kernel has closed its files.
	tries=0
	while code=0; "$KMEMX" recover "$1" 2>err || code=$?; grep -q 'is in use' err &&
		[ $tries -lt 40 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	case $(cat err) in
	*'no interrupted recording'*) ;;
	*) expect 0 $code "recover after $2: $(cat err; cat listing)" ;;
	esac
	# The kernel may still be removing an instance whose rmdir was interrupted.
	tries=0
	while [ -n "$(only_instance)" ] && [ $tries -lt 40 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	expect "" "$(only_instance)" "instances after $2: $(cat err)"
	[ "$(find "$1" -name '.*.dat.*' | wc -l)" = 0 ] || fail "$2: parts are left: $(ls -A "$1")"
	unwritten=$(sed -n 's/^kmemx: \([0-9]*\) events that the recorder had read but not.*/\1/p' err)
	found=0
	for file in "$1"/*.dat "$1"/*.dat.recovered; do
		[ ! -e "$file" ] || found=$((found + $(count "$file")))
	done
	if [ -n "$events" ]; then
		expect "$events" $((found + ${unwritten:-0} + ${3:-0})) "events after $2: $(cat listing err)"
		echo "$2: $events events, $found found, ${unwritten:-0} unwritten" >>log
	else
		echo "$2: no instance, $found found" >>log
	fi
	rm -rf "${1:?}"/* "${1:?}"/.[!.]*
}

mkdir disk memory
directories=disk
moments="start:0.1 record:0 record:0.05"
calls="fallocate:2 ftruncate:2 linkat:1 renameat:2 unlinkat:1 pwrite64:3 pwrite64:5 copy_file_range:1 rmdir:1"
if [ -n "${LONG-}" ]; then
	moments="start:0.02 start:0.1 start:0.2 record:0 record:0.01 record:0.05 record:0.3"
	calls="fallocate:2 fallocate:3 fallocate:4 ftruncate:2 ftruncate:3 linkat:1 renameat:1 renameat:2
		unlinkat:1 unlinkat:2 pwrite64:2 pwrite64:3 pwrite64:4 pwrite64:5 pwrite64:6 copy_file_range:1 rmdir:1"
fi
if [ "${LONG-}" = 2 ] && mount -t tmpfs -o size=1g nodev memory 2>/dev/null; then
	directories="disk memory"
fi

: >log
# At the start and while recording.
for directory in $directories; do
	for when in $moments; do
		for options in "" "-z --follow" "-b 256K"; do
			rm -f err
			# shellcheck disable=SC2086
			"$KMEMX" record $options -o $directory/r.dat -- \
				sh -c 'while :; do ls -l /etc >/dev/null; done' 2>err &
			pid=$!
			[ "${when%:*}" = start ] || wait_started err
			sleep ${when#*:}
			kill -KILL $pid
			wait $pid || :
			# Kills the command, which would not end by itself here.
			for child in $(ps -eo pid=,ppid=,args= | awk '$2 == 1 && /ls -l \/etc >\/dev\/null/ { print $1 }'); do
				kill -KILL "$child" 2>/dev/null || :
			done
			check $directory "$when, '$options', $directory"
		done
	done
done

# A stream: the reader has what was sent, and the buffers have the rest.
for when in start:0.1 record:0 record:0.3; do
	mkfifo pipe
	cat pipe >sent &
	cat=$!
	rm -f err
	"$KMEMX" record -o - >pipe 2>err &
	pid=$!
	[ "${when%:*}" = start ] || wait_started err
	sleep ${when#*:}
	kill -KILL $pid
	wait $pid || :
	wait $cat
	rm pipe
	sent=0
	if [ -s sent ] && "$KMEMX" info -i sent >info 2>/dev/null; then
		sent=$(count sent)
	fi
	dir=$(only_instance)
	if [ -n "$dir" ]; then
		held=$(cat "$dir"per_cpu/cpu*/stats | awk '/^entries:/ { n += $NF } END { print n + 0 }')
		echo 0 >"$dir/tracing_on"
		entries=$(cat "$dir"per_cpu/cpu*/stats | awk '/^entries:/ { n += $NF } END { print n + 0 }')
		[ "$entries" -ge "$held" ]
		"$KMEMX" recover --streams disk 2>err || grep -q 'no interrupted' err || fail "a stream: $(cat err)"
		found=0
		for file in disk/kmemx-*-stream.dat; do
			[ ! -e "$file" ] || found=$(count "$file")
		done
		[ "$found" -ge "$entries" ] || [ "$entries" -lt 3 ] ||
			fail "a stream, $when: $entries events in the buffers, $found found: $(cat err)"
		expect "" "$(only_instance)" "instances after a stream"
		rm -rf disk/*
	fi
	echo "stream, $when: $sent sent, ${entries:-0} in the buffers, ${found:-0} found" >>log
done

# Killed while it finishes, before each system call that changes the file.
if command -v strace >/dev/null; then
	for directory in $directories; do
		for call in $calls; do
			for options in "" "-z"; do
				[ -z "$options" ] || [ $directory = disk ] || continue
				# shellcheck disable=SC2086
				SUDO_UID=0 SUDO_GID=0 strace -qq -o /dev/null -e "trace=${call%:*}" \
					-e "inject=${call%:*}:signal=KILL:when=${call#*:}" "$KMEMX" record $options \
					-q -o $directory/r.dat -- sh -c 'ls -lR /etc >/dev/null' 2>err || :
				check $directory "$call, '$options', $directory"
			done
		done
	done
else
	echo "no strace here: the ends of recordings are left out"
fi

# An extract: what it had read is recovered, and the rest is still in the buffer.
mkdir "$mine"
for call in pwrite64:3 pwrite64:5 fallocate:1 fallocate:2 fallocate:4 ftruncate:3 renameat:1; do
	command -v strace >/dev/null || break
	echo 4096 >"$mine/buffer_size_kb"
	echo 1 >"$mine/events/kmem/kmalloc/enable"
	echo 1 >"$mine/tracing_on"
	sleep 0.3
	echo 0 >"$mine/tracing_on"
	had=$(cat "$mine"/per_cpu/cpu*/stats | awk '/^entries:/ { n += $NF } END { print n + 0 }')
	strace -qq -o /dev/null -e "trace=${call%:*}" -e "inject=${call%:*}:signal=KILL:when=${call#*:}" \
		"$KMEMX" extract --instance "${mine##*/}" -o disk/x.dat -q 2>err || :
	left=$(cat "$mine"/per_cpu/cpu*/stats | awk '/^entries:/ { n += $NF } END { print n + 0 }')
	"$KMEMX" recover disk 2>err || grep -q 'no interrupted' err || fail "extract, $call: $(cat err)"
	found=0
	for file in disk/*.dat; do
		[ ! -e "$file" ] || found=$((found + $(count "$file")))
	done
	# At most 1 MiB had been read but not written when it was killed.
	[ $((had - left - found)) -lt 40000 ] && [ $((had - left - found)) -ge 0 ] ||
		fail "extract, $call: of $had events $left are left and $found recovered: $(cat err)"
	case $call in
	pwrite*) ;;
	*) [ "$found" -gt 0 ] || [ "$had" = "$left" ] || fail "extract, $call: nothing recovered: $(cat err)" ;;
	esac
	echo "extract, $call: had $had, left $left, found $found" >>log
	rm -rf disk/* disk/.[!.]*
	echo >"$mine/trace"
done
cat log
cleanup
trap - EXIT
expect "$before" "$(tracing_state)" "state of the tracing system"
