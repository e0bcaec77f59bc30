# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Compares live bytes with the kernel's own count: POSIX timers that kfree_rcu() freed without an
# event, open files, and the content of all caches.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

[ -r /proc/slabinfo ] || skip "this kernel has no /proc/slabinfo"
[ -r /sys/kernel/slab/filp/objects ] || skip "this kernel shows no caches in /sys/kernel/slab"
command -v python3 >/dev/null || skip "python3 is not installed"

# Prints the number of objects in cache $1: exact, as after shrinking no CPU holds a slab.
objects() {
	echo 1 >"/sys/kernel/slab/$1/shrink"
	read -r count _ <"/sys/kernel/slab/$1/objects"
	echo "$count"
}

# range FILE OPTION COLUMN NAME: prints "NET MIN MAX" of a row, in bytes; zeros if there is no such
# row
range() {
	"$KMEMX" stat -i "$1" --slab "--$2" --json | python3 -c '
import json, sys
_, by, name = sys.argv
rows = json.load(sys.stdin)["reports"][0]["rows"]
row = next((r for r in rows if r[by].split("+")[0] == name), {})
print(*(row.get(k, 0) for k in ("net", "net_min", "net_max")))' "$3" "$4"
}

# Timers: nearly all are freed without an event. The maximum is the content of the cache.
if [ -d /sys/kernel/slab/posix_timers_cache ]; then
	size=$(cat /sys/kernel/slab/posix_timers_cache/slab_size)
	for try in 1 2 3; do
		"$KMEMX" record -q -o timers.dat -- \
			"$KMEMX_BUILD/tests/workloads/timers" 3000 6000
		left=$(objects posix_timers_cache)
		# shellcheck disable=SC2046 # three numbers
		set -- $(range timers.dat caller callsite do_timer_create)
		echo "do_timer_create: net $1, [$2, $3] bytes; the cache holds $left x $size"
		[ "$1" -ge $((2900 * size)) ] || fail "the timers have no events"
		# Since then other processes may have used the cache, and RCU may have freed the
		# last ones.
		[ "$2" -gt $(((left + 200) * size)) ] || break
		[ "$try" -lt 3 ] || fail "sure to live: more than there is"
	done
	[ "$3" -lt $((1500 * size)) ] || fail "the maximum ignores the kernel's count"
fi

# Open files: nearly all are certain. Files that other processes closed just before may still be in
# the cache when the recording begins: subtracts their number.
size=$(cat /sys/kernel/slab/filp/slab_size)
for try in 1 2 3; do
	"$KMEMX" record -q -o files.dat --duration 500ms -- \
		"$KMEMX_BUILD/tests/workloads/files" 5000 1500
	# shellcheck disable=SC2046
	set -- $(range files.dat by=cache cache filp)
	echo "filp: net $1, [$2, $3] bytes; 5000 x $size are held"
	[ "$3" -ge $((5000 * size)) ] || fail "at most $3 bytes, but 5000 files are open"
	[ "$2" -lt $((4000 * size)) ] || break
	[ "$try" -lt 3 ] || fail "of 5000 files too few are certainly live"
done
[ "$2" -le "$3" ] || fail "no range"
[ "$3" -le "$1" ] || fail "not inside net"

"$KMEMX" info -i files.dat | grep -q 'slab_cpu.after' || fail "no objects held by CPUs"
# Every row's range must lie within its net.
"$KMEMX" stat -i files.dat --slab --by cache --json >all.json
python3 - <<'END'
import json, sys
rows = json.load(open("all.json"))["reports"][0]["rows"]
wrong = [r for r in rows if not r["net_min"] <= r["net_max"] <= r["net"]]
sys.exit(f"no ranges: {wrong}" if wrong else 0)
END
