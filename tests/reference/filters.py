#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the filters of kmemx stat with the owners of each object in the reference model.

usage: filters.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped. With a filter by pid, CPU, callsite
or order, kmemx must count what the model counts for that owner, including the frees of its objects.
By cache, node and flags, the number of allocations must equal that of the lines. Disjoint parts
must add up to the whole. Prints what differs; exit 1 if anything does.
"""
import collections
import itertools
import subprocess
import sys

from model import ALLOCS, events, model, number, report, unbalanced

# The parts must add up to these.
SUMS = {
    "slab": ("allocs", "allocs_failed", "bytes_allocated", "bytes_requested", "bytes_freed",
             "bytes_net", "allocs_implicit", "frees_matched", "frees_reordered",
             "cross_cpu_frees", "allocs_large"),
    "page": ("requests", "failures", "bytes", "bytes_freed", "bytes_implicit", "bytes_live",
             "alloc_freed", "alloc_implicit", "alloc_only", "frees_matched", "frees_split"),
}
# Frees whose object is unknown: no filter can select them.
OTHERS = ("frees_unmatched", "frees_double", "frees_other", "frees_null")
MOST = 6  # number of values of one kind to try


class Filters:
    def __init__(self, kmemx, path):
        self.kmemx, self.path, self.wrong = kmemx, path, []
        self.recording, self.whole = report(kmemx, path, "--slab", "--page")

    def part(self, *options):
        """The summaries of slab and page; empty if the filter leaves nothing."""
        try:
            recording, reports = report(self.kmemx, self.path, *options)
        except subprocess.CalledProcessError as error:
            if error.returncode != 1:
                self.wrong.append(f"{options}: {error}")
            return collections.defaultdict(collections.Counter)
        if recording["filter"] != " ".join(options):
            self.wrong.append(f"{options}: the report says {recording['filter']}")
        self.wrong += [f"{options}: {line}" for line in unbalanced(reports)]
        parts = collections.defaultdict(collections.Counter)
        parts.update({name: collections.Counter(reports[name]["summary"])
                      for name in ("slab", "page") if name in reports})
        return parts

    def expect(self, options, got, expected):
        for key, value in expected.items():
            if got[key] != value:
                self.wrong.append(f"{options}: {key}: kmemx {got[key]}, model {value}")

    def slab(self, options, account):
        got = self.part(*options)["slab"]
        got["ended"] = got["allocs"] - got["allocs_live"]
        self.expect(options, got, {
            "allocs": account["alloc_count"], "ended": account["free_count"],
            "bytes_allocated": account["total_dynamic"],
            "bytes_net": account["current_dynamic"]})

    def page(self, options, owned):
        size = self.recording["kernel_page_size"]
        self.expect(options, self.part(*options)["page"], {
            "requests": owned["requests"], "bytes": owned["pages"] * size,
            "bytes_freed": owned["freed"] * size,
            "bytes_implicit": owned["implicit"] * size})

    def partition(self, option, values):
        """Checks that filters by each of the values add up to the total without a filter."""
        parts = [self.part(option, str(value)) for value in values]
        for name, keys in SUMS.items():
            if name == "slab" and option == "--order" or name not in self.whole:
                continue
            summary = self.whole[name]["summary"]
            others = sum(summary.get(key, 0) for key in OTHERS)
            for value, part in zip(values, parts):
                if part[name] and part[name]["frees_other"] != others:
                    self.wrong.append(f"{option} {value}: {name} frees_other: "
                                      f"{part[name]['frees_other']}, whole {others}")
            for key in keys:
                got, whole = sum(p[name][key] for p in parts), summary[key]
                if got != whole:
                    self.wrong.append(f"{option}: {name} {key}: parts {got}, whole {whole}")


def common(counter):
    """The most frequent values; ties are ordered by name."""
    return [who for who, _ in sorted(counter.items(), key=lambda i: (-i[1], str(i[0])))][:MOST]


def ranges(values):
    """Splits the values into three disjoint lists."""
    values = sorted(values)
    return [",".join(map(str, values[i::3])) for i in range(3) if values[i::3]]


def check_lines(filters, path):
    """Counts lines by what they say about an allocation, without matching frees."""
    lines = collections.defaultdict(collections.Counter)
    for _, _, _, name, field in events(path):
        if name in ALLOCS and number(field["ptr"]):
            lines["--node"][field.get("node", "-1")] += 1
            lines["--gfp"][field["gfp_flags"]] += 1
            if "name" in field:
                lines["--cache"][field["name"]] += 1
            elif ALLOCS[name]:
                lines["--cache"]["[kmalloc]"] += 1
    for value in common(lines["--node"]):
        filters.expect(("--node", value), filters.part("--node", value)["slab"],
                       {"allocs": lines["--node"][value]})
    for value in common(lines["--cache"]):
        filters.expect(("--cache", value), filters.part("--cache", value)["slab"],
                       {"allocs": lines["--cache"][value]})
    for value in common(lines["--gfp"]):
        bits = number(value)
        filters.expect(("--gfp", hex(bits)), filters.part("--gfp", hex(bits))["slab"], {
            "allocs": sum(nr for flags, nr in lines["--gfp"].items()
                          if number(flags) & bits == bits)})


def main():
    kmemx, path, text = sys.argv[1:4]
    filters = Filters(kmemx, path)
    slab, pages = model(text, filters.recording)
    for kind, option in (("pid", "--pid"), ("cpu", "--cpu")):
        account = slab.account[kind]
        for value in common({v: a["alloc_count"] for v, a in account.items()}):
            if value is not None and value >= 0:
                filters.slab((option, str(value)), account[value])
                filters.page((option, str(value)), pages.owned[kind, value])
    sites = {s: a for s, a in slab.account["callsite"].items() if "+" in s}
    for site in common({s: a["alloc_count"] for s, a in sites.items()}):
        filters.slab(("--callsite", site), sites[site])
    orders = {v for kind, v in pages.owned if kind == "order"}
    for order in orders:
        filters.page(("--order", str(order)), pages.owned["order", order])
    pids = {p for p in itertools.chain(slab.account["pid"],
                                       (v for kind, v in pages.owned if kind == "pid"))}
    filters.partition("--pid", ranges(pids))
    filters.partition("--cpu", range(filters.recording["nr_cpus"]))
    filters.partition("--order", orders)
    check_lines(filters, text)
    print("\n".join(filters.wrong[:20]))
    return 1 if filters.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
