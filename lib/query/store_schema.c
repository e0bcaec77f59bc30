// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): the tables of a store.
 * In: a database, empty or of another version. Out: tables, views, statements to fill them.
 */
#include "query/store_state.h"

#ifdef HAVE_SQLITE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define APPLICATION_ID 0x6b6d7871 /* "kmxq" */
#define FORMAT	       3

static const char *type_of(unsigned int field)
{
	return export_fields[field].number ? " INTEGER" : " TEXT";
}

/* Appends the columns from @first to before @end, each after @lead, with its type if @types. */
static void put_columns(struct strbuf *sql, unsigned int first, unsigned int end,
			const char *lead, bool types)
{
	for (unsigned int i = first; i < end; i++)
		strbuf_printf(sql, "%s%s\"%s\"%s", i ? ", " : "", lead,
			      export_fields[i].name, types ? type_of(i) : "");
}

/* The tables that hold columns of rows: those that another version may have more or fewer of. */
static const struct {
	const char *name, *first, *last;
	unsigned int from, to;
} tables[] = {
	{ "_recording",
	  "id INTEGER PRIMARY KEY, nr_rows INTEGER, file TEXT, host_id INTEGER", "", 0,
	  EXPORT_FIELDS_SAME },
	{ "_stack", "id INTEGER PRIMARY KEY", "", FIELD_CALLSITE, FIELD_COMM },
	{ "_row", "recording INTEGER, stack INTEGER, allocator TEXT, task INTEGER", "",
	  FIELD_CACHE, EXPORT_FIELDS },
	/* Sums, by which most queries read a fourth of the rows, and no callchain. Their order
	 * saves sorting: a callsite's hosts, a host's recordings.
	 */
	{ "_site", "site INTEGER, host INTEGER, recording INTEGER",
	  ", PRIMARY KEY (site, host, recording)", FIELD_FIRST_METRIC, EXPORT_FIELDS },
	/* The paths of control groups are long. */
	{ "_task", "id INTEGER PRIMARY KEY", "", FIELD_COMM, FIELD_CACHE },
};

static void put_tables(struct strbuf *sql)
{
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		strbuf_printf(sql, "CREATE TABLE IF NOT EXISTS %s (%s", tables[t].name,
			      tables[t].first);
		for (unsigned int i = tables[t].from; i < tables[t].to; i++)
			strbuf_printf(sql, ", \"%s\"%s", export_fields[i].name,
				      type_of(i));
		strbuf_printf(sql, "%s)%s;", tables[t].last,
			      *tables[t].last ? " WITHOUT ROWID" : "");
	}
	strbuf_puts(
		sql,
		"CREATE INDEX IF NOT EXISTS _recording_of ON _recording(recording_id);"
		/* A recording's rows of one allocator are from one file. */
		"CREATE TABLE IF NOT EXISTS _part (recording_id TEXT, allocator TEXT,"
		" file INTEGER, PRIMARY KEY (recording_id, allocator)) WITHOUT ROWID;"
		"CREATE INDEX IF NOT EXISTS _part_of ON _part(file);"
		"CREATE TABLE IF NOT EXISTS _file (id INTEGER PRIMARY KEY, path TEXT UNIQUE,"
		" name TEXT, size INTEGER, mtime_ns INTEGER, how INTEGER, content INTEGER,"
		" repeated INTEGER, large INTEGER, problem TEXT, first_row INTEGER,"
		" last_row INTEGER);"
		"CREATE INDEX IF NOT EXISTS _file_of ON _file(content);"
		"CREATE TABLE IF NOT EXISTS _callsite (id INTEGER PRIMARY KEY,"
		" allocator TEXT, callsite TEXT);"
		"CREATE TABLE IF NOT EXISTS _host (id INTEGER PRIMARY KEY, host TEXT,"
		" machine TEXT);"
		"CREATE INDEX IF NOT EXISTS _host_of ON _host(host, machine);");
}

