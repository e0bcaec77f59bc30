#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares kmemx percpu with a model of the per-CPU lists of free pages, and of objects and pages
freed on a different CPU than they were allocated on.

usage: percpu.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped. Prints what differs; exit 1 if
anything does.
"""
import collections
import sys

import model
from model import number

LOCKED, DRAIN = "mm_page_alloc_zone_locked", "mm_page_pcpu_drain"
UNDER_LOCK = ("kernel_stack", "mm_page_alloc_extfrag")


def runs_of(path):
    """Returns lists of consecutive events under one lock, by CPU, and the frees."""
    runs, last, frees = [], {}, collections.Counter()
    for pid, cpu, _, name, field in model.events(path):
        if name in UNDER_LOCK:
            continue
        if name == "gap":
            last.pop(cpu, None)
            continue
        if name not in (LOCKED, DRAIN):
            last.pop(cpu, None)
            frees[cpu, name] += name == "mm_page_free_batched" or (
                name == "mm_page_free" and field["order"] == "0")
            continue
        pages, kind = 1 << int(field["order"]), "drain"
        key = (pid, DRAIN)
        if name == LOCKED:
            refill = int(field.get("percpu_refill", field["order"] == "0"))
            kind = "refill" if refill else "direct"
            key = (pid, field["order"], field["migratetype"], kind)
        if last.get(cpu) != key or kind == "direct":
            runs.append([kind, cpu, 0])
        last[cpu] = key
        runs[-1 - next(i for i, run in enumerate(reversed(runs)) if run[1] == cpu)][2] += pages
        yield kind, cpu, number(field["pfn"]), pages
    yield "end", runs, frees, None


class Slab(model.Slab):
    """By callsite, pid, and both CPUs: objects, bytes, and freeing functions."""

    def __init__(self, skew_time):
        super().__init__(skew_time)
        self.crossed = collections.Counter()
        self.bytes = collections.Counter()
        self.freed_by = collections.defaultdict(collections.Counter)
        self.unknown = 0
        self.freer = None

    def free(self, cpu, time, field):
        self.freer = field["call_site"].split("+")[0]
        super().free(cpu, time, field)

    def match(self, old, cpu):
        super().match(old, cpu)
        if cpu is None:
            self.unknown += 1
            return
        key = old.site.split("+")[0], old.pid, old.cpu, cpu
        self.crossed[key] += 1
        self.bytes[key] += old.alloc
        self.freed_by[key[0], old.cpu, cpu][self.freer] += 1


class Pages(model.Pages):
    """By pid and both CPUs."""

    def __init__(self, skew_time):
        super().__init__(skew_time)
        self.crossed = collections.Counter()
        self.unknown = 0
        self.on = None  # CPU of the free

    def crosses(self, request, pages):
        who = dict(request.who)
        self.crossed[who["pid"], who["cpu"], self.on] += pages

    def end(self, pfn, freed):
        request = self.pages[pfn]
        super().end(pfn, freed)
        if freed and self.on is not None:
            self.crosses(request, 1)

    def reorder(self, request):
        on, self.on = self.on, None
        super().reorder(request)
        self.unknown += 1 << request.order
        self.on = on

    def free(self, cpu, time, field):
        over, before = self.over_freed.get(number(field["pfn"])), self.sum["frees_reordered"]
        self.on = cpu
        super().free(cpu, time, field)
        if self.sum["frees_reordered"] > before:
            self.crosses(over, 1 << over.order)
        self.on = None


def summed(counts, kept):
    """Sums of counts, by these parts of their keys."""
    sums = collections.Counter()
    for key, nr in counts.items():
        sums[tuple(key[place] for place in kept)] += nr
    return sums


def differences(what, got, wanted):
    for key in sorted(got.keys() | wanted.keys(), key=str):
        if got.get(key, 0) != wanted.get(key, 0):
            yield f"{what} {key}: kmemx {got.get(key)}, model {wanted.get(key)}"


def rows_of(kmemx, path, *options):
    return model.tables(kmemx, "percpu", "-i", path, "--json", "--raw-names", *options)


def counts(report, value, *columns):
    """The sums of a column, by other columns; functions without offsets."""
    sums = collections.Counter()
    for row in report["rows"] if report else ():
        sums[tuple(str(row[c]).split(" ")[0].split("+")[0] if c == "callsite" else row[c]
                   for c in columns)] += row[value]
    return sums


def far(sums):
    return {key: nr for key, nr in sums.items() if key[-1] != key[-2]}


def crossed_differences(kmemx, path, text):
    slab, pages = model.model(text, model.report(kmemx, path)[0], (Slab, Pages))
    cpus = ("alloc_cpu", "free_cpu")
    by_site, by_pid = rows_of(kmemx, path), rows_of(kmemx, path, "--by", "pid")
    for name, value, counted, places in (("percpu_slab", "objects", slab, (1, 2, 3)),
                                         ("percpu_page", "pages", pages, (0, 1, 2))):
        yield from differences(f"{name}_matrix", counts(by_site.get(name + "_matrix"), value, *cpus),
                               summed(counted.crossed, places[1:]))
        yield from differences(f"{name} by pid", counts(by_pid.get(name), value, "pid", *cpus),
                               far(summed(counted.crossed, places)))
        if name not in by_site:
            continue
        summary = by_site[name]["summary"]
        here = sum(nr for key, nr in counted.crossed.items() if key[-1] == key[-2])
        yield from differences(name, {k: summary[k] for k in ("freed", "freed_here", "freed_unknown")},
                               {"freed": sum(counted.crossed.values()) + counted.unknown,
                                "freed_here": here, "freed_unknown": counted.unknown})
    for value, wanted in (("objects", slab.crossed), ("bytes", slab.bytes)):
        yield from differences(f"percpu_slab {value}",
                               counts(by_site.get("percpu_slab"), value, "callsite", *cpus),
                               far(summed(wanted, (0, 2, 3))))
    for row in by_site["percpu_slab"]["rows"] if "percpu_slab" in by_site else ():
        site, by = (row[c].split(" ")[0].split("+")[0] for c in ("callsite", "freed_by"))
        known = slab.freed_by[site, row["alloc_cpu"], row["free_cpu"]]
        most = max(known, key=known.get)  # if several are equal, the first one to free
        if not by.startswith("0x") and by != most:
            yield f"{row}: most were freed by {most}, {known[most]}"


def lists(path):
    """The rows of both tables of lists."""
    lists_of, moves = {}, collections.Counter()
    rows = collections.defaultdict(collections.Counter)
    for kind, cpu, pfn, pages in runs_of(path):
        if kind == "end":
            for what, of, taken in cpu:
                rows[of][what + "s"] += 1
                rows[of][what + "_pages"] += taken
            frees = pfn
        elif kind == "refill":
            lists_of[pfn] = cpu
        elif kind == "drain" and pfn in lists_of:
            moves[lists_of.pop(pfn), cpu] += pages
    for of, _ in frees if rows else ():
        rows[of]["locks"] += 0  # it must have a row
    for of, row in rows.items():
        row["locks"] = row["refills"] + row["drains"] + row["directs"]
        row["batched"] = frees[of, "mm_page_free_batched"]
        row["unbatched"] = max(frees[of, "mm_page_free"] - row["batched"], 0)
    return rows, moves


def main():
    kmemx, path, text = sys.argv[1:]
    rows, moves = lists(text)
    wrong = list(crossed_differences(kmemx, path, text))
    reports = {name: r["rows"] for name, r in rows_of(kmemx, path).items()}
    got = {r["cpu"]: r for r in reports.get("percpu", ())}
    for cpu in sorted(got.keys() | rows.keys()):
        for column, name in (("locks",) * 2, ("refills",) * 2, ("drains",) * 2,
                             ("direct", "directs"), ("refill_pages",) * 2, ("drain_pages",) * 2,
                             ("direct_pages",) * 2, ("batched",) * 2, ("unbatched",) * 2):
            shown = got[cpu][column] if cpu in got else "no row"
            if shown not in (rows[cpu][name], None):
                wrong.append(f"CPU {cpu} {column}: kmemx {shown}, model {rows[cpu][name]}")
    shown = {(r["refill_cpu"], r["drain_cpu"]): r["pages"]
             for r in reports.get("percpu_matrix", ())}
    for key in sorted(shown.keys() | moves.keys()):
        if shown.get(key, 0) != moves[key]:
            wrong.append(f"{key}: kmemx {shown.get(key)}, model {moves[key]}")
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
