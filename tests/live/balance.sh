# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The balance adds up to MemTotal, and what a workload takes stands in its line, with its function.
# quiet: memory of other programs is in the same lines
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"

# Takes MiB of a kind of memory and holds it for a while.
cat >hold.py <<'END'
import fcntl, mmap, os, socket, struct, sys, time
kind, mib = sys.argv[1], int(sys.argv[2])
kept = []
if kind == "ring":  # alloc_pg_vec(), for a packet socket
    ring = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    ring.setsockopt(263, 5, struct.pack("IIII", 65536, mib * 16, 2048, mib * 512))
elif kind == "pipes":
    for _ in range(mib):
        r, w = os.pipe()
        fcntl.fcntl(w, 1031, 1 << 20)
        os.write(w, bytes(1 << 20))
        kept.append((r, w))
elif kind == "anonymous":
    area = mmap.mmap(-1, mib << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, mib << 20, 4096):
        area[at] = 1
elif kind == "shmem":
    fd = os.memfd_create("balance")
    os.write(fd, bytes(mib << 20))
elif kind == "tables":  # a page table for each page, which is only read
    area = mmap.mmap(-1, mib << 29, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, mmap.PROT_READ)
    area.madvise(15)  # MADV_NOHUGEPAGE
    for at in range(0, mib << 29, 2 << 20):
        area[at]
print("ready", flush=True)
time.sleep(60)
END

# check KIND MIB LINE FUNCTION [LEAST]: the line's change is explained, mostly by the function
check() {
	"$KMEMX" record -q -o r.dat -- sh -c "python3 hold.py $1 $2 >held & echo \$! >pid
		for i in \$(seq 300); do [ -s held ] && break; sleep 0.1; done; : >held; sleep 0.2" || fail "$1: record"
	kill "$(cat pid)" 2>/dev/null || fail "$1: it did not hold the memory"
	"$KMEMX" balance -i r.dat --json >balance.json || fail "$1: balance"
	python3 - "$@" <<'END' || fail "$1"
import json, sys
kind, mib, line, function = sys.argv[1:5]
least = float(sys.argv[5]) if len(sys.argv) > 5 else 0.97
report = json.load(open("balance.json"))["reports"][0]
rows = {row["line"]: row for row in report["rows"]}
wrong = []
for when in "before", "after":
    if sum(row[when] for row in report["rows"]) != report["summary"][f"total_{when}"]:
        wrong.append(f"the lines do not add up {when}")
row, took = rows[line], int(mib) << 20
name, bytes_ = row["callsites"].split(",")[0].rsplit(" ", 1)
print(kind, row)
if not name.startswith(function):
    wrong.append(f"{line} is {name}'s")
if not 0.99 < int(bytes_) / took < 1.05:
    wrong.append(f"{name} has {bytes_}, not {took}")
if not least < row["explained"] / row["change"] < 2 - least:
    wrong.append(f"{row['explained']} of {row['change']} are explained")
sys.exit("\n".join(wrong) or 0)
END
}

# The allocator's per-CPU lists, which the kernel counts nowhere either, change by some MiB meanwhile:
# enough is taken for that to be little.
check ring 320 uncounted packet_set_ring
check pipes 240 uncounted anon_pipe_write
check shmem 100 shmem shmem_
check anonymous 200 anonymous do_anonymous_page 0.9
check tables 24 page_tables pte_alloc_one
