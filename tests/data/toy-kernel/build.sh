#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a kernel of a few functions, with debug information, that fits the recording
# bookworm-amd64-small-stack.v7.dat: they are where that kernel's were linked, and it was moved
# by 0x18c00000 when it was booted. The compiler is gcc, not the $CC of what is tested, which
# may be for another machine.
# In: this directory. Out: ./vmlinux
#
# usage: build.sh [FLAG...]     for the compiler, in place of -g
# FROM=DIR/ goes before the files' names. BUILD_ID=HEX: that of the recorded kernel, say.
set -eu
source=$(cd "$(dirname "$0")" && pwd -P)
[ $# -gt 0 ] || set -- -g
mkdir -p objects
(
	cd "$source"
	find . -name '*.c' ! -path './tools/*' ! -path './arch/arm64/*' ! -path './drivers/two/*' ! -path './fs/ext4/*' | sed 's,^\./,,'
) | while read -r file; do
	# As Kbuild does it: from the top of the tree, with a path from there.
	here=$PWD
	(cd "$source" && gcc "$@" -ffreestanding -fno-pic -fno-pie -fcf-protection=none -fno-asynchronous-unwind-tables -fno-stack-protector \
		-ffunction-sections -mcmodel=kernel -c -o "$here/objects/$(echo "$file" | tr / _).o" "${FROM-}$file")
done
{
	echo 'SECTIONS {'
	while read -r address name; do
		echo "$address : { *(.text.$name) }" | sed "s/^/.text.at.$name 0x/"
	done <<-END
		ffffffff810917f0 vm_area_alloc
		ffffffff81091840 vm_area_dup
		ffffffff81092560 copy_process
		ffffffff810c5970 prepare_creds
		ffffffff812d6c00 anon_vma_clone
		ffffffff812d6dd0 anon_vma_fork
		ffffffff812d6f20 __anon_vma_prepare
		ffffffff813476e0 __x64_sys_openat
		ffffffff8134c2f0 __alloc_file
		ffffffff813528b0 alloc_bprm
		ffffffff81358290 getname_flags.part.0
		ffffffff81368a70 __d_alloc
		ffffffff81371d40 dup_fd
		ffffffff813e66c0 proc_alloc_inode
		ffffffff813f3a60 proc_self_get_link
		ffffffff814af450 security_file_alloc
		ffffffff814af8c0 security_task_alloc
		ffffffff814e0a50 tomoyo_find_next_domain
		ffffffff8199ed10 mas_alloc_nodes
		ffffffff8304ce41 start_kernel
	END
	echo '.text.at.notes 0xffffffff83100000 : { *(.note.gnu.build-id) }'
	echo '/DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) *(.text*) *(.rodata*) *(.data*) } }'
} >script.lds
ld -T script.lds ${BUILD_ID:+--build-id=0x$BUILD_ID} -o vmlinux objects/*.o
rm -r objects script.lds
