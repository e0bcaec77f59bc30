// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: rows of a store.
 * In: rows. Out: the tables' rows, with each recording and each callchain stored once.
 */
#include "query/store_state.h"

#include <errno.h>
#include <limits.h>

#include "base/array.h"

#ifdef HAVE_SQLITE
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
	s->nr_large++;
	return sqlite3_bind_double(stmt, at, (double)v->number);
}

/* A range of a row's fields. */
struct span {
	unsigned int first, end;
};

static const struct span of_recording = { 0, EXPORT_FIELDS_SAME };
static const struct span of_host = { FIELD_HOST, FIELD_HOST + 2 };
static const struct span of_site = { FIELD_ALLOCATOR, FIELD_MODULE };
static const struct span of_stack = { FIELD_CALLSITE, FIELD_COMM };
static const struct span of_task = { FIELD_COMM, FIELD_CACHE };
static const struct span of_row = { FIELD_CACHE, EXPORT_FIELDS };

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
	return store_error(ret);
}

/* As step(), for a statement with one number: 1: @number has it; 0: no row. */
static int step_number(sqlite3_stmt *stmt, int bound, sqlite3_int64 *number)
{
	int ret = bound == SQLITE_OK ? sqlite3_step(stmt) : bound;

	if (ret == SQLITE_ROW)
		*number = sqlite3_column_int64(stmt, 0);
	sqlite3_reset(stmt);
	return ret == SQLITE_ROW ? 1 : store_error(ret);
}

/* Makes a key of @row's values of @span. */
static bool make_key(struct strbuf *key, const struct query_row *row, struct span span)
{
	strbuf_reset(key);
	for (unsigned int i = span.first; i < span.end; i++) {
		const struct query_value *v = &row->of[i];
		size_t size = export_fields[i].number ? sizeof(v->number) : v->size;

		if (!v->known)
			size = SIZE_MAX;
		strbuf_add(key, &size, sizeof(size));
		if (!v->known)
			continue;
		if (export_fields[i].number)
			strbuf_add(key, &v->number, sizeof(v->number));
		else
			strbuf_add(key, v->text, v->size);
	}
	return !key->failed;
}

static bool same_key(const struct strbuf *a, const struct strbuf *b)
{
	return a->size == b->size && a->size && !memcmp(a->data, b->data, a->size);
}

static void swap_keys(struct strbuf *a, struct strbuf *b)
{
	struct strbuf old = *a;

	*a = *b;
	*b = old;
}

/* Is this row's part an earlier file's? Sets @s->repeated. */
static int find_part(struct query_store *s, const struct query_row *row)
{
	static const struct span of_part[] = { { FIELD_RECORDING_ID, FIELD_HOST },
					       { FIELD_ALLOCATOR, FIELD_CALLSITE } };
	sqlite3_stmt *find = store_statement(s, STORE_FIND_PART), *add;
	sqlite3_int64 file = s->file;
	int ret, found;

	strbuf_reset(&s->key);
	strbuf_add(&s->key, row->of[FIELD_RECORDING_ID].text,
		   row->of[FIELD_RECORDING_ID].size);
	strbuf_add(&s->key, "", 1);
	strbuf_add(&s->key, row->of[FIELD_ALLOCATOR].text, row->of[FIELD_ALLOCATOR].size);
	if (s->key.failed || !find)
		return -ENOMEM;
	if (same_key(&s->key, &s->part_key))
		return 0;
	ret = bind_fields(s, find, 1, row, of_part[0]);
	if (ret == SQLITE_OK)
		ret = bind_fields(s, find, 2, row, of_part[1]);
	found = step_number(find, ret, &file);
	if (found < 0)
		return found;
	s->repeated = file != s->file;
	swap_keys(&s->key, &s->part_key);
	if (found)
		return 0;
	add = store_statement(s, STORE_ADD_PART);
	if (!add)
		return -ENOMEM;
	ret = bind_fields(s, add, 1, row, of_part[0]);
	if (ret == SQLITE_OK)
		ret = bind_fields(s, add, 2, row, of_part[1]);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(add, 3, s->file);
	return step(add, ret);
}

int store_end_recording(struct query_store *s)
{
	sqlite3_stmt *stmt;
	int ret = 0;

	if (s->nr_rows) {
		stmt = store_statement(s, STORE_COUNT_ROWS);
		if (!stmt)
			return -ENOMEM;
		sqlite3_bind_int64(stmt, 1, (sqlite3_int64)s->nr_rows);
		ret = step(stmt, sqlite3_bind_int64(stmt, 2, s->recording));
	}
	s->nr_rows = 0;
	strbuf_reset(&s->recording_key);
	return ret;
}

