# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# In a PID namespace, as in containers, the kernel's pids differ from getpid(): --follow must still
# follow the command, the recorder must not record itself, and recorders with the same pid must not
# use each other's instance.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

unshare --pid --fork --mount-proc true 2>/dev/null || skip "no PID namespace can be made here"
before=$(tracing_state)

# Sets $self to the outside pid of a kmemx that is the first process of a namespace.
see_outside() {
	self=$(grep -l '^Name:[[:space:]]*kmemx$' /proc/[0-9]*/status | while read -r status; do
		awk '$1 == "NSpid:" && NF > 2 && $NF == 1 { print $(NF - 1) }' "$status" || :
	done)
	[ -n "$self" ]
}

# Prints the outside pid of the only child of process $1.
child_of() {
	tr -d ' ' <"/proc/$1/task/$1/children"
}

# --follow: the command opens 2000 files, and nothing else is recorded.
for run in "" -z; do
	unshare --pid --fork --mount-proc "$KMEMX" record $run --follow --slab -o follow.dat -- \
		sh -c 'i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); : >/dev/null; done' 2>err ||
		fail "--follow in a namespace: $(cat err)"
	said=$(events_said err)
	[ "$said" -gt 2000 ] || fail "--follow in a namespace records $said events: $(cat err)"
done
unshare --pid --fork --mount-proc "$KMEMX" record -o - --follow --slab -- true 2>err |
	"$KMEMX" info -i - >info || fail "a stream in a namespace: $(cat err)"

# Records the whole system except the recorder, which is excluded by its outside pid.
unshare --pid --fork --mount-proc "$KMEMX" record -o whole.dat -- \
	timeout 60 sh -c 'until [ -e seen ]; do ls -lR /etc; done' >/dev/null 2>err &
wait=$!
wait_for "the recorder to be seen" see_outside
: >seen
wait $wait || fail "the whole system in a namespace: $(cat err)"
[ "$(events_said err)" -gt 1000 ] || fail "the whole system: $(cat err)"
# Softirqs that interrupt the recorder are recorded, and so are all frees, even its own.
own=$("$KMEMX" script whole.dat --json | grep "\"pid\": $self," | grep -c '"event": "[a-z_]*alloc') || :
[ "$own" -lt 50 ] || fail "the recorder, pid $self outside, has $own allocations in its own recording"

# -p refuses the namespace's pids; those of the outside /proc work.
code=0
unshare --pid --fork --mount-proc "$KMEMX" record -p 1 --duration 0.1 -o pid.dat 2>err || code=$?
expect 1 $code "-p in a namespace: $(cat err)"
grep -q 'this is a PID namespace' err || fail "$(cat err)"
sh -c 'while :; do : </dev/null; done' &
busy=$!
unshare --pid --fork "$KMEMX" record -p $busy --slab --duration 0.3 -o pid.dat 2>err || {
	kill $busy
	fail "-p with the outer /proc: $(cat err)"
}
kill $busy
[ "$(events_said err)" -gt 100 ] || fail "-p with the outer /proc: $(cat err)"

# Two recorders with the same pid, and a third one that looks for dead ones.
for name in one two; do
	rm -f $name.err
	unshare --pid --fork --mount-proc "$KMEMX" record -o $name.dat -- \
		timeout 60 sh -c 'until [ -e seen_both ]; do ls -lR /etc; done' >/dev/null 2>$name.err &
	eval "$name=\$!"
	wait_started $name.err
done
alive="$(instance_of "$(child_of $one)") $(instance_of "$(child_of $two)")"
"$KMEMX" record -o three.dat -- true 2>err || fail "$(cat err)"
# Both may report a recorder that really was killed, in another test or earlier.
for instance in $alive; do
	! grep -q "$instance" err two.err ||
		fail "a live recorder was considered dead: $(cat err two.err)"
done
: >seen_both
for pid in $one $two; do
	wait $pid || fail "two recorders with the same pid: $(cat one.err two.err)"
done
for name in one two; do
	[ "$(events_said $name.err)" -gt 100 ] || fail "$name: $(cat $name.err)"
done
expect "$before" "$(tracing_state)" "state of the tracing system"