/* CROSS JOIN fixes the order, so that the rows are scanned once. */
static void put_views(struct strbuf *sql)
{
	strbuf_puts(sql, "CREATE VIEW allocations AS SELECT ");
	put_columns(sql, 0, EXPORT_FIELDS_SAME, "_recording.", false);
	put_columns(sql, FIELD_ALLOCATOR, FIELD_CALLSITE, "_row.", false);
	put_columns(sql, FIELD_CALLSITE, FIELD_COMM, "_stack.", false);
	put_columns(sql, FIELD_COMM, FIELD_CACHE, "_task.", false);
	put_columns(sql, FIELD_CACHE, EXPORT_FIELDS, "_row.", false);
	strbuf_puts(sql, " FROM _row CROSS JOIN _recording ON _recording.id = recording"
			 " CROSS JOIN _stack ON _stack.id = _row.stack"
			 " CROSS JOIN _task ON _task.id = _row.task;"
			 "CREATE VIEW sites AS SELECT ");
	put_columns(sql, 0, EXPORT_FIELDS_SAME, "_recording.", false);
	put_columns(sql, FIELD_ALLOCATOR, FIELD_MODULE, "_callsite.", false);
	put_columns(sql, FIELD_FIRST_METRIC, EXPORT_FIELDS, "_site.", false);
	strbuf_puts(sql, ", site AS site_id, _site.host AS host_id"
			 " FROM _site CROSS JOIN _recording ON _recording.id = recording"
			 " CROSS JOIN _callsite ON _callsite.id = site;"
			 "CREATE VIEW trusted AS SELECT ");
	put_columns(sql, 0, EXPORT_FIELDS_SAME, "", false);
	put_columns(sql, FIELD_ALLOCATOR, FIELD_MODULE, "", false);
	/* 1/16: one in 16 objects was recorded. */
	for (unsigned int i = FIELD_FIRST_METRIC; i < EXPORT_FIELDS; i++)
		strbuf_printf(
			sql,
			", \"%s\" * max(1, ifnull(CAST(substr(sample, 3) AS INTEGER), 1))"
			" AS \"%s\"",
			export_fields[i].name, export_fields[i].name);
	strbuf_puts(sql,
		    ", site_id, host_id"
		    " FROM sites WHERE NOT " UNTRUSTED " AND scope IS NULL;"
		    "CREATE VIEW callsites AS SELECT id AS site_id, allocator, callsite"
		    " FROM _callsite;"
		    "CREATE VIEW hosts AS SELECT id AS host_id, host, machine FROM _host;"
		    "CREATE VIEW recordings AS SELECT ");
	put_columns(sql, 0, EXPORT_FIELDS_SAME, "", false);
	strbuf_puts(
		sql,
		", nr_rows, file, NOT " UNTRUSTED " AND scope IS NULL AS is_trusted"
		" FROM _recording;"
		"CREATE VIEW files AS SELECT name AS file, size, mtime_ns / 1000000000"
		" AS mtime_unix, repeated, problem FROM _file;");
}

/* Is there a column @name in @table? */
static int has_column(struct query_store *s, const char *table, const char *name)
{
	struct strbuf sql = { 0 };
	sqlite3_int64 nr = 0;
	int ret;

	strbuf_printf(&sql,
		      "SELECT count(*) FROM pragma_table_info('%s') WHERE name = '%s'",
		      table, name);
	ret = sql.failed ? -ENOMEM : store_number(s, strbuf_text(&sql), &nr);
	strbuf_free(&sql);
	return ret ? ret : nr != 0;
}

/* Does the file have table @t? It does if it has the first column. */
static int has_table(struct query_store *s, size_t t)
{
	const char *first = tables[t].first;
	char name[16];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(first, " "), first);
	return has_column(s, tables[t].name, name);
}

/* Adds columns that an older version did not have to tables that it had. 1: some; 0: none. */
static int put_missing(struct query_store *s, struct strbuf *sql)
{
	int ret = 0, has;

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		unsigned int i = tables[t].from;

		has = has_table(s, t);
		for (; has && i < tables[t].to; i++) {
			has = has_column(s, tables[t].name, export_fields[i].name);
			if (has < 0)
				return has;
			if (has)
				continue;
			ret = has = 1;
			strbuf_printf(sql, "ALTER TABLE %s ADD COLUMN \"%s\"%s;",
				      tables[t].name, export_fields[i].name, type_of(i));
		}
		if (has < 0)
			return has;
	}
	return ret;
}

/* From format 1, which has sums by names and an index for all rows. A file's rows are next to each
 * other.
 */
