#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Looks closer at a part of a recording that kmemx report --serve shows.
In: a kmemx, a recording with callchains. Out: what is wrong; exit 1 then, and 77 without a browser.

usage: serve.py KMEMX OLD NEW
"""
import subprocess
import sys
import time

from driver import Browser, main
from explore import Explore
from report import READY, ROWS


class Serve(Explore):
    """A served page in one browser."""

    def there(self, part):
        """Waits for the page of the recording or of a @part of it; the file's is not left open."""
        self.browser.wait(READY + " && !!location.search === " + ("true" if part else "false"))

    def sum_of(self, *words):
        """Bytes of slab objects, from the command."""
        return sum(row["bytes"] for row in self.rows_of("stat", "--slab", *words)["slab"])

    def shown(self):
        """The same on the page."""
        return sum(int(row["Allocated"].replace(",", "")) for row in self.browser.script(ROWS))

    def closer(self):
        """A range in detail has the numbers of the range, in shorter times, and the page's choices."""
        browser = self.browser
        self.press("Memory", "Slab objects")
        self.press("Rows", "Cache")
        browser.click("#peak")
        self.press("Figure", "Allocated")
        width = [end - start for start, end in [self.span("range")]]
        browser.click("#whole")
        self.check("without a range there is no detail", browser.script(
            "return document.querySelector('#detail').disabled"))
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
                time.sleep(0.2)
                logged = [text for text in self.browser.complaints() if "favicon" not in text]
                self.check("nothing is logged", not logged, logged)
            finally:
                self.browser.close()
                server.terminate()
        print(f"serve: {self.checks - self.failures} of {self.checks} as they should be")
        return self.failures > 0


if __name__ == "__main__":
    sys.exit(main(Serve))
