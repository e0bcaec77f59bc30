/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query (internal): SQLite, loaded on demand.
 * In: libsqlite3, if it is installed. Out: its functions, under their names.
 *
 * Linking it would make every start of kmemx a tenth longer, but only queries use it.
 */
#ifndef KMEMX_QUERY_SQLITE_H
#define KMEMX_QUERY_SQLITE_H

#ifdef HAVE_SQLITE
#include <sqlite3.h>

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
	CALL(value_bytes) \
	CALL(value_double) \
	CALL(value_int64) \
	CALL(value_text) \
	CALL(value_type)

#define CALL(name) __typeof__(&sqlite3_##name) name;
extern struct sqlite_calls { SQLITE_CALLS(CALL) bool loaded; } sqlite_calls;
#undef CALL

#define sqlite3_aggregate_context sqlite_calls.aggregate_context
#define sqlite3_bind_double sqlite_calls.bind_double
#define sqlite3_bind_int64 sqlite_calls.bind_int64
#define sqlite3_bind_null sqlite_calls.bind_null
#define sqlite3_bind_parameter_count sqlite_calls.bind_parameter_count
#define sqlite3_bind_parameter_name sqlite_calls.bind_parameter_name
#define sqlite3_bind_text sqlite_calls.bind_text
#define sqlite3_bind_text64 sqlite_calls.bind_text64
#define sqlite3_close sqlite_calls.close
#define sqlite3_column_blob sqlite_calls.column_blob
#define sqlite3_column_bytes sqlite_calls.column_bytes
#define sqlite3_column_count sqlite_calls.column_count
#define sqlite3_column_double sqlite_calls.column_double
#define sqlite3_column_int64 sqlite_calls.column_int64
#define sqlite3_column_name sqlite_calls.column_name
#define sqlite3_column_type sqlite_calls.column_type
#define sqlite3_create_function_v2 sqlite_calls.create_function_v2
#define sqlite3_db_config sqlite_calls.db_config
#define sqlite3_db_handle sqlite_calls.db_handle
#define sqlite3_errmsg sqlite_calls.errmsg
#define sqlite3_error_offset sqlite_calls.error_offset
#define sqlite3_exec sqlite_calls.exec
#define sqlite3_finalize sqlite_calls.finalize
#define sqlite3_hard_heap_limit64 sqlite_calls.hard_heap_limit64
#define sqlite3_limit sqlite_calls.limit
#define sqlite3_open_v2 sqlite_calls.open_v2
#define sqlite3_prepare_v2 sqlite_calls.prepare_v2
#define sqlite3_prepare_v3 sqlite_calls.prepare_v3
#define sqlite3_progress_handler sqlite_calls.progress_handler
#define sqlite3_reset sqlite_calls.reset
#define sqlite3_result_double sqlite_calls.result_double
#define sqlite3_result_error_nomem sqlite_calls.result_error_nomem
#define sqlite3_result_int64 sqlite_calls.result_int64
#define sqlite3_result_text sqlite_calls.result_text
#define sqlite3_set_authorizer sqlite_calls.set_authorizer
#define sqlite3_step sqlite_calls.step
#define sqlite3_stmt_readonly sqlite_calls.stmt_readonly
#define sqlite3_value_bytes sqlite_calls.value_bytes
#define sqlite3_value_double sqlite_calls.value_double
#define sqlite3_value_int64 sqlite_calls.value_int64
#define sqlite3_value_text sqlite_calls.value_text
#define sqlite3_value_type sqlite_calls.value_type
/* clang-format on */

/* Loads the library, once. Call it before all others. 0; -ELIBACC: it is not installed, or is older
 * than the one that kmemx was built with.
 */
int sqlite_load(void) __must_check;
#endif

#endif
