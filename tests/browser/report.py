#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Uses a page of kmemx report like a reader: clicks, zooms, searches, chooses a range of the time.
In: a kmemx, a recording with callchains. Out: what is wrong; exit 1 then, and 77 without a browser.

Runs the command shown below the page's table and compares its output with the table.

usage: report.py KMEMX OLD NEW [PICTURES]      NEW: the recording; OLD: what it is compared with;
                                                PICTURES: directory for screenshots
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

from driver import Browser, main

READY = "document.querySelector('#table tbody tr, .heatmap') && !document.querySelector('main').hidden"
EVIL = '<img/src=x/onerror=document.title="owned">'
RIGHT, DOWN, ENTER = "\ue014", "\ue015", "\ue007"
ROWS = """
const heads = [...document.querySelectorAll('#table thead th')].map((e) => e.textContent.replace(/ [▲▼]$/, ''));
return [...document.querySelectorAll('#table tbody tr')].map((tr) =>
    Object.fromEntries([...tr.children].map((td, i) => [heads[i], td.textContent])));
"""
COLUMNS = {  # column -> text of a row, from a row of a command's JSON
    "Callsite": lambda r: r["callsite"],
    "Cache": lambda r: r["cache"],
    "Process": lambda r: f"{r['process']} ({r['tgid']})" if r["tgid"] > 0 else r["process"],
    "Control group": lambda r: r["cgroup"],
    "Entry": lambda r: r["entry"],
    "Task": lambda r: r["comm"],
    "Source line": lambda r: r["line"],
    "Callchain": lambda r: " < ".join(r["stack"].split(";") if isinstance(r["stack"], str)
                                      else r["stack"]),
    "Order, migratetype, GFP flags": lambda r: f"order {r['order']}, {r['migtype']}, {r['gfp']}",
}
HEAT = """
const heads = [...document.querySelectorAll('.heatmap thead th')].map((e) => e.textContent);
const cells = {};
for (const tr of document.querySelectorAll('.heatmap tbody tr'))
    [...tr.children].forEach((td, i) => {
        if (i && td.textContent !== '-')
            cells[tr.children[0].textContent + ' ' + heads[i]] = +td.textContent.replaceAll(',', '');
    });
return cells;
"""


