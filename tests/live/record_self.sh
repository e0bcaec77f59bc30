# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The recorder excludes only its own allocations: softirqs that interrupt it free objects of all
# tasks (RCU), and --filter does not apply to frees.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"

# events PID: prints context and name of each event of process PID: "irq kfree".
events() {
	trace-cmd report -R -l r.dat 2>/dev/null |
		sed -n "s/^.*-$1  *[0-9]*-0x\([0-9a-f]*\) .*[0-9]: \([a-z_]*\):.*/0\1 \2/p" |
		awk '{ tens = substr($1, length($1) - 1, 1); ones = substr($1, length($1))
			print tens ~ /[13579bdf]/ || ones ~ /[89a-f]/ ? "irq" : "task", $2 }'
}

# record OPTIONS: records many short processes; a small buffer keeps the recorder busy.
record() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$KMEMX" record -q -b 1M -o r.dat "$@" -- \
		sh -c 'i=0; while [ $i -lt 400 ]; do /bin/true; i=$((i + 1)); done' &
	recorder=$!
	wait $recorder || :
	events $recorder >own
}

tries=0
softirqs=0
until [ "$softirqs" -gt 0 ]; do
	tries=$((tries + 1))
	[ $tries -le 10 ] || fail "no event of a softirq that interrupted the recorder, in ten recordings"
	record
	softirqs=$(grep -c '^irq .*free' own) || :
	expect 0 "$(grep -c '^task .*alloc' own)" "allocations of the recorder"
done

# A filter applies to allocations, and with --filter-frees to frees as well.
record --filter 'common_pid == 1'
frees=$("$KMEMX" info -i r.dat | awk '$2 ~ /free/ { n += $1 } END { print n + 0 }')
allocs=$("$KMEMX" info -i r.dat | awk '$2 ~ /alloc/ { n += $1 } END { print n + 0 }')
[ "$frees" -gt 10000 ] || fail "--filter: only $frees frees"
[ "$allocs" -lt 1000 ] || fail "--filter: $allocs allocations"
record --filter 'common_pid == 1' --filter-frees
frees=$("$KMEMX" info -i r.dat | awk '$2 ~ /free/ { n += $1 } END { print n + 0 }')
[ "$frees" -lt 1000 ] || fail "--filter-frees: $frees frees"
