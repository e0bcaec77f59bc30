#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Uses a page of kmemx footprint --rings like a reader: clicks, keys, going back, the pointer.
In: a kmemx, a vmlinux, small or real, and a recording of it. Out: what is wrong; exit 1 then, and
77 without a browser.

usage: rings.py KMEMX VMLINUX RECORDING [PICTURES]     PICTURES: directory for screenshots
"""
import os
import subprocess
import sys

from driver import Browser, main

SECONDS, BYTES = 2, 2000000
WAY = "[...document.querySelectorAll('#path button')].map((e) => e.textContent).join('/')"
TOTAL = "document.querySelector('#rings .total').textContent"
DRAW = """
const begin = performance.now();
dispatchEvent(new Event('hashchange'));
document.querySelector('#rings').getBoundingClientRect();
return performance.now() - begin;
"""
# How far texts extend beyond the circle in the middle.
MIDDLE = """
const round = document.querySelector('#rings circle').getBoundingClientRect();
return Math.max(...[...document.querySelectorAll('#rings .total, #rings .of')].map((e) => {
    const box = e.getBoundingClientRect();
    return Math.max(round.left - box.left, box.right - round.right);
}));
"""


class Test:
    """Checks one page in several browsers, one after the other."""

    def __init__(self, kmemx, vmlinux, recording, scratch):
        self.path = os.path.join(scratch, "rings.html")
        self.failures = self.checks = 0
        self.browser = None
        subprocess.run([kmemx, "footprint", "--vmlinux", vmlinux, recording, "--rings", self.path],
                       check=True, stdout=subprocess.DEVNULL)

    def check(self, what, good, *seen):
        """Notes a failure."""
        self.checks += 1
        if not good:
            self.failures += 1
            print("FAILED:", what, *seen)

    def is_at(self, way):
        """Waits until the page is loaded."""
        try:
            self.browser.wait(f"{WAY} === '{way}'", 5)
        except RuntimeError:
            pass
        seen = self.browser.script("return " + WAY)
        self.check("the page is at " + way, seen == way, seen)
        beyond = self.browser.script(MIDDLE)
        self.check(way + ": texts fit the middle", beyond <= 0, beyond)

    def walk(self):
        """Goes down and back in every possible way."""
        browser = self.browser
        self.is_at("all")
        whole = browser.script("return " + TOTAL)
        browser.script("document.querySelector('#list tr.below').click()")
        first = browser.script("return document.querySelector('#path button:last-of-type').textContent")
        self.is_at("all/" + first)
        self.check("the middle has less", browser.script("return " + TOTAL) != whole)
        self.check("the address names it", browser.script("return location.hash").endswith(first))
        browser.script("document.querySelector('#path button').click()")
        self.is_at("all")
        browser.script("document.querySelector('#rings path.d0.below').dispatchEvent("
                       "new MouseEvent('click', {bubbles: true}))")
        self.is_at("all/" + first)
        browser.keys("body", "\ue00c")
        self.is_at("all")
        browser.keys("#list tr.below", "\ue007")
        self.is_at("all/" + first)
        browser.script("history.back()")
        self.is_at("all")
        self.check("all is as it was", browser.script("return " + TOTAL) == whole)
        browser.script("document.querySelector('#rings path[data-row]').dispatchEvent("
                       "new MouseEvent('mouseover', {bubbles: true}))")
        hover = browser.script("return document.querySelector('#hover').textContent")
        self.check("the pointer is told", first in hover and "of all" in hover, hover)

    def use(self, dark):
        """Checks the page in one browser, light or dark."""
        url = "file://" + self.path
        self.browser = Browser(1500, 1000, dark)
        try:
            self.browser.open(url)
            self.browser.wait("document.querySelector('#rings path')")
            self.walk()
            took = self.browser.script(DRAW) / 1000
            self.check("it is drawn at once", took < SECONDS, took)
            loaded = self.browser.script("return performance.getEntriesByType('resource').length")
            self.check("nothing is loaded", loaded == 0, loaded)
            shade = self.browser.script("return getComputedStyle(document.body).backgroundColor")
            self.check("it is light or dark", (int(shade.split("(")[1].split(",")[0]) < 128) == dark,
                       shade)
            self.check("nothing is beside the window", self.browser.script(
                "return document.documentElement.scrollWidth <= innerWidth"))
            self.check("nothing is logged", not self.browser.complaints())
            return took
        finally:
            self.browser.close()

    def pictures(self, directory):
        """Makes screenshots for a human to check."""
        for dark in False, True:
            self.browser = Browser(1500, 1000, dark)
            try:
                self.browser.open("file://" + self.path)
                self.browser.wait("document.querySelector('#rings path')")
                self.browser.picture(os.path.join(directory, f"rings{'-dark' * dark}.png"))
            finally:
                self.browser.close()

    def run(self, pictures=None):
        """Runs all checks."""
        size = os.path.getsize(self.path)
        self.check(f"the file has at most {BYTES} bytes", size <= BYTES, size)
        took = max(self.use(dark) for dark in (False, True))
        if pictures:
            self.pictures(pictures)
        print(f"rings: {self.checks - self.failures} of {self.checks} as they should be; "
              f"{size} bytes, drawn in {1000 * took:.0f} ms")
        return self.failures > 0


if __name__ == "__main__":
    sys.exit(main(Test))
