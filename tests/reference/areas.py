#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares areas of vmalloc and per-CPU memory with trace-cmd's reading of the same events.

usage: areas.py KMEMX RECORDING TEXT

In: TEXT is the output of trace-cmd report -R -t, for a kernel with pages of 4 KiB. Out: what
differs; exit 1 if anything does. A row is a task; the summary has all events.
"""
import collections
import gzip
import json
import re
import subprocess
import sys

LINE = re.compile(r"\s*.+-(\d+)\s+\[(\d+)\]\s+([\d.]+): (\w+):\s+(.*)")
EVENTS = {"alloc_vmap_area": ("vmalloc", "addr", True),
          "free_vmap_area_noflush": ("vmalloc", "va_start", False),
          "percpu_alloc_percpu": ("percpu_memory", "ptr", True),
          "percpu_free_percpu": ("percpu_memory", "ptr", False)}
PAGE = 4096


def number(text):
    return int(text, 0)


def read(path):
    """cpus, [(kind, allocates, pid, address, fields)]"""
    events, cpus = [], 0
    with gzip.open(path, "rt") as lines:
        for line in lines:
            if line.startswith("cpus="):
                cpus = int(line[5:])
            match = LINE.match(line)
            if not match or match[4] not in EVENTS:
                continue
            fields = dict(re.findall(r"(\w+)=(\S+)", match[5]))
            if match[4] == "alloc_vmap_area" and "addr" not in fields:
                fields["addr"] = re.search(r"va_start: (\S+)", match[5])[1]
            kind, name, allocates = EVENTS[match[4]]
            events.append((kind, allocates, int(match[1]), number(fields[name]), fields))
    return cpus, events


def size(kind, fields, cpus):
    """Returns the bytes requested and the bytes allocated."""
    asked = number(fields["size"])
    if kind == "vmalloc":
        asked -= PAGE if asked > PAGE else 0
        return asked, asked
    return asked * cpus, (asked + 3) // 4 * 4 * cpus


def account(cpus, events):
    rows = {kind: collections.defaultdict(collections.Counter) for kind in ("vmalloc", "percpu_memory")}
    sums = {kind: collections.Counter() for kind in rows}
    live = {}
    for kind, allocates, pid, address, fields in events:
        if allocates:
            if int(fields.get("failed", "0")):
                sums[kind]["allocs_failed"] += 1
                continue
            gone = live.pop((kind, address), None)
            if gone:
                sums[kind]["allocs_implicit"] += 1
                rows[kind][gone[0]]["net"] -= gone[1]
            req, alloc = size(kind, fields, cpus)
            live[kind, address] = pid, alloc
            sums[kind].update(allocs=1, bytes_requested=req, bytes_allocated=alloc)
            rows[kind][pid].update(hit=1, bytes=alloc, bytes_req=req, net=alloc)
            continue
        sums[kind]["frees"] += 1
        owner = live.pop((kind, address), None)
        if owner:
            sums[kind].update(frees_matched=1, bytes_freed=owner[1])
            rows[kind][owner[0]]["net"] -= owner[1]
    return rows, sums


def main():
    kmemx, recording, text = sys.argv[1:]
    expected, sums = account(*read(text))
    out = subprocess.run([kmemx, "stat", "--vmalloc", "--percpu-memory", "--by", "pid", "-l", "all",
                          "--json", recording], check=True, stdout=subprocess.PIPE).stdout
    reports = {r["name"]: r for r in json.loads(out)["reports"]}
    wrong = []
    for kind in sums:
        report = reports[kind]
        for name, value in sums[kind].items():
            if report["summary"][name] != value:
                wrong.append(f"{kind}: {name} is {report['summary'][name]}, not {value}")
        seen = {row["pid"]: row for row in report["rows"]}
        if set(seen) != set(expected[kind]):
            wrong.append(f"{kind}: rows of {set(seen) ^ set(expected[kind])}")
        for pid, row in expected[kind].items():
            for name in ("hit", "bytes", "bytes_req", "net"):
                if pid in seen and seen[pid][name] != row[name]:
                    wrong.append(f"{kind}, {pid}: {name} is {seen[pid][name]}, not {row[name]}")
    print("\n".join(wrong) or f"{sum(s['allocs'] for s in sums.values())} allocations are equal")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
