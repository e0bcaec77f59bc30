#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds what kmemx makes of callchains of a sample against a model of Documentation/sampling.md.

usage: stacks.py KMEMX N RECORDING...

Takes the callchains of slab objects out of each recording, but for one object in N, with kmemx
split --stack-sample, for several parts. In the rest, written apart from kmemx: how many objects
without a callchain get each one, which may differ by one for each kind of objects, as objects are
whole; and the sums of the callsites, which are those of the whole recording. With --live, too, and
of what kmemx export says; and who gets the bytes where wrappers are seen through. Prints how much
is attributed, and how much of that wrongly; exit 1 if anything differs.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

ALLOCS = {"kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node"}
FREES = {"kfree", "kmem_cache_free"}
# Those that the recordings have.
WRAPPERS = set("""
alloc_empty_file alloc_file_clone alloc_file_pseudo alloc_inode d_alloc d_alloc_parallel
__d_alloc getname_flags getname_kernel kmemdup kstrdup kvmalloc_node mas_alloc_nodes
mas_preallocate prepare_creds seq_open single_open sk_prot_alloc sk_alloc __alloc_skb
alloc_skb_with_frags vm_area_alloc vm_area_dup vmalloc __vmalloc_node_range xas_alloc
new_inode new_inode_pseudo memdup_user strndup_user sock_alloc_send_pskb
radix_tree_node_alloc kmemdup_nul kstrdup_const kvasprintf kasprintf seq_buf_alloc
mempool_alloc mempool_alloc_slab skb_clone
""".split())


