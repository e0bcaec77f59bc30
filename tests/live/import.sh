# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx import of a ring buffer of the running kernel: its text in several forms, then its raw
# pages, which reading consumes. All give the same reports, and trace-cmd can read them.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)
instance=$tracefs/instances/kmemx-test.$$
remove() {
	cd /
	[ ! -d "$instance" ] || rmdir "$instance"
}
trap remove EXIT
mkdir "$instance"
here=$PWD
[ ! -e "$instance/options/stacktrace" ] || echo 1 >"$instance/options/stacktrace"
echo 8192 >"$instance/buffer_size_kb"
for event in kmalloc kfree kmem_cache_alloc kmem_cache_free mm_page_alloc mm_page_free; do
	echo 1 >"$instance/events/kmem/$event/enable"
done
ls -l /proc/self/ >/dev/null
echo 0 >"$instance/tracing_on"

# without COLUMN: the CSV without this column; within quotes, ; replaces ,
without() {
	sed -E ':again; s/("[^",]*),([^"]*")/\1;\2/; t again' | awk -F, -v name="$1" '{
		for (i = 1; i <= NF; i++)
			if ($i == name)
				left = i
		for (i = 1; i <= NF; i++)
			if (i != left)
				printf "%s,", $i
		print ""
	}'
}
# Prints the reports that must be the same for all forms. None is by task, because the kernel
# forgets task names.
report() {
	"$KMEMX" stat --csv "$1" && "$KMEMX" stat --csv --by pid "$1" | without comm &&
		"$KMEMX" stat --csv --by cache "$1"
}
cat "$instance/trace" >plain.txt
for option in noirq-info sym-offset sym-addr latency-format nohash-ptr; do
	echo $option >"$instance/trace_options" 2>/dev/null || continue
	cat "$instance/trace" >$option.txt
	case $option in
	no*) echo ${option#no} >"$instance/trace_options" ;;
	*) echo no$option >"$instance/trace_options" ;;
	esac
done
for text in *.txt; do
	"$KMEMX" import --ftrace-text "$text" -o "$text.dat" 2>err || fail "$text: $(cat err)"
	! grep -q 'unreadable' err || fail "$text: $(cat err)"
	report "$text.dat" >"$text.csv"
done
for text in sym-offset sym-addr latency-format nohash-ptr; do
	[ ! -e $text.txt ] || cmp plain.txt.csv $text.txt.csv ||
		fail "the report of $text differs: $(diff plain.txt.csv $text.txt.csv | head)"
done

mkdir raw
cd "$instance"
for cpu in per_cpu/cpu*; do
	mkdir -p "$here/raw/$cpu"
	cat "$cpu/stats" >"$here/raw/$cpu/stats"
	timeout 2 dd if="$cpu/trace_pipe_raw" of="$here/raw/$cpu/trace_pipe_raw" bs=4096 2>/dev/null || :
done
mkdir -p "$here/raw/events"
cat events/header_page >"$here/raw/events/header_page"
cat events/header_event >"$here/raw/events/header_event"
cd "$tracefs"
for format in events/kmem/*/format events/ftrace/kernel_stack/format; do
	mkdir -p "$here/raw/${format%/*}"
	cat "$format" >"$here/raw/$format"
done
cat saved_cmdlines >"$here/raw/saved_cmdlines"
cat trace_clock >"$here/raw/trace_clock"
cat /proc/kallsyms >"$here/raw/kallsyms"
uname -a >"$here/raw/uname"
cd "$here"
"$KMEMX" import --raw-pages raw -o raw.dat 2>err || fail "raw pages: $(cat err)"
events() {
	"$KMEMX" info "$1" | awk '/^events / { print $2 + 0 }'
}
# Without irq-info, an event followed by an interrupt cannot be matched with its callchain: the
# events are the same, but some callsites are missing.
[ ! -e noirq-info.txt ] ||
	expect "$(events plain.txt.dat)" "$(events noirq-info.txt.dat)" "events without irq-info"
expect "$(events plain.txt.dat)" "$(events raw.dat)" "events of the raw pages"
[ "$(events raw.dat)" -gt 100 ] || fail "too few events: $(events raw.dat)"
# Compares sums only, as rows may name different aliases of a function.
"$KMEMX" stat --csv --by cpu raw.dat >raw.csv
"$KMEMX" stat --csv --by cpu plain.txt.dat >text.csv
cmp raw.csv text.csv || fail "raw pages and text differ: $(diff raw.csv text.csv)"
if command -v trace-cmd >/dev/null; then
	for dat in raw.dat plain.txt.dat; do
		seen=$(trace-cmd report -R -i $dat 2>/dev/null | grep -cE '\[[0-9]{3}\] +[0-9.]+: ')
		expect "$(events $dat)" "$seen" "events that trace-cmd reads in $dat"
	done
fi
remove
trap - EXIT
cd "$here"
expect "$before" "$(tracing_state)" "state of the tracing system"
