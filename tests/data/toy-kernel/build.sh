#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a kernel with a few functions and debug information that fits the recording
# bookworm-amd64-small-stack.v7.dat: its functions have that kernel's link-time addresses, and that
# kernel was moved by 0x18c00000 at boot. Uses gcc, because $CC may be a cross compiler.
# In: this directory. Out: ./vmlinux
#
# usage: build.sh [FLAG...]     for the compiler, in place of -g
# FROM=DIR/ is a prefix of the files' names. BUILD_ID=HEX: for example that of the recorded kernel.
set -eu
source=$(cd "$(dirname "$0")" && pwd -P)
[ $# -gt 0 ] || set -- -g
mkdir -p objects
(
	cd "$source"
	find . -name '*.c' ! -path './tools/*' ! -path './arch/arm64/*' ! -path './drivers/two/*' ! -path './fs/ext4/*' | sed 's,^\./,,'
) | while read -r file; do
	# Like Kbuild: from the top of the tree, with a path relative to it.
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
