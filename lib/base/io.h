/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: positioned reads and writes that do all or fail.
 * In: a descriptor, a range. Out: 0 or -errno.
 */
#ifndef KMEMX_BASE_IO_H
#define KMEMX_BASE_IO_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* All @size bytes at @offset: 0; -ENODATA if the file ends before; -errno of pread(2). */
int io_pread_all(int fd, void *buf, size_t size, uint64_t offset) __must_check;
/* All @size bytes at @offset: 0; -EIO if nothing can be written; -errno of pwrite(2). */
int io_pwrite_all(int fd, const void *buf, size_t size, uint64_t offset) __must_check;

#endif
