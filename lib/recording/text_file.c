// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: the whole of a text file.
 * In: a path. Out: its text.
 */
#include "recording/text_file.h"

#include <errno.h>
#include <unistd.h>

int text_file_read(struct strbuf *out, const char *path, enum io_input kind)
{
	int fd = io_open_input(path, kind), err = 0;
	size_t before = out->size;
	char buf[65536];
	ssize_t got = 1;

	if (fd < 0)
		return fd;
	while (!err && got) {
		got = read(fd, buf, sizeof(buf));
		if (got > 0)
			strbuf_add(out, buf, (size_t)got);
		else if (got < 0 && errno != EINTR)
			err = -errno;
		if (out->size - before > TEXT_FILE_MAX)
			err = -EFBIG;
	}
	close(fd);
	return out->failed ? -ENOMEM : err;
}
