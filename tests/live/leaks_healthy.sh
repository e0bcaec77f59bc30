# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Healthy workloads show no leak: none of the 20 largest rows of slab and of pages grows, and the
# first ten rows hold no more than the kernel counts. LONG=1: 12 recordings, not 2; LONG=2: 20.
# only with LONG=1
# quiet: the memory of other programs may grow
# shellcheck disable=SC2016 # expanded by the recorded shell
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

[ -r /proc/slabinfo ] || skip "this kernel has no /proc/slabinfo"
command -v python3 >/dev/null || skip "python3 is not installed"
top=$(cd "$(dirname "$0")/../.." && pwd)
programs=$KMEMX_BUILD/tests/workloads
export top programs
watcher=
trap '[ -z "$watcher" ] || kill $watcher' EXIT

# Notes how the memory of other users' processes changes from first to last: theirs may really grow.
cat >watch.py <<'END'
import glob, json, os, signal, sys, time
done, first, last = [], {}, {}
signal.signal(signal.SIGTERM, lambda *_: done.append(1))
while not done:
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as f:
                pid, _, rest = f.read().partition(" (")
        except OSError:
            continue
        field = rest.rpartition(")")[2].split()
        session, pages = field[3], int(field[21])
        first.setdefault((pid, session), pages)
        last[pid, session] = pages
    time.sleep(0.1)
with open("session") as f:
    ours = f.read().strip()
with open("others.json", "w") as f:
    json.dump({pid: last[pid, s] - first[pid, s] for pid, s in last if s != ours}, f)
END

# check.py NAME: prints what is wrong with r.dat
cat >check.py <<'END'
import collections, json, os, re, subprocess, sys
kmemx, name = os.environ["KMEMX"], sys.argv[1]

def kmemx_rows(*command):
    run = subprocess.run([kmemx, *command, "-i", "r.dat", "--json"], check=True,
                         stdout=subprocess.PIPE)
    return {r["name"]: r["rows"] for r in json.loads(run.stdout)["reports"]}

def counts():
    """Objects by cache, and their size: by the recorder's last count, or slabinfo after it."""
    with open("r.dat", "rb") as f:
        data = f.read()
    lines = {}
    for item in (b"slab_counts.after", b"slabinfo.after"):
        text = data.rpartition(item + b"\0")[2].partition(b"\0")[0].decode()
        lines[item] = [line.split() for line in text.splitlines()]
    counted = {f[0]: int(f[1]) for f in lines[b"slab_counts.after"]}
    return {f[0]: (max(counted.get(f[0], 0), int(f[1])), int(f[3]))
            for f in lines[b"slabinfo.after"] if len(f) > 4 and f[1].isdigit()}

def bytes_of(caches):
    """Caches, or kmallocs of a size, whichever cache serves them."""
    held = 0
    for cache, (objects, size) in kernel.items():
        kmalloc = re.match(r"(dma-)?(kmalloc|msg_msg|memdup_user)-", cache)
        if (size in caches) if kmalloc else cache in caches:
            held += objects * size
    return held

def caches_of(callsite):
    run = subprocess.run([kmemx, "script", "-i", "r.dat", "-l", "20", "-e",
                          "kmalloc,kmem_cache_alloc", "--callsite", callsite.split(" ")[0]],
                         check=True, stdout=subprocess.PIPE, universal_newlines=True)
    return frozenset(m[1] or int(m[2]) for m in
                     re.finditer(r"(?:name=(\S+) .*)?bytes_alloc=(\d+)", run.stdout))

kernel, wrong = counts(), []
with open("others.json") as f:
    others = json.load(f)
reports = kmemx_rows("leaks", "-l", "20")
verdicts = collections.Counter()
for table, rows in reports.items():
    for row in rows:
        verdicts[row["verdict"]] += 1
        pid = (row["task"] or "").rpartition("-")[2]
        if table == "leaks_page" and others.get(pid, 0) * os.sysconf("SC_PAGE_SIZE") > row["bytes"] / 4:
            continue
        if row["verdict"] == "grows":
            wrong.append(f"it grows: {row}")
