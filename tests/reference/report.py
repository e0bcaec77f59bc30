#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares the numbers on a page of kmemx report with the output of stat and peak for the same time.
In: a kmemx, a recording. Out: what differs, and how much was compared; exit 1 on a difference.

Reads the data as web/report/data.js does.

usage: report.py KMEMX RECORDING
"""
import base64
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

SLAB, PAGE, VMALLOC, PERCPU = range(4)
OPTIONS = ("--slab", "--page", "--vmalloc", "--percpu-memory")


def unpacked(page, name):
    """The content of an element, as bytes."""
    kind, text = re.search(f'<script type="([^"]*)" id="{name}">([^<]*)</script>', page).groups()
    packed = base64.b64decode(text, validate=True)
    return zlib.decompress(packed) if kind == "application/zlib" else packed


def load(path):
    """The JSON of the page, with its columns."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    data, at = json.loads(unpacked(page, "data")), 0
    if "columns" not in data:  # two recordings
        return data
    columns = unpacked(page, "columns")
    for group, name, _ in data["columns"]:
        number, kind = struct.unpack_from("<II", columns, at)
        form = f"<{number}{'BHIbhid'[kind]}"
        # "names" are texts themselves.
        group = "names_columns" if group == "names" else group
        data.setdefault(group, {})[name] = struct.unpack_from(form, columns, at + 8)
        at += 8 + (struct.calcsize(form) + 7) // 8 * 8
    if at != len(columns):
        raise ValueError(f"{len(columns)} bytes of columns, of which {at} are read")
    return data


def cells(data):
    """(row, bin, hit, bytes, waste, net) of each cell."""
    if "listed" in data:
        return data["listed"]
    listed = data["listed"] = []
    nothing = [0] * sum(data["rows"]["cells"])
    figures = {name: figure or nothing for name, figure in data["cells"].items()}
    at = 0
    for row, number in enumerate(data["rows"]["cells"]):
        for i in range(at, at + number):
            size = figures["bytes"][i] + figures["hit"][i] * data["rows"]["unit"][row]
            listed.append((row, figures["bin"][i], figures["hit"][i], size, figures["waste"][i],
                           figures["net"][i]))
        at += number
    return listed


def bounds(data, first, last):
    """The argument of --time for these bins."""
    time = data["time"]
    begin = int(time["first"]) + first * int(time["width"])
    end = int(time["first"]) + (last + 1) * int(time["width"]) - 1
    if last == time["bins"] - 1:
        end = max(end, int(time["last"]))
    if not time["ns"]:
        return str(begin), str(end)
    return tuple(f"{t // 10**9}.{t % 10**9:09}" for t in (begin, end))


def chain(data, node):
    """The callchain of a row."""
    names = []
    while True:
        names.append(data["names"][data["nodes"]["name"][node]])
        if not data["nodes"]["up"][node]:
            return ";".join(reversed(names))
        node -= data["nodes"]["up"][node]


def sums(data, first, last, kind, key):
    """Sums by key(row): hit, bytes and waste in the bins, and live bytes at the end of the last
    one."""
    out = {}
    for row, place, hit, size, waste, net in cells(data):
        if data["rows"]["kind"][row] != kind or place > last:
            continue
        entry = out.setdefault(key(row), [0, 0, 0, 0])
        entry[3] += net
        if place >= first:
            for i, more in enumerate((hit, size, waste)):
                entry[i] += more
    return out


def without_zeros(groups):
    """Groups with values other than 0."""
    return {key: tuple(values) for key, values in groups.items() if any(values)}


