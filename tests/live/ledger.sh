# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# 5000 files held open: what the events say of their cache is exact, and explains what
# slabinfo says, or the report tells why not.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

[ -r /proc/slabinfo ] || skip "this kernel has no /proc/slabinfo"
command -v python3 >/dev/null || skip "python3 is not installed"

"$KMEMX" record -q -o r.dat --duration 300ms -- "$KMEMX_BUILD/tests/workloads/files" 5000 500
"$KMEMX" stat --ledger r.dat >text
grep -q '^# Slab objects: what the events explain' text || fail "no ledger: $(cat text)"
"$KMEMX" stat --ledger --json r.dat >json
if "$(dirname "$0")/../validate-json" json >valid; then
	:
elif [ $? != 77 ]; then
	fail "the schema: $(cat valid)"
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
    # The kernel counts every page that an event tells of.
    if row["kernel"] < row["trace"] * 0.99:
        wrong.append(f"fewer pages than events say: {row}")
    # Other work of the machine takes pages that no event tells of: then the row says so.
    if row["explained"] < 50 and row["why"] in (None, "-"):
        wrong.append(f"not explained: {row}")
sys.exit("\n".join(wrong) or 0)
END
# A recording of one process says that the kernel counts for all.
"$KMEMX" record -q -o part.dat --follow -- true
"$KMEMX" stat --ledger part.dat | grep -q '^# Only a part of the system' ||
	fail "nothing said of --follow"
