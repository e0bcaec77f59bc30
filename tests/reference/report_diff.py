#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares the numbers on a page of kmemx diff --html with the output of kmemx diff, and its timelines
with pages of kmemx report. In: a kmemx, recordings of two sides. Out: what differs, and how much
was compared; exit 1 on a difference.

usage: report_diff.py KMEMX OLD... -- NEW...
"""
import json
import os
import subprocess
import sys
import tempfile

from report import PAGE, SLAB, cells, chain, load

BY = {"slab": ("--slab", "callsite"), "slab_cache": ("--slab", "cache"),
      "slab_stack": ("--slab", "stack"), "page": ("--page", "callsite"),
      "page_stack": ("--page", "stack")}
MARKS = {"": 0, "~": 1, "?": 2}
BINS = 256  # of a timeline on a page of kmemx diff


class Comparison:
    """Compares two sides."""

    def __init__(self, kmemx, sides, scratch):
        self.kmemx, self.sides, self.scratch = kmemx, sides, scratch
        self.compared = self.differ = 0
        page = os.path.join(self.scratch, "page.html")
        subprocess.run([kmemx, "diff", "--html", page, *sides], check=True,
                       stdout=subprocess.DEVNULL)
        self.data = load(page)

    def note(self, what, same):
        """Counts one comparison."""
        self.compared += 1
        if not same:
            self.differ += 1
            print(what)

    def rows(self, table):
        """The page's rows: name -> metric -> (old, new, uncertainty, mark)."""
        names, out = self.data["names"], {}
        for row, place in enumerate(table["of"]):
            name = chain(self.data, place) if table["by"] == "stack" else names[place]
            out[name] = {metric: tuple(figures[key][row] for key in
                                       ("old", "new", "uncertainty", "mark"))
                         for metric, figures in table["metrics"].items()}
        return out

    def table(self, table):
        """Compares one table with the command's output."""
        kind, by = BY[table["name"]]
        run = subprocess.run([self.kmemx, "diff", kind, "--by", by, "--all", "--json",
                              *self.sides], check=True, stdout=subprocess.PIPE)
        printed = [t for t in json.loads(run.stdout)["reports"] if t["by"] == by][0]["rows"]
        got = self.rows(table)
        self.note(f"{table['name']}: other rows", set(got) == {row[by] for row in printed})
        for row in printed:
            for metric, figures in got.get(row[by], {}).items():
                if row[metric + "_old"] is None:
                    self.note(f"{row[by]}: {metric}", figures[0] is None)
                    continue
                unsure = row[metric + "_uncertainty"]
                want = (row[metric + "_old"], row[metric + "_new"],
                        -1 if unsure is None else unsure,
                        MARKS[row.get(metric + "_mark", "")])
                self.note(f"{table['name']}, {row[by]}, {metric}: {figures}, not {want}",
                          figures == want)

    def run_of(self, number, path):
        """Compares one timeline with the page of that recording."""
        page = os.path.join(self.scratch, "one.html")
        subprocess.run([self.kmemx, "report", path, "-o", page], check=True)
        run, data = self.data["runs"][number], load(page)
        self.note(f"{path}: its name", run["file"] == os.path.basename(path))
        for kind, name in ((SLAB, "slab"), (PAGE, "page")):
            live = [0] * data["time"]["bins"]
            hits = [0] * data["time"]["bins"]
            for row, at, hit, _, _, net in cells(data):
                if data["rows"]["kind"][row] == kind:
                    live[at] += net
                    hits[at] += hit
            for at in range(1, len(live)):
                live[at] += live[at - 1]
            # Bins of diff's page are pairs of the other page's bins, or pairs of pairs.
            while len(live) > BINS:
                live = live[1::2] + live[-1:] * (len(live) % 2)
                hits = [sum(hits[at:at + 2]) for at in range(0, len(hits), 2)]
            self.note(f"{path}: {name} over time", run[name] == live)
            self.note(f"{path}: requests over time", run[name + "_hit"] == hits)

    def run(self):
        """Runs all comparisons."""
        for table in self.data["tables"]:
            self.table(table)
        paths = [path for path in self.sides if path != "--"]
        for number, path in enumerate(paths):
            self.run_of(number, path)
        new = self.sides.index("--") if "--" in self.sides else 1
        self.note("sides", [run["side"] for run in self.data["runs"]] ==
                  [int(number >= new) for number in range(len(paths))])
        print(f"page of {len(paths)} recordings: {self.compared} numbers compared")
        return self.differ


def main():
    """Exit code: 1 on a difference or if nothing was compared."""
    with tempfile.TemporaryDirectory() as scratch:
        comparison = Comparison(sys.argv[1], sys.argv[2:], scratch)
        return comparison.run() > 0 or comparison.compared < 100


if __name__ == "__main__":
    sys.exit(main())
