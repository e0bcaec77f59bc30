# SPDX-License-Identifier: GPL-2.0-or-later
"""
Small files that cause much work: makes each one, gives it to commands, and compares the cost
with a limit for each byte. In: the program, a scratch directory, a trace.dat 6 file, "sanitizer" or
nothing, names of bombs (default: all); $LONG: every command gets every file. Out: a line for each,
"passed NAME" or "failed NAME WHY" with the cost.

The limits are one second plus 100 ns of CPU time per byte on disk, and 64 MB plus ten bytes of
memory per byte (twenty for summary and report). So that no test fails on a busy machine, a command
may take three times that, and runs again if it takes longer: costs that grow with the square of the
input, or with a number in it, exceed the limit a hundredfold.
"""
import json
import os
import resource
import shutil
import signal
import sys

import dwarf
import perf_data
from recording import (PAGE, Metadata, Version7, chunks, header_of, option, pages, record,
                       section, u16, u32, u64, version6, wire, zstd)

NS_A_BYTE, SECONDS, FACTOR = 100e-9, 1.0, 3
MEMORY, MEMORY_A_BYTE = 64 << 20, 10
HOLE = 1 << 40
META = 0x4000
UNAME = 5


def serve(requests, answers, sanitizer):
    """Runs commands from a process that is forked early, as a child's peak memory is at least that
    of the process it was forked from."""
    for line in requests:
        argv, limit = json.loads(line)
        pid = os.fork()
        if not pid:
            out = os.open("out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(out, 1)
            os.dup2(os.open("err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            signal.alarm(20 * limit)  # waiting takes no CPU time
            if not sanitizer:
                resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            os.execv(argv[0], argv)
        _, status, usage = os.wait4(pid, 0)
        print(json.dumps([os.waitstatus_to_exitcode(status),
                          usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10]),
              file=answers, flush=True)


class Runner:
    def __init__(self, kmemx, sanitizer):
        requests, answers = os.pipe(), os.pipe()
        if not os.fork():
            os.close(requests[1])
            os.close(answers[0])
            serve(os.fdopen(requests[0]), os.fdopen(answers[1], "w"), sanitizer)
            os._exit(0)
        os.close(requests[0])
        os.close(answers[1])
        self.requests, self.answers = os.fdopen(requests[1], "w"), os.fdopen(answers[0])
        self.kmemx, self.sanitizer = kmemx, sanitizer

    def measure(self, seconds, *args):
        """Returns exit code, CPU time and peak memory."""
        print(json.dumps([[self.kmemx, *args], int(seconds) + 1]), file=self.requests,
              flush=True)
        return json.loads(self.answers.readline())

    def run(self, name, size, *args):
        seconds = (SECONDS + NS_A_BYTE * size) * FACTOR * (10 if self.sanitizer else 1)
        # summary runs most analyses at once; report adds the allocations over time.
        memory = MEMORY + MEMORY_A_BYTE * size * (2 if args[0] in ("report", "summary") else 1)
        code, cpu, rss = self.measure(seconds, *args)
        if code == -signal.SIGKILL or cpu > seconds:
            # Opening 4000 files, for example, can make the kernel spin on a lock that another test
            # holds.
            code, cpu, rss = self.measure(seconds, *args)
        what = f"{name}: kmemx {' '.join(args)}"
        took = f"{cpu:.2f} s, {rss >> 20} MB for {size} bytes"
        if code not in (0, 1, 3):
            print(f"failed\t{what}\tit ended with {code}: {took}")
        elif cpu > seconds:
            print(f"failed\t{what}\t{took}: {seconds:.1f} s are allowed")
        elif rss > memory and not self.sanitizer:
            print(f"failed\t{what}\t{took}: {memory >> 20} MB are allowed")
        else:
            print(f"passed\t{what}\t{took}")
        sys.stdout.flush()


class Bombs:
    """Each method with the prefix bomb_ makes files and gives them to commands."""

    def __init__(self, runner, metadata):
        self.runner, self.m = runner, metadata

    def alloc(self, pfn, order=0):
        return record(self.m.event("mm_page_alloc", pfn=pfn, order=order))

    def free(self, pfn, order=0):
        return record(self.m.event("mm_page_free", pfn=pfn, order=order))

    def a_page(self):
        return pages([self.alloc(1)])

    def give(self, name, data, hole=0):
        """Gives a recording to commands that read it in different ways."""
        path = name + ".dat"
        with open(path, "wb") as f:
            f.write(data)
        if hole:
            os.truncate(path, hole)
        # summary runs most analyses at once.
        often = [["summary", "-i"], ["split", "--time", "0%,90%", "-o", "part.dat", "-i"]]
        for args in often if not os.environ.get("LONG") else (*often,
                     ["info", "-i"], ["stat", "--slab", "--page", "-i"], ["stat", "--live", "-i"], ["stat", "--lifetime", "-i"],
                     ["leaks", "-i"], ["peak", "--over-time", "32", "-i"], ["owners", "-i"],
                     ["advise", "-i"], ["percpu", "-i"],
                     ["frag", "--over-time", "32", "-i"], ["script", "-i"],
                     ["report", "-o", "page.html", "-i"],
                     ["diff", "--html", "page.html", "--jobs", "1", path]):
            self.runner.run(name, len(data), *args, path)
        if hole:
            self.check_size("part.dat", len(data))
        os.unlink(path)

    def check_size(self, path, size):
        """A hole must not be written to disk as zeros."""
        if os.path.exists(path):
            blocks = os.stat(path).st_blocks * 512
            verdict = "passed" if blocks <= 2 * size + (1 << 20) else "failed"
            print(f"{verdict}\t{path} takes no more room than what it is of\t{blocks} bytes")
            os.unlink(path)

    def packed(self, datas, nr=1, page_size=PAGE):
        v = self.packed_start()
        v.buffer([chunks(datas, zstd)] * nr, compressed=True, page_size=page_size)
        return v.finish()

    def packed_start(self):
        v, m = Version7(self.m, b"zstd", parts=()), self.m
        for number, part in (16, m.header), (17, m.ftrace), (18, m.events):
            self.packed_section(v, number, part)
        return v

    @staticmethod
    def packed_section(v, number, part):
        z = zstd(part)
        v.section(number, u32(len(z)) + u32(len(part)) + z, 1)

    # --- events

    def bomb_orders(self):
        self.give("order-20", version6(self.m, [pages(
            self.alloc(i % 5 << 20, 20) + self.free((i % 7 << 20) + i * 4099 % (1 << 20), i % 21)
            for i in range(3000))]))
        self.give("order-20-apart", version6(self.m, [pages(
            self.alloc(i << 20, 20) + self.free((i << 20) + 5) for i in range(3000))]))
        self.give("order-20-freed", version6(self.m, [
            pages((self.free((i % 9 << 20) + i * 77, 20) for i in range(3000)), ts=1000 + c)
            for c in range(2)]))

    def bomb_frames_far_apart(self):
        self.give("far-apart", version6(self.m, [pages(
            self.alloc(i << 16) for i in range(10000))]))

    def bomb_empty_pages(self):
        self.give("empty-pages", version6(self.m, [
            self.a_page() + bytes(PAGE * 5000) + pages([self.alloc(2)], ts=10**9)]))

    def bomb_large_pages(self):
        small = (u32(1 | 1 << 5) + bytes(4)) * 1000
        self.give("large-pages", version6(self.m, [
            pages([small] * 1000, size=8 << 20)], page_size=8 << 20))

    def bomb_lists_of_cpus(self):
        """Each page is refilled, and drained on another CPU; every event has its own time."""
        refills = pages(record(self.m.event("mm_page_alloc_zone_locked", pfn=i * 4099,
                                            percpu_refill=1, migratetype=i % 2))
                        for i in range(30000))
        drains = pages((record(self.m.event("mm_page_pcpu_drain", pfn=i * 4099,
                                            common_pid=i % 2)) for i in range(30000)), ts=10**9)
        self.give("refills", version6(self.m, [refills, drains]))

    def bomb_freed_elsewhere(self):
        """Each object has its own callsite, and objects go from each of many CPUs to every other
        one."""
        nr = 200
        allocs = [pages(record(self.m.event("kmalloc", call_site=0xFFFFFFFF81000000 + cpu * nr + i,
                                            ptr=0xFFFF888000000000 + 64 * (cpu * nr + i),
                                            bytes_req=8, bytes_alloc=8)) for i in range(nr))
                  + pages((record(self.m.event(
                      "kfree", call_site=0xFFFFFFFF82000000 + i * nr + cpu,
                      ptr=0xFFFF888000000000 + 64 * (i * nr + cpu))) for i in range(nr)), ts=10**9)
                  for cpu in range(nr)]
        self.give("freed-elsewhere", version6(self.m, allocs))
        with open("a.dat", "wb") as f:
            f.write(version6(self.m, allocs))
        for args in ["--by", "callsite,cpu,comm"], ["--json"]:
            self.runner.run("freed-elsewhere", sum(map(len, allocs)), "percpu", *args, "-i", "a.dat")
        self.runner.run("freed-elsewhere", 0, "percpu", "-i", "a.dat")
        with open("out") as f:
            lists = [len(part.splitlines()) for part in f.read().split("\n\n") if "CPUs that" in part]
        verdict = "passed" if lists and max(lists) < 80 else "failed"
        print(f"{verdict}\tthe pairs of many CPUs are bounded in text\t{lists} lines")

    def bomb_pageblocks(self):
        """As many pageblocks of the largest size as the analysis keeps, and pages in them,
        repeatedly."""
        def fallback(pfn):
            return record(self.m.event("mm_page_alloc_extfrag", pfn=pfn, alloc_order=0,
                                       fallback_order=1, alloc_migratetype=0,
                                       fallback_migratetype=1), delta=0)

        option_order = option(META, b"pagetypeinfo.before\0Page block order: 13\n")
        self.give("pageblocks", version6(self.m, [pages(
            fallback(i << 13) for i in range(70000))], option_order))
        self.give("pageblock-over-and-over", version6(self.m, [pages(
            fallback(i << 13) + self.alloc(i << 13, 12) + self.alloc((i << 13) + 4096, 12)
            + self.free((i & ~15) << 13, 17) for i in range(30000))], option_order))

    def bomb_tasks(self):
        """Each of many tasks allocates in many places, frees everything, and ends: memory must grow
        with the rows shown, not with the number of tasks."""
        nr, names = 30000, 11
        slots = [(self.m.event("kmalloc", call_site=0xFFFFFFFF81000000 + 16 * i,
                               ptr=0xFFFF888000000000 + (i << 15), bytes_req=60, bytes_alloc=64),
                  record(self.m.event("kfree", ptr=0xFFFF888000000000 + (i << 15))))
                 for i in range(16)]
        slots += [(self.m.event("mm_page_alloc", pfn=i << 12, gfp_flags=i << 12),
                   self.free(i << 12)) for i in range(4)]
        at = self.m.formats["kmalloc"][1]["common_pid"][0]
        comms = b"".join(b"%d worker%d\n" % (pid, pid % names) for pid in range(1, nr + 1))
        lines, self.m.cmdlines = self.m.cmdlines, u64(len(comms)) + comms
        data = version6(self.m, [pages(
            record(alloc[:at] + u32(pid) + alloc[at + 4:]) + free
            for pid in range(cpu + 1, nr + 1, 2) for alloc, free in slots) for cpu in range(2)])
        self.m.cmdlines = lines
        with open("tasks.dat", "wb") as f:
            f.write(data)
        limit = 3 * self.peak("stat")
        for args in (["stat", "--by", "comm"], ["stat", "--by", "comm,callsite"],
                     ["stat", "--by", "comm", "--live"], ["stat", "--lifetime", "--by", "comm"],
                     ["peak", "--by", "comm"],
                     ["export", "--format", "ndjson", "-o", "tasks.ndjson"]):
            self.check_peak(limit, *args)
        # A task has one row in the table of slab objects and one in that of pages.
        for args in ["stat", "--by", "pid"], ["stat", "--by", "pid", "--jobs", "1"]:
            self.check_peak(limit // 3 + 1024 * 2 * nr, *args)
            with open("out") as f:
                shown = sum("worker" in line for line in f)
            verdict = "passed" if shown == 2 * nr else "failed"
            print(f"{verdict}\ttasks: {' '.join(args)}: each has its rows\t{shown} rows")
        self.check_peak(limit, "stat", "--by", "pid", "--live")
        os.unlink("tasks.dat")

    def peak(self, *args):
        """Memory that a command takes for tasks.dat, in bytes."""
        _, _, rss = self.runner.measure(600, *args, "-i", "tasks.dat")
        return rss

    def check_peak(self, limit, *args):
        code, cpu, rss = self.runner.measure(600, *args, "-i", "tasks.dat")
        good = code == 0 and (self.runner.sanitizer or rss <= limit)
        print(f"{'passed' if good else 'failed'}\ttasks: {' '.join(args)}\tended with {code}, "
              f"{cpu:.2f} s, {rss / 2**20:.1f} MB, {limit / 2**20:.1f} MB are allowed")
        sys.stdout.flush()

    # --- tables

    def bomb_page_sizes(self):
        for size in 0, 1, 5:
            unfinished = Version7(self.m).out + section(3, self.a_page() * 100)
            self.give(f"page-size-{size}", unfinished[:14] + u32(size) + unfinished[18:])

    def bomb_buffers(self):
        v = Version7(self.m)
        at = len(v.out)
        v.buffer([self.a_page()])
        v.options += b"".join(option(3, u64(at) + b"i%d\0local\0" % i + u32(PAGE) + u32(0))
                              + option(2, b"CPU: %d\n\0" % i) for i in range(100000))
        self.give("many-buffers", v.finish())
        self.give("many-sections", v.out + section(3, b"x") * 200000)

    def bomb_cpus(self):
        v = Version7(self.m)
        v.buffer([self.a_page()] * 1000)
        self.give("many-cpus", v.finish())

    def bomb_options(self):
        long = option(2, b"CPU: 1\n" + b"entrie" * 100000) * 3
        many = b"".join(option(2, b"CPU: %d\nentries: 4\n\0" % i) for i in range(30000))
        instances = b"".join(option(3, u64(40000) + b"i%d\0" % i) for i in range(30000))
        for name, options in ("long", long), ("many", many), ("instances", instances):
            self.give(f"options-{name}", version6(self.m, [self.a_page()], options))

    def bomb_instances_of_one_table(self):
        """All buffers share one table of CPUs, which is long and truncated."""
        data = version6(self.m, [self.a_page()])
        table = b"flyrecord\0" + bytes(16 * 20000)
        options = b"".join(option(3, u64(1 << 20) + b"i%d\0" % i) for i in range(2000))
        data = version6(self.m, [self.a_page()], options).ljust(1 << 20, b"\0") + table
        self.give("instances-of-one-table", data)

    def bomb_marks(self):
        """The file is full of the marker by which the table of CPUs is found."""
        data = version6(self.m, [self.a_page()])
        at = data.index(b"header_event")
        self.give("marks", data[:at] + b"of" * 500000)

    def bomb_records(self):
        self.give("many-records", wire(self.m, [
            (3, i % 7, self.a_page()) for i in range(500)] + [(99, 0, b"")] * 100000))

    # --- symbols

    def bomb_symbols(self):
        name = b"a" * 1000000
        texts = {
            "descending": b"".join(b"%016x T f%d\n" % ((1 << 40) - i, i)
                                   for i in range(50000)),
            "one-address": b"ffffffff81000000 T _" + name + b"\n"
                           + b"ffffffff81000000 T _x\n" * 40000,
            "no-lines": b"ffffffff81000000 T " + name,
            "bad-lines": b"\n" * 1000000,
        }
        for what, text in texts.items():
            data = version6(self.m, [self.a_page()], kallsyms=text)
            self.give(f"symbols-{what}", data)
            with open("symbols", "wb") as f:
                f.write(text)
            with open("a.dat", "wb") as f:
                f.write(version6(self.m, [self.a_page()]))
            self.runner.run(f"symbols-{what}", len(text), "stat", "--kallsyms", "symbols",
                            "-i", "a.dat")

    def elf(self, symbols, strings, nr_sections=1, entsize=24, kind=2, note=b""):
        """An ELF file with @nr_sections headers for one symbol table of type @kind."""
        header = b"\x7fELF\2\1\1" + bytes(9)
        at = 64
        body = symbols + strings + note
        table = at + len(body)

        def head(kind, flags, offset, size, link=0, entsize=0):
            return (u32(0) + u32(kind) + u64(flags) + u64(0) + u64(offset) + u64(size)
                    + u32(link) + u32(0) + u64(8) + u64(entsize))

        heads = head(0, 0, 0, 0) + head(1, 6, at, 8)
        heads += head(3, 0, at + len(symbols), len(strings))
        if note:
            heads += head(7, 0, at + len(symbols) + len(strings), len(note)) * nr_sections
        heads += head(kind, 0, at, len(symbols), 2, entsize) * (1 if note else nr_sections)
        nr = len(heads) // 64
        header += u16(2) + u16(62) + u32(1) + u64(0) * 2 + u64(table) + u32(0)
        header += u16(64) + u16(0) + u16(0) + u16(64) + u16(nr) + u16(2)
        return header + body + heads

    def bomb_elf(self):
        def symbol(name, i):
            return u32(name) + b"\x12\0" + u16(1) + u64(0xFFFFFFFF81000000 + i) + u64(1)

        many = b"".join(symbol(1, i * 16) for i in range(5000))
        names = b"\0name\0"
        files = {
            "one": self.elf(many, names),
            "one-table-often": self.elf(many, names, 5000),
            "long-name": self.elf(many, b"\0" + b"a" * 1000000 + b"\0"),
            "no-end": self.elf(many, b"\0" + b"a" * 1000000),
            "small-entries": self.elf(many, names, entsize=1),
            "shared-names": self.elf(b"".join(symbol(1 + i % 900, i * 16) for i in range(5000)),
                                     b"\0" + b"a" * 1000 + b"\0"),
            "one-note-often": self.elf(many, names, 5000,
                                       note=(u32(4) + u32(0) + u32(9) + b"GNU\0") * 5000),
        }
        with open("a.dat", "wb") as f:
            f.write(version6(self.m, [self.a_page()]))
        for name, data in files.items():
            with open("vmlinux", "wb") as f:
                f.write(data)
            for more in [], ["--by", "dir"]:
                self.runner.run(f"elf-{name}", len(data), "stat", "--page", *more,
                                "--vmlinux", "vmlinux", "-i", "a.dat")
            self.runner.run(f"elf-{name}", len(data), "footprint", "--vmlinux", "vmlinux",
                            "--depth", "all", "--rings", "rings.html")

    def bomb_dwarf(self):
        with open("a.dat", "wb") as f:
            f.write(version6(self.m, [self.a_page()], kallsyms=dwarf.KALLSYMS))
        variables = dict(dwarf.variables())
        for name, data in [*dwarf.files(), *variables.items()]:
            with open("vmlinux", "wb") as f:
                f.write(data)
            self.runner.run(f"dwarf-{name}", len(data), "footprint", "--vmlinux", "vmlinux")
            if name in variables:
                continue
            self.runner.run(f"dwarf-{name}", len(data), "stat", "--page", "--by", "dir",
                            "--vmlinux", "vmlinux", "-i", "a.dat")
            with open("err", "rb") as f:
                err = f.read()
            if b"it has no libdw" in err:
                return
            refused = b"takes too long to read for a file of its size" in err
            verdict = "passed" if refused != (name in ("whole", "packed")) else "failed"
            print(f"{verdict}\tdwarf-{name} is refused, or read if it asks for little\t{refused}")

    def bomb_inlined(self):
        """Inlined functions, lines, and files that refer to other files."""
        if "libdw      yes" not in os.popen(f"{self.runner.kmemx} version --build-options").read():
            return
        allocs = pages(record(self.m.event("kmalloc", call_site=dwarf.ADDRESS + 16 * i + 8,
                                           ptr=0xFFFF888000000000 + 64 * i, bytes_req=8,
                                           bytes_alloc=8)) for i in range(100))
        with open("a.dat", "wb") as f:
            f.write(version6(self.m, [allocs], kallsyms=dwarf.KALLSYMS))
        os.mkfifo("fifo")
        for name, data, little in dwarf.inlined():
            with open("vmlinux", "wb") as f:
                f.write(data)
            self.runner.run(f"dwarf-{name}", len(data), "stat", "--slab", "--by", "line",
                            "--vmlinux", "vmlinux", "-i", "a.dat")
            with open("out", "rb") as f:
                known = b"fs/a.c" in f.read()
            verdict = "passed" if known or not little else "failed"
            print(f"{verdict}\tdwarf-{name} has lines if it asks for little\t{known}")
        os.unlink("fifo")

    def bomb_source(self):
        """Many directories define the same functions."""
        with open("a.dat", "wb") as f:
            f.write(version6(self.m, [self.a_page()]))
        text, nr = b"".join(b"f%d(){}\n" % i for i in range(50)), 20000
        for i in range(nr):
            os.makedirs(f"source/{i}")
            with open(f"source/{i}/a.c", "wb") as f:
                f.write(text)
        self.runner.run("source", len(text) * nr, "stat", "--page", "--by", "dir",
                        "--source", "source", "-i", "a.dat")
        shutil.rmtree("source")

    # --- facts in the recording

    def bomb_formats(self):
        fmt = self.m.events
        at = fmt.index(b"name: mm_page_alloc\n")
        size_at = at - 8
        old = int.from_bytes(fmt[size_at:at], "little")
        text = fmt[at : at + old]
        head, prints = text.split(b"print fmt:", 1)
        field = b"\tfield:unsigned long x%d;\toffset:8;\tsize:8;\tsigned:0;\n"
        texts = {
            "fields": head.rstrip(b"\n") + b"\n"
                      + b"".join(field % i for i in range(10000)) + b"\nprint fmt:" + prints,
            "brackets": head + b'print fmt: "%s", ' + b"(" * 300000 + b"\n",
            "flags": head + b'print fmt: "%s", __print_flags(REC->gfp_flags, "|", '
                     + b", ".join(b'{ 0x%x, "F%d" }' % (i, i) for i in range(20000)) + b")\n",
            "arrays": head.rstrip(b"\n") + b"\n\tfield:char a" + b"[2]" * 100000
                      + b";\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt:" + prints,
            "types": head.rstrip(b"\n") + b"\n\tfield:" + b"struct " * 100000
                     + b"a;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt:" + prints,
        }
        for name, new in texts.items():
            self.m.events = fmt[:size_at] + u64(len(new)) + new + fmt[at + old :]
            self.give(f"format-{name}", version6(self.m, [pages([
                record(bytes(2) + bytes(40))])]))
        self.m.events = fmt

    def add_probes(self):
        """Adds the formats of the recorder's probes."""
        common = "".join(f"\tfield:{kind} common_{name};\toffset:{at};\tsize:{size};\tsigned:0;\n"
                         for kind, name, at, size in (
                             ("unsigned short", "type", 0, 2), ("unsigned char", "flags", 2, 1),
                             ("unsigned char", "preempt_count", 3, 1), ("int", "pid", 4, 4)))
        texts = []
        for number, (name, fields) in enumerate({
                "rcu_free": ("head", "ptr"), "free_bulk": ("__probe_ip", "nr", "p[]"),
                "alloc_bulk": ("__probe_ret_ip", "nr", "ret", "p[]")}.items()):
            text = f"name: {name}\nID: {3000 + number}\nformat:\n{common}\n" + "".join(
                f"\tfield:u64 {field};\toffset:{8 + 8 * i};\tsize:{512 if '[' in field else 8};"
                "\tsigned:0;\n" for i, field in enumerate(fields)) + '\nprint fmt: ""\n'
            self.m.add_format(text)
            texts.append(u64(len(text)) + text.encode())
        nr = int.from_bytes(self.m.events[:4], "little")
        self.m.events = (nr + 1).to_bytes(4, "little") + self.m.events[4:] + b"kmemx_1\0" \
            + (3).to_bytes(4, "little") + b"".join(texts)

    def bomb_probes(self):
        """Endless objects: each is handed to RCU, counts are wrong, and for callsites that allocate
        in bulk, the size has to be searched in the rows."""
        before, nr, base = self.m.events, 3000, 0xFFFF888000000000
        self.add_probes()
        all_of = b"".join(u64(base + 64 * i) for i in range(64))
        records = [record(self.m.event("rcu_free", ptr=base + 64 * i)) for i in range(100000)]
        for i in range(nr):
            records.append(record(self.m.event("kmalloc", call_site=base + i, bytes_alloc=64,
                                               ptr=base + (i << 20))))
            bulk = self.m.event("alloc_bulk", __probe_ret_ip=base + i, nr=64, ret=64)
            records.append(record(bulk[:-512] + all_of))
            name = self.m.event("kmem_cache_free", ptr=base, call_site=base)
            at = self.m.formats["kmem_cache_free"][1]["name"][0]
            records.append(record(name[:at] + u32(8 << 16 | len(name)) + name[at + 4:]
                                  + b"cache%02d\0" % (i % 100)))
            for count in (64, 1 << 63, 65, (1 << 24) - 1):
                free = self.m.event("free_bulk", nr=count)
                records.append(record(free[:-512] + all_of))
        self.give("probes", version6(self.m, [pages(records)]))
        self.m.events = before

    def bomb_metadata(self):
        lines = b"".join(b"cache-%d %d 1 64 64 1 : tunables 0 0 0 : slabdata 1 1 0\n" % (i, i)
                         for i in range(20000))
        values = b"".join(b"pgalloc_%d %d\n" % (i, i) for i in range(30000))
        items = {"slabinfo": lines, "vmstat": values, "pagetypeinfo": values,
                 "modules": lines, "buddyinfo": values, "zoneinfo": values}
        options = b"".join(option(META, name.encode() + when + b"\0" + text)
                           for name, text in items.items() for when in (b".before", b".after"))
        options += b"".join(option(META, b"item%d\0x" % i) for i in range(20000))
        curve = b"times +1" + b"+9" * 63 + b"\n" + b"".join(
            b"s cache-%d +9=63\n" % i for i in range(100000))
        options += option(META, b"kernel_curve\0" + curve)
        options += option(META, b"slab_reclaim\0" + b"".join(
            b"cache-%d 1\n" % i for i in range(100000)))
        slab = record(self.m.event("kmalloc", ptr=0xFFFF888000001000, bytes_req=8,
                                   bytes_alloc=8))
        data = version6(self.m, [pages([slab, self.alloc(1)])], options)
        self.give("metadata", data)
        with open("a.dat", "wb") as f:
            f.write(data)
        for args in ["--ledger"], ["--by", "cache"], ["--account"]:
            self.runner.run("metadata", len(data), "stat", *args, "-i", "a.dat")
        self.m.cmdlines, old = u64(700000) + b"1 a\n" * 175000, self.m.cmdlines
        self.give("command-lines", version6(self.m, [self.a_page()]))
        self.m.cmdlines = old

    def bomb_counts(self):
        """Each cache has sheaves on each node, and each event may belong to any cache."""
        caches = [b"a%d" % i for i in range(30000)]
        items = {b"slabinfo": b"".join(b"%s 1 1 1 1 1\n" % c for c in caches),
                 b"slab_counts": b"".join(b"%s 1 1 1 1 0 1 9000000\n" % c for c in caches)}
        options = b"".join(option(META, name + when + b"\0" + text)
                           for name, text in items.items() for when in (b".before", b".after"))
        options += option(UNAME, b"Linux board 6.19.0 x86_64\0")
        options += option(META, b"buddyinfo.after\0" + b"\n" * 65000)
        options += option(META, b"duration_ns\x002000000000")
        frees = [record(self.m.event("kfree", ptr=0xFFFF888000000000 + 64 * i), delta=0)
                 for i in range(20000)]
        self.give("counts", version6(self.m, [pages(frees)], options))

    # --- texts and raw pages

    def bomb_text_log(self):
        line = b"  task-1 [000] d..1.  100.%06d: mm_page_alloc: page=0x1 pfn=0x%x order=0 migratetype=0 gfp_flags=GFP_KERNEL\n"
        texts = {
            "one-line": b"x" * 2000000,
            "no-event": b"\n" * 1000000,
            "tasks": b"".join(line.replace(b"task-1", b"t%d-%d" % (i, i)) % (i, i)
                              for i in range(10000)),
            "functions": b"".join(
                b"  task-1 [000] d..1.  100.%06d: kfree: call_site=f%d+0x0/0x1 ptr=%016x\n"
                % (i, i, i) for i in range(10000)),
            "cpus": b"".join(line.replace(b"000", b"%03d" % (i % 4000), 1) % (i, i)
                             for i in range(8000)),
            "flags": b"".join(line.replace(b"GFP_KERNEL", b"GFP_X%d" % i * 1) % (i, i)
                              for i in range(8000)),
            "many-flags": line.replace(b"GFP_KERNEL", b"|".join(
                b"GFP_X%d" % i for i in range(8000))) % (1, 1) * 20,
        }
        for name, text in texts.items():
            with open("log", "wb") as f:
                f.write(text)
            self.runner.run(f"text-{name}", len(text), "import", "-q", "--ftrace-text",
                            "log", "-o", "a.dat")

    def raw_pages(self, **files):
        directory = "raw"
        texts = {"uname": b"", **files}
        os.makedirs(directory + "/events/kmem", exist_ok=True)
        with open(directory + "/events/header_page", "wb") as f:
            f.write(b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                    b"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                    b"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n")
        os.makedirs(directory + "/events/kmem/kfree", exist_ok=True)
        with open(directory + "/events/kmem/kfree/format", "wb") as f:
            f.write(b"name: kfree\nID: 1\n")
        for name, text in texts.items():
            with open(f"{directory}/{name}", "wb") as f:
                f.write(text)
        with open(directory + "/cpu0.raw", "wb") as f:
            f.write(self.a_page())
        return directory

    def import_raw(self, name, size):
        self.runner.run(name, size, "import", "-q", "--raw-pages", "raw", "-o", "raw.dat")
        self.check_size("raw.dat", size)

    def bomb_raw_pages(self):
        self.raw_pages(uname=b"Linux box 6.1 " + b"a " * 100000)
        self.import_raw("uname", 200000)
        self.raw_pages()
        for size in HOLE, HOLE + 100:
            os.truncate("raw/cpu0.raw", size)
            self.import_raw(f"raw-hole-{size - HOLE}", 70000)

    # --- rows

    def query(self, name, data):
        path = name + ".ndjson"
        with open(path, "wb") as f:
            f.write(data)
        for query in "top-callsites", "growing", "architectures", "untrusted":
            self.runner.run(name, len(data), "query", path, query)
        os.unlink(path)

    def bomb_rows(self):
        if "sqlite     yes" not in os.popen(f"{self.runner.kmemx} version --build-options").read():
            return
        row = (b'{"recording_id":"%d","host":"%d","start_unix":%d,"allocator":"slab","callsite":"%s",'
               b'"stack":"%s","bytes":1,"bytes_live":%d,"machine":"%d"%s}\n')
        self.query("rows-of-many-recordings", b"".join(
            row % (i, i, i, b"f", b"f", i, i, b"") for i in range(50000)))
        self.query("rows-of-one-host", b"".join(
            row % (i, 1, i, b"f", b"f", i, i, b"") for i in range(50000)))
        self.query("rows-of-many-callsites", b"".join(
            row % (1, 1, 1, b"f%d" % i, b"s%d" % i, i, 1, b"") for i in range(50000)))
        self.query("rows-of-long-stacks", b"".join(
            row % (1, 1, 1, b"f", b"%d" % i + b";f" * 100000, i, 1, b"") for i in range(100)))
        self.query("rows-of-escapes", b"".join(
            row % (1, 1, 1, b"f", b"\\u00e9" * 150000, i, 1, b"") for i in range(20)))
        self.query("rows-of-unknown-keys", b"".join(
            row % (1, 1, 1, b"f", b"f", i, 1, b',"":0' * 200000) for i in range(20)))
        self.query("rows-of-depth", row % (1, 1, 1, b"f", b"f", 1, 1, b',"":' + b"[" * 1000000))
        self.query("rows-without-an-end", b'{"host":"' + b"x" * (20 << 20))
        self.query("rows-of-zeros", bytes(20 << 20))
        self.query("rows-of-nothing", b"\n" * (20 << 20))

    # --- holes

    def import_perf(self, name, records, files=()):
        """A file, or a directory with these additional files."""
        data = perf_data.perf_data(self.m, records)
        path, size = name + ".data", len(data) + sum(map(len, files))
        if files:
            os.mkdir(path)
        for nr, content in enumerate([data, *files]):
            where = path if not files else path + (f"/data.{nr - 1}" if nr else "/data")
            with open(where, "wb") as f:
                f.write(content)
        self.runner.run(name, size, "import", "--perf", path, "-o", "imported.dat")
        if files:
            shutil.rmtree(path)
        else:
            os.unlink(path)

    def bomb_perf_data(self):
        event = self.m.event("mm_page_free", pfn=1, order=0)
        some = b"".join(perf_data.sample(i, event) for i in range(1000))
        tiny, rounds = perf_data.entry(200, b""), perf_data.entry(68, b"")
        self.import_perf("perf-tiny-packed", some + perf_data.packed(tiny * (7 << 20)) * 30)
        self.import_perf("perf-same-packed", some + perf_data.packed(some * 900) * 30)
        self.import_perf("perf-rounds", (some + rounds * 1000) * 50)
        self.import_perf("perf-backwards", b"".join(
            perf_data.sample(1 << 40 - i % 40, event, i % 64) for i in range(200000)))
        self.import_perf("perf-cpus", b"".join(
            perf_data.sample(i, event, i % 1000) for i in range(10000)))
        self.import_perf("perf-losses", perf_data.sample(1, event) + b"".join(
            perf_data.entry(5, bytes(24) + u64(i) + u64(i % 500) + u64(perf_data.ID))
            for i in range(100000)))
        self.import_perf("perf-tasks", some + b"".join(
            perf_data.comm(i, b"%d" % i) for i in range(1, 200000)))
        self.import_perf("perf-modules", some + b"".join(
            perf_data.entry(1, bytes(32) + b"[%d]\0" % i) for i in range(100000)))
        self.import_perf("perf-symbols", some + b"".join(
            perf_data.entry(17, u64(i) + u64(1) + b"bpf_%d\0" % i) for i in range(100000)))
        self.import_perf("perf-threads", some, [some[:1000]] * 3000)

    def bomb_holes(self):
        m, a_page = self.m, self.a_page()
        data = version6(m, [a_page])
        at = data.rindex(b"flyrecord\0") + 10
        self.give("hole-6", data[: at + 8] + u64(HOLE) + data[at + 16 :], HOLE)
        out = Version7(m).out
        self.give("hole-7-sections", out, HOLE)
        out += u16(3) + u16(0) + u32(0) + u64(0)
        self.give("hole-7", out + bytes(-len(out) % PAGE) + a_page, HOLE)
        out = self.packed_start().out + u16(3) + u16(1) + u32(0) + u64(0)
        out += bytes(-len(out) % PAGE)
        self.give("hole-7-chunks", out + u32(0xFFFFFFFF), HOLE)
        for number, start in (0, b""), (3, b""), (16, b""), (17, u32(65536)), (
                18, u32(65536)), (20, u32(0xFFFFFFF0)), (21, u64(HOLE // 2)), (99, b""):
            data = wire(m, [(3, 0, a_page)], end=False)
            data += u16(number) + u16(0) + u32(1) + u64(HOLE) + start
            self.give(f"hole-stream-{number}", data, HOLE)

    # --- compressed data

    def bomb_chunks(self):
        self.give("zeros", self.packed([bytes(12 << 20)] * 30))
        page = pages([self.alloc(i * 8) + self.free(i * 8) for i in range(40)])
        self.give("same-page", self.packed([page * 4000] * 20))
        self.give("small-events", self.packed(
            [pages([u32(1 | 1 << 5) + bytes(4)] * 400) * 4000] * 20))
        # Three chunks of each CPU are in memory; a CPU takes 20 bytes of the file.
        self.give("zeros-of-many-cpus", self.packed([bytes(60 << 10)] * 3, nr=300))

    def bomb_sections(self):
        v = self.packed_start()
        at = len(v.out)
        self.packed_section(v, 19, u32(60 << 20) + bytes(60 << 20))
        v.options += option(19, u64(at)) * 5000
        v.buffer([chunks([self.a_page()], zstd)], compressed=True)
        self.give("one-section-often", v.finish())


def main():
    kmemx, scratch, original, sanitizer, *names = sys.argv[1:]
    runner = Runner(kmemx, bool(sanitizer))
    bombs = Bombs(runner, Metadata(original))
    for name in dir(bombs):
        if name.startswith("bomb_") and (not names or name[5:] in names):
            getattr(bombs, name)()


if __name__ == "__main__":
    os.chdir(sys.argv[2])
    main()