class Test:
    """One page in one browser."""

    def __init__(self, kmemx, old, recording, scratch):
        self.kmemx, self.old, self.recording, self.scratch = kmemx, old, recording, scratch
        self.failures = self.checks = 0
        self.browser = None

    def check(self, what, good, *seen):
        """Notes a failure."""
        self.checks += 1
        if not good:
            self.failures += 1
            print("FAILED:", what, *seen)

    def page(self, name, *options, recording=None):
        """Makes a page; returns its address."""
        path = os.path.join(self.scratch, name + ".html")
        subprocess.run([self.kmemx, "report", recording or self.recording, "-o", path, *options],
                       check=True, stderr=subprocess.DEVNULL)
        return "file://" + path

    def diff(self, name, *options):
        """Makes a page that compares both recordings; returns its address."""
        path = os.path.join(self.scratch, name + ".html")
        subprocess.run([self.kmemx, "diff", "--html", path, *options, self.old, self.recording],
                       check=True, stdout=subprocess.DEVNULL)
        return "file://" + path

    def press(self, group, text):
        """Clicks a button of a group."""
        self.browser.script(
            "[...document.querySelectorAll(`[aria-label=\"${arguments[0]}\"] button`)]"
            ".find((b) => b.textContent === arguments[1]).click()", group, text)

    def command(self):
        """The JSON output of the command below the table."""
        words = shlex.split(self.browser.script(
            "return document.querySelector('#command code').textContent"))
        run = subprocess.run([self.kmemx, *words[1:], "--json"], check=True, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return {t["name"]: t["rows"] for t in json.loads(run.stdout)["reports"]}

    def compare(self, what, table, column, figures):
        """The rows of the table, by @column, and those of the command."""
        want, got = {}, {}
        for row in self.command()[table]:
            entry = want.setdefault(COLUMNS[column](row), [0] * len(figures))
            for i, key in enumerate(figures.values()):
                entry[i] += key(row)
        for row in self.browser.script(ROWS):
            got[row[column]] = [int(row[f].replace(",", "")) for f in figures]
        want = {name: figures for name, figures in want.items() if any(figures)}
        got = {name: figures for name, figures in got.items() if any(figures)}
        self.check(what, want and want == got, want, got)

    def all_rows(self):
        """Makes the table show all of its rows."""
        while self.browser.script("const b = document.querySelector('.note button');"
                                  "if (b) b.click(); return !!b"):
            pass

    def other_tables(self, place, page, slab):
        """Checks rows by callchain and by request, and the map of orders."""
        kinds = {"Slab objects": ("slab", slab), "Pages": ("page", page)}
        for memory, (table, figures) in kinds.items():
            self.press("Memory", memory)
            self.press("Rows", "Callchain")
            self.all_rows()
            self.compare(f"{table} by callchain, {place}", table, "Callchain", figures)
        self.press("Rows", "Order, migratetype, GFP flags")
        self.compare("requests, " + place, "page", "Order, migratetype, GFP flags", page)
        self.press("Rows", "Order × migratetype")
        want, got = {}, self.browser.script(HEAT)
        for row in self.command()["page"]:
            cell = f"{row['order']} {row['migtype']}"
            want[cell] = want.get(cell, 0) + row["bytes"]
        self.check("the map of orders, " + place, want and want == got, want, got)
        self.press("Rows", "Callsite")

    def numbers(self):
        """Checks slab objects and pages of the whole time and of a range."""
        page = {"Allocated": lambda r: r["bytes"], "Count": lambda r: r["hit"]}
        slab = dict(page, Waste=lambda r: r["bytes"] - r["bytes_req"])
        live = {"Live": lambda r: r["bytes_seen"]}
        for place in ("all of the time", "a range"):
            self.press("Memory", "Pages")
            self.press("Figure", "Allocated")
            self.compare("pages, " + place, "page", "Callsite", page)
            self.other_tables(place, page, slab)
            self.press("Figure", "Live")
            self.compare("live pages, " + place, "peak_page", "Callsite", live)
            self.press("Memory", "Slab objects")
            self.compare("live slab objects, " + place, "peak", "Callsite", live)
            self.press("Figure", "Allocated")
            self.compare("slab objects, " + place, "slab", "Callsite", slab)
            self.press("Rows", "Cache")
            self.compare("caches, " + place, "slab_cache", "Cache", slab)
            self.press("Figure", "End, most")
            self.compare("caches at the end, " + place, "slab_cache", "Cache",
                         {"End": lambda r: r["net_estimate"],
                          "End, least": lambda r: r["net_min"],
                          "End, most": lambda r: r["net_max"]})
            self.press("Figure", "Allocated")
            self.press("Rows", "Callsite")
            before = self.browser.script("return document.querySelector('#range').textContent")
            self.browser.drag("#timeline", (0.45, 60), (0.7, 80))
            self.browser.wait("document.querySelector('#whole').disabled === false")
            after = self.browser.script("return document.querySelector('#range').textContent")
            self.check("a range is chosen", before != after or place == "a range", before, after)
        self.browser.click("#peak")
        self.browser.wait("document.querySelector('[aria-label=\"Figure\"] [aria-pressed=\"true\"]')"
                          ".textContent === 'At the peak'")
        self.compare("slab objects at the peak", "peak", "Callsite",
                     {"At the peak": lambda r: r["bytes_seen"]})
        self.browser.click("#whole")

    def callchains(self):
        """Zooms, follows the path back, and searches."""
        browser = self.browser
        self.press("Memory", "Pages")
        self.press("Figure", "Allocated")
        browser.drag("#flame", (0.2, 50), (0.2, 50))
        nodes = browser.script("return [...document.querySelectorAll('nav button')]"
                               ".map((b) => b.textContent)")
        self.check("a click goes into a function", len(nodes) == 3 and nodes[0] == "all", nodes)
        browser.click("nav button")
        nodes = browser.script("return document.querySelectorAll('nav button').length")
        self.check("the path leads back", nodes == 1, nodes)
        browser.keys("input[type=search]", "do_wp")
        found = browser.script("return document.querySelector('#hover').textContent")
        rows = browser.script(ROWS)
        self.check("the search says what share it found",
                   found.startswith("Found: " + rows[0]["%"] + " "), found, rows[0])
        self.check("the search filters the table",
                   rows and all("do_wp" in row["Callsite"] for row in rows), rows)
        browser.script("const e = document.querySelector('input[type=search]');"
                       "e.value = ''; e.dispatchEvent(new Event('input'))")
        before = browser.script(ROWS)[0]
        browser.click("#table tbody td")
        self.check("a click marks a row",
                   browser.script("return document.querySelectorAll('tr.marked').length") == 1)
        printed = self.command()["page"]
        self.check("the command is for the marked row alone",
                   {row["callsite"] for row in printed} == {before["Callsite"]} and
                   sum(row["bytes"] for row in printed) ==
                   int(before["Allocated"].replace(",", "")), before, printed)

    def as_table(self):
        """Compares the drawing over time with its table."""
        browser = self.browser
        browser.click("#timeline-part summary")
        browser.wait("document.querySelector('#timeline-table tr')")
        rows, legend = browser.script(
            "const texts = (e, s) => [...e.querySelectorAll(s)].map((x) => x.textContent);"
            "return [[...document.querySelectorAll('#timeline-table tr')].map((e) =>"
            " texts(e, 'th, td')), texts(document, '#legend li')]")
        self.check("the table over time has a column for each colour",
                   rows[0] == ["At", *legend[:len(rows[0]) - 1]], rows[0], legend)
        self.check("the table over time has figures", len(rows) > 10 and all(
            int(text.replace(",", "")) >= 0 for row in rows[1:] for text in row[1:]), rows)
        browser.click("#timeline-part summary")

    def frames(self):
        """Uses the map of page frames with keys and pointer."""
        browser = self.browser
        browser.keys("#frames", RIGHT + DOWN + RIGHT)
        text = browser.script("return document.querySelector('#frames-hover').textContent")
        self.check("the map says what is there", text.startswith("Page frames 0x") and
                   " pages live" in text, text)
        marked = "return document.querySelectorAll('tr.marked').length"
        browser.click("tr.marked td")
        self.check("no row is marked", browser.script(marked) == 0)
        browser.drag("#frames", (0.97, 5), (0.97, 5))
        self.check("a click on the map marks its callsite", browser.script(marked) == 1)
        self.press("Memory", "Slab objects")
        self.check("slab objects have no page frames",
                   browser.script("return document.querySelector('#frames-part').hidden"))
        self.press("Memory", "Pages")
        self.press("Rows", "Order × migratetype")
        heat = browser.script("return document.querySelectorAll('.heat').length")
        self.check("there is a map of orders and migratetypes", heat > 0, heat)

    def sides(self):
        """The numbers on a page of two recordings equal diff's."""
        browser = self.browser
        browser.open(self.diff("sides"))
        browser.wait(READY)
        run = subprocess.run([self.kmemx, "diff", "--json", "--all", self.old, self.recording],
                             check=True, stdout=subprocess.PIPE)
        tables = {t["name"]: t["rows"] for t in json.loads(run.stdout)["reports"]}
        for memory, name in (("Slab objects", "slab"), ("Pages", "page")):
            self.press("Memory", memory)
            want = {row["callsite"]: (row["bytes_old"], row["bytes_new"], row["bytes_delta"])
                    for row in tables[name]}
            got = {row["Callsite"]: tuple(int(row[key].replace(",", "").replace("+", ""))
                                          for key in ("Old", "New", "Change"))
                   for row in browser.script(ROWS)}
            self.check(memory + " of both sides", want == got, want, got)
        browser.drag("#flame", (0.2, 28), (0.2, 28))
        self.check("a click goes into a function of both sides", browser.script(
            "return document.querySelectorAll('nav button').length") == 2)
        browser.keys("input[type=search]", "wp_page")
        rows = browser.script(ROWS)
        self.check("the search filters the rows of both sides", len(rows) == 2, rows)
        found = browser.script("return document.querySelector('#hover').textContent")
        self.check("the search says what share of both sides it found",
                   found.startswith("Found: "), found)

    def clocks(self):
        """A range equals the output of its command, whatever the clock counts."""
        for clock in ("counter", "uptime", "x86-tsc"):
            name = f"variants-amd64-clock-{clock}.v7.dat"
            self.browser.open(self.page(clock, recording=os.path.join(
                os.path.dirname(self.recording), name)))
            self.browser.wait(READY)
            self.press("Memory", "Slab objects")
            for place in ("all of the time", "a range"):
                self.compare(f"clock {clock}, {place}", "slab", "Callsite",
                             {"Allocated": lambda r: r["bytes"], "Count": lambda r: r["hit"]})
                self.browser.drag("#timeline", (0.6, 60), (0.95, 80))
                self.browser.wait("document.querySelector('#whole').disabled === false")

    def sampled(self):
        """With callchains of a sample, the command's output for a part of the time may differ."""
        path = os.path.join(self.scratch, "half.dat")
        subprocess.run([self.kmemx, "split", "--stack-sample", "2", self.recording, "-o", path],
                       check=True, stderr=subprocess.DEVNULL)
        self.browser.open(self.page("half", recording=path))
        self.browser.wait(READY)
        self.press("Memory", "Slab objects")
        figures = {"Allocated": lambda r: r["bytes"], "Count": lambda r: r["hit"]}
        for place, words in (("all of the time", "The same numbers"),
                             ("a range", "About the same numbers")):
            self.compare(f"sample, {place}", "slab", "Callsite", figures)
            self.press("Rows", "Callchain")
            text = self.browser.script("return document.querySelector('#command').textContent")
            self.check(f"sample by callchain, {place}", text.startswith(words), text)
            if place == "all of the time":
                self.all_rows()
                self.compare(f"sample by callchain, {place}", "slab", "Callchain", figures)
            self.press("Rows", "Callsite")
            text = self.browser.script("return document.querySelector('#command').textContent")
            self.check(f"sample by callsite, {place}", text.startswith("The same numbers"), text)
            self.browser.drag("#timeline", (0.6, 60), (0.95, 80))
            self.browser.wait("document.querySelector('#whole').disabled === false")

    def directories(self):
        """Functions are coloured by directory, as a legend explains."""
        tree = os.path.join(os.path.dirname(self.recording), "toy-kernel")
        browser = self.browser
        browser.open(self.page("directories", "--source", tree, recording=self.old))
        browser.wait(READY)
        self.press("Memory", "Slab objects")
        legend = browser.script("return [...document.querySelectorAll('#flame-legend li')]"
                                ".map((e) => e.textContent)")
        self.check("the legend has directories", {"mm", "fs", "kernel"} <= set(legend), legend)
        self.press("Callchains", "From the callsite")
        browser.keys("#flame", DOWN)
        hover = browser.script(
            "const e = document.querySelector('#flame'), box = e.getBoundingClientRect();"
            "e.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 9,"
            " clientY: box.top + 27 })); return document.querySelector('#hover').textContent")
        self.check("a function's directory is told", "getname_flags (fs)" in hover, hover)

    def lines(self):
        """Rows by line of the source, if debug information has them."""
        if os.uname().machine != "x86_64" or not shutil.which("gcc"):
            return
        build = os.path.join(os.path.dirname(self.recording), "toy-kernel", "build.sh")
        subprocess.run(["sh", build], cwd=self.scratch, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        self.browser.open(self.page("lines", "--vmlinux", os.path.join(self.scratch, "vmlinux"),
                                    recording=self.old))
        self.browser.wait(READY)
        self.press("Memory", "Slab objects")
        self.press("Rows", "Source line")
        rows = {row["Source line"] for row in self.browser.script(ROWS)}
        self.check("there are lines", "kernel/fork.c:20" in rows, rows)
        figures = {"Allocated": lambda r: r["bytes"], "Count": lambda r: r["hit"]}
        self.compare("lines", "slab", "Source line", figures)
        self.browser.drag("#timeline", (0.3, 60), (0.8, 80))
        self.browser.wait("document.querySelector('#whole').disabled === false")
        self.compare("lines in a range", "slab", "Source line", figures)

    def light(self):
        """The page follows the browser's light or dark mode until its button is pressed."""
        shade = ("return +getComputedStyle(document.body).backgroundColor"
                 ".match(/\\d+/)[0] > 128 ? 'light' : 'dark'")
        for dark in (False, True):
            system, other = ("dark", "light") if dark else ("light", "dark")
            self.browser = Browser(dark=dark)
            try:
                for url in (self.page("light"), self.diff("light-sides")):
                    self.browser.open(url)
                    self.browser.wait(READY)
                    seen = [self.browser.script(shade)]
                    self.browser.click("#theme")
                    seen.append(self.browser.script(shade))
                    self.browser.keys("#theme", ENTER)
                    seen.append(self.browser.script(shade))
                    self.check("a button switches between light and dark",
                               seen == [system, other, system], seen)
                    self.browser.keys("#theme", ENTER)
                    self.browser.script("dispatchEvent(new Event('beforeprint'))")
                    self.check("paper is light", self.browser.script(shade) == "light")
                    self.browser.script("dispatchEvent(new Event('afterprint'))")
                    self.check("the screen is as it was",
                               self.browser.script(shade) == other)
            finally:
                self.browser.close()

    def hostile(self):
        """Names that look like markup are shown as text."""
        kallsyms = os.path.join(self.scratch, "kallsyms")
        with open(kallsyms, "w", encoding="utf-8") as out:
            run = subprocess.run([self.kmemx, "stat", "--page", "--raw-ip", "--json",
                                  self.recording], check=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
            sites = {row["callsite"] for table in json.loads(run.stdout)["reports"]
                     for row in table["rows"] if str(row.get("callsite", "")).startswith("0x")}
            for site in sorted(sites):
                out.write(f"{int(site, 16) & ~0xf:016x} T {EVIL}\n")
        text = ("return document.images.length === 0 && document.title !== 'owned' &&"
                "document.querySelector(arguments[1]).textContent.includes(arguments[0])")
        for url in (self.page("hostile", "--kallsyms", kallsyms),
                    self.diff("hostile-sides", "--kallsyms", "", "--kallsyms", kallsyms)):
            self.browser.open(url)
            self.browser.wait(READY)
            self.check("markup in the table is text", self.browser.script(text, EVIL, "#table"))
            self.press("Callchains", "From the callsite")
            self.browser.keys("input[type=search]", EVIL)
            self.browser.keys("#flame", DOWN)
            self.check("markup found is text", not self.browser.script(
                "return document.querySelector('#hover').textContent").startswith("Found: 0.00 %"))
        self.browser.open(self.page("hostile", "--kallsyms", kallsyms))
        self.browser.wait(READY)
        self.press("Callchains", "From the callsite")
        self.browser.keys("#flame", DOWN)
        self.check("markup in the path is text", self.browser.script(text, EVIL, "nav"))

    def pictures(self, url, directory):
        """Makes screenshots for a human to check. Nothing may be wider than the window."""
        for name, width, height, dark in (("wide", 1280, 800, False), ("narrow", 390, 844, False),
                                          ("wide-dark", 1280, 800, True),
                                          ("narrow-dark", 390, 844, True)):
            self.browser = Browser(width, height, dark)
            if directory:
                os.makedirs(directory, exist_ok=True)
            try:
                self.browser.open(url)
                self.browser.wait(READY)
                self.check(name + ": nothing is beside the window", self.browser.script(
                    "return document.documentElement.scrollWidth <= innerWidth"))
                for place in ("h1", "#time", "#who", "#table"):
                    self.browser.script(
                        "document.querySelector(arguments[0]).scrollIntoView()", place)
                    if directory:
                        self.browser.picture(os.path.join(
                            directory, name + "-" + place.strip("#") + ".png"))
            finally:
                self.browser.close()

    def printed(self, url):
        """Paper shows what the page shows, drawn for the paper's width, even if the screen is dark
        or narrow."""
        for width, dark in ((1280, True), (400, False)):
            self.browser = Browser(width, 800, dark)
            try:
                self.browser.open(url)
                self.browser.wait(READY)
                self.browser.wait("document.querySelector('#flame').width > 100")
                read = "const e = document.querySelector('#flame'); return [e.clientWidth, e.width]"
                before = self.browser.script(read)
                pdf = self.browser.paper()
                self.check("a print is a PDF", pdf.startswith(b"%PDF") and len(pdf) > 20000, len(pdf))
                if shutil.which("pdftotext"):
                    text = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, check=True,
                                          stdout=subprocess.PIPE).stdout.decode()
                    self.check("it has the table and the command", all(
                        re.search(rf"{row['Allocated']}.* {row['Callsite']}", text)
                        for row in self.browser.script(ROWS)) and "The same numbers" in text, text)
                    self.check("it has at most four pages", text.count("\f") <= 4, text.count("\f"))
                self.browser.script("dispatchEvent(new Event('beforeprint'))")
                self.check("it is drawn for paper", self.browser.script(read) == [704, 2112],
                           self.browser.script(read))
                self.browser.script("dispatchEvent(new Event('afterprint'))")
                self.check("the screen is as before", self.browser.script(read) == before, before)
            finally:
                self.browser.close()

    def run(self, pictures=None):
        """Runs all checks."""
        url = self.page("page")
        self.browser = Browser()
        try:
            self.browser.open(url)
            self.browser.wait(READY)
            self.numbers()
            self.callchains()
            self.as_table()
            self.frames()
            self.sides()
            self.hostile()
            self.clocks()
            self.sampled()
            self.directories()
            self.lines()
            logged = self.browser.complaints()
            self.check("nothing is logged", not logged, logged)
        finally:
            self.browser.close()
        self.light()
        self.printed(url)
        self.pictures(url, pictures)
        self.pictures(self.diff("sides"), pictures and os.path.join(pictures, "sides"))
        print(f"browser: {self.checks - self.failures} of {self.checks} as they should be")
        return self.failures > 0


if __name__ == "__main__":
    sys.exit(main(Test))
