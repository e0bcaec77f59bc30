// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/source_path.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"

/* Drops the last component after @start. */
static void go_up(struct strbuf *out, size_t start)
{
	while (out->size > start && out->data[out->size - 1] != '/')
		out->size--;
	if (out->size > start)
		out->size--;
	out->data[out->size] = '\0';
}

/* The path within the tree; NULL: @name is outside. */
static const char *inside(const char *name, const char *root, const char *comp_dir)
{
	size_t size = strlen(root);

	if (size && !strncmp(name, root, size))
		return name + size;
	if (*name != '/')
		return name;
	size = comp_dir ? strlen(comp_dir) : 0;
	if (size > 1 && !strncmp(name, comp_dir, size) && name[size] == '/')
		return name + size + 1;
	return NULL;
}

/* Appends the components of @p before its last slash; returns the part after it. */
static const char *add_dirs(const char *p, size_t start, struct strbuf *out)
{
	const char *slash;
	size_t size;

	for (; (slash = strchr(p, '/')); p = slash + 1) {
		size = (size_t)(slash - p);
		if (!size || (size == 1 && *p == '.'))
			continue;
		if (size == 2 && !memcmp(p, "..", 2)) {
			if (out->size >
			    start) /* above the root: leads out of a build directory */
				go_up(out, start);
			continue;
		}
		if (out->size > start)
			strbuf_puts(out, "/");
		strbuf_add(out, p, size);
	}
	return p;
}

bool source_path_dir(const char *name, const char *root, const char *comp_dir,
		     struct strbuf *out)
{
	const char *p = inside(name, root, comp_dir);
	size_t start = out->size;

	if (!p)
		return false;
	(void)add_dirs(p, start, out);
	if (out->size == start)
		strbuf_puts(out, ".");
	return !out->failed;
}

void source_path_file(const char *name, const char *root, const char *comp_dir,
		      struct strbuf *out)
{
	const char *p = inside(name, root, comp_dir);
	size_t start;

	if (!p)
		strbuf_puts(out, "/");
	start = out->size;
	p = add_dirs(p ? p : name, start, out);
	if (out->size > start)
		strbuf_puts(out, "/");
	strbuf_puts(out, p);
}

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
	DIR *dir __auto_dir = io_list(fd);
	int ret = walk->path.failed ? -ENOMEM : 0;
	struct dirent *entry;

	while (dir && !ret && (entry = readdir(dir)))
		ret = walk_entry(walk, fd, entry, depth);
	return ret;
}

int directory_walk(struct directory_walk *walk, int fd)
{
	return walk_directory(walk, fd, 0);
}
