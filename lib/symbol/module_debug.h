/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: finds the debug information of one module.
 * In: its file, its build ID, other places to search. Out: units.
 */
#ifndef KMEMX_SYMBOL_MODULE_DEBUG_H
#define KMEMX_SYMBOL_MODULE_DEBUG_H

#include "base/compiler.h"
#include "symbol/debug_server.h"
#include "symbol/debug_units.h"

/**
 * struct module_places - where to search, for all modules; borrowed
 * @ids: build IDs of the recorded modules, lines "name hex"; NULL: unknown
 * @root: the directory that contains usr/lib/debug; NULL: this machine's root
 * @server: asked last; NULL: none is asked
 */
struct module_places {
	const char *ids, *root;
	struct debug_server *server;
};

enum module_state {
	MODULE_MISSING, /* no file of that name */
	MODULE_OTHER_BUILD,
	MODULE_NO_DEBUG, /* or it is damaged, or needs too much work */
	MODULE_READ,
	MODULE_NO_MEMORY,
};

/**
 * struct module_debug - the result
 * @units: NULL except for MODULE_READ
 * @path: of the file with the units; NULL if that is the module's own file
 */
struct module_debug {
	enum module_state state;
	struct debug_units *units;
	char *path;
};

/**
 * module_debug_open() - find a module's debug information
 * @file: of the module, or its split-off debug file; may be compressed; NULL: unknown
 *
 * Searches @file; .debug/ next to it; usr/lib/debug/.build-id below @root; the server. Files must
 * have the recorded build ID, or else that of @file. Without a build ID, only @file is tried.
 */
void module_debug_open(struct module_debug *out, const struct module_places *places,
		       const char *module, const char *file);
void module_debug_free(struct module_debug *debug);

#endif
