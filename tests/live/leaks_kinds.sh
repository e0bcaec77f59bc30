# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Leaks of seven kinds are found with their rate: they grow, and are the first row of slab objects.
# LONG=1: 8 recordings, not 2; LONG=2: 21.
# only with LONG=1
# quiet: pipes of other programs live as long as those that leak
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"

# A leak has several rows, of which any may be the first. The rate is checked at the one whose
# objects nobody else allocates.
cat >check.py <<'END'
import json, os, subprocess, sys
name, kind = sys.argv[1:]
callsites, per_leak, belong = {
    "timerfd": (("__do_sys_timerfd_create", "__x64_sys_timerfd_create"), 1, ()),
    "pipe": (("alloc_pipe_info",), 2, ("alloc_inode",)),
    "socket": (("sk_prot_alloc",), 1, ("sock_alloc_inode", "alloc_inode")),
    "inotify": (("inotify_update_watch", "inotify_new_watch"), 1, ("fsnotify_add_mark_locked",)),
    "queue": (("newque", "load_msg", "alloc_msg"), 1, ()),
}[kind]
belong += callsites + ("alloc_empty_file", "security_file_alloc", "alloc_slab_obj_exts", "__d_alloc",
                       "security_inode_alloc", "alloc_fdtable")
def leaks(*options):
    run = subprocess.run([os.environ["KMEMX"], "leaks", "--slab", "-i", "r.dat", "--json", *options], check=True,
                         stdout=subprocess.PIPE)
    return json.loads(run.stdout)["reports"][0]["rows"]
rows = leaks()
# Another program that creates thousands of files grows faster.
if not rows[0]["task"].startswith("leak-"):
    print("first of all:", rows[0])
    rows = leaks("--comm", "leak")
leaked, took, _ = (int(word) for word in open("truth").read().split())
wrong = []
site = [row["callsite"].split(" ")[0] for row in rows]
if rows[0]["verdict"] != "grows" or site[0] not in belong or not rows[0]["task"].startswith("leak-"):
    wrong.append(f"the first row: {rows[0]}")
row = next((r for r, s in zip(rows, site) if s in callsites), None)
if not row or row["verdict"] != "grows":
    sys.exit(f"it does not grow: {row}")
size = row["bytes_seen"] / row["objects_seen"]
rate = row["growth"] / size / per_leak / (leaked / took * 1e9)
if not 0.9 < rate < 1.1:
    wrong.append(f"{rate} of the true rate: {leaked} in {took} ns, {row}")
print(f"{name}: {row['verdict']}, {100 * rate:.1f} % of {leaked / took * 1e9:.1f}/s, "
      f"first {site[0]} of {len(rows)} rows")
sys.exit("\n".join(wrong) or 0)
END

# leak NAME OPTIONS MILLISECONDS KIND PER_SECOND [ONE_IN [noise]]: records a leak for that long
leak() {
	name=$1 options=$2 ms=$3
	shift 3
	kind=$1 rate=$2
	shift 2
	[ "$kind" != inotify ] || seq -f leak.%g 0 $((rate * ms / 500)) | xargs touch
	# On a busy machine the program may be delayed, so that its rate is not constant: tries
	# again.
	for try in 1 2 3 4 5 6; do
		# shellcheck disable=SC2086 # options
		"$KMEMX" record -q $options --duration "${ms}ms" -o r.dat -- nice -n -15 \
			"$KMEMX_BUILD/tests/workloads/leak" "$kind" "$rate" $((2 * ms)) "$@" \
			>truth || fail "$name"
		read -r _ _ late <truth
		[ "$late" -gt $((ms * 50000)) ] || break
		[ "$try" -lt 6 ] || skip "the machine is too busy: $name was late by $late ns"
	done
	python3 check.py "$name" "$kind" || fail "$name"
}

leak "timerfds" "" 2000 timerfd 400
leak "one pipe in 1000" "" 3000 pipe 30 1000
[ -n "${LONG-}" ] || exit 0

leak "message queues" "--stack all" 2000 queue 400
leak "pipes" "" 4000 pipe 200
leak "sockets" "" 4000 socket 200
leak "inotify watches" "" 4000 inotify 200
leak "one socket in 1000" "" 5000 socket 20 1000
leak "timerfds slowly, noise" "" 8000 timerfd 20 1 noise
[ "$LONG" = 2 ] || exit 0

leak "timerfds, fewer" "--stack all" 6000 timerfd 100
leak "timerfds, many" "" 3000 timerfd 900
leak "pipes, fewer" "--stack all" 6000 pipe 100
leak "pipes, many" "" 3000 pipe 400
leak "sockets, fewer" "--stack all" 6000 socket 100
leak "sockets, many" "" 3000 socket 900
leak "inotify watches, fewer" "--stack all" 6000 inotify 100
leak "inotify watches, many" "" 3000 inotify 800
leak "message queues, fewer" "" 6000 queue 100
leak "message queues, many" "" 3000 queue 800
leak "one queue in 1000, all stacks" "--stack all" 5000 queue 30 1000
leak "sockets slowly, noise" "" 8000 socket 20 1 noise
leak "pipes slowly, noise" "--stack all" 6000 pipe 20 1 noise
