#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares every format of kmemx export with the reports of the same recording.

usage: exports.py KMEMX RECORDING [OPTION...]

The allocated bytes, the live bytes and the peak in each format must add up to those of kmemx stat
and kmemx peak, for slab objects and for pages, with all rows, and with the largest three plus one
for the others. All of these commands get the OPTIONs, which select what is counted. This file reads
each format without kmemx; a format that kmemx lists and this file cannot read is an error. Prints
what differs; exit 1 if anything does.
"""
import collections
import csv
import ctypes
import functools
import gzip
import io
import json
import re
import sys

import model

METRICS = ("hit", "bytes", "live", "bytes_live", "bytes_peak")
# Formats in which live memory is what was seen; in the others it is the best estimate.
SEEN = ("heaptrack", "firefox", "chrome", "ndjson", "csv", "parquet")
WEIGHTS = {"hits": "hit", "bytes": "bytes", "live": "bytes_live", "peak": "bytes_peak"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a protocol buffers message: pairs of number and value."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            size, value = value, data[at:at + value]
            at += size
            if len(value) != size:
                raise ValueError("a field ends behind the message")
        elif tag & 7:
            raise ValueError(f"wire type {tag & 7}")
        yield tag >> 3, value


def packed(data):
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


def by_number(data):
    all_of = collections.defaultdict(list)
    for number, value in fields(data):
        all_of[number].append(value)
    return all_of


def label_of(sample, strings, key):
    for label in map(by_number, sample[3]):
        if strings[label[1][0]] == key:
            return strings[label[2][0]]
    return None


def check_ids(profile, strings):
    """Checks that everything referred to exists, as pprof's own check requires."""
    locations = [by_number(location) for location in profile[4]]
    functions = {by_number(function)[1][0] for function in profile[5]}
    mappings = {by_number(mapping)[1][0] for mapping in profile[3]}
    ids = {location[1][0] for location in locations}
    if strings[0] or len(ids) != len(locations) or 0 in ids:
        raise ValueError("bad string 0 or location ids")
    for location in locations:
        line = by_number(location[4][0])
        if line[1][0] not in functions or location[2][0] not in mappings:
            raise ValueError("a location of nothing")
    return ids


def read_pprof(output):
    profile = by_number(gzip.decompress(output))
    strings = [text.decode() for text in profile[6]]
    names = [strings[by_number(kind)[1][0]] for kind in profile[1]]
    words = dict(zip(("alloc_objects", "alloc_space", "inuse_objects", "inuse_space", "peak_space"),
                     METRICS))
    ids, sums = check_ids(profile, strings), collections.Counter()
    for sample in map(by_number, profile[2]):
        values = list(packed(sample[2][0]))
        if len(values) != len(names) or not set(packed(sample[1][0])) <= ids:
            raise ValueError("a sample without its values or locations")
        for name, value in zip(names, values):
            sums[label_of(sample, strings, "allocator"), words[name]] += value
    return sums


def read_speedscope(output):
    file = json.loads(output)
    names = [frame["name"] for frame in file["shared"]["frames"]]
    words = dict(zip(("allocations", "allocated bytes", "live allocations", "live bytes",
                      "bytes at the peak"), METRICS))
    sums = collections.Counter()
    for profile in file["profiles"]:
        if len(profile["samples"]) != len(profile["weights"]):
            raise ValueError("samples without weights")
        if profile["endValue"] != sum(profile["weights"]):
            raise ValueError("endValue is not the sum")
        for sample, weight in zip(profile["samples"], profile["weights"]):
            sums[names[sample[0]], words[profile["name"]]] += weight
    return sums


def read_ndjson(output):
    sums = collections.Counter()
    for line in output.decode().splitlines():
        add_row(sums, json.loads(line))
    return sums


@functools.lru_cache(10000)
def stack_id(stack):
    value = 0xcbf29ce484222325
    for byte in stack.encode():
        value = (value ^ byte) * 0x100000001b3 % (1 << 64)
    return f"{value:016x}"


def add_row(sums, row):
    for metric in METRICS:
        sums[row["allocator"], metric] += int(row[metric] or 0)
    if row["stack_id"] != stack_id(row["stack"]):
        raise ValueError(f"stack_id {row['stack_id']} of {row['stack']}")
    if not row["recording_id"] or json.loads(row["labels"]) != {}:
        raise ValueError("a row without what the recording is")
    if row["balance"] and min(map(len, json.loads(row["balance"]).values())) != 2:
        raise ValueError("a balance without before and after")
    if int(row["net_min"] or 0) > int(row["net_max"] or 0):
        raise ValueError("more must be live than can")


