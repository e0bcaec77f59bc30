/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: reads a text of any length line by line, even if it is compressed.
 * In: a descriptor (pipes too). Out: one line at a time, in bounded memory.
 */
#ifndef KMEMX_IMPORT_LINE_SOURCE_H
#define KMEMX_IMPORT_LINE_SOURCE_H

#include "base/unpack.h"

/* The most that is held at once; a longer line is cut to this. A line of 1 MiB still fits. */
#define LINE_SOURCE_WINDOW ((1U << 20) + 2)

struct line_source;

/**
 * line_source_open_fd() - read text from @fd, which is closed with the source
 * @packed: the compression that it may have, which its first bytes show
 * @exact: every byte counts; else a hole of a sparse file ends a line and is skipped, however large
 *	it is
 *
 * Return: 0; -ENOTSUP if it is compressed and that is not built in; -ENOMEM; -errno of the first
 * read. @fd is closed on failure too.
 */
int line_source_open_fd(struct line_source **out, int fd, enum unpack_format packed,
			bool exact) __must_check;
/* The beginning of the text, as much as the window holds, before the first line is read. */
int line_source_peek(struct line_source *ls, const char **data,
		     size_t *size) __must_check;

/**
 * line_source_next() - the next line, without its end
 * @line: NUL terminated; the caller may change it until the next call; may contain more NULs, but
 *	does not begin with one unless every byte counts
 *
 * Return: 1; 0 at the end; -EBADMSG if a compressed text is damaged; -ENODATA if it is truncated
 * and every byte counts; -errno of read(2).
 */
int line_source_next(struct line_source *ls, char **line, size_t *size) __must_check;
/* Is the compressed text truncated? Known at the end. */
bool line_source_cut_short(const struct line_source *ls);
/* Bytes of the file read so far. */
uint64_t line_source_bytes(const struct line_source *ls);
void line_source_close(struct line_source *ls);

#endif
