/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): SQLite, loaded on demand.
 * In: libsqlite3, if it is installed. Out: its functions, under their names.
 *
 * Only queries use it, and linking it would make every start of kmemx take a tenth longer.
 */
#ifndef KMEMX_QUERY_SQLITE_H
#define KMEMX_QUERY_SQLITE_H

#ifdef HAVE_SQLITE
#include <sqlite3ext.h>

#include "base/compiler.h"

/* clang-format off */
#if SQLITE_VERSION_NUMBER >= 3038000
#define SQLITE_NEWER_CALLS(CALL) CALL(error_offset)
#else
#define SQLITE_NEWER_CALLS(CALL)
#endif
#define SQLITE_CALLS(CALL) \
	SQLITE_NEWER_CALLS(CALL) \
	CALL(aggregate_context) \
	CALL(bind_double) \
	CALL(bind_int64) \
	CALL(bind_null) \
	CALL(bind_parameter_count) \
	CALL(bind_parameter_name) \
	CALL(bind_text) \
	CALL(bind_text64) \
	CALL(close) \
	CALL(column_blob) \
	CALL(column_bytes) \
	CALL(column_count) \
	CALL(column_double) \
	CALL(column_int64) \
	CALL(column_name) \
	CALL(column_type) \
	CALL(create_function_v2) \
	CALL(db_config) \
	CALL(db_handle) \
	CALL(errmsg) \
	CALL(exec) \
	CALL(finalize) \
	CALL(hard_heap_limit64) \
	CALL(last_insert_rowid) \
	CALL(limit) \
	CALL(open_v2) \
	CALL(prepare_v2) \
	CALL(prepare_v3) \
	CALL(progress_handler) \
	CALL(reset) \
	CALL(result_double) \
	CALL(result_error_nomem) \
	CALL(result_int64) \
	CALL(result_text) \
	CALL(set_authorizer) \
	CALL(step) \
	CALL(stmt_readonly) \
	CALL(user_data) \
	CALL(value_bytes) \
	CALL(value_double) \
	CALL(value_int64) \
	CALL(value_text) \
	CALL(value_type)
/* clang-format on */

/* The functions, which sqlite3ext.h defines as members of this. */
extern const sqlite3_api_routines *sqlite3_api;
#endif

#endif
