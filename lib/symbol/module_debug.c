// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: finds the debug information of one module.
 * In: its file, its build ID, other places to search. Out: units.
 */
#include "symbol/module_debug.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "symbol/elf.h"
#include "symbol/unpack.h"

/* Finds the build ID of a module in the lines of @ids; false: it is missing or invalid. */
static bool recorded_id(const char *ids, const char *module, char id[ELF_BUILD_ID_MAX])
{
	size_t length = strlen(module), size, i;

	for (; ids && *ids; ids += strcspn(ids, "\n"), ids += *ids == '\n') {
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

/* Tries one more place; if that fails, the state for the module's own file stays. */
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
	struct strbuf path = { 0 };

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
	strbuf_free(&path);
}

static void try_server(struct module_debug *d, const struct module_places *p,
		       char id[ELF_BUILD_ID_MAX])
{
	struct strbuf path = { 0 };

	if (p->server && d->state != MODULE_READ && d->state != MODULE_NO_MEMORY &&
	    !debug_server_find(p->server, id, strlen(id), &path))
		try_place(d, &path, id);
	strbuf_free(&path);
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
