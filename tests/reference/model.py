#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A slow and simple second implementation of kmemx's accounts, from trace-cmd's text.

usage: model.py KMEMX RECORDING TEXT

TEXT is RECORDING as trace-cmd report -R -t prints it, gzipped. The totals, the slab rows by
function and the page matrix of `kmemx stat --json` must equal those of this model, which has one
dictionary entry per object and per page frame. So must the account table by call site, CPU and pid.
Prints what differs; exit 1 if anything does.

usage: model.py --identities KMEMX RECORDING

Only checks that the summary's lines add up, without a text.

usage: model.py --counts KMEMX RECORDING

Only checks that stat has every event that kmemx script and info have: each request for memory is in
a row or among the failed ones.
"""
import bisect
import collections
import functools
import gzip
import itertools
import json
import re
import struct
import subprocess
import sys

LINE = re.compile(r"-(\d+)\s+\[(\d+)\]\s*([\d.]+): (\w+):\s+(.*)$")
GAP = re.compile(r"^CPU:(\d+) \[(?:\d+ )?EVENTS DROPPED\]")
FIELD = re.compile(r"(\w+)=(ARRAY\[.*?\]|\S+)")
ALLOCS = {"kmalloc": True, "kmalloc_node": True, "kmem_cache_alloc": False,
          "kmem_cache_alloc_node": False}
FREES = ("kfree", "kmem_cache_free")
PROBES = ("rcu_free", "free_bulk", "alloc_bulk")


def number(text):
    """Converts a number or pointer in trace-cmd's text."""
    return 0 if text == "(nil)" else int(text, 0)


@functools.lru_cache(1)
def events(path):
    """Pid, CPU, time, name and fields of all events; a gap has only a CPU and the name "gap"."""
    found = []
    with gzip.open(path, "rt", errors="replace") as text:
        for line in text:
            match, gap = LINE.search(line), GAP.match(line)
            if match:
                time = int(match[3].replace(".", ""))
                found.append((int(match[1]), int(match[2]), time, match[4],
                              dict(FIELD.findall(match[5]))))
            elif gap:
                found.append((None, int(gap[1]), None, "gap", {}))
    return found


def skew(clock):
    """How far the clocks of two CPUs may differ: Documentation/clocks.md."""
    return {"local": 10000, "perf": 10000, "x86-tsc": 32768, "ppc-tb": 32768}.get(clock, 0)


class Sites:
    """Names callsites that the text has as addresses, with the symbols next to it."""

    def __init__(self, path):
        try:
            with open(path.replace(".raw.txt.gz", ".kallsyms"), encoding="ascii") as file:
                lines = [line.split() for line in file]
        except FileNotFoundError:
            lines = []
        symbols = sorted((int(line[0], 16), line[2]) for line in lines)
        self.starts, self.names = [s[0] for s in symbols], [s[1] for s in symbols]

    def name(self, text):
        address = int(text, 16)
        at = bisect.bisect(self.starts, address) - 1
        return f"{self.names[at]}+0x{address - self.starts[at]:x}"


def array(text):
    """The words of 8 bytes that trace-cmd prints byte by byte."""
    words = bytes.fromhex(text[len("ARRAY["):-1].replace(",", ""))
    return struct.unpack(f"<{len(words) // 8}Q", words)


Object = collections.namedtuple("Object", "req alloc cpu pid site kin gaps time")


def owners(site, cpu, pid):
    """The owners of an object, by the words of --by."""
    return (("callsite", site), ("cpu", cpu), ("pid", pid), ("pid,callsite", (pid, site)),
            ("cpu,pid", (cpu, pid)))


def count(row, **more):
    """Does what row.update(**more) does, in a third of the time."""
    for key, value in more.items():
        row[key] += value