def output(kmemx, *argv):
    return subprocess.run([kmemx, *argv], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


class Object:
    def __init__(self, event):
        fields = event["fields"]
        self.ptr, self.site = int(fields["ptr"], 16), fields["call_site"]
        self.bytes, self.lives = fields["bytes_alloc"], False
        cache = "" if event["event"].startswith("kmalloc") else fields.get("name", "?")
        self.kind = (self.site, cache, fields["bytes_req"], self.bytes)
        frames = event.get("stack") or []
        start = frames.index(self.site) if self.site in frames else 0
        self.stack = ";".join(frames[start:])


def objects_of(kmemx, path):
    """Every slab object of a recording, and whether it lives at the end."""
    found, at = [], {}
    for line in output(kmemx, "script", "-i", path, "--json", "--stack", "--raw-ip").splitlines():
        event = json.loads(line)
        name = event.get("event")
        if name in ALLOCS:
            one = Object(event)
            if one.ptr:
                found.append(one)
                at[one.ptr] = one
        elif name in FREES:
            at.pop(int(event["fields"]["ptr"], 16), None)
    for one in at.values():
        one.lives = True
    return found


class Share:
    """Objects, bytes; and by how many objects and bytes what kmemx says may differ."""
    def __init__(self):
        self.nr = self.bytes = self.nr_off = self.bytes_off = 0


def attribute(objects):
    """(callchain or callsite, lives) -> Share."""
    rows = collections.defaultdict(Share)
    donors, bare = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    for one in objects:
        if not one.stack:
            bare[one.kind + (one.lives,)].append(one)
            continue
        row = rows[one.stack, one.lives]
        row.nr += 1
        row.bytes += one.bytes
        if one.ptr % 65536:
            donors[one.kind + (one.lives,)][one.stack] += 1
            donors[one.kind[:2] + (one.lives,)][one.stack] += 1
    lacking = collections.defaultdict(list)
    for kind, those in bare.items():
        if not donors.get(kind):
            lacking[kind[:2] + kind[-1:]] += those
    for kind, those in [*((k, t) for k, t in bare.items() if donors.get(k)), *lacking.items()]:
        chosen, sizes = donors.get(kind), [one.bytes for one in those]
        if not chosen:
            row = rows[kind[0] + ";[no stack]", kind[-1]]
            row.nr += len(those)
            row.bytes += sum(sizes)
            continue
        for stack, count in chosen.items():
            row, part = rows[stack, kind[-1]], count / sum(chosen.values())
            row.nr += part * len(those)
            row.nr_off += 1
            row.bytes += part * sum(sizes)
            # Of several sizes, which ones it gets is not said.
            row.bytes_off += max(sizes) + part * len(those) * (max(sizes) - min(sizes))
    return rows


def merged(rows, lives):
    """Of what lives, or of all."""
    out = collections.defaultdict(Share)
    for (stack, alive), row in rows.items():
        if alive or not lives:
            for name, value in vars(row).items():
                setattr(out[stack], name, getattr(out[stack], name) + value)
    return out


def reported(kmemx, path, *more):
    told = json.loads(output(kmemx, "stat", "-i", path, "--slab", "--by", "stack", "--raw-ip",
                             "--json", "-l", "all", *more))
    rows = collections.Counter(), collections.Counter()
    for row in (row for t in told["reports"] if t["name"] == "slab" for row in t["rows"]):
        stack = row["stack"] if isinstance(row["stack"], str) else ";".join(row["stack"])
        rows[0][stack] += row["hit"]
        rows[1][stack] += row["bytes"]
    return rows, told["recording"]


def compare(kmemx, path, objects):
    """What differs, and the share of bytes that is attributed."""
    model, wrong = attribute(objects), []
    for more in ((), ("--live",)):
        wanted, ((hits, sizes), facts) = merged(model, more), reported(kmemx, path, *more)
        for stack in set(wanted) | set(hits):
            row = wanted[stack]
            if abs(hits[stack] - row.nr) > row.nr_off + 1e-6 or \
                    abs(sizes[stack] - row.bytes) > row.bytes_off + 1e-6 * row.bytes:
                wrong.append(f"{stack} {more}: {hits[stack]} objects, {sizes[stack]} bytes and not "
                             f"{row.nr} +-{row.nr_off}, {row.bytes} +-{row.bytes_off}")
        sums, truth = collections.Counter(), collections.Counter()
        for stack, size in sizes.items():
            sums[stack.split(";")[0]] += size
        for one in objects:
            if one.lives or not more:
                truth[one.site] += one.bytes
        if sums != truth:
            wrong.append(f"sums of callsites {more}: {sums - truth} more, {truth - sums} less")
    exported = sum(int(line.split()[-1]) for line in output(
        kmemx, "export", "-i", path, "--slab", "--format", "folded").decode().splitlines())
    total = sum(one.bytes for one in objects)
    shares = [facts["stacks_" + word] for word in ("known", "attributed", "unknown")]
    bare = [sum(row.bytes for (stack, _), row in model.items() if stack.endswith("]")),
            sum(one.bytes for one in objects if one.stack)]
    if exported != total or sum(shares) != total or [shares[2], shares[0]] != bare:
        wrong.append(f"{exported}, {shares} and not {total}, {bare}")
    return wrong, shares[1] / total, shares[2] / total


def beyond_wrappers(kmemx, path):
    """Which callsites differ if wrappers are seen through: by what callchains have, and by kmemx."""
    def rows(*more):
        told = json.loads(output(kmemx, "stat", "-i", path, "--slab", "--json", "-l", "all",
                                 "--raw-names", "--no-inline", *more))
        return [row for t in told["reports"] if t["name"] == "slab" for row in t["rows"]]

    model, found = collections.Counter(), collections.Counter()
    for row in rows("--by", "stack"):
        frames = row["stack"] if isinstance(row["stack"], list) else row["stack"].split(";")
        if frames[1:] == ["[no stack]"]:
            frames = frames[:1]
        names = [name.split("+")[0].split(".")[0].removesuffix("_noprof") for name in frames]
        found_at = [i for i, name in enumerate(names) if name not in WRAPPERS]
        model[names[found_at[0] if found_at else -1]] += row["bytes"]
    for row in rows("--caller", "--skip-func", "wrappers"):
        found[row["callsite"].split("+")[0].split(".")[0].removesuffix("_noprof")] += row["bytes"]
    return [f"beyond wrappers: {found - model} more, {model - found} less"] * (model != found)


def misled(whole, part):
    """Bytes that callchains of a part have too much, of those that are in the wrong row."""
    truth, guess = merged(attribute(whole), False), merged(attribute(part), False)
    return sum(max(0, row.bytes - truth[stack].bytes) for stack, row in guess.items()
               if not stack.endswith("]")) / sum(one.bytes for one in whole)


def main():
    kmemx, n, wrong, sums = sys.argv[1], int(sys.argv[2]), [], collections.Counter()
    for path in sys.argv[3:]:
        whole = objects_of(kmemx, path)
        wrong += beyond_wrappers(kmemx, path)
        for phase in range(0, n, max(1, n // 4)):
            with tempfile.TemporaryDirectory() as place:
                part_path = os.path.join(place, "part.dat")
                output(kmemx, "split", path, "--stack-sample", f"{n},{phase}", "-o", part_path)
                part = objects_of(kmemx, part_path)
                if [(o.kind, o.ptr, o.lives) for o in part] != \
                        [(o.kind, o.ptr, o.lives) for o in whole]:
                    wrong.append(f"{path}: part {phase} has other objects")
                found, attributed, without = compare(kmemx, part_path, part)
                found += beyond_wrappers(kmemx, part_path)
                wrong += [f"{path}, part {phase}: {text}" for text in found]
                sums.update({"parts": 1, "attributed": attributed, "without": without,
                             "misled": misled(whole, part)})
    print(f"{sums['parts']} parts of 1/{n}, mean shares of bytes: "
          f"{sums['attributed'] / sums['parts']:.1%} attributed, "
          f"{sums['without'] / sums['parts']:.1%} without a callchain, "
          f"{sums['misled'] / sums['parts']:.1%} with a wrong one")
    print("\n".join(wrong[:20]))
    return bool(wrong) or not sums["attributed"]


if __name__ == "__main__":
    sys.exit(main())
