#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds kmemx percpu against a model of the lists of free pages of each CPU.

usage: percpu.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped. Prints what differs; exit 1 if
anything does.
"""
import collections
import gzip
import json
import re
import subprocess
import sys

from model import FIELD, LINE, number

GAP = re.compile(r"^CPU:(\d+) \[(?:\d+ )?EVENTS DROPPED\]")
LOCKED, DRAIN = "mm_page_alloc_zone_locked", "mm_page_pcpu_drain"
UNDER_LOCK = ("kernel_stack", "mm_page_alloc_extfrag")


def runs_of(path):
    """By CPU: lists of its events that follow each other under the lock; and the frees."""
    runs, last, frees = [], {}, collections.Counter()
    with gzip.open(path, "rt", errors="replace") as text:
        for line in text:
            gap = GAP.match(line)
            match = LINE.search(line)
            if gap:
                last.pop(int(gap[1]), None)
            if not match or match[4] in UNDER_LOCK:
                continue
            pid, cpu, name, field = int(match[1]), int(match[2]), match[4], FIELD.findall(match[5])
            field = dict(field)
            if name not in (LOCKED, DRAIN):
                last.pop(cpu, None)
                frees[cpu, name] += name == "mm_page_free_batched" or (
                    name == "mm_page_free" and field["order"] == "0")
                continue
            pages, kind = 1 << int(field["order"]), "drain"
            key = (pid, DRAIN)
            if name == LOCKED:
                refill = int(field.get("percpu_refill", field["order"] == "0"))
                kind = "refill" if refill else "direct"
                key = (pid, field["order"], field["migratetype"], kind)
            if last.get(cpu) != key or kind == "direct":
                runs.append([kind, cpu, 0])
            last[cpu] = key
            runs[-1 - next(i for i, run in enumerate(reversed(runs)) if run[1] == cpu)][2] += pages
            yield kind, cpu, number(field["pfn"]), pages
    yield "end", runs, frees, None


def model(path):
    """The rows of both tables."""
    lists, moves = {}, collections.Counter()
    rows = collections.defaultdict(collections.Counter)
    for kind, cpu, pfn, pages in runs_of(path):
        if kind == "end":
            for what, of, taken in cpu:
                rows[of][what + "s"] += 1
                rows[of][what + "_pages"] += taken
            frees = pfn
        elif kind == "refill":
            lists[pfn] = cpu
        elif kind == "drain" and pfn in lists:
            moves[lists.pop(pfn), cpu] += pages
    for of, _ in frees if rows else ():
        rows[of]["locks"] += 0  # it has a row, too
    for of, row in rows.items():
        row["locks"] = row["refills"] + row["drains"] + row["directs"]
        row["batched"] = frees[of, "mm_page_free_batched"]
        row["unbatched"] = max(frees[of, "mm_page_free"] - row["batched"], 0)
    return rows, moves


def main():
    kmemx, path, text = sys.argv[1:]
    rows, moves = model(text)
    wrong = []
    run = subprocess.run([kmemx, "percpu", "--json", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False)
    if not rows:
        return run.returncode != 1
    reports = {r["name"]: r["rows"] for r in json.loads(run.stdout)["reports"]}
    got = {r["cpu"]: r for r in reports["percpu"]}
    for cpu in sorted(got.keys() | rows.keys()):
        for column, name in (("locks",) * 2, ("refills",) * 2, ("drains",) * 2,
                             ("direct", "directs"), ("refill_pages",) * 2, ("drain_pages",) * 2,
                             ("direct_pages",) * 2, ("batched",) * 2, ("unbatched",) * 2):
            shown = got[cpu][column] if cpu in got else "no row"
            if shown not in (rows[cpu][name], None):
                wrong.append(f"CPU {cpu} {column}: kmemx {shown}, model {rows[cpu][name]}")
    shown = {(r["refill_cpu"], r["drain_cpu"]): r["pages"]
             for r in reports.get("percpu_matrix", ())}
    for key in sorted(shown.keys() | moves.keys()):
        if shown.get(key, 0) != moves[key]:
            wrong.append(f"{key}: kmemx {shown.get(key)}, model {moves[key]}")
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


sys.exit(main())
