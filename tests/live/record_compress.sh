# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A compressed recording has the same content as an uncompressed one, even for trace-cmd.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)
"$KMEMX" record --compress -o small.dat -- sh -c 'ls -lR /etc /usr/share/doc | wc' >out 2>err ||
	fail "$(cat err)"
if grep -q 'built without' err; then
	skip "this kmemx has no zstd"
fi
[ -s out ] || fail "the command printed nothing"
said=$(events_said err)
[ "$said" -gt 1000 ] || fail "only '$said' events: $(cat err)"
expect ./small.dat "$(find . -name '*.dat*')" "files that are left"
"$KMEMX" info small.dat >info
grep -q 'trace.dat 7, zstd' info || fail "not compressed: $(cat info)"
# Uncompressed sub-buffers alone take 36 bytes or more for each event.
[ "$(wc -c <small.dat)" -lt $((said * 20 + 2000000)) ] ||
	fail "$said events in $(wc -c <small.dat) bytes"
counted=$(awk '/^events / { print $2 }' info)
expect "$said" "$counted" "events in the compressed file"
"$KMEMX" stat -i small.dat --slab --page --caller --json >small.json || fail "stat"
grep -qE '"callsite": *"(getname_flags|alloc_empty_file)' small.json || fail "callsites have no names"

command -v trace-cmd >/dev/null || skip "no trace-cmd: what it makes of the file is not seen"
lines=$(trace-cmd report -R small.dat 2>/dev/null | grep -vc '^cpus=')
expect "$said" "$lines" "events that trace-cmd reads"
# trace-cmd's uncompressed copy has the same content.
trace-cmd convert --compression none -i small.dat -o large.dat >convert 2>&1 ||
	fail "trace-cmd convert: $(cat convert)"
"$KMEMX" info large.dat | grep -q 'trace.dat 7, [0-9]' || fail "large.dat is still compressed"
"$KMEMX" stat -i large.dat --slab --page --caller --json | sed 's/large.dat/small.dat/' >large.json
cmp small.json large.json || fail "compressed and uncompressed differ"
expect "$before" "$(tracing_state)" "state of the tracing system"