class Comparison:
    """Checks one recording."""

    def __init__(self, kmemx, recording):
        self.kmemx, self.recording = kmemx, recording
        self.compared = self.differ = 0
        with tempfile.TemporaryDirectory() as scratch:
            page = os.path.join(scratch, "page.html")
            subprocess.run([kmemx, "report", recording, "-o", page], check=True)
            self.data = load(page)

    def tables(self, *args):
        """The rows of a command's tables, by the tables' names."""
        got = subprocess.run([self.kmemx, *args, "--json", self.recording],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if not got.stdout:
            return {}
        return {t["name"]: t["rows"] for t in json.loads(got.stdout)["reports"]}

    def same(self, what, got, rows, key, figures):
        """Compares the values of the page's groups with those of the rows."""
        want = {}
        for row in rows:
            entry = want.setdefault(key(row), [0] * len(figures))
            for i, figure in enumerate(figures):
                entry[i] += figure(row)
        got, want = without_zeros(got), without_zeros(want)
        self.compared += len(want)
        if got == want:
            return
        self.differ += 1
        print(f"{self.recording}: {what}")
        for group in sorted(set(got) | set(want), key=str):
            if got.get(group) != want.get(group):
                print(f"  {group}: page {got.get(group)}, command {want.get(group)}")

    def slab(self, window, first, last):
        """Slab objects in a range of bins."""
        data, rows, names = self.data, self.data["rows"], self.data["names"]
        time = ",".join(window)
        figures = [lambda r: r["hit"], lambda r: r["bytes"],
                   lambda r: r["bytes"] - r["bytes_req"]]
        groups = {
            "callsite": (lambda row: names[rows["callsite"][row]], "slab"),
            "stack": (lambda row: chain(data, rows["node"][row]), "slab"),
            "cache": (lambda row: names[rows["cache"][row]], "slab_cache"),
        }
        for by, (key, table) in groups.items():
            got = {k: v[:3] for k, v in sums(data, first, last, SLAB, key).items()}
            tables = self.tables("stat", "--slab", "--by", by, "--time", time)
            self.same(f"slab by {by}, {time}", got, tables.get(table, tables.get("slab", [])),
                      lambda r, by=by: text_of(r[by]), figures)

    def page(self, window, first, last):
        """Pages in a range of bins."""
        data, rows, names = self.data, self.data["rows"], self.data["names"]
        time = ",".join(window)
        figures = [lambda r: r["hit"], lambda r: r["bytes"]]
        got = sums(data, first, last, PAGE, lambda row: (
            names[rows["callsite"][row]], rows["order"][row], names[rows["type"][row]],
            names[rows["gfp"][row]]))
        self.same(f"pages by callsite, {time}", {k: v[:2] for k, v in got.items()},
                  self.tables("stat", "--page", "--caller", "--time", time).get("page", []),
                  lambda r: (r["callsite"], r["order"], r["migtype"], r["gfp"]), figures)
        got = sums(data, first, last, PAGE, lambda row: chain(data, rows["node"][row]))
        self.same(f"pages by stack, {time}", {k: v[:2] for k, v in got.items()},
                  self.tables("stat", "--page", "--by", "stack", "--time", time)
                  .get("page", []), lambda r: text_of(r["stack"]), figures)

    def areas(self, window, first, last):
        """vmalloc and per-CPU memory in a range of bins."""
        data, rows, names = self.data, self.data["rows"], self.data["names"]
        time = ",".join(window)
        for by, key in (("callsite", lambda row: names[rows["callsite"][row]]),
                        ("stack", lambda row: chain(data, rows["node"][row]))):
            tables = self.tables("stat", *OPTIONS[VMALLOC:], "--by", by, "--time", time)
            for kind, table in ((VMALLOC, "vmalloc"), (PERCPU, "percpu_memory")):
                got = {k: v[:2] for k, v in sums(data, first, last, kind, key).items()}
                self.same(f"{table} by {by}, {time}", got, tables.get(table, []),
                          lambda r, by=by: text_of(r[by]),
                          [lambda r: r["hit"], lambda r: r["bytes"]])

    def live(self, end, last):
        """Live bytes at the end of a bin, or at the peak if it is None."""
        data, rows, names = self.data, self.data["rows"], self.data["names"]
        tables = self.tables("peak", *(["--at", end] if end else []))
        for kind, table in ((SLAB, "peak"), (PAGE, "peak_page"), (VMALLOC, "peak_vmalloc"),
                            (PERCPU, "peak_percpu_memory")):
            if end:
                got = {k: v[3:] for k, v in sums(
                    data, 0, last, kind, lambda row: names[rows["callsite"][row]]).items()}
            else:
                got = {}
                for row, size in enumerate(rows["peak"]):
                    if rows["kind"][row] == kind:
                        got.setdefault(names[rows["callsite"][row]], [0])[0] += size
            self.same(f"{table} at {end or 'the peak'}", got, tables.get(table, []),
                      lambda r: r["callsite"], [lambda r: r["bytes_seen"]])

    def ends(self):
        """Live bytes at the end of the recording, minimum and maximum."""
        data, names = self.data, self.data["names"]
        for kind, cache, by, table, most in ((SLAB, 0, "callsite", "slab", "net_max"),
                                             (SLAB, 1, "cache", "slab_cache", "net_max"),
                                             (PAGE, 0, "callsite", "page", "net"),
                                             (VMALLOC, 0, "callsite", "vmalloc", "net_max"),
                                             (PERCPU, 0, "callsite", "percpu_memory", "net_max")):
            tables = self.tables("stat", OPTIONS[kind], "--by", by)
            got = {}
            for k, c, name, *figures in data["ends"]:
                if (k, c) == (kind, cache):
                    entry = got.setdefault(names[name], [0, 0, 0])
                    for i, figure in enumerate(figures):
                        entry[i] += figure
            rows = tables.get(table, tables.get("slab", []))
            for row in rows:  # each of the page's rows is rounded
                if row[by] in got and abs(got[row[by]][2] - row["net_estimate"]) <= 1:
                    got[row[by]][2] = row["net_estimate"]
            self.same(f"{table} at the end", got, rows, lambda r, by=by: r[by],
                      [lambda r: r["net_min"], lambda r, most=most: r[most],
                       lambda r: r["net_estimate"]])
        for row, least in enumerate(data["rows"]["least"]):
            self.compared += 1
            self.differ += least < 0 or data["rows"]["range"][row] < 0

    def frames(self):
        """Checks that the map of page frames has as many live pages as all rows together."""
        data, frames = self.data, self.data["frames"]
        width, bins = int(frames["width"]), frames["bins"]
        size, live, want = data["facts"]["kernel_page_size"], [0] * bins, [0] * bins
        if frames["left"] or not frames["first"] or int(data["time"]["width"]) > width:
            return
        place = 0
        for count, pages, most in zip(self.data["runs"]["bins"], self.data["runs"]["pages"],
                                      self.data["runs"]["most"]):
            self.differ += most > pages
            for at in range(place, place + count):
                live[at % bins] += pages
            place += count
        for row, at, _, _, _, net in cells(data):
            if data["rows"]["kind"][row] == PAGE:
                want[at * int(data["time"]["width"]) // width] += net // size
        for at in range(1, bins):
            want[at] += want[at - 1]
        self.compared += bins
        if place != bins * len(frames["first"]) or live != want:
            self.differ += 1
            print(f"{self.recording}: page frames: {live}\n  pages: {want}")

    def run(self):
        """Checks several ranges."""
        bins = self.data["time"]["bins"]
        for first, last in ((0, bins - 1), (0, bins // 2), (bins // 3, bins // 2),
                            (max(0, bins - 4), bins - 1), (bins // 8, bins // 8)):
            window = bounds(self.data, first, last)
            self.slab(window, first, last)
            self.page(window, first, last)
            self.areas(window, first, last)
            # With a coarse clock, many events of several CPUs share a time stamp. A free that comes
            # before its allocation is then resolved only at the end.
            if self.data["facts"]["clock"] != "uptime" or last == bins - 1:
                self.live(window[1], last)
        self.live(None, 0)
        self.ends()
        self.frames()
        print(f"{self.recording}: {self.compared} rows compared")
        return self.differ


def text_of(value):
    """A callchain is a list in some formats."""
    return ";".join(value) if isinstance(value, list) else value


def main():
    """Exit code: 1 on a difference or if nothing was compared."""
    comparison = Comparison(sys.argv[1], sys.argv[2])
    return comparison.run() > 0 or not comparison.compared


if __name__ == "__main__":
    sys.exit(main())
