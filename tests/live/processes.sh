# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx stat --by process, --by cgroup, --tree=process: threads, a tree of programs, groups that
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
# rows FILE JQ OPTION...: @tsv of rows of stat
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
END
python3 check.py "$KMEMX" >out 2>&1 || fail "threads: $(cat out)"

# A program that starts others, which rename themselves as they start a program.
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

# Where memory is charged to: the memory controller's groups, or those of version 2.
groups=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
[ -n "$groups" ] || groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$groups" ] && mkdir "$groups/kmemx-a.$$" 2>/dev/null || {
	echo "no control groups can be made here"
	exit 0
}
mkdir "$groups/kmemx-b.$$" "$groups/kmemx-c.$$"
trap 'rmdir "$groups/kmemx-a.$$" "$groups/kmemx-b.$$" "$groups/kmemx-c.$$" 2>/dev/null || :' EXIT
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
# The file by which it leaves a group is opened there, too.
assert files["kmemx-a." + suffix] == 501
assert files["kmemx-b." + suffix] == 1501
assert files["kmemx-c." + suffix + " (removed)"] == 301
for i in range(300):
    assert files["kmemx-%s-%d (removed)" % (suffix, i)] == 1
assert "[unknown]" not in files
END
python3 check.py "$KMEMX" $$ >out 2>&1 || fail "groups: $(cat out)"
