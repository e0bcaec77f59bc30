/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: opens a file by its name as a source; kmemx itself opens sources by descriptor.
 */
#ifndef KMEMX_TESTS_SOURCE_FILE_H
#define KMEMX_TESTS_SOURCE_FILE_H

#include "base/io.h"
#include "recording/source.h"

/* io_open_input(), source_open_fd(). 0 or -errno. */
static inline int source_open_file(struct source *src, const char *path)
{
	int fd = io_open_input(path, IO_FILE), err;

	*src = (struct source){ 0 };
	if (fd < 0)
		return fd;
	err = source_open_fd(src, fd);
	if (err)
		io_close(&fd);
	return err;
}

#endif
