#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares how kmemx uses a sample of callchains with a model of Documentation/sampling.md.

usage: stacks.py KMEMX N RECORDING...
       stacks.py KMEMX N --beside WHOLE PART NAME...

Removes the callchains of slab objects from each recording, but for one object in N, with kmemx
split --stack-sample, for several samples. A separate model says how many objects without a
callchain get each callchain, which may differ by one for each kind of object, as objects are whole,
and computes the sums of callsites, which equal those of the whole recording. Compares these, also
with --live and in kmemx export, and the callers that get the bytes of wrappers. Prints how much is
attributed, and how much of that wrongly; exit 1 if anything differs.

--beside: PART was recorded with callchains of one object in N, within the time of WHOLE, which has
all callchains. Compares PART with the model, its sums of the callsites of tasks NAME with those of
WHOLE, and the callers beyond wrappers, of which at most a third may be wrong.
"""
import collections
import json
import math
import os
import subprocess
import sys
import tempfile

STANDS_FOR = 8
ALLOCS = {"kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node"}
FREES = {"kfree", "kmem_cache_free"}
# Wrappers in the recordings, and those used for files, pipes and sockets in a running kernel.
WRAPPERS = set("""
alloc_empty_file alloc_file_clone alloc_file_pseudo alloc_inode d_alloc d_alloc_parallel
__d_alloc getname_flags getname_kernel kmemdup kstrdup kvmalloc_node mas_alloc_nodes
mas_preallocate prepare_creds seq_open single_open sk_prot_alloc sk_alloc __alloc_skb
alloc_skb_with_frags vm_area_alloc vm_area_dup vmalloc __vmalloc_node_range xas_alloc
new_inode new_inode_pseudo memdup_user strndup_user sock_alloc_send_pskb
radix_tree_node_alloc kmemdup_nul kstrdup_const kvasprintf kasprintf seq_buf_alloc
mempool_alloc mempool_alloc_slab skb_clone bio_alloc_bioset __sg_alloc_table
__seq_open_private __kvmalloc_node getname mas_node_count_gfp __vmalloc __vmalloc_node
alloc_vmap_area __get_vm_area_node vzalloc vmalloc_node vzalloc_node __vmalloc_area_node vm_area_alloc_pages kvmemdup vmemdup_user
kvmalloc_array kmalloc_array mas_node_count mt_alloc_bulk mt_alloc_one xas_nomem netdev_alloc_skb
napi_alloc_skb build_skb skb_copy pskb_expand_head kmalloc_reserve sock_alloc sock_kmalloc
alloc_inode_sb d_alloc_name d_alloc_pseudo d_alloc_cursor bio_alloc_clone bvec_alloc getname_uflags
alloc_empty_file_noaccount alloc_empty_backing_file alloc_file alloc_file_pseudo_noaccount
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
        if frames and self.site not in frames:  # the unwinder of 32-bit ARM begins at the caller
            frames = [self.site, *frames]
        self.stack = ";".join(frames[frames.index(self.site):] if frames else [])


def objects_of(kmemx, path):
    """Every slab object of a recording, and whether it lives at the end."""
    found, at = [], {}
    for line in output(kmemx, "script", "-i", path, "--json", "--callchain", "--raw-ip").splitlines():
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
    """Objects and bytes, and by how many objects and bytes kmemx may differ."""
    def __init__(self):
        self.nr = self.bytes = self.nr_off = self.bytes_off = 0


def attribute(objects, n):
    """(callchain or callsite, lives) -> Share; only one object in n has a callchain."""
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
        stood, most = len(those), STANDS_FOR * n * sum((chosen or {}).values())
        if most <= stood - STANDS_FOR * n or not chosen:
            stood = most
            add_part(rows[kind[0] + ";[no stack]", kind[-1]], sizes, 1 - stood / len(those))
        for stack, count in (chosen or {}).items():
            add_part(rows[stack, kind[-1]], sizes,
                     stood / len(those) * count / sum(chosen.values()))
    return rows


def add_part(row, sizes, part):
    """Adds a share of the objects of these sizes, in whole objects; which ones is undefined."""
    row.nr += part * len(sizes)
    row.bytes += part * sum(sizes)
    if part < 1:
        row.nr_off += 1
        row.bytes_off += max(sizes) + part * len(sizes) * (max(sizes) - min(sizes))


def merged(rows, lives):
    """Merges the rows of live objects only, or of all."""
    out = collections.defaultdict(Share)
    for (stack, alive), row in rows.items():
        if alive or not lives:
            for name, value in vars(row).items():
                setattr(out[stack], name, getattr(out[stack], name) + value)
    return out


