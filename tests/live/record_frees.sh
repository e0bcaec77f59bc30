# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Other tasks free what some tasks allocate: RCU in softirqs, kernel threads. --follow, -p and
# --filter record these frees, too, so that nothing is reported as live that the kernel has freed;
# with --filter-frees live bytes are not reported at all.
# In: $LONG: if set, also all kinds of objects with -p.
# only with LONG=1
# alone: it needs events that are read in time
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
[ -r /sys/kernel/slab/shmem_inode_cache/objects ] || skip "no /sys/kernel/slab here"

cat >work.py <<'END'
"""work.py KIND: waits for a line, does it so many times, gives RCU time to free."""
import os, socket, subprocess, sys, time

def files():
    os.mkdir("/dev/shm/kmemx-frees.%d" % os.getpid())
    for i in range(3000):
        path = "/dev/shm/kmemx-frees.%d/%d" % (os.getpid(), i)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR))
        os.unlink(path)
    os.rmdir("/dev/shm/kmemx-frees.%d" % os.getpid())

def sockets():
    for i in range(2000):
        socket.socket(socket.AF_UNIX).close()

def processes():
    for i in range(200):
        subprocess.run(["/bin/true"])

sys.stdin.readline()
{"files": files, "sockets": sockets, "processes": processes}[sys.argv[1]]()
time.sleep(1)
END

# row SITES FIELD: prints the sum over the rows of these callsites, or - if one is unknown.
row() {
	"$KMEMX" stat -i r.dat --slab --json | python3 -c '
import json, sys
rows = [r for r in json.load(sys.stdin)["reports"][0]["rows"]
        if r["callsite"].split(".")[0] in sys.argv[1].split("|")]
print("-" if any(r[sys.argv[2]] is None for r in rows) else sum(r[sys.argv[2]] for r in rows))
' "$1" "$2"
}

# objects CACHE: prints how many the kernel has, without free ones held by CPUs.
objects() {
	echo 1 >/sys/kernel/slab/"$1"/shrink 2>/dev/null || :
	cut -d' ' -f1 /sys/kernel/slab/"$1"/objects
}

# record HOW KIND OPTIONS: records a command, or a process that is already running.
record() {
	how=$1
	kind=$2
	shift 2
	if [ "$how" = -p ]; then
		mkfifo go
		python3 work.py "$kind" <go &
		worker=$!
		exec 3>go
		rm -f err # from the previous recording
		"$KMEMX" record -p $worker -o r.dat "$@" 2>err &
		recorder=$!
		wait_started err
		echo >&3
		exec 3>&-
		wait $worker $recorder || fail "$how $kind: $(cat err)"
		rm go
	else
		echo | "$KMEMX" record -q "$how" -o r.dat "$@" -- python3 work.py "$kind"
	fi
}

# check HOW KIND CACHE SITES LEAST: checks that few of the objects are live, as in the kernel.
check() {
	before=$(objects "$3")
	record "$1" "$2"
	grown=$(($(objects "$3") - before))
	hit=$(row "$4" hit)
	live=$(($(row "$4" net) / ($(row "$4" bytes) / hit)))
	[ "$hit" -ge "$5" ] || fail "$1 $2: $hit allocations instead of $5"
	# Other tasks may use this cache, too.
	[ $live -le $((grown > 0 ? grown + 60 : 60)) ] ||
		fail "$1 $2: $live of $hit live, and the kernel has $grown more than before"
	echo "$1 $2: $live of $hit live, kernel $grown" >>said
}

for how in --follow -p; do
	check $how files shmem_inode_cache shmem_alloc_inode 3000
	[ $how = --follow ] || [ -n "${LONG-}" ] || continue
	check $how sockets sock_inode_cache sock_alloc_inode 2000
	check $how processes pid alloc_pid 200
	check $how processes task_struct 'copy_process|dup_task_struct|alloc_task_struct_node' 200
done
"$KMEMX" info -i r.dat --json >info.json
python3 - <<'END' || fail "info: $(cat info.json)"
import json
info = json.load(open("info.json"))
assert info["scope"] == "part" and info["frees"] == "all", info["frees"]
assert [b["name"] for b in info["buffers"]] == ["", "frees"], info["buffers"]
END
"$KMEMX" stat -i r.dat --slab --json | python3 -c '
import json, sys
s = json.load(sys.stdin)["reports"][0]["summary"]
sys.exit(s["frees_other"] == 0 or s["frees_unmatched"] != 0 or s["frees_double"] != 0)' ||
	fail "frees of excluded allocations count as unmatched"

