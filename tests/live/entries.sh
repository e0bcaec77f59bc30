# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx stat --by entry: system calls whose number is known.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
# The calls are made by a child with its own name, as python3 itself opens a varying number of files
# when it starts.
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
# One more file is opened to set the name.
if hits != {"openat(2)": 501, "socket(2)": 300, "pipe2(2)": 400}:
    raise SystemExit("other numbers")
END
"$KMEMX" record -q --follow -o r.dat -- python3 calls.py || fail "record"
"$KMEMX" stat --page --by entry r.dat | grep -q ' page fault$' || fail "no page fault"

# With --entry, without callchains: what a call allocates, and what of that stays live. The server
# keeps running when the recording ends.
cat >server.py <<'END'
import os, socket, time
ready, done = os.pipe()
if os.fork():
    os.close(done)
    os.read(ready, 1)
    raise SystemExit
with open("/proc/self/comm", "wb") as comm:
    comm.write(b"counted")
listening = socket.socket(socket.AF_UNIX)
listening.bind("\0kmemx-entries-%d" % os.getpid())
listening.listen(200)
open_ones = []
for i in range(150):
    client = socket.socket(socket.AF_UNIX)
    client.connect(listening.getsockname())
    open_ones += [client, listening.accept()]
for i in range(100):
    os.close(os.open("/etc/passwd", os.O_RDONLY))
os.write(done, b"x")
time.sleep(3)
END
"$KMEMX" record -q --entry --slab -o r.dat -- python3 server.py || fail "record --entry"
"$KMEMX" stat --slab --comm counted --by entry --json r.dat >json || fail "stat"
python3 - <<'END' >calls || fail "$(cat calls; "$KMEMX" info r.dat)"
import json
slab, calls = (r["rows"] for r in json.load(open("json"))["reports"])
calls, hits = {r["entry"]: r for r in calls}, {r["entry"]: r for r in slab}
print(calls, hits)
# One more file is opened to set the name, and one more socket to listen.
for entry, number, live in ("openat(2)", 101, 0), ("socket(2)", 151, 151), ("accept4(2)", 150, 150):
    row = calls[entry]
    assert row["calls"] == number and row["cut"] == 0, entry
    assert row["bytes"] == hits[entry]["bytes"] and row["objects"] == hits[entry]["hit"], entry
    assert row["bytes_min"] <= row["bytes_median"] <= row["bytes_max"], entry
    assert row["bytes_min"] * number <= row["bytes"] <= row["bytes_max"] * number, entry
    assert live * 256 <= row["live_bytes"] <= row["bytes"] and (live or row["live_bytes"] < 20000), entry
END
