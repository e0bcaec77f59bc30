# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# perf.data made here: events that perf loses in small buffers count as lost; a directory of perf
# record --threads is read; and a recording that perf kmem fails on can be reported.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"
# shellcheck source=tests/live/perf.inc
. "$(dirname "$0")/perf.inc"

# dumped WHAT: prints the sum of the numbers after WHAT in perf's dump
dumped() {
	grep -ao "$1 *[0-9][0-9]*" dump | awk -F '[: ]' '{ sum += $NF } END { print sum + 0 }'
}

before=$(tracing_state)

# One page for each CPU. perf reports losses as they happen (LOST), and the total at its end.
perf record -q -m 1 -e 'kmem:*' -a -g -o lossy.data -- ls -lR /etc >/dev/null 2>perf.out ||
	fail "perf record -m 1: $(tail -n 3 perf.out)"
import lossy.data
all_samples lossy.data
lost=$("$KMEMX" info -i perfs.dat 2>/dev/null | awk '$1 == "lost" { print $2; exit }')
perf script -D -i lossy.data 2>/dev/null | grep -a 'PERF_RECORD_LOST' >dump || :
middle=$(dumped 'PERF_RECORD_LOST: id:[0-9]*: lost:')
all=$(dumped 'lost samples *:')
[ "$lost" -gt 0 ] || fail "nothing was lost: perf says $middle and $all"
[ "$all" -ge "$middle" ] || all=$middle
if [ "$lost" -lt "$all" ] || { [ "$all" -gt 0 ] && [ "$lost" -gt $((all + all / 100)) ]; }; then
	fail "$lost are lost; perf says $middle in the middle, and $all at the end"
fi
echo "one page: $lost lost; perf says $middle in the middle, $all at the end"

# A directory with a file for each CPU.
if perf record -q --threads -e 'kmem:*' -a -g -o threads.data -- ls -lR /etc >/dev/null 2>&1; then
	import threads.data
	all_samples threads.data
	echo "a directory: $(head -n 1 imported)"
else
	echo "perf record --threads: not in this perf"
fi

# Split huge pages, about which perf kmem says: error during process events: -12.
perf kmem --page record -o thp.data -- "$KMEMX_BUILD/tests/workloads/thp" 20 cold >huge 2>perf.out ||
	fail "perf kmem record: $(tail -n 3 perf.out)"
import thp.data
all_samples thp.data
gives_up=gives
! perf kmem -i thp.data --page stat >/dev/null 2>&1 || gives_up="does not give"
"$KMEMX" stat --page --caller --csv --comm thp -i perfs.dat >thp.csv 2>err || fail "$(cat err)"
got=$(awk -F, 'NR > 1 && $3 + 0 && $2 / $3 == 2097152 { sum += $3 } END { print sum + 0 }' thp.csv)
if ! "$KMEMX" info -i perfs.dat 2>/dev/null | grep -q '^lost  *[0-9]'; then
	# perf sometimes drops an event without reporting it.
	{ [ "$got" -le "$(cat huge)" ] && [ $((got * 10)) -ge $(($(cat huge) * 9)) ]; } ||
		fail "the workload took $(cat huge) huge pages, the report has $got"
fi
echo "huge pages: $got; perf kmem $gives_up up"
expect "$before" "$(tracing_state)" "state of the tracing system"