class Slab:
    def __init__(self, skew_time):
        self.skew = skew_time
        self.objects = {}  # ptr -> Object, or None once freed
        self.surplus = {}  # ptr -> (time, cpu, who) of an unmatched free, still in doubt
        self.early = {}  # ptr of a live object -> who of the free that may be its own
        self.over = {}  # ptr -> (time, cpu, object before): allocated over a live object
        self.dying = {}  # ptr handed to RCU -> was its allocation seen?
        self.order = collections.defaultdict(list)  # cpu -> what it handed to RCU
        self.hands_over = False
        self.told = set()  # kinds of probes that were set
        self.sizes = {}  # cache -> sizes of its objects
        self.bulk_sites = {}  # call site -> cache and sizes of what it allocates in bulk
        self.sum = collections.Counter()
        self.rows = collections.defaultdict(collections.Counter)
        self.account = {by: collections.defaultdict(collections.Counter)
                        for by, _ in owners(None, None, None)}
        self.suspects = collections.Counter()  # cache or call site -> implicit frees
        self.free_only = collections.Counter()  # (function, counter) -> unmatched frees
        self.gaps = 0

    def end(self, obj):
        for by, who in owners(obj.site, obj.cpu, obj.pid):
            count(self.account[by][who], free_count=1, current_dynamic=-obj.alloc,
                  waste=obj.req - obj.alloc)

    def match(self, old, cpu):
        self.sum["frees_matched"] += 1
        self.sum["bytes_freed"] += old.alloc
        if old.cpu != cpu:
            self.sum["cross_cpu_frees"] += 1
            self.rows[old.site.split("+")[0]]["pingpong"] += 1

    def reorder(self, ptr):
        """The live object's free came before its allocation."""
        who = self.early.pop(ptr)
        self.sum[who[1]] -= 1
        self.free_only[who] -= 1
        self.sum["frees_reordered"] += 1
        self.match(self.objects[ptr], None)
        self.end(self.objects[ptr])

    def alloc(self, pid, cpu, time, field, large):
        ptr = number(field["ptr"])
        if not ptr:
            self.sum["allocs_failed"] += 1
            return
        site = field["call_site"]
        function = site.split("+")[0]
        req, alloc = int(field["bytes_req"]), int(field["bytes_alloc"])
        old = self.objects.get(ptr)
        early = self.surplus.pop(ptr, None)
        self.over.pop(ptr, None)
        self.dying.pop(ptr, None)
        if old and ptr in self.early:
            self.reorder(ptr)
        elif old:
            self.sum["allocs_implicit"] += 1
            self.sum["bytes_implicit"] += old.alloc
            self.suspects[old.kin] += 1
            self.end(old)
            self.over[ptr] = (time, cpu, old)
        elif early and early[1] != cpu and time - early[0] <= self.skew:
            self.early[ptr] = early[2]
        kin = field.get("name", site)  # objects that are in doubt together
        if "name" in field and alloc:
            self.sizes.setdefault(kin, (req, alloc))
        self.objects[ptr] = Object(req, alloc, cpu, pid, site, kin, self.gaps, time)
        for by, who in owners(site, cpu, pid):
            count(self.account[by][who], alloc_count=1, total_dynamic=alloc,
                  current_dynamic=alloc, waste=alloc - req)
        if large and alloc > large:
            self.sum["allocs_large"] += 1
            self.sum["bytes_large"] += alloc
        self.sum["allocs"] += 1
        self.sum["bytes_requested"] += req
        self.sum["bytes_allocated"] += alloc
        count(self.rows[function], hit=1, bytes=alloc, bytes_req=req)

    def free(self, cpu, time, field):
        ptr = number(field["ptr"])
        self.sum["frees"] += 1
        if ptr <= 16:
            self.sum["frees_null"] += 1
            return
        if ptr in self.dying and not self.hands_over:
            self.sum["frees_died"] += 1
            del self.dying[ptr]
            self.surplus.pop(ptr, None)
            return
        old = self.objects.get(ptr)
        over = self.over.get(ptr)
        if old:
            if not old.alloc and "name" in field and old.kin == old.site:
                self.bulk_sites.setdefault(old.site, (
                    field["name"], *self.sizes.get(field["name"], (0, 0))))
            elif old.alloc and "name" in field and old.kin in (old.site, field["name"]):
                for site in (s for s, of in self.bulk_sites.items() if of == (field["name"], 0, 0)):
                    self.bulk_sites[site] = field["name"], old.req, old.alloc
            self.match(old, cpu)
            self.end(old)
            if ptr in self.early:
                self.surplus[ptr] = (time, cpu, self.early.pop(ptr))
            if over and (over[1] == cpu or time - over[0] > self.skew):
                del self.over[ptr]
        elif over:
            del self.over[ptr]
            self.sum["allocs_implicit"] -= 1
            self.sum["bytes_implicit"] -= over[2].alloc
            self.suspects[over[2].kin] -= 1
            self.sum["frees_reordered"] += 1
            self.match(over[2], cpu)
        else:
            counter = "frees_double" if ptr in self.objects else "frees_unmatched"
            who = field["call_site"].split("+")[0], counter
            self.sum[counter] += 1
            self.free_only[who] += 1
            self.surplus[ptr] = (time, cpu, who)
        self.objects[ptr] = None

    def rcu_free(self, cpu, time, field):
        ptr = number(field["ptr"])
        self.sum["frees_rcu"] += 1
        seen = bool(self.objects.get(ptr))
        self.hands_over = True
        self.free(cpu, time, field)
        self.hands_over = False
        self.dying[ptr] = seen
        self.order[cpu].append(ptr)
        self.over.pop(ptr, None)

    def rcu_rest(self, named, nr):
        """The objects of RCU's array that the event does not name: they follow the named ones."""
        first = next((i for i, ptr in enumerate(named) if self.dying.get(ptr)), None)
        for order in self.order.values() if first is not None else ():
            for at in (i for i, ptr in enumerate(order) if ptr == named[first]):
                after = at + len(named) - first
                if order[at:after] == named[first:]:
                    rest = order[after:after + nr - len(named)]
                    gone = next((i for i, ptr in enumerate(rest) if ptr not in self.dying), nr)
                    return rest[:gone]
        return None

    def free_bulk(self, cpu, time, field):
        nr = int(field["nr"])
        named = list(array(field["p"])[:nr])
        live = not named
        rest = self.rcu_rest(named, nr) if nr > len(named) else None
        for ptr in named + (rest or []):
            live |= bool(self.objects.get(ptr))
            self.sum["frees_bulk"] += 1
            self.free(cpu, time, {"ptr": hex(ptr), "call_site": field["call_site"]})
        live |= rest is not None
        self.sum["objects_unseen"] += (nr - len(named) - len(rest or [])) * live

    def alloc_bulk(self, pid, cpu, time, field):
        got, ret = int(field["nr"]), int(field["ret"])
        if ret != 1:  # which may mean true
            got = min(got, max(ret, 0))
        named = array(field["p"])[:got]
        for ptr in named:
            name, req, alloc = self.bulk_sites.get(field["call_site"], (None, 0, 0))
            self.sum["allocs_bulk"] += 1
            self.sum["allocs_unsized"] += not alloc
            self.alloc(pid, cpu, time, {
                "ptr": hex(ptr), "call_site": field["call_site"], "bytes_req": req,
                "bytes_alloc": alloc, **({"name": name} if name else {})}, None)
        self.sum["objects_unseen"] += got - len(named)

    def finish(self):
        for ptr in list(self.early):
            self.reorder(ptr)
            self.objects[ptr] = None

    def summary(self, unplaced):
        live = [o for o in self.objects.values() if o]
        suspects = +self.suspects
        recent = [o for o in live if o.gaps == self.gaps and not unplaced]
        total = collections.Counter(self.sum)
        total["allocs_live"] = len(live)
        total["objects_dying"] = sum(self.dying.values())
        total["bytes_net"] = sum(o.alloc for o in live)
        # These recordings lack the kernel's own counts, so nothing is proved.
        total["bytes_net_min"] = total["bytes_net_gone"] = 0
        total["bytes_net_max"] = total["bytes_net"]
        total["bytes_net_seen"] = sum(o.alloc for o in recent if o.kin not in suspects)
        total["bytes_net_implicit"] = sum(o.alloc for o in recent if o.kin in suspects)
        if {"rcu_free", "free_bulk"} <= self.told and not total["objects_unseen"]:
            # Each end of a life has an event.
            total["bytes_net_min"] = total["bytes_net_seen"]
            total["bytes_net_seen"] = 0
        total["bytes_net_lost"] = total["bytes_net"] - sum(o.alloc for o in recent)
        total["bytes_wasted"] = self.sum["bytes_allocated"] - self.sum["bytes_requested"]
        total["bytes_wasted_live"] = sum(o.alloc - o.req for o in live)
        return total


