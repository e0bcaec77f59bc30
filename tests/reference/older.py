#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Gives a recording an opening balance, and recomputes whose memory was freed and what is left.

usage: older.py KMEMX RECORDING

In: a recording of version 7 with page events and meminfo. Out: owners whose bytes differ in kmemx
stat --opening or kmemx owners --all; exit 1 if there are any, or if too little is compared.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

PAGE = 4096
USES = ["0xcc0 post_alloc_hook owner_a outer", "0x140cca owner_b", "page_tables", "anonymous"]
OWNERS = ["owner_a", "owner_b", "[not named]", "[not named]"]


def report(kmemx, name, *words):
    run = subprocess.run([kmemx, *words, "-l", "all", "--json"], stdout=subprocess.PIPE, check=True)
    return next(t for t in json.loads(run.stdout)["reports"] if t["name"] == name)["rows"]


def first_events(kmemx, path):
    """The first event of each frame: was it freed?"""
    run = subprocess.run([kmemx, "script", "-e", "mm_page_alloc,mm_page_free", "-i", path],
                         stdout=subprocess.PIPE, text=True, check=True)
    first = {}
    for line in run.stdout.splitlines():
        event = re.search(r" mm_page_(alloc|free): .*pfn=0x(\w+) order=(\d+)", line)
        if event:
            for frame in range(int(event[2], 16), int(event[2], 16) + (1 << int(event[3]))):
                first.setdefault(frame, event[1] == "free")
    return first


def opening(use):
    """The text that kmemx record writes for {frame: number of the use}."""
    text, after = "".join(f"={name}\n" for name in USES), 0
    for frame in sorted(use):
        text += f"{frame - after:x} 1 {use[frame] + 1:x}\n"
        after = frame + 1
    return text


def main(kmemx, path):
    first = first_events(kmemx, path)
    rand = random.Random(1)
    frames = rand.sample(sorted(first), min(len(first), 3000))
    frames += [frame for frame in range(max(first) + 1, max(first) + 5001) if rand.random() < .3]
    use = {frame: rand.randrange(len(USES)) for frame in frames}
    freed, left = collections.Counter(), collections.Counter()
    for frame, number in use.items():
        if first.get(frame):
            freed[OWNERS[number]] += PAGE
        elif frame not in first:
            left[OWNERS[number]] += PAGE
    got = {"freed": collections.Counter(), "left": collections.Counter()}
    with tempfile.TemporaryDirectory() as where:
        made = f"{where}/r.dat"
        subprocess.run([os.path.join(os.path.dirname(os.path.abspath(__file__)), "../add-meta"), path, made,
                        "opening.before=" + opening(use)], check=True)
        for row in report(kmemx, "older", "stat", "--opening", "-i", made):
            got["freed"][row["owner"]] += row["bytes"]
        for row in report(kmemx, "everything", "owners", "--all", "-i", made):
            if row["known_by"] in ("page_owner", "kpageflags"):
                got["left"][row["owner"]] += row["bytes"]
    wrong = [(what, got[what], wanted) for what, wanted in (("freed", freed), ("left", left))
             if got[what] != wanted]
    for difference in wrong:
        print("differs:", *difference)
    print(f"{sum(freed.values()) // PAGE} frames were freed and {sum(left.values()) // PAGE} are left")
    return 1 if wrong or len(freed) < 3 or len(left) < 3 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
