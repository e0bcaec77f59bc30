# SPDX-License-Identifier: GPL-2.0-or-later
"""
ELF files with debug information that cause much work. In: the content of units. Out: bytes.
"""
import zlib

from recording import u16, u32, u64

ADDRESS = 0xFFFFFFFF81000000
SIBLING, LOCATION, NAME, LOW_PC, HIGH_PC, RANGES, LANGUAGE = 1, 2, 3, 0x11, 0x12, 0x55, 0x13
ADDR, DATA1, DATA8, STRING, STRP, SEC_OFFSET = 1, 0x0B, 7, 8, 0xE, 0x17
REF4, EXPRLOC = 0x13, 0x18
COMPILE_UNIT, VARIABLE, COMPRESSED = 0x11, 0x34, 0x800


KALLSYMS = b"".join(b"%x T f%02d\n" % (ADDRESS + 16 * i, i) for i in range(100))


def uleb(v):
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def abbreviation(code, *attributes, tag=COMPILE_UNIT, below=False):
    return (uleb(code) + uleb(tag) + bytes([below])
            + b"".join(uleb(name) + uleb(form) for name, form in attributes) + b"\0\0")


def unit(code, values, table=0):
    body = u16(4) + u32(table) + b"\x08" + uleb(code) + values
    return u32(len(body)) + body


def packed(data, size=None):
    """The content of a compressed section; it may claim a different size."""
    return u32(1) + u32(0) + u64(len(data) if size is None else size) + u64(1) + zlib.compress(data, 9)


def elf(sections, kind=2, often=()):
    """A file with sections, (name, type, flags, content[, link, info]), after a symbol table;
    @often: (number, times) of additional headers for the bytes of a section."""
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
    """Yields the name and content of files."""
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


def variables():
    """The same for files whose units or sections are read to the end."""
    yield "content-often", elf([(".rodata", 1, 2, b"ab" * 500000)], often=[(4, 60000)])
    yield "text-without-end", elf([(".rodata", 1, 2, b"ab" * 4000000 + b"\xff")])
    own = (NAME, STRING), (LOW_PC, ADDR), (HIGH_PC, DATA8)
    values = b"mm/slub.c\0" + u64(ADDRESS) + u64(1600)
    top = abbreviation(1, *own, below=True)
    loop = top + abbreviation(2, (SIBLING, REF4), tag=VARIABLE, below=True) + b"\0"
    at = 11 + len(uleb(1) + values)
    yield "sibling-of-itself", elf(debug(unit(1, values + uleb(2) + u32(at)), loop))
    variable = abbreviation(2, (LOCATION, EXPRLOC), tag=VARIABLE)
    yield "variables", elf(debug(
        unit(1, values + b"".join(uleb(2) + uleb(9) + b"\3" + u64(ADDRESS + i) for i in range(100000))),
        top + variable + b"\0"))
    wide = abbreviation(2, *[(LANGUAGE, DATA1)] * 20000, tag=VARIABLE)
    yield "wide-variables", elf(debug(
        unit(1, values + (uleb(2) + bytes(20000)) * 200), top + wide + b"\0"))


SUBPROGRAM, INLINED, BLOCK = 0x2E, 0x1D, 0x0B
STMT_LIST, ORIGIN, CALL_FILE, CALL_LINE = 0x10, 0x31, 0x58, 0x59
REF4, GNU_REF_ALT, DWO_NAME = 0x13, 0x1F20, 0x76


def entry(code, tag, children, *attributes):
    return (uleb(code) + uleb(tag) + bytes([children])
            + b"".join(uleb(name) + uleb(form) for name, form in attributes) + b"\0\0")


def line_table(operations):
    """A table of DWARF 4 with one file, fs/a.c."""
    after = b"\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1" + b"fs\0\0" + b"a.c\0\1\0\0\0"
    body = u16(4) + u32(len(after)) + after + operations
    return u32(len(body)) + body


