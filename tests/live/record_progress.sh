# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A recording shows a progress line only on a terminal, and erases it at the end.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"
command -v script >/dev/null || skip "script(1) of util-linux is not installed"

esc=$(printf '\033')
# on_terminal ARGS: records with ARGS on a terminal of 100 columns; its output goes to "seen".
on_terminal() {
	script -qec "stty columns 100; $KMEMX record -o a.dat $1" seen </dev/null >/dev/null || fail "$1: $(cat seen)"
}
line="recording [0-9]* s: [0-9.]*\( M\)\{0,1\} events, [0-9.]*\( M\)\{0,1\}/s, [0-9.]* [KMG]iB, none lost"

on_terminal '--duration 2'
lines=$(tr '\r' '\n' <seen | grep -c "^$esc\[K$line") || fail "no line of progress: $(cat -v seen)"
[ "$lines" -ge 2 ] && [ "$lines" -le 4 ] || fail "$lines lines in 2 s: $(cat -v seen)"
# After the last update, the line is erased, and the usual messages follow.
tr '\r' '\n' <seen | grep -A 1 "$line" | tail -n 1 | grep -q "^$esc\[Kkmemx: [0-9]* events in " ||
	fail "the line was not erased at the end: $(cat -v seen)"
first=$(tr '\r' '\n' <seen | sed -n "s/^$esc\[Krecording [0-9]* s: \([0-9]*\) events.*/\1/p" | head -n 1)
[ "${first:-1}" -gt 0 ] || fail "no events so far: $(cat -v seen)"

on_terminal '-q --duration 1200ms'
! grep -q "$esc" seen || fail "-q: $(cat -v seen)"
on_terminal '-- sh -c "sleep 1.2; echo said"'
! grep -q "$esc" seen || fail "a progress line within a command's output: $(cat -v seen)"
on_terminal '-- sh -c "sleep 1.2; echo said" >said'
grep -q "$line" seen || fail "no progress line although the command's output is redirected: $(cat -v seen)"
expect said "$(cat said)" "the command's output"

"$KMEMX" record -o a.dat --duration 1200ms >out 2>err || fail "$(cat err)"
! grep -q "recording [0-9]" out err || fail "in a pipe: $(cat out err)"
