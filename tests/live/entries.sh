# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx stat --by entry: system calls whose number is known.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
cat >calls.py <<'END'
import os, socket
for i in range(500):
    os.close(os.open("/etc/passwd", os.O_RDONLY))
for i in range(300):
    socket.socket().close()
for i in range(200):
    for fd in os.pipe():
        os.close(fd)
END
"$KMEMX" record -q --follow --slab --stack all -o r.dat -- python3 calls.py || fail "record"
"$KMEMX" stat --slab --comm python3 --by entry,callsite --callsite 'alloc_empty_file*' --json r.dat >json
python3 - <<'END' || fail "$(cat json)"
import json
rows = json.load(open("json"))["reports"][0]["rows"]
hits = {}
for row in rows:
    hits[row["entry"]] = hits.get(row["entry"], 0) + row["hit"]
print(hits)
# Python itself opens files, too, and a script that starts it may make pipes.
for entry, least, most in (("socket(2)", 300, 300), ("pipe2(2)", 400, 460), ("openat(2)", 500, 1200)):
    if not least <= hits.get(entry, 0) <= most:
        raise SystemExit(entry)
END
"$KMEMX" record -q --follow -o r.dat -- python3 calls.py || fail "record"
"$KMEMX" stat --page --by entry r.dat | grep -q ' page fault$' || fail "no page fault"
