#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures how often the intervals of a sample contain the true value (Documentation/sampling.md).

usage: sample.py KMEMX N[:PARTS] RECORDING...

Divides each recording into its N samples with kmemx split --sample, or takes PARTS of them. For
each callsite, callchain, cache, task, task name and CPU, compares the allocated and the live bytes
that kmemx stat gives for a sample with those of the whole recording, by class of hits in the
sample, without what every sample contains; likewise the live bytes of kmemx export's rows. For a
row that is missing from the sample, compares the whole with the amount that the sample says such a
row may have. Also compares the estimates of allocated bytes with those of a separate model, and the
values of leaks, owners, peak and stat --lifetime for a sample with stat. kmemx diff of the whole
and a sample must find no change.

Prints a table for each kind of row: how many intervals there are, how many contain the true value,
and the geometric mean of their widths relative to the true value. Exit 1 if an estimate differs, if
an interval has no width though something may be missing, or if the intervals of a class contain the
true value in less than 94 % of cases, beyond chance: two standard errors, where all rows of a
sample count as one draw, because they miss the same addresses.
"""
import collections
import functools
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import zlib

ALLOCS = {"kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node"}
CERTAIN = -1
CLASSES = ("no row", "no row, though a tenth of all bytes", "0", "1-2", "3-9", "10-99", "100+",
           "all rows together")
TOTALS = {"slab": ("bytes_allocated", "bytes_net"), "page": ("bytes", "bytes_live")}
FIGURES = ("slab", "slab, live", "pages", "pages, live")
KEYS = ("callsite", "stack", "cache", "pid", "comm", "cpu")
ROW = "row of kmemx export"
EXPORTED = ("allocator", "stack", "entry", "comm", "process", "cgroup", "cache", "order", "migratetype",
            "gfp")
LEAST = 0.94
DRAWS = 8  # fewer samples say nothing
BLOCK_ORDER = 4  # blocks of this order or more are always recorded


@functools.lru_cache(None)
def gamma_below(a, x):
    """The probability that a gamma variable of shape a is below x."""
    if a > 50:
        c = 1 / (9 * a)
        return statistics.NormalDist().cdf(((x / a) ** (1 / 3) - 1 + c) / math.sqrt(c))
    if x > 500:
        return 1
    term = total = 1 / a
    i = 1
    while term > total * 1e-15:
        term *= x / (a + i)
        total += term
        i += 1
    return total * math.exp(a * math.log(x) - x - math.lgamma(a))


def solve(below, part, high):
    """Finds where the increasing function "below" has the value "part"."""
    low = 0
    while below(high) < part:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < part else (low, middle)
    return high


def upper_end(y, v, w):
    """The mid-P gamma interval of M. P. Fay and S. Kim, 2017."""
    def below(x):
        seen = gamma_below(y * y / v, x * y / v) if v else 1
        return (seen + gamma_below((y + w) ** 2 / (v + w * w), x * (y + w) / (v + w * w))) / 2
    return solve(below, 0.975, y + w)


@functools.lru_cache(None)
def lower_units(a):
    """The mean at which a Poisson variable, given that it is not 0, is at least a in 2.5 % of
    cases, counting a itself half.
    """
    def above(x):
        return (gamma_below(a, x) + gamma_below(a + 1, x)) / 2 / -math.expm1(-x)
    return solve(above, 0.025, a) if a >= 1.05 else 0


def weights_of(units):
    return [size for unit, size in units.items() if unit != CERTAIN and size]


class Unseen:
    """Models what units outside the sample weigh: a random-effects model of the logarithms of those
    inside, over all rows of a table. deviations: how many standard errors are added; alone: in
    times the heaviest unit, in a table of few rows.
    """
    def __init__(self, rows, deviations, alone):
        self.deviations, self.alone = deviations, alone
        logs = [[math.log(size) for size in row] for row in map(weights_of, rows) if row]
        means = [statistics.fmean(row) for row in logs]
        squares = sum((x - mean) ** 2 for row, mean in zip(logs, means) for x in row)
        self.rows = len(logs)
        self.within = (squares + 8 * 0.25) / (sum(len(row) - 1 for row in logs) + 8)
        self.mean = statistics.fmean(means) if means else 0
        self.between = max(0.1, self.within / 4, sum(
            (mean - self.mean) ** 2 - self.within / len(row) for row, mean in zip(logs, means)
        ) / (len(logs) - 1)) if len(logs) > 1 else 0

    def heaviest(self, weights):
        """The heaviest unit outside the sample, for a row with these weights."""
        least = (self.alone if self.rows < 4 else 1) * max(weights)
        if self.rows < 2:
            return least
        variance = 1 / (len(weights) / self.within + 1 / self.between)
        mean = variance * (sum(map(math.log, weights)) / self.within + self.mean / self.between)
        return max(least, math.exp(mean + self.deviations * math.sqrt(variance) + self.within / 2))


def estimate(units, n, unseen, heaviest):
    """Bytes of a sample's units: the estimate of all, its minimum and its maximum. heaviest: unit
    of any row.
    """
    certain, weights = units[CERTAIN], weights_of(units)
    if not weights:
        return certain, certain, certain + upper_end(0, 0, unseen.alone * n * heaviest)
    seen = sum(weights)
    y, v = n * seen, sum((n * x) ** 2 for x in weights)
    low = v / y * lower_units(y * y / v)
    high = upper_end(y, v, n * unseen.heaviest(weights))
    return y + certain, max(low, seen) + certain, max(high, y) + certain


def output(kmemx, *argv):
    return subprocess.run([kmemx, *argv], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def allocated(kmemx, path, page_size):
    """Slab callsite -> unit -> bytes; and all pages -> unit -> bytes."""
    rows = collections.defaultdict(collections.Counter)
    for line in output(kmemx, "script", "-i", path, "--json").splitlines():
        event = json.loads(line)
        name, fields = event.get("event"), event.get("fields", {})
        if name in ALLOCS and int(fields["ptr"], 16):
            address, row = int(fields["ptr"], 16), event["fields"]["call_site"]
            unit = address // (8 * page_size) if address % (16 * page_size) else CERTAIN
            rows[row][unit] += fields["bytes_alloc"]
        elif name == "mm_page_alloc" and fields.get("pfn") is not None:
            pfn = int(str(fields["pfn"]), 0)
            if pfn in (-1, 0xffffffff, 0xffffffffffffffff):  # failed allocation
                continue
            unit = pfn >> 3 if fields["order"] < 4 else CERTAIN
            rows["pages"][unit] += page_size << fields["order"]
    return rows


def reported(kmemx, path, key, *more):
    """{row: row of the table} of slab objects and of pages; and all that kmemx said."""
    tables = {"slab": {}, "page": {}}
    kinds = ("--slab",) if key == "cache" else ("--slab", "--page")
    told = json.loads(output(kmemx, "stat", "-i", path, *kinds, "--by", key, "--json", "--raw-ip",
                             *more))
    for report in told["reports"]:
        report["name"] = report["name"].replace("slab_cache", "slab")
        for row in report["rows"] if report["name"] in tables else []:
            names = (key, "order", "migtype", "gfp")
            tables[report["name"]][tuple(str(row.get(name)) for name in names)] = row
    return tables, told


def rows_of(kmemx, name, *argv):
    """{callsite: [bytes, least, most]} of table "name"; rows of one callsite are added up."""
    rows = collections.defaultdict(lambda: [0, 0, 0])
    told = json.loads(output(kmemx, *argv, "--json"))
    for report in told["reports"]:
        for row in report["rows"] if report["name"] == name else []:
            if row.get("young_bytes"):  # in flight: leaks lists them separately
                continue
            for i, key in enumerate(("bytes", "bytes_low", "bytes_high")):
                rows[row["callsite"]][i] += row[key]
    return {row: figures for row, figures in rows.items() if figures[0]}


def disagree(kmemx, path):
    """Lists where live bytes of other commands differ from stat's."""
    stat = ("stat", "-i", path, "--slab", "--page", "--caller", "--raw-ip", "--live")
    others = {
        "leaks": ("leaks", "-i", path, "--raw-ip", "--older", "1ns"),
        "peak": ("peak", "-i", path, "--raw-ip", "--at", "100%"),
        "owners": ("owners", "-i", path, "--by", "callsite", "--raw-ip"),
    }
    for kind, more in (("slab", ""), ("page", "_page")):
        wanted = rows_of(kmemx, kind, *stat)
        for command, argv in others.items():
            table = command if command == "owners" else command + more
            if not wanted or (command == "owners" and kind == "slab"):
                continue
            found = rows_of(kmemx, table, *argv)
            # leaks lists the last event's allocation separately, as too young. If a row is in only
            # one table, the upper ends of the others differ, as they depend on all rows.
            same = found.keys() == wanted.keys()
            for row, figures in wanted.items():
                # Rows of pages in stat are by more than the callsite, and intervals do not add up.
                nr = 1 if kind == "page" else 3 if same else 2
                if found.pop(row, figures)[:nr] != figures[:nr]:
                    return f"{path}: kmemx {command}: {row} is not {figures}"
            if found:
                return f"{path}: kmemx {command} has {found}, too"
    return ""


