# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Records programs that each allocate badly in one known way, a known number of times.
# only with LONG=1
# alone: it looks for the largest findings of the whole system
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
programs=$KMEMX_BUILD/tests/workloads

# expect NAME FINDING CHECK: CHECK is Python about row (the first one with this finding), rows (all)
# and recording. own_cache() is the reference model's.
expect() {
	"$KMEMX" advise -i r.dat --json >json
	PYTHONPATH=$reference PYTHONDONTWRITEBYTECODE=1 python3 - "$@" json <<'END' || fail "$1"
import json, sys
from advice import own_cache
name, finding, check, path = sys.argv[1:]
with open(path) as f:
    report = json.load(f)
recording, rows = report["recording"], report["reports"][0]["rows"]
row = next((r for r in rows if r["finding"] == finding), None)
if not row or not eval(check):
    sys.exit(f"{name}: not so: {check}\n{finding}: {row}\nfirst: {rows[:2]}")
END
}

msg='row["callsite"].split(" ")[0] in ("load_msg", "alloc_msg", "do_msgsnd")'

# Messages of 520 bytes in objects of 1024: 8 bytes less would fit into 512.
"$KMEMX" record -q --follow --slab -o r.dat -- "$programs/messages" 3000 100 0 472
expect "just over a power of two" shrink \
	"$msg"' and row is rows[0] and (row["hit"], row["live"]) == (3000, 3000) and row["bytes"] == 3000 * 512 and (row["bytes_req"], row["object"], row["better"]) == (520, 1024, 512)'

# 328 bytes in objects of 512 are not just over 256.
"$KMEMX" record -q --follow --slab -o r.dat -- "$programs/messages" 3000 100 0 280
expect "a cache of its own" own-cache \
	"$msg"' and row is rows[0] and row["live"] == 3000 and (row["bytes_req"], row["object"], row["better"]) == (328, 512, 328) and (row["bytes"] == own_cache(3000, 328, 512, recording)[0] or "as those of" in row["arithmetic"] and 450000 < row["bytes"] <= 3000 * 184)'

# Two threads, each bound to a CPU, close the files that the other one opens.
if [ "$(nproc)" -ge 2 ]; then
	"$KMEMX" record -q --follow --slab -o r.dat -- "$programs/pingpong" 5000
	expect "freed on another CPU" ping-pong \
		'row["callsite"].split(" ")[0] in ("alloc_empty_file", "security_file_alloc") and 9998 <= row["hit"] <= 10010 and row["freed_by"].split(" ")[0] in ("__x64_sys_close", "__fput", "file_free_rcu")'
fi

# Looks up /proc/self first without sleeping (RCU walk), then to read the link.
cat >self.py <<'END'
import os
for _ in range(700):
    os.stat("/proc/self/stat")
for _ in range(300):
    os.readlink("/proc/self")
END
"$KMEMX" record -q --follow --slab -o r.dat -- python3 self.py
expect "GFP_ATOMIC beside GFP_KERNEL" atomic \
	'row["callsite"].split(" ")[0] == "proc_self_get_link" and 700 <= row["hit"] <= 720 and 300 <= int(row["evidence"].rsplit(" ", 1)[1]) <= 320'

# A message's control data in a buffer of 100000 bytes, one at a time: kmalloc allocates 32 pages.
cat >control.py <<'END'
import socket
near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
for _ in range(250):
    try:
        near.sendmsg([b"x"], [(socket.SOL_SOCKET, 12345, b"\0" * (100000 - 16))])
    except OSError as e:
        assert e.errno == 22, e
END
if [ "$(cat /proc/sys/net/core/optmem_max)" -ge 131072 ]; then
	"$KMEMX" record -q --follow -o r.dat -- python3 control.py
	expect "more pages than needed" whole-pages \
		'row is rows[0] and (row["hit"], row["live"]) == (250, 1) and (row["bytes_req"], row["object"], row["better"]) == (100000, 131072, 102400) and row["bytes"] == 28672'
	expect "a high order" high-order \
		'row["hit"] == 250 and "allocations of order 5 may wait" in row["evidence"]'
fi

# Closes pipes with 256 pages: each page is freed by itself.
cat >pipes.py <<'END'
import fcntl, os
for _ in range(50):
    near, far = os.pipe()
    fcntl.fcntl(far, 1031, 1 << 20)  # F_SETPIPE_SZ
    os.write(far, b"x" * (1 << 20))
    os.close(far)
    os.close(near)
END
"$KMEMX" record -q --follow --page --stack all -o r.dat -- python3 pipes.py
expect "pages freed one by one" unbatched \
	'row["callsite"].split(" ")[0] in ("anon_pipe_buf_release", "anon_pipe_put_page", "free_pipe_info") and 50 * 250 <= row["hit"] <= 50 * 257 and row["freed_by"] == row["callsite"]'
"$KMEMX" record -q --follow --page -o r.dat -- python3 pipes.py
expect "by a task, without callchains" unbatched \
	'row["callsite"].startswith("task python3-") and 50 * 250 <= row["hit"] <= 50 * 270'
