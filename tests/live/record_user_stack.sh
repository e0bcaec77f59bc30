# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# --user-stack: the program's functions below the kernel's in one callchain, names that a JIT
# compiler gave, addresses of a stripped program.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

[ -e $tracefs/options/userstacktrace ] || skip "this kernel does not record frames of programs"
cp "$KMEMX_BUILD/tests/workloads/callers" callers
cp callers stripped
strip stripped

# folded FILE PATTERN: allocations of pages with such callchains
folded() {
	"$KMEMX" export --format folded --page --weight hits -i "$1" 2>err >folded ||
		fail "export: $(cat err)"
	grep "$2" folded | awk '{ sum += $NF } END { print sum + 0 }'
}

"$KMEMX" record -q --page --user-stack --follow -o user.dat -- sh -c './callers 500; ./stripped 300' 2>err ||
	fail "record: $(cat err)"
# Each function of callers has a frame, also the innermost.
nr=$(folded user.dat ';callers`main;callers`outer;callers`inner;.*;do_anonymous_page')
[ "$nr" -ge 500 ] && [ "$nr" -lt 520 ] || fail "$nr pages of inner(), of 500"
expect "$nr" "$("$KMEMX" stat --page --by user-function --csv -i user.dat 2>err |
	awk -F, '/user_function/ { for (i = 1; i <= NF; i++) if ($i == "hit") hit = i }
		 /callers`inner/ { print $hit }')" "pages by user-function"

# A stripped program has addresses, those of the same functions.
expect 0 "$(folded user.dat 'stripped`')" "names of a stripped program"
for name in inner outer; do
	at=$((0x$(nm callers | awk -v name=$name '$3 == name { print $1 }')))
	found=0
	for address in $(tr ';' '\n' <folded | sed -n 's/^\[stripped+\(0x[0-9a-f]*\)\].*/\1/p' | sort -u); do
		[ $((address)) -lt $at ] || [ $((address)) -ge $((at + 200)) ] || found=1
	done
	expect 1 $found "an address in $name() of the stripped program"
done

# The callchains are the same after a split, and trace-cmd reads the events.
"$KMEMX" split --time 0%,100% -o half.dat user.dat 2>err || fail "split: $(cat err)"
expect "$nr" "$(folded half.dat ';callers`outer;callers`inner;.*;do_anonymous_page')" "pages after a split"
if command -v trace-cmd >/dev/null; then
	[ "$(trace-cmd report user.dat 2>/dev/null | grep -c ' user_stack: .*=> 0x')" -ge "$nr" ] ||
		fail "trace-cmd: $(trace-cmd report user.dat 2>&1 | tail -n 3)"
fi
[ "$(cat $tracefs/options/userstacktrace)" = 0 ] || fail "userstacktrace was left on"

# Callchains of slab objects, too.
"$KMEMX" record -q --slab --user-stack=all --follow -o all.dat -- ./callers 10 2>err ||
	fail "record: $(cat err)"
"$KMEMX" stat --slab --by user-function --csv -i all.dat 2>err | grep -q 'libc.*`\|ld-.*`\|\[libc\|\[ld-' ||
	fail "no function of a library: $("$KMEMX" stat --slab --by user-function -i all.dat 2>&1)"

instances >left
[ ! -s left ] || fail "instances are left: $(cat left)"
echo "$nr pages below inner()"
