# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# One CPU allocates objects and pages at known callsites, and another frees them, in known numbers.
# Also frees more pages at once than a CPU's lists hold.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
handover=$KMEMX_BUILD/tests/workloads/handover

# check NAME CONDITION OPTIONS...: CONDITION is Python about the JSON output of kmemx percpu.
check() {
	name=$1 condition=$2
	shift 2
	"$KMEMX" percpu -i r.dat --json "$@" >json
	python3 - "$name" "$condition" json "$cpus" "$least" <<'END' || fail "$name"
import json, sys
name, condition, path, cpus, least = sys.argv[1:]
with open(path) as f:
    reports = {r["name"]: r for r in json.load(f)["reports"]}
a, b = map(int, cpus.split())
least = int(least)

def rows(report):
    return reports[report]["rows"]

def pair(report):
    return next((r for r in rows(report) if (r["alloc_cpu"], r["free_cpu"]) == (a, b)), None)

slab, page = rows("percpu_slab")[:1], rows("percpu_page")[:1]
lists = {r["cpu"]: r for r in rows("percpu")}
if not eval(condition):
    sys.exit(f"{name}: not so: {condition}\n{slab}\n{page}\n{lists}\n{cpus} {least}")
END
}

least=0
"$KMEMX" record -q --percpu -o r.dat -- "$handover" 20000 10000 >cpus || code=$?
[ "${code-0}" != 77 ] || skip "needs two CPUs"
cpus=$(cat cpus)
check "messages" \
	'slab[0]["objects"] == 20000 and slab[0]["bytes"] == 20000 * 256 and (slab[0]["alloc_cpu"], slab[0]["free_cpu"]) == (a, b) and slab[0]["callsite"] in ("load_msg", "alloc_msg", "do_msgsnd") and slab[0]["freed_by"] in ("free_msg", "do_msgrcv")'
# Pages on their way to the LRU lists are freed by the CPU that put them there.
check "pages" \
	'(page[0]["alloc_cpu"], page[0]["free_cpu"]) == (a, b) and 10000 - 64 <= page[0]["pages"] <= 10100 and pair("percpu_page_matrix")["pages"] >= page[0]["pages"]' \
	--comm handover
check "messages by task" \
	'slab[0]["objects"] == 20000 and slab[0]["comm"] == "handover"' \
	--by pid,callsite --comm handover

# A CPU's lists hold at most this many pages over all zones; the rest goes to the zones.
hold=$(awk -v cpu="${cpus#* }" '$1 == "cpu:" { sum += most; most = 0; this = $2 == cpu }
	this && ($1 == "high_max:" || $1 == "high:") && $2 > most { most = $2 }
	END { print sum + most }' /proc/zoneinfo)
pages=$((hold + 20000)) least=20000
available=$(awk '/^MemAvailable/ { print int($2 / 4) }' /proc/meminfo) # in pages of 4 KiB
if [ "$hold" = 0 ] || [ $pages -gt $((available / 4)) ] || [ $pages -gt 400000 ]; then
	echo "no drain of a known size: the lists of a CPU hold $hold pages, of $available"
	exit 0
fi
"$KMEMX" record -q --page --percpu --stack none -b 64M -o r.dat -- "$handover" 0 $pages >cpus
cpus=$(cat cpus)
"$KMEMX" info -i r.dat | grep -q '^lost .*none' || {
	echo "no drain of a known size: events were lost"
	exit 0
}
"$KMEMX" percpu -i r.dat --json >json
python3 - "$cpus" $least <<'END' || fail "drains of pages freed at once"
import json, sys
a, b = map(int, sys.argv[1].split())
with open("json") as f:
    reports = {r["name"]: r for r in json.load(f)["reports"]}
cpu = next(r for r in reports["percpu"]["rows"] if r["cpu"] == b)
moved = {(r["refill_cpu"], r["drain_cpu"]): r["pages"] for r in reports["percpu_matrix"]["rows"]}
ok = cpu["drain_pages"] >= int(sys.argv[2]) and 0 < cpu["drains"] <= cpu["drain_pages"]
ok = ok and moved[a, b] == max(moved.values()) and moved[a, b] <= cpu["drain_pages"]
sys.exit(0 if ok else f"{cpu} {moved}")
END
