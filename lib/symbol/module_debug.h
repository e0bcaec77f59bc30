/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the debug information of one module.
 * In: its file, its build ID, where else to look. Out: units.
 */
#ifndef KMEMX_SYMBOL_MODULE_DEBUG_H
#define KMEMX_SYMBOL_MODULE_DEBUG_H

#include "base/compiler.h"
#include "symbol/debug_server.h"
#include "symbol/debug_units.h"

/**
 * struct module_places - what is known of all modules; borrowed
 * @ids: build IDs of the recorded ones, lines "name hex"; NULL: none are known
 * @root: below which /usr/lib/debug is; NULL: this machine's own
 * @server: is asked last; NULL: none
 */
struct module_places {
	const char *ids, *root;
	struct debug_server *server;
};

enum module_state {
	MODULE_MISSING, /* no file of that name */
	MODULE_OTHER_BUILD,
	MODULE_NO_DEBUG, /* or it is damaged, or asks for too much */
	MODULE_READ,
	MODULE_NO_MEMORY,
};

/**
 * struct module_debug - what was found
 * @units: NULL but for MODULE_READ
 * @path: of the file that they are in, where that is not the module's own; NULL
 */
struct module_debug {
	enum module_state state;
	struct debug_units *units;
	char *path;
};

/**
 * module_debug_open() - look for a module's debug information
 * @file: of the module, or what was split off of it; maybe compressed; NULL: it has none
 *
 * In @file; beside it in .debug/; below @root in /usr/lib/debug/.build-id; on the server. A build
 * ID decides, the recorded one or else that of @file: a file of another is not taken. Without
 * one, @file is all there is.
 */
void module_debug_open(struct module_debug *out, const struct module_places *places,
		       const char *module, const char *file);
void module_debug_free(struct module_debug *debug);

#endif
