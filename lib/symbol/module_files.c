// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/module_files.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <strings.h>
#include <unistd.h>

#include "base/keyed.h"
#include "symbol/elf.h"
#include "symbol/source_path.h"

/* Finds the build ID of a module in the lines of @ids; false: it is missing or invalid. */
static bool recorded_id(const char *ids, const char *module, char id[ELF_BUILD_ID_MAX])
{
	size_t length = strlen(module), size, i;

	for (; ids && *ids; ids = text_next_line(ids)) {
		if (strncmp(ids, module, length) != 0 || ids[length] != ' ')
			continue;
		ids += length + 1;
		size = strcspn(ids, "\n");
		if (size >= ELF_BUILD_ID_MAX)
			size = ELF_BUILD_ID_MAX - 1;
		for (i = 0; i < size; i++)
			id[i] = (char)tolower((unsigned char)ids[i]);
		id[size] = '\0';
		return true;
	}
	*id = '\0';
	return false;
}

/* Is it safe as part of a path and of a URL? */
static bool is_hex(const char *id)
{
	size_t size = strlen(id);

	return size >= 4 && strspn(id, "0123456789abcdef") == size;
}

/* Opens @path, which must have build ID @id if that is @known; else @id receives its build ID. */
static enum module_state open_file(struct debug_units **units, const char *path,
				   char id[ELF_BUILD_ID_MAX], bool known)
{
	char own[ELF_BUILD_ID_MAX];
	int fd = unpack_open(path), err;

	if (fd < 0)
		return fd == -ENOMEM			 ? MODULE_NO_MEMORY
		       : fd == -ENOENT || fd == -ENOTDIR ? MODULE_MISSING
							 : MODULE_NO_DEBUG;
	err = elf_build_id(fd, own);
	if (err || (known && strcmp(own, id) != 0)) {
		close(fd);
		return err ? MODULE_NO_DEBUG : MODULE_OTHER_BUILD;
	}
	if (!known)
		memcpy(id, own, sizeof(own));
	err = debug_units_open_fd(units, fd, path);
	return err == -ENOMEM ? MODULE_NO_MEMORY : err ? MODULE_NO_DEBUG : MODULE_READ;
}

/* Tries one more place; on failure, keeps the state of the module's own file. */
static void try_place(struct module_debug *d, struct strbuf *path,
		      char id[ELF_BUILD_ID_MAX])
{
	enum module_state state = MODULE_NO_MEMORY;

	if (d->state == MODULE_READ || d->state == MODULE_NO_MEMORY)
		return;
	if (!path->failed)
		state = open_file(&d->units, strbuf_text(path), id, true);
	if (state == MODULE_READ)
		d->path = strbuf_detach(path);
	if (state == MODULE_READ || state == MODULE_NO_MEMORY)
		d->state = state;
}

/* Tries the places on this machine. */
static void try_files(struct module_debug *d, const struct module_places *p,
		      const char *file, char id[ELF_BUILD_ID_MAX])
{
	const char *name = file ? strrchr(file, '/') : NULL;
	size_t size = name ? strcspn(name, ".") : 0;
	struct strbuf __auto_free path = { 0 };

	/* /x/name.ko.xz: /x/.debug/name.ko.debug */
	if (name) {
		strbuf_add(&path, file, (size_t)(name - file));
		strbuf_printf(&path, "/.debug%.*s.ko.debug", (int)size, name);
		try_place(d, &path, id);
	}
	strbuf_reset(&path);
	strbuf_printf(&path, "%s/usr/lib/debug/.build-id/%.2s/%s.debug",
		      p->root ? p->root : "", id, id + 2);
	try_place(d, &path, id);
}

static void try_server(struct module_debug *d, const struct module_places *p,
		       char id[ELF_BUILD_ID_MAX])
{
	struct strbuf __auto_free path = { 0 };

	if (p->server && d->state != MODULE_READ && d->state != MODULE_NO_MEMORY &&
	    !debug_server_find(p->server, id, &path))
		try_place(d, &path, id);
}

void module_debug_open(struct module_debug *out, const struct module_places *places,
		       const char *module, const char *file)
{
	char id[ELF_BUILD_ID_MAX];
	bool known = recorded_id(places->ids, module, id);

	*out = (struct module_debug){ .state = MODULE_MISSING };
	if (file)
		out->state = open_file(&out->units, file, id, known);
	if (!is_hex(id))
		return;
	try_files(out, places, file, id);
	try_server(out, places, id);
}

void module_debug_free(struct module_debug *debug)
{
	debug_units_free(debug->units);
	free(debug->path);
	*debug = (struct module_debug){ 0 };
}

#define MODULES_MAX 100000

struct module_file {
	char *path;    /* NULL: only its build ID is known */
	size_t ending; /* index in endings[] */
	uint32_t dir;  /* number in @dirs; 0: unknown */
	bool opened;
	struct module_debug debug; /* valid once @opened */
};

struct module_files {
	struct intern dirs;
	/* By module: the best file in the first directory that has one. */
	KEYED(struct module_file) files;
	bool installed;		    /* below /lib/modules/VERSION */
	struct directory_walk walk; /* its path is relative to the top */
	char *top;
	struct module_places places;
};