# The same in every form of the file, and in parts of it.
if "$KMEMX" version --build-options | grep -q '^zstd *yes'; then
	record --follow files -z
	[ "$(row shmem_alloc_inode net)" -lt 100000 ] || fail "--compress"
fi
record --follow files --file-version 6
[ "$(row shmem_alloc_inode net)" -lt 100000 ] || fail "--file-version 6"
echo | "$KMEMX" record -q --follow -o - -- python3 work.py files >r.dat
[ "$(row shmem_alloc_inode net)" -lt 100000 ] || fail "a stream"
"$KMEMX" split r.dat --time ,99.9% -o part.dat >/dev/null 2>&1 && mv part.dat r.dat
[ "$(row shmem_alloc_inode net)" -lt 100000 ] || fail "a part of it"
"$KMEMX" split r.dat --instance '' -o part.dat >/dev/null 2>&1 && mv part.dat r.dat
[ "$(row shmem_alloc_inode net)" -lt 100000 ] || fail "the top ring buffer of it"
(cd /dev/shm && echo | "$KMEMX" record -q --follow -o kmemx-frees.dat -- \
	python3 "$OLDPWD/work.py" files)
mv /dev/shm/kmemx-frees.dat r.dat
[ "$(row shmem_alloc_inode net)" -lt 100000 ] || fail "with a file for each CPU"
record --follow files --stack all
[ "$(row shmem_alloc_inode net)" -lt 100000 ] || fail "--stack all"

# Without the frees, it is unknown what is live.
record --follow files --filter-frees
expect - "$(row shmem_alloc_inode net)" "net with --filter-frees"
expect - "$(row shmem_alloc_inode net_min)" "net_min with --filter-frees"
"$KMEMX" stat -i r.dat --slab | grep -q '^# UNKNOWN live, net and peak' || fail "the missing frees are not mentioned"
for option in --live --account --ledger; do
	code=0
	"$KMEMX" stat -i r.dat $option >out 2>err || code=$?
	expect 1 $code "exit code of $option"
	grep -q 'cannot tell what is live' err || fail "$option: $(cat err)"
done
"$KMEMX" diff r.dat r.dat --slab --json >diff.json
python3 - <<'END' || fail "diff has a net figure"
import json
for r in json.load(open("diff.json"))["reports"]:
    for row in r["rows"]:
        assert row.get("net_delta") is None and row.get("peak_delta") is None, row
END

# Idle processes have nothing to report.
sleep 5 &
idle=$!
code=0
"$KMEMX" record -p $idle --duration 300ms -o r.dat 2>err || code=$?
kill $idle
expect 1 $code "exit code of -p for an idle process"
grep -q 'only frees by all tasks were recorded: the processes of -p allocated nothing' err ||
	fail "idle: $(cat err)"
grep -q '^  Are they idle?' err || fail "the advice has no line of its own: $(cat err)"
if grep -q 'next:' err; then fail "suggests a command that fails: $(cat err)"; fi
[ "$(instances)" = "$(instances | grep -v '^kmemx')" ] || fail "left: $(instances)"

# A killed recorder's second instance is reported, too; the suggested command removes both.
mkdir killed
rm -f err
"$KMEMX" record --follow -o killed/r.dat -- sh -c 'ls -lR /etc >/dev/null; sleep 20' 2>err &
pid=$!
wait_started err
sleep 0.5
child=$(cat "/proc/$pid/task/$pid/children")
kill -KILL $pid
kill ${child:+$child} 2>/dev/null || :
wait $pid || :
"$KMEMX" record -o r.dat -- true 2>err
advice=$(sed -n 's/^.*or discard them: //p' err)
[ "$(echo "$advice" | wc -w)" = 3 ] || fail "the advice does not name both instances: $(cat err)"
sh -c "$advice" || fail "the advice does not work: $advice"
for dir in ${advice#rmdir}; do
	[ ! -d "$dir" ] || fail "$dir is left"
done
