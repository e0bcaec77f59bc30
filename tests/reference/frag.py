#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares kmemx frag with a model of fallbacks and of the pageblocks that they fragment.

usage: frag.py KMEMX DATA
       frag.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped; RECORDING's pagetypeinfo is next to
it, or its pageblocks are of order 9. The recordings in DATA have few such events, so this makes
more: random allocations, frees and fallbacks of pages. The model keeps the owner of every page
frame in a dict. Prints what differs; exit 1 if anything does.
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")
sys.path.insert(0, os.path.join(TOP, "bombs"))
from recording import Metadata, option, record, u64, version6  # noqa: E402
from model import events as events_of, number  # noqa: E402

ORDER = 9  # order of a pageblock
META = 0x4000
TYPES = ("UNMOVABLE", "MOVABLE", "RECLAIMABLE")
PAGETYPES = b"Page block order: 9\n"
ZONEINFO = b"Node 0, zone DMA32\n  min 1000\nNode 1, zone Normal\n  min 24\n"


class Event:
    def __init__(self, time, cpu, name, **field):
        self.time, self.cpu, self.name, self.field = time, cpu, name, field


def random_events(rng, nr):
    """Events of some tasks on some CPUs with the pages of a few pageblocks, in time order."""
    now, owned, out = 1000000, {}, []
    for _ in range(nr):
        now += rng.randrange(1, 500)
        cpu, pid = rng.randrange(3), rng.randrange(1, 5)
        what = rng.random()
        if what < 0.15:
            order = rng.choice((0, 2, 5, 8, 9, 10))
            out.append(Event(now, cpu, "mm_page_alloc_extfrag", common_pid=pid,
                             pfn=rng.randrange(20) << ORDER | rng.randrange(512) & -(1 << order),
                             alloc_order=rng.randrange(2), fallback_order=order,
                             alloc_migratetype=rng.randrange(3),
                             fallback_migratetype=rng.randrange(3),
                             change_ownership=rng.randrange(2)))
        elif what < 0.6 or not owned:
            order = rng.choice((0, 0, 0, 1, 1, 4, 9))
            pfn = rng.randrange(20 << ORDER) & -(1 << order)
            out.append(Event(now, cpu, "mm_page_alloc", common_pid=pid, pfn=pfn, order=order,
                             migratetype=rng.randrange(3)))
            owned[pfn] = order
        else:
            pfn = rng.choice(list(owned))
            out.append(Event(now, cpu, "mm_page_free", common_pid=pid, pfn=pfn,
                             order=owned.pop(pfn)))
    return out


def pages_of(meta, events):
    """The sub-buffers of one CPU."""
    out = b""
    for at in range(0, len(events), 60):
        part, data, before = events[at:at + 60], b"", events[at].time
        for e in part:
            data += record(meta.event(e.name, **e.field), e.time - before)
            before = e.time
        assert len(data) <= 4080
        out += (u64(part[0].time) + u64(len(data)) + data).ljust(4096, b"\0")
    return out


def write(path, meta, events):
    options = b"".join(option(META, name + b"\0" + text) for name, text in (
        (b"pagetypeinfo.before", PAGETYPES), (b"zoneinfo.before", ZONEINFO)))
    with open(path, "wb") as f:
        f.write(version6(meta, [pages_of(meta, [e for e in events if e.cpu == cpu])
                                for cpu in range(3)], options))


class Model:
    def __init__(self, events, order=ORDER, types=TYPES):
        self.order, self.types_named = order, types
        self.rows = collections.Counter()
        self.pages = {}  # page frame -> True if its page is foreign to the pageblock
        self.types = collections.defaultdict(set)  # pageblock -> migratetypes that fell back
        self.hits, self.claims, self.first = collections.Counter(), collections.Counter(), {}
        self.came, self.time = collections.Counter(), collections.Counter()
        self.live, self.since = collections.Counter(), {}
        for e in events:
            getattr(self, e.name)(e.time, e.cpu, **e.field)
        for block, live in self.live.items():
            self.time[block] += events[-1].time - self.since[block] if live else 0

    def mm_page_alloc_extfrag(self, time, cpu, pfn, **f):
        block = pfn >> self.order
        fragments = f["fallback_order"] < self.order
        self.rows[f["common_pid"], cpu, f["alloc_order"], f["fallback_order"],
                  self.types_named[f["alloc_migratetype"]],
                  self.types_named[f["fallback_migratetype"]],
                  "yes" if fragments else "no", "yes" if f["change_ownership"] else "no"] += 1
        if fragments:
            self.hits[block] += 1
            self.claims[block] += f["change_ownership"]
            self.types[block].add(f["alloc_migratetype"])
            self.first.setdefault(block, (time, f["common_pid"]))

    def end(self, time, cpu):
        """The time of the last event in the recording."""

    def gone(self, time, pfn):
        if self.pages.pop(pfn, False):
            block = pfn >> self.order
            self.live[block] -= 1
            if not self.live[block]:
                self.time[block] += time - self.since[block]

    def mm_page_alloc(self, time, cpu, pfn, order, migratetype, common_pid):
        block = pfn >> self.order
        if order >= self.order:
            return
        for frame in range(pfn, pfn + (1 << order)):
            self.gone(time, frame)
        if migratetype in self.types[block]:
            if not self.live[block]:
                self.since[block] = time
            for frame in range(pfn, pfn + (1 << order)):
                self.pages[frame] = True
            self.live[block] += 1 << order
            self.came[block] += 1 << order

    def mm_page_free(self, time, cpu, pfn, order, common_pid):
        for frame in range(pfn, pfn + (1 << order)):
            self.gone(time, frame)