class Request:
    """An allocated block, even after its pages are freed."""

    def __init__(self, pfn, order, gaps, who, time):
        self.pfn, self.order, self.gaps, self.who, self.time = pfn, order, gaps, who, time
        self.left = 1 << order
        self.implicit = False  # one of its pages ended without an event
        self.early = None  # counter of the free that may be its own
        self.over = None  # (time, cpu, the request that it seems to have ended)


class Pages:
    def __init__(self, skew_time):
        self.skew = skew_time
        self.pages = {}  # pfn -> Request, or None once freed
        self.announced = set()
        self.surplus = {}  # pfn -> (order, time, cpu, counter) of an unmatched free
        self.over_freed = {}  # pfn -> Request considered freed whose free may still come
        self.sum = collections.Counter()
        self.matrix = collections.Counter()
        self.owned = collections.defaultdict(collections.Counter)  # by allocating task
        self.failed = collections.Counter()  # (order, migratetype) -> requests
        self.callchains = 0  # of page allocations: with any, there are several call sites
        self.gaps = 0

    def end(self, pfn, freed):
        request = self.pages[pfn]
        request.left -= 1
        self.sum["freed" if freed else "implicit"] += 1
        for who in request.who:
            self.owned[who]["freed" if freed else "implicit"] += 1
        request.implicit |= not freed
        if not request.left:
            self.sum["alloc_implicit" if request.implicit else "alloc_freed"] += 1

    def whole(self, pfn, order):
        """The live block that begins at pfn and still has that order, or None."""
        request = self.pages.get(pfn)
        if request and (request.pfn, request.order) == (pfn, order):
            return request if request.left == 1 << order else None
        return None

    def reorder(self, request):
        """The live block's free came before its allocation."""
        self.sum[request.early] -= 1
        self.sum["unmatched_pages"] -= 1 << request.order
        self.sum["frees_reordered"] += 1
        self.sum["frees_of_live"] += 1
        for page in range(request.pfn, request.pfn + (1 << request.order)):
            self.end(page, True)
            self.pages[page] = None

    def forget(self, span):
        """Another event of these pages: doubtful frees keep their first interpretation."""
        for doubts, order in ((self.surplus, lambda d: d[0]),
                              (self.over_freed, lambda d: d.order)):
            for pfn in [p for p, d in doubts.items()
                        if p < span.stop and p + (1 << order(d)) > span.start]:
                del doubts[pfn]

    def alloc(self, pid, cpu, time, field):
        pfn, order = number(field["pfn"]), int(field["order"])
        who = (("pid", pid), ("cpu", cpu), ("order", order))
        self.sum["requests"] += 1
        for owner in who:
            self.owned[owner]["requests"] += 1
        if pfn in (-1, 0xffffffff, 0xffffffffffffffff):
            self.sum["failures"] += 1
            self.sum["failed"] += 1 << order
            self.failed[order, int(field["migratetype"])] += 1
            return
        request = Request(pfn, order, self.gaps, who, time)
        for owner in who:
            self.owned[owner]["pages"] += 1 << order
        span = range(pfn, pfn + (1 << order))
        before, early = self.whole(pfn, order), self.surplus.get(pfn)
        if before and before.early:
            self.reorder(before)
        elif before and not self.announced.intersection(span):
            request.over = (time, cpu, before)
        elif (early and early[0] == order and early[2] != cpu
              and time - early[1] <= self.skew):
            request.early = early[3]
        self.forget(span)
        self.sum["pages"] += 1 << order
        self.matrix[order, int(field["migratetype"])] += 1
        for page in span:
            if self.pages.get(page) is not None:
                self.end(page, page in self.announced)
            self.announced.discard(page)
            self.pages[page] = request

    def free(self, cpu, time, field):
        pfn, order = number(field["pfn"]), int(field["order"])
        span = range(pfn, pfn + (1 << order))
        live = [p for p in span if self.pages.get(p) is not None]
        again = [p for p in span if p in self.pages and self.pages[p] is None]
        whole, over = self.whole(pfn, order), self.over_freed.get(pfn)
        self.sum["frees"] += 1
        self.forget(span)
        if over and over.order == order and not live:
            self.sum["implicit"] -= 1 << order
            self.sum["alloc_implicit"] -= 1
            self.sum["freed"] += 1 << order
            for who in over.who:
                self.owned[who].update(freed=1 << order, implicit=-1 << order)
            self.sum["alloc_freed"] += 1
            self.sum["frees_reordered"] += 1
            self.sum["frees_of_live"] += 1
            return
        self.sum["unmatched_pages"] += (1 << order) - len(live)
        if not live:
            counter = "frees_double" if again else "frees_unmatched"
            self.sum[counter] += 1
            if len(again) in (0, 1 << order):
                self.surplus[pfn] = order, time, cpu, counter
        else:
            self.sum["frees_of_live"] += 1
        if whole and whole.early:
            self.surplus[pfn] = order, time, cpu, whole.early
        if whole and whole.over:
            then, where, before = whole.over
            if where != cpu and time - then <= self.skew:
                self.over_freed[pfn] = before
        for page in live:
            self.end(page, True)
        for page in span:
            self.pages[page] = None
            self.announced.discard(page)

    def batched(self, field):
        pfn = number(field["pfn"])
        self.sum["frees_batched"] += 1
        if self.pages.get(pfn) is not None:
            self.announced.add(pfn)

    def finish(self):
        for page in self.announced:
            self.end(page, True)
            self.pages[page] = None
        for request in {id(r): r for r in self.pages.values() if r}.values():
            if request.early and self.whole(request.pfn, request.order):
                self.reorder(request)

    def summary(self, page_size, unplaced):
        total = collections.Counter(self.sum)
        for name, count in (("bytes", "pages"), ("bytes_freed", "freed"),
                            ("bytes_implicit", "implicit"), ("bytes_failed", "failed"),
                            ("bytes_unmatched", "unmatched_pages")):
            total[name] = total[count] * page_size
        live = [r for r in self.pages.values() if r]
        total["bytes_live"] = len(live) * page_size
        total["alloc_only"] = len({id(r) for r in live})
        recent = sum(r.gaps == self.gaps and not unplaced for r in live)
        total["bytes_live_lost"] = (len(live) - recent) * page_size
        total["bytes_live_min"] = 0  # trace-cmd excludes itself by pid, and softirqs with it
        # Without callchains there is only one call site, which is in doubt or not.
        if self.callchains and total["implicit"]:
            return total
        total["bytes_live_implicit"] = recent * page_size if total["implicit"] else 0
        total["bytes_live_seen"] = 0 if total["implicit"] else recent * page_size
        return total


