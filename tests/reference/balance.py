#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Recomputes the balance's lines from the kernel's own texts in a recording.

usage: balance.py KMEMX RECORDING

In: meminfo, zoneinfo, slabinfo and the sums of vmallocinfo, read from the options of trace.dat
without kmemx. Out: lines that differ in kmemx balance, kmemx owners --all or the rows of kmemx
export; exit 1 if any does.
"""
import json
import re
import struct
import subprocess
import sys

import exports

PAGE = 4096
META = 0x4000


def texts(path):
    """kmemx's items in the options of a recording of version 7: {name: text}."""
    with open(path, "rb") as f:
        data = f.read()
    # Sections compressed with zstd: "COMPRESSED_SIZE SIZE DATA".
    for match in re.finditer(rb"\x28\xb5\x2f\xfd", data):
        size, = struct.unpack("<I", data[match.start() - 8:match.start() - 4])
        try:
            data += exports.unzstd(data[match.start():match.start() + size])
        except ValueError:
            pass  # not such a section
    found = {}
    for match in re.finditer(rb"(?:meminfo|zoneinfo|slabinfo|vmallocinfo)\.(?:before|after)\0", data):
        kind, size = struct.unpack("<HI", data[match.start() - 6:match.start()])
        if kind == META:
            text = data[match.end():match.start() + size].decode()
            found[match[0][:-1].decode()] = text.rstrip("\0")
    return found


def lines(text, when):
    """The bytes of each line, as Documentation/balance.md defines them."""
    kib = {name: int(value) for name, value in re.findall(r"^(\S+): +(\d+)", text[f"meminfo.{when}"], re.M)}
    m = lambda *names: sum(kib.get(name, 0) for name in names) * 1024
    stacks_inside = all(re.search(r"^VmallocUsed: +(\d+)", text[f"meminfo.{w}"], re.M) and
                        int(re.search(r"^VmallocUsed: +(\d+)", text[f"meminfo.{w}"], re.M)[1]) >=
                        int(re.search(r"^KernelStack: +(\d+)", text[f"meminfo.{w}"], re.M)[1])
                        for w in ("before", "after"))
    counts = re.findall(r"^ +count: +(\d+)", text[f"zoneinfo.{when}"], re.M)
    line = {
        "free": m("MemFree"), "free_cpus": sum(map(int, counts)) * PAGE, "anonymous": m("AnonPages"),
        "page_cache": m("Cached", "Buffers") - m("Shmem"), "shmem": m("Shmem"),
        "swap_cache": m("SwapCached"), "slab_reclaimable": m("SReclaimable"),
        "slab_unreclaimable": m("SUnreclaim"), "stacks": m("KernelStack"),
        "page_tables": m("PageTables", "SecPageTables"),
        "vmalloc": m("VmallocUsed") - (m("KernelStack") if stacks_inside else 0),
        "percpu": m("Percpu"), "hugetlb": m("Hugetlb"),
        "other": m("Bounce", "Zswap", "Balloon", "Unaccepted", "GPUActive") +
                 (m("KReclaimable") - m("SReclaimable") if "KReclaimable" in kib else 0),
    }
    line["uncounted"] = m("MemTotal") - sum(line.values())
    return line


def listed(text):
    """Bytes by slab cache, and by caller of vmalloc, after the recording."""
    caches, callers = {}, {}
    for row in re.findall(r"^(\S+) +\d+ +(\d+) +\d+ +(\d+) +(\d+) :", text.get("slabinfo.after", ""), re.M):
        caches[row[0]] = int(row[1]) // int(row[2]) * int(row[3]) * PAGE
    for pages, name in re.findall(r"^\d+ (\d+) (.+)$", text.get("vmallocinfo.after", ""), re.M):
        callers[name] = int(pages) * PAGE
    return {k: v for k, v in caches.items() if v}, callers


def table(kmemx, path, name, *words):
    run = subprocess.run([kmemx, *words, "--json", "-i", path], stdout=subprocess.PIPE, check=True)
    return next(t for t in json.loads(run.stdout)["reports"] if t["name"] == name)["rows"]


def exported(kmemx, path):
    """The column balance of the first row; other rows must not have it."""
    run = subprocess.run([kmemx, "export", "--format", "ndjson", path], stdout=subprocess.PIPE, check=True)
    first, *rest = [json.loads(row)["balance"] for row in run.stdout.splitlines()]
    return None if any(rest) else {line: tuple(ends) for line, ends in json.loads(first).items()}


def main(kmemx, path):
    text = texts(path)
    want = {when: lines(text, when) for when in ("before", "after")}
    wrong = []
    for row in table(kmemx, path, "balance", "balance"):
        for when in ("before", "after"):
            if row[when] != want[when][row["line"]]:
                wrong.append((row["line"], when, row[when], want[when][row["line"]]))
    column = {line: (before, want["after"][line]) for line, before in want["before"].items()}
    if exported(kmemx, path) != column:
        wrong.append(("export", exported(kmemx, path), column))
    rows = table(kmemx, path, "everything", "owners", "--all", "-l", "all")
    sums = {}
    for row in rows:
        sums[row["line"]] = sums.get(row["line"], 0) + row["bytes"]
    if "slab" in sums:
        want["after"]["slab"] = want["after"]["slab_reclaimable"] + want["after"]["slab_unreclaimable"]
        want["after"]["slab_reclaimable"] = want["after"]["slab_unreclaimable"] = 0
    wrong += [(line, "all", sums.get(line, 0), nr) for line, nr in want["after"].items()
              if sums.get(line, 0) != nr]
    for by, owners in zip(("slabinfo", "vmallocinfo"), listed(text)):
        got = {row["owner"]: row["bytes"] for row in rows if row["known_by"] == by}
        if got != owners:
            wrong.append((by, got, owners))
    for difference in wrong:
        print("differs:", *difference)
    print(f"{len(want['after'])} lines and {len(rows)} owners are compared")
    return 1 if wrong or len(rows) < 30 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
