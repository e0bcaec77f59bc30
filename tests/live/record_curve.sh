# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The kernel's curve shows 10000 files being opened, held and closed, like slabinfo and the events.
# It costs little, parts of a recording have it, too, and trace-cmd can still read the file.
# only with LONG=1
# quiet: other programs open files, too, and free objects that CPUs hold come and go with them
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

need_quick_slabinfo
reader=''
trap 'end_all $reader' EXIT

# Another process reads slabinfo at the same time.
cat >reader.py <<'END'
import time
while True:
    before = time.monotonic_ns()
    with open("/proc/slabinfo") as f:
        active = [line.split()[1] for line in f if line.startswith("filp ")]
    print(before, time.monotonic_ns(), active[0], flush=True)
    time.sleep(0.02)
END
cat >work <<END
sleep 2
"$KMEMX_BUILD/tests/workloads/files" 10000 3000
sleep 2
END
python3 reader.py >seen &
reader=$!
wait_for "slabinfo" test -s seen
"$KMEMX" record -v -o r.dat -- sh work 2>err || fail "record: $(cat err)"
kill -TERM $reader
wait $reader || :
reader=
"$KMEMX" stat --ledger --json r.dat >json
"$KMEMX" info --json r.dat >facts
cat >check.py <<'END'
import json, re
reports = {r["name"]: r for r in json.load(open("json"))["reports"]}
filp = next(r for r in reports["ledger"]["rows"] if r["cache"] == "filp")
steps = sorted(reports["ledger_step"]["rows"], key=lambda r: r["from_ts"])
times = [r["from_ts"] for r in steps] + [steps[-1]["to_ts"]]
info, wrong = json.load(open("facts")), []
kernel, trace, slack = filp["kernel_at"], filp["trace_at"], filp["slack"] + 500
seen = [[int(word) for word in line.split()] for line in open("seen")]
if not 12 <= len(times) <= 64 or info["curve_moments"] != len(times):
    wrong.append(f"{len(times)} moments, {info['curve_moments']}")
if info["curve_first_ts"] != times[0] or info["curve_last_ts"] != times[-1]:
    wrong.append(f"other times: {times}, {info}")
if max(kernel) - kernel[0] < 10000 - slack or max(kernel) - kernel[-1] < 10000 - slack:
    wrong.append(f"10000 files do not come and go: {kernel}")
held = [k for k in kernel if k - kernel[0] > 9000]
if len(held) < 4:
    wrong.append(f"they are not held: {kernel}")
compared = 0
for moment, count in zip(times, kernel):
    near = [n for begin, end, n in seen if abs(begin - moment) < 50e6]
    if len(near) > 1:
        compared += 1
        if not min(near) - slack <= count <= max(near) + slack:
            wrong.append(f"at {moment}: {count}, but slabinfo had {near}")
if compared < len(times) / 2:
    wrong.append(f"only {compared} of {len(times)} moments could be compared")
for moment, count, by_events in zip(times, kernel, trace):
    if abs(count - by_events) > slack:
        wrong.append(f"at {moment}: {count}, {by_events} by events")
for before, after in zip(steps, steps[1:]):
    if before["to_ts"] != after["from_ts"]:
        wrong.append(f"a gap: {before}, {after}")
spent = re.search(r"kernel's counts: ([\d.]+) ms of CPU time; (\d+) moments", open("err").read())
share = float(spent[1]) * 1e6 / info["duration_ns"]
print(f"{spent[2]} moments, {spent[1]} ms of CPU time, {100 * share:.2f} %; "
      f"filp {kernel}, by events {trace}")
if share > 0.005 + 0.003e9 / info["duration_ns"]:
    wrong.append(f"they take {100 * share} % of a CPU")
raise SystemExit("\n".join(wrong) or 0)
END
python3 check.py || fail "the curve"
"$KMEMX" info r.dat | grep -q '^counts .* moments' || fail "info does not show it"
"$KMEMX" report r.dat -o r.html || fail "report"
if command -v trace-cmd >/dev/null; then
	trace-cmd report -i r.dat 2>/dev/null | grep -q kmem_cache_alloc || fail "trace-cmd"
fi

# moments FILE: prints the number of its moments
moments() {
	"$KMEMX" info --json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["curve_moments"])'
}
"$KMEMX" split --time 40%,60% -o part.dat r.dat 2>/dev/null
[ "$(moments part.dat)" -ge 2 ] || fail "a part has no moments"
[ "$(moments part.dat)" -lt "$(moments r.dat)" ] || fail "a part has all moments"