def model(path, recording, kinds=(Slab, Pages)):
    """The accounts at the end of the recording, shared by all checks of a process."""
    return accounts(path, recording["kernel_page_size"], recording["clock"], kinds)


@functools.lru_cache(4)
def accounts(path, page_size, clock, kinds):
    slab, pages = (kind(skew(clock)) for kind in kinds)
    last = None  # CPU of the latest page allocation
    sites = Sites(path)
    for pid, cpu, time, name, field in events(path):
        if name in ALLOCS:
            slab.alloc(pid, cpu, time, field, 2 * page_size if ALLOCS[name] else None)
        elif name in FREES:
            slab.free(cpu, time, field)
        elif name in PROBES:
            which = "__probe_ret_ip" if name == "alloc_bulk" else "__probe_ip"
            field["call_site"] = sites.name(field[which])
            slab.told.add(name)
            if name == "alloc_bulk":
                slab.alloc_bulk(pid, cpu, time, field)
            else:
                getattr(slab, name)(cpu, time, field)
        elif name == "mm_page_alloc":
            pages.alloc(pid, cpu, time, field)
            last = cpu
        elif name == "mm_page_free":
            pages.free(cpu, time, field)
        elif name == "mm_page_free_batched":
            pages.batched(field)
        elif name == "kernel_stack" and cpu == last:
            pages.callchains += 1
        elif name == "gap":
            slab.gaps += 1
            pages.gaps += 1
    slab.finish()
    pages.finish()
    return slab, pages


