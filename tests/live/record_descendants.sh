# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# -p records the named processes and their descendants: running ones, those forked while they are
# listed, and later ones; with their threads, but without the recorder.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)
trap 'rm -f running; exit 143' HUP INT TERM
trap 'rm -f running' EXIT
: >running

# pids: prints the tasks that allocate in r.dat, one per line.
pids() {
	"$KMEMX" stat -i r.dat --slab --by pid --csv -l all | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "pid") column = i; next }
		{ print $column }' | sort -u
}

# expect_recorded FILE WHAT: each pid in FILE must be a recorded task.
expect_recorded() {
	sort -u "$1" >wanted
	pids >recorded
	missing=$(comm -23 wanted recorded)
	[ -z "$missing" ] || fail "$2: $(echo "$missing" | wc -l) of $(wc -l <wanted) tasks are not recorded"
}

# --- three levels, of which only the lowest one allocates ---
cat >loop <<'END'
echo $$ >loop.pid
while [ -e running ]; do read -r line </etc/passwd; done
END
sh -c 'sh -c "sh loop; :"; :' &
tree=$!
wait_for "the loop" test -s loop.pid
"$KMEMX" record --slab -p $tree --filter-frees --duration 0.3 -o r.dat 2>err ||
	fail "-p of a grandparent: $(cat err)"
expect_recorded loop.pid "-p of a grandparent"
grep -q '^kmemx: recording slab events of 3 tasks: 1 process with descendants and threads\.' err ||
	fail "$(cat err)"
"$KMEMX" top --batch -n 1 -d 300ms -p $tree >out 2>err || fail "top: $(cat err)"
grep -q getname out || fail "top -p of a grandparent: $(cat out)"

# --- threads are tasks ---
if command -v python3 >/dev/null; then
	cat >threads.py <<'END'
import os
import threading
import time

def idle():
    while os.path.exists("running"):
        time.sleep(0.05)

for _ in range(4):
    threading.Thread(target=idle).start()
open("threads.run", "w")
END
	sh -c 'python3 threads.py; :' &
	wait_for "threads" test -e threads.run
	"$KMEMX" record --slab -p $! --duration 0.2 -o r.dat 2>err || fail "threads: $(cat err)"
	grep -q ' of 6 tasks: 1 process with' err || fail "a shell and 5 threads: $(cat err)"
fi

# --- the recorder is a child of the recorded shell ---
"$KMEMX" record --slab -p $$ --filter-frees --duration 0.3 -o r.dat 2>err &
self=$!
wait $self || fail "-p of the recorder's parent: $(cat err)"
expect_recorded loop.pid "-p of the recorder's parent"
! pids | grep -qx $self || fail "the recorder is in its own recording"
# A command is recorded like any child of the shell.
"$KMEMX" record -q --slab -p $$ -o r.dat -- sh -c 'echo $$ >command.pid' || fail "record -p with a command failed"
expect_recorded command.pid "the command of -p of its parent"

# --- a tree that forks meanwhile: eight processes that fork all the time ---
rm running
wait
cat >forks <<'END'
while [ -e running ]; do
	sh -c 'sh -c "[ ! -e go ] || echo \$\$ >>seen; :"; :'
done
END
for round in 1 2 3; do
	rm -f go seen err
	: >running
	sh -c 'for i in 1 2 3 4 5 6 7 8; do sh forks & done; wait' &
	tree=$!
	"$KMEMX" record --slab -p $tree --filter-frees -o r.dat 2>err &
	recorder=$!
	wait_started err
	: >go
	wait_for "processes" test -s seen
	sleep 0.2
	rm running
	# Without a command, the recording ends with the last of the processes.
	wait $recorder || fail "a tree that forks: $(cat err)"
	expect_recorded seen "a tree that forks, round $round: $(grep lost err)"
done
[ "$(wc -l <wanted)" -gt 8 ] || fail "a tree that forks: $(wc -l <wanted) processes"
wait
expect "$before" "$(tracing_state)" "state of the tracing system"