summary = [row for row in kmemx_rows("summary")["summary"] if row["of"] == "slab"]
for title, rows in (("leaks", reports["leaks"][:10]),
                    ("summary", [row for row in summary if row["about"] == "live"])):
    held = collections.Counter()
    for row in rows:
        held[caches_of(row["callsite"])] += row["bytes"]
    for caches, nr_bytes in held.items():
        if nr_bytes > bytes_of(caches) and not any(c for c in caches if isinstance(c, int) and c > 8192):
            wrong.append(f"{title}: {nr_bytes} bytes in {set(caches)}, which hold {bytes_of(caches)}")
print(f"{name}: " + ", ".join(f"{nr} {verdict}" for verdict, nr in verdicts.items()))
sys.exit("\n".join(wrong) or 0)
END

# healthy NAME OPTIONS TEXT: records a shell with that text
healthy() {
	: >session
	python3 watch.py &
	watcher=$!
	# shellcheck disable=SC2086 # options
	"$KMEMX" record -q $2 -o r.dat -- \
		setsid -w sh -c "echo \$\$ >session; $3" >out 2>&1 || fail "$1: $(cat out)"
	kill $watcher
	wait $watcher || :
	watcher=
	python3 check.py "$1" || fail "$1"
}

# Compiles several times in 3 to 12 s, like a user.
compile='for f in "$top"/lib/base/*.c; do cc -O2 -I"$top/lib" -D_GNU_SOURCE -c "$f" -o x.o; done'
clone='rm -rf new; git clone -q --no-local repo new'

healthy "make demo" "" '"$top/scripts/demo" workload r.dat'
healthy "a shell loop" "" 'i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i + 1)); done'
[ -n "${LONG-}" ] || exit 0
healthy "making and removing files" "--stack all" \
	'mkdir d; for i in 1 2 3 4; do seq -f d/%g 1000 | xargs touch; rm -r d/*; done; rmdir d'

command -v git >/dev/null || skip "git is not installed"
git init -q repo
cp -r "$top/lib" "$top/cmd" repo
git -C repo add .
git -C repo -c user.name=test -c user.email=test@localhost commit -q -m all
tar cf all.tar -C /usr/include .

healthy "make demo, all stacks" "--stack all" '"$top/scripts/demo" workload r.dat'
healthy "git clone" "" "for i in 1 2 3 4; do $clone; done"
healthy "gcc" "" "$compile; $compile"
healthy "untar" "" 'mkdir d; tar xf all.tar -C d; rm -r d'
# Takes longer than the five seconds for which kfree_rcu() may keep http.client's epoll: without
# probes, its free is not seen before.
healthy "python" "" 'i=0; while [ $i -lt 120 ]; do i=$((i + 1))
	python3 -c "import json, email, http.client; json.dumps(list(range(99999)))"; done'
healthy "many short tasks" "--stack all" 'seq 1000 | xargs -P 8 -n 1 true'
healthy "sockets" "" 'i=0; while [ $i -lt 60 ]; do "$programs/sockets" 200 20; i=$((i + 1)); done'
healthy "pipelines" "" 'i=0; while [ $i -lt 150 ]; do
	echo $i | cat | sort | tail -n 1; i=$((i + 1)); done >/dev/null'
healthy "timers and epoll" "" 'for i in 1 2 3 4 5; do
	"$programs/timers" 2000 100; "$programs/epoll" 2000; sleep 0.2; done'
[ "$LONG" = 2 ] || exit 0

healthy "git clone, all stacks" "--stack all" "for i in 1 2 3; do $clone; done"
healthy "gcc, all stacks" "--stack all" "$compile"
healthy "find" "" 'for i in 1 2 3 4; do find /usr /etc -type f -size +1; done >/dev/null'
healthy "tar" "" 'for i in 1 2 3 4; do tar cf a.tar -C /usr/include .; done'
healthy "cp -r" "" 'cp -r /usr/include d; sleep 1; rm -r d'
healthy "idle" "" 'sleep 4'
healthy "grep -r" "" 'for i in 1 2 3; do grep -r kmem "$top/lib" /usr/include; done >/dev/null'
healthy "sort and gzip" "" 'seq 400000 | sort -R | gzip | gzip -d | sort -n | tail -n 1 >/dev/null'
