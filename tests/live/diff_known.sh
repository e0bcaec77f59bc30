# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Two recordings that differ by a known amount show that amount in the right rows.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

files=$KMEMX_BUILD/tests/workloads/files
pipes=$KMEMX_BUILD/tests/live/pipes
nr=1000

# record OUTPUT COMMAND...
record() {
	output=$1
	shift
	"$KMEMX" record -q --follow --slab -o "$output" -- "$@" || fail "recording $output"
}

# Prints the change in column $3 of row $2 in the first table of comparison $1.
change() {
	awk -F, -v row="$2" -v name="$3" '
		NR == 1 || /^# / { if (/^# slab by/ || NR == 1) on = 1; else on = 0 }
		/,status,/ { for (i = 1; i <= NF; i++) column[$i] = i; next }
		on && $NF == row { print $column[name]; exit }' "$1"
}

record f1.dat "$files" $nr
record f2.dat "$files" $((2 * nr))
"$KMEMX" diff f1.dat f2.dat --slab --caller --csv --all >files.csv
sed -i '/^# recordings/,$d' files.csv
row=alloc_empty_file
grep -q ",$row\$" files.csv || row=__alloc_file # 6.1 and older
expect $nr "$(change files.csv $row hit_delta)" "hits of $row, 1000 files more"
# All files stay open until the program ends and closes them.
expect 0 "$(change files.csv $row net_delta)" "net of $row"
peak=$(change files.csv $row peak_delta)
bytes=$(change files.csv $row bytes_delta)
expect "$bytes" "$peak" "peak and bytes of $row"
# Each file costs one object of the cache, and nothing else changed that much.
[ $((bytes % nr)) = 0 ] || fail "$bytes bytes are not a multiple of $nr files"
"$KMEMX" diff f1.dat f2.dat --slab --caller --fail-on 'net>+64K' >/dev/null ||
	fail "net grew by more than 64K"
"$KMEMX" diff f1.dat f2.dat --slab --caller --fail-on 'slab.hit>+1%&+999' >gate.txt 2>err &&
	fail "the gate allows 1000 more files"
grep -q "$row" gate.txt || fail "the gate does not list $row: $(cat gate.txt)"

# One more pipe per iteration: alloc_pipe_info allocates the pipe and its ring.
record p1.dat "$pipes" $nr 1
record p2.dat "$pipes" $nr 2
"$KMEMX" diff p1.dat p2.dat --slab --caller --csv --all >pipes.csv
sed -i '/^# recordings/,$d' pipes.csv
expect $((2 * nr)) "$(change pipes.csv alloc_pipe_info hit_delta)" "hits of alloc_pipe_info"
expect $nr "$("$KMEMX" diff p1.dat p2.dat --slab --caller --csv --all --per 1 |
	awk -F, '/,status,/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$NF == "alloc_pipe_info" { print $c["hit_delta"] / 2; exit }')" "pipes"
# Per iteration, that is one pipe: two allocations.
"$KMEMX" diff p1.dat p2.dat --slab --caller --csv --all --per $nr >per.csv
sed -i '/^# recordings/,$d' per.csv
expect 2 "$(change per.csv alloc_pipe_info hit_delta)" "hits per iteration"

# With several runs, the significance test finds a difference of 1000.
"$KMEMX" record -q --follow --slab --repeat 8 -o old/ -- "$files" $nr
"$KMEMX" record -q --follow --slab --repeat 8 -o new/ -- "$files" $((2 * nr))
expect 8 "$(find new -name '*.dat' | wc -l)" "runs in a directory"
"$KMEMX" diff old/ new/ --slab --caller --columns hit >runs.txt
grep " $row\$" runs.txt | grep -q '+1000 ' || fail "no +1000: $(cat runs.txt)"
grep " $row\$" runs.txt | grep -q '~' && fail "1000 more files are not significant: $(cat runs.txt)"
# If the old runs are compared with each other, no rule may fail.
mkdir a b
cp old/00[1-4].dat a/
cp old/00[5-8].dat b/
"$KMEMX" diff a/ b/ --slab --caller --fail-on 'hit>+5%&+50' >same.txt ||
	fail "the same workload breaks the rule: $(cat same.txt)"
