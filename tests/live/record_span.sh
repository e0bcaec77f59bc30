# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A recording's time is from the start to the stop of tracing, however few events there are: record,
# info, stat, diff's rates and a part of the recording agree on it.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"

# within NAME LEAST MOST SECONDS
within() {
	awk -v s="$4" -v l="$2" -v m="$3" 'BEGIN { exit !(s >= l && s <= m) }' ||
		fail "$1: $4 s instead of $2 to $3"
}

# duration FILE: prints the duration in seconds, and its kind, from the JSON.
duration() {
	"$KMEMX" info -i "$1" --json | python3 -c '
import json, sys
i = json.load(sys.stdin)
print(i["duration_ns"] / 1e9, i["span"])'
}

# The machine may be idle: without events there is no report.
timeout 60 sh -c 'while :; do date >date; sleep 0.05; done' &
busy=$!
trap 'kill $busy' EXIT

# However busy the machine is, no span is longer than kmemx's run time.
for clock in mono local; do
	started=$(date +%s.%N)
	"$KMEMX" record --page --clock $clock --duration 2s -o r.dat 2>err
	ended=$(date +%s.%N)
	took=$(awk -v a="$started" -v b="$ended" 'BEGIN { print b - a }')
	said=$(sed -n 's/^kmemx: [0-9]* events in \([0-9.]*\) s.*/\1/p' err)
	within "record's last line" 1.99 "$took" "$said"
	# shellcheck disable=SC2046 # two words
	set -- $(duration r.dat)
	expect recorded "$2" "kind of the duration"
	awk -v a="$1" -v b="$said" 'BEGIN { exit !(a - b < 0.006 && b - a < 0.006) }' ||
		fail "info says $1 s, record said $said s"
done
begins=$(printf %.3s "$1")
"$KMEMX" stat -i r.dat --page 2>/dev/null | head -n 1 | grep -q ", $(printf %.2f "$1") s, [0-9]* events" ||
	fail "stat: $("$KMEMX" stat -i r.dat --page | head -n 1)"
"$KMEMX" diff r.dat r.dat --page --per second 2>/dev/null |
	grep -q "^# per: second.* divided by $begins[0-9]* | $begins" ||
	fail "diff: $("$KMEMX" diff r.dat r.dat --page --per second | grep per:)"

# The span of a window is the window, and likewise for a part of the recording.
span=$("$KMEMX" stat -i r.dat --page --time +0.5s,+1.5s --json |
	python3 -c 'import json, sys; r = json.load(sys.stdin)["recording"]; print(r["duration_ns"], r["span"])')
expect "1000000000 window" "$span" "--time +0.5s,+1.5s"
"$KMEMX" split r.dat --time +0.5s,+1.5s -o part.dat 2>/dev/null >&2
expect "1.0 recorded" "$(duration part.dat)" "a part of one second"

# A stream has the span, too.
started=$(date +%s.%N)
"$KMEMX" record -q -o - --page --duration 1s >s.dat
ended=$(date +%s.%N)
# shellcheck disable=SC2046 # two words
set -- $(duration s.dat)
within "a stream" 0.99 "$(awk -v a="$started" -v b="$ended" 'BEGIN { print b - a }')" "$1"
