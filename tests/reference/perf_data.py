#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares kmemx's recording with what perf recorded at the same time, event by event.

usage: perf_data.py KMEMX OURS PERFS

OURS and PERFS are recordings with the same clock; PERFS was imported. A tracepoint calls ftrace and
perf one after the other, so the two times of an event differ slightly: compares events between
pauses. Omits the first and the last 200 ms of PERFS, because perf switches its events on and off
one by one.

Prints START,STOP of the longest time in which both have the same events, their number, the number
of all events that both have, and how many perf and kmemx lack. Besides the events that it reports
as lost, perf drops some without counting them: one in ten is allowed. ftrace does not count an
event that it drops because it interrupts another one at the same level: one in ten thousand is
allowed. Exit 1 if more are missing.

Reads both as streams, and keeps only the events between two pauses and those that one side lacks.
"""
import collections
import heapq
import json
import re
import subprocess
import sys

LINE = re.compile(r"\s*(.*)-(\d+)\s+\[(\d+)\]\s+([\d.]+): (\w+): +(.*)$")
EVENTS = "kmalloc,kmem_cache_alloc,kfree,kmem_cache_free,mm_page_alloc,mm_page_free"
PERF_MAY_LACK, KMEMX_MAY_LACK = 0.1, 0.0001
# Nanoseconds and microseconds.
EDGE = 200000000
PAUSE = 20
# Busy machines have more events than this test has time to compare.
MAX_EVENTS = 1000000


def events(kmemx, path, span, sign):
    """(microseconds, sign, (CPU, process, event, fields)), in time order"""
    command = [kmemx, "script", "-i", path, "-e", EVENTS, "--time", span]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as script:
        for line in script.stdout:
            m = LINE.match(line.decode(errors="replace"))
            if m:
                yield (int(m[4].replace(".", "")), sign, (int(m[3]), int(m[2]), m[5], m[6]))


def seconds(nanoseconds):
    return "%d.%06d" % (nanoseconds // 10**9, nanoseconds % 10**9 // 1000)


def load_info(kmemx, path):
    return json.loads(subprocess.run([kmemx, "info", "--json", "-i", path], check=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def span_of(info):
    start, stop = info["first_ts"] + EDGE, info["last_ts"] - EDGE
    if start >= stop:
        sys.exit("perf's recording is too short")
    return "%s,%s" % (seconds(start), seconds(stop))


def pieces(merged):
    """Yields for each time between two pauses: the middle of each, number of pairs, events that one
    side lacks"""
    begin = last = None
    nr, differ = 0, collections.Counter()
    for t, sign, event in merged:
        if last is not None and t - last >= PAUSE:
            middle = (last + t) // 2
            if begin is not None:
                yield begin, middle, nr // 2, differ
            begin, nr, differ = middle, 0, collections.Counter()
        last = t
        nr += 1
        differ[event] += sign
        if not differ[event]:
            del differ[event]


class Longest:
    """The consecutive equal pieces with the most events"""

    def __init__(self):
        self.nr, self.start, self.stop = 0, 0, 0
        self.now = self.since = 0

    def add(self, begin, end, nr, equal):
        if not equal:
            self.now = 0
            return
        if not self.now:
            self.since = begin
        self.now += nr
        if self.now > self.nr:
            self.nr, self.start, self.stop = self.now, self.since, end


def main():
    kmemx, ours, perfs = sys.argv[1:]
    info = load_info(kmemx, perfs)
    span = span_of(info)
    merged = heapq.merge(events(kmemx, ours, span, 1), events(kmemx, perfs, span, -1),
                         key=lambda event: event[0])
    longest, differ, both = Longest(), collections.Counter(), 0
    for begin, end, nr, lacking in pieces(merged):
        longest.add(begin, end, nr, not lacking)
        both += nr
        # If an event's two times are on both sides of a pause, they cancel out in the end.
        for event, sign in lacking.items():
            differ[event] += sign
            if not differ[event]:
                del differ[event]
        if both >= MAX_EVENTS:
            break
    perf_lacks = sum(n for n in differ.values() if n > 0)
    extra = [event for event, n in differ.items() if n < 0]
    print("%s,%s %d %d %d %d" % (seconds(longest.start * 1000), seconds(longest.stop * 1000),
                                 longest.nr, both, perf_lacks, len(extra)))
    for event in extra[:10]:
        print("perf only:", *event, file=sys.stderr)
    if perf_lacks > info["lost"] + PERF_MAY_LACK * both:
        print("perf lacks %d of %d, and lost %d" % (perf_lacks, both, info["lost"]),
              file=sys.stderr)
        return 1
    return 1 if len(extra) > 1 + KMEMX_MAY_LACK * both else 0


if __name__ == "__main__":
    sys.exit(main())
