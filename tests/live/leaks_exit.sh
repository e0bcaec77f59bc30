# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What a program leaks is freed when it ends: kmemx leaks says so, and shows the leak with --time.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
[ -e "/sys/kernel/tracing/events/sched/sched_process_exit" ] || skip "this kernel has no sched_process_exit"
cat >leaky.py <<'END'
import os, time
kept = []
for i in range(600):
    kept.append(os.pipe())
    time.sleep(.002)
os._exit(0)
END
cat >work <<'END'
ulimit -n 4096
python3 leaky.py
sleep .2
END
"$KMEMX" record -q --follow -o r.dat -- sh work || fail "record"
"$KMEMX" info r.dat | grep -q '^recorded .*sched:sched_process_exit' || fail "no ends of tasks"
"$KMEMX" leaks --slab --json r.dat >whole.json
note=$(python3 -c '
import json
print("\n".join(json.load(open("whole.json"))["reports"][0]["notes"]))' | grep 'ended and freed')
echo "$note" | grep -q 'python3-[0-9]* (' || fail "which task ended: $note"
when=$(echo "$note" | sed -n 's/.*--time \(,+[0-9.]*s\)\.$/\1/p')
[ -n "$when" ] || fail "since when: $note"
"$KMEMX" leaks --slab --json --time "$when" r.dat >before.json
python3 - <<'END' || fail "pipes: $note"
import json
def pipes(name):
    rows = json.load(open(name))["reports"][0]["rows"]
    return next((row for row in rows if row["callsite"] == "alloc_pipe_info"), None), rows[0]
(before, first), (whole, _) = pipes("before.json"), pipes("whole.json")
print("before:", before, "at the end:", whole)
if not before or before["objects"] < 500 or before["verdict"] != "grows":
    raise SystemExit(1)
if before["tasks"] != 1 or not before["task"].startswith("python3-"):
    raise SystemExit(1)
if whole and whole["objects"] > 100:
    raise SystemExit(1)
END
# No task had ended by then.
"$KMEMX" leaks --slab --time ,+0.1s r.dat | grep 'python3.*ended and freed' && fail "too early"
exit 0
