#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the rows of kmemx stat --flags with a count of the recording's text.

usage: flags.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped. It has flags as numbers, for which
kmemx shows names: each number must have the sums of one row. The text does not say which
allocations came from interrupts. Prints what differs; exit 1 if anything does.
"""
import collections
import json
import sys

import model

NO_PFN = (0xffffffff, 0xffffffffffffffff)
ORDER_MAX = 20


def counted(path, page_size):
    sums = collections.defaultdict(collections.Counter)
    for _, _, _, name, field in model.events(path):
        if name in model.ALLOCS:
            row = sums[model.number(field["gfp_flags"])]
            failed = not model.number(field["ptr"])
            row["slab_bytes"] += 0 if failed else int(field["bytes_alloc"])
        elif name == "mm_page_alloc" and int(field["order"]) <= ORDER_MAX:
            row = sums[model.number(field["gfp_flags"])]
            failed = model.number(field["pfn"]) in NO_PFN
            row["page_bytes"] += 0 if failed else page_size << int(field["order"])
        else:
            continue
        row.update(hit=1, failed=failed)
    return sums


def main():
    kmemx, path, text = sys.argv[1:]
    report = json.loads(model.run(kmemx, "stat", "--flags", "--json", "-i", path).stdout)
    rows = [table["rows"] for table in report["reports"] if table["name"] == "flags"][0]
    columns = ("hit", "slab_bytes", "page_bytes", "failed")
    shown = collections.Counter(tuple(row[c] for c in columns) for row in rows)
    sums = counted(text, report["recording"]["kernel_page_size"])
    expected = collections.Counter(tuple(row[c] for c in columns) for row in sums.values())
    for row, nr in (expected - shown).items():
        print(f"{nr} rows {row} are missing")
    for row, nr in (shown - expected).items():
        print(f"{nr} rows {row} are too many")
    names = [row["gfp_names"] for row in rows]
    if len(set(names)) != len(names):
        print("two rows have the same flags")
    return shown != expected or len(set(names)) != len(names)


if __name__ == "__main__":
    sys.exit(main())
