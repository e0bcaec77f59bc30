# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# record --flight: each file has the events before its cause, the kernel stops tracing only in the
# instance, the number of files is limited, and no instance is left.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v jq >/dev/null || skip "jq is not installed"

# A group of 8 MiB; that of order9.sh has 1 MiB.
group='' recorder=''
clean_up() {
	[ -z "$recorder" ] || cat err
	[ -z "$recorder" ] || ! kill -KILL "$recorder" 2>/dev/null || wait "$recorder" || :
	[ -z "$group" ] || rmdir "$group"
}
trap clean_up EXIT
own=$(sed -n 's/^[0-9]*:\([^:]*,\)*memory\(,[^:]*\)*:\(.*\)$/\3/p' /proc/self/cgroup)
mounted=$(awk '$3 == "cgroup" && ("," $4 ",") ~ /,memory,/ { print $2; exit }' /proc/mounts)
if [ -n "$mounted" ]; then
	limit=memory.limit_in_bytes
	parent=$mounted${own%/}
else
	limit=memory.max
	parent=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
fi

before=$(tracing_state)
top_on=$(cat "$tracefs/tracing_on")

# fly OPTION...: starts a flight recorder in the background
fly() {
	rm -f err
	"$KMEMX" record --flight=4M -o files/ "$@" 2>err &
	recorder=$!
	wait_for "the recorder of $*" grep -q 'waiting for' err
	instance=$(instance_of $recorder)
}
# saved CAUSE: waits for its file and sets $file
saved() {
	wait_for "a file by $1: $(cat err)" eval 'ls files/flight-*-'"$1"'.dat >/dev/null'
	file=$(echo files/flight-*-"$1".dat)
	expect "$top_on" "$(cat "$tracefs/tracing_on")" "tracing_on of the top-level instance"
	"$KMEMX" stat -i "$file" >out
	head -n 1 out | grep -q ', none lost$' || fail "$1: $(head -n 1 out)"
	grep -q "^# Flight recorder, saved by: $1" out || fail "$1: $(head -n 3 out)"
	expect "$1" "$("$KMEMX" info --json -i "$file" | jq -r .flight)" "the cause in JSON"
}
# Ends the recorder, which then saves no file.
land() {
	kill -TERM $recorder
	wait $recorder || fail "the recorder's end: $(cat err)"
	recorder=
	expect_gone "$instance"
	rm -rf files
}
nr_files() {
	find files -name 'flight-*.dat' | wc -l
}

# Signals, and --keep. A file has at most the events since the previous one.
fly --keep 2
for i in 1 2 3 4; do
	ls -lR /etc >/dev/null
	kill -USR1 $recorder
	wait_for "file $i" eval "[ \$(grep -c -- '-> files/' err) = $i ]"
done
expect 2 "$(nr_files)" "files with --keep 2"
first=$(sed -n 's/.*-> //p' err | sed -n 3p)
[ -e "$first" ] || fail "$first should have been kept: $(ls files)"
wait_for "tracing" grep -q 1 "$tracefs/instances/$instance/tracing_on"
counts_agree "$first"
command -v trace-cmd >/dev/null && trace-cmd report "$first" >report 2>/dev/null &&
	grep -q kmem_cache_alloc report || :
land

# An idle CPU has older events than the others, which no count includes.
fly
while grep -q '^overrun: 0' "$tracefs/instances/$instance/per_cpu/cpu0/stats"; do
	taskset -c 0 ls -lR /etc >/dev/null
done
kill -USR1 $recorder
wait_for "a file" grep -q -- '-> files/' err
file=$(echo files/flight-*)
said=$(sed -n 's/^kmemx: signal: \([0-9]*\) events, .*/\1/p' err)
expect "$("$KMEMX" info --json -i "$file" | jq .nr_events)" "$said" "events: $(cat err)"
land

# Without a cause, no file is saved.
fly
kill -INT $recorder
wait $recorder || fail "SIGINT: $(cat err)"
recorder=
expect 0 "$(nr_files)" "files without a cause"
grep -q 'no file was saved' err || fail "SIGINT: $(cat err)"
expect_gone "$instance"