/* In order of preference, separate debug files first. */
static const char *const endings[] = { ".ko.debug", ".ko", ".ko.gz", ".ko.xz",
				       ".ko.zst" };

/* Length of the name of a module's file without its endings; 0: not a module. */
static size_t module_name_length(const char *file, size_t *ending)
{
	for (*ending = 0; *ending < ARRAY_SIZE(endings); ++*ending) {
		if (text_ends(file, endings[*ending]))
			return strlen(file) - strlen(endings[*ending]);
	}
	return 0;
}

/* The source directory for files in @path, which is relative to the directory searched. */
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

/* Sets the file of a module that has none yet, or replaces a worse file in the same directory. */
static int place_file(struct module_files *m, uint32_t id, const char *file,
		      const struct module_file *new)
{
	struct module_file *known = &m->files.of[id - 1];
	struct strbuf path = { 0 };
	char *text;

	if (known->path && (known->dir != new->dir || known->ending <= new->ending))
		return 0;
	strbuf_printf(&path, "%s/%s/%s", m->top, strbuf_text(&m->walk.path), file);
	text = strbuf_detach(&path);
	if (!text)
		return -ENOMEM;
	free(known->path);
	*known = *new;
	known->path = text;
	return 0;
}

static int add_file(struct module_files *m, const char *file)
{
	size_t ending, length = module_name_length(file, &ending), i;
	struct strbuf __auto_free name = { 0 };
	uint32_t id, dir;
	int ret = dir_of(m, strbuf_text(&m->walk.path), &dir);

	strbuf_add(&name, file, length);
	for (i = 0; name.data && i < length; i++)
		if (name.data[i] == '-')
			name.data[i] = '_';
	id = ret || name.failed ? 0 : KEYED_ID_OF(&m->files, name.data, name.size);
	if (!id)
		ret = -ENOMEM;
	else
		ret = place_file(m, id, file,
				 &(struct module_file){ .dir = dir, .ending = ending });
	return ret;
}

static bool enter(void *ctx, const char *path, const char *name)
{
	return *name != '.';
}

static int take_file(void *ctx, int directory, const char *name)
{
	struct module_files *m = ctx;
	size_t ending;

	if (*name == '.' || !module_name_length(name, &ending) ||
	    m->files.nr >= MODULES_MAX)
		return 0;
	return add_file(m, name);
}

/* Is @path /lib/modules/VERSION, or a directory below it? m->walk.path receives the part below. */
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

int module_files_new(struct module_files **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
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
	if (!ret && !m->files.nr)
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
	if (!files)
		return;
	for (size_t i = 0; i < files->files.nr; i++) {
		free(files->files.of[i].path);
		module_debug_free(&files->files.of[i].debug);
	}
	KEYED_FREE(&files->files);
	intern_free(&files->dirs);
	strbuf_free(&files->walk.path);
	free(files->top);
	free(files);
}

size_t module_files_count(const struct module_files *files)
{
	return files->files.nr;
}

struct module_file_info module_files_at(const struct module_files *files, size_t i)
{
	const struct module_file *file = &files->files.of[i];

	return (struct module_file_info){ KEYED_KEY(&files->files, i), file->path,
					  intern_get(&files->dirs, file->dir, NULL) };
}

void module_files_expect(struct module_files *files, const struct module_places *places)
{
	files->places = *places;
}

static int open_units(const struct module_files *files, const char *module,
		      struct module_file *file)
{
	if (!file->opened)
		module_debug_open(&file->debug, &files->places, module, file->path);
	file->opened = true;
	return file->debug.state == MODULE_NO_MEMORY ? -ENOMEM : 0;
}

/* Adds the module if it has no file: its build ID may still find one. NULL: no memory. */
static struct module_file *find_module(struct module_files *files, const char *module)
{
	return KEYED_ITEM_OF(&files->files, module, strlen(module));
}

int module_files_find(struct module_files *files, const char *module,
		      const char *function, const char **dir)
{
	struct module_file *file = find_module(files, module);
	int ret = file ? 0 : -ENOMEM;

	/* A module installed from outside the kernel's tree has no directory in it. */
	if (ret || (file->path && !file->dir))
		return ret;
	ret = open_units(files, module, file);
	if (!ret && file->debug.units)
		ret = debug_units_function(file->debug.units, function, dir);
	if (ret || !file->dir)
		return ret;
	*dir = intern_get(&files->dirs, file->dir, NULL);
	return 1;
}

int module_files_units(struct module_files *files, const char *module,
		       struct debug_units **units)
{
	struct module_file *file = find_module(files, module);
	int ret = file ? open_units(files, module, file) : -ENOMEM;

	*units = file ? file->debug.units : NULL;
	return ret;
}

enum module_state module_files_state(struct module_files *files, const char *module,
				     const char **path)
{
	struct module_file *file = find_module(files, module);

	*path = NULL;
	if (!file || open_units(files, module, file))
		return MODULE_NO_MEMORY;
	*path = file->debug.path ? file->debug.path : file->path;
	return file->debug.state;
}
