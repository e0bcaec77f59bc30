# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx top without a screen: known rates, the values of record and stat, and nothing left behind.
# only with LONG=1
# alone: it needs events that are read in time
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"
command -v python3 >/dev/null || skip "python3 is not installed"
paced=$KMEMX_BUILD/tests/workloads/paced
before=$(tracing_state)

# check FILE CHECK: FILE is a sequence of JSON documents; CHECK is Python, with d as their list.
check() {
	python3 - "$1" "$2" <<'END' || fail "$2: $(head -c 600 "$1")"
import json, sys
text, d = open(sys.argv[1]).read().strip(), []
while text:
    one, end = json.JSONDecoder().raw_decode(text)
    d.append(one)
    text = text[end:].strip()

def row(doc, key, value):
    rows = [r for r in doc["reports"][0]["rows"] if r[key].startswith(value)]
    return rows[0] if rows else {"hit_rate": 0, "hit": 0, "bytes": 0, "live_hit": 0, "trend": []}

if not eval(sys.argv[2]):
    sys.exit("not so: %s; %s" % (sys.argv[2], [o["top"] for o in d]))
END
}

# A known rate in each interval that the workload fills.
"$paced" 20000 6000 &
workload=$!
sleep 0.3
"$KMEMX" top --json --slab -d 1 -n 4 >rates
wait $workload || fail "the workload failed"
check rates 'len(d) == 4'
# The average over all intervals is as exact as promised; in a single one, the workload may have
# waited for a CPU.
check rates 'all(abs(row(o, "callsite", "__do_sys_timerfd_create")["hit_rate"] - 20000) < 2000 for o in d)'
check rates 'abs(sum(row(o, "callsite", "__do_sys_timerfd_create")["hit_rate"] * o["top"]["interval_ns"] for o in d) / sum(o["top"]["interval_ns"] for o in d) - 20000) < 400'
check rates 'all(0.95e9 < o["top"]["interval_ns"] < 1.3e9 for o in d)'
check rates 'len(row(d[3], "callsite", "__do_sys_timerfd_create")["trend"]) == 4'

# Short intervals have the requested length, and rows that -l keeps are complete.
for sort in rate comm; do
	"$paced" 20000 2500 &
	workload=$!
	sleep 0.3
	"$KMEMX" top --json -d 100ms -n 15 --by pid -l 2 -s $sort >short
	wait $workload || fail "the workload failed"
	check short 'len(d) == 15 and d[-1]["top"]["run_ns"] >= 1.4e9'
	check short 'all(len(o["reports"][0]["rows"]) <= 2 for o in d)'
	check short 'all(r["comm"] and r["memory"] in ("slab", "page") for o in d for r in o["reports"][0]["rows"])'
	[ $sort = comm ] ||
		check short 'any(r["comm"] != "<...>" for o in d for r in o["reports"][0]["rows"])'
	check short 'all(len(r["trend"]) == i + 1 for i, o in enumerate(d) for r in o["reports"][0]["rows"])'
done
check short 'all([r["comm"] for r in o["reports"][0]["rows"]] == sorted(r["comm"] for r in o["reports"][0]["rows"]) for o in d)'

# Each document must match the schema.
for by in callsite cache order stack comm pid process cgroup entry module cpu node; do
	"$KMEMX" top --json -n 1 -d 200ms --by $by >"by.$by" || fail "--by $by"
	check "by.$by" "len(d) == 1 and d[0]['reports'][0]['by'] == '$by'"
done
"$(dirname "$0")/../validate-json" by.* >invalid || [ $? = 77 ] || fail "not valid by the schema: $(cat invalid)"

# Compares with record and stat for the same time: no event is missing or counted twice.
"$KMEMX" record -q --slab -o both.dat -- \
	sh -c '"$0" top --json --slab -d 300ms -- "$1" 30000 2000 >tables' "$KMEMX" "$paced" || fail "both"
"$KMEMX" stat -i both.dat --slab --comm paced --json >stat
check tables 'd[-1]["top"]["lost"] == 0 and row(d[-1], "callsite", "__do_sys_timerfd_create")["hit"] == 60000'
python3 - tables stat <<'END' || fail "top and stat differ"
import json, sys
text = open(sys.argv[1]).read().strip()
while text:
    last, end = json.JSONDecoder().raw_decode(text)
    text = text[end:].strip()
stat = json.load(open(sys.argv[2]))["reports"][0]["rows"]
name = "__do_sys_timerfd_create"
a = [r for r in last["reports"][0]["rows"] if r["callsite"] == name][0]
b = [r for r in stat if r["callsite"] == name][0]
if (a["hit"], a["bytes"]) != (b["hit"], b["bytes"]):
    sys.exit("%s, stat: %s" % (a, b))
END

# Shows only live memory of a command and its descendants.
"$KMEMX" top --json --page --follow -d 400ms -n 2 --by order -- "$KMEMX_BUILD/tests/workloads/touch" 3000 1500 >touch
check touch '3000 <= sum(r["live_hit"] for r in d[1]["reports"][0]["rows"] if r["order"] == 0) < 3600'

# Every way to end it works.
for signal in INT TERM HUP; do
	rm -f out
	"$KMEMX" top --batch -d 100ms >out 2>err &
	top=$!
	wait_for "tables" grep -qs Callsite out
	instance=$(instance_of $top)
	kill -$signal $top
	wait $top || fail "SIG$signal: $(cat err)"
	expect_gone "$instance"
done
"$KMEMX" top --batch -d 100ms 2>err | head -n 1 | grep -q '^# Linux' || fail "into a pipe: $(cat err)"
"$KMEMX" top --batch -n 1 -d 100ms >/dev/full 2>err && fail "exit code 0 on a full disk"
"$KMEMX" top --batch -d 100ms --duration 300ms >out || fail "--duration"
code=0
"$KMEMX" top --batch -- sh -c 'exit 7' >out 2>err || code=$?
expect 7 $code "the command's status"
code=0
"$KMEMX" top --batch -- no-such-command-here >out 2>err || code=$?
expect 127 $code "no command"
expect "$before" "$(tracing_state)" "state of the tracing system"
