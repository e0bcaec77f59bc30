#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares kmemx's times of allocations and frees with the reference model.

usage: lives.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped. The model keeps the time of every
allocation and every lifetime in a list. Its counts, quantiles and histograms must equal those of
kmemx stat --lifetime, by callsite, pid and CPU; its ages and the growth of live bytes, those of
kmemx leaks; the owners of memory at the peak and over time, those of kmemx peak; and the owners of
pages live at the end, by order and migratetype, those of kmemx owners. Prints what differs; exit 1
if anything does.
"""
import collections
import math
import statistics
import sys

import model

SHORT = 10000  # ns
MIGRATETYPES = {"UNMOVABLE": 0, "MOVABLE": 1, "RECLAIMABLE": 2}  # those that allocations can request
LOG = []  # (kind, time, owners, number, bytes more) in the order of events; time None: at the end
LATE = "callsite", "alloc_vmap_area"  # objects that the kernel frees in batches


class Lives:
    """The objects or pages of one owner."""

    def __init__(self):
        self.times = []  # lifetimes of those freed by an event
        self.short = self.short_bytes = self.allocated = self.live = 0
        self.births = []  # (time, bytes, pid, freed in batches?) of those live at the end
        self.changes = []  # (time, bytes more); time None: at the end

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
        self.time = time
        super().alloc(pid, cpu, time, field, large)
        if self.sum["allocs"] > allocs:
            obj = self.objects[model.number(field["ptr"])]
            LOG.append(("peak", time, owners(obj), 1, obj.alloc))
            for owner in owners(obj):
                self.lives[owner].allocated += 1
                self.lives[owner].changes.append((time, obj.alloc))

    def free(self, cpu, time, field):
        self.time = time
        super().free(cpu, time, field)

    def end(self, obj):
        super().end(obj)
        LOG.append(("peak", self.time, owners(obj), -1, -obj.alloc))
        for owner in owners(obj):
            self.lives[owner].changes.append((self.time, -obj.alloc))

    def match(self, old, cpu):
        """CPU None: freed before it was allocated, according to the clocks"""
        super().match(old, cpu)
        time = 0 if cpu is None else max(0, self.time - old.time)
        for owner in owners(old):
            self.lives[owner].ended(time, cpu == old.cpu, old.alloc)

    def finish(self):
        self.time = None
        super().finish()
        for obj in filter(None, self.objects.values()):
            for owner in owners(obj):
                self.lives[owner].live += 1
                self.lives[owner].births.append((obj.time, obj.alloc, obj.pid, LATE in owners(obj)))


class Pages(model.Pages):
    def __init__(self, skew_time):
        super().__init__(skew_time)
        self.lives = collections.defaultdict(Lives)
        self.now = None  # time and CPU of the free that ends the pages
        self.time = None

    def alloc(self, pid, cpu, time, field):
        pages = self.sum["pages"]
        self.time = time
        super().alloc(pid, cpu, time, field)
        pages = self.sum["pages"] - pages
        if pages:
            LOG.append(("peak_page", time, (("pid", pid), ("cpu", cpu)), pages, pages))
            self.pages[model.number(field["pfn"])].migratetype = int(field["migratetype"])
        for kind, who in (("pid", pid), ("cpu", cpu)) if pages else ():
            self.lives[kind, who].allocated += pages
            self.lives[kind, who].changes.append((time, pages))

    def ended(self, request, time, here):
        for owner in request.who:
            self.lives[owner].ended(time, here, 1)

    def end(self, pfn, freed):
        request = self.pages[pfn]
        super().end(pfn, freed)
        LOG.append(("peak_page", self.time, request.who, -1, -1))
        for owner in request.who:
            self.lives[owner].changes.append((self.time, -1))
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
        self.now, self.time = (time, cpu), time
        super().free(cpu, time, field)
        self.now = None
        if self.sum["frees_reordered"] > before:
            for _ in range(1 << over.order):
                self.ended(over, max(0, time - over.time), False)

    def finish(self):
        self.time = None
        super().finish()
        for request in filter(None, self.pages.values()):
            for owner in request.who:
                self.lives[owner].live += 1
                self.lives[owner].births.append((request.time, 1, dict(request.who)["pid"], False))


def quantile(times, percent):
    """The percentile of the lifetimes, as the middle of its step."""
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
                continue  # not named by the callchains in the text
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
    """If functions share a name, only sums are compared."""
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


class Windows:
    """At most 32 windows of 2^n, from the first change to the last event."""

    def __init__(self, lives, end):
        times = [time for l in lives.values() for time, _ in l.changes if time is not None]
        self.first, self.end, self.shift = min(times, default=0), end, 10
        while (end - self.first) >> self.shift >= 32:
            self.shift += 1
        self.nr = ((end - self.first) >> self.shift) + 1
        self.times = [(i + 1) << self.shift for i in range(self.nr - 1)] + [end - self.first]

    def series(self, changes, size):
        """Live bytes at the end of each window."""
        more = [0] * self.nr
        for time, nr in changes:
            more[-1 if time is None else (time - self.first) >> self.shift] += nr * size
        return [sum(more[:i + 1]) for i in range(self.nr)]


def slopes(times, series):
    return sorted((series[k] - series[i]) / (times[k] - times[i])
                  for i in range(len(times)) for k in range(i + 1, len(times))
                  if times[k] > times[i])


def correlation(times, series, slope):
    rest = [y - slope * x for x, y in zip(times, series)]
    mean = math.fsum(rest) / len(rest)
    every = math.fsum((r - mean) ** 2 for r in rest)
    following = math.fsum((a - mean) * (b - mean) for a, b in zip(rest, rest[1:]))
    if every <= (max(series) * 1e-9) ** 2 * len(rest):
        return 0  # only because numbers are rounded
    return min(max(following / every, 0), 0.7)


def falls(series):
    """The levels from which the series fell by half or more."""
    return [a for a, b in zip(series, series[1:]) if a and b <= a // 2]


def rises_evenly(series):
    """Is the mean rise from one of 8 blocks to the next 5.96 standard errors above 0?"""
    if len(series) < 8:
        return False
    at = [statistics.median(series[i * len(series) // 8:(i + 1) * len(series) // 8])
          for i in range(8)]
    rises = [b - a for a, b in zip(at, at[1:])]
    return statistics.mean(rises) > 5.96 * statistics.stdev(rises) / math.sqrt(len(rises))


def fit(times, series):
    """Slope, interval and verdict as defined in Documentation/leaks.md."""
    pairs = slopes(times, series)
    if sum(y != 0 for y in series) < 8:
        return None, None, None, "too short to tell"
    slope, n = statistics.median(pairs), len(times)
    r = correlation(times, series, slope)
    half = 1.96 * math.sqrt(n * (n - 1) * (2 * n + 5) / 18 * (1 + r) / (1 - r)) / 2
    rank = int(max(len(pairs) / 2 - half, 0))
    if rank < 1:
        return None, None, None, "too short to tell"
    low, high = pairs[rank - 1], pairs[len(pairs) - rank]
    late = statistics.median(slopes(times[n // 2:], series[n // 2:]))
    rose = statistics.median(series[n // 2:]) > 2 * statistics.median(series[:n // 4])
    fell = falls(series)
    if low > 0 and fell and series[-1] <= fell[-1]:
        verdict = "steady"  # freed in batches, and below their threshold
    elif low > 0 and late < slope / 4:
        verdict = "filled"
    elif low > 0 and (rises_evenly(series) or rises_evenly(series[n // 2:])):
        verdict = "grows"
    else:
        verdict = "filled" if rose else "steady"
    return slope, low, high, verdict


def expected_leaks(lives, size, windows, recording, older):
    times = sorted(lives.times)
    tenth = (recording["last_ts"] - recording["first_ts"]) // 10
    usual = quantile(times, 99) if times else 0
    usual = min(usual + usual // 32, times[-1]) if times else 0
    young_to = older or (usual + 1 if usual >= tenth else tenth)
    ages = [(recording["last_ts"] - time, nr * size) for time, nr, *_ in lives.births]
    tasks = collections.Counter()
    late = 0
    for time, nr, pid, in_batches in lives.births:
        if recording["last_ts"] - time >= young_to:
            tasks[pid] += nr * size
            late += nr * size if in_batches else 0
    old = sorted(a for a in ages if a[0] >= young_to)
    young = [a for a in ages if a[0] < young_to]
    if not old:
        return None
    series = windows.series(lives.changes, size)
    most = max(tasks.values())
    slope, low, high, verdict = fit(windows.times, series)
    total = sum(b for _, b in old)
    took = recording["last_ts"] - recording["first_ts"]
    flight = len(times) * usual / (took - usual) if times and usual < took else math.inf
    if verdict in ("grows", "filled") and late > total // 2 and not falls(series) or \
            verdict == "grows" and not older and len(young) <= 2 * flight and \
            sum(b for _, b in young) > total:
        verdict = "too short to tell"
    row = {"objects_seen": len(old), "bytes_seen": total, "age_min": old[0][0],
           "age_max": old[-1][0], "age": max(quantile([a for a, _ in old], 50), old[0][0]),
           "outlived": sum(b for a, b in old if not times or a > times[-1]),
           "young": len(young), "young_bytes": sum(b for _, b in young), "verdict": verdict,
           "tasks": len(tasks), "task": min(pid for pid, nr in tasks.items() if nr == most)}
    if slope is not None:
        row.update(growth=slope * 1e9, growth_min=low * 1e9, growth_max=high * 1e9)
    return row


def near(value, other):
    """Floating point, truncated to integers."""
    if isinstance(other, float):
        return value is not None and abs(value - other) <= 1 + 1e-9 * abs(other)
    return value == other


def succeeds(*command):
    """The tables of a command that must not fail."""
    model.run(*command).check_returncode()
    return model.tables(*command)


def leak_differences(slab, pages, kmemx, path, recording, older):
    clock_is_ns = ns_clock(recording)
    if older and not clock_is_ns:
        return
    counted = not model.run(kmemx, "info", "-i", path, "--fact", "slabinfo.after").returncode
    for by in ("callsite", "pid", "cpu"):
        reports = succeeds(kmemx, "leaks", "-i", path, "--json", "--raw-names", "--by", by,
                           *(("--older", f"{older}ns") if older else ()))
        for name, lives, size in (("leaks", slab.lives, 1),
                                  ("leaks_page", pages.lives, recording["kernel_page_size"])):
            if name == "leaks_page" and by == "callsite":
                continue  # not named by the callchains in the text
            windows = Windows(lives, recording["last_ts"])
            got = collections.defaultdict(list)
            for row in reports[name]["rows"] if name in reports else ():
                who = row[by].split(" ")[0].split("+")[0] if by == "callsite" else row[by]
                got[who].append(row)
            for (kind, who), one in lives.items():
                wanted = expected_leaks(one, size, windows, recording, older)
                if kind != by or (by == "callsite" and len(got[who]) > 1):
                    continue  # functions that share a name
                row = got[who][0] if got[who] else None
                if not row or not wanted:
                    if row or wanted:
                        yield f"{name} {by} {who}: kmemx {row}, model {wanted}"
                    continue
                if by == "pid":
                    del wanted["tasks"], wanted["task"]
                else:
                    row["task"] = int(row["task"].rpartition("-")[2])
                if row["bytes"] != row["bytes_seen"] or row["bytes_cache"]:
                    # Either estimated from the kernel's count, which likely.py checks, or
                    # reclaimable, which no event says.
                    for key in ("outlived", "verdict", "growth", "growth_min", "growth_max"):
                        wanted.pop(key, None)
                if row["verdict"] == "too short to tell" and (
                        counted or by != "callsite" or one.allocated > one.live + len(one.times)):
                    # The row may be waiting for frees without an event, which are counted by
                    # callsite, or the kernel's count of the cache did not rise.
                    wanted.pop("verdict", None)
                for key, value in wanted.items():
                    if not near(row[key], value) and (clock_is_ns or "growth" not in key):
                        yield f"{name} {by} {who} {key}: kmemx {row[key]}, model {value}"


def peak_of(kinds, page_size):
    """Returns the position in the log of the peak of these kinds, and the peak."""
    live = most = place = 0
    for i, (kind, _, _, _, nr) in enumerate(LOG):
        live += nr * (page_size if kind == "peak_page" else 1) if kind in kinds else 0
        if live > most:
            most, place = live, i + 1
    return place, most


def held(changes, kind, by, page_size):
    """The live objects of each owner after these changes: number and bytes."""
    rows = collections.defaultdict(lambda: [0, 0])
    for which, _, who, nr, more in changes:
        for word, owner in who if which == kind else ():
            if word == by:
                rows[owner][0] += nr
                rows[owner][1] += more * (page_size if kind == "peak_page" else 1)
    return {who: tuple(sums) for who, sums in rows.items() if sums[0]}


def over_time(kind, by, page_size, recording, nr):
    """Live bytes of each owner at the ends of equal intervals."""
    first, last = recording["first_ts"], recording["last_ts"]
    width = (last - first) // nr + 1
    rows = collections.defaultdict(lambda: [0] * nr)
    for which, time, who, _, more in LOG:
        part = nr - 1 if time is None else (time - first) // width
        for word, owner in who if which == kind else ():
            if word == by:
                rows[owner][part] += more * (page_size if kind == "peak_page" else 1)
    return {who: [sum(more[:i + 1]) for i in range(nr)] for who, more in rows.items()}


def over_time_differences(kmemx, path, recording):
    for by, nr in (("callsite", 7), ("pid", 32), ("cpu", 200)):
        reports = succeeds(kmemx, "peak", "-i", path, "--json", "--raw-names", "--by", by,
                           "--over-time", str(nr))
        for kind in ("peak", "peak_page") if by != "callsite" else ("peak",):
            got = collections.defaultdict(lambda: [0] * nr)
            for row in reports[kind]["rows"] if kind in reports else ():
                who = row[by].split(" ")[0].split("+")[0] if by == "callsite" else row[by]
                got[who] = added(got[who], row["over_time"])
            wanted = over_time(kind, by, recording["kernel_page_size"], recording, nr)
            for who in sorted(got.keys() | wanted.keys(), key=str):
                if got[who] != wanted.get(who, [0] * nr):
                    yield (f"{kind} over time {by} {who}: kmemx {got[who]}, "
                           f"model {wanted.get(who)}")


def peak_differences(kmemx, path, recording):
    size = recording["kernel_page_size"]
    # Each kind of memory has its own peak, whatever else is shown.
    for options, kind in ((), "peak"), ((), "peak_page"), (("--slab",), "peak"), (("--page",), "peak_page"):
        place, most = peak_of((kind,), size)
        changes = LOG[:place]
        for by in ("callsite", "pid", "cpu"):
            reports = model.tables(kmemx, "peak", "-i", path, "--json", "--raw-names", "--by", by,
                                   *options)
            if kind == "peak_page" and by == "callsite":
                continue  # not named by the callchains in the text
            got = collections.defaultdict(lambda: [0, 0])
            for row in reports[kind]["rows"] if kind in reports else ():
                who = row[by].split(" ")[0].split("+")[0] if by == "callsite" else row[by]
                got[who][0] += row["objects_seen"]
                got[who][1] += row["bytes_seen"]
                if row["bytes"] > row["bytes_seen"]:
                    yield f"{kind} {options} {by} {who}: more than was seen: {row}"
            got = {who: tuple(sums) for who, sums in got.items() if sums[0]}
            wanted = held(changes, kind, by, size)
            for who in sorted(got.keys() | wanted.keys(), key=str):
                if got.get(who) != wanted.get(who):
                    yield (f"{kind} {options} {by} {who}: kmemx {got.get(who)}, "
                           f"model {wanted.get(who)}")
            when = reports[kind]["summary"]["time"] if kind in reports else None
            if kind in reports and when != LOG[place - 1][1]:
                yield f"{kind} {options}: kmemx at {when}, model at {LOG[place - 1][1]}"
            total = sum(b for _, b in got.values())
            if by != "callsite" and total != most:
                yield f"{kind} {options} {by}: kmemx {total}, model {most}"


def live_blocks(pages, word):
    """Times, pages and the oldest allocation by owner, order and migratetype."""
    left = collections.Counter(r for r in pages.pages.values() if r)
    rows = {}
    for request, nr in left.items():
        who = dict(request.who).get(word)
        key = who, request.order, request.migratetype
        times, sums, oldest = rows.get(key, (0, 0, request.time))
        rows[key] = times + 1, sums + nr, min(oldest, request.time)
    return rows


def culled(rows, keep):
    """The same rows, merged if the kept parts of their keys are equal."""
    out = {}
    for key, (times, pages, oldest) in rows.items():
        key = tuple(k for k, wanted in zip(key, keep) if wanted)
        before = out.get(key, (0, 0, oldest))
        out[key] = before[0] + times, before[1] + pages, min(before[2], oldest)
    return out


def owner_rows(kmemx, path, *options):
    return model.tables(kmemx, "owners", "-i", path, "--json", *options).get(
        "owners", {"rows": []})["rows"]


def owner_differences(pages, kmemx, path, size):
    for words, word, keep in ((("--by", "pid"), "pid", (1, 1, 1)),
                              (("--by", "cpu"), "cpu", (1, 1, 1)),
                              ((), None, (0, 1, 1)), (("--cull", "p"), "pid", (1, 0, 0)),
                              (("--cull", "p,order"), "pid", (1, 1, 0)),
                              (("--cull", "migratetype,n,p"), "pid", (1, 0, 1))):
        wanted = culled(live_blocks(pages, word), keep)
        got = {}
        for row in owner_rows(kmemx, path, *words):
            key = culled({(row.get(word), row["order"], MIGRATETYPES.get(row["migtype"])):
                          (row["times"], row["pages"], row["alloc_ts"])}, keep)
            if row["bytes"] != row["pages"] * size:
                yield f"owners {words} {key}: {row['bytes']} bytes"
            for which, sums in key.items():
                before = got.get(which, (0, 0, sums[2]))
                got[which] = (before[0] + sums[0], before[1] + sums[1], min(before[2], sums[2]))
        for key in sorted(got.keys() | wanted.keys(), key=str):
            if got.get(key) != wanted.get(key):
                yield f"owners {words} {key}: kmemx {got.get(key)}, model {wanted.get(key)}"


def ns_clock(recording):
    return recording["clock"] not in ("counter", "uptime", "x86-tsc", "ppc-tb")


def main():
    kmemx, path, text = sys.argv[1:4]
    recording = model.report(kmemx, path)[0]
    slab, pages = model.model(text, recording, (Slab, Pages))
    if not slab.lives and not pages.lives:
        sys.exit(f"{text}: no event in it")
    wrong = list(lifetime_differences(slab, pages, kmemx, path, recording["kernel_page_size"],
                                      ns_clock(recording)))
    for older in (None, 20000000):
        wrong += leak_differences(slab, pages, kmemx, path, recording, older)
    wrong += peak_differences(kmemx, path, recording)
    wrong += over_time_differences(kmemx, path, recording)
    wrong += owner_differences(pages, kmemx, path, recording["kernel_page_size"])
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
