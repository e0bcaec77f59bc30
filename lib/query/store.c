// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: an in-memory database of rows of many recordings.
 * In: rows. Out: SQLite tables, with each recording and each callchain stored once.
 */
#include "query/store.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_SQLITE
#include "base/array.h"

/* Limits of a value, including function results, and of the SQL text. */
#define VALUE_MAX (64 << 20)
#define SQL_MAX	  (1 << 20)

/* Recordings that may be incomplete. */
#define UNTRUSTED                                                                 \
	"(lost > 0 OR gaps > 0 OR unknown_gaps > 0 OR dropped > 0 OR missing > 0" \
	" OR bad_pages > 0 OR truncated IS NOT NULL)"

/* Recordings that were restricted to a part of the allocations. */
#define PARTIAL "(scope IS NOT NULL OR sample IS NOT NULL)"

int query_store_supported(void)
{
	return sqlite_load();
}

static int run(struct query_store *s, const char *sql)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : -ENOMEM;
}

/* Appends the columns from @first to before @end, each after @lead, with its type if @types. */
static void put_columns(struct strbuf *sql, unsigned int first, unsigned int end,
			const char *lead, bool types)
{
	for (unsigned int i = first; i < end; i++)
		strbuf_printf(sql, "%s%s\"%s\"%s", i ? ", " : "", lead,
			      export_fields[i].name,
			      !types			? ""
			      : export_fields[i].number ? " INTEGER"
							: " TEXT");
}

static void put_values(struct strbuf *sql, unsigned int nr)
{
	strbuf_puts(sql, " VALUES (");
	for (unsigned int i = 0; i < nr; i++)
		strbuf_puts(sql, i ? ", ?" : "?");
	strbuf_puts(sql, ");");
}

/* Appends the tables' SQL. CROSS JOIN fixes the order, so that the rows are scanned once. */
static void put_schema(struct strbuf *sql)
{
	strbuf_puts(sql, "PRAGMA journal_mode = OFF; PRAGMA temp_store = MEMORY;"
			 "CREATE TABLE _recording (");
	put_columns(sql, 0, EXPORT_FIELDS_SAME, "", true);
	strbuf_puts(sql, ", nr_rows INTEGER, file TEXT, id INTEGER PRIMARY KEY);"
			 "CREATE TABLE _stack (id INTEGER PRIMARY KEY");
	put_columns(sql, FIELD_CALLSITE, FIELD_FIRST_LABEL, "", true);
	strbuf_puts(sql, "); CREATE TABLE _row (recording INTEGER, stack INTEGER");
	put_columns(sql, FIELD_ALLOCATOR, FIELD_CALLSITE, "", true);
	put_columns(sql, FIELD_FIRST_LABEL, EXPORT_FIELDS, "", true);
	strbuf_puts(sql, "); CREATE VIEW allocations AS SELECT ");
	put_columns(sql, 0, EXPORT_FIELDS_SAME, "_recording.", false);
	put_columns(sql, FIELD_ALLOCATOR, FIELD_CALLSITE, "_row.", false);
	put_columns(sql, FIELD_CALLSITE, FIELD_FIRST_LABEL, "_stack.", false);
	put_columns(sql, FIELD_FIRST_LABEL, EXPORT_FIELDS, "_row.", false);
	strbuf_puts(sql, " FROM _row CROSS JOIN _recording ON _recording.id = recording"
			 " CROSS JOIN _stack ON _stack.id = _row.stack;"
			 "CREATE VIEW recordings AS SELECT ");
	put_columns(sql, 0, EXPORT_FIELDS_SAME, "", false);
	strbuf_puts(sql, ", nr_rows, file FROM _recording;");
}

static int prepare(struct query_store *s, struct strbuf *sql, sqlite3_stmt **stmt)
{
	int ret = sql->failed ? SQLITE_NOMEM
			      : sqlite3_prepare_v3(s->db, strbuf_text(sql), -1,
						   SQLITE_PREPARE_PERSISTENT, stmt, NULL);

	strbuf_reset(sql);
	return ret == SQLITE_OK ? 0 : -ENOMEM;
}

