# SPDX-License-Identifier: GPL-2.0-or-later
"""
ELF files with debug information that asks for much. In: what the units are of. Out: bytes.
"""
import zlib

from recording import u16, u32, u64

ADDRESS = 0xFFFFFFFF81000000
NAME, LOW_PC, HIGH_PC, RANGES, LANGUAGE = 3, 0x11, 0x12, 0x55, 0x13
ADDR, DATA1, DATA8, STRING, STRP, SEC_OFFSET = 1, 0x0B, 7, 8, 0xE, 0x17
COMPILE_UNIT, COMPRESSED = 0x11, 0x800


KALLSYMS = b"".join(b"%x T f%02d\n" % (ADDRESS + 16 * i, i) for i in range(100))


def uleb(v):
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def abbreviation(code, *attributes):
    return (uleb(code) + uleb(COMPILE_UNIT) + b"\0"
            + b"".join(uleb(name) + uleb(form) for name, form in attributes) + b"\0\0")


def unit(code, values, table=0):
    body = u16(4) + u32(table) + b"\x08" + uleb(code) + values
    return u32(len(body)) + body


def packed(data, size=None):
    """A compressed section's content; it may say that it is of another size."""
    return u32(1) + u32(0) + u64(len(data) if size is None else size) + u64(1) + zlib.compress(data, 9)


def elf(sections, kind=2, often=()):
    """A file of sections, (name, type, flags, content[, link, info]), behind a symbol table;
    @often: more headers, which are of a section's bytes, by its number."""
    symbols = bytes(24) + b"".join(
        u32(1 + 4 * i) + b"\x12\0" + u16(1) + u64(ADDRESS + 16 * i) + u64(16)
        for i in range(100))
    functions = b"\0" + b"".join(b"f%02d\0" % i for i in range(100))
    sections = [("", 0, 0, b""), (".text", 1, 6, bytes(1600)),
                (".symtab", 2, 0, symbols, 3, 1), (".strtab", 3, 0, functions), *sections]
    names, body, heads = b"\0", b"", []
    for name, sh_type, flags, content, *links in sections + [(".shstrtab", 3, 0, None)]:
        at = len(names)
        names += name.encode() + b"\0"
        content = names if content is None else content
        link, info = links or (0, 0)
        heads.append(u32(at) + u32(sh_type) + u64(flags)
                     + u64(ADDRESS if sh_type == 1 and flags & 2 else 0)
                     + u64(64 + len(body)) + u64(len(content)) + u32(link) + u32(info)
                     + u64(1) + u64(24 if sh_type in (2, 4) else 0))
        body += content
    strings = len(heads) - 1
    heads += [heads[number] for number, times in often for _ in range(times)]
    return (b"\x7fELF\2\1\1" + bytes(9) + u16(kind) + u16(62) + u32(1) + u64(0) * 2
            + u64(64 + len(body)) + u32(0) + u16(64) + u16(0) * 2 + u16(64)
            + u16(len(heads)) + u16(strings) + body + b"".join(heads))


def debug(info, abbrev, strings=b"\0", ranges=b"", flags=0):
    return [(".debug_info", 1, flags, info), (".debug_abbrev", 1, flags, abbrev),
            (".debug_str", 1, flags, strings), (".debug_ranges", 1, flags, ranges)]


def files():
    """Each file's name and content."""
    own = (NAME, STRING), (LOW_PC, ADDR), (HIGH_PC, DATA8)
    values = b"mm/slub.c\0" + u64(ADDRESS) + u64(1600)
    whole = abbreviation(1, *own) + b"\0"
    yield "whole", elf(debug(unit(1, values), whole))
    yield "packed", elf([(".debug_info", 1, COMPRESSED, packed(unit(1, values))),
                         (".debug_abbrev", 1, COMPRESSED, packed(whole))])
    many = 60000
    table = b"".join(abbreviation(i, *own) for i in range(1, many)) + b"\0"
    yield "units-of-one-table", elf(debug(unit(many - 1, values) * 20000, table))
    wide = abbreviation(1, *[(LANGUAGE, DATA1)] * 100000, *own) + b"\0"
    yield "wide-units", elf(debug(unit(1, bytes(100000) + values) + unit(1, b"") * 60000, wide))
    name = b"a/" * 500000 + b"x.c\0"
    yield "long-name", elf(debug(
        unit(1, u32(0) + u64(ADDRESS) + u64(16)) * 40000,
        abbreviation(1, (NAME, STRP), (LOW_PC, ADDR), (HIGH_PC, DATA8)) + b"\0", name))
    empty = (u64(5) + u64(5)) * 60000 + bytes(16)
    yield "ranges-of-nothing", elf(debug(
        unit(1, u32(0) + b"x.c\0" + u64(0)) * 40000,
        abbreviation(1, (RANGES, SEC_OFFSET), (NAME, STRING), (LOW_PC, ADDR)) + b"\0",
        ranges=empty))
    zeros = packed(bytes(700 << 20))
    yield "packed-zeros", elf([(".debug_info", 1, COMPRESSED, zeros),
                               (".debug_abbrev", 1, 0, whole)])
    yield "packed-of-no-size", elf([
        (".debug_info", 1, COMPRESSED, packed(unit(1, values), 1 << 63)),
        (".debug_abbrev", 1, 0, whole)])
    relocation = (u64(0) + u64(1 << 32 | 1) + u64(0)) * 40000
    yield "relocated-often", elf([
        *debug(unit(1, values), whole),
        (".rela.debug_info", 4, 0, relocation, 2, 4)], 1, [(8, 5000)])
