// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): the tables of a store.
 * In: a database, empty or of another version. Out: tables, views, statements to fill them.
 */
#include "query/store_state.h"

#ifdef HAVE_SQLITE

#define APPLICATION_ID 0x6b6d7871 /* "kmxq" */
#define FORMAT	       5

/* Views of sums: column @key of @table has the id in table @names, which SQL sees as @id. */
static const struct {
	const char *name, *table, *names, *key, *id, *from;
	unsigned int first, end;
} sums_views[] = {
	{ "sites", "_site.", "_callsite", "site", "site_id", "_site", FIELD_ALLOCATOR,
	  FIELD_MODULE },
	{ "chains", "_chain_sums.", "_chain", "chain", "chain_id", "_chain_sums",
	  FIELD_ALLOCATOR, FIELD_COMM },
	{ "tasks", "_task_sums.", "_task", "task", "task_id",
	  "_allocator CROSS JOIN _task_sums ON _allocator.id = _task_sums.allocator",
	  FIELD_COMM, FIELD_CACHE },
};

/* How the live bytes are known: the bounds tell whether all of them are proved. */
#define NET_IS                                                                           \
	"CASE WHEN net_min IS NULL OR net_max IS NULL THEN NULL WHEN sample IS NOT NULL" \
	" THEN 'sampled' WHEN net_min = net_max THEN 'sure' ELSE 'seen' END AS net_is"

/* CROSS JOIN fixes the order, so that the rows are scanned once. */
static void put_sums_views(struct strbuf *sql)
{
	for (size_t i = 0; i < ARRAY_SIZE(sums_views); i++) {
		const char *table = sums_views[i].table, *names = sums_views[i].names;

		strbuf_printf(sql, "CREATE VIEW %s AS SELECT ", sums_views[i].name);
		store_put_columns(sql, 0, EXPORT_FIELDS_SAME, "_recording.");
		if (sums_views[i].first > FIELD_ALLOCATOR)
			store_put_columns(sql, FIELD_ALLOCATOR, FIELD_CALLSITE,
					  "_allocator.");
		for (unsigned int f = sums_views[i].first; f < sums_views[i].end; f++)
			strbuf_printf(sql, ", %s.\"%s\"", names, export_fields[f].name);
		store_put_columns(sql, FIELD_FIRST_METRIC, EXPORT_FIELDS, table);
		strbuf_printf(
			sql,
			", %s AS %s, %shost AS host_id, recording AS run_id, factor, " NET_IS
			" FROM %s CROSS JOIN _recording ON _recording.id = recording"
			" CROSS JOIN %s ON %s.id = %s;",
			sums_views[i].key, sums_views[i].id, table, sums_views[i].from,
			names, names, sums_views[i].key);
	}
}

static void put_views(struct strbuf *sql)
{
	strbuf_puts(sql, "CREATE VIEW allocations AS SELECT ");
	store_put_columns(sql, 0, EXPORT_FIELDS_SAME, "_recording.");
	store_put_columns(sql, FIELD_ALLOCATOR, FIELD_COMM, "_chain.");
	store_put_columns(sql, FIELD_COMM, FIELD_CACHE, "_task.");
	store_put_columns(sql, FIELD_CACHE, FIELD_FIRST_METRIC, "_kind.");
	store_put_columns(sql, FIELD_FIRST_METRIC, EXPORT_FIELDS, "_row.");
	strbuf_puts(sql, " FROM _row CROSS JOIN _recording ON _recording.id = recording"
			 " CROSS JOIN _chain ON _chain.id = _row.chain"
			 " CROSS JOIN _task ON _task.id = _row.task"
			 " CROSS JOIN _kind ON _kind.id = _row.kind;");
	put_sums_views(sql);
	strbuf_puts(sql, "CREATE VIEW trusted AS SELECT ");
	store_put_columns(sql, 0, EXPORT_FIELDS_SAME, "");
	store_put_columns(sql, FIELD_ALLOCATOR, FIELD_MODULE, "");
	for (unsigned int i = FIELD_FIRST_METRIC; i < EXPORT_FIELDS; i++)
		strbuf_printf(sql, ", \"%s\" * factor AS \"%s\"", export_fields[i].name,
			      export_fields[i].name);
	strbuf_puts(
		sql,
		", site_id, host_id, run_id FROM sites WHERE factor IS NOT NULL;"
		"CREATE VIEW callsites AS SELECT id AS site_id, allocator, callsite"
		" FROM _callsite;"
		"CREATE VIEW callchains AS SELECT id AS chain_id, allocator, callsite,"
		" module, stack, stack_id, entry FROM _chain;"
		"CREATE VIEW hosts AS SELECT id AS host_id, host, machine FROM _host;"
		"CREATE VIEW recordings AS SELECT ");
	store_put_columns(sql, 0, FIELD_ALLOCATOR, "");
	strbuf_puts(
		sql,
		", nr_rows, file, factor IS NOT NULL AS is_trusted, factor, id AS run_id"
		" FROM _recording;"
		"CREATE VIEW files AS SELECT name AS file, size, mtime_ns / 1000000000"
		" AS mtime_unix, repeated, problem FROM _file;");
}

