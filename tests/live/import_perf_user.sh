# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# User frames in perf's callchains: each function has as many events below it as in perf, and names
# come only from the files that were recorded.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"
# shellcheck source=tests/live/perf.inc
. "$(dirname "$0")/perf.inc"
cp "$KMEMX_BUILD/tests/workloads/callers" callers

# record: callers touches 500 pages
record() {
	perf record -q -e kmem:mm_page_alloc -g -o user.data -- ./callers 500 2>perf.out ||
		fail "perf record: $(tail -n 3 perf.out)"
}

# folded: prints callchains of pages that inner() took, with their numbers
folded() {
	"$KMEMX" export --format folded --page --weight hits -i perfs.dat 2>err >folded ||
		fail "export: $(cat err)"
	grep "$1" folded | awk '{ sum += $NF } END { print sum + 0 }'
}

record
import user.data
perfs=$(perf script -i user.data -F ip,sym 2>/dev/null | grep -c ' inner$' || :)
[ "$perfs" -ge 500 ] || fail "perf has $perfs events below inner()"
expect "$perfs" "$(folded ';callers`main;callers`outer;callers`inner;')" "events below inner()"
[ "$(folded 'callers`inner;.*;do_anonymous_page')" -ge 500 ] ||
	fail "pages of inner(): $(cat folded)"
"$KMEMX" stat --page --by entry --csv -i perfs.dat 2>err | grep -q 'page fault' ||
	fail "no entry: $(cat err)"

# By the program's innermost function: perf's count of callchains whose first user frame is inner().
first=$(perf script -i user.data -F ip,sym 2>/dev/null |
	awk '!NF { seen = 0 } !seen && NF && $1 !~ /^ffff/ { seen = 1; n += $2 == "inner" } END { print n + 0 }')
expect "$first" "$("$KMEMX" stat --page --by user-function --csv -i perfs.dat 2>err |
	awk -F, '/user_function/ { for (i = 1; i <= NF; i++) if ($i == "hit") hit = i }
		 /callers`inner/ { print $hit }')" \
	"events by user-function"
[ "$first" -ge 500 ] || fail "perf has $first callchains that end in inner()"

# The program is below another directory, or not there.
mkdir -p root"$PWD" empty
cp callers root"$PWD"
mv callers hidden
symbols="--symfs root"
import user.data
expect "$perfs" "$(folded ';callers`outer;callers`inner;')" "events below inner() with --symfs"
symbols="--symfs empty"
import user.data
expect 0 "$(folded 'callers`')" "names without the file"
[ "$(folded '\[callers+0x[0-9a-f]*\];.*;do_anonymous_page')" -ge 500 ] || fail "addresses: $(cat folded)"
symbols=

# Another file of that name is not the program that was recorded.
cp "$KMEMX_BUILD/tests/workloads/touch" callers
import user.data
expect 0 "$(folded 'callers`')" "names of another file"

# For a stripped program there are addresses: those of its functions.
cp hidden callers
strip callers
at=$(nm hidden | awk '$3 == "inner" { print $1 }')
end=$(nm --numeric-sort hidden | awk 'found { print $1; exit } $3 == "inner" { found = 1 }')
record
import user.data
folded . >/dev/null
tr ';' '\n' <folded | sed -n 's/^\[callers+0x\([0-9a-f]*\)\].*/\1/p' | sort -u >addresses
inside=0
while read -r address; do
	[ $((0x$address)) -lt $((0x$at)) ] || [ $((0x$address)) -ge $((0x$end)) ] ||
		inside=$((inside + 1))
done <addresses
[ $inside -gt 0 ] || fail "no address from $at to $end: $(cat addresses)"
echo "$perfs events below inner(); stripped: $inside addresses in it"
