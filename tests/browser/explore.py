#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Explores a page of kmemx report: zooms, asks about a selection, filters, shares a link.
In: a kmemx, a recording with callchains. Out: what is wrong; exit 1 then, and 77 without a browser.

usage: explore.py KMEMX OLD NEW
"""
import json
import os
import re
import shlex
import subprocess
import sys
import time
from urllib.parse import parse_qs

from driver import Browser, main
from report import DOWN, ENTER, READY, RIGHT, ROWS, Test

LEFT, UP, ESCAPE, SHIFT = "\ue012", "\ue013", "\ue00c", "\ue008"
LEFT_OF_TIMES = 66  # pixels to the left of the drawing
COLUMN_NS = 6 * 10**6  # more than a column of the flame chart, less than two
# Milliseconds of a redraw for each of twenty turns of the wheel, without waiting for the screen.
DRAWING = """
const canvas = document.querySelector('#timeline'), box = canvas.getBoundingClientRect(), times = [];
const real = window.requestAnimationFrame;
window.requestAnimationFrame = (draw) => {
    const start = performance.now();
    draw(start);
    canvas.getContext('2d').getImageData(0, 0, 1, 1);
    times.push(performance.now() - start);
    return 0;
};
for (let i = 0; i < 20; i++)
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: i < 10 ? -100 : 100, cancelable: true,
        clientX: box.left + box.width / 2, clientY: box.top + 50 }));
