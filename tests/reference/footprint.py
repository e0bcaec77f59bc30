#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares kmemx's sizes of a kernel with binutils: sections with size and readelf, and the difference
of two kernels with sizes from nm.

usage: footprint.py KMEMX FILE...           sections of each file (vmlinux, or a module)
       footprint.py KMEMX --diff OLD NEW [SCRIPT]

SCRIPT is a bloat-o-meter: runs it on both files and compares its totals, too. Prints how many are
equal; exit 1 if any differs, 77 without nm, size or readelf (package binutils).
"""
import collections
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys

KINDS = ("text", "rodata", "data", "bss")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          errors="surrogateescape", env={**os.environ, "LC_ALL": "C"}).stdout


def tables(kmemx, *options):
    """The rows of each table, by the table's name."""
    found = collections.defaultdict(list)
    header = None
    for row in csv.reader(io.StringIO(output(kmemx, "footprint", "--csv", "-l", "all", *options))):
        if not row:
            header = None
        elif header is None:
            header = row
        else:
            found[row[0]].append(dict(zip(header, row)))
    return found


def by_readelf(path):
    """Sizes of the sections with flag A, by name; several may share a name."""
    sizes = collections.Counter()
    for line in output("readelf", "-SW", path).splitlines():
        match = re.match(r"\s*\[\s*\d+\] (\S+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) "
                         r"[0-9a-f]{2,} +([A-Zop]*)", line)
        if match and "A" in match[3] and int(match[2], 16):
            sizes[match[1]] += int(match[2], 16)
    return sizes


def by_size(path, names):
    """The same from size -A, which shows no flags."""
    sizes = collections.Counter()
    for line in output("size", "-A", path).splitlines():
        words = line.split()
        if len(words) == 3 and words[0] in names and words[1].isdigit() and int(words[1]):
            sizes[words[0]] += int(words[1])
    return sizes


def sections(kmemx, files):
    """Compares the sections of each file, and checks that all levels of the tree add up to them."""
    bad = equal = 0
    for path in files:
        options = ["--vmlinux", path, "--sections", "--depth", "all"]
        found = tables(kmemx, *options)
        sizes = collections.Counter()
        for row in found["footprint_section"]:
            sizes[row["section"]] += int(row["bytes"])
        want = by_readelf(path)
        roots = sum(int(row["static"]) for row in found["footprint"] if row["depth"] == "0")
        leaves = sum(int(row["static"]) for row in found["footprint"]
                     if row["kind"] in ("symbol", "section"))
        problems = []
        if sizes != want:
            problems.append(f"readelf: {want - sizes} more, {sizes - want} less")
        if sizes != by_size(path, want):
            problems.append("size -A differs")
        if roots != sum(want.values()) or leaves != roots:
            problems.append(f"{sum(want.values())} bytes, tree {roots}, leaves {leaves}")
        for row in found["footprint"]:
            if int(row["static"]) != sum(int(row[kind]) for kind in KINDS):
                problems.append(f"row {row['name']} does not add up")
                break
        for problem in problems:
            print(f"{path}: {problem}")
        bad += bool(problems)
        equal += sum(1 for name in want if sizes[name] == want[name])
    print(f"{equal} sections of {len(files)} files are equal; {bad} files differ")
    return bad


def by_nm(path):
    """What bloat-o-meter compares: sizes of symbols by name, without numbered or generated names.
    """
    made = ("__mod_", "__se_sys", "__se_compat_sys", "__addressable_")
    sizes = collections.Counter()
    for line in output("nm", "--size-sort", path).splitlines():
        size, kind, name = line.split(" ", 2)
        if kind in "tTdDbBrRvVwW" and not name.startswith(made) and \
           name not in ("linux_banner", "vermagic"):
            sizes[re.sub(r"\.[0-9]+", "", name)] += int(size, 16)
    return sizes


def totals_of_nm(old, new):
    changes = [new[name] - old[name] for name in {*old, *new}]
    return {"added": len(new.keys() - old.keys()), "removed": len(old.keys() - new.keys()),
            "grown": sum(1 for name in old.keys() & new.keys() if new[name] > old[name]),
            "shrunk": sum(1 for name in old.keys() & new.keys() if new[name] < old[name]),
            "up": sum(c for c in changes if c > 0), "down": sum(c for c in changes if c < 0),
            "old": sum(old.values()), "new": sum(new.values())}


def bloat_o_meter(script, old, new):
    """The two lines with totals that bloat-o-meter prints."""
    text = output(sys.executable, script, old, new)
    words = re.search(r"add/remove: (\d+)/(\d+) grow/shrink: (\d+)/(\d+) up/down: (\d+)/(-?\d+)", text)
    sums = re.search(r"Before=(\d+), After=(\d+)", text)
    names = ("added", "removed", "grown", "shrunk", "up", "down", "old", "new")
    return dict(zip(names, map(int, (*words.groups(), *sums.groups()))))


def difference(kmemx, old, new, script):
    """Compares the totals, and both sizes of each symbol that changed."""
    run = subprocess.run([kmemx, "diff", "--json", "-l", "all", old, new], check=True,
                         stdout=subprocess.PIPE, text=True)
    report = json.loads(run.stdout)["reports"][0]
    told, sizes = report["summary"], (by_nm(old), by_nm(new))
    got = {name: told[f"rows_{name}"] for name in ("added", "removed", "grown", "shrunk")}
    got.update(up=told["up"], down=told["down"], old=told["total_bytes_old"],
               new=told["total_bytes_new"])
    rows = {row["symbol"]: (row["bytes_old"], row["bytes_new"]) for row in report["rows"]}
    want = {name: (sizes[0][name], sizes[1][name]) for name in {*sizes[0], *sizes[1]}
            if sizes[0][name] != sizes[1][name]}
    bad = 0
    for name in sorted({*rows, *want}):
        if rows.get(name, (0, 0)) != want.get(name, (0, 0)) and \
           (name in want or rows[name][0] != rows[name][1]):
            print(f"{name}: kmemx {rows.get(name)}, nm {want.get(name)}")
            bad += 1
    others = {"nm": totals_of_nm(*sizes)}
    if script:
        others[os.path.basename(script)] = bloat_o_meter(script, old, new)
    for name, totals in others.items():
        if totals != got:
            print(f"totals: kmemx {got}, {name} {totals}")
            bad += 1
    print(f"{len(want)} symbols that changed and {len(others)} x {len(got)} totals: {bad} differ; " +
          ", ".join(f"{name} {value}" for name, value in got.items()))
    return bad


def main():
    if len(sys.argv) < 3 or (sys.argv[2] == "--diff" and len(sys.argv) not in (5, 6)):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if not all(shutil.which(tool) for tool in ("nm", "size", "readelf")):
        print("nm, size and readelf (package binutils) are not there")
        return 77
    if sys.argv[2] == "--diff":
        bad = difference(sys.argv[1], *sys.argv[3:5], sys.argv[5] if len(sys.argv) > 5 else None)
    else:
        bad = sections(sys.argv[1], sys.argv[2:])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
