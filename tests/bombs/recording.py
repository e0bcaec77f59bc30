# SPDX-License-Identifier: GPL-2.0-or-later
"""
Builds valid and hostile recordings with the metadata of a real one.
In: a trace.dat 6 file of a little-endian 64-bit machine. Out: bytes of trace.dat 6 and 7 and of
streams, with any pages, chunks and options.
"""
import ctypes
import re
import struct
import zlib

PAGE = 4096


def u16(v):
    return struct.pack("<H", v)


def u32(v):
    return struct.pack("<I", v)


def u64(v):
    return struct.pack("<Q", v & (1 << 64) - 1)


class Metadata:
    """The parts of a trace.dat 6 file, and the offsets of its events' fields."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        at = 12 + 6  # magic, "6", byte order, size of a long, page size
        start = at
        at += 12
        at += 8 + struct.unpack_from("<Q", data, at)[0] + 13
        at += 8 + struct.unpack_from("<Q", data, at)[0]
        self.header = data[start:at]
        start = at
        at = self.skip_formats(data, at)
        self.ftrace = data[start:at]
        start = at
        systems, at = struct.unpack_from("<I", data, at)[0], at + 4
        for _ in range(systems):
            at = self.skip_formats(data, data.index(b"\0", at) + 1)
        self.events = data[start:at]
        for name, size in ("kallsyms", "<I"), ("printk", "<I"), ("cmdlines", "<Q"):
            start = at
            at += struct.calcsize(size) + struct.unpack_from(size, data, at)[0]
            setattr(self, name, data[start:at])
        self.formats = {}
        for system in self.ftrace, self.events:
            for text in re.findall(rb"name: .*?print fmt", system, re.S):
                self.add_format(text.decode())

    @staticmethod
    def skip_formats(data, at):
        count, at = struct.unpack_from("<I", data, at)[0], at + 4
        for _ in range(count):
            at += 8 + struct.unpack_from("<Q", data, at)[0]
        return at

    def add_format(self, text):
        name, number = re.search(r"name: (\S+)\s+ID: (\d+)", text).groups()
        fields = {
            m[0]: (int(m[1]), int(m[2]))
            for m in re.findall(r"(\w+)(?:\[\d*\])?;\s+offset:(\d+);\s+size:(\d+)", text)
        }
        blank = bytearray(max(sum(field) for field in fields.values()) + 3 & ~3)
        at, size = fields["common_type"]
        blank[at : at + size] = int(number).to_bytes(size, "little")
        self.formats[name] = blank, fields

    def event(self, name, **values):
        """An event's record; all other fields are 0."""
        blank, fields = self.formats[name]
        data = bytearray(blank)
        for field, value in values.items():
            offset, length = fields[field]
            data[offset : offset + length] = value.to_bytes(length, "little")
        return bytes(data)


def record(data, delta=1):
    """A record as in the ring buffer."""
    words = len(data) // 4
    if words <= 28:
        return u32(words | delta << 5) + data
    return u32(delta << 5) + u32(len(data) + 4) + data


def pages(records, size=PAGE, ts=1000):
    """Sub-buffers with these records."""
    out, now, nr = [], b"", 0

    def finish():
        return (u64(ts + len(out) * 1000) + u64(len(now)) + now).ljust(size, b"\0")

    for r in records:
        if len(now) + len(r) > size - 16:
            out.append(finish())
            now = b""
        now += r
    out.append(finish())
    return b"".join(out)


def start(version, page_size=PAGE):
    return b"\x17\x08\x44tracing" + version + b"\0\0\x08" + u32(page_size)


def option(number, data):
    return u16(number) + u32(len(data)) + data


def header_of(m, page_size):
    if page_size == PAGE:
        return m.header
    text = m.header.replace(b"size:4080;", b"size:%d;" % (page_size - 16))
    more = len(text) - len(m.header)
    size = struct.unpack_from("<Q", text, 12)[0] + more
    return text[:12] + u64(size) + text[20:]


def version6(m, cpus, options=b"", page_size=PAGE, kallsyms=None):
    """cpus: the pages of each CPU."""
    out = start(b"6\0"[:1], page_size) + header_of(m, page_size) + m.ftrace + m.events
    out += (m.kallsyms if kallsyms is None else u32(len(kallsyms)) + kallsyms) + m.printk
    out += m.cmdlines + u32(len(cpus)) + b"options  \0" + options + u16(0) + b"flyrecord\0"
    at = len(out) + 16 * len(cpus) + 8 + 7
    table, data = b"", b""
    at = (at + page_size - 1) // page_size * page_size
    for p in cpus:
        table += u64(at + len(data)) + u64(len(p))
        data += p
    out += table + u64(7) + b"[local]"
    return out.ljust(at, b"\0") + data


def section(number, data, flags=0):
    return u16(number) + u16(flags) + u32(0) + u64(len(data)) + data


class Version7:
    """A trace.dat 7 file, section by section."""

    def __init__(self, m, compression=b"none", parts=(16, 17, 18, 19, 20, 21)):
        self.out = start(b"7") + compression + b"\0" + b"1.0\0" + u64(0)
        self.first = len(self.out) - 8
        self.compression = compression
        self.options = b""
        contents = {16: m.header, 17: m.ftrace, 18: m.events, 19: m.kallsyms,
                    20: m.printk, 21: m.cmdlines}
        for number in parts:
            self.section(number, contents[number])

    def section(self, number, data, flags=0):
        self.options += option(number, u64(len(self.out)))
        self.out += section(number, data, flags)

    def buffer(self, cpus, name=b"", page_size=PAGE, compressed=False):
        """cpus: the pages of each CPU, or the number of its chunks and the chunks."""
        at = len(self.out)
        self.out += u16(3) + u16(compressed) + u32(0) + u64(0)
        table = b""
        for i, data in enumerate(cpus):
            self.out += bytes(-len(self.out) % page_size)
            table += u32(i) + u64(len(self.out)) + u64(len(data) - 4 * compressed)
            self.out += data
        self.out = self.out[: at + 8] + u64(len(self.out) - at - 16) + self.out[at + 16 :]
        self.options += option(3, u64(at) + name + b"\0local\0" + u32(page_size)
                               + u32(len(cpus)) + table)

    def finish(self):
        at = len(self.out)
        out = self.out + section(0, self.options + option(0, u64(0)))
        return out[: self.first] + u64(at) + out[self.first + 8 :]


def chunks(datas, compress):
    out = u32(len(datas))
    for data in datas:
        packed = compress(data)
        out += u32(len(packed)) + u32(len(data)) + packed
    return out


def zstd(data):
    """Compresses with the library that kmemx uses."""
    lib = ctypes.CDLL("libzstd.so.1")
    lib.ZSTD_compressBound.restype = lib.ZSTD_compress.restype = ctypes.c_size_t
    lib.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    lib.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                  ctypes.c_size_t, ctypes.c_int]
    room = lib.ZSTD_compressBound(len(data))
    out = ctypes.create_string_buffer(room)
    size = lib.ZSTD_compress(out, room, data, len(data), 3)
    return out.raw[:size]


def wire(m, records, page_size=PAGE, end=True):
    """records: (id, cpu, data)"""
    out = bytearray(b"\x17\x08\x44kmemx-stream-1\0" + b"\0\x08" + u32(page_size))
    parts = [(16, 0, m.header), (17, 0, m.ftrace), (18, 0, m.events), (19, 0, m.kallsyms)]
    for number, cpu, data in parts + list(records) + [(0xFFFF, 0, b"")] * end:
        out += u16(number) + u16(0) + u32(cpu) + u64(len(data)) + data
    return bytes(out)
