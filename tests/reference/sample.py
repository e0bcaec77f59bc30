#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures how often the intervals of a sample hold the truth (Documentation/sampling.md).

usage: sample.py KMEMX N RECORDING...

Divides each recording into its N parts with kmemx split --sample. What kmemx stat says of the
callsites of a part, allocated in all and live at the end, is held against what it says of the
whole, for rows with at least 2 % of all bytes; and the estimates of what was allocated in all
against those of a model, written apart from kmemx. What leaks, owners, peak and stat --lifetime say
of a part is held against stat, and kmemx diff of the whole and a part must find no change. Exit 1
if an estimate differs or if fewer than 95 % of the intervals hold the truth.
"""
import collections
import json
import math
import os
import subprocess
import sys
import tempfile

ALLOCS = {"kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node"}
CERTAIN = -1


def chi2(df, z):
    c = 2 / (9 * df)
    return df * max(0.0, 1 - c + z * math.sqrt(c)) ** 3


def estimate(units, n):
    """Bytes of the units of a sample: what all may have, its least and its most."""
    certain, weights = units[CERTAIN], [size for unit, size in units.items() if unit != CERTAIN]
    seen = sum(weights)
    if not seen:
        return certain, certain, certain
    y, v, w = n * seen, sum((n * x) ** 2 for x in weights), 2 * n * max(weights)
    low = v / (2 * y) * chi2(2 * y * y / v, -1.959964)
    high = (v + w * w) / (2 * (y + w)) * chi2(2 * (y + w) ** 2 / (v + w * w), 1.959964)
    return y + certain, max(low, seen) + certain, max(high, y) + certain


def output(kmemx, *argv):
    return subprocess.run([kmemx, *argv], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def allocated(kmemx, path, page_size):
    """Slab callsite -> unit -> bytes; and all pages -> unit -> bytes."""
    rows = collections.defaultdict(collections.Counter)
    for line in output(kmemx, "script", "-i", path, "--json").splitlines():
        event = json.loads(line)
        name, fields = event.get("event"), event.get("fields", {})
        if name in ALLOCS and int(fields["ptr"], 16):
            address, row = int(fields["ptr"], 16), event["fields"]["call_site"]
            unit = address // (8 * page_size) if address % (16 * page_size) else CERTAIN
            rows[row][unit] += fields["bytes_alloc"]
        elif name == "mm_page_alloc" and fields.get("pfn") is not None:
            pfn = int(str(fields["pfn"]), 0)
            if pfn in (-1, 0xffffffff, 0xffffffffffffffff):  # it failed
                continue
            unit = pfn >> 3 if fields["order"] < 4 else CERTAIN
            rows["pages"][unit] += page_size << fields["order"]
    return rows


def reported(kmemx, path, *more):
    """{row: (bytes, least, most)} of slab objects and of pages."""
    tables = {"slab": {}, "page": {}}
    told = json.loads(output(kmemx, "stat", "-i", path, "--slab", "--page", "--caller", "--json",
                             "--raw-ip", *more))
    for report in told["reports"]:
        for row in report["rows"] if report["name"] in tables else []:
            key = tuple(str(row.get(name)) for name in ("callsite", "order", "migtype", "gfp"))
            tables[report["name"]][key] = (row["bytes"], row.get("bytes_low"),
                                           row.get("bytes_high"))
    return tables, told


def rows_of(kmemx, name, *argv):
    """{callsite: [bytes, least, most]} of table "name"; rows of one callsite are added up."""
    rows = collections.defaultdict(lambda: [0, 0, 0])
    told = json.loads(output(kmemx, *argv, "--json"))
    for report in told["reports"]:
        for row in report["rows"] if report["name"] == name else []:
            if row.get("young_bytes"):  # apart, of leaks
                continue
            for i, key in enumerate(("bytes", "bytes_low", "bytes_high")):
                rows[row["callsite"]][i] += row[key]
    return {row: figures for row, figures in rows.items() if figures[0]}


def disagree(kmemx, path):
    """Where other commands say otherwise than stat of what lives at the end."""
    stat = ("stat", "-i", path, "--slab", "--page", "--caller", "--raw-ip", "--live")
    others = {
        "leaks": ("leaks", "-i", path, "--raw-ip", "--older", "1ns"),
        "peak": ("peak", "-i", path, "--raw-ip", "--at", "100%"),
        "owners": ("owners", "-i", path, "--by", "callsite", "--raw-ip"),
    }
    for kind, more in (("slab", ""), ("page", "_page")):
        wanted = rows_of(kmemx, kind, *stat)
        for command, argv in others.items():
            table = command if command == "owners" else command + more
            if not wanted or (command == "owners" and kind == "slab"):
                continue
            found = rows_of(kmemx, table, *argv)
            for row, figures in wanted.items():
                # Of pages, rows of stat differ in more than the callsite: intervals do not add up.
                nr = 3 if kind == "slab" else 1
                # What the last event allocated is too young for leaks, which has it apart.
                if found.pop(row, figures)[:nr] != figures[:nr]:
                    return f"{path}: kmemx {command}: {row} is not {figures}"
            if found:
                return f"{path}: kmemx {command} has {found}, too"
    return ""


def changes(kmemx, whole, part):
    """Of the rows with at least 2 % of all bytes: how many there are, and how many kmemx diff holds
    to have changed, between the whole and a part of it.
    """
    rows = changed = 0
    told = json.loads(output(kmemx, "diff", whole, part, "--all", "--json"))
    for report in told["reports"]:
        if report["name"] not in ("slab", "page"):
            continue
        total = sum(row["bytes_old"] for row in report["rows"])
        for row in report["rows"]:
            if row["bytes_old"] < total / 50:
                continue
            rows += 1
            changed += abs(row["bytes_delta"]) > row["bytes_uncertainty"]
    return rows, changed


def differs(kmemx, path, n, tables, summary):
    """What kmemx estimates otherwise than the model."""
    page_size = json.loads(output(kmemx, "info", "--json", path))["kernel_page_size"]
    rows = allocated(kmemx, path, page_size)
    found = {row[0]: figures for row, figures in tables["slab"].items()}
    found["pages"] = tuple(summary.get("page", {}).get(name, 0)
                           for name in ("bytes", "bytes_low", "bytes_high"))
    for row, units in rows.items():
        wanted = estimate(units, n)
        if row in found and any(abs(a - b) > 1 + 1e-6 * b for a, b in zip(found[row], wanted)):
            return f"{path}: {row}: {found[row]} and not {wanted}"
        if row not in found:
            return f"{path}: {row} is missing"
    return ""


def main():
    kmemx, n, inside, seen, pairs, wrong = sys.argv[1], int(sys.argv[2]), 0, 0, 0, ""
    compared = changed = 0
    for path in sys.argv[3:]:
        whole = [reported(kmemx, path, *more)[0] for more in ((), ("--live",))]
        with tempfile.TemporaryDirectory() as place:
            part_path = os.path.join(place, "part.dat")
            for part in range(n):
                output(kmemx, "split", path, "--sample", f"{n},{part}", "-o", part_path)
                wrong = wrong or disagree(kmemx, part_path)
                rows, others = changes(kmemx, path, part_path)
                compared += rows
                changed += others
                for truths, more in zip(whole, ((), ("--live",))):
                    tables, told = reported(kmemx, part_path, *more)
                    sums = {r["name"]: r.get("summary") or {} for r in told["reports"]}
                    if not more:
                        wrong = wrong or differs(kmemx, part_path, n, tables, sums)
                    for kind, rows in truths.items():
                        total = sum(figures[0] for figures in rows.values())
                        for row, (truth, _, _) in rows.items():
                            if truth < total / 50:
                                continue
                            pairs += 1
                            _, low, high = tables[kind].get(row, (0, 0, 0))
                            if high > low:
                                seen += 1
                                inside += low <= truth <= high
    print(f"{pairs} rows in parts, {seen} of which the part has sampled units, "
          f"{inside / max(seen, 1):.1%} of their intervals hold the truth; of {compared} rows "
          f"kmemx diff takes {changed} for changed {wrong}")
    return bool(wrong) or inside < seen * 0.95 or changed > compared * 0.05


if __name__ == "__main__":
    sys.exit(main())