window.requestAnimationFrame = real;
return times.sort((a, b) => a - b)[10];
"""


def ns_of(text):
    """The time of "seconds.nanoseconds"."""
    seconds, rest = text.split(".")
    return int(seconds) * 10**9 + int(rest)


def text_of(ns):
    """The inverse of ns_of()."""
    return f"{ns // 10**9}.{ns % 10**9:09}"


class Explore(Test):
    """One page in one browser."""

    def state(self):
        """The state in the address."""
        time.sleep(0.3)
        text = self.browser.script("return location.hash.slice(1)")
        return {key: values[0] for key, values in parse_qs(text).items()}

    def span(self, name):
        """The time of "range" or "zoom" in the address, or None for the whole time."""
        state = self.state()
        return tuple(ns_of(text) for text in state[name].split(",")) if name in state else None

    def rows_of(self, *words):
        """The tables of a kmemx command, by name."""
        run = subprocess.run([self.kmemx, *words, "--json", "-i", self.recording], check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return {t["name"]: t["rows"] for t in json.loads(run.stdout)["reports"]}

    def wheel_and_fingers(self):
        """Zooms around the pointer and between two fingers."""
        browser = self.browser
        self.check("all of the time is seen", self.span("zoom") is None)
        for _ in range(6):
            browser.wheel("#timeline", (0.75, 60), -100)
        near = self.span("zoom")
        browser.wheel("#timeline", (0.75, 60), -100)
        nearer = self.span("zoom")
        width = browser.script("return document.querySelector('#timeline').clientWidth")
        part = (int(width * 0.75) - LEFT_OF_TIMES) / (width - LEFT_OF_TIMES)
        under = [span[0] + part * (span[1] - span[0]) for span in (near, nearer)]
        self.check("the wheel zooms", near[1] - near[0] > 1.2 * (nearer[1] - nearer[0]), near, nearer)
        self.check("what is under the pointer stays",
                   abs(under[0] - under[1]) < 0.02 * (near[1] - near[0]), under, near)
        # Turns far apart, as on a busy machine, are separate steps.
        for _ in range(7):
            browser.keys("#timeline", ESCAPE)
            back = self.span("zoom")
            if not back:
                break
        self.check("Escape takes the turns of the wheel back", back is None, back)
        browser.keys("#timeline", "0")
        browser.pinch("#timeline", ((0.45, 60), (0.55, 60)), ((0.3, 60), (0.7, 60)))
        pinched = self.span("zoom")
        self.check("two fingers zoom", pinched and near[0] - near[0] < pinched[1] - pinched[0],
                   pinched)
        browser.keys("#timeline", "0")
        self.check("0 shows all of the time", self.span("zoom") is None, self.state())

    def keys_of_time(self):
        """+ and - zoom, arrows move by a tenth, with Shift by a bin."""
        browser = self.browser
        for _ in range(8):
            browser.keys("#timeline", "+")
        near = self.span("zoom")
        browser.keys("#timeline", RIGHT)
        right = self.span("zoom")
        self.check("an arrow moves by a tenth of what is seen",
                   abs((right[0] - near[0]) * 10 / (near[1] - near[0]) - 1) < 0.1, near, right)
        browser.keys("#timeline", SHIFT + LEFT)
        left = self.span("zoom")
        self.check("with Shift it moves by a bin",
                   0 < right[0] - left[0] < (near[1] - near[0]) / 50, right, left)
        browser.keys("#timeline", "-")
        wide = self.span("zoom")
        self.check("- zooms out", wide[1] - wide[0] > 1.2 * (near[1] - near[0]), wide, near)
        browser.keys("#timeline", ENTER)
        self.check("Enter selects what is seen", self.span("range") == wide, self.state(), wide)
        browser.keys("#timeline", "0" + ESCAPE + ESCAPE)
        self.check("Escape goes back to before the selection", self.span("range") is None and
                   self.span("zoom") == wide, self.state(), wide)
        browser.keys("#timeline", "0")

    def select(self):
        """A drag selects; a double click zooms to it."""
        browser = self.browser
        browser.drag("#timeline", (0.4, 60), (0.6, 70))
        selected = self.span("range")
        browser.point("#timeline", (0.5, 60), clicks=2)
        self.check("a double click zooms to the selection",
                   self.span("zoom") == selected == self.span("range"), self.state(), selected)
        browser.keys("#timeline", ESCAPE)
        self.check("Escape zooms out again", self.span("zoom") is None and
                   self.span("range") == selected, self.state())
        browser.keys("#timeline", ESCAPE)
        self.check("Escape ends the selection", self.span("range") is None, self.state())

    def moment(self):
        """What the page says about the moment under the pointer is what peak --at prints."""
        browser = self.browser
        self.press("Memory", "Slab objects")
        browser.click("#peak")
        for _ in range(12):
            browser.keys("#timeline", "+")
        start, stop = self.state()["range"].split(",")
        text = "return document.querySelector('#moment').textContent"
        at = browser.script(text)
        seen, width = self.span("zoom"), browser.script("return document.querySelector('#timeline').clientWidth")
        part = ((ns_of(start) + ns_of(stop)) / 2 - seen[0]) / (seen[1] - seen[0])
        browser.point("#timeline", ((LEFT_OF_TIMES + part * (width - LEFT_OF_TIMES)) / width, 60))
        self.check("the pointer tells of its moment", browser.script(text) == at and not browser.script(
            "return document.querySelector('#cursor').hidden"), at, browser.script(text))
        live = self.rows_of("peak", "--slab", "--at", stop)["peak"]
        largest = re.search(r"largest: (\S+) ([\d.]+) ([KM]i)?B", at)
        most = max(live, key=lambda row: row["bytes_seen"])
        self.check("the largest callsite of a moment", largest and largest[1] == most["callsite"] and
                   abs(float(largest[2]) * {None: 1, "Ki": 1024, "Mi": 1 << 20}[largest[3]] /
                       most["bytes_seen"] - 1) < 0.1, at, most)
        hits = sum(row["hit"] for row in self.rows_of("stat", "--slab", "--time",
                                                      start + "," + stop)["slab"])
        said = re.search(r"before ([\d,]+) allocations", at)
        self.check("allocations of a moment", said and int(said[1].replace(",", "")) == hits, at, hits)
        self.press("Figure", "Allocated")
        self.press("Memory", "Pages")
        browser.click("#whole")

    def told(self, table, key):
        """Sums by callsite of what the commands below the table print, and of the table's figures."""
        words = self.browser.script("return document.querySelector('#command').childNodes.length && "
                                    "[...document.querySelector('#command').childNodes].map((e) =>"
                                    " [e.nodeName, e.textContent])")
        sums, sign = {}, 1
        for name, text in words:
            if name == "#text":
                sign = -1 if text == " minus " else 1
            elif name == "CODE":
                run = subprocess.run([self.kmemx, *shlex.split(text)[1:], "--json"], check=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                rows = {t["name"]: t["rows"] for t in json.loads(run.stdout)["reports"]}
                live = "--live" in text
                for row in rows.get(table) or rows.get("peak_page" if table == "page" else "peak"):
                    value = row["bytes_seen"] if "bytes_seen" in row else row["net" if live else "bytes"]
                    sums[row["callsite"]] = sums.get(row["callsite"], 0) + sign * value
        self.all_rows()
        got = {row["Callsite"]: int(row[key].replace(",", "")) for row in self.browser.script(ROWS)}
        return ({name: value for name, value in sums.items() if value},
                {name: value for name, value in got.items() if value})

    def questions(self):
        """Retained, freed and lived through: for the whole time and for ranges."""
        browser = self.browser
        for place in (None, (0.3, 0.7), (0.55, 0.95), (0.0, 0.5)):
            if place:
                browser.drag("#timeline", (max(place[0], 0.06), 60), (place[1], 70))
                self.state()
            for memory, table in (("Slab objects", "slab"), ("Pages", "page")):
                self.press("Memory", memory)
                for figure in ("Retained", "Freed", "Lived through"):
                    self.press("Figure", figure)
                    want, got = self.told(table, figure)
                    self.check(f"{figure} of {memory} in {place}", want == got and
                               (got or place != (0.3, 0.7)), want, got)
        self.press("Figure", "Allocated")
        browser.click("#whole")

    def tabs(self, processes):
        """Processes, control groups and entries have the commands' numbers."""
        browser = self.browser
        figures = {"Allocated": lambda r: r["bytes"], "Count": lambda r: r["hit"]}
        live = {"Live": lambda r: r["bytes_seen"]}
        for place in ("all of the time", "a range"):
            for memory, table in (("Slab objects", "slab"), ("Pages", "page")):
                self.press("Memory", memory)
                known = browser.script("return [...document.querySelectorAll("
                                       "'[aria-label=Rows] button')].map((e) => e.textContent)")
                wanted = {"Process", "Control group", "Entry"} if processes else {"Entry", "Task"}
                self.check("tabs of what was recorded", wanted == set(known) & {
                    "Process", "Control group", "Entry", "Task"}, known)
                for rows in sorted(wanted):
                    self.press("Rows", rows)
                    self.press("Figure", "Allocated")
                    self.compare(f"{memory} by {rows}, {place}", table, rows, figures)
                    self.press("Figure", "Live")
                    self.compare(f"live {memory} by {rows}, {place}",
                                 "peak" if table == "slab" else "peak_page", rows, live)
            browser.drag("#timeline", (0.3, 60), (0.75, 70))
            self.state()
        self.press("Figure", "Allocated")
        self.press("Rows", "Callsite")
        browser.click("#whole")

    def type(self, text):
        """Writes into the search field, with the key / first."""
        self.browser.script("document.activeElement.blur()")
        self.browser.keys("body", "/")
        self.check("/ goes to the search", self.browser.script(
            "return document.activeElement.type") == "search")
        self.browser.keys("input[type=search]", "\ue009a")
        self.browser.keys("input[type=search]", "\ue017" + text)
        self.state()

    def filters(self):
        """Rows that meet conditions have the numbers of the command with the same conditions."""
        browser = self.browser
        figures = {"Allocated": lambda r: r["bytes"], "Count": lambda r: r["hit"]}
        live = {"Live": lambda r: r["bytes_seen"]}
        note = "return document.querySelector('#filtered').textContent"
        for memory, table, words in (("Pages", "page", "order>=1"), ("Pages", "page", "order=0"),
                                     ("Pages", "page", "callsite=*a* order<1"),
                                     ("Pages", "page", "gfp=__GFP_ZERO,GFP_NOWAIT"),
                                     ("Pages", "page", "gfp=K|__GFP_COMP,0x400000"),
                                     ("Pages", "page", "comm=s*"),
                                     ("Slab objects", "slab", "comm=sh"),
                                     ("Slab objects", "slab", "cache=kmalloc-*,dentry"),
                                     ("Slab objects", "slab", "callsite=getname_flags,alloc_*")):
            self.press("Memory", memory)
            before = sum(int(r["Allocated"].replace(",", "")) for r in browser.script(ROWS))
            self.type(words)
            rows = browser.script(ROWS)
            after = sum(int(r["Allocated"].replace(",", "")) for r in rows)
            self.check(words + " leaves a part", 0 < after < before, before, after)
            self.check(words + ": its share", f"{100 * after / before:.2f} %" in browser.script(note),
                       after, before, browser.script(note))
            for rows in ("Callsite", "Entry", "Callchain"):
                self.press("Rows", rows)
                self.press("Figure", "Allocated")
                self.all_rows()
                self.compare(f"{words} by {rows}", table, rows, figures)
            self.press("Rows", "Callsite")
            self.press("Figure", "Live")
            self.compare("live " + words, "peak" if table == "slab" else "peak_page", "Callsite", live)
            self.press("Figure", "Allocated")
            self.type("")
        self.press("Memory", "Pages")
        self.press("Callchains", "From the callsite")
        self.type("function=do_wp_page")
        chains = [row["callsite"] for row in self.rows_of("stat", "--page", "--by", "stack")["page"]
                  if "do_wp_page" in row["stack"]]
        self.check("a condition on any function of the callchain",
                   {row["Callsite"] for row in browser.script(ROWS)} == set(chains), chains)
        self.check("no command has it", "without the filter" in browser.script(
            "return document.querySelector('#command').textContent"))
        for words, answer in (("tid=1", "no word tid"), ("gfp=GFP_BAD", "no such flag"),
                              ("process=git", "does not have it."), ("order>=x", "a number"),
                              ("callsite>=a", "only ="), ("constructor=1", "no word")):
            self.type(words)
            self.check(words + " is answered", answer in browser.script(note), browser.script(note))
        self.type("")
        self.press("Callchains", "From the outermost function")

    def marks(self):
        """The pointer shows the tasks that end below it; the table has all of them."""
        browser = self.browser
        text = subprocess.run([self.kmemx, "script", "-i", self.recording], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        ends = [re.match(r" *(.+)-(\d+) .* (\d+\.\d+): sched_process_exit:", line)
                for line in text.splitlines() if "sched_process_exit:" in line]
        ends = [(f"{end[1]} ({end[2]})", ns_of(end[3].ljust(len(end[3].split(".")[0]) + 10, "0")))
                for end in ends]
        self.check("tasks end in the recording", len(ends) > 3, text[:500])
        self.check("there is a legend", "End of a task" in browser.script(
            "return document.querySelector('#signs').textContent"))
        browser.click("#timeline-part summary")
        self.state()
        table = browser.script("return [...document.querySelectorAll('#timeline-table"
                               " td:last-child')].map((e) => e.textContent).join(', ')")
        said = sum(int(nr) for nr in re.findall(r"(\d+) tasks? ended", table))
        self.check("the table has all ends of tasks", said == len(ends), table, ends)
        browser.click("#timeline-part summary")
        browser.script("location.hash = arguments[0]", f"zoom={text_of(ends[0][1] - 10**6)},"
                       f"{text_of(ends[0][1] + 10**6)}")
        time.sleep(0.3)
        seen, width = self.span("zoom"), browser.script("return document.querySelector('#timeline').clientWidth")
        part = (ends[0][1] - seen[0]) / (seen[1] - seen[0])
        browser.point("#timeline", ((LEFT_OF_TIMES + part * (width - LEFT_OF_TIMES)) / width, 60))
        moment = browser.script("return document.querySelector('#moment').textContent")
        self.check("the pointer names the task that ended", ends[0][0] in moment, moment, ends[0])
        browser.script("location.hash = ''")
        self.state()

    def views(self):
        """The sandwich and the tree have the sums of the callchains."""
        browser = self.browser
        stacks = [(row["stack"] if isinstance(row["stack"], list) else row["stack"].split(";"),
                   row["bytes"]) for row in self.rows_of("stat", "--page", "--by", "stack")["page"]]
        total = sum(value for _, value in stacks)
        name, callers, callees, top = "do_wp_page", {}, {}, {}
        for stack, value in stacks:
            top[stack[-1]] = top.get(stack[-1], 0) + value
            if name not in stack:
                continue
            at = len(stack) - 1 - stack[::-1].index(name)
            for sums, place in ((callers, at + 1), (callees, at - 1)):
                if 0 <= place < len(stack):
                    sums[stack[place]] = sums.get(stack[place], 0) + value
        share = sum(value for stack, value in stacks if name in stack) / total
        self.press("Memory", "Pages")
        browser.script("location.hash = arguments[0]", "memory=page&view=sandwich&function=" + name)
        browser.wait("document.querySelector('#callers').height > 30")
        said = browser.script("return document.querySelector('#focus').textContent")
        self.check("the share of a function", name in said and f"{100 * share:.2f} % of all" in said,
                   said, share)
        high = "const e = document.querySelector(arguments[0]); return e.clientHeight"
        for canvas, sums in (("#callers", callers), ("#callees", callees)):
            if not sums:
                continue
            most = max(sums, key=sums.get)
            middle = browser.script(high, canvas) - 2 - 27 if canvas == "#callers" else 27
            browser.point(canvas, (0.02, middle))
            hover = browser.script("return document.querySelector('#hover').textContent")
            self.check(f"the largest in {canvas}", hover.startswith(most + ":") and
                       f"{100 * sums[most] / total:.2f} % of all" in hover, hover, most, sums)
        browser.point("#callers", (0.02, browser.script(high, "#callers") - 2 - 27), clicks=1)
        most = max(callers, key=callers.get)
        self.check("a click makes a sandwich of a caller", self.state().get("function") == most,
                   self.state(), most)
        self.press("View", "Tree")
        read = ("return [...document.querySelectorAll('.tree tbody tr')].map((tr) => "
                "[tr.lastChild.textContent.replace(/^[▸▾] /, ''), tr.firstChild.textContent])")
        rows = {row[0]: int(row[1].replace(",", "")) for row in browser.script(read)}
        self.check("the tree has the outermost functions", rows == top, rows, top)
        outer = browser.script(read)[0][0]
        browser.keys(".tree button", ENTER)
        below = {}
        for stack, value in stacks:
            if stack[-1] == outer and len(stack) > 1:
                below[stack[-2]] = below.get(stack[-2], 0) + value
        rows = browser.script(read)[1:1 + len(below)]
        self.check("Enter opens a row", {row[0]: int(row[1].replace(",", "")) for row in rows} == below,
                   rows, below)
        self.check("the focus stays", browser.script(
            "return document.activeElement.getAttribute('aria-expanded')") == "true")
        self.press("View", "Flame graph")

    def chart(self):
        """Boxes of the flame chart have the sums of the largest callchains of their time."""
        browser = self.browser
        self.press("Memory", "Pages")
        self.press("View", "Flame chart")
        for figure, places in (("bytes", (0.314, 0.3177)), ("hit", (0.5915,))):
            browser.script("location.hash = 'view=chart&memory=page&figure=' + arguments[0]", figure)
            time.sleep(0.3)
            for place in places:
                self.check(f"the chart has boxes at {place}", self.column(place, figure))
        browser.script("location.hash = 'view=chart&memory=page'")
        time.sleep(0.3)
        browser.keys("#chart", RIGHT + DOWN + RIGHT)
        said = browser.script("return document.querySelector('#hover').textContent")
        browser.keys("#chart", ENTER)
        self.check("keys select the time of a function", " of " in said and self.span("range"), said)
        browser.keys("#chart", ESCAPE)
        self.check("Escape takes it back", self.span("range") is None, self.state())
        self.press("Figure", "Allocated")
        self.press("View", "Flame graph")

    def column(self, place, figure):
        """Checks the boxes at a @place of the chart, from the outermost inward. Returns whether
        there are any, one of them a column wide."""
        browser, path, alone = self.browser, [], False
        for depth in range(30):
            browser.point("#chart", (place, 9 + 18 * depth))
            said = re.match(r"(\S+): (\S+)(?: (KiB|MiB|B))? of (\S+)", browser.script(
                "return document.querySelector('#hover').textContent"))
            if not said:
                break
            path.append(said[1])
            browser.point("#chart", (place, 9 + 18 * depth), clicks=1)
            span = self.state()["range"]
            sums, all_of = {}, 0
            for row in self.rows_of("stat", "--page", "--by", "stack", "--time", span)["page"]:
                stack = row["stack"] if isinstance(row["stack"], list) else row["stack"].split(";")
                stack = stack[::-1]
                all_of += row[figure]
                if len(stack) > depth and stack[:depth] == path[:depth]:
                    sums[stack[depth]] = sums.get(stack[depth], 0) + row[figure]
            unit = {None: 1, "B": 1, "KiB": 1024, "MiB": 1 << 20}[said[3]]
            self.check(f"box {depth} at {place}", abs(float(said[2].replace(",", "")) * unit - sums.get(said[1], 0))
                       <= unit / 20 and all_of > 0, said[0], sums)
            begin, end = (ns_of(text) for text in span.split(","))
            if end - begin < COLUMN_NS:
                self.check(f"it is the largest, {depth} at {place}", sums[said[1]] == max(sums.values()), said[0], sums)
                alone = True
            browser.keys("#chart", ESCAPE)
        return path and alone

    def slab_lives(self):
        """[time, end or None, bytes] of slab objects, from the events; their times begin at 0."""
        text = subprocess.run([self.kmemx, "script", "--json", "-i", self.recording], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        events = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        first, lives, live = events[0]["ts"], [], {}
        for event in events:
            fields, name = event["fields"], event["event"]
            if name.startswith(("kmalloc", "kmem_cache_alloc")):
                if fields["ptr"] in live:  # its free is not in the recording
                    live[fields["ptr"]][1] = event["ts"] - first
                live[fields["ptr"]] = [event["ts"] - first, None, fields["bytes_alloc"]]
                lives.append(live[fields["ptr"]])
            elif name in ("kfree", "kmem_cache_free") and fields["ptr"] in live:
                live.pop(fields["ptr"])[1] = event["ts"] - first
        return first, events[-1]["ts"] - first, lives

    def heat_maps(self):
        """Fields have the sums of the events; a rectangle selects time and sizes."""
        browser = self.browser
        first, last, lives = self.slab_lives()
        width = last // 2048 + 1
        self.press("Memory", "Slab objects")
        self.press("View", "Heat maps")
        self.state()
        size = browser.script("return [...document.querySelectorAll('#heat canvas')].map((e) => ["
                              "e.clientHeight, e.clientWidth])")
        start = (LEFT_OF_TIMES + 2) / size[0][1]
        said = ("return document.querySelector(arguments[0]).textContent")
        rows = {}
        for _, _, nr in lives:
            rows[nr.bit_length() - 1] = rows.get(nr.bit_length() - 1, 0) + nr
        foot, high = 22, 15
        for row, nr in rows.items():
            y = size[0][0] - foot - high * (row - min(rows)) - 8
            browser.drag("#heat-sizes", (start, y), (0.999, y))
            self.state()
            self.check(f"selects sizes from {2 ** row}", self.state().get("f") ==
                       f"size>={2 ** row} size<={2 ** (row + 1) - 1}", self.state())
            got = sum(int(r["Allocated"].replace(",", "")) for r in browser.script(ROWS))
            self.check(f"bytes of sizes from {2 ** row}", got == nr, got, nr)
            self.type("")
        y = size[0][0] - foot - high * (12 - min(rows)) - 8
        browser.drag("#heat-sizes", (0.3, y), (0.6, y + 3 * high))
        begin, stop = (at - first for at in self.span("range"))
        got = sum(int(r["Allocated"].replace(",", "")) for r in browser.script(ROWS))
        want = sum(nr for at, _, nr in lives if begin <= at <= stop and 512 <= nr < 8192)
        self.check("a rectangle of times and sizes", got == want > 0 and begin > 0 and stop < last, got, want)
        self.type("")
        browser.click("#whole")
        classes = {}
        for at, end, nr in lives:
            row = 99 if end is None else (end // width - at // width).bit_length()
            classes[row] = classes.get(row, 0) + nr
        high_row = max(row for row in classes if row < 99)
        for row, nr in classes.items():
            place = high_row + 1 if row == 99 else row
            y = size[1][0] - foot - high * place - 8
            browser.drag("#heat-lives", (start, y), (0.999, y))
            text = browser.script(said, "#heat-lives-hover")
            found = re.search(r": ([\d,]+) bytes; ", text)
            self.check(f"bytes of lifetimes {row}", found and int(found[1].replace(",", "")) == nr, text, nr)
            browser.click("#whole") if not browser.script("return document.querySelector('#whole').disabled") else None
        browser.keys("#heat-sizes", RIGHT + UP + SHIFT + UP + RIGHT)
        chosen = browser.script(said, "#heat-sizes-hover")
        browser.keys("#heat-sizes", ENTER)
        got = sum(int(r["Allocated"].replace(",", "")) for r in browser.script(ROWS))
        found = re.search(r": ([\d,]+) bytes$", chosen)
        self.check("keys select, too", found and int(found[1].replace(",", "")) == got and
                   "size<=" in self.state().get("f", ""), chosen, got)
        self.type("")
        browser.click("#whole")
        self.press("View", "Flame graph")
        self.press("Memory", "Pages")

    def colours(self):
        """A callsite has the same colour everywhere; different names have different ones in a
        legend."""
        browser = self.browser
        read = ("return [...document.querySelectorAll(arguments[0] + ' li')].map((li) => "
                "[li.title, li.textContent, li.firstChild.style.background])")
        self.press("Memory", "Pages")
        self.press("Rows", "Callsite")
        self.state()
        over_time = {row[0]: row[2] for row in browser.script(read, "#legend")[:-1]}
        frames = {row[0]: row[2] for row in browser.script(read, "#frames-legend")[:-1]}
        both = set(over_time) & set(frames)
        self.check("a callsite has one colour", len(both) > 3 and all(
            over_time[name] == frames[name] for name in both), over_time, frames)
        self.check("callsites have different colours",
                   len(set(over_time.values())) == len(over_time) > 5, over_time)
        self.press("Rows", "Callchain")
        self.state()
        rows = browser.script(read, "#legend")
        self.check("legends are cut to different texts", len({row[1] for row in rows}) == len(rows) and
                   any("…" in row[1] for row in rows), rows)
        self.press("Rows", "Callsite")
        self.state()
        self.check("the colours are still the same", over_time == {
            row[0]: row[2] for row in browser.script(read, "#legend")[:-1]})

    def link(self):
        """Opening the address shows what was seen."""
        browser = self.browser
        browser.drag("#timeline", (0.3, 60), (0.8, 70))
        for _ in range(3):
            browser.wheel("#timeline", (0.5, 60), -100)
        self.press("Memory", "Slab objects")
        self.press("Rows", "Cache")
        self.press("Figure", "Count")
        self.press("Callchains", "From the callsite")
        self.type("callsite=a*,g*")
        browser.click("#table tbody td")
        time.sleep(0.3)
        url = browser.script("return location.href")
        shown = "return [document.querySelector('#table').textContent," \
                "document.querySelector('#command').textContent," \
                "document.querySelector('#timeline').toDataURL()," \
                "[...document.querySelectorAll('[aria-pressed=true]')].map((e) => e.textContent)]"
        before = browser.script(shown)
        other = Browser()
        try:
            other.open(url)
            other.wait(READY)
            other.wait("document.querySelector('#timeline').width > 300")
            time.sleep(0.3)
            after = other.script(shown)
        finally:
            other.close()
        for i, what in enumerate(("table", "command", "drawing", "buttons")):
            self.check(f"a link opens the same {what}", before[i] == after[i], url, after[i][:300])
        for text in ("range=1,2,3", "range=9.5,1", "zoom=-1,x&memory=%00&figure=toString&by=constructor",
                     "range=" + "9" * 400 + ",1", "mark=nothing&f=%2F%28%2F"):
            browser.script("location.hash = arguments[0]", text)
            time.sleep(0.3)
        browser.script("location.hash = ''")
        browser.wait("document.querySelector('#whole').disabled")
        self.check("an address with other words shows the usual", not self.state(), self.state())

    def run(self, pictures=None):
        """Runs all checks."""
        self.browser = Browser()
        try:
            self.browser.open(self.page("page"))
            self.browser.wait(READY)
            self.wheel_and_fingers()
            self.keys_of_time()
            self.select()
            self.moment()
            self.questions()
            self.tabs(False)
            self.filters()
            self.views()
            self.chart()
            self.heat_maps()
            self.colours()
            self.state()
            drawn = self.browser.script(DRAWING)
            self.check("a redraw is quick", drawn < 160, drawn)
            self.link()
            self.recording = os.path.join(os.path.dirname(self.recording),
                                          "processes-trixie-amd64.v7.dat")
            self.browser.open(self.page("processes"))
            self.browser.wait(READY)
            self.tabs(True)
            self.marks()
            # Ignores warnings about reading the drawing back, which only the test does.
            logged = [text for text in self.browser.complaints() if "willReadFrequently" not in text]
            self.check("nothing is logged", not logged, logged)
        finally:
            self.browser.close()
        print(f"explore: {self.checks - self.failures} of {self.checks} as they should be; "
              f"redraw {drawn:.1f} ms")
        return self.failures > 0


if __name__ == "__main__":
    sys.exit(main(Explore))
