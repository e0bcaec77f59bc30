# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A recording has the events that it claims to have, in both versions of the file, and recording
# leaves nothing behind in tracefs.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(tracing_state)
for version in 7 6; do
	"$KMEMX" record --file-version $version -o r.dat \
		--label rack=a12 --label 'role=web "x"' -- sh -c 'ls -lR /etc | wc' >out 2>err
	[ -s out ] || fail "the command printed nothing"
	said=$(events_said err)
	[ "$said" -gt 1000 ] || fail "only '$said' events: $(cat err)"
	"$KMEMX" info -i r.dat --json >info.json
	grep -q '"kernel_stack"' info.json || fail "no call chains"
	sum=$(sed -n 's/.*"events": *{\([^}]*\)}.*/\1/p' info.json | tr ',' '\n' |
		awk -F: '{ n += $2 } END { print n }')
	"$KMEMX" info -i r.dat | grep -q '^labels *rack=a12, role=web "x"$' || fail "no labels"
	"$KMEMX" export --format ndjson r.dat | head -1 >row
	grep -q '"labels":"{\\"rack\\":\\"a12\\",\\"role\\":\\"web \\\\\\"x\\\\\\"\\"}"' row ||
		fail "no labels in the rows: $(cat row)"
	grep -q "\"host\":\"$(uname -n)\",.*\"kernel\":\"$(uname -r)\"" row ||
		fail "wrong machine: $(cat row)"
	grep -q "\"day\":\"$(date -u +%F)\",\"start_unix\":1[0-9]*," row || fail "no time: $(cat row)"
	[ -z "$sum" ] || expect "$said" "$sum" "events that info counts, version $version"
	if command -v trace-cmd >/dev/null; then
		lines=$(trace-cmd report -R r.dat 2>/dev/null | grep -vc '^cpus=')
		expect "$said" "$lines" "events that trace-cmd reads, version $version"
		trace-cmd report r.dat 2>/dev/null | grep -q 'kmalloc: *([a-z_]*+0x' ||
			fail "trace-cmd finds no symbol, version $version"
		trace-cmd dump --summary r.dat >summary 2>&1 || fail "trace-cmd dump, version $version"
		grep -q 'Kallsyms, [1-9]' summary || fail "no kallsyms: $(cat summary)"
	fi
done
[ -f r.dat.old ] || fail "the first recording was not kept as r.dat.old"
[ "$(find . -name '.r.dat.*' | wc -l)" = 0 ] || fail "parts are left: $(ls -A)"

# If git status is recorded, it does not list what the recorder writes.
if command -v git >/dev/null; then
	git init -q repository
	expect "" "$("$KMEMX" record -q -o repository/r.dat -- git -C repository status --short)" \
		"what git sees"
	expect "?? r.dat" "$(git -C repository status --short)" "what git sees later"
	expect ".git r.dat" "$(ls -A repository | tr '\n' ' ' | sed 's/ $//')" "files"
fi

expect "$before" "$(tracing_state)" "state of the tracing system"
