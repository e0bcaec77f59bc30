// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: rows of a store.
 * In: rows. Out: the tables' rows, with each recording and each callchain stored once.
 */
#include "query/store_state.h"

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
static const struct span of_balance = { FIELD_BALANCE, FIELD_ALLOCATOR };
static const struct span of_host = { FIELD_HOST, FIELD_HOST + 2 };
static const struct span of_site = { FIELD_ALLOCATOR, FIELD_MODULE };
static const struct span of_allocator = { FIELD_ALLOCATOR, FIELD_CALLSITE };
static const struct span of_chain = { FIELD_ALLOCATOR, FIELD_COMM };
static const struct span of_task = { FIELD_COMM, FIELD_CACHE };
static const struct span of_kind = { FIELD_CACHE, FIELD_FIRST_METRIC };
static const struct span of_row = { FIELD_FIRST_METRIC, EXPORT_FIELDS };

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
		bool number = export_fields[i].number;
		size_t size = number ? v->number > INT64_MAX : v->size;
		/* As in the table: large numbers that it cannot tell apart are the same. */
		double large = (double)v->number;

		if (!v->known)
			size = SIZE_MAX;
		strbuf_add(key, &size, sizeof(size));
		if (!v->known)
			continue;
		if (number && size)
			strbuf_add(key, &large, sizeof(large));
		else if (number)
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

/* The first row of a recording has its balance, but rows may have been sorted. */
static int set_balance(struct query_store *s, const struct query_row *row)
{
	sqlite3_stmt *stmt = store_statement(s, STORE_SET_BALANCE);
	int ret;

	if (!stmt)
		return -ENOMEM;
	ret = bind_fields(s, stmt, 1, row, of_balance);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(stmt, 2, s->recording);
	return step(stmt, ret);
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
	struct span span = add == STORE_ADD_CHAIN	? of_chain
			   : add == STORE_ADD_TASK	? of_task
			   : add == STORE_ADD_KIND	? of_kind
			   : add == STORE_ADD_ALLOCATOR ? of_allocator
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

/* A number that bind() has bound, or one with the same place in the table. */
static uint64_t whole(sqlite3_stmt *stmt, int at)
{
	double large;

	if (sqlite3_column_type(stmt, at) != SQLITE_FLOAT)
		return (uint64_t)sqlite3_column_int64(stmt, at);
	large = sqlite3_column_double(stmt, at);
	return large < 0x1p63 ? 0 : large < 0x1p64 ? (uint64_t)large : UINT64_MAX;
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

			row.of[i].known = sqlite3_column_type(stmt, at) != SQLITE_NULL;
			if (export_fields[i].number) {
				row.of[i].number = whole(stmt, at);
				continue;
			}
			row.of[i].text = sqlite3_column_blob(stmt, at);
			row.of[i].size = (size_t)sqlite3_column_bytes(stmt, at);
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
	const struct {
		struct intern *names;
		const char *sql;
		struct span span;
	} all[] = {
		{ &s->chains,
		  "SELECT id, allocator, callsite, module, stack, stack_id, entry FROM _chain"
		  " ORDER BY id",
		  of_chain },
		{ &s->callsites,
		  "SELECT id, allocator, callsite FROM _callsite ORDER BY id", of_site },
		{ &s->tasks, "SELECT id, comm, process, cgroup FROM _task ORDER BY id",
		  of_task },
		{ &s->kinds,
		  "SELECT id, cache, \"order\", migratetype, gfp FROM _kind ORDER BY id",
		  of_kind },
		{ &s->allocators, "SELECT id, allocator FROM _allocator ORDER BY id",
		  of_allocator },
	};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all) && !ret; i++)
		ret = read_names(s, all[i].names, all[i].sql, all[i].span);
	if (s->chain_names_capacity)
		memset(s->chain_names, 0,
		       s->chain_names_capacity * sizeof(*s->chain_names));
	return ret;
}

/* Sets @names to the numbers of callsite and allocator of the row's callchain @chain. */
static int find_chain_names(struct query_store *s, const struct query_row *row,
			    uint32_t chain, struct chain_names *names)
{
	size_t old = s->chain_names_capacity;
	struct chain_names *known;
	int ret = 0;

	if (array_reserve(&s->chain_names, &s->chain_names_capacity, chain,
			  sizeof(*s->chain_names)))
		return -ENOMEM;
	if (s->chain_names_capacity > old)
		memset(s->chain_names + old, 0,
		       (s->chain_names_capacity - old) * sizeof(*s->chain_names));
	known = &s->chain_names[chain - 1];
	if (!known->site)
		ret = find_name(s, &s->callsites, &known->site, row, STORE_ADD_CALLSITE);
	if (!ret && !known->allocator)
		ret = find_name(s, &s->allocators, &known->allocator, row,
				STORE_ADD_ALLOCATOR);
	*names = *known;
	return ret;
}

/* The numbers of a row's names. */
struct row_ids {
	uint32_t chain, task, kind;
	struct chain_names of_chain;
};

static int find_names(struct query_store *s, const struct query_row *row,
		      struct row_ids *ids)
{
	int ret = find_name(s, &s->chains, &ids->chain, row, STORE_ADD_CHAIN);

	if (!ret)
		ret = find_name(s, &s->tasks, &ids->task, row, STORE_ADD_TASK);
	if (!ret)
		ret = find_name(s, &s->kinds, &ids->kind, row, STORE_ADD_KIND);
	return ret ? ret : find_chain_names(s, row, ids->chain, &ids->of_chain);
}

static int add_sums(struct query_store *s, const struct query_row *row,
		    const struct row_ids *ids)
{
	const struct store_sums_key keys[STORE_SUMS] = {
		[STORE_BY_SITE] = { { ids->of_chain.site, s->host, s->recording } },
		[STORE_BY_CHAIN] = { { ids->chain, s->host, s->recording } },
		[STORE_BY_TASK] = { { ids->of_chain.allocator, ids->task, s->host,
				      s->recording } },
	};
	int ret = 0;

	for (int i = 0; i < STORE_SUMS && !ret; i++)
		ret = store_add_sums(s, (enum store_sums)i, &keys[i], row);
	return ret;
}

int query_store_add(struct query_store *s, const struct query_row *row)
{
	int ret = find_part(s, row);
	sqlite3_stmt *stmt;
	struct row_ids ids;

	if (ret)
		return ret;
	if (s->repeated) {
		s->nr_repeated++;
		return 0;
	}
	ret = find_recording(s, row);
	if (!ret && row->of[FIELD_BALANCE].known)
		ret = set_balance(s, row);
	if (!ret)
		ret = find_names(s, row, &ids);
	if (!ret)
		ret = add_sums(s, row, &ids);
	stmt = ret ? NULL : store_statement(s, STORE_ADD_ROW);
	if (!stmt)
		return ret ? ret : -ENOMEM;
	ret = sqlite3_bind_int64(stmt, 1, ids.chain);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(stmt, 2, s->recording);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(stmt, 3, ids.task);
	if (ret == SQLITE_OK)
		ret = sqlite3_bind_int64(stmt, 4, ids.kind);
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
