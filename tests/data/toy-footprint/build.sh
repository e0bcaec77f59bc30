#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a kernel and a module of known sizes, with debug information. Uses gcc, because $CC may be a
# cross compiler.
# In: this directory. Out: ./vmlinux, ./mods/fs/two/two.ko
#
# usage: build.sh [FLAG...]     for the compiler; -DLATER: the kernel of a later day
set -eu
source=$(cd "$(dirname "$0")" && pwd -P)
here=$PWD
mkdir -p objects mods/fs/two
compile() {
	# Like Kbuild: from the top of the tree, with a path relative to it.
	(cd "$source" && gcc -g -O1 "$@" -ffreestanding -fno-pic -fno-pie -fcf-protection=none -fno-common \
		-fno-asynchronous-unwind-tables -fno-toplevel-reorder -mcmodel=kernel -fdata-sections)
}
for file in init/main.c fs/one/inode.c fs/one/namei.c mm/pool.c; do
	compile "$@" -c -o "$here/objects/$(echo "$file" | tr / _).o" "$file"
done
compile "$@" -c -o "$here/mods/fs/two/two.ko" fs/two/two.c
cat >script.lds <<-END
	SECTIONS {
		. = 0xffffffff81000000;
		.text : { *(.text*) }
		.rodata : { *(.rodata*) BYTE(1) . = ALIGN(64); }
		__ksymtab : { QUAD(1) QUAD(2) }
		.data : { *(.data*) }
		__init_begin = .;
		.init.text : { *(.init.text) }
		.init.data : { *(.init.data) }
		__init_end = .;
		.bss : { *(.bss*) }
		/DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) }
	}
END
ld -T script.lds -o vmlinux objects/*.o
rm -r objects script.lds
