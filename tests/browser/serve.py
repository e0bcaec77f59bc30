#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Looks at details of a recording that kmemx report --serve shows.
In: a kmemx, a recording with callchains. Out: what is wrong; exit 1 then, and 77 without a browser.

usage: serve.py KMEMX OLD NEW
"""
import subprocess
import sys
import time

from driver import Browser, main
from explore import LEFT_OF_TIMES, Explore
from report import READY, ROWS

BIN_PIXELS = 2
# The number of requests for parts that have been answered.
ANSWERED = "performance.getEntriesByType('resource').filter((e) => e.name.includes('part=')).length"


class Serve(Explore):
    """A served page in one browser."""

    def there(self, part):
        """Waits for the page of the recording or, with @part, of a part of it."""
        self.browser.wait(READY + " && !!location.search === " + ("true" if part else "false"))

    def sum_of(self, *words):
        """Bytes of slab objects, from the command."""
        return sum(row["bytes"] for row in self.rows_of("stat", "--slab", *words)["slab"])

    def shown(self):
        """The same on the page."""
        return sum(int(row["Allocated"].replace(",", "")) for row in self.browser.script(ROWS))

    def closer(self):
        """A range in detail has the range's numbers, in shorter bins, and the page's choices."""
        browser = self.browser
        self.press("Memory", "Slab objects")
        self.press("Rows", "Cache")
        browser.click("#peak")
        self.press("Figure", "Allocated")
        width = [end - start for start, end in [self.span("range")]]
        browser.click("#whole")
        # Without a range there is no detail. On a busy machine, the page may be drawn only after
        # the click.
        browser.wait("document.querySelector('#detail').disabled")
        browser.drag("#timeline", (0.4, 60), (0.5, 70))
        start, stop = self.state()["range"].split(",")
        want = self.sum_of("--time", start + "," + stop)
        self.check("a range of the recording", self.shown() == want > 0, self.shown(), want)
        browser.click("#detail")
        self.there(True)
        self.check("the same range in detail", self.shown() == want, self.shown(), want)
        self.check("the same choices", self.state().get("by") == "cache" and
                   self.state().get("memory") == "slab" and not self.span("range"), self.state())
        self.compare("rows in detail", "slab_cache", "Cache", {"Allocated": lambda r: r["bytes"],
                                                         "Count": lambda r: r["hit"]})
        browser.drag("#timeline", (0.2, 60), (0.7, 70))
        inner = self.state()["range"]
        self.check("a range in it", self.shown() == self.sum_of("--time", inner), self.state())
        browser.click("#peak")
        self.press("Figure", "Allocated")
        width += [end - first for first, end in [self.span("range")]]
        self.check("times are shorter", width[1] * 5 < width[0], width)
        browser.click("#detail")
        browser.wait("location.search.includes('time=') && location.search !== '?time=" + start +
                     "," + stop + "'")
        self.there(True)
        browser.script("history.back()")
        browser.wait(f"location.search === '?time={start},{stop}'")
        self.there(True)
        browser.click("#all")
        self.there(False)
        self.check("all of the recording again", self.shown() == self.sum_of(), self.shown())

    def settle(self):
        """Waits until the page has nothing more to request."""
        asked = None
        while asked != (asked := self.browser.script("return " + ANSWERED)):
            time.sleep(0.6)

    def bin_of_middle(self):
        """Clicks beside the range, which selects a bin. Returns the bin's length in pixels."""
        browser = self.browser
        browser.script("location.hash = location.hash.replace(/range=[^&]*&/, '')")
        self.state()
        browser.point("#timeline", (0.55, 60), clicks=1)
        bin_ns, seen = ([end + 1 - start for start, end in [self.span(name)]][0] for name in ("range", "zoom"))
        width = browser.script("return document.querySelector('#timeline').clientWidth") - LEFT_OF_TIMES
        return bin_ns * width / seen

    def to_peak(self):
        """Selects the moment of the peak."""
        self.browser.click("#peak")
        self.press("Figure", "Allocated")

    def shorter(self):
        """However far the reader zooms in, bins are at most two pixels wide and have the commands'
        numbers."""
        browser = self.browser
        self.press("Memory", "Slab objects")
        self.press("Rows", "Callsite")
        some = 0
        for keys in (4, 8, 14, 22, 34, 80):
            browser.keys("#timeline", "0")
            self.to_peak()
            for _ in range(2):  # the peak is known better after the first time
                browser.keys("#timeline", "+" * (keys // 2))
                self.settle()
                self.to_peak()
            seen = [end + 1 - start for start, end in [self.span("zoom")]][0]
            wide = self.bin_of_middle()
            self.settle()
            self.check("a bin has at most two pixels", 0 < wide <= BIN_PIXELS + 0.01, keys, seen, wide)
            browser.drag("#timeline", (0.3, 60), (0.7, 70))
            self.settle()
            some += self.ranges(f"within {seen} ns")
            if keys == 14:
                self.far_range()
        self.check("some ranges have allocations", some > 50, some)

    def ranges(self, where):
        """Compares what was selected with the commands. Returns the number of rows that
        allocated."""
        figures = {"Allocated": lambda r: r["bytes"], "Count": lambda r: r["hit"]}
        live = {"Live": lambda r: r["bytes_seen"]}
        some = 0
        for memory, table, peak in (("Slab objects", "slab", "peak"), ("Pages", "page", "peak_page")):
            self.press("Memory", memory)
            self.press("Figure", "Allocated")
            rows = [row for row in self.browser.script(ROWS) if row["Allocated"] != "0"]
            some += len(rows)
            if rows:  # else the command says that there are none
                self.compare(f"{memory} allocated {where}", table, "Callsite", figures)
            self.press("Figure", "Live")
            self.compare(f"{memory} live {where}", peak, "Callsite", live)
        self.press("Memory", "Slab objects")
        self.press("Figure", "Allocated")
        return some

    def far_range(self):
        """A range keeps its times when the view changes, and in a link."""
        browser = self.browser
        before, rows = self.span("range"), browser.script(ROWS)
        browser.keys("#timeline", "0")
        browser.keys("#timeline", "++++++++")
        self.settle()
        self.check("a range keeps its times", before == self.span("range"), before, self.state())
        self.check("a range keeps its numbers", rows == browser.script(ROWS))
        url = browser.script("return location.href")
        other = Browser()
        try:
            other.open(url)
            other.wait(READY)
            other.wait(ANSWERED)
            time.sleep(0.6)
            self.check("a link keeps its times and numbers", url == other.script("return location.href") and
                       rows == other.script(ROWS), url, other.script("return location.href"))
        finally:
            other.close()
        browser.click("#whole")

    def gone(self):
        """If kmemx has ended, the page says so, and still zooms."""
        browser = self.browser
        browser.click("#whole")
        browser.keys("#timeline", "++++++++++")
        browser.wait("!document.querySelector('#parts').hidden")
        before = self.span("zoom")
        browser.keys("#timeline", "+")
        after = self.span("zoom")
        self.check("it says that kmemx is gone", "does not answer" in browser.script(
            "return document.querySelector('#parts').textContent"))
        self.check("it still zooms", after[1] - after[0] < before[1] - before[0], before, after)
        browser.click("#whole")
        browser.wait("document.querySelector('#parts').hidden")

    def run(self, pictures=None):
        """Runs all checks."""
        with subprocess.Popen([self.kmemx, "report", "--serve", self.recording], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
            url = server.stdout.readline().strip()
            self.browser = Browser()
            try:
                self.browser.open(url)
                self.there(False)
                self.closer()
                self.shorter()
                time.sleep(0.2)
                logged = [text for text in self.browser.complaints() if "favicon" not in text]
                self.check("nothing is logged", not logged, logged)
                server.terminate()
                server.wait()
                self.gone()
            finally:
                self.browser.close()
                server.terminate()
        print(f"serve: {self.checks - self.failures} of {self.checks} as they should be")
        return self.failures > 0


if __name__ == "__main__":
    sys.exit(main(Serve))
