/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: opens compressed ELF files, as modules often are.
 * In: a path. Out: a descriptor of the uncompressed content.
 */
#ifndef KMEMX_SYMBOL_UNPACK_H
#define KMEMX_SYMBOL_UNPACK_H

#include "base/compiler.h"

/**
 * unpack_open() - open a file for reading, uncompressed
 * @path: uncompressed, or compressed with gzip, xz or zstd; the first bytes decide, not the name
 *
 * Compressed content is unpacked into memory: at most 16 times its size plus 32 MB.
 *
 * Return: the descriptor, at the file's start; -EFBIG it becomes larger; -EBADMSG it is damaged or
 * cut short; -EOPNOTSUPP built without the library; -ENOMEM; -errno of io_open_input().
 */
int unpack_open(const char *path) __must_check;

#endif
