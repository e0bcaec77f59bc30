# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Failed allocations of a huge page's order. Using up all memory would affect other programs; in a
# memory control group of 1 MiB they fail for one program only. scripts/qemu-board tests the other
# kind: a machine without a free block of that order.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v jq >/dev/null || skip "jq is not installed"

# Makes a new group below that of this shell (v1) or below the root (v2, where a group with
# processes cannot have limited subgroups), and prints its directory.
group=
remove_group() {
	[ -z "$group" ] || rmdir "$group"
}
trap remove_group EXIT
own=$(sed -n 's/^[0-9]*:\([^:]*,\)*memory\(,[^:]*\)*:\(.*\)$/\3/p' /proc/self/cgroup)
mounted=$(awk '$3 == "cgroup" && ("," $4 ",") ~ /,memory,/ { print $2; exit }' /proc/mounts)
if [ -n "$mounted" ]; then
	limit=memory.limit_in_bytes
	parent=$mounted${own%/}
else
	limit=memory.max
	parent=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$parent" ] || skip "no control groups are mounted here"
fi
mkdir "$parent/kmemx-test.$$" 2>/dev/null || skip "no control group can be made in $parent"
group=$parent/kmemx-test.$$
echo 1048576 2>/dev/null >"$group/$limit" || skip "the control groups here do not limit memory"

asked=50 code=0
"$KMEMX" record -q --follow -o r.dat -- "$KMEMX_BUILD/tests/workloads/order9" $asked \
	"$group/cgroup.procs" >failed 2>why || code=$?
[ $code != 77 ] || skip "$(tail -n 1 why)"
expect 0 $code "the workload: $(cat why)"
# Kernels that then try single pages may still make a ring: "failed" counts children without a ring,
# events count blocks.
[ "$(cat failed)" -le $asked ] || fail "$(cat failed) of $asked failed"
if [ "$(cat failed)" = 0 ]; then
	skip "this kernel does not charge an io_uring's memory to the control group"
fi

# sum JQ: applies JQ to the report's tables by name
"$KMEMX" stat --page --caller --json r.dat >json
sum() {
	jq "[.reports[] | {(.name): .}] | add | $1" json
}
in_vain='.page_failed.rows[] | select(.order == 9 and .migtype == "UNMOVABLE"
	and (.callsite | startswith("io_")) and (.gfp | test("AC")))'
expect $asked "$(sum "[$in_vain | .hit] | add")" "failed requests of order 9 by io_uring"
expect $((asked << 21)) "$(sum "[$in_vain | .bytes] | add")" "their bytes"
expect "$(sum '[.page_failed.rows[].hit] | add')" "$(sum .page.summary.failures)" \
	"the rows and the summary"
expect 0 "$(sum '[.page.rows[] | select(.order == 9 and (.callsite | startswith("io_"))) | .hit] |
	add // 0')" "none of them was given"
counts_agree r.dat
[ "$(sum ".page.summary | .frees_unmatched + .frees_double + .frees_other")" -ge $asked ] ||
	fail "blocks freed before they were charged are not counted"

# The same without the group: no allocation fails while memory is available.
[ "$(awk '$4 == "Normal" { n += $(NF - 1) + $NF } END { print n + 0 }' /proc/buddyinfo)" -gt 8 ] ||
	exit 0
"$KMEMX" record -q --follow -o r.dat -- "$KMEMX_BUILD/tests/workloads/order9" 4 >failed
expect 0 "$(cat failed)" "failed without a group"
"$KMEMX" stat --page --caller --json r.dat >json
expect 0 "$(sum .page.summary.failures)" "failures without a group"
[ "$(sum '[.page.rows[] | select(.order == 9 and (.callsite | startswith("io_"))) | .hit] |
	add // 0')" -ge 4 ] || fail "allocated blocks of order 9 are missing"
