#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds what kmemx says of when things lived against the reference model.

usage: lives.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped. The model keeps the time of every
allocation and every lifetime in a list. Its counts, quantiles and histograms must be those of
kmemx stat --lifetime, by callsite, pid and CPU. Prints what differs; exit 1 if anything does.
"""
import collections
import sys

import model

SHORT = 10000  # ns


class Lives:
    """What became of one owner's objects or pages."""

    def __init__(self):
        self.times = []  # of those that an event freed
        self.short = self.short_bytes = self.allocated = self.live = 0

    def ended(self, time, here, nr_bytes):
        self.times.append(time)
        if here and time <= SHORT:
            self.short += 1
            self.short_bytes += nr_bytes


def owners(obj):
    return (("callsite", obj.site.split("+")[0]), ("cpu", obj.cpu), ("pid", obj.pid))


class Slab(model.Slab):
    def __init__(self, skew_time):
        super().__init__(skew_time)
        self.lives = collections.defaultdict(Lives)
        self.time = None

    def alloc(self, pid, cpu, time, field, large):
        allocs = self.sum["allocs"]
        super().alloc(pid, cpu, time, field, large)
        if self.sum["allocs"] > allocs:
            for owner in owners(self.objects[model.number(field["ptr"])]):
                self.lives[owner].allocated += 1

    def free(self, cpu, time, field):
        self.time = time
        super().free(cpu, time, field)

    def match(self, old, cpu):
        """CPU None: freed before it was allocated, as the clocks have it."""
        super().match(old, cpu)
        time = 0 if cpu is None else max(0, self.time - old.time)
        for owner in owners(old):
            self.lives[owner].ended(time, cpu == old.cpu, old.alloc)

    def finish(self):
        super().finish()
        for obj in filter(None, self.objects.values()):
            for owner in owners(obj):
                self.lives[owner].live += 1


class Pages(model.Pages):
    def __init__(self, skew_time):
        super().__init__(skew_time)
        self.lives = collections.defaultdict(Lives)
        self.now = None  # time and CPU of the free whose pages end

    def alloc(self, pid, cpu, time, field):
        pages = self.sum["pages"]
        super().alloc(pid, cpu, time, field)
        for kind, who in (("pid", pid), ("cpu", cpu)):
            self.lives[kind, who].allocated += self.sum["pages"] - pages

    def ended(self, request, time, here):
        for owner in request.who:
            self.lives[owner].ended(time, here, 1)

    def end(self, pfn, freed):
        request = self.pages[pfn]
        super().end(pfn, freed)
        if freed and self.now:
            time, cpu = self.now
            here = ("cpu", cpu) in request.who
            self.ended(request, 0 if time is None else max(0, time - request.time), here)

    def reorder(self, request):
        self.now = None, None
        super().reorder(request)
        self.now = None

    def free(self, cpu, time, field):
        over = self.over_freed.get(model.number(field["pfn"]))
        before = self.sum["frees_reordered"]
        self.now = time, cpu
        super().free(cpu, time, field)
        self.now = None
        if self.sum["frees_reordered"] > before:
            for _ in range(1 << over.order):
                self.ended(over, max(0, time - over.time), False)

    def finish(self):
        super().finish()
        for request in filter(None, self.pages.values()):
            for owner in request.who:
                self.lives[owner].live += 1


def quantile(times, percent):
    """The least time that so many of them did not outlive: the middle of its step."""
    time = times[-(-len(times) * percent // 100) - 1]
    width = max(1, 1 << time.bit_length() >> 5)
    middle = time // width * width + width // 2
    if abs(middle - time) * 32 > time:
        sys.exit(f"{middle} is no step of {time}")
    return min(middle, times[-1])


def histogram(times):
    octaves = collections.Counter(max(t.bit_length() - 1, 0) for t in times)
    return [octaves[i] for i in range(max(octaves, default=-1) + 1)]


def added(one, other):
    longer = max(len(one), len(other))
    return [a + b for a, b in zip(*(x + [0] * (longer - len(x)) for x in (one, other)))]


def expected(lives, page_size):
    times = sorted(lives.times)
    row = {"short": lives.short, "short_bytes": lives.short_bytes * page_size,
           "freed": len(times), "live": lives.live, "lifetimes": histogram(times),
           "untimed": lives.allocated - lives.live - len(times)}
    if times:
        row.update(median=quantile(times, 50), p99=quantile(times, 99), longest=times[-1])
    return row


def lifetime_differences(slab, pages, kmemx, path, page_size, clock_is_ns):
    for by in ("callsite", "pid", "cpu"):
        reports = model.report(kmemx, path, "--lifetime", "--by", by)[1]
        for name, lives, size in (("lifetime", slab.lives, 1),
                                  ("lifetime_page", pages.lives, page_size)):
            if name == "lifetime_page" and by == "callsite":
                continue  # which the text's callchains do not name
            got = collections.defaultdict(list)
            for row in reports[name]["rows"] if name in reports else ():
                who = row[by].split(" ")[0].split("+")[0] if by == "callsite" else row[by]
                got[who].append(row)
            wanted = {who: expected(l, size) for (kind, who), l in lives.items()
                      if kind == by and l.allocated}
            for who in sorted(got.keys() | wanted.keys(), key=str):
                yield from row_differences(f"{name} {by} {who}", got[who], wanted.get(who, {}),
                                           clock_is_ns)


def row_differences(what, rows, wanted, clock_is_ns):
    """Of functions of one name only what adds up is compared."""
    for key, value in wanted.items():
        if key.startswith("short") and not clock_is_ns:
            continue
        values = [row[key] for row in rows]
        if key == "lifetimes":
            value_of = []
            for one in values:
                value_of = added(value_of, one)
        elif key in ("median", "p99"):
            value_of = values[0] if len(values) == 1 else value
        else:
            value_of = max((v or 0 for v in values), default=0) if key == "longest" else sum(values)
        if value_of != value:
            yield f"{what} {key}: kmemx {value_of}, model {value}"
    if not wanted:
        yield f"{what}: kmemx {rows}, model nothing"


def main():
    kmemx, path, text = sys.argv[1:4]
    recording = model.report(kmemx, path)[0]
    slab, pages = model.model(text, recording, (Slab, Pages))
    if not slab.lives and not pages.lives:
        sys.exit(f"{text}: no event in it")
    wrong = list(lifetime_differences(
        slab, pages, kmemx, path, recording["kernel_page_size"],
        recording["clock"] not in ("counter", "uptime", "x86-tsc", "ppc-tb")))
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