static void put_migration(struct strbuf *sql)
{
	strbuf_puts(sql,
		    "DROP TABLE _site; ALTER TABLE _recording ADD COLUMN host_id INTEGER;"
		    "ALTER TABLE _file ADD COLUMN first_row INTEGER;"
		    "ALTER TABLE _file ADD COLUMN last_row INTEGER;");
	put_tables(sql);
	strbuf_puts(
		sql,
		"UPDATE _file SET (first_row, last_row) = (SELECT min(_row.rowid),"
		" max(_row.rowid) FROM _part CROSS JOIN _recording USING (recording_id)"
		" CROSS JOIN _row ON _row.recording = _recording.id"
		" AND _row.allocator = _part.allocator WHERE _part.file = _file.id);"
		"DROP INDEX _row_of;"
		"INSERT INTO _host (host, machine) SELECT DISTINCT host, machine"
		" FROM _recording;"
		"UPDATE _recording SET host_id = (SELECT id FROM _host WHERE"
		" _host.host IS _recording.host AND _host.machine IS _recording.machine);"
		"INSERT INTO _callsite (allocator, callsite) SELECT DISTINCT allocator,"
		" callsite FROM _row CROSS JOIN _stack ON _stack.id = _row.stack;"
		"INSERT INTO _site (site, host, recording");
	for (unsigned int i = FIELD_FIRST_METRIC; i < EXPORT_FIELDS; i++)
		strbuf_printf(sql, ", \"%s\"", export_fields[i].name);
	strbuf_puts(sql, ") SELECT _callsite.id, host_id, recording");
	for (unsigned int i = FIELD_FIRST_METRIC; i < EXPORT_FIELDS; i++)
		strbuf_printf(sql, ", sum(_row.\"%s\")", export_fields[i].name);
	strbuf_puts(sql, " FROM _row CROSS JOIN _stack ON _stack.id = _row.stack"
			 " JOIN _callsite USING (allocator, callsite)"
			 " CROSS JOIN _recording ON _recording.id = recording"
			 " GROUP BY 1, 2, 3;");
}

/* From format 2, in which rows have the task's name. An index makes this fast. */
static void put_tasks(struct strbuf *sql)
{
	put_tables(sql);
	strbuf_puts(sql, "ALTER TABLE _row ADD COLUMN task INTEGER;"
			 "INSERT INTO _task (comm) SELECT DISTINCT comm FROM _row;"
			 "CREATE INDEX _task_of ON _task(comm);"
			 "UPDATE _row SET task = (SELECT id FROM _task"
			 " WHERE _task.comm IS _row.comm), comm = NULL;"
			 "DROP INDEX _task_of;");
}

/* @format: that of the file; 0: it is empty. */
static int fill_database(struct query_store *s, int format)
{
	struct strbuf sql = { 0 };
	int ret = 0;

	strbuf_puts(&sql, "DROP VIEW IF EXISTS allocations; DROP VIEW IF EXISTS sites;"
			  "DROP VIEW IF EXISTS recordings; DROP VIEW IF EXISTS files;"
			  "DROP VIEW IF EXISTS trusted; DROP VIEW IF EXISTS callsites;"
			  "DROP VIEW IF EXISTS hosts;");
	if (format)
		ret = put_missing(s, &sql);

	if (ret >= 0 && (ret || format != FORMAT)) {
		if (ret) /* Files that are still there have these columns. */
			strbuf_puts(&sql, "UPDATE _file SET size = -1;");
		if (!format)
			put_tables(&sql);
		else if (format == 1)
			put_migration(&sql);
		if (format && format < FORMAT)
			put_tasks(&sql);
		put_views(&sql);
		strbuf_printf(&sql,
			      "PRAGMA application_id = %d; PRAGMA user_version = %d;",
			      APPLICATION_ID, FORMAT);
		ret = sql.failed ? -ENOMEM : store_run(s, strbuf_text(&sql));
	}
	strbuf_free(&sql);
	return ret;
}

/* The format of a store; 0: an empty file. */
static int recognise(struct query_store *s)
{
	sqlite3_int64 application = 0, format = 0, nr = 0;
	int ret = store_number(s, "PRAGMA application_id", &application);

	if (!ret)
		ret = store_number(s, "PRAGMA user_version", &format);
	if (!ret)
		ret = store_number(s, "SELECT count(*) FROM sqlite_master", &nr);
	if (ret)
		return ret;
	if (application != APPLICATION_ID)
		return nr || application ? -EEXIST : 0;
	return format > FORMAT || format < 1 ? -EPROTO : (int)format;
}

