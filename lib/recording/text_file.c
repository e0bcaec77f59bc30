// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: the whole of a text file.
 * In: a path. Out: its text.
 */
#include "recording/text_file.h"

#include <errno.h>
#include <stdio.h>

int text_file_read(struct strbuf *out, const char *path)
{
	FILE *file = fopen(path, "re");
	size_t before = out->size, got;
	char buf[65536];
	int err = 0;

	if (!file)
		return -errno;
	while (!err && (got = fread(buf, 1, sizeof(buf), file)) > 0) {
		strbuf_add(out, buf, got);
		if (out->size - before > TEXT_FILE_MAX)
			err = -EFBIG;
	}
	if (ferror(file))
		err = errno ? -errno : -EIO;
	fclose(file);
	return out->failed ? -ENOMEM : err;
}