@functools.lru_cache(100)
def run(*command):
    """The result of a command that only prints; cached, so that it need not run again soon
    after."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def tables(*command):
    """The tables by name that a command prints as JSON; none if it fails."""
    return {r["name"]: r for r in json.loads(run(*command).stdout or '{"reports": []}')["reports"]}


def report(kmemx, recording, *options):
    done = run(kmemx, "stat", "-i", recording, "--json", "--raw-names", *options)
    done.check_returncode()
    got = json.loads(done.stdout)
    return got["recording"], {r["name"]: r for r in got["reports"]}


# The parts of each sum, by name: these hold for any recording.
IDENTITIES = {
    "slab": (
        ("allocs", "allocs_freed", "allocs_implicit", "allocs_live"),
        ("bytes_allocated", "bytes_freed", "bytes_implicit", "bytes_net"),
        ("bytes_net", "bytes_net_min", "bytes_net_seen", "bytes_net_implicit",
         "bytes_net_lost", "bytes_net_gone"),
        ("frees", "frees_matched", "frees_unmatched", "frees_double", "frees_other",
         "frees_null", "frees_died"),
    ),
    "page": (
        ("requests", "failures", "alloc_freed", "alloc_implicit", "alloc_only"),
        ("bytes", "bytes_freed", "bytes_implicit", "bytes_live"),
        ("bytes_live", "bytes_live_min", "bytes_live_seen", "bytes_live_implicit",
         "bytes_live_lost"),
        ("frees", "frees_matched", "frees_split", "frees_merged", "frees_unmatched",
         "frees_double", "frees_other"),
    ),
}
# The sum of each column's rows.
ROW_SUMS = {
    "slab": {"bytes": "bytes_allocated", "bytes_req": "bytes_requested", "hit": "allocs",
             "net": "bytes_net", "implicit": "allocs_implicit",
             "waste": "bytes_wasted", "waste_live": "bytes_wasted_live",
             "pingpong": "cross_cpu_frees"},
    "page": {"hit": "allocs", "bytes": "bytes", "net": "bytes_live", "net_min": "bytes_live_min",
             "implicit": "bytes_implicit"},
    "slab_free_only": {"unmatched": "frees_unmatched", "double": "frees_double"},
    "page_failed": {"bytes": "bytes_failed", "hit": "failures"},
    "account": {"alloc_count": "allocs", "free_count": "frees", "waste": "current_wasted",
                "current_dynamic": "current_allocated"},
}
# The minimum for all rows is at least the sum of their minima; the maximum, at most that of their
# maxima.
ROW_BOUNDS = {"slab": ("bytes_net_min", "bytes_net_max"), "account": ("net_min", "net_max")}


def unbalanced(reports):
    """Yields a line for each sum that differs from the sum of its parts."""
    for name, identities in IDENTITIES.items():
        summary = reports[name]["summary"] if name in reports else {}
        for total, *parts in identities if summary else ():
            # Numbers from probes exist only if there are probes.
            if summary[total] != sum(summary.get(part, 0) for part in parts):
                yield f"{name} {total} {summary[total]} is not the sum of {parts}"
    for name, sums in ROW_SUMS.items():
        for column, total in sums.items() if name in reports else ():
            rows = sum(row[column] for row in reports[name]["rows"])
            # Only the first table of a kind has a summary.
            summary = reports[name]["summary"] or reports[name.split("_")[0]]["summary"]
            if name == "page":
                summary = {"allocs": summary["requests"] - summary["failures"], **summary}
            if rows != summary[total]:
                yield f"{name}: {column} of the rows is {rows}, not {total}"
    for name, (least, most) in ROW_BOUNDS.items():
        rows = reports[name]["rows"] if name in reports else ()
        summary = reports[name]["summary"] if rows else {}
        if rows and summary and not (sum(r["net_min"] for r in rows) <= summary[least] <=
                                     summary[most] <= sum(r["net_max"] for r in rows)):
            yield f"{name}: the rows' bounds contradict the summary's"
    for name in ("slab", "page"):
        for row in reports[name]["rows"] if name in reports else ():
            if not row["net_min"] <= row["net_estimate"] <= row.get("net_max", row["net"]):
                yield f"{name}: the estimate is outside of its bounds: {row}"


def diff_disagrees(kmemx, recording):
    """Yields a line for each sum that differs between kmemx diff and kmemx stat."""
    command = kmemx, "diff", "--json", recording, recording
    if run(*command).returncode:
        return  # its message names the events that it does not compare
    stat = report(kmemx, recording)[1]
    diff = {name: table["summary"] for name, table in tables(*command).items()}
    for name, metric, net in (("slab", "net_seen", "bytes_net"), ("page", "net", "bytes_live"),
                              ("slab", "net", "bytes_net_estimate")):
        if name in stat and name in diff:
            got, expected = diff[name][f"total_{metric}_old"], stat[name]["summary"][net]
            # Estimates of rows are rounded to bytes.
            if abs(got - expected) > (100 if "estimate" in net else 0):
                yield f"diff {name}: {metric} {got}, stat {expected}"


# The events that each number of a summary counts: all requests, even failed ones, and all frees.
COUNTED = {
    "slab": ((("allocs", "allocs_failed", "-allocs_bulk"), ALLOCS),
             (("frees", "-frees_rcu", "-frees_bulk"), FREES), (("frees_rcu",), ("rcu_free",))),
    "page": ((("requests",), ("mm_page_alloc",)), (("frees",), ("mm_page_free",)),
             (("frees_batched",), ("mm_page_free_batched",))),
}


def miscounted(kmemx, recording):
    """Yields a line for each number of events that differs between stat, script and info."""
    told = collections.Counter(json.loads(run(kmemx, "info", "--json", recording).stdout)["events"])
    script = subprocess.run([kmemx, "script", "--json", "-i", recording],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    shown = collections.Counter(json.loads(line).get("event")
                                for line in script.stdout.splitlines())
    reports = report(kmemx, recording, "--caller")[1]
    for name in reports.keys() & COUNTED.keys():
        summary = reports[name]["summary"]
        left_out = summary.get("implausible", 0)
        rows = sum(row["hit"] for row in reports[name]["rows"])
        failed = summary["allocs_failed" if name == "slab" else "failures"]
        for names, events in COUNTED[name]:
            counted = sum(-summary.get(n[1:], 0) if n[0] == "-" else summary.get(n, 0)
                          for n in names)
            for who, of in (("info", told), ("script", shown)):
                if not counted <= sum(of[e] for e in events) <= counted + left_out:
                    yield f"{names}: {counted}, {who} {sum(of[e] for e in events)}"
        if rows + failed != sum(summary[n] for n in COUNTED[name][0][0] if n[0] != "-"):
            yield f"{name}: {rows} in rows and {failed} failed are not all"


def tree_of(rows, callee):
    """The values of each path of functions, from rows by stack: bytes, hits, and bytes that end
    there."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    if all(row["stack"].endswith(";[no stack]") for row in rows):
        rows = [{**row, "stack": "[no stack]"} for row in rows]
    for row in rows:
        frames = row["stack"].split(";")
        frames = frames if callee else frames[::-1]
        for end in range(1, len(frames) + 1):
            node = sums[tuple(frames[:end])]
            node[0] += row["bytes"]
            node[1] += row["hit"]
        node[2] += row["bytes"]
    return dict(sums)


