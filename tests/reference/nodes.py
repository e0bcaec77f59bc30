#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares pages by node between trace-cmd's text and kmemx.

In: kmemx, a recording of scripts/qemu-nodes, whose two nodes have 256 MiB each, and trace-cmd's
text of it. Out: what differs; exit 1 if anything does.
"""
import collections
import gzip
import json
import re
import subprocess
import sys

PAGE = 4096
# The frames of a PC with 512 MiB have no hole.
NODE_FRAMES = (256 << 20) // PAGE
EVENT = re.compile(r" (mm_page_\w+): +(?:page=\S+ )?pfn=(0x[0-9a-f]+)(?: order=(\d+))?")


def nodes(text):
    """Returns the allocations, bytes and live bytes of each node."""
    hits, total, live = (collections.Counter() for _ in range(3))
    of_frame = {}
    with gzip.open(text, "rt", encoding="utf-8", errors="replace") as lines:
        for event, pfn, order in (found.groups() for found in map(EVENT.search, lines) if found):
            pfn, pages = int(pfn, 16), 1 << int(order or 0)
            frames = range(pfn, pfn + pages)
            if event not in ("mm_page_alloc", "mm_page_free"):
                continue
            for frame in frames:
                if frame in of_frame:
                    live[of_frame.pop(frame)] -= PAGE
            if event == "mm_page_alloc":
                node = pfn // NODE_FRAMES
                hits[node] += 1
                total[node] += pages * PAGE
                live[node] += pages * PAGE
                of_frame.update(dict.fromkeys(frames, node))
    return {node: (hits[node], total[node], live[node]) for node in hits}


def main():
    kmemx, recording, text = sys.argv[1:]
    want = nodes(text)
    report = json.loads(subprocess.run([kmemx, "stat", "--page", "--by", "node", "--json", recording],
                                       check=True, stdout=subprocess.PIPE).stdout)["reports"][0]
    got = {row["node"]: (row["hit"], row["bytes"], row["net"]) for row in report["rows"]}
    if got != want or len(want) != 2:
        print(f"by node: {got}, not {want}")
    print(f"{len(want)} nodes are compared")
    return got != want or len(want) != 2


if __name__ == "__main__":
    sys.exit(main())