def inlined():
    """Yields the name and content of files, and whether only functions cause work."""
    low_high = (LOW_PC, ADDR), (HIGH_PC, DATA8)
    at = u64(ADDRESS) + u64(1600)
    table = (entry(1, COMPILE_UNIT, 1, (NAME, STRING), *low_high, (STMT_LIST, SEC_OFFSET))
             + entry(2, SUBPROGRAM, 1, (NAME, STRING), *low_high)
             + entry(3, INLINED, 1, (ORIGIN, REF4), *low_high, (CALL_FILE, DATA1), (CALL_LINE, DATA1))
             + entry(4, BLOCK, 1, *low_high)
             + entry(5, SUBPROGRAM, 0, (ORIGIN, REF4))
             + entry(6, INLINED, 1, (ORIGIN, GNU_REF_ALT), *low_high, (CALL_FILE, DATA1), (CALL_LINE, DATA1))
             + entry(7, COMPILE_UNIT, 1, (NAME, STRING), *low_high, (DWO_NAME, STRING))
             + entry(8, SUBPROGRAM, 0, *low_high)
             + b"\0")
    set_address = b"\0\x09\2" + u64(ADDRESS)
    lines = line_table(set_address + b"\x4b" * 100 + b"\0\1\1")

    def of(children, lines=lines, more=(), units=1):
        info = b""
        for i in range(units):
            size = 1600 // units
            unit_at = u64(ADDRESS + i * size) + u64(size)
            body = (u16(4) + u32(0) + b"\x08" + b"\1" + b"fs/a.c\0" + unit_at + u32(0)
                    + b"\2" + b"f\0" + unit_at + children + b"\0\0")
            info += u32(len(body)) + body
        return elf([(".debug_info", 1, 0, info), (".debug_abbrev", 1, 0, table),
                    (".debug_line", 1, 0, lines), *more])

    # The first entry of the unit is at 11; the entry of f comes after "fs/a.c" and 20 bytes.
    first = 11 + 1 + 7 + 16 + 4
    behind = first + 1 + 2 + 16
    inline = b"\3" + u32(first) + at + b"\1\7"
    yield "inlined-once", of(inline + b"\0"), True
    yield "inlined-deep", of(inline * 40000 + b"\0" * 40000), False
    yield "blocks-deep", of((b"\4" + at) * 60000 + b"\0" * 60000), False
    yield "inlined-wide", of((b"\3" + u32(first) + u64(0) + u64(1) + b"\1\7\0") * 60000), False
    yield "inlined-of-itself", of(b"\3" + u32(behind) + at + b"\1\7\0"), True
    loop = b"\5" + u32(behind + 5) + b"\5" + u32(behind)
    yield "origins-in-a-loop", of(loop + b"\3" + u32(behind) + at + b"\1\7\0"), True
    many = line_table(set_address + b"\x12" * (8 << 20) + b"\x4b" * 100 + b"\0\1\1")
    yield "lines-many", of(inline + b"\0", many), True
    yield "lines-of-all-units", of(inline + b"\0", many, units=100), False
    names = b"\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1" + b"d\0" * 500000 + b"\0" + b"a\0\1\0\0" * 500000 + b"\0"
    body = u16(4) + u32(len(names)) + names + set_address + b"\x4b" * 100 + b"\0\1\1"
    yield "files-of-all-units", of(inline + b"\0", u32(len(body)) + body, units=100), False
    # No other file may be opened, least of all a FIFO, which would wait for a writer.
    yield "another-file", of(b"\6" + u32(0) + at + b"\1\7\0", more=[
        (".gnu_debugaltlink", 1, 0, b"fifo\0" + bytes(20))]), True
    body = (u16(5) + b"\4\x08" + u32(0) + u64(1) + b"\7" + b"fs/a.c\0" + at + b"fifo\0"
            + b"\x08" + at + b"\0")
    yield "the-other-half", elf([(".debug_info", 1, 0, u32(len(body)) + body),
                                 (".debug_abbrev", 1, 0, table)]), False