def tree_differences(kmemx, recording):
    """Yields a line for each tree that differs from the sums of the rows by stack."""
    for roots, live in itertools.product(("caller", "callee"), ((), ("--live",))):
        by_stack = report(kmemx, recording, "--by", "stack", *live)[1]
        trees = report(kmemx, recording, "--tree=" + roots, *live)[1]
        for name in ("slab", "page"):
            if (name in by_stack) != (name + "_tree" in trees):
                yield f"{name}: a tree without rows by stack, or these without a tree"
            if name not in by_stack:
                continue
            paths, got = {None: ()}, {}
            for row in trees[name + "_tree"]["rows"]:
                path = paths[row["id"]] = paths[row["parent"]] + (row["function"],)
                got[path] = [row["bytes"], row["hit"], row["self"]]
                if row["depth"] != len(path) - 1:
                    yield f"{name} {roots}: {path} is {row['depth']} deep"
            if got != tree_of(by_stack[name]["rows"], roots == "callee"):
                yield f"{name} {roots} {live}: the tree differs from the rows by stack"


def untraced_differences(kmemx, recording):
    """Yields a line for each row of live objects whose untraced frees differ from those without
    --live."""
    for by in ("cpu", "comm", "pid", "pid,cpu"):
        def untraced(name, *live, by=by):
            tables = report(kmemx, recording, "--by", by, "-l", "all", *live)[1]
            return {tuple(row[word] for word in by.split(",")): row["implicit"]
                    for row in tables.get(name, {"rows": ()})["rows"]}

        for name in ("slab", "page"):
            every = untraced(name)
            for who, count in untraced(name, "--live").items():
                if count != every.get(who):
                    yield f"{name} --live {by} {who}: {count} untraced, not {every.get(who)}"


