# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx stat --by process, --by cgroup, --tree=process: threads, a tree of programs, and groups that
# processes move between, with known counts.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
cat >server.py <<'END'
import ctypes, socket, threading
libc = ctypes.CDLL(None)
def work(i):
    libc.prctl(15, b"worker %d" % i, 0, 0, 0) # PR_SET_NAME
    for j in range(20):
        socket.socket().close()
threads = [threading.Thread(target=work, args=(i,)) for i in range(200)]
for t in threads:
    t.start()
for t in threads:
    t.join()
END
# rows.py: the rows of stat
cat >rows.py <<'END'
import json, subprocess, sys
def rows(*options):
    out = subprocess.run([sys.argv[1], "stat", "--json", *options], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout)["reports"][0]["rows"]
def sums(of):
    return sum(r["hit"] for r in of), sum(r["bytes"] for r in of)
END

"$KMEMX" record -q --follow --slab -o r.dat -- python3 server.py || fail "record"
cat >check.py <<'END'
from rows import *
threads, processes = rows("--slab", "--by", "pid", "r.dat"), rows("--slab", "--by", "process", "r.dat")
print(len(threads), len(processes), sums(threads), sums(processes))
assert sums(threads) == sums(processes)
assert len(threads) > 200
server = [r for r in processes if r["process"] == "python3"]
assert sum(1 for r in server if r["hit"] > 200 * 20 * 2) == 1
assert not [r for r in processes if r["tgid"] < 0]
# The kernel's list of names, saved_cmdlines, lacks some tasks' last name.
workers = [r for r in rows("--slab", "--by", "comm", "r.dat") if r["comm"].startswith("worker ")]
print(len(workers), sums(workers))
assert len(workers) == 200 and min(r["hit"] for r in workers) >= 20 * 2
END
python3 check.py "$KMEMX" >out 2>&1 || fail "threads: $(cat out)"

# A program that starts others, which change their names when they execute a program.
"$KMEMX" record -q --follow --slab -o r.dat -- \
	sh -c 'i=0; while [ $i -lt 20 ]; do sh -c "cat /dev/null | head -n 1; :"; i=$((i + 1)); done' || fail "record"
cat >check.py <<'END'
from rows import *
tree, processes = rows("--slab", "--tree=process", "r.dat"), rows("--slab", "--by", "process", "r.dat")
name = {r["id"]: r["process"] for r in tree}
print([(r["depth"], r["process"], r["hit"], r["bytes"]) for r in tree], sums(processes))
roots = [r for r in tree if r["depth"] == 0]
assert sums(roots) == sums(processes)
assert sum(r["self"] for r in tree) == sums(processes)[1]
assert [r["process"] for r in roots] == ["kmemx"]
assert sorted(r["process"] for r in tree if r["depth"] == 3) == ["cat", "head"]
# 1 shell, 20 shells, two programs of each.
assert len(processes) == 61, len(processes)
END
python3 check.py "$KMEMX" >out 2>&1 || fail "tree: $(cat out)"

# BPF, which counts by process itself, has the same numbers for everything that make starts.
if command -v bpftrace >/dev/null && command -v make >/dev/null; then
	for name in sh cat wc; do # with names that no other process has
		ln -s "$(command -v $name)" leaf-$name
	done
	printf 'SHELL = ./leaf-sh\nall: a b c d e f g h\n%%:\n\t@./leaf-cat Makefile | ./leaf-wc -l >/dev/null; :\n' >Makefile
	bpftrace -q -f json -e 'BEGIN { printf("ready\n"); }
		tracepoint:kmem:kmalloc, tracepoint:kmem:kmem_cache_alloc {
			@n[pid] = count(); @b[pid] = sum(args->bytes_alloc); }' >bpf &
	while ! grep -q ready bpf; do
		kill -0 $! 2>/dev/null || fail "bpftrace"
		sleep 0.1
	done
	"$KMEMX" record -q --slab -b 32M -o r.dat -- make -s -j4 || fail "record"
	kill -INT $!
	wait $! || :
	cat >check.py <<'END'
from rows import *
bpf = {}
for line in open("bpf"):
    if line.startswith("{") and json.loads(line)["type"] in ("map", "stats"):
        bpf.update(json.loads(line)["data"])
tree, processes = rows("--slab", "--tree=process", "r.dat"), rows("--slab", "--by", "process", "r.dat")
assert sums([r for r in tree if r["depth"] == 0]) == sums(processes)
mine = {str(r["tgid"]): (r["hit"], r["bytes"]) for r in processes if r["process"].startswith("leaf-")}
print(mine, {p: (bpf["@n"].get(p), bpf["@b"].get(p)) for p in mine})
assert len(mine) >= 24
same = sum((bpf["@n"].get(p), bpf["@b"].get(p)) == mine[p] for p in mine)
assert same == len(mine), "%d of %d" % (same, len(mine))
END
	python3 check.py "$KMEMX" >out 2>&1 || fail "make: $(tail -c 2000 out)"
fi

