# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx top on a terminal, in tmux: keys, sizes, all ways to end it; nothing is left behind.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"
command -v tmux >/dev/null || skip "tmux is not installed"
"$KMEMX" version --build-options | grep -q '^ncurses *yes' || skip "built without ncurses"

before=$(tracing_state)
nr=0
socket=$PWD/tmux.0
tm() {
	tmux -S "$socket" -f /dev/null "$@"
}
trap 'tm kill-server 2>/dev/null || :' EXIT

# Prints the current screen.
screen() {
	tm capture-pane -p -t top
}
shows() {
	screen | grep -q -- "$1"
}
keys() {
	tm send-keys -t top "$@"
}
# start ARGS: runs kmemx top with ARGS in a shell of its own.
start() {
	tm kill-server 2>/dev/null || :
	# A server's socket still exists for a moment after the server has ended.
	nr=$((nr + 1))
	socket=$PWD/tmux.$nr
	tm new-session -d -s top -x 100 -y 24 "env LC_ALL=C.UTF-8 sh"
	keys "stty -a >before; $KMEMX top -d 300ms $1; echo code=\$?; stty -a >after" Enter
	wait_for "rows" shows ' slab  \| page  '
	top=$(cat /proc/*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (kmemx) .*/\1/p' | while read -r pid; do
		# Other tests run kmemx, too.
		[ "$(readlink "/proc/$pid/cwd")" != "$PWD" ] || echo "$pid"
	done | head -n 1)
	instance=$(instance_of "$top")
}
# Checks that the terminal and the machine are as before.
ended() {
	wait_for "the end" shows "^code=$1"
	wait_for "stty" test -s after
	cmp -s before after || fail "the terminal was not restored: $(diff before after)"
	rm before after
	expect_gone "$instance"
}

