# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx record -o - through a pipe, into a file, and to a reader that exits early.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)
cat >work <<'END'
i=0
while [ $i -lt 300 ]; do : <work; i=$((i + 1)); done
echo output of the command
exit 5
END
code=0
{
	"$KMEMX" record -o - -- sh work 2>err || code=$?
	echo $code >code
} | tee saved | "$KMEMX" stat -i - --slab --page --caller --json >piped.json 2>stat.err ||
	fail "stat: $(cat stat.err)"
expect 5 "$(cat code)" "status of the command"
grep -qx 'output of the command' err || fail "the command's output: $(cat err)"
[ "$(find . -name '*.dat*' | wc -l)" = 0 ] || fail "a file was written: $(ls -A)"
"$KMEMX" stat -i saved --slab --page --caller --json >saved.json
sed 's/"file": *"[^"]*"//' piped.json >piped
sed 's/"file": *"[^"]*"//' saved.json >kept
cmp piped kept || fail "the report of a saved stream differs"
grep -qE '"callsite": *"(getname_flags|alloc_empty_file)' piped || fail "callsites have no names"

said=$(events_said err)
"$KMEMX" info saved >info
counted=$(awk '/^events / { print $2 }' info)
expect "$said" "$counted" "events that arrived"

# trace-cmd cannot read a stream, but it can read a part made by split.
if command -v trace-cmd >/dev/null; then
	trace-cmd report -i saved >theirs 2>&1 || :
	grep -q 'error reading header' theirs || fail "trace-cmd reads the stream: $(head -n 3 theirs)"
	"$KMEMX" split --time 0%, -o split.dat saved 2>split.err || fail "split: $(cat split.err)"
	trace-cmd report -R -t -i split.dat 2>/dev/null | grep -c '\[[0-9]*\] .*: ' >theirs || :
	expect "$counted" "$(cat theirs)" "events that trace-cmd finds in the part made by split"
fi

# A broken connection leaves what has arrived.
size=$(wc -c <saved)
head -c $((size - 100)) saved | "$KMEMX" info - >cut 2>cut.err || fail "cut: $(cat cut.err)"
grep -q 'ends early' cut.err || fail "no message about the truncated stream: $(cat cut.err)"

# A reader that exits ends the recording.
code=0
{
	timeout 60 "$KMEMX" record -o - -- sh -c 'for i in 1 2 3 4 5 6; do ls -R /usr/share >/dev/null; done' \
		2>gone.err || code=$?
	echo $code >code
} | head -c 1000 >/dev/null
expect 1 "$(cat code)" "status without a reader"
grep -q 'Broken pipe' gone.err || fail "$(cat gone.err)"
expect "$before" "$(tracing_state)" "state of the tracing system"
