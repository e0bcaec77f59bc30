# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# However a recording ends, the instance is removed and the file is complete; a killed recorder's
# remains are kept for kmemx recover.
# only with LONG=1
# alone: other recorders remove what a killed one leaves, and it looks for the message
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

# Before a recorder starts in the background, err is deleted: wait_started might read the old one
# before the recorder truncates it.

before=$(tracing_state)
for signal in INT TERM HUP QUIT ALRM USR1 USR2 VTALRM PROF XCPU XFSZ IO; do
	# A shell starts background jobs with SIGINT ignored; a signalfd receives it nevertheless.
	rm -f err
	"$KMEMX" record -o $signal.dat 2>err &
	pid=$!
	wait_started err
	instance=$(instance_of $pid)
	ls -lR /etc >/dev/null
	kill -$signal $pid
	code=0
	wait $pid || code=$?
	expect 0 $code "status after SIG$signal"
	[ "$(events_said err)" -gt 100 ] || fail "SIG$signal: $(cat err)"
	"$KMEMX" info -i $signal.dat >/dev/null || fail "SIG$signal: the file is unreadable"
	expect_gone $instance
done

# A signal sent only to the recorder also ends its command.
for signal in TERM:143 HUP:129 USR1:138 ALRM:142; do
	rm -f err
	"$KMEMX" record -o child.dat -- sh -c 'echo $$ >pid; exec sleep 60' 2>err &
	pid=$!
	wait_started err
	wait_for "the command" test -s pid
	kill -${signal%:*} $pid
	code=0
	wait $pid || code=$?
	expect ${signal#*:} $code "status of a command ended by SIG${signal%:*}"
	! kill -0 "$(cat pid)" 2>/dev/null || fail "SIG${signal%:*} left the command behind"
	"$KMEMX" info -i child.dat >/dev/null || fail "the file is unreadable"
	rm pid
done

# A timer set before kmemx starts signals only the recorder, which then ends its command.
if command -v perl >/dev/null; then
	code=0
	perl -e 'alarm 1; exec @ARGV' "$KMEMX" record -o timer.dat -- sleep 60 2>err || code=$?
	expect 142 $code "status of a command whose recorder was ended by a timer: $(cat err)"
	"$KMEMX" info -i timer.dat >/dev/null || fail "the file is unreadable"
fi

# The recorder waits for a command that ends slowly, however many signals arrive.
rm -f err
"$KMEMX" record -o slow.dat -- sh -c 'trap "" TERM; echo $$ >pid; sleep 2; echo done >done' 2>err &
pid=$!
wait_started err
wait_for "the command" test -s pid
kill -TERM $pid
sleep 0.3
kill -TERM $pid
sleep 0.1
kill -TERM $pid
wait $pid || fail "a slow command: $(cat err)"
[ -e done ] || fail "a slow command was not waited for"
rm -f pid done

# --duration ends the command; a command that ended before returns its own status.
code=0
"$KMEMX" record --duration 300ms -o time.dat -- sh -c 'echo $$ >pid; exec sleep 60' 2>err || code=$?
expect 0 $code "status after --duration"
grep -q 'sending SIGTERM' err || fail "--duration: $(cat err)"
! kill -0 "$(cat pid)" 2>/dev/null || fail "--duration left the command behind"
code=0
"$KMEMX" record --duration 30 -o time.dat -- sh -c 'exit 4' 2>err || code=$?
expect 4 $code "status of a command that ended before --duration"

# The next kmemx stops tracing in a killed recorder's instance but keeps it; a live recorder's
# continues. An instance that never recorded anything is removed.
rm -f err
"$KMEMX" record -o killed.dat 2>err &
pid=$!
wait_started err
killed=$(instance_of $pid)
ls -lR /etc >/dev/null
kill -KILL $pid
wait $pid || :
unused=kmemx-00000000$(printf %08x $$)
mkdir "$tracefs/instances/$unused"
rm -f err
"$KMEMX" record -o live.dat 2>err &
live=$!
wait_started err
grep -q "rmdir $tracefs/instances/$killed" err || fail "no message about $killed: $(cat err)"
expect_gone $unused
expect 0 "$(cat "$tracefs/instances/$killed/tracing_on")" "tracing_on of a killed recorder"
"$KMEMX" record -q -o other.dat -- true 2>/dev/null
expect 1 "$(cat "$tracefs/instances/$(instance_of $live)/tracing_on")" "tracing_on of a live recorder"
kill -INT $live
wait $live || fail "the live recorder: $(cat err)"
"$KMEMX" recover -q . 2>err || fail "recover: $(cat err)"
[ "$(find . -name '.killed.dat.*' | wc -l)" = 0 ] || fail "parts are left: $(ls -A)"
expect_gone $killed
expect "$before" "$(tracing_state)" "state of the tracing system"
