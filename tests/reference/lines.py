#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares the functions and lines of every address in a recording between kmemx and eu-addr2line.

usage: lines.py KMEMX RECORDING VMLINUX [EU-ADDR2LINE]

VMLINUX is of the recorded kernel and has debug information. Looks up each distinct address of
callsites and callchains: the call before it or, if there is none, the address itself. Prints how
many are equal, and checks that rows by line have the bytes of the innermost function that was not
inlined from a header. Exit 1 if any differs, 77 without eu-addr2line (package elfutils).
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys


def events(kmemx, recording, *options):
    run = subprocess.run([kmemx, "script", "--json", "--callchain", *options, recording], check=True,
                         stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def chains(kmemx, recording, vmlinux):
    """The frames of each address."""
    found = {}
    for raw, told in zip(events(kmemx, recording, "--raw-ip"),
                         events(kmemx, recording, "--vmlinux", vmlinux)):
        site = raw.get("fields", {}).get("call_site")
        if site and int(site, 16):
            found[int(site, 16)] = told["frames"]
        for address, frames in zip(raw.get("stack", []), told.get("stack_frames", [])):
            found[int(address, 16)] = frames
    return {address: [(f["function"], f["file"], f["line"]) for f in frames]
            for address, frames in found.items()}


def offset_of(kmemx, recording, vmlinux):
    text = subprocess.run([kmemx, "info", "--vmlinux", vmlinux, recording], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    moved = re.search(r"KASLR offset (-?)0x([0-9a-f]+)", text)
    return int(moved[1] + moved[2], 16) if moved else 0


def addr2line(tool, vmlinux, addresses):
    """The same from eu-addr2line; unknown names and files are None."""
    run = subprocess.run([tool, "-i", "-f", "--pretty-print", "-e", vmlinux], check=True,
                         input="".join(f"{a:#x}\n" for a in addresses),
                         stdout=subprocess.PIPE, text=True)
    result = []
    for line in run.stdout.splitlines():
        inlined = line.startswith(" (inlined by) ")
        name, place = line.removeprefix(" (inlined by) ").rsplit(" at ", 1)
        path, number = re.fullmatch(r"(.*?):(\d+)(?::\d+)?", place).groups()
        frame = (None if name == "??" else name, None if path == "??" else os.path.normpath(path),
                 int(number) or None)
        if inlined:
            result[-1].append(frame)
        else:
            result.append([frame])
    return dict(zip(addresses, result))


def same(ours, theirs):
    """kmemx's paths are relative to the kernel's tree; for a function without a name it has the
    symbol."""
    if len(ours) != len(theirs):
        return not ours and theirs[0][1] is None
    for (name, path, line), (their_name, their_path, their_line) in zip(ours, theirs):
        if line != their_line or (path is None) != (their_path is None):
            return False
        if path and path != their_path and not their_path.endswith("/" + path):
            return False
        # An address in assembly may have several symbols.
        if their_name and name != their_name and not path.endswith((".S", "GEN-for-each-reg.h")):
            return False
    return True


def by_line(kmemx, recording, vmlinux):
    """Compares the bytes of slab objects by line, from the events' frames, with the rows."""
    want = collections.Counter()
    for event in events(kmemx, recording, "--vmlinux", vmlinux):
        if "bytes_alloc" in event.get("fields", {}) and int(event["fields"]["ptr"], 16):
            frames = event["frames"]
            counts = [f for f in frames if not (f["inlined"] and (f["file"] or "").endswith(".h"))]
            place = (counts or frames[-1:] or [{"file": None}])[0]
            want[f"{place['file']}:{place['line']}" if place["file"] else "[unknown]"] += \
                event["fields"]["bytes_alloc"]
    run = subprocess.run([kmemx, "stat", "--slab", "--by", "line", "--json", "-l", "all",
                          "--vmlinux", vmlinux, recording],
                         check=True, stdout=subprocess.PIPE, text=True)
    got = collections.Counter()
    for row in (row for t in json.loads(run.stdout)["reports"] for row in t["rows"]):
        got[row["line"]] += row["bytes"]
    return want, got


def main():
    kmemx, recording, vmlinux, tool = (sys.argv[1:] + ["eu-addr2line"])[:4]
    if not shutil.which(tool):
        print(f"{tool} is not installed", file=sys.stderr)
        return 77
    ours = chains(kmemx, recording, vmlinux)
    offset = offset_of(kmemx, recording, vmlinux)
    # The address is that of a call, or an interrupted one, which has no call before it, or the end
    # of a different one.
    calls = addr2line(tool, vmlinux, [a - offset - 1 for a in ours])
    places = addr2line(tool, vmlinux, [a - offset for a in ours])
    bad = 0
    for address, frames in sorted(ours.items()):
        theirs = calls[address - offset - 1]
        if None in theirs[0][:2]:
            theirs = places[address - offset]
        if not same(frames, theirs):
            bad += 1
            print(f"{address:#x}: kmemx {frames}\n  eu-addr2line {theirs}")
    several = sum(len(f) > 1 for f in ours.values())
    print(f"{len(ours) - bad} of {len(ours)} addresses are equal; {several} are in inlined functions")
    want, got = by_line(kmemx, recording, vmlinux)
    print(f"{sum(got[line] == size for line, size in want.items())} of {len(want)} lines are equal")
    if want != got:
        print(f"by line: {dict(got - want)} more, {dict(want - got)} less")
    return 1 if bad or not ours or want != got else 0


sys.exit(main())
