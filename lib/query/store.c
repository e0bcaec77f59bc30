// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: a database of rows of many recordings, in memory or in a file.
 * In: rows. Out: SQLite tables, with each recording and each callchain stored once.
 */
#include "query/store_state.h"

#ifdef HAVE_SQLITE
/* Limits of a value, including function results, and of the SQL text. */
#define VALUE_MAX (64 << 20)
#define SQL_MAX	  (1 << 20)

/* How long to wait for another process that writes the same file. */
#define BUSY_MS "60000"

/* Limits what SQL can create. An unknown name in double quotes is an error, not a text. A file's
 * own schema must not call functions.
 */
static int limit(struct query_store *s)
{
	static const struct {
		int option, value;
	} config[] = {
		{ SQLITE_DBCONFIG_DQS_DML, 0 },
		{ SQLITE_DBCONFIG_DQS_DDL, 0 },
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
	};

	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_SQL_LENGTH, SQL_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
	for (size_t i = 0; i < ARRAY_SIZE(config); i++) {
		if (sqlite3_db_config(s->db, config[i].option, config[i].value, NULL) !=
		    SQLITE_OK)
			return -ENOMEM;
	}
	return query_functions_add(s->db);
}

int query_store_open(struct query_store **out, const char *path, uint64_t memory)
{
	struct query_store *s;
	int ret = query_store_load();

	*out = NULL;
	if (ret)
		return ret;
	*out = s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->on_disk = path != NULL;
	s->stale = s->on_disk;
	sqlite3_hard_heap_limit64(memory < INT64_MAX ? (sqlite3_int64)memory : INT64_MAX);
	ret = store_error(sqlite3_open_v2(
		path ? path : ":memory:", &s->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL));
	ret = ret ?: store_run(s, "PRAGMA busy_timeout = " BUSY_MS);
	ret = ret ?: limit(s);
	return ret ?: store_create(s);
}

static int count_all(struct query_store *s)
{
	static const char sql[] =
		"SELECT count(DISTINCT recording_id), count(DISTINCT host),"
		" count(DISTINCT CASE WHEN " UNTRUSTED " THEN recording_id END),"
		" count(DISTINCT CASE WHEN " PARTIAL " THEN recording_id END),"
		" coalesce(sum(nr_rows), 0), nr_files, nr_unreadable, nr_repeated, nr_large"
		" FROM (SELECT count(*) AS nr_files,"
		" count(problem) AS nr_unreadable, coalesce(sum(repeated), 0) AS nr_repeated,"
		" coalesce(sum(large), 0) AS nr_large FROM _file) LEFT JOIN _recording";
	struct query_totals *t = &s->totals;
	uint64_t *const to[] = { &t->recordings, &t->hosts,    &t->untrusted,
				 &t->partial,	 &t->rows,     &t->files,
				 &t->unreadable, &t->repeated, &t->large };
	sqlite3_int64 numbers[ARRAY_SIZE(to)] = { 0 };
	int ret = store_numbers(s, sql, numbers, ARRAY_SIZE(to));

	for (size_t i = 0; i < ARRAY_SIZE(to); i++)
		*to[i] = (uint64_t)numbers[i];
	return ret;
}

/* Frees what is only needed for adding rows. */
static void end_adding(struct query_store *s)
{
	for (size_t i = 0; i < STORE_STATEMENTS; i++) {
		sqlite3_finalize(s->statements[i]);
		s->statements[i] = NULL;
	}
	for (size_t i = 0; i < STORE_NAMES; i++)
		intern_free(&s->names[i]);
	free(s->chain_names);
	s->chain_names = NULL;
	s->nr_chain_names = s->chain_names_capacity = 0;
	store_drop_sums(s);
	strbuf_free(&s->path);
	strbuf_free(&s->name);
	strbuf_free(&s->recording_key);
	strbuf_free(&s->part_key);
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
	int ret = store_end_file(s);

	ret = ret ?: store_commit(s);
	ret = ret ?: count_all(s);
	end_adding(s);
	/* The first use of json_each() creates a table in memory, which queries may not do. If
	 * SQLite lacks it, queries that need it fail.
	 */
	sqlite3_exec(s->db, "SELECT 1 FROM json_each('[]')", NULL, NULL, NULL);
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
	sqlite3_set_authorizer(s->db, NULL, NULL);
	sqlite3_close(s->db);
	free(s);
}

#endif
