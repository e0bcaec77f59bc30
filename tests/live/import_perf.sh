# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# perf and kmemx record the same seconds, and the imported perf.data has the same events and
# reports. Reads perf.data from a file, compressed, and from a pipe.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"
# shellcheck source=tests/live/perf.inc
. "$(dirname "$0")/perf.inc"
reference=$(dirname "$0")/../reference
command -v python3 >/dev/null || skip "python3 is not installed"

# Time between two pauses.
cat >work <<'EOF'
sleep 0.5
i=0
while [ $i -lt 20 ]; do
	/bin/true
	i=$((i + 1))
done
ls -lR /etc/ssl >/dev/null
sleep 0.5
EOF

# both PERF...: kmemx and perf record `work` to ours.dat and perfs.data. kmemx is stopped meanwhile,
# so that only its buffers fill and it causes no events.
both() {
	rm -f started
	"$KMEMX" record --slab --page --clock mono --stack all -b "$size" -o ours.dat 2>started &
	recorder=$!
	wait_started started
	kill -STOP $recorder
	ret=0
	"$@" >perf.out 2>&1 || ret=$?
	kill -CONT $recorder
	kill -INT $recorder
	wait $recorder || fail "kmemx record: $(cat started)"
	[ $ret -eq 0 ] || fail "$*: $(tail -n 3 perf.out)"
}

# same KIND PERF...: perf and kmemx must have the same events, with few exceptions, and equal
# reports for the longest time without exceptions.
same() {
	kind=$1
	shift
	rounds=0
	alike=0
	while [ "$alike" -lt 500 ]; do
		rounds=$((rounds + 1))
		[ $rounds -le 3 ] || fail "$kind: three times too few consecutive events that both have"
		both "$@"
		# Other programs may overflow the buffer.
		! "$KMEMX" info -i ours.dat 2>/dev/null | grep -q '^lost  *[0-9]' || continue
		import perfs.data
		python3 "$reference/perf_data.py" "$KMEMX" ours.dat perfs.dat >found 2>err ||
			fail "$kind: $(cat found err)"
		read -r window alike events perf_lacks ours_lack <found
	done
	reports ours.dat >ours
	reports perfs.dat >perfs
	cmp ours perfs || fail "$kind: $(diff ours perfs | head)"
	echo "$kind: $events events in both; perf lacks $perf_lacks, kmemx $ours_lack;" \
		"the same reports of $alike in a row"
}

# Prints reports without the kernel's counts, which only kmemx has, and without task names, which
# change.
reports() {
	for report in "--slab" "--page" "--by cache" "--by cpu" "--by pid" "--slab --live"; do
		# shellcheck disable=SC2086 # a list of options
		"$KMEMX" stat -i "$1" --csv $report --time "$window" 2>/dev/null
	done | awk -F, '{
		gsub(/"[^"]*"/, "x")
	}
	/(^|,)net_min,/ {
		split("", left)
		for (i = 1; i <= NF; i++)
			if ($i ~ /^(net_min|net_max|net_reason|net_estimate|net_cache|comm)$/)
				left[i] = 1
	}
	{
		for (i = 1; i <= NF; i++)
			if (!(i in left))
				printf "%s,", $i
		print ""
	}'
}

before=$(tracing_state)
record="perf record -q -k mono -m 2048 -e kmem:* -a -g"
size=$((400 / $(nproc) + 1))M
set -f
# shellcheck disable=SC2086 # a list of words
same "a file" $record -o perfs.data -- sh work
grep -q 'symbols are from /proc/kallsyms' imported || fail "no symbols: $(cat imported)"
all_samples perfs.data
# Compressed by perf -z, through a pipe, which lacks the build ID.
if perf version --build-options | grep -q 'zstd: \[ on'; then
	same "a pipe" sh -c "$record -z -o - -- sh work | cat >perfs.data"
else
	same "a pipe" sh -c "$record -o - -- sh work | cat >perfs.data"
fi
grep -q 'symbols are from /proc/kallsyms: perf.data has no build ID' imported ||
	fail "no symbols without a build ID: $(cat imported)"
symbols="--kallsyms /proc/kallsyms"
import perfs.data
cp perfs.dat from_file.dat
import - <perfs.data
cmp from_file.dat perfs.dat || fail "the recording from stdin differs"
# Two event groups and another kind of event in a compressed file; and a recording of perf kmem.
others=kmem:mm_page_alloc,kmem:mm_page_free,kmem:mm_page_free_batched,sched:sched_switch
slab='{kmem:kmalloc,kmem:kfree},{kmem:kmem_cache_alloc,kmem:kmem_cache_free}'
zip=
! perf version --build-options | grep -q 'zstd: \[ on' || zip=-z
same "groups" perf record -q -k mono -m 2048 -e "$slab" -e $others -a -g $zip -o perfs.data -- sh work
all_samples perfs.data
symbols=
import perfs.data
grep -q 'symbols are from /proc/kallsyms' imported || fail "no symbols with $zip: $(cat imported)"
same "perf kmem" perf kmem --slab --page record -g -k mono -m 2048 -o perfs.data -- sh work
all_samples perfs.data
set +f
expect "$before" "$(tracing_state)" "state of the tracing system"
