# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Follows the tutorial like a reader: builds its program as the page says, and runs every command of
# the page in order, in one clean directory, on what these commands record here. Each must exit as
# the page says, and its block must show the leaking callsite if the page's output has it.
# only with LONG=1
# alone: instances that other recorders make would be the largest rows
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

top=$(cd "$(dirname "$0")/../.." && pwd)
page=$top/Documentation/tutorial.md
command -v cc >/dev/null || skip "cc, which the tutorial uses, is not here"
before=$(tracing_state)
mkdir bin
ln -s "$KMEMX" bin/kmemx
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod 755 bin/sudo
PATH=$PWD/bin:$PATH

# The part of a clone that the page refers to.
ln -s "$top/tests" tests
grep -o '`cc [^`]*`' "$page" | tr -d '`' >build
[ "$(wc -l <build)" = 1 ] || fail "the page has not one line that builds: $(cat build)"
sh -e build

# For each command: its block's number, the exit code, whether the block shows the callsite, and
# the command, in which the line after a "|" belongs to it.
awk '/^<!-- run:/ { wanted = match($0, /exit=[0-9]+/) ? substr($0, RSTART + 5, RLENGTH - 5) : 0 }
	/^```/ { on = !on; block++; next }
	on && more { line[n] = line[n] " " $0 }
	on && /^\$ / { line[++n] = substr($0, 3); code[n] = wanted; of[n] = block }
	on && /alloc_empty_file$/ { shows[block] = 1 }
	on { more = /\|$/ }
	END { for (i = 1; i <= n; i++) print of[i], code[i], shows[of[i]] + 0, line[i] }' "$page" >lines
[ "$(wc -l <lines)" -gt 12 ] || fail "too few commands: $(cat lines)"
last=
shown=1
check_block() {
	[ $shown = 0 ] || [ -z "$last" ] || grep -q alloc_empty_file out ||
		fail "block $last of the tutorial: no alloc_empty_file: $(cat out)"
}
while read -r block wanted shows line; do
	if [ "$block" != "$last" ]; then
		check_block
		: >out
	fi
	last=$block
	shown=$shows
	code=0
	timeout 60 sh -c "$line" >>out 2>err </dev/null || code=$?
	[ $code = "$wanted" ] || fail "$line: exit $code instead of $wanted: $(cat err)"
done <lines
check_block
expect "$before" "$(tracing_state)" "state of the tracing system"
