# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# While 5000 files are held open, little is uncertain, with record --exact-ledger and without. In no
# cache may more be certainly live than the kernel counts. Caches that cannot be shrunk are
# reported.
# only with LONG=1
# quiet: what other programs open and close widens the ranges
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

caches=/sys/kernel/slab
[ -r /proc/slabinfo ] || skip "this kernel has no /proc/slabinfo"
[ -w "$caches/filp/shrink" ] || skip "this kernel has no caches to shrink in $caches"
command -v python3 >/dev/null || skip "python3 is not installed"

# Prints the number of objects in cache $1: exact except for new allocations, as shrinking takes all
# slabs from CPUs.
objects() {
	echo 1 >"$caches/$1/shrink"
	read -r count _ <"$caches/$1/objects"
	echo "$count"
}

# "MIN MAX" of cache filp, in bytes
range() {
	"$KMEMX" stat -i "$1" --slab --by cache --json | python3 -c '
import json, sys
rows = json.load(sys.stdin)["reports"][0]["rows"]
row = next(r for r in rows if r["cache"].split("+")[0] == "filp")
print(row["net_min"], row["net_max"])'
}

# In each cache, no more objects may be certainly live than it holds.
nothing_too_sure() {
	"$KMEMX" stat -i "$1" --slab --by cache --json | python3 -c '
import json, os, sys
wrong = []
for row in json.load(sys.stdin)["reports"][0]["rows"]:
    name = row["cache"].split("+")[0]
    path = f"{sys.argv[1]}/{name}"
    if not row["net_min"] or name.startswith("kmalloc") or not os.path.isdir(path):
        continue
    with open(f"{path}/shrink", "w") as f:
        f.write("1")
    objects, size = (int(open(f"{path}/{f}").read().split()[0]) for f in ("objects", "slab_size"))
    # Other processes may free some.
    if row["net_min"] > (objects + 300) * size:
        wrong.append((row, objects, size))
sys.exit(f"sure to live: more than there is: {wrong}" if wrong else 0)' "$caches"
}

# held OPTION...: records while 5000 files are opened and held; sets $uncertain, the uncertain bytes
# of filp, after comparing the bounds with the cache's growth.
held() {
	before=$(objects filp)
	rm -f said # from the previous recording
	"$KMEMX" record -v -o r.dat "$@" 2>said &
	recorder=$!
	wait_started said
	"$KMEMX_BUILD/tests/workloads/files" 5000 60000 &
	files=$!
	while [ "$(find /proc/$files/fd -type l | wc -l)" -lt 5000 ]; do
		kill -0 $files || fail "no files are held"
		sleep 0.1
	done
	kill -INT $recorder
	wait $recorder || fail "record: $(cat said)"
	gained=$(($(objects filp) - before))
	nothing_too_sure r.dat
	kill $files
	wait $files || :
	size=$(cat $caches/filp/slab_size)
	# shellcheck disable=SC2046 # two numbers
	set -- $(range r.dat)
	# Other processes open and close files between the counts.
	[ "$1" -le $(((gained + 300) * size)) ] || fail "filp gained $gained, at least $1 bytes"
	[ "$2" -ge $(((gained - 300) * size)) ] || fail "filp gained $gained, at most $2 bytes"
	uncertain=$(($2 - $1))
}

# Other load sometimes widens the range: takes the narrowest of three.
plain=
exact=
for _ in 1 2 3; do
	held
	[ -n "$plain" ] && [ "$plain" -le $uncertain ] || plain=$uncertain
	held --exact-ledger
	[ -n "$exact" ] && [ "$exact" -le $uncertain ] || exact=$uncertain
	grep -q 'shrinking all slab caches after: ' said || fail "not shrunk: $(cat said)"
	"$KMEMX" info -i r.dat | grep -q shrunk || fail "info does not say that caches were shrunk"
done
# An estimate from slabinfo and an event rate would leave one ninth uncertain.
limit=$((5000 * size * 8 / 100))
echo "filp: $plain bytes are uncertain, with --exact-ledger $exact; at most $limit"
[ "$plain" -le $limit ] || fail "$plain bytes are uncertain"
[ "$exact" -le $limit ] || fail "with --exact-ledger $exact bytes are uncertain"
"$KMEMX" info -i r.dat | grep -q 'slab_counts.after' || fail "nothing was counted"
counts_agree r.dat

# A cache that cannot be shrunk is reported once, and recording continues.
command -v unshare >/dev/null || exit 0
# fake COMMAND: records after COMMAND in a mount namespace
fake() {
	# shellcheck disable=SC2016 # $0 is that shell's
	unshare -m sh -c "$1"' && exec "$0" record -v -o fake.dat --exact-ledger -- true' \
		"$KMEMX" 2>said || fail "no recording: $(cat said)"
	expect 1 "$(grep -c 'warning: cannot shrink' said)" "warnings in $(cat said)"
	if "$KMEMX" info -i fake.dat | grep -q shrunk; then
		fail "the recording says that caches were shrunk"
	fi
}
unshare -m true 2>/dev/null || exit 0
fake "mount -t tmpfs none $caches"
grep -q "cannot shrink slab caches: $caches: " said || fail "$(cat said)"
fake "mount --bind $caches/filp/slab_size $caches/filp/shrink"
grep -q "cannot shrink 1 of .*/filp/shrink: " said || fail "$(cat said)"
grep -q 'cannot shrink the slab cache filp: ' said || fail "$(cat said)"
