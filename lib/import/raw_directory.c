// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import: reads the files of a directory of copies from tracefs.
 * In: the directory. Out: texts, and the names of its entries.
 */
#include "import/raw_directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"

int raw_directory_read(const struct raw_directory *d, const char *sub, const char *name,
		       struct strbuf *out)
{
	char path[4096];
	int ret = -ENOENT;

	if (snprintf(path, sizeof(path), "%s/%s", d->path, name) < (int)sizeof(path))
		ret = text_file_read(out, path, IO_FILE);
	if (ret == -ENOENT && sub &&
	    snprintf(path, sizeof(path), "%s/%s/%s", d->path, sub, name) <
		    (int)sizeof(path))
		ret = text_file_read(out, path, IO_FILE);
	return ret;
}

int raw_directory_read_optional(const struct raw_directory *d, const char *sub,
				const char *name, struct strbuf *out)
{
	int ret = raw_directory_read(d, sub, name, out);

	if (ret && ret != -ENOENT && ret != -ENOMEM)
		log_msg(d->log, LOG_WARN,
			"cannot read %s in %s: %s; continuing without it", name, d->path,
			io_strerror(ret));
	return ret == -ENOMEM ? ret : 0;
}

int raw_directory_each(const struct raw_directory *d, const char *sub,
		       raw_directory_fn *fn, void *ctx)
{
	struct dirent **list;
	char path[4096];
	int nr, ret = 0;

	if (snprintf(path, sizeof(path), "%s/%s", d->path, sub) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	/* Sort, so that the order is the same on every machine. */
	nr = scandir(path, &list, NULL, alphasort);
	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr; i++) {
		if (!ret && list[i]->d_name[0] != '.')
			ret = fn(ctx, sub, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return ret;
}
