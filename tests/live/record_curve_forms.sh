# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Streams, compressed files, other clocks and flight recorders have the kernel's curve, too.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

need_quick_slabinfo
recorder=''
trap 'end_all $recorder' EXIT

# moments FILE: prints the number of its moments
moments() {
	"$KMEMX" info --json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["curve_moments"])'
}
# has_moments FILE OPTION...: checks that a recording with these options has moments. Readings may
# take 1/256 of the time: if one takes 4 ms, they are more than a second apart.
has_moments() {
	file=$1
	shift
	for seconds in 1 4 16; do
		"$KMEMX" record -q "$@" --duration $seconds 2>record.err >streamed || return 1
		[ "$(moments "$file")" -ge 3 ] && return
	done
	return 1
}
has_moments streamed -o - || fail "a stream has no moments: $(cat record.err)"
has_moments small.dat --compress -o small.dat || has_moments small.dat -o small.dat ||
	fail "a compressed recording has no moments: $(cat record.err)"
has_moments clock.dat --clock local -o clock.dat ||
	fail "another clock has no moments: $(cat record.err)"
"$KMEMX" stat --ledger clock.dat | grep -q 'step by step' || fail "another clock has no steps"

# The latest seconds of a flight recorder, with buffers so large that a busy machine does not
# overwrite them before the next reading of the counts.
"$KMEMX" record --flight=64M -o flights 2>flight.err &
recorder=$!
wait_for "the flight recorder" grep -q 'waiting for' flight.err
sleep 2
kill -USR1 $recorder
wait_for "its file: $(cat flight.err)" eval 'ls flights/flight-*-signal.dat >/dev/null'
kill -TERM $recorder
wait $recorder || fail "the flight recorder: $(cat flight.err)"
recorder=
"$KMEMX" info --json flights/flight-*-signal.dat >facts
python3 - <<'END' || fail "the moments of a flight recorder"
import json
info = json.load(open("facts"))
begin, end = info["first_ts"] - 500e6, info["last_ts"] + 500e6
print(info["curve_moments"], "moments of a flight recorder in", info["duration_ns"], "ns")
if not begin <= info["curve_first_ts"] <= info["curve_last_ts"] <= end:
    raise SystemExit(info)
END