static int create(struct query_store *s)
{
	struct strbuf sql = { 0 };
	int ret;

	put_schema(&sql);
	strbuf_puts(&sql, "BEGIN;");
	ret = sql.failed ? -ENOMEM : run(s, strbuf_text(&sql));
	strbuf_reset(&sql);
	strbuf_puts(&sql, "INSERT INTO _recording");
	put_values(&sql, EXPORT_FIELDS_SAME + 3);
	if (!ret)
		ret = prepare(s, &sql, &s->add_recording);
	strbuf_reset(&sql);
	strbuf_puts(&sql, "INSERT INTO _stack");
	put_values(&sql, 1 + FIELD_FIRST_LABEL - FIELD_CALLSITE);
	if (!ret)
		ret = prepare(s, &sql, &s->add_stack);
	strbuf_reset(&sql);
	strbuf_puts(&sql, "INSERT INTO _row");
	put_values(&sql, 3 + EXPORT_FIELDS - FIELD_FIRST_LABEL);
	if (!ret)
		ret = prepare(s, &sql, &s->add_row);
	strbuf_free(&sql);
	return ret;
}

/* Limits what SQL can create. A name in double quotes that does not exist is an error,
 * not a text.
 */
static int limit(struct query_store *s)
{
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_SQL_LENGTH, SQL_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
	return sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL) == SQLITE_OK &&
			       sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DDL, 0,
						 NULL) == SQLITE_OK &&
			       sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1,
						 NULL) == SQLITE_OK
		       ? query_functions_add(s->db)
		       : -ENOMEM;
}