/* Does the file have table @t? It does if it has the first column. */
static int has_table(struct query_store *s, size_t t)
{
	const char *first = store_tables[t].first;
	char name[16];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(first, " "), first);
	return store_has_column(s, store_tables[t].name, name);
}

/* Adds columns that an older version did not have to tables that it had. 1: some; 0: none. */
static int put_missing(struct query_store *s, struct strbuf *sql)
{
	int ret = 0, has;

	for (size_t t = 0; t < STORE_TABLES; t++) {
		unsigned int i = store_tables[t].from;

		has = has_table(s, t);
		for (; has && i < store_tables[t].to; i++) {
			has = store_has_column(s, store_tables[t].name,
					       export_fields[i].name);
			if (has < 0)
				return has;
			if (has)
				continue;
			ret = has = 1;
			strbuf_printf(sql, "ALTER TABLE %s ADD COLUMN \"%s\"%s;",
				      store_tables[t].name, export_fields[i].name,
				      store_type_of(i));
		}
		if (has < 0)
			return has;
	}
	return ret;
}

/* @format: that of the file; 0: it is empty. */
static int fill_database(struct query_store *s, int format)
{
	struct strbuf __auto_free sql = { 0 };
	int ret = 0;

	strbuf_puts(&sql, "DROP VIEW IF EXISTS allocations; DROP VIEW IF EXISTS sites;"
			  "DROP VIEW IF EXISTS recordings; DROP VIEW IF EXISTS files;"
			  "DROP VIEW IF EXISTS trusted; DROP VIEW IF EXISTS callsites;"
			  "DROP VIEW IF EXISTS chains; DROP VIEW IF EXISTS callchains;"
			  "DROP VIEW IF EXISTS tasks; DROP VIEW IF EXISTS hosts;");
	if (format)
		ret = put_missing(s, &sql);

	if (ret >= 0 && (ret || format != FORMAT)) {
		int missing = 0;

		if (!format)
			store_put_tables(&sql);
		else if (format < FORMAT)
			missing = store_put_migration(s, &sql, format);
		if (ret || missing) /* Files that are still there have these columns. */
			strbuf_puts(&sql, "UPDATE _file SET size = -1;");
		put_views(&sql);
		strbuf_printf(&sql,
			      "PRAGMA application_id = %d; PRAGMA user_version = %d;",
			      APPLICATION_ID, FORMAT);
		ret = missing < 0  ? missing
		      : sql.failed ? -ENOMEM
				   : store_run(s, strbuf_text(&sql));
	}
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
	int ret = 0, known, format;

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
	format = ret ? ret : recognise(s);
	known = format < 0 ? format : fill_database(s, format);
	ret = known < 0 ? known : store_run(s, "COMMIT");
	/* The old tables' room. */
	return ret || !format || format == FORMAT
		       ? ret
		       : store_run(s, "PRAGMA incremental_vacuum");
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
	strbuf_printf(sql, "INSERT INTO %s (%s", store_tables[t].name, more);
	for (unsigned int i = store_tables[t].from; i < store_tables[t].to; i++)
		strbuf_printf(sql, ", \"%s\"", export_fields[i].name);
	strbuf_puts(sql, ") VALUES (");
	put_marks(sql, nr_more + store_tables[t].to - store_tables[t].from);
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
			"UPDATE _recording SET nr_rows = nr_rows + ?, factor = " FACTOR
			" WHERE id = ?",
		[STORE_SET_BALANCE] = "UPDATE _recording SET balance = ? WHERE id = ?",
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
		put_insert(sql, STORE_TABLE_RECORDING, "file, nr_rows, host_id", 3);
	else if (which == STORE_ADD_CHAIN)
		put_insert(sql, STORE_TABLE_CHAIN, "id", 1);
	else if (which == STORE_ADD_ROW)
		put_insert(sql, STORE_TABLE_ROW, "chain, recording, task, kind", 4);
	else if (which == STORE_ADD_TASK)
		put_insert(sql, STORE_TABLE_TASK, "id", 1);
	else if (which == STORE_ADD_KIND)
		put_insert(sql, STORE_TABLE_KIND, "id", 1);
	else if (which == STORE_ADD_ALLOCATOR)
		put_insert(sql, STORE_TABLE_ALLOCATOR, "id", 1);
	else if (which == STORE_ADD_TASK_SUMS)
		put_insert(sql, STORE_TABLE_SUMS + STORE_BY_TASK,
			   "allocator, task, host, recording", 4);
	else if (which == STORE_ADD_CHAIN_SUMS)
		put_insert(sql, STORE_TABLE_SUMS + STORE_BY_CHAIN,
			   "chain, host, recording", 3);
	else if (which == STORE_ADD_SITE_SUMS)
		put_insert(sql, STORE_TABLE_SUMS + STORE_BY_SITE, "site, host, recording",
			   3);
	else
		strbuf_puts(sql, plain[which]);
}

sqlite3_stmt *store_statement(struct query_store *s, enum store_statement which)
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
#endif
