# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Programs hold a known number of pages: kmemx owners lists their callchain first, with exactly this
# number.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
programs=$KMEMX_BUILD/tests/workloads
page=$(getconf PAGESIZE)

# owned PAGES FUNCTION OPTION...: the first row must have this many pages and a callchain with this
# function.
owned() {
	wanted=$1 function=$2
	shift 2
	"$KMEMX" owners -i r.dat --json "$@" >json
	python3 - "$wanted" "$function" "$page" json <<'END' || fail "owners $*: not $wanted pages"
import json, sys
wanted, function, page = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with open(sys.argv[4]) as f:
    got = json.load(f)
if got["recording"]["lost"]:
    sys.exit("events were lost")
first = got["reports"][0]["rows"][0]
told = (first["pages"], first["times"], first["bytes"], first["order"] or 0)
if told != (wanted, wanted, wanted * page, 0):
    sys.exit(f"not {wanted} pages of order 0: {first}")
if function not in str(first["stack"]):
    sys.exit(f"not by {function}: {first}")
END
}

# The pages are still held when the recording ends.
"$KMEMX" record -q --follow --page --duration 2s -o r.dat -- "$programs/pages" pipe 6400 0 5000
owned 6400 pipe_write
owned 6400 pipe_write --cull stacktrace
owned 6400 pipe_write --comm pages

"$KMEMX" record -q --follow --page --duration 2s -o r.dat -- "$programs/pages" memfd 6000 2500 5000
owned 3500 shmem
owned 3500 shmem --cull stacktrace,name

# This program has ended and freed all of its pages.
"$KMEMX" record -q --follow --page -o r.dat -- "$programs/pages" memfd 6000 0 0
"$KMEMX" owners -i r.dat --json >json
python3 - json <<'END' || fail "pages of an ended program are live"
import json, sys
with open(sys.argv[1]) as f:
    rows = json.load(f)["reports"][0]["rows"]
left = [row for row in rows if "shmem" in str(row["stack"]) and row["pages"] >= 100]
if left:
    sys.exit(f"{left}")
END
