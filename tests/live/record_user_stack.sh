# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# --user-stack: user and kernel functions in one callchain, with lines; names from a JIT compiler,
# addresses of a stripped program, a program that only a container has.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(instances)

[ -e $tracefs/options/userstacktrace ] || skip "this kernel does not record frames of programs"
cp "$KMEMX_BUILD/tests/workloads/callers" callers
cp callers stripped
strip stripped

# folded FILE PATTERN: prints the number of pages allocated with such callchains
folded() {
	"$KMEMX" export --format folded --page --weight hits -i "$1" 2>err >folded ||
		fail "export: $(cat err)"
	grep "$2" folded | awk '{ sum += $NF } END { print sum + 0 }'
}

"$KMEMX" record -q --page --user-stack --follow -o user.dat -- sh -c './callers 500; ./stripped 300' 2>err ||
	fail "record: $(cat err)"
# Each function of callers has a frame, even the innermost.
nr=$(folded user.dat ';callers`main;callers`outer;callers`inner;.*;do_anonymous_page')
[ "$nr" -ge 500 ] && [ "$nr" -lt 520 ] || fail "$nr pages of inner(), of 500"
expect "$nr" "$("$KMEMX" stat --page --by user-function --csv -i user.dat 2>err |
	awk -F, '/user_function/ { for (i = 1; i <= NF; i++) if ($i == "hit") hit = i }
		 /callers`inner/ { print $hit }')" "pages by user-function"

# Its line is known from debug information.
line=$(grep -n ')\[i \* PAGE\] = 1' "$(dirname "$0")/../workloads/callers.c" | cut -d: -f1)
"$KMEMX" script --callchain -i user.dat >script 2>err || fail "script: $(cat err)"
if "$KMEMX" version --build-options | grep -q '^libdw *yes'; then
	"$KMEMX" stat --page --by user-line --csv -i user.dat 2>err | grep -q "callers\.c:$line," ||
		fail "no line: $("$KMEMX" stat --page --by user-line -i user.dat 2>&1)"
	grep -q "=> callers\`inner+.* .*callers\.c:$line\$" script || fail "script has no line of inner()"
fi

# A stripped program has addresses: those of the same functions.
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

# A program in its own mount namespace is found through its process.
mkdir own
if unshare -m sh -c 'mount -t tmpfs none own' 2>/dev/null; then
	"$KMEMX" record -q --page --user-stack --follow -o own.dat -- unshare -m sh -c '
		mount -t tmpfs none own && cp callers own/hidden && cd own || exit 1
		./hidden 200 9 &
		echo $! >../hidden.pid
		sleep 0.5' 2>err || fail "record: $(cat err)"
	kill "$(cat hidden.pid)"
	nr=$(folded own.dat ';hidden`main;hidden`outer;hidden`inner;.*;do_anonymous_page')
	[ "$nr" -ge 200 ] || fail "$nr pages of the container's inner(), of 200"
fi

# node names the code it compiles, and the names have no blanks.
if command -v node >/dev/null; then
	echo 'function touch(b) { for (let i = 0; i < 2000; i++) b[i * 4096] = 1; }
		for (let k = 0; k < 20; k++) touch(new Uint8Array(4096 * 2000));' >touch.js
	"$KMEMX" record -q --page --user-stack --follow -o node.dat -- sh -c 'echo $$ >node.pid
		exec node --perf-basic-prof --interpreted-frames-native-stack touch.js' 2>err ||
		fail "record: $(cat err)"
	rm -f "/tmp/perf-$(cat node.pid).map"
	nr=$(folded node.dat ';JIT`[^;]*touch_[^;]*touch\.js')
	[ "$nr" -ge 10000 ] || fail "$nr pages of touch(), of 40000"
fi

# Slab objects have such callchains, too.
"$KMEMX" record -q --slab --user-stack=all --follow -o all.dat -- ./callers 10 2>err ||
	fail "record: $(cat err)"
"$KMEMX" stat --slab --by user-function --csv -i all.dat 2>err | grep -q 'libc.*`\|ld-.*`\|\[libc\|\[ld-' ||
	fail "no function of a library: $("$KMEMX" stat --slab --by user-function -i all.dat 2>&1)"

expect "$before" "$(instances)" "the instances"
echo "$nr pages below inner()"