start ''
shows '^kmemx top  by callsite, sorted by rate' || fail "$(screen)"
shows '^# Linux .* events, [0-9]*/s, none lost; kmemx [0-9.]* %' || fail "$(screen)"
shows '^q quit' || fail "$(screen)"
keys g
wait_for "caches" shows '^kmemx top  by cache, '
wait_for "names of caches" shows 'Cache$'
keys G
wait_for "callsites" shows '^kmemx top  by callsite, '
keys s s
wait_for "the sort key" shows 'sorted by live'
keys t
wait_for "slab objects alone" shows 'slab only'
wait_for "no pages" sh -c '! tmux -S "$0" capture-pane -p -t top | grep -q " page  "' "$socket"
keys t t t t
keys '\'
keys kmemx-finds-no-such-name Enter
wait_for "the filter" shows "with 'kmemx-finds-no-such-name'"
wait_for "no rows" sh -c '! tmux -S "$0" capture-pane -p -t top | grep -q "^ *[0-9]"' "$socket"
keys Escape
wait_for "rows again" shows '^ *[0-9]'
# Opens a row and goes back; the title says what rows stand for, the next line what was opened.
keys Enter
wait_for "callchains" shows '^kmemx top  by stack, '
shows '^[a-z_0-9]* ([a-z]*) > callchains$' || fail "$(screen)"
keys Enter
wait_for "lifetimes" shows ' (.*) > .* (.*) > lifetimes$'
wait_for "a table of lifetimes" shows '^ *[0-9]* .*below 10 us$'
keys BSpace BSpace
wait_for "callsites again" shows '^kmemx top  by callsite, '
keys /
keys kmemx-finds-no-such-name
wait_for "a search in vain" shows '^search: kmemx-finds-no-such-name'
keys Enter
wait_for "its result" shows "no row has 'kmemx-finds-no-such-name'"
keys f Down Down Space Enter
wait_for "a hidden column" sh -c '! tmux -S "$0" capture-pane -p -t top | grep -q "Hit/s"' "$socket"
keys f Space Enter
wait_for "the column" shows 'Hit/s'
keys h
wait_for "human units" shows '^ *[0-9.]*[KMG]iB'
keys h +
wait_for "a longer interval" shows 'interval: 0.6 s'
keys -
# A click on a title, then two on the second row. Pressing and releasing the button sends ESC [ M,
# then button, column and line, each plus 32; columns and lines count from 1.
click() {
	# shellcheck disable=SC2059 # the bytes are computed
	place=$(printf "\\$(printf %o $(($1 + 33)))\\$(printf %o $(($2 + 33)))")
	keys -l "$(printf '\033[M ')$place$(printf '\033[M#')$place"
}
# Columns may move between reading the screen and the click.
click_title() {
	line=$(screen | grep -n 'Alloc/s  ' | cut -d: -f1)
	at=$(screen | sed -n "${line}s/Hit.s.*//p" | wc -m)
	click $((at + 1)) $((line - 1))
	sleep 0.2
	shows 'sorted by hit_rate'
}
click_row() {
	click 10 $((line + 1))
	sleep 0.2
	shows ' > callchains$'
}
wait_for "sorting by a click" click_title
wait_for "opening by a click" click_row
keys BSpace
wait_for "the way back" shows '^kmemx top  by callsite, '
keys Space
wait_for "a frozen screen" shows 'FROZEN'
frozen=$(screen)
sleep 0.8
expect "$frozen" "$(screen)" "a frozen screen"
keys Space p
wait_for "a pause" shows 'PAUSED'
expect 0 "$(cat "$tracefs/instances/$instance/tracing_on")" "tracing in a pause"
keys p
wait_for "the pause in the figures" shows 'PAUSED for'
expect 1 "$(cat "$tracefs/instances/$instance/tracing_on")" "tracing after a pause"
keys '?'
wait_for "help" shows 'this help'
keys x
# The bar shows as many whole keys as fit.
bar_fits() {
	bar=$(screen | sed -n 14p)
	case $bar in
	"q quit  ? help  Enter open  / search"*) ;;
	*) return 1 ;;
	esac
	[ ${#bar} -le $width ] && [ ${#bar} -ge $((width - 16)) ]
}
for width in 60 80 140; do
	tm resize-window -t top -x $width -y 14
	wait_for "keys for $width columns" bar_fits
	wait_for "rows that fit" sh -c 'tmux -S "$0" capture-pane -p -t top | sed -n 13p | grep -q "^ *[0-9]"' "$socket"
done
tm resize-window -t top -x 100 -y 24

# Records from now on, without older events.
keys w
wait_for "the recording" shows 'writing kmemx-top.dat'
sleep 1
keys w
wait_for "its end" shows 'wrote kmemx-top.dat'
keys w
wait_for "another one" shows 'writing kmemx-top.dat.1'
sleep 0.5
keys q
ended 0
# Pausing must not stop other processes' tracing.
! shows 'another process' || fail "$(screen)"
for file in kmemx-top.dat kmemx-top.dat.1; do
	"$KMEMX" info "$file" >info 2>&1 || fail "$file: $(cat info)"
	grep -q '^events  *[1-9]' info || fail "$file: $(cat info)"
	! grep -qi 'cut\|truncated\|damaged' info || fail "$file is truncated: $(cat info)"
	counts_agree "$file"
done
"$KMEMX" stat -i kmemx-top.dat --json >json || fail "the recording is unreadable"
# The file is a stream; trace-cmd can read a part made by split.
"$KMEMX" split -i kmemx-top.dat -o part.dat --time 0%,100% 2>err || fail "split: $(cat err)"
counts_agree part.dat
! command -v trace-cmd >/dev/null || trace-cmd report part.dat 2>/dev/null | grep -q 'kmalloc\|kmem_cache_alloc' ||
	fail "trace-cmd cannot read the part made by split"
rm kmemx-top.dat kmemx-top.dat.1 part.dat

for signal in TERM HUP INT; do
	start ''
	kill -$signal "$top"
	ended 0
done
start ''
keys C-c
ended 0
# The terminal disappears.
start ''
tm kill-server
wait_for "the end without a terminal" sh -c '! kill -0 "$0"' "$top"
expect_gone "$instance"
start '-- sh -c "echo seen; sleep 2; exit 3"'
! shows seen || fail "the command's output is on the screen: $(screen)"
ended 3
tm kill-server
TERM=no-such-terminal script -qec "$KMEMX top" /dev/null >out </dev/null || :
expect "$before" "$(tracing_state)" "state of the tracing system"