int store_create(struct query_store *s)
{
	int ret = 0, known;

	if (s->on_disk) {
		ret = recognise(s);
		/* Only now: this writes to the file. */
		if (ret >= 0)
			ret = store_run(
				s,
				"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"
				"PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;");
	} else {
		ret = store_run(s, "PRAGMA journal_mode = OFF;");
	}
	if (!ret)
		ret = store_run(s, "PRAGMA temp_store = MEMORY;");
	known = ret ? ret : recognise(s);
	if (known > 0)
		ret = put_missing(s, &s->key);
	strbuf_reset(&s->key);
	if (ret < 0 || known < 0 || (known == FORMAT && !ret))
		return known < 0 ? known : ret;
	/* Another process may do the same now. */
	ret = store_run(s, "BEGIN IMMEDIATE");
	known = ret ? ret : recognise(s);
	if (known >= 0)
		known = fill_database(s, known);
	return known < 0 ? known : store_run(s, "COMMIT");
}

static void put_marks(struct strbuf *sql, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		strbuf_puts(sql, i ? ", ?" : "?");
	strbuf_puts(sql, ")");
}

/* INSERT INTO table @t; the columns @more come before those of rows. */
static void put_insert(struct strbuf *sql, size_t t, const char *more,
		       unsigned int nr_more)
{
	strbuf_printf(sql, "INSERT INTO %s (%s", tables[t].name, more);
	for (unsigned int i = tables[t].from; i < tables[t].to; i++)
		strbuf_printf(sql, ", \"%s\"", export_fields[i].name);
	strbuf_puts(sql, ") VALUES (");
	put_marks(sql, nr_more + tables[t].to - tables[t].from);
}

static void put_find_recording(struct strbuf *sql)
{
	strbuf_puts(sql, "SELECT id FROM _recording WHERE recording_id = ?");
	for (unsigned int i = 1; i < EXPORT_FIELDS_SAME; i++)
		strbuf_printf(sql, " AND \"%s\" IS ?", export_fields[i].name);
}

static void put_statement(struct strbuf *sql, enum store_statement which)
{
	static const char *const plain[STORE_STATEMENTS] = {
		[STORE_COUNT_ROWS] =
			"UPDATE _recording SET nr_rows = nr_rows + ? WHERE id = ?",
		[STORE_FIND_PART] =
			"SELECT file FROM _part WHERE recording_id = ? AND allocator = ?",
		[STORE_ADD_PART] = "INSERT INTO _part VALUES (?, ?, ?)",
		[STORE_FIND_FILE] =
			"SELECT id, size, mtime_ns, how, content FROM _file WHERE path = ?",
		[STORE_END_FILE] =
			"UPDATE _file SET repeated = ?, large = ?, first_row = ?,"
			" last_row = (SELECT max(rowid) FROM _row) WHERE id = ?",
		[STORE_FIND_HOST] =
			"SELECT id FROM _host WHERE host IS ? AND machine IS ?",
		[STORE_ADD_HOST] = "INSERT INTO _host (host, machine) VALUES (?, ?)",
		[STORE_ADD_CALLSITE] =
			"INSERT INTO _callsite (id, allocator, callsite) VALUES (?, ?, ?)",
		[STORE_ADD_FILE] =
			"INSERT INTO _file (path, name, size, mtime_ns, how, content,"
			" repeated, large, problem) VALUES (?, ?, ?, ?, ?, ?, 0, 0, NULL)",
	};

	if (which == STORE_FIND_RECORDING)
		put_find_recording(sql);
	else if (which == STORE_ADD_RECORDING)
		put_insert(sql, 0, "file, nr_rows, host_id", 3);
	else if (which == STORE_ADD_STACK)
		put_insert(sql, 1, "id", 1);
	else if (which == STORE_ADD_ROW)
		put_insert(sql, 2, "recording, stack, allocator, task", 4);
	else if (which == STORE_ADD_TASK)
		put_insert(sql, 4, "id", 1);
	else if (which == STORE_ADD_SUMS)
		put_insert(sql, 3, "site, host, recording", 3);
	else
		strbuf_puts(sql, plain[which]);
}

sqlite3_stmt *store_statement(struct query_store *s, enum store_statement which)
{
	struct strbuf sql = { 0 };

	if (s->statements[which])
		return s->statements[which];
	put_statement(&sql, which);
	if (!sql.failed &&
	    sqlite3_prepare_v3(s->db, strbuf_text(&sql), -1, SQLITE_PREPARE_PERSISTENT,
			       &s->statements[which], NULL) != SQLITE_OK)
		s->statements[which] = NULL;
	strbuf_free(&sql);
	return s->statements[which];
}
#endif
