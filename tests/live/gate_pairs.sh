# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A gate on what lives, held against recordings of one workload: it is broken in none of 21
# pairs, as what differs is less than what is uncertain. A leak that is larger breaks it.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

rule='slab.net>+5%&+64K'
# In the end the workload waits until RCU has freed what was removed: else it depends on the
# moment whether 200 inodes live when the recording ends.
# shellcheck disable=SC2016 # the recorded shell counts
work='mkdir -p w; i=0; while [ $i -lt 200 ]; do echo $i >w/$i; i=$((i + 1)); done; cat w/* >all; ls -l w >list; rm -r w; sleep 0.4'

# record_one FILE COMMANDS
record_one() {
	"$KMEMX" record -q --follow -o "$1" -- sh -c "$2" 2>err || fail "record: $(cat err)"
}

# judge OLD NEW: $code is what the gate exits with, out and err what it says.
judge() {
	code=0
	"$KMEMX" diff "$1" "$2" --slab --fail-on "$rule" >out 2>err || code=$?
}

# What the first run alone leaves in the kernel's caches is no change.
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

# Whatever grows breaks this rule, but for what may not have grown at all.
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

# 4000 files that stay leave 4000 inodes and dentries.
record_one leak.dat "$work; mkdir kept; i=0; while [ \$i -lt 4000 ]; do : >kept/\$i; i=\$((i + 1)); done"
judge 6.dat leak.dat
expect 1 $code "exit code where 4000 inodes stay: $(cat err)"
