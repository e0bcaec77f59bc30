// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/store_state.h"

#ifdef HAVE_SQLITE
#include <dlfcn.h>

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

int store_error(int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_IOERR:
		return -EIO;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_CANTOPEN:
		return -ENOENT;
	case SQLITE_NOTADB:
		return -EEXIST;
	case SQLITE_ERROR:
		return -EOVERFLOW;
	case SQLITE_NOMEM:
		return -ENOMEM;
	default:
		return -EUCLEAN;
	}
}

int store_run(struct query_store *s, const char *sql)
{
	return store_error(sqlite3_exec(s->db, sql, NULL, NULL, NULL));
}

int store_number(struct query_store *s, const char *sql, sqlite3_int64 *number)
{
	sqlite3_stmt *stmt = NULL;
	int ret = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

	if (ret == SQLITE_OK)
		ret = sqlite3_step(stmt);
	if (ret == SQLITE_ROW)
		*number = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return store_error(ret);
}
#endif