def reported(kmemx, path, *more):
    """Objects and bytes by callchain. The live bytes seen have no number of objects if the best
    estimate differs.
    """
    told = json.loads(output(kmemx, "stat", "-i", path, "--slab", "--by", "stack", "--raw-ip",
                             "--json", "-l", "all", *more))
    rows = collections.Counter(), collections.Counter()
    for row in (row for t in told["reports"] if t["name"] == "slab" for row in t["rows"]):
        stack = row["stack"] if isinstance(row["stack"], str) else ";".join(row["stack"])
        size = row["net"] if more else row["bytes"]
        rows[0][stack] += row["hit"] if size == row["bytes"] else math.nan
        rows[1][stack] += size
    return rows, told["recording"]


def compare(kmemx, path, objects, n):
    """Returns what differs, and the shares of bytes that are attributed and that have no
    callchain."""
    model, wrong = attribute(objects, n), []
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
    bare = [row for (stack, _), row in model.items() if stack.endswith("]")]
    without, known = sum(row.bytes for row in bare), sum(one.bytes for one in objects if one.stack)
    if exported != total or sum(shares) != total or shares[0] != known or \
            abs(shares[2] - without) > sum(row.bytes_off for row in bare):
        wrong.append(f"{exported}, {shares} and not {total}, {known}, {without}")
    return wrong, shares[1] / total, shares[2] / total


def beyond_wrappers(kmemx, path, *only):
    """The callsites that differ between the callchains and kmemx when it skips wrappers."""
    def rows(*more):
        told = json.loads(output(kmemx, "stat", "-i", path, "--slab", "--json", "-l", "all",
                                 "--raw-names", "--no-inline", *only, *more))
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


def misled(whole, part, n):
    """Bytes in wrong rows: the surplus of callchains from a sample."""
    truth, guess = merged(attribute(whole, n), False), merged(attribute(part, n), False)
    return sum(max(0, row.bytes - truth[stack].bytes) for stack, row in guess.items()
               if not stack.endswith("]")) / sum(one.bytes for one in whole)


def tasks_rows(kmemx, path, names, *more):
    """Allocations by tasks with these names, by callsite or by the one beyond wrappers."""
    rows = collections.Counter()
    told = json.loads(output(kmemx, "stat", "-i", path, "--slab", "--json", "-l", "all",
                             "--no-inline", "--comm", ",".join(names), *more))
    for row in (row for t in told["reports"] if t["name"] == "slab" for row in t["rows"]):
        rows[row["callsite"]] += row["hit"]
    return rows


def by_wrappers(rows):
    return sum(hit for name, hit in rows.items() if name in WRAPPERS)


def beside(kmemx, n, whole, part, names):
    """Compares two recordings of the same tasks. Returns the exit code."""
    wrong, attributed, without = compare(kmemx, part, objects_of(kmemx, part), n)
    wrong += beyond_wrappers(kmemx, part, "--comm", ",".join(names))
    truth, sums = (tasks_rows(kmemx, path, names) for path in (whole, part))
    if truth != sums or not sums:
        wrong.append(f"callsites: {sums - truth} more, {truth - sums} less")
    truth, deep = (tasks_rows(kmemx, path, names, "--callsite", "deep") for path in (whole, part))
    moved = by_wrappers(sums) - by_wrappers(deep)
    astray = sum(hit for name, hit in (deep - truth).items() if name not in WRAPPERS)
    print(f"{attributed:.1%} attributed, {without:.1%} without a callchain; of {by_wrappers(sums)} "
          f"allocations by wrappers {moved} are moved to callers, {astray} of them to wrong ones")
    if not moved or astray > moved / 3:
        wrong.append(f"beyond wrappers: {deep - truth} more, {truth - deep} less")
    print("\n".join(wrong[:20]))
    return bool(wrong)


def main():
    if sys.argv[3] == "--beside":
        return beside(sys.argv[1], int(sys.argv[2]), *sys.argv[4:6], sys.argv[6:])
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
                found, attributed, without = compare(kmemx, part_path, part, n)
                found += beyond_wrappers(kmemx, part_path)
                wrong += [f"{path}, part {phase}: {text}" for text in found]
                sums.update({"parts": 1, "attributed": attributed, "without": without,
                             "misled": misled(whole, part, n)})
    print(f"{sums['parts']} parts of 1/{n}, mean shares of bytes: "
          f"{sums['attributed'] / sums['parts']:.1%} attributed, "
          f"{sums['without'] / sums['parts']:.1%} without a callchain, "
          f"{sums['misled'] / sums['parts']:.1%} with a wrong one")
    print("\n".join(wrong[:20]))
    return bool(wrong) or not sums["attributed"]


if __name__ == "__main__":
    sys.exit(main())
