#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares a recording's live pages with page_owner, and its functions with /proc/allocinfo.

usage: page_owner.py KMEMX RECORDING PAGE_OWNER LEAST

In: a recording of scripts/qemu-owners, and page_owner read after it, perhaps gzipped. Out: pages
that only one of the two has, by function, and sums; exit 1 if more than 0.5 % of the pages differ,
if there are fewer than LEAST, or if functions that were busy differ by more than 1 %.

page_owner has the last allocation of each page in use. So its pages from the time of the recording
were allocated then, and were still live when it was read, shortly after the last event. Its clock
is the trace's local one with an offset, which is derived from pages that both have.
"""
import collections
import gzip
import json
import re
import statistics
import subprocess
import sys

ALLOCATORS = re.compile(r"(__)?(post_alloc_hook|prep_new_page|get_page_from_freelist|set_page_owner|"
                        r"alloc_pages?|alloc_frozen_pages|get_free_pages?|get_zeroed_page|"
                        r"folio_alloc|alloc_pages_(mpol|bulk|exact)|vm_area_alloc_pages|"
                        r"vmalloc_node_range|kvmalloc_node|vmalloc_node|vmalloc)(_noprof)?(\.\w+)*$")
PAGE = 4096


def kmemx(*words):
    run = subprocess.run([sys.argv[1], *words, "-i", sys.argv[2]], stdout=subprocess.PIPE, text=True,
                         check=True)
    return run.stdout


def owned(path):
    """Each page of a file of page_owner: (time in ns, task, the callchain's functions)."""
    pages = {}
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="replace") as f:
        for entry in f.read().split("\n\n"):
            head = re.match(r"\s*Page allocated via order (\d+), .* \((.*)\), ts (\d+) ns", entry)
            frame = re.search(r"^PFN (0x[0-9a-f]+|\d+) ", entry, re.M)
            if head and frame:
                chain = re.findall(r"^ (\S+)\+0x", entry, re.M)
                for page in range(1 << int(head[1])):
                    pages[int(frame[1], 0) + page] = int(head[3]), head[2], chain
    return pages


def allocated():
    """The time in ns of the last allocation event of each page."""
    times = {}
    for line in kmemx("script", "--ns", "-e", "mm_page_alloc").splitlines():
        event = re.search(r" (\d+)\.(\d{9}): mm_page_alloc: .*pfn=(0x\w+) order=(\d+)", line)
        if event:
            for page in range(1 << int(event[4])):
                times[int(event[3], 16) + page] = int(event[1] + event[2])
    return times


def user(chain):
    return next((f for f in chain if not ALLOCATORS.match(f)), "?")


def compare_pages(path, least):
    report = json.loads(kmemx("stat", "--page", "--alloc", "--live", "-l", "all", "--json"))
    info = json.loads(kmemx("info", "--json"))
    ours = {}
    for row in next(r for r in report["reports"] if r["name"] == "page")["rows"]:
        for page in range(row["bytes"] // PAGE):
            ours[row["page"] + page] = row["callsite"].partition("+")[0]
    after, times = owned(path), allocated()
    offset = statistics.median(times[frame] - after[frame][0] for frame in ours if frame in after)
    theirs = {frame: user(chain) for frame, (ts, task, chain) in after.items()
              if info["first_ts"] <= ts + offset <= info["last_ts"]
              and task != "kmemx"}  # whose own pages are not recorded
    late = sum(abs(times[frame] - offset - after[frame][0]) > 1e6
               for frame in ours.keys() & theirs.keys())
    differ = collections.Counter()
    for frame in ours.keys() ^ theirs.keys():
        differ["page_owner" if frame in theirs else "events", theirs.get(frame) or ours.get(frame)] += 1
    for (only, function), nr in differ.most_common():
        print(f"only by {only}: {nr} pages of {function}")
    other = sum(ours[frame] != theirs[frame] for frame in ours.keys() & theirs.keys())
    print(f"live pages: {len(ours)} by events, {len(theirs)} by page_owner, "
          f"{len(ours.keys() & theirs.keys())} the same; of these {other} of another function, "
          f"{late} at another time")
    return sum(differ.values()) + other + late <= len(theirs) / 200 and len(theirs) >= least


def compare_functions():
    rows = json.loads(kmemx("stat", "--allocinfo", "-l", "all", "--json"))["reports"][0]["rows"]
    wrong = 0
    for row in rows:
        if row["function"] in ("shmem_alloc_folio", "pipe_write", "anon_pipe_write",
                               "alloc_pipe_info", "shmem_alloc_inode"):
            print(f"{row['function']}: {row['trace']} bytes by events, {row['kernel']} by allocinfo")
            wrong += abs(row["trace"] - row["kernel"]) > row["kernel"] / 100
    return not wrong and rows


def compare_all(path):
    """owners --all: rows add up to MemTotal; no owner has more pages than page_owner says, and if
    the recording has page_owner's sums, which include the recorder's memory, the busy ones have as
    many. The recorder's ring buffer is gone when page_owner is read again."""
    table = next(r for r in json.loads(kmemx("owners", "--all", "-l", "all", "--json"))["reports"]
                 if r["name"] == "everything")
    theirs = collections.Counter(user(chain).partition(".")[0] for _, _, chain in owned(path).values())
    ours = collections.Counter()
    for row in table["rows"]:
        if row["known_by"] in ("events", "page_owner") and row["owner"] != "__rb_allocate_pages":
            ours[row["owner"].partition(".")[0]] += row["bytes"] // PAGE
    opened = any(row["known_by"] == "page_owner" for row in table["rows"])
    wrong = [(name, nr, theirs[name]) for name, nr in ours.items() if name in theirs and (
        nr > theirs[name] * 1.01 + 16 and not opened or
        opened and name in ("pipe_write", "shmem_alloc_folio") and nr < theirs[name] * .99)]
    same = sum(nr for name, nr in ours.items() if name in theirs)
    total = sum(row["bytes"] for row in table["rows"])
    print(f"all memory: {total} bytes in rows, MemTotal {table['summary']['total']}; owners that "
          f"page_owner has too: {same} of {sum(ours.values())} pages; wrong: {wrong}")
    return total == table["summary"]["total"] and not wrong and same > sum(ours.values()) * .9


def main():
    right = compare_pages(sys.argv[3], int(sys.argv[4]))
    right &= compare_all(sys.argv[3])
    return 0 if compare_functions() and right else 1


if __name__ == "__main__":
    sys.exit(main())
