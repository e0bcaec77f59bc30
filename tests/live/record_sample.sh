# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# --sample: the kernel drops the allocations and frees that the rule says, even if frees have their
# own ring buffer or another filter is set. --stack-sample: has all events, and the sample's
# callchains.
# only with LONG=1
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

before=$(instances)

command -v python3 >/dev/null || skip "python3 is not installed"

cat >check.py <<'END'
"""check.py COMMAND N ITEM: reads what kmemx script --json says; ITEM: the rule of the sample."""
import collections, json, re, sys

n, text = int(sys.argv[2]), sys.argv[3]
phase, object_shift, block_shift, certain_shift, certain_order = map(int, re.fullmatch(
    rf"1/{n} phase=(\d+) object=(\d+) block=(\d+) certain=(\d+),(\d+)", text).groups())
bits = n.bit_length() - 1


def part(unit):
    return (unit ^ unit >> bits ^ unit >> 2 * bits) % n


def object_in(ptr):
    return not ptr % (1 << certain_shift) or part(ptr >> object_shift) == phase


def block_in(pfn, order):
    return order >= certain_order or pfn > 1 << 60 or part(pfn >> block_shift) == phase


counts = collections.Counter()
for line in sys.stdin:
    event = json.loads(line)
    name, fields = event["event"], event["fields"]
    if "percpu" in name or "vmap" in name:  # never sampled
        continue
    kind = ("alloc" if "alloc" in name else "free") + (" stack" if event.get("stack") else "")
    if "ptr" in fields:
        ptr = int(fields["ptr"], 16)
        inside = object_in(ptr) and (ptr or "alloc" in name)
    elif "pfn" in fields:
        kind = "page " + kind
        inside = block_in(int(str(fields["pfn"]), 0), int(fields.get("order", 0)))
    else:
        continue
    counts[kind + ("" if inside else " out")] += 1
    counts[name] += 1
print(dict(counts))
if sys.argv[1] == "sample":
    wrong = [kind for kind in counts if kind.endswith(" out")]
    kinds = ("kmem_cache_alloc", "kmem_cache_free", "mm_page_alloc", "mm_page_free")
    for kind in kinds[:1 if n > 99 else None]:
        if kind not in counts:
            wrong.append("no " + kind)
else:
    stacks, without, out = (counts[kind] for kind in ("alloc stack", "alloc", "alloc stack out"))
    # Tracing may begin and end between an event and its callchain.
    wrong = (["stacks outside"] if out else []) + \
        (["no stacks"] if stacks < 100 or stacks < 20 * without else []) + \
        (["only a sample"] if counts["alloc out"] < stacks else [])
if wrong:
    sys.exit(f"{', '.join(wrong)}: {dict(counts)}")
END

# check COMMAND N ITEM: checks r.dat.
check() {
	rule=$("$KMEMX" info --json r.dat | python3 -c '
import json, sys
print(json.load(sys.stdin)[sys.argv[1]])' "$3")
	"$KMEMX" script --json --callchain r.dat 2>/dev/null | python3 check.py "$1" "$2" "$rule" ||
		fail "$*: $rule"
}

files=$KMEMX_BUILD/tests/workloads/files
"$KMEMX" record -q --sample 4 -o r.dat --duration 300ms -- "$files" 5000 1000
check sample 4 sample
"$KMEMX" record -q --sample 256 -o r.dat --duration 300ms -- "$files" 9000 1000
check sample 256 sample
if command -v trace-cmd >/dev/null; then
	expect "$("$KMEMX" script r.dat 2>/dev/null | grep -c 'kmem_cache_alloc:')" \
		"$(trace-cmd report -i r.dat 2>/dev/null | grep -c 'kmem_cache_alloc:')" "trace-cmd"
fi
# Frees have their own ring buffer.
"$KMEMX" record -q --sample 4 --follow -o r.dat -- "$files" 5000
check sample 4 sample
"$KMEMX" record -q --sample 4 --filter 'bytes_alloc >= 128' -o r.dat -- "$files" 5000
check sample 4 sample
[ "$("$KMEMX" script --json r.dat 2>/dev/null | grep -c '"bytes_alloc": "\{0,1\}[0-9]\{1,2\}[",}]')" = 0 ] ||
	fail "small objects pass the filter"

# Pipes have no names: for files, getname() would reuse one object, which may be in the sample.
"$KMEMX" record -q --stack-sample 4 -o r.dat -- "$KMEMX_BUILD/tests/workloads/pipes" 5000
check stacks 4 stack_sample
[ "$("$KMEMX" script r.dat 2>/dev/null | grep -c 'kmem_cache_alloc:.*name=filp')" -ge 5000 ] ||
	fail "--stack-sample lacks allocations"

expect "$before" "$(instances)" "the instances"
