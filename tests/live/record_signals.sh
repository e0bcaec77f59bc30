# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# However a recording ends, the instance goes and the file is whole; what a killed recorder
# left is removed by the next one.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

# A recorder in the background truncates its err only when it runs: an older one must not be
# there for wait_started to read.

before=$(tracing_state)
for signal in INT TERM HUP; do
	# A shell starts background jobs with SIGINT ignored; a signalfd takes it still.
	rm -f err
	"$KMEMX" record -o $signal.dat 2>err &
	pid=$!
	wait_started err
	ls -lR /etc >/dev/null
	kill -$signal $pid
	code=0
	wait $pid || code=$?
	expect 0 $code "status after SIG$signal"
	[ "$(events_said err)" -gt 100 ] || fail "SIG$signal: $(cat err)"
	"$KMEMX" info -i $signal.dat >/dev/null || fail "SIG$signal: the file is unreadable"
	expect_gone $pid
done

# A signal for the recorder alone ends its command too, which is not left behind.
for signal in TERM:143 HUP:129; do
	rm -f err
	"$KMEMX" record -o child.dat -- sh -c 'echo $$ >pid; exec sleep 60' 2>err &
	pid=$!
	wait_started err
	until [ -s pid ]; do sleep 0.05; done
	kill -${signal%:*} $pid
	code=0
	wait $pid || code=$?
	expect ${signal#*:} $code "status of a command ended by SIG${signal%:*}"
	! kill -0 "$(cat pid)" 2>/dev/null || fail "SIG${signal%:*} left the command behind"
	"$KMEMX" info -i child.dat >/dev/null || fail "the file is unreadable"
	rm pid
done

# One that takes its time to end is waited for, however often it is told.
rm -f err
"$KMEMX" record -o slow.dat -- sh -c 'trap "" TERM; echo $$ >pid; sleep 2; echo done >done' 2>err &
pid=$!
wait_started err
until [ -s pid ]; do sleep 0.05; done
kill -TERM $pid
sleep 0.3
kill -TERM $pid
sleep 0.1
kill -TERM $pid
wait $pid || fail "a slow command: $(cat err)"
[ -e done ] || fail "a slow command was not waited for"
rm -f pid done

# --duration ends the command; one that ended before returns its own status.
code=0
"$KMEMX" record --duration 300ms -o time.dat -- sh -c 'echo $$ >pid; exec sleep 60' 2>err || code=$?
expect 0 $code "status after --duration"
grep -q 'ending the command (SIGTERM)' err || fail "--duration: $(cat err)"
! kill -0 "$(cat pid)" 2>/dev/null || fail "--duration left the command behind"
code=0
"$KMEMX" record --duration 30 -o time.dat -- sh -c 'exit 4' 2>err || code=$?
expect 4 $code "status of a command that ended before --duration"

rm -f err
"$KMEMX" record -o killed.dat 2>err &
pid=$!
wait_started err
kill -KILL $pid
wait $pid || :
# Another kmemx on this machine may have removed that one already; so add one more.
sh -c 'exit 0' &
dead=$!
wait $dead
mkdir "$tracefs/instances/kmemx-$dead"

# A live recorder's instance must survive the sweep that removes the dead one's.
rm -f err
"$KMEMX" record -o live.dat 2>err &
live=$!
wait_started err
expect_gone_soon $pid
expect_gone_soon $dead
"$KMEMX" record -q -o killed.dat -- true
[ -d "$tracefs/instances/kmemx-$live" ] || fail "a live recorder lost its instance"
kill -INT $live
wait $live || fail "the live recorder: $(cat err)"
# What it had recorded, if anything, is the user's: see record_killed.
"$KMEMX" recover -q . 2>err || grep -q 'no interrupted recording' err || fail "recover: $(cat err)"
[ "$(find . -name '.killed.dat.*' | wc -l)" = 0 ] || fail "parts are left: $(ls -A)"
expect "$before" "$(tracing_state)" "state of the tracing system"
