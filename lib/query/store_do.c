// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): the statements that fill a store.
 * In: their values. Out: the tables' rows, or numbers from them.
 */
#include "query/store_state.h"

#ifdef HAVE_SQLITE

/* Appends SQL that adds a row to a table; all its columns are parameters. */
static void put_insert(struct strbuf *sql, const struct store_table *t)
{
	const char *first = t->first;
	unsigned int nr = t->to - t->from;

	strbuf_printf(sql, "INSERT INTO %s (", t->name);
	for (;; first += strspn(first, ", ")) {
		strbuf_add(sql, first, strcspn(first, " "));
		nr++;
		first += strcspn(first, ",");
		if (!*first)
			break;
		strbuf_puts(sql, ", ");
	}
	for (unsigned int i = t->from; i < t->to; i++)
		strbuf_printf(sql, ", \"%s\"", export_fields[i].name);
	strbuf_puts(sql, ") VALUES (?");
	while (--nr)
		strbuf_puts(sql, ", ?");
	strbuf_puts(sql, ")");
}

/* Selects the parts to remove; the condition follows. */
#define GONE                                                                         \
	"INSERT INTO gone SELECT _recording.id, allocator, recording_id, _part.file" \
	" FROM _part CROSS JOIN _recording USING (recording_id) WHERE "

/* Appends the SQL of a statement. */
static void put_statement(struct strbuf *sql, unsigned int which)
{
	static const char *const plain[STORE_STATEMENTS] = {
		[STORE_FIND_RECORDING] =
			"SELECT id FROM _recording WHERE recording_id = ?",
		[STORE_COUNT_ROWS] =
			"UPDATE _recording SET nr_rows = nr_rows + ?, factor = " FACTOR
			" WHERE id = ?",
		[STORE_SET_BALANCE] = "UPDATE _recording SET balance = ? WHERE id = ?",
		[STORE_FIND_PART] =
			"SELECT file FROM _part WHERE recording_id = ? AND allocator = ?",
		[STORE_ADD_PART] = "INSERT INTO _part VALUES (?, ?, ?)",
		[STORE_FIND_FILE] =
			"SELECT id, size, mtime_ns, how, content FROM _file WHERE path = ?",
		[STORE_ADD_FILE] =
			"INSERT INTO _file (path, name, size, mtime_ns, how, content,"
			" repeated, large, problem) VALUES (?, ?, ?, ?, ?, ?, 0, 0, NULL)",
		[STORE_TOUCH_FILE] = "UPDATE _file SET mtime_ns = ? WHERE path = ?",
		[STORE_END_FILE] =
			"UPDATE _file SET repeated = ?, large = ?, first_row = ?,"
			" last_row = (SELECT max(rowid) FROM _row) WHERE id = ?",
		[STORE_SET_PROBLEM] = "UPDATE _file SET problem = ? WHERE id = ?",
		[STORE_REMOVE_FILE] = "DELETE FROM _file WHERE id = ?",
		/* Files that old are not read again. */
		[STORE_EXPIRE_FILES] =
			"DELETE FROM _file WHERE mtime_ns / 1000000000 < ? AND"
			" NOT EXISTS (SELECT 1 FROM _part WHERE file = _file.id)",
		[STORE_GONE_WITH_FILE] = GONE "_part.file = ?",
		[STORE_GONE_BEFORE] = GONE "start_unix < ?",
		[STORE_FIND_HOST] =
			"SELECT id FROM _host WHERE host IS ? AND machine IS ?",
	};

	if (which < STORE_TABLES)
		put_insert(sql, &store_tables[which]);
	else
		/* cppcheck-suppress arrayIndexOutOfBoundsCond ; it misreads the enum */
		strbuf_puts(sql, plain[which]);
	for (unsigned int i = 1; which == STORE_FIND_RECORDING && i < EXPORT_FIELDS_SAME;
	     i++)
		strbuf_printf(sql, " AND \"%s\" IS ?", export_fields[i].name);
}

/* The statement, ready to be bound; NULL: no memory, or the tables are damaged. */
static sqlite3_stmt *statement(struct query_store *s, unsigned int which)
{
	struct strbuf __auto_free sql = { 0 };

	if (s->statements[which])
		return s->statements[which];
	put_statement(&sql, which);
	if (!sql.failed &&
	    sqlite3_prepare_v3(s->db, strbuf_text(&sql), -1, SQLITE_PREPARE_PERSISTENT,
			       &s->statements[which], NULL) != SQLITE_OK)
		s->statements[which] = NULL;
	return s->statements[which];
}

/* SQLite has signed 64-bit integers. Larger numbers are stored as floating point, as SQL itself
 * reads them.
 */
static int bind_field(struct query_store *s, sqlite3_stmt *stmt, int at,
		      const struct export_value *v, bool number)
{
	if (!v->known)
		return sqlite3_bind_null(stmt, at);
	if (!number)
		return sqlite3_bind_text64(stmt, at, v->text, v->size, SQLITE_STATIC,
					   SQLITE_UTF8);
	if (v->number <= INT64_MAX)
		return sqlite3_bind_int64(stmt, at, (sqlite3_int64)v->number);
	s->nr_large++;
	return sqlite3_bind_double(stmt, at, (double)v->number);
}

/* Binds @v from *@at on, and moves *@at after it. Returns SQLite's result. */
static int bind(struct query_store *s, sqlite3_stmt *stmt, int *at,
		const struct store_value *v)
{
	int ret = SQLITE_OK;

	if (v->type == STORE_NUMBER)
		ret = sqlite3_bind_int64(stmt, (*at)++, v->number);
	else if (v->type == STORE_REAL)
		ret = sqlite3_bind_double(stmt, (*at)++, v->real);
	else if (v->type == STORE_TEXT)
		ret = sqlite3_bind_text(stmt, (*at)++, v->text, -1, SQLITE_STATIC);
	for (unsigned int i = v->first; i < v->end && ret == SQLITE_OK; i++)
		ret = bind_field(s, stmt, (*at)++, &v->row->of[i],
				 export_fields[i].number);
	return ret;
}

int store_do(struct query_store *s, unsigned int which, sqlite3_int64 *to,
	     const struct store_value *values, size_t nr)
{
	sqlite3_stmt *stmt = statement(s, which);
	int ret = SQLITE_OK, at = 1;

	if (!stmt)
		return -ENOMEM;
	for (size_t i = 0; i < nr && ret == SQLITE_OK; i++)
		ret = bind(s, stmt, &at, &values[i]);
	if (ret == SQLITE_OK)
		ret = sqlite3_step(stmt);
	for (int i = 0; ret == SQLITE_ROW && i < sqlite3_column_count(stmt); i++)
		to[i] = sqlite3_column_int64(stmt, i);
	if (ret == SQLITE_DONE && to && !sqlite3_column_count(stmt))
		*to = sqlite3_last_insert_rowid(s->db);
	sqlite3_reset(stmt);
	return ret == SQLITE_ROW ? 1 : store_error(ret);
}
#endif
