# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A recording has the build IDs of the kernel and its modules, by which another machine finds debug
# information: below --symfs only files of the same build are used.
# shellcheck source=tests/live/tracing.inc
. "$(dirname "$0")/tracing.inc"

command -v python3 >/dev/null || skip "python3 is not installed"
command -v readelf >/dev/null && command -v gcc >/dev/null && command -v ld >/dev/null ||
	skip "gcc, ld or readelf is not installed"
[ -r /sys/kernel/notes ] || skip "the kernel does not show its build ID"

# build_id FILE: prints the build ID in a file of ELF notes
build_id() {
	python3 - "$1" <<-'END'
		import struct, sys
		data = open(sys.argv[1], "rb").read()
		while len(data) >= 12:
		    name, size, kind = struct.unpack_from("=III", data)
		    at = 12 + (name + 3 & ~3)
		    if kind == 3 and data[12:16] == b"GNU\0":
		        print(data[at:at + size].hex())
		        break
		    data = data[at + (size + 3 & ~3):]
	END
}

"$KMEMX" record -q --slab -o r.dat -- ls -lR /sys/kernel/mm >/dev/null
kernel=$(build_id /sys/kernel/notes)
[ -n "$kernel" ] || skip "the kernel has no build ID"

# said FIELD FILE OPTIONS...: prints that field of info --symbols
said() {
	field=$1
	shift
	"$KMEMX" info --symbols --json -i "$@" | python3 -c "import json, sys; i = json.load(sys.stdin); print($field)"
}
expect "$kernel" "$(said 'i["build_id"]' r.dat)" "the kernel's build ID"

# The modules' IDs are a text in the file, one line per loaded module.
for notes in /sys/module/*/notes/.note.gnu.build-id; do
	[ -r "$notes" ] || continue
	name=${notes#/sys/module/}
	grep -aq "^${name%%/*} $(build_id "$notes")\$" r.dat || fail "no build ID of ${name%%/*}"
done

# A kernel with a few functions, at the running kernel's addresses and with its build ID.
awk '$2 == "T" && $3 ~ /^(kfree|__kmalloc_noprof|__kmalloc|kmem_cache_free|kmem_cache_alloc|kmem_cache_alloc_noprof|vfs_read|dput|iput)$/ {
	print $1, $3 }' /proc/kallsyms >functions
grep -q '^0*[1-9a-f]' functions || skip "/proc/kallsyms has no addresses"
: >kernel.S
: >kernel.lds
while read -r address name; do
	printf '.section .text.%s,"ax"\n.globl %s\n.type %s,@function\n%s: nop\n nop\n' "$name" "$name" "$name" "$name" >>kernel.S
	printf '.text.at.%s 0x%s : { *(.text.%s) }\n' "$name" "$address" "$name" >>kernel.lds
done <functions
{
	echo 'SECTIONS {'
	sort -k 2 kernel.lds
	echo '.notes 0x1000 : { *(.note.gnu.build-id) } /DISCARD/ : { *(.note.gnu.property) } }'
} >whole.lds
gcc -g -c kernel.S -o kernel.o || skip "gcc cannot assemble code for this machine"
other=$(echo "$kernel" | tr 0-9a-f f0-9a-e)
for id in "$kernel" "$other"; do
	ld --no-warn-rwx-segments -T whole.lds --build-id=0x"$id" -o vmlinux."$id" kernel.o 2>/dev/null ||
		ld -T whole.lds --build-id=0x"$id" -o vmlinux."$id" kernel.o
done
place=usr/lib/debug/.build-id/$(echo "$kernel" | cut -c 1-2)
file=$place/$(echo "$kernel" | cut -c 3-).debug
mkdir -p "board/$place" "wrong/$place"
cp vmlinux."$kernel" "board/$file"
cp vmlinux."$other" "wrong/$file"
expect "board/$file used" "$(said 'i["debug_file"], i["symbol_places"][-1]["verdict"]' r.dat --symfs board)" \
	"below a root with the kernel's file"
# On another machine, the recording says which file is needed.
"$KMEMX" info --symbols -i r.dat --symfs wrong >out 2>err && fail "a kernel of another build was taken"
grep -q "its build ID is $other, that of the recorded kernel $kernel" err || fail "$(cat err)"
