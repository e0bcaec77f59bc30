# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Several recorders with the same name: one records, the others refuse to start, and no recording is
# lost.
# only with LONG=1
# alone: it compares the instances before and after
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)
mkdir d

# While one records, no other does, however the name is spelled; the first one's file is complete.
"$KMEMX" record -o d/r.dat -- sh -c 'while [ ! -e stop ]; do sleep 0.05; done' 2>first &
first=$!
wait_for "the first recorder" eval 'ls d/.r.dat.*.tmp'
instance=$(instance_of $first)
wait_for "its command" grep -q 1 "$tracefs/instances/$instance/tracing_on"
for name in d/r.dat ./d/../d/r.dat; do
	code=0
	"$KMEMX" record -o $name -- touch ran 2>err || code=$?
	expect 1 $code "exit code of the second recorder: $(cat err)"
	grep -q "cannot record to $name: another kmemx is recording to it" err || fail "$(cat err)"
	[ ! -e ran ] || fail "the second recorder ran its command"
done
expect "" "$(ls d)" "no file yet"
expect 1 "$(find d -name '.r.dat.*' | wc -l)" "files of the first one"
"$KMEMX" record -q -o d/other.dat -- true
mkdir e
"$KMEMX" record -q -o e/r.dat -- true
: >stop
wait $first || fail "the first one: $(cat first)"
expect "$(printf 'other.dat\nr.dat')" "$(ls -A d)" "files"

# Afterwards the name is free.
"$KMEMX" record -q -o d/r.dat -- true
expect "$(printf 'other.dat\nr.dat\nr.dat.old')" "$(ls -A d)" "files"

# Six at once, repeatedly: each that reports success has saved its own file, and at least one does.
for round in 1 2 3; do
	rm -r d
	mkdir d
	pids=
	for i in 1 2 3 4 5 6; do
		"$KMEMX" record -o d/r.dat -- sleep 2 2>err.$i &
		pids="$pids $!"
	done
	nr=0 i=0
	for pid in $pids; do
		i=$((i + 1)) code=0
		wait "$pid" || code=$?
		case $code in
		0) nr=$((nr + 1)) ;;
		1) grep -q 'another kmemx is recording to it' err.$i || fail "round $round: $(cat err.$i)" ;;
		*) fail "round $round: exit $code: $(cat err.$i)" ;;
		esac
	done
	expect 1 $nr "recorders that saved, round $round"
	expect r.dat "$(ls -A d)" "files, round $round"
	"$KMEMX" info -i d/r.dat >/dev/null
done

# Another user's lock on the directory delays nobody for long.
(exec 9<d && flock 9 && exec sleep 30) &
locker=$!
wait_for "the lock" eval '! flock -n d true'
timeout 20 "$KMEMX" record -q -o d/r.dat -- true || fail "a locked directory"
kill $locker
wait $locker || :

# Flight recorders give each file a name of its own.
"$KMEMX" record --flight=1M -o files 2>first &
first=$!
wait_for "a flight" grep -q 'waiting for' first
"$KMEMX" record --flight=1M -q -o files -- true 2>err || fail "two flights: $(cat err)"
kill -INT $first
wait $first || fail "a flight: $(cat first)"
expect "$before" "$(tracing_state)" "state of the tracing system"
