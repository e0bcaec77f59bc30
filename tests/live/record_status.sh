# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kmemx record returns the command's status; impossible requests fail before tracing starts.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

# status WANTED ARGS...: runs kmemx record with ARGS.
status() {
	wanted=$1
	shift
	code=0
	"$KMEMX" record "$@" >out 2>err || code=$?
	expect "$wanted" "$code" "status of: record $* ($(cat err))"
	! grep -q 'cannot remove the tracing instance' err || fail "record $*: $(cat err)"
}

before=$(tracing_state)
status 0 -- true
status 7 -- sh -c 'exit 7'
status 137 -- sh -c 'kill -9 $$'
status 143 -- sh -c 'kill -TERM $$'
[ -f kmemx.dat ] || fail "no kmemx.dat"
[ -f kmemx.dat.old ] || fail "no kmemx.dat.old"
rm kmemx.dat kmemx.dat.old

status 127 -- no-such-command-here
grep -q 'command not found: no-such-command-here' err || fail "$(cat err)"
: >plain
status 126 -- ./plain
grep -q 'cannot execute ./plain: Permission denied' err || fail "$(cat err)"
status 1 -o no/such/place.dat -- touch ran
grep -q 'cannot write to no/such/place.dat' err || fail "$(cat err)"
status 1 -o . -- touch ran
status 1 -o /dev/null -- touch ran
[ -c /dev/null ] || fail "/dev/null was replaced"
status 1 -e no_such_event -- touch ran
grep -q "no event 'no_such_event'" err || fail "$(cat err)"
status 1 --filter 'nonsense ==' -- touch ran
grep -q 'rejects the filter' err || fail "$(cat err)"
status 1 --filter 'order >' -- touch ran
grep -q 'recorded event but frees: [A-Z]' err || fail "the kernel's diagnosis is missing: $(cat err)"
status 1 --clock sundial -- touch ran
grep -q 'no trace clock' err || fail "$(cat err)"
status 1 -b 1T -- touch ran
grep -q 'ring buffer' err || fail "$(cat err)"
status 1 -p 4194305 -- touch ran
grep -q 'no process 4194305' err || fail "$(cat err)"
status 2 --stack sometimes -- touch ran
status 2 --follow
status 2 --file-version 5 -- touch ran
[ ! -e ran ] || fail "the command ran although the recording could not be made"
[ ! -e kmemx.dat ] || fail "a failed recording left a file"
[ "$(find . -name '.*.dat.*' | wc -l)" = 0 ] || fail "parts are left: $(ls -A)"

status 0 --duration 200ms
grep -q ' events in \(0\.[2-9]\|[1-9]\)' err || fail "--duration 200ms: $(cat err)"
status 0 -q -- true
[ ! -s err ] || fail "-q printed: $(cat err)"
expect "$before" "$(tracing_state)" "state of the tracing system"
