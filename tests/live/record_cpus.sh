# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Possible CPUs that were never online have no ring buffer: reading it fails with ENODEV. They are
# skipped, and read when they come online. If reading a buffer fails otherwise, this is reported,
# and all others are read to their end. (scripts/qemu-hotplug tests CPUs that really go online and
# offline.)
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

faults=$KMEMX_BUILD/tests/live/faults
pipes=$KMEMX_BUILD/tests/workloads/pipes
[ -e /sys/devices/system/cpu/cpu1 ] || skip "this machine has one CPU"
taskset -c 1 true 2>/dev/null || skip "nothing can be bound to CPU 1 here"
"$faults" -s uname -n 1 -- true 2>/dev/null || skip "no seccomp user notification here"

# reads_of_cpu1 WHICH ERRNO COMMAND...: runs COMMAND, with these reads of CPU 1's buffer failing.
reads_of_cpu1() {
	which=$1 err=$2
	shift 2
	# shellcheck disable=SC2086 # words
	"$faults" -s read -f per_cpu/cpu1/trace_pipe_raw -n $which -e $err -- "$@"
}
# on CPU: opens 100 pipes there, and leaves its pid in pid.CPU.
cat >on <<END
exec taskset -c \$1 sh -c 'echo \$\$ >pid.'\$1'; exec $pipes 100'
END
# The number of objects for pipes that CPU $2 allocated in $1: struct pipe_inode_info and its array.
pipes_on() {
	"$KMEMX" script --cpu "$2" --pid "$(cat "pid.$2")" -e 'kmalloc*' --callsite alloc_pipe_info "$1" | grep -vc '^#' || :
}

before=$(tracing_state)
ENODEV=19 EIO=5

# The CPU comes online while recording: its buffer exists a second after the recorder first waits
# for it. Setup takes that long if each system call is intercepted. Until then, the buffer must hold
# what all other tests allocate on that CPU.
cat >work <<END
for i in \$(seq 200); do grep -q 'came online' err && break; sleep 0.1; done
sh on 1
sh on 0
END
reads_of_cpu1 "1- -b epoll_create1 -t 1000" $ENODEV "$KMEMX" record -v --slab -b 96M -o comes.dat -- sh work 2>err || fail "$(cat err)"
grep -q 'CPU 1 came online' err || fail "CPU 1 was not noticed: $(cat err)"
grep -q 'none lost' err || fail "$(cat err)"
expect 200 "$(pipes_on comes.dat 1)" "objects of pipes on CPU 1, which came online later"
[ "$(pipes_on comes.dat 0)" -ge 200 ] || fail "CPU 0 was not read"

# The CPU never comes online.
code=0
reads_of_cpu1 1- $ENODEV "$KMEMX" record -o never.dat -- sh on 0 2>err || code=$?
expect 0 $code "status without CPU 1: $(cat err)"
[ "$(pipes_on never.dat 0)" -ge 200 ] || fail "CPU 0 was not read: $(cat err)"
"$KMEMX" info never.dat >info
! grep -q truncated info || fail "an absent CPU counts as a loss: $(cat info)"

# extract
instance=$tracefs/instances/kmemx-test.$$
mkdir "$instance"
trap 'rmdir "$instance"' EXIT
# Other load must not overwrite these events.
echo 32768 >"$instance/buffer_size_kb"
echo 1 >"$instance/events/kmem/enable"
sh on 0
code=0
reads_of_cpu1 1- $ENODEV "$KMEMX" extract --instance "${instance##*/}" -o extract.dat 2>err || code=$?
expect 0 $code "extract without CPU 1: $(cat err)"
[ "$(pipes_on extract.dat 0)" -ge 200 ] || fail "extract did not read CPU 0: $(cat err)"

# A different error is reported, but all other CPUs are read.
for command in extract record; do
	case $command in
	extract)
		set -- extract --instance "${instance##*/}"
		sh on 0
		;;
	record) set -- record ;;
	esac
	[ $command = extract ] || set -- "$@" --duration 1
	set -- "$KMEMX" "$@" -o broken.dat
	[ $command = extract ] || set -- "$@" -- sh on 0
	code=0
	reads_of_cpu1 1- $EIO "$@" 2>err || code=$?
	expect 1 $code "$command of a CPU that cannot be read: $(cat err)"
	grep -q "cannot read CPU 1's ring buffer: Input/output error" err || fail "$(cat err)"
	grep -q 'events are missing' err || fail "$(cat err)"
	"$KMEMX" info broken.dat >info || fail "$command: the file is unreadable"
	grep -q truncated info || fail "$command: not marked as truncated: $(cat info)"
	[ $command = record ] || [ "$(pipes_on broken.dat 0)" -ge 200 ] || fail "CPU 0 was not read"
done
rmdir "$instance"
trap - EXIT
expect "$before" "$(tracing_state)" "state of the tracing system"
