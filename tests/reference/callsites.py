#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the totals of callsites in all views and in all export formats.

usage: callsites.py KMEMX RECORDING...

Rows by callsite must have the same totals as the slab events themselves by call_site. So must
callchains by their first function: rows, trees, exports, the page of kmemx report, queries; and
leaks, for live objects. Prints what differs, and how many totals were equal; exit 1 if anything
differs.
"""
import collections
import csv
import functools
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tempfile

import exports
import report

# Parts that a compiler splits off a function count as that function.
MADE = r"(\.(isra|constprop|part|cold|llvm|lto_priv)[.\w]*|_noprof)*"
NO_STACK = "[no stack]"
PAGE = 4096  # objects that are allocated in bulk are smaller
TABLES = "slab", "page", "slab_tree", "page_tree", "leaks", "leaks_page"


@functools.lru_cache(None)
def plain(name):
    """Removes the offset that rows of functions with the same name have."""
    return "[unknown]" if name == NO_STACK else re.sub(r"\+0x[0-9a-f]+", "", name)


def leaf(frames):
    """The innermost function; a page without a callchain has none."""
    return plain(frames[1] if frames[0] == NO_STACK and len(frames) > 1 else frames[0])


def folded(output):
    for line in output.decode().splitlines():
        stack, value = line.rsplit(" ", 1)
        frames = stack.split(";")
        yield frames[0], frames[:0:-1], int(value)


def rows_of(rows):
    """The callsite of a row is the first function of its callchain."""
    for row in rows:
        if leaf([row["callsite"]]) != leaf(row["stack"].split(";")):
            raise ValueError(f"{row['callsite']}, not the first of {row['stack']}")
        yield row["allocator"], [row["callsite"]], int(row["bytes"])


def ndjson(output):
    return rows_of(map(json.loads, output.decode().splitlines()))


def read_csv(output):
    return rows_of(csv.DictReader(io.StringIO(output.decode())))


def parquet(output):
    size = int.from_bytes(output[-8:-4], "little")
    file, _ = exports.thrift(output[:-8], len(output) - 8 - size)
    names = [element[4].decode() for element in file[2][1:]]
    for group in file[4]:
        columns = [exports.parquet_column(output, chunk[3], element)
                   for chunk, element in zip(group[1], file[2][1:])]
        yield from rows_of(dict(zip(names, values)) for values in zip(*columns))


def pprof(output):
    profile = exports.by_number(gzip.decompress(output))
    strings = [text.decode() for text in profile[6]]
    functions = {f[1][0]: strings[f[2][0]] for f in map(exports.by_number, profile[5])}
    places = {p[1][0]: functions[exports.by_number(p[4][0])[1][0]]
              for p in map(exports.by_number, profile[4])}
    kinds = [strings[exports.by_number(kind)[1][0]] for kind in profile[1]]
    for sample in map(exports.by_number, profile[2]):
        yield (exports.label_of(sample, strings, "allocator"),
               [places[number] for number in exports.packed(sample[1][0])],
               list(exports.packed(sample[2][0]))[kinds.index("alloc_space")])


def speedscope(output):
    file = json.loads(output)
    names = [frame["name"] for frame in file["shared"]["frames"]]
    for profile in file["profiles"]:
        if profile["name"] == "allocated bytes":
            for sample, weight in zip(profile["samples"], profile["weights"]):
                yield names[sample[0]], [names[i] for i in sample[:0:-1]], weight


def dhat(output):
    file = json.loads(output)
    for point in file["pps"]:
        frames = [file["ftbl"][i] for i in point["fs"]]
        yield frames[-1], frames[:-1], point["tb"]


def openmetrics(output):
    for allocator, site, value in re.findall(
            r'^kmemx_alloc_bytes_total\{allocator="(\w+)",callsite="([^"]*)"\} (\d+)',
            output.decode(), re.M):
        yield allocator, [site], int(value)


def heaptrack(output):
    strings, frames, chains, infos = [""], [""], [[]], []
    for line in exports.unzstd(output).decode().splitlines():
        letter, _, rest = line.partition(" ")
        words = rest.split(" ")
        if letter == "s":
            strings.append(rest.split(" ", 1)[1])
        elif letter == "i":
            frames.append(strings[int(words[2], 16)])
        elif letter == "t":
            chains.append([frames[int(words[0], 16)]] + chains[int(words[1], 16)])
        elif letter == "a":
            infos.append((chains[int(words[1], 16)], int(words[0], 16)))
        elif letter == "+":
            chain, size = infos[int(rest, 16)]
            yield chain[-1], chain[:-1], size


def firefox(output):
    file = json.loads(output)
    strings, thread = file["shared"]["stringArray"], file["threads"][0]
    table, chains = thread["stackTable"], []
    for frame, prefix in zip(table["frame"], table["prefix"]):
        name = strings[thread["funcTable"]["name"][thread["frameTable"]["func"][frame]]]
        chains.append([name] + ([] if prefix is None else chains[prefix]))
    samples = thread["nativeAllocations"]
    for weight, stack in zip(samples["weight"], samples["stack"]):
        if weight > 0:
            yield chains[stack][-1], chains[stack][:-1], weight


READERS = {"folded": folded, "pprof": pprof, "speedscope": speedscope, "dhat": dhat,
           "heaptrack": heaptrack, "firefox": firefox, "openmetrics": openmetrics,
           "prometheus": openmetrics, "ndjson": ndjson, "csv": read_csv, "parquet": parquet}
# Formats without callsites.
NONE = {"chrome"}


class Callsites:
    """Checks one recording."""

    def __init__(self, kmemx, path):
        self.kmemx, self.path = kmemx, path
        self.wrong, self.equal = [], 0

    def run(self, *argv):
        run = subprocess.run([self.kmemx, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             check=False)
        if run.returncode:
            self.wrong.append(f"{argv}: {run.returncode}: {run.stderr.decode()}")
        return run.stdout

    def tables(self, command, *options):
        output = self.run(command, "-i", self.path, "--json", "-l", "all", *options)
        for table in json.loads(output)["reports"] if output else []:
            if table["name"] in TABLES:
                yield "page" if "page" in table["name"] else "slab", table

    def same(self, what, want, got):
        """Compares the totals with the expected ones."""
        sums = collections.Counter()
        for allocator, frames, size in got:
            sums[allocator, leaf(frames)] += size
        self.equal += len(+want)
        if +sums != +want:
            self.wrong.append(f"{what}: {dict(sums - want)} more, {dict(want - sums)} less")

    def rows(self, command, *options):
        """Bytes of all allocations, or those seen live."""
        figure = "net" if "--live" in options else "bytes"
        for allocator, table in self.tables(command, *options):
            for row in table["rows"]:
                yield (allocator, (row.get("stack") or row["callsite"]).split(";"),
                       row[figure] or 0)

    def roots(self):
        """The functions that allocate; without recorded callchains there is no tree."""
        for allocator, table in self.tables("stat", "--slab", "--page", "--tree=callee",
                                            "--min-share", "0", "--depth", "1"):
            for row in table["rows"]:
                if row["depth"] == 0:
                    yield allocator, [row["function"]], row["bytes"]

    def leaks(self, by, live):
        """Live bytes seen, without rows in which all objects are young enough to be in flight."""
        got, young = collections.Counter(), 0
        for allocator, table in self.tables("leaks", "--by", by):
            young += table["summary"]["bytes_seen"]
            for row in table["rows"]:
                young -= row["bytes_seen"] + row["young_bytes"]
                frames = (row.get("stack") or row["callsite"]).split(";")
                got[allocator, leaf(frames)] += row["bytes_seen"] + row["young_bytes"]
        left = live - got
        if got - live or sum(left.values()) != young:
            self.wrong.append(f"leaks by {by}: {dict(got - live)} more; {dict(left)} less, {young}")
        self.equal += len(got)

    def events(self):
        """Sums from the events alone, as script prints them, without bulk allocations, whose events
        have no size.
        """
        sums = collections.Counter()
        for line in self.run("script", "-i", self.path, "--json").splitlines():
            if b'"bytes_alloc"' in line:
                event = json.loads(line)
                if event["system"] == "kmem" and int(event["fields"]["ptr"], 16):
                    sums[event["callsite"]] += event["fields"]["bytes_alloc"]
        for name, size in sums.items():
            yield "slab", [re.sub(MADE + r"\+.*?( \[|$)", r"\3", name)], size

    def bulk(self, slabs, events):
        """What the events of callsites lack, if their bulk allocations can account for it."""
        alone = collections.Counter()
        for allocator, frames, size in events:
            alone[allocator, leaf(frames)] += size
        nr = sum(table["summary"].get("allocs_bulk", 0) for _, table in self.tables("stat", "--slab"))
        lacks = slabs - alone
        return lacks if sum(lacks.values()) <= nr * PAGE else collections.Counter()

    def page(self):
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "page.html")
            self.run("report", self.path, "-o", path)
            data = report.load(path)
        for allocator, kind in ("slab", report.SLAB), ("page", report.PAGE):
            rows = report.sums(data, 0, data["time"]["bins"] - 1, kind, lambda row: row)
            for row, figures in rows.items():
                chain = report.chain(data, data["rows"]["node"][row])
                yield allocator, chain.split(";"), figures[1]

    def queried(self):
        output = self.run("query", self.path, "--json", "-l", "all",
                          "SELECT allocator, substr(stack, 1, instr(stack || ';', ';') - 1) AS "
                          "callsite, sum(bytes) AS bytes FROM allocations GROUP BY 1, 2")
        for row in json.loads(output)["reports"][0]["rows"] if output else []:
            yield row["allocator"], [row["callsite"]], row["bytes"]

    def exported(self, want):
        formats = self.run("export", "--format", "help").decode()
        for name in set(re.findall(r"^(\w+)", formats, re.M)) - NONE:
            lines = ("-l", "all") if READERS[name] == openmetrics else ()
            output = self.run("export", "-i", self.path, "--format", name, *lines)
            self.same(name, want, READERS[name](output) if output else ())

    def check(self):
        want, live = collections.Counter(), collections.Counter()
        for sums, options in (want, ()), (live, ("--live",)):
            for allocator, frames, size in self.rows("stat", "--slab", "--page", *options):
                sums[allocator, leaf(frames)] += size
        slabs = collections.Counter({key: size for key, size in want.items() if key[0] == "slab"})
        events = list(self.events())
        self.same("events", slabs - self.bulk(slabs, events), events)
        self.same("by stack", want, self.rows("stat", "--slab", "--page", "--by", "stack"))
        self.same("by stack, live", live,
                  self.rows("stat", "--slab", "--page", "--by", "stack", "--live"))
        trees = list(self.roots())
        for allocator, sums in ("slab", slabs), ("page", want - slabs):
            roots = [root for root in trees if root[0] == allocator]
            if [root[1] for root in roots] != [[NO_STACK]]:
                self.same(f"tree of {allocator}s", sums, roots)
        self.same("report", want, self.page())
        self.same("query", want, self.queried())
        for by in "callsite", "stack":
            self.leaks(by, live)
        self.exported(want)
        return bool(want)


def main():
    wrong = equal = 0
    for path in sys.argv[2:]:
        callsites = Callsites(sys.argv[1], path)
        if not callsites.check():
            callsites.wrong.append("nothing was compared")
        for text in callsites.wrong:
            print(f"{path}: {text}")
        wrong += len(callsites.wrong)
        equal += callsites.equal
    print(f"{equal} totals are equal")
    return bool(wrong) or not equal


if __name__ == "__main__":
    sys.exit(main())
