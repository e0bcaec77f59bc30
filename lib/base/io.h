/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: positioned reads and writes that do all or fail.
 * In: a descriptor, a range. Out: 0 or -errno.
 */
#ifndef KMEMX_BASE_IO_H
#define KMEMX_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* All @size bytes at @offset: 0; -ENODATA if the file ends before; -errno of pread(2). */
int io_pread_all(int fd, void *buf, size_t size, uint64_t offset) __must_check;
/* All @size bytes at @offset: 0; -EIO if nothing can be written; -errno of pwrite(2). */
int io_pwrite_all(int fd, const void *buf, size_t size, uint64_t offset) __must_check;

/* Copies @size bytes between two files, which must have them. 0; -ENODATA; -errno. */
int io_copy(int from, uint64_t src, int to, uint64_t dst, uint64_t size) __must_check;

/* The bytes that the disk of @fd, a regular file, has left: 0; -ENODATA if it is none, or its
 * filesystem does not say; -errno.
 */
int io_room(int fd, uint64_t *bytes) __must_check;
/* Half of that, in multiples of @least: @least if it is not known, @most if it is more. */
uint64_t io_spare(int fd, uint64_t least, uint64_t most);
/* Is @fd a regular file whose disk has less than @bytes left? */
bool io_lacks_room(int fd, uint64_t bytes);

/* What io_open_input() takes. */
enum io_input {
	IO_FILE,	 /* a regular file */
	IO_FILE_OR_PIPE, /* or a pipe that somebody writes to */
};

/**
 * io_open_input() - open a file that somebody else made, for reading
 *
 * Looks at what it is before anything waits or reads: the open of a FIFO waits for a writer,
 * that of a device may do anything, and /dev/zero never ends. For the writer of a FIFO it
 * waits up to a second.
 *
 * Return: the descriptor; -EISDIR; -ENODEV for anything else that @kind does not take;
 * -EPIPE if nobody writes to the pipe; -errno of open(2).
 */
int io_open_input(const char *path, enum io_input kind) __must_check;
/* strerror(), with plain words for what io_open_input() gives. Valid until the next call. */
const char *io_strerror(int err);

#endif
