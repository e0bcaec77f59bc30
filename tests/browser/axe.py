#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Checks with axe-core that readers who cannot see, or see badly, can use the pages.
In: kmemx, two recordings, a vmlinux of the first or "", axe.min.js. Out: each violation with the
place; exit 1 then.

usage: axe.py KMEMX OLD NEW VMLINUX AXE
"""
import os
import subprocess
import sys
import tempfile

from driver import Browser

READY = "document.querySelector('#table tbody tr, #list tbody tr')"
AXE = """
const done = arguments[arguments.length - 1];
axe.run().then((found) => done(found.violations.flatMap((rule) => rule.nodes.map((node) =>
    `${rule.id}: ${node.target.join(' ')}: ${node.html.slice(0, 90)}: ${node.any.concat(node.all,
    node.none).map((check) => check.message).join('; ')}`))), (error) => done([String(error)]));
"""
# Groups of buttons that change what is shown below.
CHOOSE = """
const bar = document.querySelectorAll('main .choice button');
if (arguments[0] >= bar.length) return null;
bar[arguments[0]].click();
return bar[arguments[0]].textContent;
"""


def make(scratch, kmemx, old, new, vmlinux):
    """The pages, by name."""
    pages = {"report": ["report", new, "-o"], "diff": ["diff", old, new, "--html"]}
    if vmlinux:
        pages["rings"] = ["footprint", "--vmlinux", vmlinux, old, "--rings"]
    for name, words in pages.items():
        path = os.path.join(scratch, name + ".html")
        subprocess.run([kmemx, *words, path], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        yield name, "file://" + path


def check(browser, place, seen):
    """Prints new violations; returns their number."""
    found = browser.ask("POST", "/execute/async", {"script": AXE, "args": []})
    new = [line for line in found if line not in seen]
    seen.update(new)
    for line in new:
        print(f"FAILED: {place}: {line}")
    return len(new)


def main():
    """Returns the exit code."""
    kmemx, old, new, vmlinux, axe = sys.argv[1:]
    with open(axe, encoding="utf-8") as file:
        source = file.read()
    failed = runs = 0
    with tempfile.TemporaryDirectory() as scratch:
        pages = list(make(scratch, os.path.abspath(kmemx), old, new, vmlinux))
        for dark in (False, True):
            browser = Browser(dark=dark)
            try:
                for name, url in pages:
                    place, seen, i = f"{name}, {'dark' if dark else 'light'}", set(), 0
                    browser.open(url)
                    browser.wait(READY)
                    browser.script(source)
                    browser.script("document.querySelectorAll('details')"
                                   ".forEach((e) => { e.open = true; })")
                    failed += check(browser, place, seen)
                    runs += 1
                    while (choice := browser.script(CHOOSE, i)) is not None:
                        failed += check(browser, f"{place}, {choice}", seen)
                        runs += 1
                        i += 1
            finally:
                browser.close()
    print(f"axe: {runs} views, {failed} violations")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
