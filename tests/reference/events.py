#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares kmemx script with trace-cmd's reading of a whole recording.

usage: events.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped. Every event must occur once, with
the same time, CPU, task, name and fields, and so must every loss. Prints what differs; exit 1 if
anything does.
"""
import collections
import functools
import gzip
import itertools
import json
import re
import subprocess
import sys

LINE = re.compile(r"^\s*(.*)-(-?\d+)\s+\[(\d+)\]\s*([\d.]+): (\w+):\s*(.*)$")
GAP = re.compile(r"^CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]")
# A value ends at the next "name=", as task names may contain spaces.
FIELD = re.compile(r"(\w+)=(.*?)(?=\s+\w+=|$)")


@functools.lru_cache(10000)
def value(text):
    """A field of trace-cmd, converted to a number if possible."""
    if text == "(nil)":
        return 0
    try:
        return int(text, 0) & (1 << 64) - 1
    except ValueError:
        return text.split(" ")[0]


def shown(key, content, event):
    """The same for a field of kmemx script --json."""
    if key == "call_site":
        site = event.get("callsite", "0x0").split(" ")[0]
        return value(site) if site.startswith("0x") else site
    if isinstance(content, str):
        content = f"ARRAY[{content.replace(' ', ', ')}]" if " " in content and key == "p" else content
        return value(content) if re.fullmatch("0x[0-9a-f]+|-?[0-9]+", content) else \
            content.split(" ")[0]
    return int(content) & (1 << 64) - 1


def kept(name, fields):
    """Only the size of a stack, which may have more or fewer frames than its format says."""
    return {"size": fields["size"]} if name == "kernel_stack" else fields


def parsed(path):
    """The groups of all lines, and the losses by CPU."""
    lines, gaps = [], collections.defaultdict(list)
    with gzip.open(path, "rt", errors="replace") as text:
        for line in text:
            event = LINE.match(line)
            gap = None if event else GAP.match(line)
            if event:
                lines.append(event.groups())
            elif gap:
                gaps[int(gap[1])].append(int(gap[2]) if gap[2] else None)
    return lines, gaps


def reference(lines):
    events = []
    for comm, pid, cpu, time, name, rest in lines:
        # The kernel prints these without 0x.
        fields = {k: int(v, 16) if k.startswith("__probe") or k == "clone_flags" else value(v)
                  for k, v in FIELD.findall(rest)}
        events.append((int(time.replace(".", "")), int(cpu), int(pid), name,
                       comm.split(": ")[-1].strip(), kept(name, fields)))
    return events


def kmemx_script(kmemx, recording):
    """The events of kmemx script in its order, and the losses."""
    out = subprocess.run([kmemx, "script", "-i", recording, "--json", "--event", "*"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    events, gaps = [], collections.defaultdict(list)
    for line in out.stdout.splitlines():
        got = json.loads(line)
        if "lost" in got:
            gaps[got["cpu"]].append(got["lost"])
            continue
        fields = {k: shown(k, v, got) for k, v in got["fields"].items() if v is not None}
        events.append((got["ts"], got["cpu"], got["pid"], got["event"], got["comm"],
                       kept(got["event"], fields)))
    return events, gaps


def own_stacks(lines):
    """By CPU, the frames of each event's own stack as (event, number, text of the first 8).

    The kernel writes an event and then its stack; only interrupts, with complete pairs of their
    own, come between them. None if some event has no stack.
    """
    waiting, found = collections.defaultdict(list), collections.defaultdict(list)
    for _, pid, cpu, _, name, rest in lines:
        if name != "kernel_stack":
            found[int(cpu)].append([name, None, None])
            waiting[cpu].append((pid, found[int(cpu)][-1]))
            continue
        if not waiting[cpu] or waiting[cpu][-1][0] != pid:
            return None
        size, frames = re.match(r"size=(\d+) caller=ARRAY\[(.*?)\]", rest).groups()
        waiting[cpu].pop()[1][1:] = int(size), bytes.fromhex(frames.replace(",", ""))
    return None if any(waiting.values()) else found


def stack_differences(kmemx, recording, expected):
    info = json.loads(subprocess.run([kmemx, "info", "--json", recording], check=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    out = subprocess.run([kmemx, "script", "-i", recording, "--json", "--callchain", "--raw-ip"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    size, got = info["long_size"], collections.defaultdict(list)
    for line in out.stdout.splitlines():
        event = json.loads(line)
        frames = [(0 if f == "[unknown]" else int(f, 16)).to_bytes(size, info["endian"])
                  for f in event.get("stack", ())]  # a frame of 0 has no address in the text
        got[event["cpu"]].append([event["event"], len(frames), b"".join(frames)])
    if info["stacks_unclaimed"]:
        yield f"{info['stacks_unclaimed']} stacks of no event"
    for cpu in sorted(expected.keys() | got.keys()):
        if len(expected[cpu]) != len(got[cpu]):
            yield f"CPU {cpu}: {len(expected[cpu])} events, kmemx {len(got[cpu])}"
        for (name, nr, frames), other in zip(expected[cpu], got[cpu]):
            length = min(len(frames), nr * size)
            if [name, nr, frames[:length]] != [*other[:2], other[2][:length]]:
                yield f"CPU {cpu}: {name} with {nr} frames, kmemx {other[0]} with {other[1]}"


def same_fields(expected, got):
    common = {k: v for k, v in expected.items() if k in got}
    return bool(got or not expected) and len(common) == len(got) and all(
        got[k] == v or {got[k], v} <= {0xffffffff, 0xffffffffffffffff}
        for k, v in common.items())


def in_order(events):
    """Sorts by time, CPU, task and name; events that share these, by their fields."""
    events = sorted(events, key=lambda e: e[:4])
    for _, same in itertools.groupby(events, key=lambda e: e[:4]):
        same = list(same)
        if len(same) > 1:
            same.sort(key=lambda e: repr(sorted(e[5].items())))
        yield from same


def differences(expected, got):
    times = [event[0] for event in got]
    if times != sorted(times):
        yield "kmemx script is not in order of time"
    if len(expected) != len(got):
        yield f"{len(expected)} events, kmemx {len(got)}"
    for one, other in zip(in_order(expected), in_order(got)):
        if one[:5] != other[:5] or not same_fields(one[5], other[5]):
            yield f"{one}\n  kmemx {other}"


def main():
    kmemx, recording, text = sys.argv[1:4]
    lines, expected_gaps = parsed(text)
    expected = reference(lines)
    got, gaps = kmemx_script(kmemx, recording)
    if not expected:
        sys.exit(f"{text}: no event in it")
    wrong = list(differences(expected, got))
    if expected_gaps != gaps:
        wrong.append(f"losses {dict(expected_gaps)}, kmemx {dict(gaps)}")
    stacks = own_stacks(lines)
    if stacks:
        wrong += stack_differences(kmemx, recording, stacks)
    print("\n".join(wrong[:5]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
