# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Filters in the kernel: --min-bytes, --min-order, --cache, --gfp, --comm, --cgroup. Only selected
# events pass, and frees of recorded allocations are recorded, whichever task frees.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v jq >/dev/null || skip "jq is not installed"

group=
remove_group() {
	[ -z "$group" ] || rmdir "$group"
}
trap remove_group EXIT
before=$(tracing_state)

# allocations: prints the allocation events in r.dat as a table for awk
allocations() {
	"$KMEMX" script -i r.dat | grep -E ': (kmalloc|kmem_cache_alloc|mm_page_alloc)' || :
}
# only PATTERN WHAT: there must be allocations, and all must match
only() {
	allocations >all
	[ -s all ] || fail "no allocation with: $2"
	! grep -Ev "$1" all >odd || fail "$2: $(head -n 1 odd)"
}
# field NAME: prints its values in allocations of slab objects
field() {
	allocations | sed -n "s/.* $1=\([0-9]*\).*/\1/p"
}
record() {
	"$KMEMX" record -q "$@" 2>err || fail "record $*: $(cat err)"
}

record --slab --min-bytes 600 -o r.dat -- ls -lR /etc >/dev/null
[ -n "$(field bytes_alloc)" ] || fail "no allocation with --min-bytes"
expect 0 "$(field bytes_alloc | awk '$1 < 600' | wc -l)" "smaller ones with --min-bytes 600"
record --min-bytes 6000 -o r.dat -- ls -lR /etc >/dev/null
expect 0 "$(field order | awk '$1 < 1' | wc -l)" "single pages with --min-bytes 6000"

touch=$KMEMX_BUILD/tests/workloads/touch
record --page --min-order 1 -o r.dat -- "$KMEMX_BUILD/tests/workloads/order4" 50
expect 0 "$(field order | awk '$1 < 1' | wc -l)" "single pages with --min-order 1"

record --page --comm touch -o r.dat -- sh -c "$touch 5000; ls -lR /etc >/dev/null"
only '^ *touch-' '--comm touch'
# The program frees its pages itself when it ends: they are not live.
"$KMEMX" stat --page --json r.dat >json
live=$(jq '.reports[] | select(.name == "page") | .summary.bytes_live' json)
given=$(jq '[.reports[] | select(.name == "page") | .rows[].bytes] | add' json)
[ "$live" -lt $((given / 4)) ] || fail "of $given bytes $live are live: frees are missing"

record --gfp '__GFP_ZERO,__GFP_ACCOUNT' -o r.dat -- ls -lR /etc >/dev/null
only ZERO '--gfp'
only ACCOUNT '--gfp'

# Two filters both apply, and the recorder is still excluded.
record --slab --min-bytes 256 --filter 'bytes_alloc < 600' -o r.dat -- ls -lR /etc >/dev/null
expect 0 "$(field bytes_alloc | awk '$1 < 256 || $1 >= 600' | wc -l)" "other allocations with two filters"

if grep -q ' name;' "$tracefs/events/kmem/kmem_cache_alloc/format"; then
	record --cache dentry -o r.dat -- ls -lR /etc >/dev/null
	only 'kmem_cache_alloc:.*name=dentry' '--cache dentry'
	expect dentry "$("$KMEMX" script -i r.dat | sed -n 's/.*kmem_cache_free:.* name=\([^ ]*\).*/\1/p' |
		sort -u)" "caches of kmem_cache_free with --cache dentry"
else
	code=0
	"$KMEMX" record -q --cache dentry -o r.dat -- true 2>err || code=$?
	expect 1 $code "status of --cache"
	grep -q 'does not name the cache' err || fail "--cache: $(cat err)"
fi

# A new group within that of this shell.
own=$(sed -n 's/^[0-9]*:\([^:]*,\)*memory\(,[^:]*\)*:\(.*\)$/\3/p' /proc/self/cgroup)
mounted=$(awk '$3 == "cgroup" && ("," $4 ",") ~ /,memory,/ { print $2; exit }' /proc/mounts)
[ -n "$mounted" ] || mounted=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$mounted" ] && mkdir "$mounted${own%/}/kmemx-filter.$$" 2>/dev/null; then
	group=$mounted${own%/}/kmemx-filter.$$
	code=0
	"$KMEMX" record -q --cgroup "$group" -o r.dat -- true 2>err || code=$?
	expect 1 $code "status with an empty group"
	grep -q 'has no process' err || fail "an empty group: $(cat err)"
	sh -c 'echo $$ >"$1"/cgroup.procs; touch in; while [ ! -e end ]; do ls /etc; sleep 0.05; done' \
		in "$group" >/dev/null &
	first=$!
	wait_for "a process in the group" test -e in
	rm -f err
	"$KMEMX" record --cgroup "${own%/}/kmemx-filter.$$" -o r.dat 2>err &
	recorder=$!
	wait_started err
	# A process that joins later is also recorded once the recorder sees it; one outside is not.
	sh -c 'echo $$ >"$1"/cgroup.procs
		while [ $((n += 1)) -le 200 ] && ! grep -qsx $$ "$2"/instances/*/set_event_pid; do
			sleep 0.05
		done
		exec find /etc' late "$group" "$tracefs" >/dev/null
	sh -c 'exec od /etc/passwd' >/dev/null
	kill -INT $recorder
	wait $recorder || fail "--cgroup: $(cat err)"
	touch end
	wait $first
	only '^ *(sh|ls|find|grep|sleep|<[.]{3}>)-' '--cgroup'
	allocations | grep -q '^ *ls-' || fail "--cgroup: no event of children of the first process"
	allocations | grep -q '^ *find-' || fail "--cgroup: no event of a process that joined later"
	expect 0 "$("$KMEMX" info -i r.dat | grep -c TRUNC)" "recordings marked as truncated"
fi
expect "$before" "$(tracing_state)" "state of the tracing system"
