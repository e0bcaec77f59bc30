# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Other processes meddle with a recording's instance or file: missing events are counted or at least
# reported, and the file is marked.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)
pipes=$KMEMX_BUILD/tests/workloads/pipes

# meddle NAME: records while the function NAME runs, which gets $instance
meddle() {
	rm -f err
	"$KMEMX" record -o "$1.dat" 2>err &
	pid=$!
	wait_started err
	instance=$tracefs/instances/$(instance_of $pid)
	"$pipes" 100
	"$1"
	"$pipes" 100
	kill -INT $pid
	code=0
	wait $pid || code=$?
	"$KMEMX" info "$1.dat" >info || fail "$1: the file is unreadable: $(cat err)"
}
# told PATTERN: checks that the last meddle printed this and wrote it to the file
told() {
	! grep -q 'none lost' err || fail "claims that none were lost: $(cat err)"
	grep -qE "$1" err || fail "no message: $(cat err)"
	grep -q truncated info || fail "not marked: $(cat info)"
}

off_and_on() {
	echo 0 >"$instance/tracing_on"
	"$pipes" 10
	echo 1 >"$instance/tracing_on"
}
clear_one() { : >"$instance/per_cpu/cpu0/trace"; }
clear_all() { echo >"$instance/trace"; }
off() { echo 0 >"$instance/tracing_on"; }
events_off() { echo 0 >"$instance/events/kmem/enable"; }
one_event_off() { echo 0 >"$instance/events/kmem/kfree/enable"; }
filter() { echo 'bytes_req > 4096' >"$instance/events/kmem/kmalloc/filter"; }
# Others can take only pages that the recorder has not read yet.
take() {
	for cpu in "$instance"/per_cpu/cpu*; do
		timeout 0.3 cat "$cpu/trace_pipe_raw" >>taken || :
	done
}
take_text() { timeout 0.5 cat "$instance/trace_pipe" >taken.txt || :; }
look() {
	cat "$instance/trace" "$instance/per_cpu/cpu0/stats" "$instance/tracing_on" \
		"$instance/set_event" >/dev/null
}

meddle look
grep -q 'none lost' err || fail "reading without consuming causes losses: $(cat err)"
for how in off_and_on off; do
	meddle $how
	told 'LOST.*another process switched tracing off or on'
done
for how in clear_one clear_all; do
	meddle $how
	told 'LOST.*another process cleared a ring buffer'
done
for how in events_off one_event_off filter; do
	meddle $how
	told 'LOST.*another process changed what is recorded'
done
for how in take take_text; do
	meddle $how
	told '[1-9][0-9]* LOST \(.*[1-9][0-9]* taken by another reader'
	# The file must contain what it claims.
	counted=$(awk '/^events / { print $2 }' info)
	expect "$(events_said err)" "$counted" "remaining events, $how"
done
[ -s taken ] || fail "nothing was taken"
# Each line that cat read is an event, except callchains' lines; cat left some events unread.
said=$(sed -n 's/^.*[ (]\([0-9]*\) taken by another reader.*/\1/p' err)
text=$(grep -cE -- '-[0-9]+ +\[[0-9]+\]' taken.txt)
[ "$text" -le "$said" ] && [ $((said - text)) -lt 1000 ] ||
	fail "$text events were taken, the message says $said"

# Another process truncates the file while it is written: pages are missing at the end or inside.
rm -f err
"$KMEMX" record -b 1M -o cut.dat 2>err &
pid=$!
wait_started err
for pass in 1 2 3; do ls -lR /etc /usr/share/doc >/dev/null; done
set -- .cut.dat.*/recording.tmp
[ -s "$1" ] || fail "nothing has been written: $(ls -lA)"
for file; do truncate -s 0 "$file"; done
for pass in 1 2 3; do ls -lR /etc /usr/share/doc >/dev/null; done
kill -INT $pid
code=0
wait $pid || code=$?
expect 1 $code "status after the file was cut: $(cat err)"
grep -qE 'another process .*cut' err || fail "no message: $(cat err)"
! grep -q 'none lost' err || fail "claims that none were lost: $(cat err)"
"$KMEMX" info cut.dat >info || fail "cut.dat is unreadable: $(cat err)"
grep -q truncated info || fail "not marked: $(cat info)"
"$KMEMX" stat cut.dat --slab --caller -l 3 >/dev/null || fail "stat of cut.dat"
expect "$before" "$(tracing_state)" "state of the tracing system"
