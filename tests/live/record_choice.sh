# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# record records the chosen events, of the chosen processes: --slab, --page, --frag, --percpu, -e,
# --stack, --filter, --follow, -p.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

# count EVENT: prints the number of these events in r.dat.
count() {
	"$KMEMX" info -i r.dat | awk -v event="$1" '$2 == event { n = $1 } END { print n + 0 }'
}

some() {
	[ "$(count "$1")" -gt 0 ] || fail "no $1 with: $2"
}

none() {
	expect 0 "$(count "$1")" "$1 with: $2"
}

# near WANTED ACTUAL WHAT: checks that they are nearly equal, as on each CPU tracing may begin or
# end between an event and its stack.
near() {
	gap=$(($1 - $2))
	if [ ${gap#-} -gt "$(nproc)" ]; then
		fail "$3: expected about $1, got $2"
	fi
}

"$KMEMX" record -q --slab -o r.dat -- ls -lR /etc >/dev/null
some kmalloc --slab
some kfree --slab
none mm_page_alloc --slab
none kernel_stack --slab

"$KMEMX" record -q --page --stack none -o r.dat -- ls -lR /etc >/dev/null
some mm_page_alloc --page
some mm_page_free --page
none kmalloc --page
none kernel_stack '--stack none'

"$KMEMX" record -q --page -o r.dat -- ls -lR /etc >/dev/null
near "$(count mm_page_alloc)" "$(count kernel_stack)" "stacks of page allocations"

# Blocks of an order that CPUs do not cache.
order4=$KMEMX_BUILD/tests/workloads/order4
"$KMEMX" record -q --slab --percpu --stack none -o r.dat -- "$order4" 100
some mm_page_alloc_zone_locked --percpu
some kmalloc '--slab --percpu'
none mm_page_alloc '--slab --percpu'

"$KMEMX" record -q --page --frag -o r.dat -- ls -lR /etc >/dev/null
some mm_page_alloc '--page --frag'
none mm_page_alloc_zone_locked --frag
none kmalloc '--page --frag'

"$KMEMX" record -q --slab --all-events -o r.dat -- "$order4" 100
for event in kmalloc mm_page_alloc mm_page_alloc_zone_locked; do
	some $event --all-events
done

"$KMEMX" record -q --slab --stack all -e 'sched:sched_process_ex*' -o r.dat -- ls /etc >/dev/null
stacks=$(count kernel_stack)
events=$(($("$KMEMX" info -i r.dat | awk '/^events / { print $2 }') - stacks))
# Linux 6.18 records no stack for an interrupt that comes while another stack is being recorded.
[ "$stacks" -le $((events + $(nproc))) ] && [ "$stacks" -ge $((events * 3 / 4)) ] ||
	fail "$events events have $stacks stacks"
some sched_process_exec '-e sched:sched_process_ex*'
some sched_process_exit '-e sched:sched_process_ex*'

# Events that the filter drops have no stacks either.
"$KMEMX" record -q --page --filter 'order > 9' -o r.dat -- ls -lR /etc >/dev/null 2>&1 || :
none mm_page_alloc "--filter 'order > 9'"
none kernel_stack "--filter 'order > 9'"

# says WHAT COMMAND: checks the message of kmemx COMMAND about r.dat, which has none of its events.
says() {
	"$KMEMX" $2 -i r.dat >err 2>&1 || :
	grep -q "$1" err || fail "kmemx $2 says: $(cat err)"
}
# If a recording has none of a command's events, the command knows whether they were recorded.
"$KMEMX" record -q --page --frag --percpu --filter 'order > 20' -o r.dat -- ls /etc >/dev/null 2>&1 || :
for command in frag percpu; do
	says 'none occurred while they were recorded' "$command"
done
"$KMEMX" record -q --slab --stack none -o r.dat -- ls /etc >/dev/null
for command in frag percpu; do
	says ': they were not recorded' "$command"
done
says 'kmemx record --page' 'stat --page'
sleep 5 &
"$KMEMX" record -q --page -p $! --filter-frees --duration 100ms -o r.dat 2>err || :
kill $!
says 'none occurred while they were recorded' 'stat --page'
"$KMEMX" info -i r.dat | grep -q '^recorded .*kmem:mm_page_alloc ' || fail "info does not list the events"

command -v trace-cmd >/dev/null || exit 0
pids() {
	trace-cmd report -R r.dat 2>/dev/null | grep -v '^cpus=\|^ *frees:' |
		sed 's/^ *.*-\([0-9]*\) *\[.*/\1/' | sort -un
}
# The shell prints its pid; its child has a later one.
"$KMEMX" record -q --follow -o r.dat -- sh -c 'echo $$; ls /etc; :' >out
shell=$(head -n 1 out)
pids | grep -qx "$shell" || fail "--follow: no event of the command"
[ "$(pids | wc -l)" = 2 ] || fail "--follow: $(pids | wc -l) processes instead of 2"

sh -c 'while :; do read -r line </etc/passwd; done' &
other=$!
"$KMEMX" record -q -p $other --duration 300ms -o r.dat
kill $other
expect "$other" "$(pids)" "processes recorded with -p"

started=$(date +%s)
# Without a command, the recording ends with the last of the processes.
sleep 4 &
"$KMEMX" record -q -p $! --duration 20s -o r.dat 2>err
[ "$(date +%s)" -lt $((started + 15)) ] || fail "-p went on after the process had ended"

# A zombie: its parent has not waited for it, so its pid still exists.
sh -c 'sleep 0.5 & echo $! >ended; exec sleep 60' &
parent=$!
wait_for "a process" test -s ended
wait_for "its end" grep -q '^State:.*Z' "/proc/$(cat ended)/status"
code=0
timeout 10 "$KMEMX" record -q -p "$(cat ended)" -o r.dat 2>err || code=$?
kill $parent
expect 1 $code "status of -p with a process that has ended: $(cat err)"
grep -q "process $(cat ended) has ended" err || fail "-p with a process that has ended: $(cat err)"
