#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the options that select what is counted with rows, for every command that has them.

usage: selections.py KMEMX RECORDING SOURCE

The sums of `kmemx COMMAND --comm sh` must equal those of the row "sh" of `kmemx COMMAND --by comm`,
and likewise for each of pid, comm, cpu, callsite, cache and dir (the directories of SOURCE).
Commands without such rows must agree with kmemx stat on a selection, script by its number of
allocations, and all commands on a part of the time. An option that a command cannot take must give
a message that says so. Prints what differs; exit 1 if anything does.
"""
import collections
import json
import subprocess
import sys

OPTIONS = ("pid", "comm", "cpu", "callsite", "cache", "dir")
# Columns that add up, of commands with all kinds of rows.
BY = {
    "stat": ((), ("bytes", "hit")),
    "leaks": (("--older", "1ns"), ("bytes", "objects")),  # nothing is in flight
    "peak": (("--at", "60%"), ("bytes", "objects")),
    "owners": ((), ("bytes", "pages", "times")),
    "frag": ((), ("hit", "pages")),
    "percpu": ((), ("objects", "pages", "bytes")),
}
ALLOCS = ("kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node", "mm_page_alloc")
MOST = 4  # number of values of one kind to try
WINDOWS = (",50%", "40%,", "+0.1s,+0.4s")


class Selections:
    def __init__(self, kmemx, path, source):
        self.kmemx, self.path, self.source = kmemx, path, ("--source", source)
        self.wrong, self.tried = [], 0

    def run(self, command, *options):
        """The tables by name, the exit code and the message; no tables if nothing is left."""
        run = subprocess.run([self.kmemx, command, "-i", self.path, "--json", *options],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if run.returncode not in (0, 1, 2):
            self.wrong.append(f"{command} {options}: exit code {run.returncode}")
        tables = json.loads(run.stdout)["reports"] if not run.returncode else []
        # Tables by cache have another name.
        return {t["name"].replace("_cache", ""): t for t in tables}, run.returncode, run.stderr.decode()

    def expect(self, what, got, want):
        self.tried += 1
        if got != want:
            self.wrong.append(f"{what}: {got}, not {want}")

    def files(self, option):
        return self.source if option == "dir" else ()

    def refused(self, command, option):
        """An option that does not apply must give a message, not a number."""
        value = {"cache": "kmalloc-64"}.get(option, "1")
        _, code, message = self.run(command, f"--{option}", value, *self.files(option))
        self.expect(f"{command} --{option}: exit code", code, 2)
        if f"--{option} does not apply to kmemx {command}" not in message:
            self.wrong.append(f"{command} --{option}: {message!r}")

    def rows_of(self, command, option):
        """Sums of the columns of rows by the selecting option, by table and value."""
        usual, columns = BY[command]
        tables, code, _ = self.run(command, *usual, "--by", option, *self.files(option))
        if code:
            return None if code == 2 else {}
        rows = collections.defaultdict(collections.Counter)
        for name, table in tables.items():
            if name == "page_free_only":  # only frees, which a filter cannot select
                continue
            for row in table["rows"] if option in (table["by"] or "").split(",") else ():
                rows[str(row[option])].update({(name, c): row[c] for c in columns if c in row})
        return {value: sums for value, sums in rows.items() if any(sums.values())}

    def by_rows(self, command, option):
        usual, columns = BY[command]
        rows = self.rows_of(command, option)
        if rows is None:
            self.refused(command, option)
            return
        some = sorted(rows, key=lambda v: (-max(rows[v].values()), v))
        for value in [v for v in some if not set(v) & set("[]*?,()")][:MOST]:
            tables, _, _ = self.run(command, *usual, f"--{option}", value, *self.files(option))
            want = {k: n for k, n in rows[value].items() if n}
            got = collections.Counter()
            for name, table in tables.items():
                for row in table["rows"]:
                    got.update({(name, c): row[c] for c in columns
                                if c in row and (name, c) in rows[value]})
            # A directory includes its subdirectories.
            if option == "dir":
                want = collections.Counter()
                for v in rows:
                    if v == value or v.startswith(value + "/"):
                        want.update(rows[v])
                got = {k: n for k, n in got.items() if k in want}
            self.expect(f"{command} --{option} {value}",
                        {k: n for k, n in got.items() if n},
                        {k: n for k, n in want.items() if n})

    def stat(self, *options):
        """Values of stat by callsite: bytes and hits of slab and page, and net bytes."""
        sums = {c: collections.Counter() for c in ("bytes", "hit", "net")}
        for name, table in self.run("stat", "--caller", *options)[0].items():
            for row in table["rows"] if name in ("slab", "page") else ():
                for column in sums:
                    sums[column][name, row["callsite"]] += row[column]
        return sums

    def others(self, *options):
        """Compares the other commands' values of a selection with those of stat."""
        stat = self.stat(*options)
        tables, _, _ = self.run("summary", *options)
        rows = [((r["of"], r["callsite"]), r["bytes"])
                for r in tables.get("summary", {"rows": ()})["rows"] if r["about"] == "allocated"]
        largest = sorted(((k, n) for k, n in stat["bytes"].items() if n),
                         key=lambda i: (-i[1], i[0][1]))
        self.expect(f"summary {options}", rows, largest[:3])
        tables, _, _ = self.run("advise", *options)
        if tables:
            hits = sum(n for (name, site), n in stat["hit"].items()
                       if name == "slab" or site != "[unknown]")
            self.expect(f"advise {options}", tables["advice"]["summary"]["allocs"], hits)
        self.script(stat, *options)
        return stat

    def script(self, stat, *options):
        """Checks that the allocations among script's lines are those that stat counts."""
        run = subprocess.run([self.kmemx, "script", "-i", self.path, "--json", *options],
                             stdout=subprocess.PIPE, check=False)
        lines = map(json.loads, run.stdout.splitlines())
        found = collections.Counter(line.get("event") for line in lines)
        failed = self.run("stat", "--caller", *options)[0].get("page_failed", {"rows": ()})["rows"]
        self.expect(f"script {options}", sum(found[name] for name in ALLOCS),
                    sum(stat["hit"].values()) + sum(row["hit"] for row in failed))

    def window(self, window):
        time = ("--time", window)
        stat = self.others(*time)
        live = collections.Counter()
        for (name, _), net in stat["net"].items():
            live[name] += net
        tables, _, _ = self.run("leaks", *time)
        for of, name in (("slab", "leaks"), ("page", "leaks_page")):
            if name in tables:
                self.expect(f"leaks {time}: {name}", tables[name]["summary"]["bytes_live"],
                            live[of])
        rows = self.run("owners", *time)[0].get("owners", {"rows": ()})["rows"]
        self.expect(f"owners {time}", sum(r["bytes"] for r in rows), live["page"])
        # If a part begins with the recording, the live bytes at its end are those of stat.
        if window.startswith(","):
            tables, _, _ = self.run("peak", "--at", window[1:])
            for of, name in (("slab", "peak"), ("page", "peak_page")):
                rows = tables.get(name, {"rows": ()})["rows"]
                self.expect(f"peak --at {window[1:]}: {name}", sum(r["bytes"] for r in rows),
                            live[of])


def main():
    kmemx, path, source = sys.argv[1:4]
    s = Selections(kmemx, path, source)
    for option in OPTIONS:
        for command in BY:
            s.by_rows(command, option)
        values = sorted(v for v in s.rows_of("stat", option) if not set(v) & set("[]*?,()"))
        for value in values[:MOST]:
            s.others(f"--{option}", value, *s.files(option))
    for window in WINDOWS:
        s.window(window)
    if s.tried < 30:
        s.wrong.append(f"only {s.tried} comparisons")
    print("\n".join(s.wrong[:20]))
    return 1 if s.wrong else 0


sys.exit(main())