def read_csv(output):
    sums = collections.Counter()
    for row in csv.DictReader(io.StringIO(output.decode())):
        add_row(sums, row)
    return sums


def zstd(data, size):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    to = ctypes.create_string_buffer(size)
    got = library.ZSTD_decompress(to, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    if got != size:
        raise ValueError("a page is not as large as it says")
    return to.raw


def thrift(data, at):
    """A structure in Thrift's compact protocol: its fields and its end."""
    def number():
        nonlocal at
        value, at = varint(data, at)
        return value >> 1 ^ -(value & 1)

    def value_of(kind):
        nonlocal at
        if kind in (5, 6):
            return number()
        if kind == 8:
            size, at = varint(data, at)
            at += size
            return data[at - size:at]
        if kind == 9:
            head = data[at]
            at += 1
            nr = head >> 4
            if nr == 15:
                nr, at = varint(data, at)
            return [value_of(head & 15) for _ in range(nr)]
        if kind != 12:
            raise ValueError(f"Thrift type {kind}")
        value, at = thrift(data, at)
        return value

    of, last = {}, 0
    while data[at]:
        last, kind = last + (data[at] >> 4), data[at] & 15
        at += 1
        of[last] = value_of(kind)
    return of, at + 1


def hybrid(data, at, end, nr):
    """Runs and packed bits, one bit each."""
    bits = []
    while at < end and len(bits) < nr:
        head, at = varint(data, at)
        if head & 1:
            for byte in data[at:at + (head >> 1)]:
                bits += [byte >> i & 1 for i in range(8)]
            at += head >> 1
        else:
            bits += [data[at]] * (head >> 1)
            at += 1
    if len(bits) < nr:
        raise ValueError("levels are missing")
    return bits[:nr]


def plain(data, at, kind, nr):
    values = []
    for _ in range(nr):
        if kind == 2:
            values.append(int.from_bytes(data[at:at + 8], "little"))
            at += 8
        else:
            size = int.from_bytes(data[at:at + 4], "little")
            values.append(data[at + 4:at + 4 + size].decode())
            at += 4 + size
    if at != len(data):
        raise ValueError("values that nobody counted")
    return values


def parquet_page(data, at, codec):
    head, at = thrift(data, at)
    packed = data[at:at + head[3]]
    page = zstd(packed, head[2]) if codec == 6 else gzip.decompress(packed) if codec == 2 else packed
    if len(page) != head[2]:
        raise ValueError("a page's size is wrong")
    return head, page, at + head[3]


def parquet_column(data, column, element):
    """The values of a column chunk, None for NULL."""
    at, words = column.get(11, column[9]), None
    if 11 in column:
        head, page, at = parquet_page(data, at, column[4])
        words = plain(page, 0, column[1], head[7][1])
    if at != column[9]:
        raise ValueError("a data page is elsewhere")
    head, page, at = parquet_page(data, at, column[4])
    nr, at = head[5][1], 0
    if nr != column[5]:
        raise ValueError("a page has not all values")
    known = [1] * nr
    if element[3]:
        size = int.from_bytes(page[:4], "little")
        known = hybrid(page, 4, 4 + size, nr)
        at = 4 + size
    if head[5][2] == 8:
        values = [words[i] for i in hybrid(page, at + 1, len(page), sum(known))]
    else:
        values = plain(page, at, column[1], sum(known))
    values = iter(values)
    return [next(values) if one else None for one in known]


def read_parquet(output):
    if output[:4] != b"PAR1" or output[-4:] != b"PAR1":
        raise ValueError("no Parquet")
    size = int.from_bytes(output[-8:-4], "little")
    file, end = thrift(output[:-8], len(output) - 8 - size)
    if end != len(output) - 8:
        raise ValueError("the description does not end where it should")
    names = [element[4].decode() for element in file[2][1:]]
    sums, nr = collections.Counter(), 0
    for group in file[4]:
        columns = [parquet_column(output, chunk[3], element)
                   for chunk, element in zip(group[1], file[2][1:])]
        for values in zip(*columns):
            add_row(sums, dict(zip(names, values)))
            nr += 1
    if nr != file[3]:
        raise ValueError(f"{nr} rows, not {file[3]}")
    return sums


def read_dhat(output):
    file = json.loads(output)
    names, sums, seen = file["ftbl"], collections.Counter(), set()
    if file["dhatFileVersion"] != 2 or names[0] != "[root]":
        raise ValueError("no DHAT file")
    for point in file["pps"]:
        if tuple(point["fs"]) in seen:
            raise ValueError("a callchain stands there twice")
        seen.add(tuple(point["fs"]))
        allocator = names[point["fs"][-1]]
        for key, metric in zip(("tb", "tbk", "eb", "ebk", "gb"),
                               ("bytes", "hit", "bytes_live", "live", "bytes_peak")):
            sums[allocator, metric] += point.get(key, 0)
        if file["bklt"] and not point["tb"] >= point["mb"] >= max(point["gb"], point["eb"]):
            raise ValueError(f"a maximum that is none: {point}")
        if file["bklt"] and not point["tbk"] >= max(point["mbk"], point["gbk"], point["ebk"]):
            raise ValueError(f"more lived than there were: {point}")
        if file["bklt"] and point["tl"] > point["tbk"] * file["te"]:
            raise ValueError(f"longer lives than the recording: {point}")
    return sums


def add_history(changes):
    """Sums of pairs of an allocator and bytes, which are negative for frees."""
    sums, live, total, most = collections.Counter(), collections.Counter(), 0, 0
    for allocator, size in changes:
        if not size:
            continue  # a start looks like an end
        live[allocator] += size
        total += size
        if live[allocator] < 0:
            raise ValueError("more ended than had begun")
        sums[allocator, "live"] += 1 if size > 0 else -1
        if size > 0:
            sums[allocator, "hit"] += 1
            sums[allocator, "bytes"] += size
        if total > most:
            most = total
            sums.update({(name, "bytes_peak"): value - sums[name, "bytes_peak"]
                         for name, value in live.items()})
    sums.update({(name, "bytes_live"): value for name, value in live.items()})
    return sums


def unzstd(data):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    size = 1 << 20
    while size <= 1 << 30:
        to = ctypes.create_string_buffer(size)
        got = library.ZSTD_decompress(to, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
        if got <= size:
            return to.raw[:got]
        size *= 4
    raise ValueError("no zstd")


def heaptrack_changes(output):
    strings, frames, roots, infos, clock = [""], [""], [""], [], 0
    for line in unzstd(output).decode().splitlines():
        letter, _, rest = line.partition(" ")
        words = rest.split(" ")
        if letter == "s":
            size, text = rest.split(" ", 1)
            if len(text.encode()) != int(size, 16):
                raise ValueError(f"a string's length is wrong: {line!r}")
            strings.append(text)
        elif letter == "i":
            frames.append(strings[int(words[2], 16)])
        elif letter == "t":
            frame, parent = (int(word, 16) for word in words)
            roots.append(roots[parent] or frames[frame])
        elif letter == "a":
            infos.append((roots[int(words[1], 16)], int(words[0], 16)))
        elif letter == "c":
            if int(rest, 16) < clock:
                raise ValueError("the time goes back")
            clock = int(rest, 16)
        elif letter in "+-":
            allocator, size = infos[int(rest, 16)]
            yield allocator, size if letter == "+" else -size
        elif letter not in "vXI#":
            raise ValueError(f"no record: {line!r}")


def read_heaptrack(output):
    return add_history(heaptrack_changes(output))


def firefox_changes(file):
    strings, thread = file["shared"]["stringArray"], file["threads"][0]
    stacks, frames, names = thread["stackTable"], thread["frameTable"], thread["funcTable"]["name"]
    roots, lives = [], {}
    for frame, prefix in zip(stacks["frame"], stacks["prefix"]):
        roots.append(strings[names[frames["func"][frame]]] if prefix is None else roots[prefix])
    all_of = thread["nativeAllocations"]
    columns = [all_of[key] for key in ("time", "weight", "stack", "memoryAddress")]
    if {len(column) for column in columns} != {all_of["length"]}:
        raise ValueError("columns of different lengths")
    for _, weight, stack, address in zip(*columns):
        if weight > 0 and lives.setdefault(address, weight) != weight:
            raise ValueError("an address that lives already")
        if weight < 0 and lives.pop(address) != -weight:
            raise ValueError("not what was allocated there")
        yield roots[stack], weight


def read_firefox(output):
    file = json.loads(output)
    counter = file["counters"][0]["samples"]
    if counter["count"] != [0] + file["threads"][0]["nativeAllocations"]["weight"]:
        raise ValueError("the counter is another")
    if not len(counter["time"]) == len(counter["count"]) == counter["length"]:
        raise ValueError("a counter's columns of different lengths")
    return add_history(firefox_changes(file))


def read_chrome(output):
    sums, most, latest = collections.Counter(), -1, {}
    for event in json.loads(output)["traceEvents"]:
        if event["ph"] != "C" or event["name"] == "free bytes by order":
            continue
        latest[event["name"]] = event["args"]
        if event["name"] == "live bytes" and sum(event["args"].values()) > most:
            most = sum(event["args"].values())
            peak = event["args"]
        if len(latest) == 3:
            for name, allocator in ("slab objects by cache", "slab"), ("pages by migratetype", "page"):
                if sum(latest[name].values()) != latest["live bytes"][allocator]:
                    raise ValueError(f"{name}: another sum")
            live, latest = latest["live bytes"], {}
    for allocator in live:
        sums[allocator, "bytes_live"] = live[allocator]
        sums[allocator, "bytes_peak"] = peak[allocator]
    return sums


def read_openmetrics(output):
    if output.decode().splitlines()[-1] != "# EOF":
        raise ValueError("no end")
    return read_prometheus(output)


def read_prometheus(output):
    words = dict(zip(("kmemx_allocs_total", "kmemx_alloc_bytes_total", "kmemx_live_allocs",
                      "kmemx_live_bytes", "kmemx_peak_bytes"), METRICS))
    sums, seen = collections.Counter(), set()
    for line in output.decode().splitlines():
        sample = re.fullmatch(r'(\w+)\{allocator="(\w+)",callsite="(?:[^"\\]|\\.)*"\} (\d+)', line)
        if sample:
            series = line.rsplit(" ", 1)[0]
            if series in seen:
                raise ValueError(f"twice: {series}")
            seen.add(series)
            sums[sample[2], words[sample[1]]] += int(sample[3])
        elif not re.fullmatch(r"# .*|kmemx_\w+ \d+", line):
            raise ValueError(f"no sample: {line!r}")
    return sums


def read_folded(output, metric):
    sums = collections.Counter()
    for line in output.decode().splitlines():
        stack, value = re.fullmatch(r"(.+) ([1-9]\d*)", line).groups()
        sums[stack.split(";")[0], metric] += int(value)
    return sums


READERS = {"pprof": read_pprof, "speedscope": read_speedscope, "ndjson": read_ndjson,
           "openmetrics": read_openmetrics, "prometheus": read_prometheus, "csv": read_csv, "parquet": read_parquet,
           "dhat": read_dhat, "heaptrack": read_heaptrack, "firefox": read_firefox,
           "chrome": read_chrome}
# In formats that know only whole blocks, a block freed in pieces is several allocations.
IN_PIECES = "heaptrack", "firefox"
# Options for one kind of memory only.
ONLY = {"--order": ("--page",), "--cache": ("--slab",)}
# Counters have no totals.
HAS = {"chrome": ("bytes_live", "bytes_peak")}


# Formats with live bytes over time and one peak of all memory; kmemx peak has one for each kind.
JOINT = "chrome", "dhat", "firefox", "heaptrack"


# Tables of stat, and what exports call their kind of memory.
ALLOCATORS = {"slab": "slab", "page": "page", "vmalloc": "vmalloc", "percpu_memory": "percpu"}


class Exports:
    def __init__(self, kmemx, path, *selection):
        self.kmemx, self.path, self.wrong = kmemx, path, []
        self.selection = selection
        # A sample is exported without scaling.
        self.sample = None
        self.sample = json.loads(self.run("stat", "--json"))["recording"]["sample"]
        self.kinds = next((ONLY[word] for word in selection if word in ONLY),
                          ("--slab", "--page", "--vmalloc", "--percpu-memory"))
        self.pieces = False
        self.unsized = 0  # objects, at most, without bytes, which these formats cannot count
        self.likely = {}
        self.peaks = collections.Counter()  # best estimates, by allocator

    def run(self, command, *options):
        if self.sample and command != "export":
            options += ("--unscaled",)
        run = model.run(self.kmemx, command, "-i", self.path, *self.selection, *options)
        if run.returncode not in (0, 1):
            self.wrong.append(f"{command} {options}: {run.returncode}: {run.stderr.decode()}")
        return run.stdout if not run.returncode else None

    def tables(self, command, *options):
        output = self.run(command, "--json", *options)
        return {t["name"]: t for t in json.loads(output)["reports"]} if output else {}

    def totals(self):
        """The totals that formats must add up to."""
        want = collections.Counter()
        for name, table in self.tables("stat", *self.kinds, "--caller").items():
            if name in ALLOCATORS:
                for row in table["rows"]:
                    want.update({(ALLOCATORS[name], "hit"): row["hit"], (ALLOCATORS[name], "bytes"): row["bytes"]})
                self.unsized = max(self.unsized, table["summary"].get("allocs_bulk", 0))
        for name, table in self.tables("stat", *self.kinds, "--caller", "--live").items():
            if name in ALLOCATORS:
                self.pieces |= bool(table["summary"].get("frees_split") or
                                    table["summary"].get("bytes_live_implicit"))
                live = table["summary"]["bytes_live" if name == "page" else "bytes_net"]
                want[ALLOCATORS[name], "bytes_live"] += live or 0
                likely = table["summary"].get("bytes_net_estimate")
                if likely != live and name == "slab":
                    self.likely = {"bytes_live": likely, "live": sum(row["hit"] for row in table["rows"])}
                # Unknown values must be unknown in all formats.
                want[ALLOCATORS[name], "live"] += (
                    0 if live is None else sum(row["hit"] or 0 for row in table["rows"]) if name == "page"
                    else table["summary"]["allocs_live"])
        for name, table in self.tables("peak").items():
            allocator = ALLOCATORS[name[len("peak_"):] or "slab"]
            want[allocator, "bytes_peak"] += sum(row["bytes_seen"] or 0 for row in table["rows"])
            self.peaks[allocator] += sum(row["bytes"] or 0 for row in table["rows"])
        return want

    def check(self, name, output, want, read):
        if output is None:
            self.wrong.append(f"{name}: no output")
            return
        try:
            got = read(output)
        except (ValueError, KeyError, IndexError, AttributeError) as error:
            self.wrong.append(f"{name}: {type(error).__name__}: {error}")
            return
        if name.split()[0] in JOINT and len({kind for kind, _ in +want}) > 1:
            want, got = ({key: value for key, value in sums.items() if key[1] != "bytes_peak"}
                         for sums in (want, got))
            want, got = collections.Counter(want), collections.Counter(got)
        for metric, likely in () if name.split()[0] in SEEN else self.likely.items():
            # Estimates of rows are rounded, to bytes and to objects.
            key = "slab", metric
            if want[key]:
                got[key] = want[key] if abs(got[key] - likely) <= likely / 20 else -got[key]
        for allocator, likely in () if name.split()[0] in JOINT else self.peaks.items():
            # Each row has its own share, so the sum differs a little from that by callsite.
            key = allocator, "bytes_peak"
            if likely != want[key] > 0:
                got[key] = want[key] if abs(got[key] - likely) <= likely / 20 else -got[key]
        if name.split()[0] in IN_PIECES:
            for key in list(got):
                if key[1] in ("hit", "live") and got[key] >= want[key] - self.unsized and (
                        self.pieces or got[key] <= want[key]):
                    got[key] = want[key]
        if +got != +want:
            self.wrong.append(f"{name}: {dict(+got)}, not {dict(+want)}")

    def check_format(self, name, want, lines):
        if name in HAS:
            want = collections.Counter({key: value for key, value in want.items()
                                        if key[1] in HAS[name]})
        if name != "folded":
            self.check(f"{name} {lines}", self.run("export", "--format", name, *lines), want, READERS[name])
            return
        for weight, metric in WEIGHTS.items():
            part = collections.Counter({key: value for key, value in want.items() if key[1] == metric})
            self.check(f"folded {weight} {lines}",
                       self.run("export", "--format", name, "--weight", weight, *lines), part,
                       lambda output, of=metric: read_folded(output, of))

    def check_one(self, name, allocator, want):
        """Checks formats of one kind of memory, with the peak of that kind."""
        part = collections.Counter({key: value for key, value in want.items() if key[0] == allocator})
        if not +part:
            return
        option = "--percpu-memory" if allocator == "percpu" else f"--{allocator}"
        peak = self.tables("peak", option).values()
        part[allocator, "bytes_peak"] = sum(row["bytes_seen"] or 0 for t in peak for row in t["rows"])
        self.check_format(name, part, (option,))

    def check_all(self):
        want = self.totals()
        formats = model.run(self.kmemx, "export", "--format", "help").stdout.decode()
        names = re.findall(r"^(\w+)", formats, re.M)
        for name in names:
            if name not in READERS and name != "folded":
                self.wrong.append(f"{name}: this test does not know that format")
                continue
            for lines in (), ("-l", "3"):
                self.check_format(name, want, lines)
            for allocator in ALLOCATORS.values():
                self.check_one(name, allocator, want)
        return bool(names) and any(want.values())


def main():
    exports = Exports(*sys.argv[1:])
    if not exports.check_all():
        exports.wrong.append("nothing was compared")
    print("\n".join(exports.wrong))
    return bool(exports.wrong)


if __name__ == "__main__":
    sys.exit(main())
