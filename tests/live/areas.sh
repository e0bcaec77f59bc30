# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Areas of vmalloc and per-CPU memory agree with the kernel's counts, and name their users.
# quiet: other programs start threads, too
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

areas=$KMEMX_BUILD/tests/workloads/areas
[ -e /sys/kernel/tracing/events/vmalloc/alloc_vmap_area/enable ] ||
	skip "this kernel has no events of vmalloc"

# check NAME CONDITION: CONDITION is Python about the rows of stat (peak: what was live), and the
# kernel's counts before and after, in KiB and areas. noise: areas that others allocated or freed,
# which the kernel's counts may or may not include.
check() {
	"$KMEMX" stat --vmalloc --percpu-memory -i r.dat --json >stat.json || fail "$1: stat"
	"$KMEMX" peak --vmalloc --percpu-memory --comm areas -i r.dat --json >peak.json || fail "$1: peak"
	"$KMEMX" stat --vmalloc --live --by comm -l all -i r.dat --json >live.json || fail "$1: stat --live"
	python3 - "$1" "$2" <<'END' || fail "$1"
import json, sys
def tables(path):
    return {r["name"]: r for r in json.load(open(path))["reports"]}
stat, peak = tables("stat.json"), tables("peak.json")
def row(tables, name, callsite):
    found = [r for r in tables[name]["rows"] if r["callsite"].startswith(callsite)]
    return found[0] if found else {"bytes": 0, "hit": 0, "objects": 0}
stacks, stacks_then, percpu, percpu_then, areas, areas_then = map(int, open("counts").read().split())
vmalloc = stat["vmalloc"]["summary"]
net = vmalloc["allocs"] - vmalloc["frees_matched"] - vmalloc["frees_unmatched"]
live = {r["comm"]: r["hit"] for r in tables("live.json")["vmalloc"]["rows"]}
noise = vmalloc["frees_unmatched"] + sum(n for comm, n in live.items() if comm != "areas")
first, last = open("/sys/devices/system/cpu/possible").read().strip().rpartition("-")[::2]
cpus = int(last) + 1
print(sys.argv[1], open("counts").read().strip(), live, vmalloc)
sys.exit(not eval(f"({sys.argv[2]})"))
END
}

# The kernel caches two stacks per CPU, and other programs' threads come and go.
"$KMEMX" record -q -o r.dat -- "$areas" threads 600 >counts || fail "threads"
check threads 'row(peak, "peak_vmalloc", "copy_process")["objects"] >= 590 and
	abs(row(peak, "peak_vmalloc", "copy_process")["bytes"] / 1024 / (stacks_then - stacks) - 1) < 0.01 and
	abs(row(peak, "peak_vmalloc", "copy_process")["objects"] / (areas_then - areas) - 1) < 0.01'
"$KMEMX" summary -i r.dat --comm areas --json >summary.json
grep -q '"of": *"vmalloc"' summary.json || fail "summary shows no stacks"

code=0
"$KMEMX" record -q -o r.dat -- "$areas" programs 100 >counts || code=$?
[ $code != 77 ] || skip "BPF is not allowed here"
[ $code = 0 ] || fail "programs"
check programs 'vmalloc["allocs"] >= 100 and abs(net - (areas_then - areas)) <= 6 + noise and
	abs(areas_then - areas) <= 6 + noise and live.get("areas", 0) <= 6'

"$KMEMX" record -q -o r.dat -- "$areas" map 1024 >counts || fail "map"
check map 'abs(row(stat, "percpu_memory", "bpf_map_alloc_percpu")["bytes"] / cpus / (1024 * 4096) - 1) < 0.01 and
	row(stat, "percpu_memory", "bpf_map_alloc_percpu")["hit"] == 1024'