/* Sets @s->host to the row's machine. */
static int find_host(struct query_store *s, const struct query_row *row)
{
	sqlite3_stmt *find = store_statement(s, STORE_FIND_HOST), *add;
	int ret =
		find ? step_number(find, bind_fields(s, find, 1, row, of_host), &s->host)
		     : -ENOMEM;

	if (ret)
		return ret < 0 ? ret : 0;
	add = store_statement(s, STORE_ADD_HOST);
	ret = add ? step(add, bind_fields(s, add, 1, row, of_host)) : -ENOMEM;
	return ret ? ret : store_number(s, "SELECT last_insert_rowid()", &s->host);
}

static int add_recording(struct query_store *s, const struct query_row *row)
{
	sqlite3_stmt *stmt = store_statement(s, STORE_ADD_RECORDING);
	int ret;

	if (!stmt)
		return -ENOMEM;
	ret = sqlite3_bind_text(stmt, 1, strbuf_text(&s->name), -1, SQLITE_TRANSIENT);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(stmt, 2, 0);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(stmt, 3, s->host);
	if (ret == SQLITE_OK)
		ret = bind_fields(s, stmt, 4, row, of_recording);
	ret = step(stmt, ret);
	return ret ? ret : store_number(s, "SELECT last_insert_rowid()", &s->recording);
}

/* Sets @s->recording. */
static int find_recording(struct query_store *s, const struct query_row *row)
{
	sqlite3_stmt *stmt = store_statement(s, STORE_FIND_RECORDING);
	int ret;

	if (!make_key(&s->key, row, of_recording) || !stmt)
		return -ENOMEM;
	if (same_key(&s->key, &s->recording_key))
		return 0;
	ret = store_end_recording(s);
	if (!ret)
		ret = find_host(s, row);
	if (!ret)
		ret = step_number(stmt, bind_fields(s, stmt, 1, row, of_recording),
				  &s->recording);
	if (!ret)
		ret = add_recording(s, row);
	swap_keys(&s->key, &s->recording_key);
	return ret < 0 ? ret : 0;
}

/* Sets @id to the number in @names of the row's fields of @span; statement @add has a new one. */
static int find_name(struct query_store *s, struct intern *names, uint32_t *id,
		     const struct query_row *row, enum store_statement add)
{
	struct span span = add == STORE_ADD_STACK  ? of_stack
			   : add == STORE_ADD_TASK ? of_task
						   : of_site;
	uint32_t nr = names->count;
	sqlite3_stmt *stmt;
	int ret;

	*id = make_key(&s->key, row, span) ? intern_id(names, s->key.data, s->key.size)
					   : 0;
	if (!*id)
		return -ENOMEM;
	if (names->count == nr)
		return 0;
	stmt = store_statement(s, add);
	if (!stmt)
		return -ENOMEM;
	ret = sqlite3_bind_int64(stmt, 1, *id);
	if (ret == SQLITE_OK)
		ret = bind_fields(s, stmt, 2, row, span);
	return step(stmt, ret);
}

/* @sql: id, and the fields of @span. */
static int read_names(struct query_store *s, struct intern *names, const char *sql,
		      struct span span)
{
	sqlite3_stmt *stmt = NULL;
	struct query_row row = { 0 };
	int ret = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

	intern_free(names);
	while (ret == SQLITE_OK && (ret = sqlite3_step(stmt)) == SQLITE_ROW) {
		uint32_t id;

		for (unsigned int i = span.first; i < span.end; i++) {
			int at = (int)(i - span.first) + 1;

			row.of[i].text = sqlite3_column_blob(stmt, at);
			row.of[i].size = (size_t)sqlite3_column_bytes(stmt, at);
			row.of[i].known = sqlite3_column_type(stmt, at) != SQLITE_NULL;
		}
		id = make_key(&s->key, &row, span)
			     ? intern_id(names, s->key.data, s->key.size)
			     : 0;
		ret = !id				    ? SQLITE_NOMEM
		      : sqlite3_column_int64(stmt, 0) == id ? SQLITE_OK
							    : SQLITE_CORRUPT;
	}
	sqlite3_finalize(stmt);
	return store_error(ret);
}

