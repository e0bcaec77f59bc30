// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: where the modules' files are, and so which directory each was made in.
 * In: /lib/modules/VERSION, the same of a debug package, or a build tree. Out: directories.
 */
#include "symbol/module_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "symbol/debug_units.h"
#include "symbol/directory_walk.h"

#define MODULES_MAX 100000

struct module_file {
	char *path;
	uint32_t dir; /* of @dirs; 0: none */
	bool opened;
	struct debug_units *units; /* NULL: none, once @opened */
};

struct module_files {
	struct intern names, dirs;
	struct module_file *files; /* by name number - 1; the first of a name counts */
	size_t nr, capacity;
	bool installed;		    /* below /lib/modules/VERSION */
	struct directory_walk walk; /* its path is below the top */
	char *top;
};

/* Length of the name of a module's file without its endings; 0: it is none. */
static size_t module_name_length(const char *file)
{
	static const char *const endings[] = { ".ko", ".ko.debug", ".ko.gz", ".ko.xz",
					       ".ko.zst" };
	size_t size = strlen(file), i;

	for (i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t end = strlen(endings[i]);

		if (size > end && !strcmp(file + size - end, endings[i]))
			return size - end;
	}
	return 0;
}

/* The directory of what lies in @path, relative to the directory searched. */
static int dir_of(struct module_files *m, const char *path, uint32_t *dir)
{
	static const char kernel[] = "kernel/";
	size_t skip = sizeof(kernel) - 1;

	*dir = 0;
	if (m->installed && strncmp(path, kernel, skip)) {
		if (strcmp(path, "kernel"))
			return 0;
		skip = strlen(path);
	}
	path += m->installed ? skip : 0;
	*dir = intern_id(&m->dirs, *path ? path : ".", *path ? strlen(path) : 1);
	return *dir ? 0 : -ENOMEM;
}

static int add_file(struct module_files *m, const char *file)
{
	size_t length = module_name_length(file), i;
	struct strbuf name = { 0 }, path = { 0 };
	uint32_t id, dir;
	int ret = dir_of(m, strbuf_text(&m->walk.path), &dir);

	strbuf_add(&name, file, length);
	for (i = 0; name.data && i < length; i++)
		if (name.data[i] == '-')
			name.data[i] = '_';
	id = ret || name.failed ? 0 : intern_id(&m->names, name.data, name.size);
	if (!id || array_reserve(&m->files, &m->capacity, id, sizeof(*m->files))) {
		ret = -ENOMEM;
	} else if (id > m->nr) {
		strbuf_printf(&path, "%s/%s/%s", m->top, strbuf_text(&m->walk.path),
			      file);
		m->files[m->nr++] =
			(struct module_file){ .path = strbuf_detach(&path), .dir = dir };
		ret = m->files[m->nr - 1].path ? 0 : -ENOMEM;
	}
	strbuf_free(&name);
	strbuf_free(&path);
	return ret;
}

static bool enter(void *ctx, const char *path, const char *name)
{
	(void)ctx;
	(void)path;
	return *name != '.';
}

static int take_file(void *ctx, int directory, const char *name)
{
	struct module_files *m = ctx;

	(void)directory;
	if (*name == '.' || !module_name_length(name) || m->nr >= MODULES_MAX)
		return 0;
	return add_file(m, name);
}

/* Is @path /lib/modules/VERSION, or a directory below it? What is below it goes to m->walk.path. */
static int find_top(struct module_files *m, const char *path)
{
	static const char modules[] = "/lib/modules";
	char *whole = realpath(path, NULL), *p = whole, *version = NULL;
	size_t size = whole ? strlen(whole) : 0;

	if (!whole)
		return -errno;
	m->top = whole;
	if (size > sizeof(modules) - 1 &&
	    !strcmp(whole + size - sizeof(modules) + 1, modules))
		return -EINVAL;
	while ((p = strstr(p, "/lib/modules/"))) {
		p += strlen("/lib/modules/");
		version = p;
	}
	p = version ? strchr(version, '/') : NULL;
	m->installed = version && *version;
	if (p)
		strbuf_puts(&m->walk.path, p + 1);
	if (p)
		*p = '\0';
	return m->walk.path.failed ? -ENOMEM : 0;
}

int module_files_open(struct module_files **out, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY), ret;
	struct module_files *m;

	*out = NULL;
	if (fd < 0)
		return -errno;
	m = calloc(1, sizeof(*m));
	if (m)
		m->walk = (struct directory_walk){ .enter = enter,
						   .file = take_file,
						   .ctx = m };
	ret = m ? find_top(m, path) : -ENOMEM;
	if (ret)
		close(fd);
	else
		ret = directory_walk(&m->walk, fd);
	if (!ret && !m->nr)
		ret = -ENODATA;
	if (ret) {
		module_files_free(m);
		return ret;
	}
	*out = m;
	return 0;
}

void module_files_free(struct module_files *files)
{
	size_t i;

	if (!files)
		return;
	for (i = 0; i < files->nr; i++) {
		free(files->files[i].path);
		debug_units_free(files->files[i].units);
	}
	intern_free(&files->names);
	intern_free(&files->dirs);
	free(files->files);
	strbuf_free(&files->walk.path);
	free(files->top);
	free(files);
}

size_t module_files_count(const struct module_files *files)
{
	return files->nr;
}

int module_files_find(struct module_files *files, const char *module,
		      const char *function, const char **dir)
{
	uint32_t id = intern_find(&files->names, module, strlen(module));
	struct module_file *file = id ? &files->files[id - 1] : NULL;
	int ret = 0;

	if (!file || !file->dir)
		return 0;
	if (!file->opened) {
		file->opened = true;
		if (debug_units_open(&file->units, file->path) == -ENOMEM)
			return -ENOMEM;
	}
	if (file->units)
		ret = debug_units_function(file->units, function, dir);
	if (ret)
		return ret;
	*dir = intern_get(&files->dirs, file->dir, NULL);
	return 1;
}
