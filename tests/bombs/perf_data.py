# SPDX-License-Identifier: GPL-2.0-or-later
"""Parts of perf.data files as perf writes them to a pipe. In: numbers and bytes. Out: bytes."""
from recording import u16, u32, u64, zstd

ATTR = (u32(2) + u32(128) + u64(0) + u64(1) + u64(1 << 16 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 10) +
        u64(0) + u64(1 << 18)).ljust(128, b"\0")
ID = 7


def entry(kind, body, misc=1):
    return u32(kind) + u16(misc) + u16(len(body) + 8) + body


def sample(time, raw, cpu=0):
    raw += bytes(-(len(raw) + 4) % 8)
    return entry(9, u64(ID) + u32(1) + u32(1) + u64(time) + u32(cpu) + u32(0) +
                 u32(len(raw)) + raw)


def comm(tid, name):
    return entry(3, u32(tid) + u32(tid) + name.ljust(16, b"\0") + bytes(32))


def packed(plain):
    """Records of compressed data, each of the largest possible size."""
    data = zstd(plain)
    return b"".join(entry(81, data[at : at + 65000]) for at in range(0, len(data), 65000))


def perf_data(metadata, records, ids=b""):
    """A perf.data stream with the formats of a trace.dat file."""
    m = metadata
    tracing = (b"\x17\x08\x44tracing0.6\0\0\x08" + u32(4096) + m.header + m.ftrace + m.events +
               u32(0) + u32(0) + u64(len(m.cmdlines)) + m.cmdlines)
    tracing += bytes(-len(tracing) % 8)
    return (b"PERFILE2" + u64(16) + entry(64, ATTR + u64(ID) + ids) +
            entry(66, u32(len(tracing))) + tracing + records)
