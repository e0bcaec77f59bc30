# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# While 5000 files are held open, events give the exact number in their cache and explain the
# numbers in slabinfo, or the report says why not.
# quiet: other tests open and close thousands of files
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

[ -r /proc/slabinfo ] || skip "this kernel has no /proc/slabinfo"
command -v python3 >/dev/null || skip "python3 is not installed"

"$KMEMX" record -q -o r.dat --duration 800ms -- "$KMEMX_BUILD/tests/workloads/files" 5000 20000
"$KMEMX" stat --ledger r.dat >text
grep -q '^# Slab objects compared with slabinfo' text || fail "no ledger: $(cat text)"
"$KMEMX" stat --ledger --json r.dat >json
if "$(dirname "$0")/../validate-json" json >valid; then
	:
elif [ $? != 77 ]; then
	fail "the schema: $(cat valid)"
fi
# Notes which tasks ran, to compare them with those that have events.
if [ "$(cut -d ' ' -f 1 /proc/$$/schedstat)" -gt 0 ]; then
	"$KMEMX" info r.dat | grep -q '^facts.* tasks_ran ' || fail "no tasks_ran"
fi
python3 - json <<'END'
import json, sys
reports = {r["name"]: r for r in json.load(open(sys.argv[1]))["reports"]}
wrong = []
rows = {r["cache"]: r for r in reports["ledger"]["rows"]}
filp = rows.get("filp")
if not filp:
    sys.exit("no filp among " + ", ".join(rows))
if filp["allocs"] < 5000 or filp["trace"] < 4500:
    wrong.append(f"filp: {filp}")
for row in rows.values():
    if row["trace"] != row["allocs"] - row["freed"] - row["implicit"]:
        wrong.append(f"trace is not the balance: {row}")
    if row["kernel"] is not None and row["unexplained"] != row["kernel"] - row["trace"]:
        wrong.append(f"unexplained is not the difference: {row}")
    if row["unexplained"] and row["why"] == "-":
        wrong.append(f"no reason: {row}")
if filp["explained"] < 95 and abs(filp["unexplained"]) > filp["slack"]:
    wrong.append(f"filp is not explained: {filp}")
pages = {r["what"]: r for r in reports["ledger_page"]["rows"]}
for what in ("allocated (pgalloc_*)", "freed (pgfree)"):
    row = pages[what]
    # The kernel counts every page that has an event.
    if row["kernel"] < row["trace"] * 0.99:
        wrong.append(f"fewer pages than events say: {row}")
    # Other load may allocate pages without events, but then the row must say so.
    if row["explained"] < 50 and row["why"] in (None, "-"):
        wrong.append(f"not explained: {row}")
sys.exit("\n".join(wrong) or 0)
END
# 1000 messages are in one row, whichever cache of their size they came from.
"$KMEMX" record -q -o messages.dat --duration 800ms -- \
	"$KMEMX_BUILD/tests/workloads/messages" 1000 20000
"$KMEMX" stat --ledger --json messages.dat >json
python3 - json <<'END'
import json, sys
reports = {r["name"]: r for r in json.load(open(sys.argv[1]))["reports"]}
rows = [r for r in reports["ledger"]["rows"]
        if r["cache"].split("+")[0] in ("kmalloc-256", "kmalloc-cg-256")]
row = max(rows, key=lambda r: r["trace"])
if row["trace"] < 900 or row["kernel"] < 900 - row["slack"]:
    sys.exit(f"1000 messages are not in one row: {rows}")
print(row)
END
# A recording of some allocations says that the kernel counts all of them.
"$KMEMX" record -q -o part.dat --filter 'bytes_alloc > 64' -- true
"$KMEMX" stat --ledger part.dat | grep -q '^# Only a part of the system' ||
	fail "--filter is not mentioned"