# On a full disk a file is cut short; the recorder reports it and continues.
mkdir small
if mount -t tmpfs -o size=6M tmpfs small 2>/dev/null; then
	rm -f err
	"$KMEMX" record --flight=16M -o small/files 2>err &
	recorder=$!
	wait_for "a recorder" grep -q 'waiting for' err
	instance=$(instance_of $recorder)
	while grep -q '^overrun: 0' "$tracefs/instances/$instance/per_cpu/cpu0/stats"; do
		ls -lR /etc >/dev/null
	done
	kill -USR1 $recorder
	wait_for "a message" grep -q 'cut short: No space' err
	wait_for "tracing" grep -q 1 "$tracefs/instances/$instance/tracing_on"
	# With no space at all a file may be missing; the recorder continues.
	for i in 2 3 4; do
		dd if=/dev/zero of=small/all.$i bs=4k 2>/dev/null || :
		kill -USR1 $recorder
		wait_for "message $i" eval "[ \$(grep -c '^kmemx: signal: \|cannot write' err) -ge $i ]"
		wait_for "tracing" grep -q 1 "$tracefs/instances/$instance/tracing_on"
	done
	# There is room again, but not for all events.
	while grep -q '^overrun: 0' "$tracefs/instances/$instance/per_cpu/cpu0/stats"; do
		ls -lR /etc >/dev/null
	done
	rm -f small/all.* small/files/flight-*
	kill -USR1 $recorder
	wait_for "a file again" eval 'ls small/files/flight-*-signal.dat >/dev/null 2>&1'
	kill -TERM $recorder
	code=0
	wait $recorder || code=$?
	recorder=
	expect 1 $code "status with a full disk: $(cat err)"
	expect_gone "$instance"
	umount small
fi

# Counters, --once, and another process that switches tracing off in the instance.
fly --on sunreclaim=4K --once
wait $recorder || fail "--once: $(cat err)"
recorder=
saved sunreclaim
expect 1 "$(nr_files)" "files with --once"
expect_gone "$instance"
rm -rf files
fly --on cache=vm_area_struct:1K
saved cache
land
fly
echo 0 >"$tracefs/instances/$instance/tracing_on"
wait_for "a file: $(cat err)" eval 'ls files/flight-*-stopped.dat >/dev/null'
land

