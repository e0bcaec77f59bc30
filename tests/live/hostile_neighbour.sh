# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Another user creates links and FIFOs with the names of all files that commands write, in a
# directory writable by all: with the sticky bit, like /tmp, and without it, where the kernel offers
# no protection. The targets must not change, and no command may wait for a FIFO.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v setpriv >/dev/null || skip "no setpriv here"
nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
chmod 711 . ..
nobody true 2>/dev/null || skip "no other user here"
data=$(cd "$(dirname "$0")/../data" && pwd)
here=$PWD
before=$(tracing_state)

# Runs in the shell that becomes kmemx: guessable names contain its pid.
cat >lay <<'END'
kind=$1 directory=$2 name=$3
shift 3
for path in "$directory/$name" "$directory/$name.old" "$directory/.$name.$$.tmp" \
	"$directory/.$name.$$.second" "$directory/.$name.$$.new" "$directory/.$name.$$.cpu0" \
	"$directory/.$name.$$.cpu1"; do
	case $kind in
	symlink) setpriv --reuid=65534 --regid=65534 --clear-groups ln -s "$PWD/victim" "$path" ;;
	dangling) setpriv --reuid=65534 --regid=65534 --clear-groups ln -s "$PWD/made" "$path" ;;
	# Made by root, because fs.protected_hardlinks prevents others from making them.
	hardlink) ln victim "$path" ;;
	fifo) setpriv --reuid=65534 --regid=65534 --clear-groups mkfifo "$path" ;;
	esac
done
exec "$@"
END

# attack DIR NAME COMMAND...: runs COMMAND with each kind of file in place of NAME
attack() {
	directory=$1 name=$2
	shift 2
	for kind in symlink dangling hardlink fifo; do
		rm -rf "${directory:?}" victim made
		mkdir "$directory"
		chmod $mode "$directory"
		echo victim >victim
		chmod 640 victim
		code=0
		timeout -k 5 30 sh lay $kind "$directory" "$name" "$KMEMX" "$@" >out 2>err || code=$?
		case $code in
		0) ;;
		1 | 2) [ -s err ] || fail "$kind, $mode: kmemx $*: no message" ;;
		*) fail "$kind, $mode: kmemx $*: exit $code: $(cat err)" ;;
		esac
		expect victim "$(cat victim)" "content of the target of a $kind, $mode: kmemx $*"
		expect "0 0 640" "$(stat -c '%u %g %a' victim)" "owner of the target, $kind, $mode: kmemx $*"
		[ ! -e made ] || fail "$kind, $mode: kmemx $* created the target of a link"
		if [ $code = 0 ] && [ "$1" != script ]; then
			[ -f "$directory/$name" ] && [ ! -L "$directory/$name" ] ||
				fail "$kind, $mode: kmemx $*: no file: $(cat err)"
			"$KMEMX" info -i "$directory/$name" >/dev/null || fail "$kind: kmemx $*: unreadable"
		fi
		echo "$kind $mode $code: kmemx $*" >>log
	done
}

# The recording belongs to the user who called sudo, by fchown().
SUDO_UID=65534 SUDO_GID=65534
export SUDO_UID SUDO_GID
"$KMEMX" record -q -o own.dat -- true
expect "65534 65534 600" "$(stat -c '%u %g %a' own.dat)" "owner of a recording"
: >log
for mode in 1777 777; do
	attack there r.dat record -q -o there/r.dat -- true
	attack there r.dat record -q -z -o there/r.dat -- true
	attack there r.dat split -i "$data/trixie-amd64-small-stack.v7.dat" --cpu 0 -o there/r.dat
	attack there r.txt script -i "$data/trixie-amd64-small-stack.v7.dat" -o there/r.txt
	attack there r.dat import --ftrace-text "$data/boot-bookworm-amd64.trace.txt.gz" -o there/r.dat
	attack there r.dat extract -o there/r.dat
done
# Nor is a link in place of a directory followed.
for mode in 1777 777; do
	rm -rf there victims
	mkdir there victims
	chmod $mode there
	nobody ln -s "$here/victims" there/csv
	code=0
	env -u SUDO_UID "$KMEMX" stat --columns --csv-dir there/csv 2>err || code=$?
	expect 1 $code "--csv-dir with another user's link, $mode: $(cat err)"
	expect "" "$(ls victims)" "files in the target directory, $mode"
done
[ "$(grep -c '^hardlink .* 0: ' log)" -ge 8 ] || fail "too few attacks ran: $(cat log)"

# Files of another user with the name of a killed recorder's file are ignored.
token=0123456789abcdef
for kind in symlink hardlink fifo file directory; do
	rm -rf there victim
	mkdir there
	chmod 1777 there
	head -c 5000 /dev/zero >victim
	cp victim same
	for name in there/.r.dat.$token.tmp there/.r.dat.$token.cpu0; do
		case $kind in
		symlink) nobody ln -s "$here/victim" $name ;;
		hardlink) ln victim $name ;;
		fifo) nobody mkfifo $name ;;
		file) nobody cp /etc/hostname $name ;;
		directory) nobody mkdir $name && nobody ln -s "$here/victim" $name/recording.tmp ;;
		esac
	done
	code=0
	timeout -k 5 30 "$KMEMX" recover there 2>err || code=$?
	expect 1 $code "recover with another user's $kind: $(cat err)"
	grep -q 'not created by this user' err || fail "recover with another user's $kind: $(cat err)"
	expect 2 "$(find there -name '.r.dat.*' | wc -l)" "files of the other user, $kind"
	cmp victim same
	# The next recording of this name ignores them, too.
	timeout -k 5 30 "$KMEMX" record -q -o there/r.dat -- true 2>err || fail "$kind: $(cat err)"
	expect 2 "$(find there -name '.r.dat.*' | wc -l)" "files of the other user, $kind"
	cmp victim same
done
expect "$before" "$(tracing_state)" "state of the tracing system"