# Where memory is charged: the memory controller's groups, or those of cgroup v2.
groups=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
[ -n "$groups" ] || groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$groups" ] && mkdir "$groups/kmemx-a.$$" 2>/dev/null || {
	echo "no control groups can be made here"
	exit 0
}
mkdir "$groups/kmemx-b.$$" "$groups/kmemx-c.$$" "$groups/kmemx-e.$$" held
trap 'rmdir "$groups"/kmemx-?.$$ 2>/dev/null || :' EXIT
cat >move.py <<'END'
import os, sys
where, suffix = sys.argv[1:]
def move(group):
    fd = os.open(where + "/" + group + "/cgroup.procs", os.O_WRONLY)
    os.write(fd, b"0")
    os.close(fd)
def calls(n):
    for i in range(n):
        os.close(os.open("/etc/passwd", os.O_RDONLY))
move("kmemx-a." + suffix)
calls(500)
move("kmemx-b." + suffix)
calls(1500)
move("kmemx-c." + suffix)
calls(300)
move(".")
os.rmdir(where + "/kmemx-c." + suffix)
move("kmemx-e." + suffix)
for i in range(500):
    open("held/%d" % i, "w").close()
move(".")
os.rmdir(where + "/kmemx-e." + suffix)
for i in range(300):
    new = where + "/kmemx-" + suffix + "-%d" % i
    os.mkdir(new)
    move("kmemx-" + suffix + "-%d" % i)
    move(".")
    os.rmdir(new)
END
"$KMEMX" record -q --follow --slab -o r.dat -- python3 move.py "$groups" $$ || fail "record"
cat >check.py <<'END'
from rows import *
import os
suffix = sys.argv[2]
files = {r["cgroup"].split("/")[-1]: r["hit"]
         for r in rows("--slab", "--by", "cgroup,callsite", "--callsite", "alloc_empty_file*", "r.dat")}
print(files)
# The file with which it leaves a group is also opened there.
assert files["kmemx-a." + suffix] == 501
assert files["kmemx-b." + suffix] == 1501
assert files["kmemx-c." + suffix + " (removed)"] == 301
for i in range(300):
    assert files["kmemx-%s-%d (removed)" % (suffix, i)] == 1
assert "[unknown]" not in files
# The group is gone, but its files' dentries live.
dentries = {r["cgroup"].split("/")[-1]: r["hit"]
            for r in rows("--slab", "--by", "cgroup,cache", "--live", "r.dat") if r["cache"] == "dentry"}
print(dentries)
assert dentries["kmemx-e." + suffix + " (removed)"] >= 490
END
python3 check.py "$KMEMX" $$ >out 2>&1 || fail "groups: $(cat out)"

# Memory charged to a group: the kernel says for each page to which group it is charged, and how
# much kernel memory a group has. A task that has just moved there has none.
[ -r /proc/kpagecgroup ] || exit 0
mkdir "$groups/kmemx-d.$$"
trap 'kill "$(cat pid 2>/dev/null)" 2>/dev/null; sleep 0.2; rmdir "$groups"/kmemx-?.$$ 2>/dev/null || :' EXIT
cat >hold.py <<'END'
import mmap, os, signal, sys
with open(sys.argv[1] + "/cgroup.procs", "w") as procs:
    procs.write("0")
memory = mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for i in range(0, 8 << 20, 4096):
    memory[i] = 1
pipes = [os.pipe() for i in range(400)]
for r, w in pipes[:64]:
    os.write(w, b"x" * 65536)
with open("pid", "w") as pid:
    pid.write(str(os.getpid()))
signal.pause()
END
"$KMEMX" record -q --follow --slab --page -o r.dat -- \
	sh -c 'python3 hold.py "$1" & while [ ! -s pid ]; do sleep 0.05; done' sh "$groups/kmemx-d.$$" || fail "record"
cat >check.py <<'END'
from rows import *
import os, struct
group, name = sys.argv[2], os.path.basename(sys.argv[2])
page, inode, of_group = os.sysconf("SC_PAGE_SIZE"), os.stat(group).st_ino, 0
with open("/proc/kpagecgroup", "rb", buffering=0) as kernel:
    for r in rows("--page", "--alloc", "--live", "r.dat"):
        kernel.seek(8 * r["page"])
        whose = kernel.read(8 << r["order"])
        of_group += sum(i == inode for i in struct.unpack("%dQ" % (len(whose) // 8), whose)) * page
def charged(kind):
    row = [r for r in rows(kind, "--by", "cgroup", "--live", "r.dat") if r["cgroup"].endswith(name)][0]
    print(kind, row["bytes"], row["charged"], row["escaped"])
    assert row["charged"] + row["escaped"] == row["bytes"] and row["escaped"] > 0
    return row["charged"]
pages, objects = charged("--page"), charged("--slab")
print(of_group)
assert of_group > 12 << 20 and abs(pages - of_group) < of_group / 100
if os.path.exists(group + "/memory.kmem.usage_in_bytes"):
    kernel = int(open(group + "/memory.kmem.usage_in_bytes").read())
    stat = dict(line.split() for line in open(group + "/memory.stat"))
    mine = pages - int(stat["cache"]) - int(stat["rss"]) + objects
    print(kernel, mine)
    assert abs(mine - kernel) < kernel / 50
END
python3 check.py "$KMEMX" "$groups/kmemx-d.$$" >out 2>&1 || fail "charged: $(cat out)"