# The command ends. The recorder returns its status.
for text in 0:exit: 3:exit=3:exit 4:exit=3: 5:exit:exit; do
	status=${text%%:*} on=${text#*:}
	code=0
	"$KMEMX" record -q --flight=4M -o files --on "${on%:*}" -- sh -c "exit $status" 2>err || code=$?
	expect "$status" $code "status of a command: $(cat err)"
	expect "$([ -z "${on#*:}" ] || echo 1)" "$(ls files | sed -n 's/.*-exit.dat/1/p')" "files by --on ${on%:*} for $status"
	rm -rf files
done
code=0
"$KMEMX" record -q --flight -o files -- /no/such/command 2>err || code=$?
expect 127 $code "status of a missing command"
rm -rf files

# With a time, the buffers grow.
rm -f err
"$KMEMX" record -v --flight=30s -o files 2>err &
recorder=$!
wait_for "a recorder" grep -q 'waiting for' err
instance=$(instance_of $recorder)
while [ "$(grep -c 'ring buffer: ' err)" -lt 2 ]; do
	ls -lR /etc /usr/share >/dev/null
	kill -0 $recorder || fail "a time: $(cat err)"
done
grep -q 'MiB of memory, which may grow to [0-9.]* [MG]iB; waiting' err || fail "how much memory: $(cat err)"
land

# With --once, the file has the given name, and at most 1.5 times the requested time. The load is
# steady, because the buffers grow according to the event rate so far.
"$KMEMX" record --flight=1s --once -o one.dat -- sh -c '
	for i in 1 2; do
		timeout 6 sh -c "while :; do ls -lR /etc; done" >/dev/null &
	done
	sleep 4; kill -USR1 $PPID; sleep 3; wait' 2>err &
recorder=$!
wait $recorder || :
recorder=
[ -f one.dat ] || fail "--once -o FILE: $(cat err)"
"$KMEMX" info --json one.dat | jq -e '.flight == "signal" and .duration_ns >= 900e6 and .duration_ns <= 1600e6' >out ||
	fail "a second: $("$KMEMX" info one.dat | grep ^duration)"
code=0
"$KMEMX" record --flight -o two.dat 2>err || code=$?
expect "2 1" "$code $(grep -c 'looks like a file' err)" "-o FILE without --once: $(cat err)"

# After SIGKILL, kmemx recover makes a flight recording of the remains.
fly
while grep -q '^overrun: 0' "$tracefs/instances/$instance/per_cpu/cpu0/stats"; do
	ls -lR /etc >/dev/null
done
kill -KILL $recorder
wait $recorder || :
recorder=
"$KMEMX" recover -q files 2>err || fail "recover: $(cat err)"
expect_gone "$instance"
"$KMEMX" stat -i files/flight.dat >out
grep -q '^# Flight recorder, saved by: interrupted. All events of the last' out || fail "recovered: $(head -n 5 out)"
! grep -q 'LOST' out || fail "recovered: $(grep LOST out)"
rm -rf files
expect "$before" "$(tracing_state)" "state of the tracing system"

# The kernel itself stops tracing, at once on the CPU of the event, and soon after on the others.
# last_beside PATTERN: prints the last event in out on the CPU that had the last PATTERN
last_beside() {
	cpu=$(grep "$1" out | tail -n 1 | sed 's/.*\(\[[0-9]*\]\) .*/\1/')
	grep -F "${cpu:-$1}" out | tail -n 1
}
grep -q traceoff "$tracefs/events/ftrace/print/trigger" 2>/dev/null ||
	skip "the other parts passed; this kernel has no traceoff"
fly --on order=9
"$KMEMX_BUILD/tests/workloads/order9" 1 >/dev/null 2>&1 || :
saved order
"$KMEMX" script -i "$file" | grep mm_page_alloc: >out
last=$(last_beside 'order=\(9\|10\)')
echo "$last" | grep -q 'order=\(9\|10\)' || fail "the last one is not of order 9: $last"
# The recording's time does not include what passed until the recorder noticed.
expect "$("$KMEMX" info --json -i "$file" | jq .last_ts)" \
	"$("$KMEMX" info -i "$file" --fact span | cut -d ' ' -f 2)" "the end of the time"
land

[ -n "$parent" ] && mkdir "$parent/kmemx-flight.$$" 2>/dev/null ||
	skip "the other parts passed; no control group can be made"
group=$parent/kmemx-flight.$$
echo 8388608 2>/dev/null >"$group/$limit" ||
	skip "the other parts passed; the control groups here do not limit memory"

# An OOM kill: the recording has the last allocations before it and ends with its event. The next
# kill comes too soon.
fly --on oom --flight=64M
for i in 1 2; do
	sh -c 'echo $$ >"$1"/cgroup.procs; echo $$ >pid; exec tail /dev/zero' in "$group" 2>/dev/null || :
	[ $i = 2 ] || pid=$(cat pid)
	[ $i = 2 ] || saved oom
	wait_for "tracing" grep -q 1 "$tracefs/instances/$instance/tracing_on"
done
sleep 0.5
expect 1 "$(nr_files)" "files of two kills"
"$KMEMX" summary -i "$file" >out
[ ! -r /dev/kmsg ] || grep -q "^# Flight recorder, saved by: oom: killed tail, pid $pid\." out ||
	fail "whom the kernel killed: $(grep Flight out)"
"$KMEMX" script -i "$file" >out
last=$(last_beside "mark_victim: *pid=$pid ")
echo "$last" | grep -q "mark_victim: *pid=$pid " || fail "the last event is not the kill of $pid: $last"
# More than half of the group's limit, page by page, just before.
[ "$(grep -c "^ *tail-$pid .* mm_page_alloc: " out)" -gt 1000 ] ||
	fail "$(grep -c "^ *tail-$pid .* mm_page_alloc: " out) allocations of $pid"
land

# A process that began before the recorder, and that the kill ended, keeps its name and group.
mkfifo go
sh -c 'echo $$ >"$1"/cgroup.procs; read -r x <go; exec tail /dev/zero' in "$group" 2>/dev/null &
victim=$!
fly --on oom
sleep 0.3
echo >go
wait $victim || :
saved oom
for by in process:tail "cgroup:.*/${group##*/}"; do
	"$KMEMX" stat -i "$file" --page --by "${by%%:*}" --csv >out
	grep -q ",${by#*:}," out || fail "--by $by: $(cat out)"
done
land

# Two causes at once: one file, named after the cause that stopped tracing; a message reports the
# later one.
fly --on oom --once
kill -STOP $recorder
for i in 1 2; do
	sh -c 'echo $$ >"$1"/cgroup.procs; exec tail /dev/zero' in "$group" 2>/dev/null || :
done
kill -USR1 $recorder
kill -CONT $recorder
wait $recorder || fail "two causes: $(cat err)"
recorder=
saved oom
expect 1 "$(nr_files)" "files of two causes"
grep -q '[1-9][0-9]* more OOM kills\? while a file was being saved' err || fail "the second kill: $(cat err)"
expect_gone "$instance"
rm -rf files

# A failed allocation of order 9.
echo 1048576 >"$group/$limit"
fly --on failure=all
code=0
"$KMEMX_BUILD/tests/workloads/order9" 5 "$group/cgroup.procs" >failed 2>why || code=$?
if [ $code = 0 ] && [ "$(cat failed)" != 0 ]; then
	saved failure
	"$KMEMX" stat --page --caller --json -i "$file" >json
	[ "$(jq '[.reports[] | select(.name == "page_failed") | .rows[] | select(.order == 9) | .hit] | add // 0' \
		json)" -ge 1 ] || fail "no failure of order 9 in $file"
fi
land
expect "$before" "$(tracing_state)" "state of the tracing system"
