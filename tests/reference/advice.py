#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the findings of kmemx advise with the reference model.

usage: advice.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped. The model counts live objects by
callsite and size in a dictionary, and computes the savings of each finding from
Documentation/advice.md alone. kmemx advise must have the same findings about sizes, by address and
by function, and kmemx stat --sizes the same savings of separate caches, by range of sizes. kmemx's
findings about flags must be true; the text does not say which allocations came from interrupts. The
number of pages freed one by one must equal that of pages that no batch announced. Prints what
differs; exit 1 if anything does.
"""
import collections
import re
import sys

import model

ALIGN = 8
KERNEL, WAITS = 0xcc0, 0x4c0  # GFP_KERNEL; its bits that GFP_ATOMIC lacks
ATOMIC = 0xa20, 0x820  # before Linux 6.3; since 6.3
COUNTS = re.compile(r"(\d+) of (\d+) GFP_ATOMIC .* slab objects .*: (\d+)$")


class Slab(model.Slab):
    """Live objects of kmalloc, by callsite and size."""

    page = 4096

    def __init__(self, skew_time):
        super().__init__(skew_time)
        self.kmalloced = {}  # id of an Object -> itself
        self.sizes = {"place": collections.defaultdict(collections.Counter),
                      "function": collections.defaultdict(collections.Counter)}
        self.ranges = collections.defaultdict(collections.Counter)
        self.asked = collections.Counter()  # number of kmallocs by callsite
        self.large = collections.defaultdict(collections.Counter)  # also beyond slabs
        self.freed_by = None  # callsite of the current free
        self.freed = collections.defaultdict(collections.Counter)  # by allocating task
        self.flags = collections.Counter()  # allocations by callsite and flags

    def count(self, obj, more):
        for by, site in (("place", obj.site), ("function", obj.site.split("+")[0])):
            if more > 0:
                self.asked[by, site] += 1
            last = 1  # of the range, a power of two
            while last < obj.req:
                last *= 2
            for counts in (self.sizes[by][site, obj.req, obj.alloc],
                           self.ranges[by, site, last, obj.alloc]):
                counts["live"] += more
                if more > 0:
                    counts["hit"] += 1
                    counts["most"] = max(counts["most"], counts["live"])
                    counts["largest"] = max(counts["largest"], obj.req)
            if obj.alloc > 2 * self.page:
                self.count_large(self.large[by, site], obj, more)

    def count_large(self, large, obj, more):
        large["hit"] += more > 0
        large["live"] += more
        large["wasted"] += more * max(0, obj.alloc - -(-obj.req // self.page) * self.page)
        if large["wasted"] > large["most"]:
            large["most"], large["objects"] = large["wasted"], large["live"]

    def end(self, obj):
        super().end(obj)
        if self.kmalloced.pop(id(obj), None):
            self.count(obj, -1)

    def match(self, old, cpu):
        super().match(old, cpu)
        for by, site, freed_by in (("place", old.site, self.freed_by),
                                   ("function", old.site.split("+")[0],
                                    (self.freed_by or "").split("+")[0])):
            if freed_by:
                self.freed[by, site].update({"freed": 1, "far": old.cpu != cpu,
                                             freed_by: old.cpu != cpu})

    def free(self, cpu, time, field):
        self.freed_by = field["call_site"]
        super().free(cpu, time, field)
        self.freed_by = None

    def alloc(self, pid, cpu, time, field, large):
        allocs = self.sum["allocs"]
        super().alloc(pid, cpu, time, field, large)
        site = field["call_site"]
        for by, who in (("place", site), ("function", site.split("+")[0])):
            self.flags[by, who, model.number(field.get("gfp_flags", "0"))] += 1
        if self.sum["allocs"] > allocs and large:
            obj = self.objects[model.number(field["ptr"])]
            self.kmalloced[id(obj)] = obj
            self.count(obj, 1)


def slab_bytes(size, page_size, cpus):
    """SLUB's rule, used if slabinfo has no cache of that size."""
    objects = min(4 * (cpus.bit_length() + 1), max(1, 8 * page_size // size))
    for part in (16, 8, 4, 2):
        for pages in (1, 2, 4, 8):
            slab = pages * page_size
            if slab >= objects * size and part * (slab % size) <= slab:
                return slab
    raise ValueError(size)


def own_cache(live, req, alloc, recording):
    """Returns the bytes that a separate cache would save, and the size of its objects."""
    size = -(-max(req, 1) // ALIGN) * ALIGN
    slab = slab_bytes(size, recording["kernel_page_size"], recording["nr_cpus"])
    slabs = -(-live // (slab // size))
    return live * max(0, alloc - size) - (slabs * slab - live * size), size


def expected(slab, by, recording):
    """The findings: the values of kmemx's columns, without texts."""
    found = {}
    for (of, site), large in slab.large.items():
        if of == by and large["most"]:
            of_one = {(req, alloc) for s, req, alloc in slab.sizes[by]
                      if s == site and alloc > 2 * slab.page}
            req, alloc = of_one.pop() if len(of_one) == 1 else (None, None)
            found["whole-pages", site, req, alloc] = (
                large["most"], large["hit"], large["objects"], req, alloc,
                alloc and -(-req // slab.page) * slab.page)
    for (of, site), freed in slab.freed.items():
        if of == by and freed["freed"] >= 16 and 20 * freed["far"] >= 19 * freed["freed"]:
            found["ping-pong", site, None, None] = (None, freed["far"], None, None, None, None)
    classes = {alloc for _, _, alloc in slab.sizes[by]}
    for (site, req, alloc), counts in slab.sizes[by].items():
        if alloc > 2 * recording["kernel_page_size"]:
            continue
        if 4 * counts["hit"] < 3 * slab.asked[by, site]:
            continue
        row = counts["hit"], counts["most"] or None, req or None, alloc
        saved, size = own_cache(counts["most"], req, alloc, recording)
        if saved > 0:
            found["own-cache", site, req, alloc] = (saved, *row, size)
        power = 1
        while 2 * power < req:
            power *= 2
        if power > 1 and power in classes and alloc > power and 8 * (req - power) <= power:
            found["shrink", site, req, alloc] = (counts["most"] * (alloc - power), *row, power)
    return found


def flag_difference(slab, by, row, recording):
    """Returns what is wrong with a finding about GFP_ATOMIC, or None."""
    match = COUNTS.match(row["evidence"])
    if not match:
        return None if " of pages " in row["evidence"] else "no counts in its evidence"
    version = tuple(int(n) for n in recording["kernel"].split(".")[:2])
    mask = ATOMIC[version >= (6, 3)]
    site = row["callsite"].split(" ")[0]
    flags = {f: n for (b, s, f), n in slab.flags.items() if (b, s) == (by, site)}
    atomic = sum(n for f, n in flags.items() if f & mask == mask and not f & WAITS)
    kernel = sum(n for f, n in flags.items() if f & KERNEL == KERNEL)
    got = [int(n) for n in match.groups()]
    if got[0] != row["hit"] or not 0 < got[0] <= atomic or got[1:] != [atomic, kernel]:
        return f"kmemx {got}, model of {atomic}, {kernel}"
    return None


def single_frees(text):
    """Counts single pages that were freed without being announced as part of a batch, by pid; None:
    by all tasks."""
    single = collections.Counter()
    freed, early = {}, set()  # pfn -> pid that freed it last; announced, not freed
    for pid, _, _, name, field in model.events(text):
        pfn = field.get("pfn")
        if name == "mm_page_free" and field["order"] == "0":
            freed.pop(pfn, None)
            if pfn in early:
                early.remove(pfn)
                continue
            freed[pfn] = pid
            single.update((pid, None))
        elif name == "mm_page_free_batched":
            pid = freed.pop(pfn, None)
            if pid is None:
                early.add(pfn)
            else:
                single.subtract((pid, None))
    return single


def batch_differences(text, kmemx, path):
    single = single_frees(text)
    reports = model.tables(kmemx, "advise", "-i", path, "--json")
    rows = [row for report in reports.values() for row in report["rows"]
            if row["finding"] == "unbatched"]
    for row in rows:
        pid = re.match(r"task .*-(\d+)$", row["callsite"])
        if row["hit"] < 16 or pid and row["hit"] > single[int(pid[1])]:
            yield f"{row['callsite']}: kmemx {row['hit']}, model {pid and single[int(pid[1])]}"
    if sum(row["hit"] for row in rows) > single[None]:
        yield f"freed one by one: kmemx {sum(row['hit'] for row in rows)}, model {single[None]}"


def first_rows(*command):
    return next((table["rows"] for table in model.tables(*command).values()), ())


def differences(slab, kmemx, path, recording):
    # If the text cannot distinguish functions with the same name, their callsites are shown.
    _, reports = model.report(kmemx, path)
    twice = {row["callsite"].split("+")[0] for row in reports.get("slab", {"rows": ()})["rows"]
             if "+" in row["callsite"]}
    for by, options in (("place", ["--sites"]), ("function", [])):
        got = {}
        for row in first_rows(kmemx, "advise", "-i", path, "--json", "--raw-names", *options):
            site = row["callsite"].split(" ")[0]
            if row["finding"] in ("own-cache", "shrink", "whole-pages", "ping-pong"):
                got[row["finding"], site, row["bytes_req"], row["object"]] = (
                    row["bytes"], row["hit"], row["live"], row["bytes_req"], row["object"],
                    row["better"])
            elif row["finding"] == "atomic" and site.split("+")[0] not in twice:
                wrong = flag_difference(slab, by, row, recording)
                if wrong:
                    yield f"{by} atomic {site}: {wrong}"
        wanted = expected(slab, by, recording)
        for key in sorted(got.keys() | wanted.keys(), key=str):
            if got.get(key) != wanted.get(key) and key[1].split("+")[0] not in twice:
                yield f"{by} {key}: kmemx {got.get(key)}, model {wanted.get(key)}"


def size_differences(slab, kmemx, path, recording):
    _, reports = model.report(kmemx, path)
    twice = {row["callsite"].split("+")[0] for row in reports.get("slab", {"rows": ()})["rows"]
             if "+" in row["callsite"]}
    for by, options in (("place", ["--sites"]), ("function", [])):
        wanted = {}
        for (kind, site, last, alloc), counts in slab.ranges.items():
            if kind == by and alloc <= 2 * recording["kernel_page_size"]:
                saved, size = own_cache(counts["most"], counts["largest"], alloc, recording)
                wanted[site, last, alloc] = (counts["hit"], counts["most"], max(0, saved), size)
        for row in first_rows(kmemx, "stat", "--sizes", "-i", path, "--json", "--raw-names",
                              *options):
            site = row["callsite"].split(" ")[0]
            if row["own_saves"] is None or site.split("+")[0] in twice:
                continue
            got = row["hit"], row["live_most"], row["own_saves"], row["own_object"]
            want = wanted.get((site, row["size_max"], row["object"]))
            if got != want:
                yield f"{by} {site} to {row['size_max']}: kmemx {got}, model {want}"


def main():
    kmemx, path, text = sys.argv[1:4]
    recording = model.report(kmemx, path)[0]
    Slab.page = recording["kernel_page_size"]
    slab, _ = model.model(text, recording, (Slab, model.Pages))
    wrong = list(differences(slab, kmemx, path, recording))
    wrong += size_differences(slab, kmemx, path, recording)
    wrong += batch_differences(text, kmemx, path)
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
