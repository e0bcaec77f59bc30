# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# System calls of kmemx record fail, one per run. If it then fails, it must say so and leave
# nothing: no instance, no file, no process. If it succeeds, the file must be complete or say that
# it is not.
# In: $FAULTS, how many calls of each kind fail, evenly chosen (default: 3), for $FAULTS_SECONDS at
# most (45 with $LONG, else 15); "all": each of the 5000 (an hour).
# only with LONG=1
# alone: the instances of other killed recorders would look like its own
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

faults=$KMEMX_BUILD/tests/live/faults
"$faults" -s uname -n 1 -- true 2>/dev/null || skip "no seccomp user notification here"
case ${KMEMX_SAN-} in
*address*) skip "a sanitizer's own calls would fail" ;;
esac
most=${FAULTS:-3}
seconds=${FAULTS_SECONDS:-${LONG:+45}}
seconds=${seconds:-15}
before=$(tracing_state)
there=$(instances)

# Skips the loader's calls: kmemx's own first call, fcntl(), checks its descriptors.
"$faults" -b fcntl -o counts -- "$KMEMX" record -q --duration 50ms -o r.dat -- sleep 0.3 || fail "record without faults"
[ -s counts ] || fail "no system call was counted"

nr=0
broken=
# try SYSCALL WHICH
try() {
	nr=$((nr + 1))
	rm -rf d command
	mkdir d
	code=0
	timeout -k 5 60 "$faults" -b fcntl -s "$1" -n "$2" -- "$KMEMX" record -q --duration 50ms \
		-o d/r.dat -- sh -c 'echo $$ >command; exec sleep 0.3' 2>err || code=$?
	what="$1 number $2: exit $code"
	if [ $code -ge 124 ]; then
		bad="does not end, or crashes"
	elif [ $code != 0 ] && ! grep -q kmemx err; then
		bad="no message"
	elif [ "$(instances)" != "$there" ]; then
		bad="an instance is left: $(instances)"
		there=$(instances)
	elif [ -s command ] && kill -0 "$(cat command)" 2>/dev/null; then
		bad="the command is left"
	elif [ $code = 0 ] && ! "$KMEMX" info d/r.dat >info 2>&1; then
		bad="the file is unreadable: $(tail -n 2 info)"
	elif [ $code = 0 ] && [ "$(ls -A d)" != r.dat ]; then
		bad="files are left: $(ls -A d)"
	elif [ $code != 0 ] && [ -n "$(ls -A d)" ] && ! grep -q 'cut short\|events are missing\|is complete, but' err; then
		bad="files are left: $(ls -A d)"
	else
		return 0
	fi
	broken="$broken
$what: $bad: $(tail -n 2 err | tr '\n' ' ')"
}

begin=$(date +%s)
round=0
# Fails the first call of each kind first, then the last, then those in between.
while :; do
	while read -r call count; do
		if [ "$most" = all ]; then
			[ $round -lt "$count" ] || continue
			which=$((round + 1))
		else
			[ $round -lt "$most" ] && [ $round -lt "$count" ] || continue
			[ $(($(date +%s) - begin)) -lt $seconds ] || break 2
			case $round in
			0) which=1 ;;
			*) which=$((1 + (count - 1) * round / (most - 1))) ;;
			esac
		fi
		try "$call" "$which"
	done <counts
	round=$((round + 1))
	if [ "$most" = all ]; then
		awk -v r=$round '$2 > r { exit 1 }' counts && break
	elif [ $round -ge "$most" ]; then
		break
	fi
done
echo "$nr calls failed, of $(awk '{ sum += $2 } END { print sum }' counts) that record makes"
[ -z "$broken" ] || fail "$broken"
expect "$before" "$(tracing_state)" "state of the tracing system"