def all_unbalanced(kmemx, recording):
    yield from miscounted(kmemx, recording)
    yield from tree_differences(kmemx, recording)
    yield from untraced_differences(kmemx, recording)
    yield from diff_disagrees(kmemx, recording)
    for by in ("callsite", "stack", "comm", "pid", "cpu", "module", "comm,callsite",
               "pid,cpu,stack"):
        for options in (("--by", by, "--unmatched"), ("--account", "--by", by)):
            try:
                reports = report(kmemx, recording, *options)[1]
            except subprocess.CalledProcessError as error:
                if "--account" not in options or error.returncode != 1:
                    yield f"{options}: {error}"
                continue  # a recording without slab events has no account
            for line in unbalanced(reports):
                yield f"{' '.join(options)}: {line}"


def account_differences(slab, kmemx, recording):
    for by, expected in slab.account.items():
        got = collections.defaultdict(collections.Counter)
        reports = report(kmemx, recording, "--account", "--by", by)[1]
        for row in reports["account"]["rows"]:
            who = tuple(row[word].split(" ")[0] if word == "callsite" else row[word]
                        for word in by.split(","))
            who = who if len(who) > 1 else who[0]
            got[who].update({k: row[k] for k in ("total_dynamic", "current_dynamic", "waste",
                                                 "alloc_count", "free_count")})
        for who in sorted(got.keys() | expected.keys(), key=str):
            wanted = expected.get(who, collections.Counter())
            if +got[who] != +wanted:
                yield f"account {by} {who}: kmemx {got[who]}, model {wanted}"