def kmemx_frag(kmemx, path, *options):
    run = subprocess.run([kmemx, "frag", "--json", *options, path], stdout=subprocess.PIPE,
                         check=True)
    return {r["name"]: r for r in json.loads(run.stdout)["reports"]}


def differences(kmemx, path, model):
    for jobs in "1", "4":
        reports = kmemx_frag(kmemx, path, "--by", "pid,cpu", "--jobs", jobs)
        rows = collections.Counter()
        for r in reports["frag"]["rows"]:
            rows[tuple(r[c] for c in ("pid", "cpu", "alloc_order", "fallback_order", "to", "from",
                                      "fragmenting", "change_ownership"))] += r["hit"]
        for key in sorted(rows.keys() | model.rows.keys()):
            if rows[key] != model.rows[key]:
                yield f"{jobs} {key}: kmemx {rows[key]}, model {model.rows[key]}"
        summary = reports["frag"]["summary"]
        sums = [sum(n for key, n in model.rows.items() if key[column] == "yes" or not column)
                for column in (0, -2, -1)]
        if [summary[c] for c in ("fallbacks", "fragmenting", "claims")] != sums:
            yield f"summary {summary}, model {sums}"
        blocks = {r["pfn"] >> model.order: r
                  for r in reports.get("frag_block", {"rows": ()})["rows"]}
        for block in sorted(blocks.keys() | model.first.keys()):
            if block not in blocks or block not in model.first:
                yield f"pageblock {block} is in one only"
                continue
            r = blocks[block]
            got = (r["hit"], r["claims"], r["pages"], r["live"], r["time"], r["first"],
                   int(r["task"].split("-")[-1]))
            wanted = (model.hits[block], model.claims[block], model.came[block],
                      model.live[block], model.time[block], *model.first[block])
            if got != wanted:
                yield f"{jobs} pageblock {block}: kmemx {got}, model {wanted}"


def of_text(text):
    """The page events in trace-cmd's text, in the model's form."""
    fields = {"mm_page_alloc_extfrag": ("pfn", "alloc_order", "fallback_order",
                                        "alloc_migratetype", "fallback_migratetype",
                                        "change_ownership"),
              "mm_page_alloc": ("pfn", "order", "migratetype"), "mm_page_free": ("pfn", "order"),
              "mm_page_free_batched": ("pfn",)}
    last = None
    for pid, cpu, time, name, field in events_of(text):
        last = time or last
        values = {key: number(field[key]) for key in fields.get(name, ())}
        if not values or values["pfn"] in (0, (1 << 64) - 1, (1 << 32) - 1):
            continue
        if name == "mm_page_free_batched":
            name, values["order"] = "mm_page_free", 0
        yield Event(time, cpu, name, common_pid=pid, **values)
    yield Event(last, 0, "end")


def compare_text(kmemx, path, text):
    events = list(of_text(text))
    if not any(e.name == "mm_page_alloc_extfrag" for e in events):
        return []
    order, types = ORDER, TYPES
    beside = path.removesuffix(".dat") + ".pagetypeinfo"
    if os.path.exists(beside):
        with open(beside, encoding="ascii") as f:
            lines = f.read().splitlines()
        order = int(lines[0].split()[-1])
        types = [word.upper() for word in lines[-3].split("type")[1].split()]
    return list(differences(kmemx, path, Model(events, order, types)))


def main():
    kmemx, data, *text = sys.argv[1:]
    if text:
        wrong = compare_text(kmemx, data, *text)
        print("\n".join(wrong[:20]))
        return 1 if wrong else 0
    meta = Metadata(os.path.join(data, "bookworm-amd64-small-plain.v6.dat"))
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "frag.dat")
        for seed in range(12):
            events = random_events(random.Random(seed), 40 << seed // 2)
            write(path, meta, events)
            wrong += [f"seed {seed}: {line}"
                      for line in differences(kmemx, path, Model(events))]
            summary = kmemx_frag(kmemx, path)["frag"]["summary"]
            if (summary["min_free_kbytes"], summary["min_free_kbytes_next"]) != (4096, 16384):
                wrong.append(f"seed {seed}: min_free_kbytes {summary}")
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
