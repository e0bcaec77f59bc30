# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Programs with countable results must give the expected rows and counts.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
programs=$KMEMX_BUILD/tests/workloads
notes=

# stat NAME OPTIONS CHECK: CHECK is Python. row(report, field=value...) sums the rows of a report
# whose columns start with these values; s is the report's summary.
stat() {
	# shellcheck disable=SC2086 # options are words
	"$KMEMX" stat -i r.dat $2 --json >json
	counts_agree r.dat
	python3 - "$1" "$3" json <<'END' || fail "$1"
import collections, json, sys
name, check, path = sys.argv[1:]
with open(path) as f:
    reports = {r["name"]: r for r in json.load(f)["reports"]}

def row(report, **wanted):
    total = collections.Counter()
    for r in reports[report]["rows"]:
        if all(str(r[k]).split(" ")[0].split("+")[0] in v.split("|") for k, v in wanted.items()):
            total.update({k: v for k, v in r.items() if isinstance(v, int)})
    return total

def summary(report):
    return reports[report]["summary"]

for condition in check.split(" and "):
    if not eval(condition):
        sys.exit(f"{name}: not so: {condition}\n{path}: {list(reports)}")
END
}

# Files that are open at the end: a leak of exactly this many (the shell holds none of them).
"$KMEMX" record -q --follow -o r.dat --duration 300ms -- "$programs/files" 3000 600 || :
stat "files kept open" "--slab --live" \
	'3000 <= row("slab", callsite="alloc_empty_file")["hit"] <= 3010'
"$KMEMX" record -q --follow -o r.dat -- "$programs/files" 3000
stat "files closed at exit" "--slab" \
	'3000 <= row("slab", callsite="alloc_empty_file")["hit"] <= 3020'

# A pipe is two files, one pipe_inode_info and its ring of buffers.
"$KMEMX" record -q --follow -o r.dat -- "$programs/pipes" 1000
stat pipes "--slab" \
	'row("slab", callsite="alloc_pipe_info")["hit"] == 2000 and 2000 <= row("slab", callsite="alloc_empty_file")["hit"] <= 2020'

# Items freed through RCU, partly in bulk: those without a free event count as implicit frees or as
# live at the end.
"$KMEMX" record -q --follow -o r.dat -- "$programs/epoll" 10000
stat epoll "--slab" \
	'row("slab", callsite="do_epoll_ctl|ep_insert|sys_epoll_ctl")["hit"] >= 10000 and summary("slab")["allocs"] == summary("slab")["allocs_freed"] + summary("slab")["allocs_implicit"] + summary("slab")["allocs_live"] and summary("slab")["frees"] == sum(summary("slab")["frees_" + k] for k in ("matched", "unmatched", "double", "other", "null"))'

"$KMEMX" record -q --follow --page -o r.dat -- "$programs/touch" 4000
stat touch "--page" \
	'4000 <= row("page", callsite="do_anonymous_page", order="0", migtype="MOVABLE")["hit"] <= 4100'

# Huge pages, split or freed in part. (A page that another process owned in between, which --follow
# does not record, looks freed twice: this is not checked.)
code=0
"$KMEMX" record -q --follow --page -o r.dat -- "$programs/thp" 8 cold >got || code=$?
if [ $code = 77 ] || [ "$(cat got)" = 0 ]; then
	notes="$notes; no huge pages here: $(cat got)"
else
	stat "huge pages split by MADV_COLD" "--page" \
		"row('page', order='9', migtype='MOVABLE')['hit'] >= $(cat got) and summary('page')['frees_split'] >= 512"
	"$KMEMX" record -q --follow --page -o r.dat -- "$programs/thp" 8 part >got
	stat "huge pages given back in part" "--page" \
		"row('page', order='9', migtype='MOVABLE')['hit'] >= $(cat got) and summary('page')['frees_matched'] >= $(cat got)"
fi

# Two CPUs whose clocks differ: no object must become a leak or an unmatched free.
for clock in mono local; do
	code=0
	"$KMEMX" record -q --follow --slab --stack none --clock $clock -o r.dat -- \
		"$programs/pingpong" 5000 || code=$?
	if [ $code = 77 ]; then
		notes="$notes; pingpong needs two CPUs"
		break
	fi
	[ $code = 0 ] || fail "pingpong: $code"
	stat "pingpong, $clock" "--slab" \
		'10000 <= row("slab", callsite="alloc_empty_file")["hit"] <= 10020 and row("slab", callsite="alloc_empty_file")["pingpong"] >= 9990 and row("slab", callsite="alloc_empty_file")["implicit"] == 0'
done

[ -z "$notes" ] || echo "not tested: ${notes#; }"
