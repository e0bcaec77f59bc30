/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: files made by others: opened with care, read, written and copied whole.
 * In: a path, or a descriptor and a range. Out: bytes, or -errno.
 */
#ifndef KMEMX_BASE_IO_H
#define KMEMX_BASE_IO_H

#include <dirent.h>

#include "base/strbuf.h"

/* A local descriptor, directory or stream with one of these is closed when its block is left; one
 * that is negative or NULL is not open.
 */
#define __auto_fd   __attribute__((cleanup(io_close)))
#define __auto_dir  __attribute__((cleanup(io_close_dir)))
#define __auto_file __attribute__((cleanup(io_close_file)))
void io_close(int *fd); /* sets it to -1 */
void io_close_dir(DIR **dir);
void io_close_file(FILE **file);

/* The entries of the directory @fd, which belongs to the result. NULL with errno, and @fd is
 * closed; also if @fd is a negative errno.
 */
DIR *io_list(int fd) __must_check;

/* read(2), restarted after a signal: bytes, 0 at the end, or -errno. */
ssize_t io_read(int fd, void *buf, size_t size) __must_check;
/* Reads all @size bytes at @offset: 0; -ENODATA if the file ends before; -errno of pread(2). */
int io_pread_all(int fd, void *buf, size_t size, uint64_t offset) __must_check;
/* Writes all @size bytes at @offset: 0; -EIO if nothing can be written; -errno of pwrite(2). */
int io_pwrite_all(int fd, const void *buf, size_t size, uint64_t offset) __must_check;

/* Copies @size bytes between two files; @from must have them. 0; -ENODATA; -errno. */
int io_copy(int from, uint64_t src, int to, uint64_t dst, uint64_t size) __must_check;
/* Copies what is left to read of @from, which may be a pipe, to the start of @to. 0 or -errno. */
int io_copy_rest(int from, int to) __must_check;

/* The bytes left on the disk of @fd, a regular file: 0; -ENODATA if it is not a regular file, or
 * its filesystem does not say; -errno.
 */
int io_room(int fd, uint64_t *bytes) __must_check;
/* Half of that, rounded down to a multiple of @least; @least if unknown or less, @most if more. */
uint64_t io_spare(int fd, uint64_t least, uint64_t most);
/* Is @fd a regular file on a disk with less than @bytes left? */
bool io_lacks_room(int fd, uint64_t bytes);

/* What io_open_input() accepts. */
enum io_input {
	IO_FILE,	 /* a regular file */
	IO_FILE_OR_PIPE, /* or a pipe that has a writer */
};

/**
 * io_open_input() - open a file made by others, for reading
 *
 * Checks the type of the file before it opens or reads it: opening a FIFO waits for a writer,
 * opening a device may do anything, and /dev/zero never ends. Waits up to a second for the writer
 * of a FIFO.
 *
 * Return: the descriptor; -EISDIR; -ENODEV for any other type that @kind does not include; -EPIPE
 * if the pipe has no writer; -errno of open(2).
 */
int io_open_input(const char *path, enum io_input kind) __must_check;
bool io_is_directory(const char *path);
/* strerror(), with plain words for the errors of io_open_input(). Valid until the next call. */
const char *io_strerror(int err);

/* No text that is read whole is larger (kallsyms is 5 to 20 MB). */
#define TEXT_FILE_MAX (256U << 20)

/* Appends what is left to read of @fd. 0; -EFBIG: more than @most bytes; -ENOMEM; -errno of
 * read(2).
 */
int text_read(struct strbuf *out, int fd, size_t most) __must_check;
/* Appends the file's content. 0; -EFBIG; -ENOMEM; -errno of io_open_input() and read(2). */
int text_file_read(struct strbuf *out, const char *path, enum io_input kind) __must_check;

#endif
