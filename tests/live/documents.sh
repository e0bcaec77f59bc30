# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Runs the documents' commands that record, with a smaller workload and for a shorter time: those of
# README.md, the pages and the man pages. Also runs, in an instance and with busybox if it is
# installed, the lines that README.md and kmemx-import(1) give for a board without kmemx.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

top=$(cd "$(dirname "$0")/../.." && pwd)
command -v python3 >/dev/null || skip "python3, which finds the commands, is not here"
before=$(tracing_state)
here=$PWD
instance=$tracefs/instances/kmemx-test.$$
server=
remove() {
	cd /
	[ -z "$server" ] || kill $server 2>/dev/null || :
	[ ! -d "$instance" ] || rmdir "$instance"
}
trap remove EXIT
mkdir "$instance"

# Stand-ins for the programs that the documents record: they end at once, or only when told to.
mkdir bin
ln -s "$KMEMX" bin/kmemx
printf '#!/bin/sh\nls -l /proc/self/ >/dev/null\n' >bin/workload
for name in make git; do
	cp bin/workload bin/$name
done
printf '#!/bin/sh\nshift\nexec "$@"\n' >bin/ssh
for name in requests files; do
	printf '#!/bin/sh\nls -l /proc/self/ >/dev/null\nexec sleep 60\n' >bin/$name
done
chmod 755 bin/*
PATH=$here/bin:$PATH
timeout 300 sh -c 'while :; do ls -l /etc; sleep 0.05; done' >/dev/null 2>&1 &
server=$!

# Runs each line in a directory of its own.
play() {
	rm -rf play
	mkdir play
	(
		cd play
		cp "$here/bin/workload" work.sh
		ln -s "$here/bin/workload" "$here/bin/requests" .
		timeout 60 sh -c "$1" >out 2>err || fail "$1: exit $?: $(cat err)"
		case $1 in
		*'kmemx stat'*) grep -q Callsite out || fail "$1: no report: $(cat out)" ;;
		*) grep -qE '^kmemx: [0-9]+ events.* -> [^ ]+$' err || fail "$1: $(cat err)" ;;
		esac
	)
}
echo 1 >"$instance/events/kmem/kmalloc/enable"
{
	"$top/tests/doc/commands" --record | cut -f 3
	cd "$top"
	grep -h '^\$ sudo kmemx' README.md Documentation/*.md | sed 's/^\$ sudo //'
	cd "$here"
	# Other tests cover commands that wait for an event or show current events.
} | grep -vE 'kmemx (top|record .*--flight)' | sed "s|/tmp/|./|; s/--duration [0-9]*[ms]*/--duration 300ms/; s/--repeat [0-9]*/--repeat 2/; s/[$](pidof [a-z]*)/$server/
	s|kmemx extract|& --instance ${instance##*/}|" | sort -u >lines
[ "$(wc -l <lines)" -gt 9 ] || fail "too few commands: $(cat lines)"
while IFS= read -r line; do
	play "$line" </dev/null
done <lines
echo 0 >"$instance/events/kmem/kmalloc/enable"

# A board: README's lines save text, the manual's lines raw pages. Redirects accesses to the top
# buffer's files to an instance; formats stay where they are.
shell="sh"
! busybox sh -c true 2>/dev/null || shell="busybox sh"
awk '/^board# / { on = 1; sub(/^board# /, "") } on { print; on = /\\$/ }' \
	"$top/README.md" >text.sh
awk '/^# RAW PAGES/ { section = 1 } section && /^```/ { if (on++) exit; next } on' \
	"$top/Documentation/kmemx-import.1.scd" >pages.sh
for way in text pages; do
	grep -q stacktrace $way.sh && grep -q tracing_on $way.sh || fail "no commands: $(cat $way.sh)"
	sed "s|mount -t [^;#]*|: |; s|cd /sys/kernel/tracing|cd $instance|
		s|sleep 10|ls -l /proc/self/|; s|16384|8192|; s|sleep 2|sleep 1|
		s|/tmp/|$here/|g; s|^S=events|cd $tracefs; &|" $way.sh >$way.here
	timeout 60 $shell $way.here >$way.log 2>&1 || fail "$way: $(cat $way.log)"
	echo 0 >"$instance/events/kmem/enable"
	echo '!stacktrace' >"$instance/events/kmem/mm_page_alloc/trigger"
	echo >"$instance/trace"
done
# The same lines one by one from Documentation/boards.md, and those that restore the buffer, even if
# it was never used. state: the settings that these lines change.
awk '/^## / { section = /^## With a shell alone/ } section && sub(/^    /, "")' \
	"$top/Documentation/boards.md" >page.sh
grep -q 'echo 1 >tracing_on' page.sh && grep -q '!stacktrace' page.sh || fail "no commands: $(cat page.sh)"
state() {
	(cd "$instance" && tail -n +1 tracing_on buffer_size_kb set_event events/kmem/mm_page_alloc/trigger)
}
for on in 0 1; do
	echo $on >"$instance/tracing_on"
	echo $((2000 - on * 592)) >"$instance/buffer_size_kb"
	state >state.before
	sed "s|^mount -t [^;#]*|: |; s|^cd /sys/kernel/tracing|cd $instance|
		s|sleep 10|ls -l /proc/self/|; s|16384|8192|; s|/tmp/|$here/page.|" page.sh >page.here
	[ $on = 0 ] || sed -i 's|\$(cat buffer_size_kb)|"7 (expanded: 1408)"|' page.here
	timeout 60 $shell page.here >page.log 2>page.err || fail "boards.md: $(cat page.err)"
	[ ! -s page.err ] || fail "boards.md: $(cat page.err)"
	state | diff state.before - || fail "boards.md does not restore the old settings"
	"$KMEMX" import -q --ftrace-text page.trace.gz -o page.dat || fail "boards.md: no recording"
	"$KMEMX" stat --page page.dat 2>&1 | grep -q Callsite || fail "boards.md: no callsites"
done
mkdir raw
tar xzf pages.tar.gz -C raw
"$KMEMX" import -q --ftrace-text trace.gz -o text.dat
"$KMEMX" import -q --raw-pages raw -o pages.dat
for way in text pages; do
	"$KMEMX" stat --page $way.dat >stat 2>&1 || fail "$way: $(cat stat)"
	sed -n 1p stat | grep -q 'none lost$' || echo "$way: $(sed -n 1p stat)"
	# On each CPU, tracing may begin or end between an event and its callchain.
	bare=$("$KMEMX" stat --page --json $way.dat | sed -n 's/.*"without_stack": \([0-9]*\).*/\1/p')
	[ -n "$bare" ] && [ "$bare" -le "$(nproc)" ] || fail "$way: $(cat stat)"
	grep -qE '(do_anonymous_page|wp_page|do_fault|folio|handle_mm_fault)' stat ||
		fail "$way: no callsites of pages: $(cat stat)"
done
remove
trap - EXIT
cd "$here"
expect "$before" "$(tracing_state)" "state of the tracing system"
