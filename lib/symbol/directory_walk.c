// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: the files below a directory.
 * In: a directory. Out: the files in it and in its subdirectories, each with its path.
 */
#include "symbol/directory_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int walk_directory(struct directory_walk *walk, int fd, unsigned int depth);

static int walk_entry(struct directory_walk *walk, int directory,
		      const struct dirent *entry, unsigned int depth)
{
	size_t size = walk->path.size;
	int fd, ret;

	/* DT_UNKNOWN: some filesystems do not report the type. */
	if (entry->d_type == DT_REG ||
	    (entry->d_type == DT_UNKNOWN && depth == DIRECTORY_WALK_DEPTH))
		return walk->file(walk->ctx, directory, entry->d_name);
	if ((entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) ||
	    depth == DIRECTORY_WALK_DEPTH ||
	    !walk->enter(walk->ctx, strbuf_text(&walk->path), entry->d_name))
		return 0;
	fd = openat(directory, entry->d_name,
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY);
	if (fd < 0 && entry->d_type == DT_DIR)
		return 0;
	if (fd < 0)
		return walk->file(walk->ctx, directory, entry->d_name);
	strbuf_printf(&walk->path, "%s%s", size ? "/" : "", entry->d_name);
	ret = walk_directory(walk, fd, depth + 1);
	if (walk->path.data) {
		walk->path.size = size;
		walk->path.data[size] = '\0';
	}
	return ret;
}

/* Takes ownership of @fd. -ENOMEM if its path could not be allocated. */
static int walk_directory(struct directory_walk *walk, int fd, unsigned int depth)
{
	DIR *dir = walk->path.failed ? NULL : fdopendir(fd);
	struct dirent *entry;
	int ret = 0;

	if (!dir) {
		close(fd);
		return walk->path.failed ? -ENOMEM : 0;
	}
	while (!ret && (entry = readdir(dir)))
		ret = walk_entry(walk, fd, entry, depth);
	closedir(dir);
	return ret;
}

int directory_walk(struct directory_walk *walk, int fd)
{
	return walk_directory(walk, fd, 0);
}
