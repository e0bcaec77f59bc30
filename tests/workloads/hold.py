#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Takes MiB of a kind of memory, says "ready", and keeps it until it is killed.

usage: hold.py KIND MIB [DIR]
DIR: on a disk, for files; here by default.
"""
import fcntl
import mmap
import os
import socket
import struct
import sys
import threading
import time

PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
kept = []


def touched(area, size, step=4096):
    for at in range(0, size, step):
        area[at] = 1
    kept.append(area)


def anonymous(mib, directory):
    touched(mmap.mmap(-1, mib << 20, PRIVATE), mib << 20)


def cache(mib, directory):
    """Pages of a file that is read, not of one that is written, whose metadata also has pages."""
    path = f"{directory}/hold.{os.getpid()}"
    with open(path, "wb") as f:
        f.truncate(mib << 20)
    kept.append(open(path, "rb"))
    os.unlink(path)
    while kept[-1].read(1 << 20):
        pass


def sent(nr, size):
    """Sends @nr texts of @size bytes that no one reads."""
    for at in range(nr):
        if at % 1000 == 0:
            pair = socket.socketpair()
            pair[0].setsockopt(socket.SOL_SOCKET, 32, 1 << 28)  # SO_SNDBUFFORCE
            kept.extend(pair)
        pair[0].send(bytes(size))


def slab(mib, directory):
    """Texts of a byte: each has a struct sk_buff and a buffer of some 1 KiB together."""
    sent(mib * 1024, 1)


def threads(mib, directory):
    """16 KiB of stack each."""
    threading.stack_size(64 << 10)
    for _ in range(mib * 64):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def tables(mib, directory):
    """A page table for each page, which is only read."""
    area = mmap.mmap(-1, mib << 29, PRIVATE | 0x4000, mmap.PROT_READ)  # MAP_NORESERVE
    area.madvise(15)  # MADV_NOHUGEPAGE
    for at in range(0, mib << 29, 2 << 20):
        area[at]
    kept.append(area)


def shmem(mib, directory):
    os.write(os.memfd_create("hold"), bytes(mib << 20))


def pipes(mib, directory):
    for _ in range(mib):
        ends = os.pipe()
        fcntl.fcntl(ends[1], 1031, 1 << 20)  # F_SETPIPE_SZ
        os.write(ends[1], bytes(1 << 20))


def ring(mib, directory):
    """alloc_pg_vec(), for a packet socket."""
    kept.append(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0))
    kept[-1].setsockopt(263, 5, struct.pack("IIII", 65536, mib * 16, 2048, mib * 512))


def sockets(mib, directory):
    """Texts of 64 KiB: the most part of each is in pages."""
    sent(mib * 16, 64 << 10)


def hugetlb(mib, directory):
    """Pages of 2 MiB, of the pool that this makes larger."""
    pool = "/proc/sys/vm/nr_overcommit_hugepages"
    with open(pool) as f:
        old = f.read()
    with open(pool, "w") as f:
        f.write(str(int(old) + mib // 2))
    touched(mmap.mmap(-1, mib << 20, PRIVATE | 0x40000), mib << 20, 2 << 20)  # MAP_HUGETLB
    with open(pool, "w") as f:
        f.write(old)


def swap(mib, directory):
    """Memory that goes to swap, which there must be."""
    touched(mmap.mmap(-1, mib << 20, PRIVATE), mib << 20)
    print("before", flush=True)
    kept[-1].madvise(21)  # MADV_PAGEOUT


if __name__ == "__main__":
    kind = globals().get(sys.argv[1])
    kind(int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ".")
    print("ready", flush=True)
    time.sleep(600)
