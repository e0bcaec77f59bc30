#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A slow and obvious second implementation of kmemx's accounts, over trace-cmd's text.

usage: model.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped. The totals, the slab rows by
function and the page matrix of `kmemx stat --json` must be what this model counts: one
dictionary entry per object and per page frame. Prints what differs; exit 1 if anything does.
"""
import collections
import gzip
import json
import re
import subprocess
import sys

LINE = re.compile(r"\[(\d+)\]\s*[\d.]+: (\w+):\s+(.*)$")
FIELD = re.compile(r"(\w+)=(\S+)")
ALLOCS = {"kmalloc": True, "kmalloc_node": True, "kmem_cache_alloc": False,
          "kmem_cache_alloc_node": False}
FREES = ("kfree", "kmem_cache_free")


def number(text):
    """As trace-cmd prints numbers and pointers."""
    return 0 if text == "(nil)" else int(text, 0)


def events(path):
    with gzip.open(path, "rt", errors="replace") as text:
        for line in text:
            match = LINE.search(line)
            if match:
                yield int(match[1]), match[2], dict(FIELD.findall(match[3]))


class Slab:
    def __init__(self):
        self.objects = {}  # ptr -> (req, alloc, cpu, function), or None once freed
        self.sum = collections.Counter()
        self.rows = collections.defaultdict(collections.Counter)

    def alloc(self, cpu, field):
        ptr = number(field["ptr"])
        if not ptr:
            self.sum["allocs_failed"] += 1
            return
        function = field["call_site"].split("+")[0]
        req, alloc = int(field["bytes_req"]), int(field["bytes_alloc"])
        old = self.objects.get(ptr)
        if old:
            self.sum["allocs_implicit"] += 1
            self.sum["bytes_implicit"] += old[1]
        self.objects[ptr] = (req, alloc, cpu, function)
        self.sum["allocs"] += 1
        self.sum["bytes_requested"] += req
        self.sum["bytes_allocated"] += alloc
        self.rows[function].update(hit=1, bytes=alloc, bytes_req=req)

    def free(self, cpu, field):
        ptr = number(field["ptr"])
        self.sum["frees"] += 1
        if ptr <= 16:
            self.sum["frees_null"] += 1
            return
        old = self.objects.get(ptr)
        if old:
            self.sum["frees_matched"] += 1
            self.sum["bytes_freed"] += old[1]
            if old[2] != cpu:
                self.sum["cross_cpu_frees"] += 1
                self.rows[old[3]]["pingpong"] += 1
        elif ptr in self.objects:
            self.sum["frees_double"] += 1
        else:
            self.sum["frees_unmatched"] += 1
        self.objects[ptr] = None

    def summary(self):
        live = [o for o in self.objects.values() if o]
        total = collections.Counter(self.sum)
        total["allocs_live"] = len(live)
        total["bytes_net"] = sum(o[1] for o in live)
        total["bytes_wasted"] = self.sum["bytes_allocated"] - self.sum["bytes_requested"]
        total["bytes_wasted_live"] = sum(o[1] - o[0] for o in live)
        return total


class Pages:
    def __init__(self):
        self.pages = {}  # pfn -> request number, or None once freed
        self.announced = set()
        self.requests = []  # [pages left, ended without an event?]
        self.sum = collections.Counter()
        self.matrix = collections.Counter()

    def end(self, pfn, freed):
        request = self.requests[self.pages[pfn]]
        request[0] -= 1
        self.sum["freed" if freed else "implicit"] += 1
        request[1] |= not freed
        if not request[0]:
            self.sum["alloc_implicit" if request[1] else "alloc_freed"] += 1

    def alloc(self, field):
        pfn, order = number(field["pfn"]), int(field["order"])
        self.sum["requests"] += 1
        if pfn in (-1, 0xffffffff, 0xffffffffffffffff):
            self.sum["failures"] += 1
            self.sum["failed"] += 1 << order
            return
        request = len(self.requests)
        self.requests.append([1 << order, False])
        self.sum["pages"] += 1 << order
        self.matrix[order, int(field["migratetype"])] += 1
        for page in range(pfn, pfn + (1 << order)):
            if self.pages.get(page) is not None:
                self.end(page, page in self.announced)
            self.announced.discard(page)
            self.pages[page] = request

    def free(self, field):
        pfn, order = number(field["pfn"]), int(field["order"])
        span = range(pfn, pfn + (1 << order))
        live = [p for p in span if self.pages.get(p) is not None]
        again = [p for p in span if p in self.pages and self.pages[p] is None]
        self.sum["frees"] += 1
        self.sum["unmatched_pages"] += (1 << order) - len(live)
        if not live:
            self.sum["frees_double" if again else "frees_unmatched"] += 1
        else:
            self.sum["frees_of_live"] += 1
        for page in live:
            self.end(page, True)
        for page in span:
            self.pages[page] = None
            self.announced.discard(page)

    def batched(self, field):
        pfn = number(field["pfn"])
        self.sum["frees_batched"] += 1
        if self.pages.get(pfn) is not None:
            self.announced.add(pfn)

    def summary(self, page_size):
        for page in self.announced:
            self.end(page, True)
            self.pages[page] = None
        total = collections.Counter(self.sum)
        for name, count in (("bytes", "pages"), ("bytes_freed", "freed"),
                            ("bytes_implicit", "implicit"), ("bytes_failed", "failed"),
                            ("bytes_unmatched", "unmatched_pages")):
            total[name] = total[count] * page_size
        live = [n for n in self.pages.values() if n is not None]
        total["bytes_live"] = len(live) * page_size
        total["alloc_only"] = len(set(live))
        return total


def model(path):
    slab, pages = Slab(), Pages()
    for cpu, name, field in events(path):
        if name in ALLOCS:
            slab.alloc(cpu, field)
        elif name in FREES:
            slab.free(cpu, field)
        elif name == "mm_page_alloc":
            pages.alloc(field)
        elif name == "mm_page_free":
            pages.free(field)
        elif name == "mm_page_free_batched":
            pages.batched(field)
    return slab, pages


def differences(slab, pages, got):
    """Yields one line per number that differs."""
    page_size = got["recording"]["kernel_page_size"]
    reports = {r["name"]: r for r in got["reports"]}
    for name, expected in (("slab", slab.summary()), ("page", pages.summary(page_size))):
        for key, value in sorted(reports[name]["summary"].items()):
            if key in expected or (key not in ("fragmentation", "implausible",
                                               "without_stack", "frees_matched",
                                               "frees_split", "frees_merged",
                                               "allocs_freed")):
                if value != expected[key]:
                    yield f"{name} {key}: kmemx {value}, model {expected[key]}"
    summary = reports["page"]["summary"]
    of_live = sum(summary["frees_" + how] for how in ("matched", "split", "merged"))
    if of_live != pages.sum["frees_of_live"]:
        yield f"page frees of live pages: kmemx {of_live}, model {pages.sum['frees_of_live']}"
    rows = collections.defaultdict(collections.Counter)
    for row in reports["slab"]["rows"]:
        function = row["callsite"].split(" ")[0].split("+")[0]
        rows[function].update({k: row[k] for k in ("hit", "bytes", "bytes_req", "pingpong")})
    for function in sorted(rows.keys() | slab.rows.keys()):
        if +rows[function] != +slab.rows[function]:
            yield f"slab {function}: kmemx {rows[function]}, model {slab.rows[function]}"
    matrix = reports["page_matrix"]
    types = [c["name"] for c in matrix["columns"][1:]]
    seen = {(row["order"], i): row[t] for row in matrix["rows"] for i, t in enumerate(types)}
    if +collections.Counter(seen) != +pages.matrix:
        yield f"matrix: kmemx {+collections.Counter(seen)}, model {pages.matrix}"


def main():
    kmemx, recording, text = sys.argv[1:4]
    run = subprocess.run([kmemx, "stat", "-i", recording, "--slab", "--page", "--caller",
                          "--json"], stdout=subprocess.PIPE, check=True)
    slab, pages = model(text)
    if not slab.sum and not pages.sum:
        sys.exit(f"{text}: no event in it")
    wrong = list(differences(slab, pages, json.loads(run.stdout)))
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