int query_store_open(struct query_store **out, uint64_t memory)
{
	struct query_store *s;
	int ret = sqlite_load();

	*out = NULL;
	if (ret)
		return ret;
	*out = s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	sqlite3_hard_heap_limit64(memory < INT64_MAX ? (sqlite3_int64)memory : INT64_MAX);
	ret = sqlite3_open_v2(
		":memory:", &s->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	if (ret != SQLITE_OK)
		return -ENOMEM;
	ret = create(s);
	return ret ? ret : limit(s);
}

int query_store_file(struct query_store *s, const char *name)
{
	s->file++;
	strbuf_reset(&s->file_name);
	strbuf_puts(&s->file_name, name);
	return s->file_name.failed ? -ENOMEM : 0;
}

/* SQLite has signed 64-bit integers. Larger numbers are stored as floating point, as SQL itself
 * reads them.
 */
static int bind(struct query_store *s, sqlite3_stmt *stmt, unsigned int place,
		const struct query_row *row, unsigned int field)
{
	const struct query_value *v = &row->of[field];
	int at = (int)place;

	if (!v->known)
		return sqlite3_bind_null(stmt, at);
	if (!export_fields[field].number)
		return sqlite3_bind_text64(stmt, at, v->text, v->size, SQLITE_STATIC,
					   SQLITE_UTF8);
	if (v->number <= INT64_MAX)
		return sqlite3_bind_int64(stmt, at, (sqlite3_int64)v->number);
	s->totals.large++;
	return sqlite3_bind_double(stmt, at, (double)v->number);
}

/* A range of a row's fields. */
struct span {
	unsigned int first, end;
};

static const struct span of_recording = { 0, EXPORT_FIELDS_SAME };
static const struct span of_stack = { FIELD_CALLSITE, FIELD_FIRST_LABEL };
static const struct span of_row = { FIELD_FIRST_LABEL, EXPORT_FIELDS };

/* Binds the fields of @span, from @place on. */
static int bind_fields(struct query_store *s, sqlite3_stmt *stmt, unsigned int place,
		       const struct query_row *row, struct span span)
{
	int ret = SQLITE_OK;

	for (unsigned int i = span.first; i < span.end && ret == SQLITE_OK; i++)
		ret = bind(s, stmt, place + i - span.first, row, i);
	return ret;
}

static int step(sqlite3_stmt *stmt, int bound)
{
	int ret = bound == SQLITE_OK ? sqlite3_step(stmt) : bound;

	sqlite3_reset(stmt);
	return ret == SQLITE_DONE ? 0 : -ENOMEM;
}

/* The number of @row's values of @span in @in, from 1; 0: no memory. */
static uint32_t number_of(struct query_store *s, struct intern *in,
			  const struct query_row *row, struct span span)
{
	strbuf_reset(&s->key);
	for (unsigned int i = span.first; i < span.end; i++) {
		const struct query_value *v = &row->of[i];
		size_t size = export_fields[i].number ? sizeof(v->number) : v->size;

		if (!v->known)
			size = SIZE_MAX;
		strbuf_add(&s->key, &size, sizeof(size));
		if (!v->known)
			continue;
		if (export_fields[i].number)
			strbuf_add(&s->key, &v->number, sizeof(v->number));
		else
			strbuf_add(&s->key, v->text, v->size);
	}
	return s->key.failed ? 0 : intern_id(in, s->key.data, s->key.size);
}

/* Does an earlier file have these rows? 1: yes; 0: no; -ENOMEM. */
static int is_repeated(struct query_store *s, const struct query_row *row)
{
	const struct query_value *id = &row->of[FIELD_RECORDING_ID];
	const struct query_value *allocator = &row->of[FIELD_ALLOCATOR];
	uint32_t nr = s->parts.count, part;

	strbuf_reset(&s->key);
	strbuf_add(&s->key, id->text, id->size);
	strbuf_add(&s->key, "", 1);
	strbuf_add(&s->key, allocator->text, allocator->size);
	part = s->key.failed ? 0 : intern_id(&s->parts, s->key.data, s->key.size);
	if (!part || array_reserve(&s->part_file, &s->part_capacity, s->parts.count,
				   sizeof(*s->part_file)))
		return -ENOMEM;
	if (s->parts.count > nr)
		s->part_file[part - 1] = s->file;
	return s->part_file[part - 1] != s->file;
}

/* The id of @row's recording; 0: no memory. */
static uint32_t recording_of(struct query_store *s, const struct query_row *row)
{
	uint32_t nr = s->recordings.count;
	uint32_t id = number_of(s, &s->recordings, row, of_recording);
	int ret;

	if (!id || s->recordings.count == nr)
		return id;
	if (array_reserve(&s->nr_rows, &s->nr_rows_capacity, id, sizeof(*s->nr_rows)))
		return 0;
	s->nr_rows[id - 1] = 0;
	ret = bind_fields(s, s->add_recording, 1, row, of_recording);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_text(s->add_recording, EXPORT_FIELDS_SAME + 2,
					strbuf_text(&s->file_name), -1, SQLITE_TRANSIENT);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(s->add_recording, EXPORT_FIELDS_SAME + 3, id);
	return step(s->add_recording, ret) ? 0 : id;
}

/* The id of @row's callchain; 0: no memory. */
static uint32_t stack_of(struct query_store *s, const struct query_row *row)
{
	uint32_t nr = s->stacks.count;
	uint32_t id = number_of(s, &s->stacks, row, of_stack);
	int ret;

	if (!id || s->stacks.count == nr)
		return id;
	ret = sqlite3_bind_int64(s->add_stack, 1, id);
	if (ret == SQLITE_OK)
		ret = bind_fields(s, s->add_stack, 2, row, of_stack);
	return step(s->add_stack, ret) ? 0 : id;
}

int query_store_add(struct query_store *s, const struct query_row *row)
{
	int repeated = is_repeated(s, row), ret;
	uint32_t recording, stack;

	if (repeated) {
		s->totals.repeated += repeated > 0;
		return repeated < 0 ? repeated : 0;
	}
	recording = recording_of(s, row);
	stack = recording ? stack_of(s, row) : 0;
	if (!stack)
		return -ENOMEM;
	ret = sqlite3_bind_int64(s->add_row, 1, recording);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(s->add_row, 2, stack);
	if (ret == SQLITE_OK)
		ret = bind(s, s->add_row, 3, row, FIELD_ALLOCATOR);
	if (ret == SQLITE_OK)
		ret = bind_fields(s, s->add_row, 4, row, of_row);
	ret = step(s->add_row, ret);
	if (!ret) {
		s->nr_rows[recording - 1]++;
		s->totals.rows++;
	}
	return ret;
}

static int count_rows(struct query_store *s)
{
	sqlite3_stmt *stmt = NULL;
	int ret = sqlite3_prepare_v2(
		s->db, "UPDATE _recording SET nr_rows = ? WHERE id = ?", -1, &stmt, NULL);

	ret = ret == SQLITE_OK ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < s->recordings.count && !ret; i++) {
		sqlite3_bind_int64(stmt, 1, (sqlite3_int64)s->nr_rows[i]);
		sqlite3_bind_int64(stmt, 2, i + 1);
		ret = step(stmt, SQLITE_OK);
	}
	sqlite3_finalize(stmt);
	return ret;
}

