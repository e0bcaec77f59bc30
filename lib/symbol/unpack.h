/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: ELF files that are compressed, as modules are installed.
 * In: a path. Out: a descriptor of what is in the file.
 */
#ifndef KMEMX_SYMBOL_UNPACK_H
#define KMEMX_SYMBOL_UNPACK_H

#include "base/compiler.h"

/**
 * unpack_open() - open a file for reading, uncompressed
 * @path: as it is, or compressed with gzip, xz or zstd, which its first bytes tell, not its name
 *
 * What is compressed is unpacked into memory: at most 16 times its size, and 32 MB.
 *
 * Return: the descriptor, at the file's start; -EFBIG it becomes larger; -EBADMSG it is damaged or
 * cut short; -EOPNOTSUPP this was built without the library; -ENOMEM; -errno of io_open_input().
 */
int unpack_open(const char *path) __must_check;

#endif
