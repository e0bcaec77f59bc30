# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Extract saves the events in another program's instance and changes nothing else in it.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

name=mine-$$
instance=$tracefs/instances/$name
mkdir "$instance"
cleanup() {
	exec 9>&-
	echo 0 >"$instance/tracing_on" 2>/dev/null || :
	echo >"$instance/set_event" 2>/dev/null || :
	rmdir "$instance" 2>/dev/null || :
}
trap cleanup EXIT
trap 'exit 130' INT TERM
before=$(tracing_state)

# said FILE: prints the number of events in the summary.
said() {
	sed -n 's/^kmemx: \([0-9]*\) events, .*/\1/p' "$1"
}
state() {
	for file in tracing_on set_event trace_clock buffer_size_kb trace_options; do
		echo "$file: $(cat "$instance/$file")"
	done
}

# An empty instance; a misspelled name; a name that leads out of the directory.
code=0
"$KMEMX" extract --instance "$name" -o none.dat 2>err || code=$?
expect 1 "$code" "exit code for an empty buffer"
grep -q 'contains no events, and none is enabled' err || fail "empty: $(cat err)"
[ ! -e none.dat ] || fail "an empty buffer made a file"
code=0
"$KMEMX" extract --instance "${name}x" -o none.dat 2>err || code=$?
expect 1 "$code" "exit code for a wrong name"
grep -q "Did you mean '$name'" err || fail "wrong name: $(cat err)"
"$KMEMX" extract --instance "../$name" -o none.dat 2>err && fail "a path was accepted as a name"

# A full buffer whose oldest events were overwritten, like the ring buffer of a boot.
echo 0 >"$instance/tracing_on"
echo global >"$instance/trace_clock"
echo 64 >"$instance/buffer_size_kb"
echo kmem:kmalloc >"$instance/set_event"
echo kmem:kfree >>"$instance/set_event"
echo kmem:kmem_cache_alloc >>"$instance/set_event"
echo 1 >"$instance/tracing_on"
ls -lR /etc /usr/include >/dev/null 2>&1 || :
state >state.before
"$KMEMX" extract --instance "$name" -v -o full.dat 2>err || fail "extract: $(cat err)"
state >state.after
cmp state.before state.after || fail "the instance has changed: $(diff state.before state.after)"
grep -q 'LOST ([0-9]* overrun)' err || fail "no message about losses: $(cat err)"
grep -q 'events lost before: overrun' err || fail "no message about losses of a CPU: $(cat err)"
events=$(said err)
[ "$events" -gt 500 ] || fail "only '$events' events"
"$KMEMX" info full.dat >info || fail "info: $(cat info)"
grep -q '^clock  *global$' info || fail "clock: $(cat info)"
grep -q '^lost  .* gap' info || fail "losses in the file: $(cat info)"
expect "$events" "$(sed -n 's/^events  *\([0-9]*\).*/\1/p' info)" "events that info counts"
"$KMEMX" stat --slab --caller full.dat >stat 2>&1 || fail "stat: $(cat stat)"
grep -q '^# LOST ' stat || fail "the report does not mention the losses: $(head -n 3 stat)"
if command -v trace-cmd >/dev/null; then
	expect "$events" "$(trace-cmd report -R full.dat 2>/dev/null | grep -c '\[[0-9]*\] .*[0-9]: k')" \
		"events that trace-cmd reads"
fi

# While tracing continues, extract stops where the buffer ended when it began, before later events.
"$KMEMX" extract --instance "$name" --no-stop -o more.dat 2>err || fail "no-stop: $(cat err)"
size=$(wc -c <more.dat)
[ "$size" -lt 30000000 ] || fail "--no-stop did not end in time: $size bytes"
expect 1 "$(cat "$instance/tracing_on")" "tracing_on after --no-stop"

# Callchains by trigger. Reading has emptied the buffer, and tracing stays off.
echo 0 >"$instance/tracing_on"
echo >"$instance/set_event"
"$KMEMX" extract --instance "$name" -q -o rest.dat 2>/dev/null || :
echo kmem:mm_page_alloc >"$instance/set_event"
echo stacktrace >"$instance/events/kmem/mm_page_alloc/trigger"
echo 1 >"$instance/tracing_on"
ls -lR /etc >/dev/null
echo 0 >"$instance/tracing_on"
"$KMEMX" extract --instance "$name" -o stacks.dat 2>err || fail "stacks: $(cat err)"
expect 0 "$(cat "$instance/tracing_on")" "tracing_on, which was off"
"$KMEMX" info stacks.dat >info
grep -q ' kernel_stack$' info || fail "no call chains: $(cat info)"
code=0
"$KMEMX" extract --instance "$name" -o again.dat 2>err || code=$?
expect 1 "$code" "exit code of a second extraction"
grep -q 'contains no events' err || fail "again: $(cat err)"

# Only one reader at a time is allowed: another process has locked the instance.
if command -v flock >/dev/null; then
	exec 9<"$instance"
	flock -n 9
	code=0
	"$KMEMX" extract --instance "$name" -o busy.dat 2>err || code=$?
	expect 1 "$code" "exit code for a busy instance"
	grep -q 'another kmemx is using' err || fail "busy: $(cat err)"
	exec 9>&-
fi
[ -d "$instance" ] || fail "the instance is gone"
expect "$before" "$(tracing_state)" "the rest of the tracing system"
