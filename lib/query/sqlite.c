// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): SQLite, loaded on demand.
 * In: libsqlite3, if it is installed. Out: its functions.
 */
#include "query/sqlite.h"

#ifdef HAVE_SQLITE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#define SONAME "libsqlite3.so.0"

struct sqlite_calls sqlite_calls;

int sqlite_load(void)
{
	bool loaded = true;
	void *library;

	if (sqlite_calls.loaded)
		return 0;
	/* The library stays loaded until kmemx exits. */
	library = dlopen(SONAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	if (!library)
		return -ELIBACC;
#define CALL(name)                                                               \
	sqlite_calls.name =                                                      \
		(__typeof__(sqlite_calls.name))dlsym(library, "sqlite3_" #name); \
	loaded = loaded && sqlite_calls.name;
	SQLITE_CALLS(CALL)
#undef CALL
	dlclose(library);
	sqlite_calls.loaded = loaded;
	return loaded ? 0 : -ELIBACC;
}
#endif
