# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# With record --exact-ledger, events explain at least 99 % of the change of each cache that a known
# workload fills; the rest has a stated reason.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

[ -w /sys/kernel/slab/filp/shrink ] || skip "this kernel has no caches to shrink"
grep -q 'field:.* name;' "$tracefs/events/kmem/kmem_cache_alloc/format" ||
	skip "this kernel's kmem_cache_alloc names no cache (it does since 6.18)"
command -v python3 >/dev/null || skip "python3 is not installed"
programs=$KMEMX_BUILD/tests/workloads
mkdir mounted

# explained WORKLOAD CACHE OBJECTS...: true if r.dat explains these changes
explained() {
	"$KMEMX" stat --ledger --json r.dat >json || fail "$1: no ledger"
	python3 - "$@" <<'END'
import json, sys
workload, wanted = sys.argv[1], dict(zip(sys.argv[2::2], map(int, sys.argv[3::2])))
reports = {r["name"]: r for r in json.load(open("json"))["reports"]}
rows = reports["ledger"]["rows"]
bad = []
for row in rows:
    if row["unexplained"] and row["why"] == "-":
        bad.append(f"no reason: {row}")
for name, objects in wanted.items():
    row = next((r for r in rows if name in [r["cache"].split("+")[0], *(r["caches"] or "").split(),
                                            *(r["aliases"] or "").replace(",", " ").split()]), None)
    if not row:
        bad.append(f"{name} is not there")
        continue
    print(f"{workload:9} {name:18} {row['kernel']:7} {row['trace']:7} {row['explained']:7.2f} %")
    if row["source"] != "count" or row["explained"] < 99:
        bad.append(f"not explained: {row}")
    if min(row["trace"], row["kernel"]) < objects / 2:
        bad.append(f"{name} has not grown by half of {objects}: {row}")
# Some tasks allocate inodes of /proc and their dentries without events (Documentation/ledger.md):
# these may be the missing dentries.
def missing(name):
    return next((abs(r["unexplained"]) for r in rows if r["cache"] == name), 0)
if missing("dentry") > missing("proc_inode_cache") + 100:
    bad.append(f"dentries: {missing('dentry')}, inodes of /proc: {missing('proc_inode_cache')}")
if bad:
    print("\n".join(bad))
    sys.exit(1)
END
}

# workload "CACHE OBJECTS..." PROGRAM ARGUMENTS: one of several recordings must explain the changes,
# as other load may disturb a count or use a merged cache.
tries=0
workload() {
	changes=$1
	shift
	while [ $tries -lt 14 ]; do
		tries=$((tries + 1))
		"$KMEMX" record -q -o r.dat --exact-ledger --duration 800ms -- "$@" 2>said &
		wait $! || fail "$1: $(cat said)"
		# shellcheck disable=SC2086 # words
		if explained "${1##*/}" $changes >why; then
			cat why
			return
		fi
	done
	fail "$1: $(cat why)"
}

workload "filp 10000" "$programs/files" 10000 20000
workload "filp 10000 inode_cache 5000" "$programs/pipes" 5000 20000
workload "filp 10000 sock_inode_cache 10000" "$programs/sockets" 5000 20000
workload "eventpoll_epi 10000" "$programs/epoll" 10000 20000
workload "kmalloc-256 10000" "$programs/messages" 10000 20000
workload "mnt_cache 3000 shmem_inode_cache 1000" "$programs/mounts" 3000 20000 mounted
rmdir mounted
