# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# An ordinary task that looks into /proc has an event for each inode that it allocates there: so
# objects of proc_inode_cache that kmemx stat --ledger cannot explain belong to tasks without events
# (Documentation/ledger.md).
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

grep -q 'field:.* name;' "$tracefs/events/kmem/kmem_cache_alloc/format" ||
	skip "this kernel's kmem_cache_alloc names no cache (it does since 6.18)"
[ -d /sys/kernel/slab/proc_inode_cache ] || skip "this kernel has no cache proc_inode_cache"
command -v python3 >/dev/null || skip "python3 is not installed"

# For each new process, looks up its directory and nine files that no process has looked up before.
cat >look.py <<'END'
import os
import time

FILES = "stat status statm maps cmdline limits oom_score comm environ".split()
for _ in range(50):
    child = os.fork()
    if not child:
        time.sleep(60)
        os._exit(0)
    for name in FILES:
        os.close(os.open(f"/proc/{child}/{name}", os.O_RDONLY))
    os.kill(child, 9)
    os.waitpid(child, 0)
END
"$KMEMX" record --follow --slab --stack none -o r.dat -- python3 look.py 2>err || fail "$(cat err)"
grep -q 'none lost' err || skip "events were lost: $(cat err)"
inodes=$("$KMEMX" stat -i r.dat --slab --by cache --csv -l all | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$(at["cache"]) == "proc_inode_cache" { print $(at["hit"]) }')
# Other processes may have looked up one of these files first.
[ "${inodes:-0}" -ge 490 ] || fail "${inodes:-0} of 500 inodes of /proc have an event"