static int count_recordings(struct query_store *s)
{
	static const char sql[] =
		"SELECT count(DISTINCT recording_id), count(DISTINCT host),"
		" count(DISTINCT CASE WHEN " UNTRUSTED " THEN recording_id END),"
		" count(DISTINCT CASE WHEN " PARTIAL " THEN recording_id END)"
		" FROM _recording";
	sqlite3_stmt *stmt = NULL;
	int ret = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

	ret = ret == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW ? 0 : -ENOMEM;
	if (!ret) {
		s->totals.recordings = (uint64_t)sqlite3_column_int64(stmt, 0);
		s->totals.hosts = (uint64_t)sqlite3_column_int64(stmt, 1);
		s->totals.untrusted = (uint64_t)sqlite3_column_int64(stmt, 2);
		s->totals.partial = (uint64_t)sqlite3_column_int64(stmt, 3);
	}
	sqlite3_finalize(stmt);
	return ret;
}

/* Frees what is only needed for adding rows. */
static void end_adding(struct query_store *s)
{
	sqlite3_finalize(s->add_recording);
	sqlite3_finalize(s->add_stack);
	sqlite3_finalize(s->add_row);
	s->add_recording = s->add_stack = s->add_row = NULL;
	intern_free(&s->recordings);
	intern_free(&s->stacks);
	intern_free(&s->parts);
	free(s->nr_rows);
	free(s->part_file);
	s->nr_rows = NULL;
	s->part_file = NULL;
	strbuf_free(&s->file_name);
	strbuf_free(&s->key);
}

/* Queries may only read and call harmless functions: no ATTACH, no PRAGMA, no new table. */
static int only_read(void *ctx, int action, const char *first, const char *second,
		     const char *db, const char *view)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return second && query_function_allowed(second) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

int query_store_seal(struct query_store *s)
{
	int ret = count_rows(s);

	if (!ret)
		ret = run(s, "COMMIT");
	if (!ret)
		ret = count_recordings(s);
	end_adding(s);
	sqlite3_set_authorizer(s->db, only_read, NULL);
	return ret;
}

const struct query_totals *query_store_totals(const struct query_store *s)
{
	return &s->totals;
}

void query_store_free(struct query_store *s)
{
	if (!s)
		return;
	end_adding(s);
	sqlite3_close(s->db);
	free(s);
}

#else

int query_store_supported(void)
{
	return -ENOTSUP;
}

int query_store_open(struct query_store **out, uint64_t memory)
{
	*out = NULL;
	return -ENOTSUP;
}

int query_store_file(struct query_store *s, const char *name)
{
	return -ENOTSUP;
}

int query_store_add(struct query_store *s, const struct query_row *row)
{
	return -ENOTSUP;
}

int query_store_seal(struct query_store *s)
{
	return -ENOTSUP;
}

const struct query_totals *query_store_totals(const struct query_store *s)
{
	static const struct query_totals none;

	return &none;
}

void query_store_free(struct query_store *s)
{
}

#endif