int store_read_names(struct query_store *s)
{
	int ret = read_names(
		s, &s->stacks,
		"SELECT id, callsite, module, stack, stack_id, entry FROM _stack ORDER BY id",
		of_stack);

	if (!ret)
		ret = read_names(
			s, &s->callsites,
			"SELECT id, allocator, callsite FROM _callsite ORDER BY id",
			of_site);
	return ret ? ret
		   : read_names(s, &s->tasks,
				"SELECT id, comm, process, cgroup FROM _task ORDER BY id",
				of_task);
}

/* Adds the row's figures to the sums of callsite @site. A sum is floating point if one of its
 * values is.
 */
static int add_sums(struct query_store *s, const struct query_row *row, uint32_t site)
{
	const sqlite3_int64 key[] = { s->recording, site };
	uint32_t nr = s->sums_of.count, id = intern_id(&s->sums_of, key, sizeof(key));
	struct site_sums *sums;

	if (!id || array_reserve(&s->sums, &s->sums_capacity, id, sizeof(*sums)))
		return -ENOMEM;
	sums = &s->sums[id - 1];
	if (s->sums_of.count > nr)
		*sums = (struct site_sums){ s->recording, s->host, site, { { 0 } } };
	for (unsigned int i = 0; i < METRICS; i++) {
		const struct query_value *v = &row->of[FIELD_FIRST_METRIC + i];

		if (!v->known)
			continue;
		sums->of[i].known = true;
		sums->of[i].real += (double)v->number;
		if (v->number > INT64_MAX)
			sums->of[i].is_real = true;
		else if (!sums->of[i].is_real &&
			 __builtin_add_overflow(sums->of[i].whole,
						(sqlite3_int64)v->number,
						&sums->of[i].whole))
			return -EOVERFLOW;
	}
	return 0;
}

int store_end_sums(struct query_store *s)
{
	sqlite3_stmt *stmt = store_statement(s, STORE_ADD_SUMS);
	int ret = stmt ? 0 : -ENOMEM;

	for (uint32_t id = 0; id < s->sums_of.count && !ret; id++) {
		const struct site_sums *sums = &s->sums[id];

		sqlite3_bind_int64(stmt, 1, sums->site);
		sqlite3_bind_int64(stmt, 2, sums->host);
		sqlite3_bind_int64(stmt, 3, sums->recording);
		for (int i = 0; i < (int)METRICS; i++) {
			if (!sums->of[i].known)
				sqlite3_bind_null(stmt, 4 + i);
			else if (sums->of[i].is_real)
				sqlite3_bind_double(stmt, 4 + i, sums->of[i].real);
			else
				sqlite3_bind_int64(stmt, 4 + i, sums->of[i].whole);
		}
		ret = step(stmt, SQLITE_OK);
	}
	store_drop_sums(s);
	return ret;
}

void store_drop_sums(struct query_store *s)
{
	intern_free(&s->sums_of);
}

int query_store_add(struct query_store *s, const struct query_row *row)
{
	int ret = find_part(s, row);
	sqlite3_stmt *stmt;
	uint32_t stack, site, task;

	if (ret)
		return ret;
	if (s->repeated) {
		s->nr_repeated++;
		return 0;
	}
	ret = find_recording(s, row);
	if (!ret)
		ret = find_name(s, &s->stacks, &stack, row, STORE_ADD_STACK);
	if (!ret)
		ret = find_name(s, &s->callsites, &site, row, STORE_ADD_CALLSITE);
	if (!ret)
		ret = find_name(s, &s->tasks, &task, row, STORE_ADD_TASK);
	if (!ret)
		ret = add_sums(s, row, site);
	stmt = ret ? NULL : store_statement(s, STORE_ADD_ROW);
	if (!stmt)
		return ret ? ret : -ENOMEM;
	ret = sqlite3_bind_int64(stmt, 1, s->recording);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(stmt, 2, stack);
	if (ret == SQLITE_OK)
		ret = bind(s, stmt, 3, row, FIELD_ALLOCATOR);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(stmt, 4, task);
	if (ret == SQLITE_OK)
		ret = bind_fields(s, stmt, 5, row, of_row);
	ret = step(stmt, ret);
	s->nr_rows += !ret;
	return ret;
}

#else

int query_store_add(struct query_store *s, const struct query_row *row)
{
	return -ENOTSUP;
}

#endif
