# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx top by process, control group and entry: the same as record and stat for the same time, even
# for those that ended while it ran.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
before=$(tracing_state)
groups=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
[ -n "$groups" ] || groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$groups" ] && mkdir "$groups/kmemx-a.$$" 2>/dev/null || skip "no control groups can be made here"
mkdir "$groups/kmemx-b.$$"
trap 'rmdir "$groups"/kmemx-?.$$ 2>/dev/null || :' EXIT

# Two groups open N and 3N files; fifty more groups come and go, each with a process that lives as
# long.
cat >work.py <<'END'
import os, sys
where, suffix = sys.argv[1:]
def work(group, n, name):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    with open("/proc/self/comm", "w") as comm:
        comm.write(name)
    with open(where + "/" + group + "/cgroup.procs", "w") as procs:
        procs.write("0")
    for i in range(n):
        os.close(os.open("/etc/passwd", os.O_RDONLY))
    os._exit(0)
work("kmemx-a." + suffix, 500, "few")
work("kmemx-b." + suffix, 1500, "many")
for i in range(50):
    new = "kmemx-%s-%d" % (suffix, i)
    os.mkdir(where + "/" + new)
    work(new, 10, "short %d" % i)
    os.rmdir(where + "/" + new)
END
cat >check.py <<'END'
import json, sys
by, suffix = sys.argv[1:]
text = open("tables").read().strip()
while text:
    last, end = json.JSONDecoder().raw_decode(text)
    text = text[end:].strip()
keys = ("tgid", "process") if by == "process" else ("cgroup",)
def rows(report):
    return {tuple(r[k] for k in keys): (r["hit"], r["bytes"]) for r in report["reports"][0]["rows"]}
top, stat = rows(last), rows(json.load(open("stat")))
if last["top"]["lost"]:
    sys.exit("lost events")
names = ("few", "many", "short ")
mine = [k for k in stat if (k[1].startswith(names) if by == "process" else suffix in k[0])]
if len(mine) != 52:
    sys.exit("rows: %s" % mine)
for key in mine:
    if top.get(key) != stat[key]:
        sys.exit("%s: top %s, stat %s" % (key, top.get(key), stat[key]))
# Processes that start after top's first list of processes and end before its second are unknown to
# it.
unknown = sum(v[1] for k, v in top.items() if k[0] in ("[unknown]", -1))
if unknown > 0.05 * sum(v[1] for v in top.values()):
    sys.exit("unknown: %d bytes" % unknown)
END
for by in process cgroup; do
	"$KMEMX" record -q --slab -o both.dat -- sh -c \
		'"$0" top --json --slab --by "$1" -d 300ms -- python3 work.py "$2" "$3" >tables' \
		"$KMEMX" $by "$groups" $$ || fail "both"
	"$KMEMX" stat -i both.dat --slab --by $by --json >stat
	python3 check.py $by $$ >out 2>&1 || fail "$by: $(cat out)"
done

# By the system call that allocates. top follows all descendants, so there must be no shell before
# python.
python=$(python3 -c 'import sys; print(sys.executable)')
cat >sockets.py <<'END'
import socket
with open("/proc/self/comm", "w") as comm:
    comm.write("sockets")
for i in range(3000):
    socket.socket().close()
END
"$KMEMX" record -q --slab --stack all -o both.dat -- sh -c \
	'"$0" top --json --slab --follow --by entry -d 300ms -- "$1" sockets.py >tables' "$KMEMX" "$python" ||
	fail "both by entry"
"$KMEMX" stat -i both.dat --slab --comm sockets --by entry --json >stat
python3 - <<'END' || fail "by entry: $(tail -c 600 tables)"
import json
text = open("tables").read().strip()
while text:
    last, end = json.JSONDecoder().raw_decode(text)
    text = text[end:].strip()
def hits(report):
    return [r["hit"] for r in report["reports"][0]["rows"] if r["entry"] == "socket(2)"]
stat = json.load(open("stat"))
# Each socket is several objects.
assert hits(last) == hits(stat) and len(hits(stat)) == 1 and hits(stat)[0] >= 6000, (hits(last), hits(stat))
END
expect "$before" "$(tracing_state)" "state of the tracing system"
