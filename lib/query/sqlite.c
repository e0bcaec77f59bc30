// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/store_state.h"

#ifdef HAVE_SQLITE
#include <dlfcn.h>

#define SONAME "libsqlite3.so.0"

const sqlite3_api_routines *sqlite3_api;

int query_store_load(void)
{
	static sqlite3_api_routines routines;
	bool loaded = true;
	void *library;

	if (sqlite3_api)
		return 0;
	/* The library stays loaded until kmemx exits. */
	library = dlopen(SONAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	if (!library)
		return -ELIBACC;
#define CALL(name)                                                                   \
	routines.name = (__typeof__(routines.name))dlsym(library, "sqlite3_" #name); \
	loaded = loaded && routines.name;
	SQLITE_CALLS(CALL)
#undef CALL
	dlclose(library);
	sqlite3_api = loaded ? &routines : NULL;
	return loaded ? 0 : -ELIBACC;
}

int store_error(int code)
{
	static const int errors[] = {
		[SQLITE_ERROR] = EOVERFLOW, [SQLITE_BUSY] = EBUSY,
		[SQLITE_LOCKED] = EBUSY,    [SQLITE_NOMEM] = ENOMEM,
		[SQLITE_READONLY] = EROFS,  [SQLITE_IOERR] = EIO,
		[SQLITE_FULL] = ENOSPC,	    [SQLITE_CANTOPEN] = ENOENT,
		[SQLITE_NOTADB] = EEXIST,
	};
	const unsigned int basic = code & 0xff;

	if (basic == SQLITE_OK || basic == SQLITE_ROW || basic == SQLITE_DONE)
		return 0;
	return basic < ARRAY_SIZE(errors) && errors[basic] ? -errors[basic] : -EUCLEAN;
}

int store_run(struct query_store *s, const char *sql)
{
	return store_error(sqlite3_exec(s->db, sql, NULL, NULL, NULL));
}

int store_numbers(struct query_store *s, const char *sql, sqlite3_int64 *numbers, int nr)
{
	sqlite3_stmt *stmt = NULL;
	int ret = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

	if (ret == SQLITE_OK)
		ret = sqlite3_step(stmt);
	for (int i = 0; i < nr && ret == SQLITE_ROW; i++)
		numbers[i] = sqlite3_column_int64(stmt, i);
	sqlite3_finalize(stmt);
	return store_error(ret);
}
#endif
