# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx stat --by entry: system calls whose number is known.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
# A child with a name of its own calls them: python3 opens files while it starts, more or fewer by how it was installed.
cat >calls.py <<'END'
import os, socket
child = os.fork()
if child:
    os.waitpid(child, 0)
    raise SystemExit
with open("/proc/self/comm", "wb") as comm:
    comm.write(b"counted")
for i in range(500):
    os.close(os.open("/etc/passwd", os.O_RDONLY))
for i in range(300):
    socket.socket().close()
for i in range(200):
    for fd in os.pipe():
        os.close(fd)
os._exit(0)
END
"$KMEMX" record -q --follow --slab --stack all -o r.dat -- python3 calls.py || fail "record"
"$KMEMX" stat --slab --comm counted --by entry,callsite --callsite 'alloc_empty_file*' --json r.dat >json
python3 - <<'END' >hits || fail "$(cat hits; "$KMEMX" info r.dat)"
import json
hits = {}
for row in json.load(open("json"))["reports"][0]["rows"]:
    hits[row["entry"]] = hits.get(row["entry"], 0) + row["hit"]
print(hits)
# One file more is opened for the name.
if hits != {"openat(2)": 501, "socket(2)": 300, "pipe2(2)": 400}:
    raise SystemExit("other numbers")
END
"$KMEMX" record -q --follow -o r.dat -- python3 calls.py || fail "record"
"$KMEMX" stat --page --by entry r.dat | grep -q ' page fault$' || fail "no page fault"
