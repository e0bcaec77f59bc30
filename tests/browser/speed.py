#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Measures how fast pages respond in headless Chromium.
In: a kmemx, a recording; perhaps a build of the Firefox Profiler, which is in no package: the
directory "dist" that its scripts/build.mjs makes. Out: medians in milliseconds.

Times are CPU times of Chromium's main thread, so that other work on the machine matters little.
"redraw" is the page's script for an input and the frame that it requests, including layout and
reading the drawing back; "nothing" is the measurement itself. "busy" is all work for an input,
which can be measured for any page: script, style, layout, paint. Each input waits until the
previous one is done.

usage: speed.py KMEMX RECORDING [DIST]
"""
import functools
import http.server
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from driver import Chromium, missing
from report import READY

ROUNDS = 31
LEVELS = (1, 10, 100, 1000)
# An input of the kind @arguments[0], number @arguments[1].
REDRAW = """
const canvas = document.querySelector('#timeline'), box = canvas.getBoundingClientRect();
const search = document.querySelector('input[type=search]'), real = window.requestAnimationFrame;
const at = (i) => ({ clientX: box.left + 100 + (box.width - 200) * (i % 29) / 29, clientY: box.top + 50,
    bubbles: true, cancelable: true });
const inputs = {
    zoom: (i) => canvas.dispatchEvent(new WheelEvent('wheel', { ...at(14), deltaY: i % 2 ? 30 : -30 })),
    pan: (i) => canvas.dispatchEvent(new WheelEvent('wheel', { ...at(14), deltaY: i % 2 ? 100 : -100, shiftKey: true })),
    hover: (i) => canvas.dispatchEvent(new PointerEvent('pointermove', at(i * 7))),
    nothing: () => {},
    search: (i) => {
        search.value = 'alloc_'.slice(0, 1 + i % 6);
        search.dispatchEvent(new InputEvent('input'));
    },
};
let drawn = null;
window.requestAnimationFrame = (draw) => {
    drawn = draw;
    return 1;
};
inputs[arguments[0]](arguments[1]);
if (drawn)
    drawn(performance.now());
document.body.getBoundingClientRect();
canvas.getContext('2d').getImageData(0, 0, 1, 1);
window.requestAnimationFrame = real;
"""
NO_SEARCH = """
const search = document.querySelector('input[type=search]');
search.value = '';
search.dispatchEvent(new InputEvent('input'));
"""
ZOOM_TO = """
const canvas = document.querySelector('#timeline'), box = canvas.getBoundingClientRect();
canvas.dispatchEvent(new KeyboardEvent('keydown', { key: '0' }));
for (let left = Math.log(arguments[0]) / Math.log(1.3); left > 0; left -= 3)
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 * Math.min(3, left), cancelable: true,
        clientX: box.left + 66 + (box.width - 66) * 0.45, clientY: box.top + 50 }));
"""


def shown(name, what, times):
    """Prints a line of the result."""
    print(f"  {name:<8}{what:<8}{statistics.median(times):8.1f}  "
          f"({min(times):.1f} to {max(times):.1f})", flush=True)


class Busy:
    """Measures the main thread's work for inputs at an element of the page."""

    def __init__(self, browser, selector):
        self.browser, self.selector = browser, selector
        browser.tools("Performance.enable", timeDomain="threadTicks")

    def worked(self):
        """Milliseconds so far."""
        metrics = self.browser.tools("Performance.getMetrics")["metrics"]
        return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    def settled(self):
        """The same, once nothing is left to do."""
        before = self.worked()
        while True:
            time.sleep(0.2)
            now = self.worked()
            if now - before < 2:
                return now
            before = now

    def measure(self, act):
        """Milliseconds of each input."""
        times, before = [], self.settled()
        for i in range(ROUNDS):
            act(i)
            now = self.settled()
            times.append(now - before)
            before = now
        return times

    def redraws(self, kind):
        """Milliseconds of each input of that kind, with its frame."""
        times = []
        for i in range(ROUNDS):
            before = self.worked()
            self.browser.script(REDRAW, kind, i)
            times.append(self.worked() - before)
        return times

    def pointer(self, keys=0):
        """Inputs of the mouse; @keys: held for zooming with the wheel, 2 is Control."""
        left, top, width = self.browser.script(
            "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [b.left, b.top, b.width];", self.selector)
        mouse = functools.partial(self.browser.tools, "Input.dispatchMouseEvent")
        places = [{"x": left + 100 + (width - 200) * i / 29, "y": top + 50} for i in range(30)]
        return {"zoom": lambda i: mouse(type="mouseWheel", deltaX=0, deltaY=30 if i % 2 else -30,
                                        modifiers=keys, **places[15]),
                "hover": lambda i: mouse(type="mouseMoved", **places[i * 7 % 30])}

    def search(self, field):
        """Types letters into the @field, over and over."""
        self.browser.script("document.querySelector(arguments[0]).focus()", field)
        letters = "alloc_"

        def act(i):
            if i % len(letters) == 0:
                self.browser.script("document.querySelector(arguments[0]).select()", field)
            self.browser.tools("Input.insertText", text=letters[i % len(letters)])
        return act


