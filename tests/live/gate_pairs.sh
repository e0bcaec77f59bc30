# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A gate on live bytes, applied to recordings of one workload: it holds for all 21 pairs, because
# the differences are smaller than the uncertainty. A larger leak breaks it.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

rule='slab.net>+5%&+64K'
# The workload ends with a wait until RCU has freed everything: otherwise chance decides whether 200
# inodes are live when the recording ends.
# shellcheck disable=SC2016 # expanded by the recorded shell
work='mkdir -p w; i=0; while [ $i -lt 200 ]; do echo $i >w/$i; i=$((i + 1)); done; cat w/* >all; ls -l w >list; rm -r w; sleep 0.4'

# record_one FILE COMMANDS
record_one() {
	"$KMEMX" record -q --follow -o "$1" -- sh -c "$2" 2>err || fail "record: $(cat err)"
}

# judge OLD NEW: sets $code to the gate's exit code; its output is in out and err.
judge() {
	code=0
	"$KMEMX" diff "$1" "$2" --slab --fail-on "$rule" >out 2>err || code=$?
}

# Only the first run allocates what stays in the kernel's caches, which must not count as a change.
record_one 0.dat "$work"
for i in 0 1 2 3 4 5 6; do
	record_one $i.dat "$work"
done
pairs=0 broken=0 undecided=0
for old in 0 1 2 3 4 5; do
	new=$((old + 1))
	while [ $new -le 6 ]; do
		judge $old.dat $new.dat
		case $code in
		0) ;;
		1)
			broken=$((broken + 1))
			cat err out
			;;
		*) fail "$old and $new: exit code $code: $(cat err)" ;;
		esac
		grep -q '^# gate: UNDECIDED' out && undecided=$((undecided + 1))
		pairs=$((pairs + 1))
		new=$((new + 1))
	done
done
echo "gate $rule: $pairs pairs of one workload, $broken broken, $undecided undecided"
expect 21 $pairs "pairs"
expect 0 $broken "pairs of one workload that break $rule"

# Any growth breaks this rule, unless the uncertainty allows for no growth.
command -v python3 >/dev/null || skip "python3 is not installed"
for new in 1 2 3 4 5 6; do
	"$KMEMX" diff 0.dat $new.dat --slab --json --fail-on 'slab.net>+0' >$new.json 2>err || [ $? = 1 ] ||
		fail "0 and $new: $(cat err)"
done
python3 - [1-6].json <<'END'
import json, sys
count = {"broken": 0, "undecided": 0}
for name in sys.argv[1:]:
    for report in json.load(open(name))["reports"]:
        for row in report["rows"] if report["name"] == "gate" else []:
            count[row["verdict"]] += 1
            off = row["uncertainty"]
            covered = off is None or row["delta"] <= off
            if covered != (row["verdict"] == "undecided"):
                sys.exit(f"{name}: {row}")
print(f"rows that grew: {count}")
END

# 4000 files that are not deleted leave 4000 inodes and dentries.
record_one leak.dat "$work; mkdir kept; i=0; while [ \$i -lt 4000 ]; do : >kept/\$i; i=\$((i + 1)); done"
judge 6.dat leak.dat
expect 1 $code "exit code with 4000 leaked inodes: $(cat err)"