# Numbers that the model does not have. Those of live memory depend on callchains.
UNMODELLED = ("fragmentation", "implausible", "without_stack", "frees_matched", "frees_split",
              "frees_merged", "allocs_freed", "bytes_live_seen", "bytes_live_implicit",
              "bytes_net_estimate")


# A recording of kmemx knows what events do not tell about its recorder: which frees belong to
# excluded allocations, and that no free was missed. Of these, only the sums must agree.
FOLDED = (("frees_unmatched", "frees_double", "frees_other"), ("bytes_live_min", "bytes_live_seen"))


def folded(summary):
    summary = collections.Counter(summary)
    for first, *others in FOLDED:
        summary[first] += sum(summary.pop(key, 0) for key in others)
    summary.pop("bytes_unmatched", None)
    return summary


def page_differences(pages, reports):
    summary = reports["page"]["summary"]
    of_live = sum(summary["frees_" + how] for how in ("matched", "split", "merged"))
    if of_live != pages.sum["frees_of_live"]:
        yield f"page frees of live pages: kmemx {of_live}, model {pages.sum['frees_of_live']}"
    matrix = reports["page_matrix"]
    types = [c["name"] for c in matrix["columns"][1:]]
    seen = {(row["order"], i): row[t] for row in matrix["rows"] for i, t in enumerate(types)}
    if +collections.Counter(seen) != +pages.matrix:
        yield f"matrix: kmemx {+collections.Counter(seen)}, model {pages.matrix}"
    failed = collections.Counter()
    for row in reports["page_failed"]["rows"] if "page_failed" in reports else ():
        failed[row["order"], types.index(row["migtype"])] += row["hit"]
    if failed != pages.failed:
        yield f"failed: kmemx {failed}, model {pages.failed}"


def differences(slab, pages, recording, reports):
    """Yields a line for each number that differs."""
    page_size = recording["kernel_page_size"]
    # Fixtures lost events only by overwriting, so an unknown number of losses is the rest of these.
    unplaced = (recording["dropped"] and not recording["unknown_gaps"]
                or recording["undecodable"])
    for name, expected in (("slab", slab.summary(unplaced)),
                           ("page", pages.summary(page_size, unplaced))):
        if name not in reports and not pages.sum:
            continue  # a recording without pages
        summary = reports[name]["summary"]
        if recording["span"] == "recorded":
            summary, expected = folded(summary), folded(expected)
        for key, value in sorted(summary.items()):
            if (key in expected or key not in UNMODELLED) and value != expected[key]:
                yield f"{name} {key}: kmemx {value}, model {expected[key]}"
    if "page" in reports:
        yield from page_differences(pages, reports)
    rows = collections.defaultdict(collections.Counter)
    for row in reports["slab"]["rows"]:
        function = row["callsite"].split(" ")[0].split("+")[0]
        rows[function].update({k: row[k] for k in ("hit", "bytes", "bytes_req", "pingpong")})
    for function in sorted(rows.keys() | slab.rows.keys()):
        if +rows[function] != +slab.rows[function]:
            yield f"slab {function}: kmemx {rows[function]}, model {slab.rows[function]}"
    free_only = collections.Counter()
    for row in reports["slab_free_only"]["rows"]:
        function = row["callsite"].split(" ")[0].split("+")[0]
        for kind in ("unmatched", "double"):
            free_only[function, f"frees_{kind}"] += row[kind]
    if recording["span"] != "recorded" and +free_only != +slab.free_only:
        yield f"frees alone: kmemx {+free_only}, model {+slab.free_only}"


def main():
    if sys.argv[1] == "--counts":
        wrong = list(miscounted(*sys.argv[2:4]))
    elif sys.argv[1] == "--identities":
        wrong = list(all_unbalanced(*sys.argv[2:4]))
    else:
        kmemx, path, text = sys.argv[1:4]
        recording, reports = report(kmemx, path, "--slab", "--page", "--caller",
                                    "--unmatched")
        slab, pages = model(text, recording)
        if not slab.sum and not pages.sum:
            sys.exit(f"{text}: no event in it")
        wrong = list(differences(slab, pages, recording, reports))
        wrong += account_differences(slab, kmemx, path)
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