def own_page(browser, kind):
    """Measures a page of kmemx at all levels of zoom."""
    busy, field = Busy(browser, "#timeline"), "input[type=search]"
    for level in LEVELS:
        def back(level=level):
            browser.script(ZOOM_TO, level)
            time.sleep(2)
        back()
        print(f"{kind}, 1/{level} of the time:")
        for name in ("nothing", "zoom", "pan", "hover", "search"):
            shown("redraw", name, busy.redraws(name))
            browser.script(NO_SEARCH)
            back()
        for name, act in busy.pointer().items():
            shown("busy", name, busy.measure(act))
        back()
        shown("busy", "search", busy.measure(busy.search(field)))
        browser.script(NO_SEARCH)


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves a directory, with its index for all names that do not exist."""

    def translate_path(self, path):
        found = super().translate_path(path)
        return found if os.path.isfile(found) else os.path.join(self.directory, "index.html")

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


def profiler(browser, dist, name):
    """Measures the Firefox Profiler in @dist; @name is the profile there."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=dist)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        source = urllib.parse.quote(f"{base}/{name}", safe="")
        for view, place, keys in (("stack-chart", ".stackChartCanvas", 2), ("flame-graph", ".flameGraphCanvas", 0)):
            start = time.monotonic()
            browser.open(f"{base}/from-url/{source}/{view}/")
            browser.wait(f"document.querySelector('{place}')", 300)
            busy = Busy(browser, place)
            busy.settled()
            print(f"the Firefox Profiler, {view}, shown after {time.monotonic() - start:.1f} s:")
            for what, act in busy.pointer(keys).items():
                if what != "zoom" or keys:
                    shown("busy", what, busy.measure(act))
            shown("busy", "search", busy.measure(busy.search(".idleSearchFieldInput")))
        server.shutdown()


def run(kmemx, recording, dist=None):
    """Measures everything."""
    with tempfile.TemporaryDirectory() as scratch:
        page = os.path.join(scratch, "page.html")
        start = time.monotonic()
        subprocess.run([kmemx, "report", recording, "-o", page], check=True, stderr=subprocess.DEVNULL)
        print(f"page: {os.path.getsize(page)} bytes in {time.monotonic() - start:.1f} s")
        browser = Chromium(1400, 900)
        try:
            browser.open("file://" + page)
            browser.wait(READY)
            own_page(browser, "a page in a file")
            with subprocess.Popen([kmemx, "report", "--serve", recording], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
                browser.open(server.stdout.readline().strip())
                browser.wait(READY)
                own_page(browser, "a served page")
                server.terminate()
            if dist:
                profile = os.path.join(dist, "profile.json")
                subprocess.run([kmemx, "export", "--format", "firefox", "-i", recording, "-o", profile],
                               check=True)
                print(f"export: {os.path.getsize(profile)} bytes")
                profiler(browser, dist, "profile.json")
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    if missing():
        print(missing())
        sys.exit(77)
    sys.exit(run(*sys.argv[1:]))
