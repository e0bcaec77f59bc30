# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# record sets probes if the kernel has kprobes, and leaves none behind; otherwise --probes says so
# in one line, and everything else is recorded. (scripts/qemu-probes tests more, on kernels that
# have them.)
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

"$KMEMX" record --probes -o r.dat -- true 2>err || fail "record --probes: $(cat err)"
"$KMEMX" info r.dat >r.info || fail "info"
if [ -e "$tracefs/kprobe_events" ]; then
	grep -q '^probes  *rcu_free: ' r.info || fail "no rcu_free: $(cat err)"
	expect "" "$(grep kmemx_ "$tracefs/dynamic_events")" "probes that are left"
else
	expect 1 "$(grep -c probe err)" "lines about probes"
	grep -q '^probes  *no rcu_free: this kernel has no kprobes' r.info || fail "$(cat r.info)"
fi
"$KMEMX" record -o r.dat -- true 2>err || fail "record"
expect 0 "$(grep -c probe err)" "lines about probes without --probes"
"$KMEMX" record -q --page -o r.dat -- true || fail "record --page"
expect 0 "$("$KMEMX" info r.dat | grep -c '^probes ')" "probes without slab events"
