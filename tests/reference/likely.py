#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares kmemx's best estimate of live memory with the truth on simulated machines.

usage: likely.py KMEMX DIRECTORY RECORDING

Writes recordings of machines to DIRECTORY, with the formats of RECORDING, a trace.dat 6. A
machine's kmallocs come from slabs like SLUB's, whose addresses are reused. Some callsites leak,
some free what they allocate, some free it after a grace period without an event, and some replace
objects older than the recording. The kernel's counts include free objects that CPUs hold. For each
callsite, the truth and the estimate must lie between net_min and net_max of kmemx leaks, and the
mean error of the estimates must be smaller than that of either end. On machines with a peak before
the end, the error of kmemx peak's estimates must be smaller than that of what was seen then. Prints
the errors; exit 1 if any condition fails.
"""
import bisect
import collections
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "bombs"))
import recording  # pylint: disable=wrong-import-position

META, UNAME = 0x4000, 5
PAGE = 4096
TEXT = 0xffffffff81000000
HEAP = 0xffff888004000000
SIZES = (64, 256, 1024)
MACHINES = 24 if os.environ.get("LONG") else 6
PEAKS = 4 if os.environ.get("LONG") else 1  # how many of them run again with a peak
PARTIAL_MIN = 5
TICK = 20000  # ns between two steps of a machine


class Cache:
    """A kmalloc cache: slabs of a page, with lists of free objects."""

    def __init__(self, size, where, rng):
        self.size, self.next_page, self.rng = size, where, rng
        self.partial, self.free = [], {}  # pages with free objects; page -> their addresses
        self.live = set()
        self.per_slab = PAGE // size

    def alloc(self):
        if not self.partial:
            page = self.next_page
            self.next_page += PAGE
            self.free[page] = [page + i * self.size for i in range(self.per_slab)]
            self.rng.shuffle(self.free[page])
            self.partial.append(page)
        page = self.partial[-1]
        at = self.free[page].pop()
        if not self.free[page]:
            self.partial.pop()
        self.live.add(at)
        return at

    def release(self, at):
        """Frees an object; an empty slab goes back to the page allocator if there are others."""
        page = at & -PAGE
        if not self.free[page]:
            self.partial.append(page)
        self.free[page].append(at)
        self.live.remove(at)
        if len(self.free[page]) == self.per_slab and len(self.partial) > PARTIAL_MIN:
            self.partial.remove(page)
            del self.free[page]


class Site:
    """A callsite: what it does with its objects."""

    def __init__(self, number, kind, cache, rng):
        self.address, self.kind, self.cache = TEXT + number * 0x1000, kind, cache
        # Allocations in a thousand steps.
        self.rate = rng.choice((5, 30) if kind == "leak" else (20, 200, 600))
        self.batch = rng.randrange(20, 600)  # objects per grace period
        self.held, self.dying = collections.deque(), []
        self.seen = set()  # live, and allocated with an event


class Machine:
    def __init__(self, seed, meta):
        self.rng, self.meta = random.Random(seed), meta
        self.time, self.pages, self.page, self.page_time = 10 ** 9, [], bytearray(), 0
        self.last = self.time
        self.held, self.history = [], []
        self.caches = [Cache(size, HEAP + i * 0x10000000, self.rng)
                       for i, size in enumerate(SIZES)]
        self.old = {c: collections.deque(c.alloc() for _ in range(self.rng.randrange(400, 2000)))
                    for c in self.caches}
        for cache in self.caches:
            self.rng.shuffle(self.old[cache])
        kinds = ["leak", "churn", "rcu", "replace", "hold"] * 3
        self.sites = [Site(i + 1, kind, self.caches[i % len(self.caches)], self.rng)
                      for i, kind in enumerate(kinds)]

    def emit(self, name, **values):
        data = self.meta.event(name, common_pid=100, **values)
        delta = self.time - self.last if self.page else 0
        one = recording.record(data, delta)
        if len(self.page) + len(one) > PAGE - 16:
            self.finish_page()
            one = recording.record(data, 0)
        if not self.page:
            self.page_time = self.time
        self.page += one
        self.last = self.time

    def finish_page(self):
        self.pages.append((recording.u64(self.page_time) + recording.u64(len(self.page)) +
                           self.page).ljust(PAGE, b"\0"))
        self.page = bytearray()

    def alloc(self, site):
        at = site.cache.alloc()
        self.emit("kmalloc", call_site=site.address, ptr=at, bytes_req=site.cache.size,
                  bytes_alloc=site.cache.size)
        site.seen.add(at)
        return at

    def end(self, site, at, traced=True):
        site.cache.release(at)
        site.seen.discard(at)
        if traced:
            self.emit("kfree", call_site=TEXT, ptr=at)

    def act(self, site):
        at = self.alloc(site)
        if site.kind == "leak":
            return
        if site.kind == "replace":
            old = self.old[site.cache]
            if old and self.rng.random() < 0.9:
                gone = old.popleft()
                site.cache.release(gone)
                self.emit("kfree", call_site=TEXT, ptr=gone)
        elif site.kind == "rcu":
            site.dying.append(at)
            if len(site.dying) > site.batch:
                for gone in site.dying:
                    self.end(site, gone, traced=False)
                site.dying = []
        else:
            site.held.append(at)
            while len(site.held) > (3 if site.kind == "churn" else 60):
                self.end(site, site.held.popleft())

    def step(self):
        self.time += TICK
        for site in self.sites:
            if self.rng.random() < site.rate / 1000:
                self.act(site)

    def count(self, item):
        """Objects of each cache, with free ones in slabs that CPUs hold."""
        lines = []
        for cache in self.caches:
            held = self.rng.randrange(5)
            objects = len(cache.live) + self.rng.randrange(held * cache.per_slab + 1)
            begin, self.time = self.time + 1000, self.time + 9000
            lines.append(f"kmalloc-{cache.size} {objects} {held} 0 1 {begin} {begin + 3000} "
                         f"{begin + 6000}\n")
        return recording.option(META, item + b"\0" + "".join(lines).encode())

    def slabinfo(self, item):
        lines = "".join(
            f"kmalloc-{c.size} {len(c.live) + 2 * c.per_slab} {len(c.live) + 4 * c.per_slab} "
            f"{c.size} {c.per_slab} 1 : tunables 0 0 0 : slabdata 9 9 0\n" for c in self.caches)
        return recording.option(META, item + b"\0" + lines.encode())

    def note(self):
        """Notes what lives; the next event comes later."""
        self.history.append((self.time, [len(s.seen) for s in self.sites]))
        self.time += 1

    def burst(self, site):
        """Allocates objects that live for a while, and are freed with an event."""
        self.held = [self.alloc(site) for _ in range(6000)]

    def run(self, steps, peak=False):
        options = self.slabinfo(b"slabinfo.before")
        self.emit("kfree", call_site=TEXT, ptr=0)
        options += self.count(b"slab_counts.before")
        begin = self.time
        for step in range(steps):
            self.step()
            if peak and step == steps * 11 // 20:
                self.burst(self.sites[-1])
            elif peak and step == steps * 13 // 20:
                self.note()
                for at in self.held:
                    self.end(self.sites[-1], at)
            self.note()
        options += self.count(b"slab_counts.after")
        self.emit("kfree", call_site=TEXT, ptr=0)
        self.finish_page()
        options += self.slabinfo(b"slabinfo.after")
        options += recording.option(META, b"duration_ns\0%d" % (self.time - begin))
        options += recording.option(UNAME, b"Linux machine 6.18.0 x86_64\0")
        names = "".join(f"{s.address:x} T site_{i}\n" for i, s in enumerate(self.sites))
        return recording.version6(self.meta, [b"".join(self.pages)], options,
                                  kallsyms=f"{TEXT:x} T kernel\n{names}".encode())


def rows_of(*command):
    run = subprocess.run([*command, "--slab", "--json"], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    report = json.loads(run.stdout)["reports"][0]
    return {row["callsite"]: row for row in report["rows"]}, report["summary"]


def check_peak(kmemx, path, machine, errors, wrong):
    """Adds the errors at the peak."""
    got, summary = rows_of(kmemx, "peak", "-i", path)
    time, truth = machine.history[bisect.bisect(machine.history, (summary["time"],))]
    if time >= machine.history[-1][0] or time - summary["time"] > TICK:
        wrong.append(f"the peak is at {summary['time']}, not in the burst")
    for i, site in enumerate(machine.sites):
        row = got.get(f"site_{i}", {"bytes": 0, "bytes_seen": 0})
        for name in ("bytes", "bytes_seen"):
            errors["peak " + name] += abs(row[name] - truth[i] * site.cache.size)


def write(path, machine, **how):
    with open(path, "wb") as f:
        f.write(machine.run(20000, **how))


def main():
    kmemx, directory, path = sys.argv[1:4]
    meta = recording.Metadata(path)
    errors, wrong, rows = collections.Counter(), [], 0
    for seed in range(MACHINES):
        machine = Machine(seed, meta)
        out = os.path.join(directory, f"machine-{seed}.dat")
        write(out, machine)
        got, _ = rows_of(kmemx, "leaks", "-i", out, "--older", "1ns")
        for i, site in enumerate(machine.sites):
            truth = len(site.seen) * site.cache.size
            row = got.get(f"site_{i}", {"bytes": 0, "bytes_seen": 0, "net_min": 0, "net_max": 0})
            rows += 1
            if not row["net_min"] <= truth <= row["net_max"] + site.cache.size:
                wrong.append(f"machine {seed}: {site.kind} has {truth}, not {row}")
            if not row["net_min"] <= row["bytes"] <= row["net_max"]:
                wrong.append(f"machine {seed}: {site.kind} is estimated outside: {row}")
            for name in ("bytes", "bytes_seen", "net_min", "net_max"):
                errors[name] += abs(row[name] - truth)
        if seed < PEAKS:
            machine = Machine(seed, meta)
            write(out, machine, peak=True)
            check_peak(kmemx, out, machine, errors, wrong)
        os.remove(out)
    for name, total in errors.items():
        nr = rows * PEAKS // MACHINES if "peak" in name else rows
        print(f"{name}: mean error {total / nr:.0f} bytes")
    if errors["bytes"] >= min(errors["net_min"], errors["net_max"]):
        wrong.append("the estimate is no better than an end of its range")
    if errors["peak bytes"] >= errors["peak bytes_seen"]:
        wrong.append("the estimate at the peak is no better than what was seen")
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
