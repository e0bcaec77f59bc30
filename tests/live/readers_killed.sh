# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Commands that write files, or temporary ones, are killed by signals at any moment: they leave a
# whole file or none, and nothing else. Only the owner can access their files.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

"$KMEMX" record -q -o r.dat -- sh -c 'ls -lR /usr/share /etc >/dev/null' 2>err || fail "record: $(cat err)"
"$KMEMX" script r.dat >text.txt
mkdir w tmp
TMPDIR=$PWD/tmp
export TMPDIR
killed=0
# end SIGNAL COMMAND...: ends COMMAND with SIGNAL, after several short times
end() {
	signal=$1
	shift
	for ms in 001 005 020 060 150; do
		rm -rf w/*
		"$KMEMX" "$@" >out 2>err &
		pid=$!
		sleep 0.$ms
		! kill -"$signal" $pid 2>/dev/null || killed=$((killed + 1))
		code=0
		wait $pid || code=$?
		left=$(ls -A w tmp | grep -v '^w:$\|^tmp:$\|^$\|^o$' || :)
		[ -z "$left" ] || fail "kmemx $* ended by SIG$signal after 0.$ms s leaves: $left"
		[ ! -e w/o ] || expect 600 "$(stat -c %a w/o)" "mode of the file of kmemx $*"
		[ ! -e w/o ] || [ $code = 0 ] || [ "$1" = script ] || "$KMEMX" info w/o >/dev/null ||
			fail "kmemx $* ended by SIG$signal after 0.$ms s leaves a partial file"
	done
}
for signal in TERM KILL INT; do
	end $signal split --time 10%,90% -o w/o r.dat
	end $signal script -o w/o r.dat
	end $signal import --ftrace-text text.txt -o w/o
	end $signal diff r.dat r.dat
	end $signal stat --slab --caller r.dat
done
echo "$killed commands were ended"
[ $killed -gt 10 ] || fail "only $killed commands were still running when killed"
