# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The balance adds up to MemTotal, and a workload's memory is in the right line, with its function.
# quiet: memory of other programs is in the same lines
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"

hold=$(cd "$(dirname "$0")/../workloads" && pwd)/hold.py

# check KIND MIB LINE FUNCTION [LEAST]: the line's change is explained, mostly by the function.
# Memory of other programs at that function, such as a compiler's, may or may not be in the change.
check() {
	"$KMEMX" record ${opening:+--opening} -q -o r.dat -- sh -c "python3 $hold $1 $2 >held & echo \$! >pid
		for i in \$(seq 300); do [ -s held ] && break; sleep 0.1; done; : >held; sleep 0.2" || fail "$1: record"
	kill "$(cat pid)" 2>/dev/null || fail "$1: it did not hold the memory"
	"$KMEMX" balance -i r.dat --json >balance.json || fail "$1: balance"
	python3 - "$@" "$KMEMX" "$(cat pid)" <<'END' || fail "$1"
import json, subprocess, sys
kind, mib, line, function = sys.argv[1:5]
least = float(sys.argv[5]) if len(sys.argv) > 7 else 0.97
kmemx, pid = sys.argv[-2:]
report = json.load(open("balance.json"))["reports"][0]
rows = {row["line"]: row for row in report["rows"]}
wrong = []
for when in "before", "after":
    if sum(row[when] for row in report["rows"]) != report["summary"][f"total_{when}"]:
        wrong.append(f"the lines do not add up {when}")
row, took = rows[line], int(mib) << 20
name, bytes_ = row["callsites"].split(",")[0].rsplit(" ", 1)
print(kind, row)
if not name.startswith(function):
    wrong.append(f"{line} is {name}'s")
stat = subprocess.run([kmemx, "stat", "--page", "--live", "--by", "pid", "--callsite", name, "-l", "all", "-i",
                       "r.dat", "--json"], check=True, stdout=subprocess.PIPE).stdout
live = {str(row["pid"]): row["net"] for row in json.loads(stat)["reports"][0]["rows"]}
if abs(sum(live.values()) / int(bytes_) - 1) > 0.01:
    wrong.append(f"{name} has {bytes_}, not {sum(live.values())}")
if not 0.99 < live[pid] / took < 1.05:
    wrong.append(f"{name} has {live[pid]} of the program, not {took}")
others = int(bytes_) - live[pid]
if abs(row["explained"] - row["change"]) > (1 - least) * row["change"] + others:
    wrong.append(f"{row['explained']} of {row['change']} are explained; others have {others}")
sys.exit("\n".join(wrong) or 0)
END
}

# The allocator's per-CPU lists, which the kernel does not count either, change by some MiB: the
# workload takes enough memory for that not to matter.
opening=
check ring 320 uncounted packet_set_ring
check pipes 240 uncounted anon_pipe_write
check shmem 100 shmem shmem_
# Programs that end during the recording free older memory.
opening=1
check anonymous 200 anonymous do_anonymous_page 0.9
check tables 24 page_tables pte_alloc_one
