# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A recording with --stack-sample, and at the same time one of the same tasks with all callchains:
# the sums of callsites are equal, and the attribution follows the model and names the right
# callers.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(instances)

command -v python3 >/dev/null || skip "python3 is not installed"

# Other users may run the same programs at the same time.
names=
for name in files pipes sockets; do
	cp "$KMEMX_BUILD/tests/workloads/$name" "./$name.$$"
	names="$names $name.$$"
done
"$KMEMX" record -q --slab --stack all --follow -o whole.dat -- \
	"$KMEMX" record -q --slab --stack-sample 4 --follow -o part.dat -- \
	sh -c "./files.$$ 6000; ./pipes.$$ 3000; ./sockets.$$ 3000"
for file in whole part; do
	[ "$("$KMEMX" info --json $file.dat | python3 -c '
import json, sys
print(json.load(sys.stdin)["lost"])')" = 0 ] || skip "events were lost: nothing can be compared"
done
# shellcheck disable=SC2086
python3 "$reference/stacks.py" "$KMEMX" 4 --beside whole.dat part.dat $names >log ||
	fail "$(cut -c1-1000 log)"
cat log

expect "$before" "$(instances)" "the instances"
