# SPDX-License-Identifier: GPL-2.0-or-later
"""
Makes a recording like that of a kernel with alloc_tag events: formats as posted (linux-mm, 2026),
events of four callsites, /proc/allocinfo before and after.
In: a trace.dat 6 file, "ref" or "ptr" (a later posting renamed the field), the file to make.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../bombs"))
from recording import Metadata, Version7, option, pages, record, u32, u64  # noqa: E402

META, UNAME = 0x4000, 5
COMMON = """format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

"""


def formats(pointer):
    mem = (COMMON + f"\tfield:void * {pointer};\toffset:8;\tsize:8;\tsigned:0;\n"
           "\tfield:void * tag;\toffset:16;\tsize:8;\tsigned:0;\n"
           "\tfield:size_t bytes;\toffset:24;\tsize:8;\tsigned:0;\n\n"
           f'print fmt: "{pointer}=%p tag=%p bytes=%zu", REC->{pointer}, REC->tag, REC->bytes\n')
    hit = (COMMON + "\tfield:void * tag;\toffset:8;\tsize:8;\tsigned:0;\n"
           "\tfield:__data_loc char[] modname;\toffset:16;\tsize:4;\tsigned:0;\n"
           "\tfield:__data_loc char[] filename;\toffset:20;\tsize:4;\tsigned:0;\n"
           "\tfield:__data_loc char[] function;\toffset:24;\tsize:4;\tsigned:0;\n"
           "\tfield:int lineno;\toffset:28;\tsize:4;\tsigned:1;\n\n"
           'print fmt: "tag=%p %s:%d func:%s", REC->tag, __get_str(filename), REC->lineno, '
           "__get_str(function)\n")
    return [f"name: {name}\nID: {number}\n" + text
            for name, number, text in (("alloc_tag_hit", 3001, hit),
                                       ("alloc_tag_mem_alloced", 3002, mem),
                                       ("alloc_tag_mem_freed", 3003, mem))]


def add_system(m, name, texts):
    nr = int.from_bytes(m.events[:4], "little")
    m.events = u32(nr + 1) + m.events[4:] + name + b"\0" + u32(len(texts))
    for text in texts:
        m.add_format(text)
        m.events += u64(len(text)) + text.encode()


def hit(m, tag, module, file, line, function):
    data = m.event("alloc_tag_hit", tag=tag, lineno=line)
    strings, locs = b"", {}
    for field, text in ("modname", module), ("filename", file), ("function", function):
        text = text.encode() + b"\0"
        locs[field] = len(text) << 16 | len(data) + len(strings)
        strings += text
    data = m.event("alloc_tag_hit", tag=tag, lineno=line, **locs) + strings
    return data + bytes(-len(data) % 4)


def main():
    source, pointer, target = sys.argv[1:]
    m = Metadata(source)
    add_system(m, b"alloc_tag", formats(pointer))
    nodes, files, parts, nameless = (0xFFFFFFFF83000000 + 0x40 * i for i in range(4))

    def mem(what, tag, size, nr):
        return [m.event("alloc_tag_mem_" + what, tag=tag, bytes=size,
                        **{pointer: 0xFFFF888000000000 + i}) for i in range(nr)]

    def kmalloc(site, nr):
        return [m.event("kmalloc", call_site=site, ptr=0xFFFF888010000000 + site % 4096 * 4096 + 64 * i,
                        bytes_req=64, bytes_alloc=64) for i in range(nr)]

    # Nodes, which are allocated in bulk, have no kmem events.
    events = [hit(m, nodes, "(null)", "lib/maple_tree.c", 1171, "mas_alloc_nodes"),
              *mem("alloced", nodes, 256, 32), *mem("freed", nodes, 256, 2),
              # An object allocated before the recording: the kernel's count decreases, and so does
              # that of the events.
              hit(m, files, "sunrpc", "net/sunrpc/clnt.c", 410, "rpc_new_client"),
              *mem("alloced", files, 64, 5), *mem("freed", files, 64, 6),
              # One of two callsites; kmem events see both.
              hit(m, parts, "", "fs/a.c", 10, "of_two_places"), *mem("alloced", parts, 64, 1),
              *mem("alloced", nameless, 64, 3), *kmalloc(0xFFFFFFFF81000010, 3),
              *kmalloc(0xFFFFFFFF81000110, 4)]
    events.append(m.event("alloc_tag_mem_freed", tag=nodes, bytes=1 << 60))
    m.kallsyms = b"ffffffff81000000 T of_two_places\nffffffff81000100 T seen_by_kmem\n" \
        b"ffffffff81000200 T end\n"
    m.kallsyms = u32(len(m.kallsyms)) + m.kallsyms
    v = Version7(m)
    v.buffer([pages(record(e) for e in events)])
    head = b"allocinfo - version: 1.0\n#     <size>  <calls> <tag info>\n"
    v.options += option(UNAME, b"Linux made 7.2.0 x86_64")
    v.options += option(META, b"allocinfo.before\0" + head
                        + b"12800 50 lib/maple_tree.c:1171 func:mas_alloc_nodes\n"
                        + b"640 10 net/sunrpc/clnt.c:410 [sunrpc] func:rpc_new_client\n"
                        + b"0 0 fs/a.c:10 func:of_two_places\n0 0 fs/a.c:20 func:of_two_places\n"
                        + b"0 0 fs/k.c:1 func:seen_by_kmem\n")
    v.options += option(META, b"allocinfo.after\0" + head
                        + b"20480 80 lib/maple_tree.c:1171 func:mas_alloc_nodes\n"
                        + b"576 9 net/sunrpc/clnt.c:410 [sunrpc] func:rpc_new_client\n"
                        + b"64 1 fs/a.c:10 func:of_two_places\n128 2 fs/a.c:20 func:of_two_places\n"
                        + b"256 4 fs/k.c:1 func:seen_by_kmem\n")
    with open(target, "wb") as f:
        f.write(v.finish())


main()