def narrow(kmemx, path):
    """Lists rows whose interval has no width, though part of them may be missing."""
    for argv in (("stat", "--slab", "--page"), ("stat", "--slab", "--page", "--live"),
                 ("stat", "--account"), ("stat", "--lifetime"), ("leaks",), ("peak",),
                 ("owners", "--by", "callsite")):
        told = subprocess.run([kmemx, *argv, "-i", path, "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        if told.returncode > 1:  # 1: no such events
            raise SystemExit(f"{path}: {' '.join(argv)}: exit {told.returncode}")
        for report in json.loads(told.stdout or "{}").get("reports", ()):
            for row in report["rows"]:
                if report["name"] == "page" and row["order"] >= BLOCK_ORDER and len(argv) == 3:
                    continue  # known exactly
                for low, high in (("bytes_low", "bytes_high"), ("freed_low", "freed_high"),
                                  ("growth_min", "growth_max")):
                    if row.get(low) is not None and not row[low] < row[high]:
                        return f"{path}: {' '.join(argv)}: {low} is {high} in {row}"
    return ""


def changes(kmemx, whole, part):
    """Returns the number of rows with at least 2 % of all bytes, and how many of them kmemx diff
    considers changed between the whole and a sample of it. Changes must never be certain.
    """
    rows = changed = 0
    told = json.loads(output(kmemx, "diff", whole, part, "--all", "--json"))
    for report in told["reports"]:
        if report["name"] not in ("slab", "page"):
            continue
        total = sum(row["bytes_old"] for row in report["rows"])
        for row in report["rows"]:
            if 0 in (row["bytes_uncertainty"], row["hit_uncertainty"]):
                raise SystemExit(f"{part}: diff: no uncertainty in {row}")
            if row["bytes_old"] < total / 50 or row["bytes_uncertainty"] is None:
                continue  # None: events were lost, any change is possible
            rows += 1
            changed += abs(row["bytes_delta"]) > row["bytes_uncertainty"]
    return rows, changed


def differs(kmemx, path, n, tables, summary):
    """Lists kmemx's estimates that differ from the model's."""
    page_size = json.loads(output(kmemx, "info", "--json", path))["kernel_page_size"]
    rows = allocated(kmemx, path, page_size)
    ends = ("bytes", "bytes_low", "bytes_high")
    found = {row[0]: [figures[end] for end in ends] for row, figures in tables["slab"].items()}
    found["pages"] = [summary.get("page", {}).get(end, 0) for end in ends]
    weights = {table: [size for row, units in rows.items() for unit, size in units.items()
                       if unit != CERTAIN and (row == "pages") == (table == "page")]
               for table in ("slab", "page")}
    unseen = {table: Unseen([units for row, units in rows.items()
                             if (row == "pages") == (table == "page")], *rule)
              for table, rule in (("slab", (2, 32)), ("page", (0, 3)))}
    for row, units in rows.items():
        table = "page" if row == "pages" else "slab"
        heaviest = max(weights[table], default=8 * page_size)
        wanted = estimate(units, n, unseen[table], heaviest)
        if row in found and any(abs(a - b) > 1 + 1e-6 * b for a, b in zip(found[row], wanted)):
            return f"{path}: {row}: {found[row]} and not {wanted}"
        if row not in found:
            return f"{path}: {row} is missing"
    return ""


def hits_class(hits):
    return next(name for name, end in zip(CLASSES[2:], (1, 3, 10, 100, math.inf)) if hits < end)


class Cell:
    """Intervals of one class: by sample, how many there are and how many contain the true value."""
    def __init__(self):
        self.draws = collections.defaultdict(lambda: [0, 0])
        self.widths = []

    def add(self, draw, low, truth, high):
        self.draws[draw][0] += 1
        self.draws[draw][1] += low <= truth <= high
        self.widths.append(math.log((high - low) / truth) if low < high else -math.inf)

    def sums(self):
        return [sum(draw[i] for draw in self.draws.values()) for i in (0, 1)]

    def error(self):
        """The standard error of the share, a ratio of sums over samples (W. G. Cochran, Sampling
        techniques, 1977, 6.4); no less than that of as many draws of one row.
        """
        (nr, inside), draws = self.sums(), len(self.draws)
        apart = sum((held - inside / nr * of) ** 2 for of, held in self.draws.values())
        return max(math.sqrt(apart * draws / max(draws - 1, 1)) / nr,
                   math.sqrt(LEAST * (1 - LEAST) / nr))

    def too_low(self):
        nr, inside = self.sums()
        return len(self.draws) >= DRAWS and inside < nr * (LEAST - 2 * self.error())

    def __str__(self):
        nr, inside = self.sums()
        known = [width for width in self.widths if width > -math.inf]
        width = f", {math.exp(statistics.fmean(known)):.2g}" if known else ""
        return f"{inside / nr:.1%} of {nr}{width}".replace("%", " %")


def measure(cells, draw, truths, told, plain, live):
    """Adds the intervals of a sample to the cells. "told": of the sample; "plain": without
    estimates.
    """
    tables, all_told = told
    for kind, rows in truths.items():
        figure = FIGURES[2 * (kind == "page") + live]
        summary = next((report["summary"] for report in all_told["reports"]
                        if report["name"] == kind), None)
        # A sample's intervals are those of the live memory seen, not of the best estimate.
        seen = "net" if live else "bytes"
        total = sum(row[seen] for row in rows.values())
        if summary is None or not total:
            continue
        name = TOTALS[kind][live]
        cells[figure, CLASSES[-1]].add(draw, summary[name + "_low"], total,
                                       summary[name + "_high"])
        for key, whole in rows.items():
            row = tables[kind].get(key)
            if not whole[seen]:
                continue
            if row is None:
                cells[figure, CLASSES[whole[seen] >= total / 10]].add(
                    draw, 0, whole[seen], summary["bytes_missing"])
            else:
                hits = plain[kind][key]["hit"] if row["one_block"] is not None else 0
                cells[figure, hits_class(hits)].add(draw, row["bytes_low"], whole[seen],
                                                    row["bytes_high"])


def exported(kmemx, path):
    """{row of kmemx export: [live allocations, live bytes, least, most]}"""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for line in output(kmemx, "export", "-i", path, "--format", "ndjson").splitlines():
        row = json.loads(line)
        figures = rows[tuple(str(row.get(name)) for name in EXPORTED)]
        for i, name in enumerate(("live", "bytes_live", "net_min", "net_max")):
            figures[i] += row[name]
    return rows


def measure_exported(cells, draw, n, whole, part):
    """Adds the intervals of a sample's exported rows to the cells."""
    figures = {"slab": "slab, live", "page": "pages, live"}
    for key, (live, _, least, most) in part.items():
        truth = whole[key][1] if key in whole else 0
        if truth and key[0] in figures:
            cells[figures[key[0]], hits_class(live)].add(draw, least * n, truth, most * n)


def print_table(key, cells):
    print(f"\n| by {key}: hits of the row in the sample | " + " | ".join(FIGURES) + " |")
    print("|---" * (len(FIGURES) + 1) + "|")
    for name in CLASSES:
        print(f"| {name} | " + " | ".join(
            str(cells[figure, name]) if (figure, name) in cells else "-"
            for figure in FIGURES) + " |")


def compare(kmemx, path, n, parts, cells):
    """Adds a recording's samples to the cells. Returns what is wrong with a sample, how many rows
    kmemx diff compares, and how many of them it considers changed.
    """
    wrong, compared, changed = "", 0, 0
    lives = ((), ("--live",))
    wholes = {key: [reported(kmemx, path, key, *more)[0] for more in lives] for key in KEYS}
    whole = exported(kmemx, path)
    with tempfile.TemporaryDirectory() as place:
        part_path = os.path.join(place, "part.dat")
        first = zlib.crc32(os.path.basename(path).encode())
        for part in ((first + i) % n for i in range(parts)):
            output(kmemx, "split", path, "--sample", f"{n},{part}", "-o", part_path)
            wrong = wrong or disagree(kmemx, part_path) or narrow(kmemx, part_path)
            rows, others = changes(kmemx, path, part_path)
            compared += rows
            changed += others
            measure_exported(cells[ROW], (path, part), n, whole,
                             exported(kmemx, part_path))
            for key, live in itertools.product(KEYS, (False, True)):
                told = reported(kmemx, part_path, key, *lives[live])
                plain = reported(kmemx, part_path, key, "--unscaled", *lives[live])[0]
                if key == "callsite" and not live:
                    sums = {r["name"]: r.get("summary") or {} for r in told[1]["reports"]}
                    wrong = wrong or differs(kmemx, part_path, n, told[0], sums)
                measure(cells[key], (path, part), wholes[key][live], told, plain, live)
    return wrong, compared, changed


def main():
    kmemx, (n, *parts), wrong = sys.argv[1], map(int, sys.argv[2].split(":")), ""
    cells = {key: collections.defaultdict(Cell) for key in (*KEYS, ROW)}
    compared = changed = 0
    for path in sys.argv[3:]:
        found, rows, others = compare(kmemx, path, n, parts[0] if parts else n, cells)
        wrong = wrong or found
        compared += rows
        changed += others
    for key in cells:
        print_table(key, cells[key])
    print(f"of {compared} rows kmemx diff takes {changed} for changed {wrong}")
    low = [f"by {key}: {figure}, {name}" for key in cells
           for (figure, name), cell in cells[key].items() if cell.too_low()]
    if low:
        print(f"held less often than they say: {'; '.join(low)}")
    return bool(wrong or low) or changed > compared * 0.05


if __name__ == "__main__":
    sys.exit(main())
