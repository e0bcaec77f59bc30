# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Programs that leak at a known rate, at once, or not at all; and known lifetimes.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
programs=$KMEMX_BUILD/tests/workloads

# expect NAME CHECK COMMAND...: CHECK is Python about the command's JSON output: rows by callsite,
# and table, their list.
expect() {
	name=$1 check=$2
	shift 2
	"$KMEMX" "$@" -i r.dat --json >json
	python3 - "$name" "$check" json <<'END' || fail "$name"
import json, sys
name, check, path = sys.argv[1:]
with open(path) as f:
    table = json.load(f)["reports"][0]["rows"]
rows = {row["callsite"].split(" ")[0]: row for row in table}

def one(*names):
    return next((rows[n] for n in names if n in rows), None)

msg = one("load_msg", "alloc_msg", "do_msgsnd")
epoll = one("do_epoll_ctl", "ep_insert", "sys_epoll_ctl", "__x64_sys_epoll_ctl")
if not eval(check):
    sys.exit(f"{name}: not so: {check}\nmessages: {msg}\nepoll: {epoll}\nfirst: {table[:2]}")
END
}

# One message of 256 bytes about every millisecond, never received.
"$KMEMX" record -q --follow --slab --duration 4s -o r.dat -- "$programs/messages" 20000 5000 1000
expect "a leak of a known rate" \
	'table[0] is msg and msg["verdict"] == "grows" and msg["bytes"] == 256 * msg["objects"] and msg["objects"] > 500 and abs(msg["growth"] * msg["age_max"] / 1e9 / (256 * (msg["objects"] + msg["young"])) - 1) < 0.35 and msg["growth_min"] <= msg["growth"] <= msg["growth_max"] and msg["task"].startswith("messages-") and msg["tasks"] == 1' \
	leaks --slab
expect "younger objects are in flight" \
	'msg["age_min"] >= 1e9 and msg["young"] > 200' leaks --slab --older 1s
echo 'leak:_msg' >known
expect "a known leak" 'msg is None' leaks --slab --suppress known

# The same number, all at once.
"$KMEMX" record -q --follow --slab --duration 1500ms -o r.dat -- "$programs/messages" 3000 5000
expect "a leak that stopped" \
	'table[0] is msg and msg["objects"] == 3000 and msg["bytes"] == 3000 * 256 and msg["verdict"] in ("steady", "filled") and msg["outlived"] == msg["bytes"] and msg["age_min"] > 5e8' \
	leaks --slab

# Not a leak: held for a while, then freed.
"$KMEMX" record -q --follow --slab -o r.dat -- "$programs/messages" 3000 400
expect "no leak" 'msg is None' leaks --slab
expect "known lifetimes" \
	'msg["freed"] == 3000 and msg["short"] == 0 and 3.9e8 <= msg["median"] < 8e8 and sum(msg["lifetimes"]) == 3000 and sum(msg["lifetimes"][28:30]) == 3000' \
	stat --lifetime

expect "a peak of a known height" \
	'table[0] is msg and msg["objects"] == 3000 and msg["bytes"] == 3000 * 256 and msg["bytes_end"] == 0' \
	peak --slab

# A peak of messages and pages, then less.
"$KMEMX" record -q --follow -o r.dat -- "$programs/phases" 3000 700 1000 >moments
then=$(sed -n 1p moments) after=$(sed -n 2p moments)
expect "a peak and what follows" \
	'table[0] is msg and msg["objects"] == 3000 and msg["bytes"] == 3000 * 256 and msg["bytes_end"] == 0' \
	peak --slab
expect "live at the time of the peak" \
	'table[0] is msg and msg["objects"] == 3000 and msg["bytes"] == 3000 * 256' \
	peak --slab --at "$then"
expect "live after the peak" \
	'table[0] is msg and msg["objects"] == 700 and msg["bytes"] == 700 * 256' \
	peak --slab --at "$after"
expect "the peak over time" \
	'table[0] is msg and len(msg["over_time"]) == 40 and msg["over_time"].count(3000 * 256) > 10 and msg["over_time"].count(700 * 256) > 10 and max(msg["over_time"]) == 3000 * 256 and msg["over_time"].index(3000 * 256) < msg["over_time"].index(700 * 256)' \
	peak --slab --over-time 40

# The first row of pages has these and few others of that callsite.
pages_of() {
	"$KMEMX" peak --page -i r.dat -l 1 --csv "$@" | awk -F, 'NR == 2 { print $1 / $2, $2 }'
}
page=$(getconf PAGESIZE)
most=$(pages_of) left=$(pages_of --at "$after")
expect_pages() {
	[ "${most% *} ${left% *}" = "$page $page" ] && [ "${most#* }" -ge 3000 ] &&
		[ "${most#* }" -le 3100 ] && [ "${left#* }" -ge 700 ] && [ "${left#* }" -le 800 ]
}
expect_pages || fail "a peak of pages: '$most', and after it '$left'"

# Most objects are freed at once; one in 50 is held.
"$KMEMX" record -q --follow --slab -o r.dat -- "$programs/churn" 20000 50 200
expect "median and 99 %" \
	'table[0] is msg and msg["freed"] == 20000 and msg["untimed"] == 0 and msg["live"] == 0 and 19000 <= msg["short"] <= 19600 and msg["short_bytes"] == 256 * msg["short"] and msg["median"] < 1e5 and 1.9e8 <= msg["p99"] <= msg["longest"] * 33 / 32 and sum(msg["lifetimes"][27:]) >= 400' \
	stat --lifetime --short 1ms

# Memory that is allocated and soon freed is at most in flight: none of its rows grows.
"$KMEMX" record -q --follow --slab -o r.dat -- "$KMEMX_BUILD/tests/live/pipes" 20000 1
expect "churn" 'not any(row["verdict"] == "grows" and row["objects"] > 100 for row in table)' \
	leaks --slab
expect "short lifetimes" \
	'rows["alloc_pipe_info"]["freed"] >= 39990 and rows["alloc_pipe_info"]["median"] < 1e6 and rows["alloc_pipe_info"]["short"] > 10000' \
	stat --lifetime --short 1ms

# RCU soon frees these in bulk without an event: they look live, but the row says that they may not
# be.
"$KMEMX" record -q --follow --slab -o r.dat -- sh -c '"$1" 10000; sleep 1' sh "$programs/epoll"
expect "freed without an event" \
	'epoll is None or (epoll["net_min"] == 0 and epoll["net_reason"] != "seen") or epoll["bytes"] < 100000' \
	leaks --slab --older 1ns
