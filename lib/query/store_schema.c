// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): the tables of a store.
 * In: a database, empty or of another version. Out: tables, views, statements to fill them.
 */
#include "query/store_state.h"

#ifdef HAVE_SQLITE

#define APPLICATION_ID 0x6b6d7871 /* "kmxq" */
#define FORMAT	       5

/* Views of sums: column @key of sums number @of has the id in table number @names, which SQL sees
 * as @key_id; @also, @on: a further table to join.
 */
static const struct {
	const char *name;
	unsigned int of, names;
	const char *key, *also, *on;
} sums_views[] = {
	{ "sites", STORE_BY_SITE, STORE_TABLE_SITE, "site", "", "" },
	{ "chains", STORE_BY_CHAIN, STORE_TABLE_CHAIN, "chain", "", "" },
	{ "tasks", STORE_BY_TASK, STORE_TABLE_TASK, "task", "_allocator CROSS JOIN ",
	  " ON _allocator.id = _task_sums.allocator" },
};

/* How certain the live bytes are: equal bounds prove all of them. */
#define NET_IS                                                                           \
	"CASE WHEN net_min IS NULL OR net_max IS NULL THEN NULL WHEN sample IS NOT NULL" \
	" THEN 'sampled' WHEN net_min = net_max THEN 'sure' ELSE 'seen' END AS net_is"

/* CROSS JOIN fixes the order, so that the rows are scanned once. */
static void put_sums_view(struct strbuf *sql, size_t i)
{
	const struct store_table *sums =
		&store_tables[STORE_TABLE_SUMS + sums_views[i].of];
	const struct store_table *names = &store_tables[sums_views[i].names];
	const char *key = sums_views[i].key;
	char lead[32];

	snprintf(lead, sizeof(lead), "%s.", sums->name);
	strbuf_printf(sql, "CREATE VIEW %s AS SELECT ", sums_views[i].name);
	store_put_columns(sql, 0, EXPORT_FIELDS_SAME, "_recording.");
	if (names->from > FIELD_ALLOCATOR)
		store_put_columns(sql, FIELD_ALLOCATOR, FIELD_CALLSITE, "_allocator.");
	for (unsigned int f = names->from; f < names->to; f++)
		strbuf_printf(sql, ", %s.\"%s\"", names->name, export_fields[f].name);
	store_put_columns(sql, FIELD_FIRST_METRIC, EXPORT_FIELDS, lead);
	strbuf_printf(
		sql,
		", %s AS %s_id, %shost AS host_id, recording AS run_id, factor, " NET_IS
		" FROM %s%s%s CROSS JOIN _recording ON _recording.id = recording"
		" CROSS JOIN %s ON %s.id = %s;",
		key, key, lead, sums_views[i].also, sums->name, sums_views[i].on,
		names->name, names->name, key);
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
	for (size_t i = 0; i < ARRAY_SIZE(sums_views); i++)
		put_sums_view(sql, i);
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

/* Appends SQL that adds columns missing from older tables. 1: some; 0: none; -errno. */
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
	static const char *const views[] = { "allocations", "sites",	  "recordings",
					     "files",	    "trusted",	  "callsites",
					     "chains",	    "callchains", "tasks",
					     "hosts" };
	struct strbuf __auto_free sql = { 0 };
	int ret = 0, missing = 0;

	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		strbuf_printf(&sql, "DROP VIEW IF EXISTS %s;", views[i]);
	if (format)
		ret = put_missing(s, &sql);
	if (ret < 0 || (!ret && format == FORMAT))
		return ret;
	if (!format)
		store_put_tables(&sql);
	else if (format < FORMAT)
		missing = store_put_migration(s, &sql, format);
	if (missing < 0)
		return missing;
	if (ret || missing) /* Files that still exist are read again. */
		strbuf_puts(&sql, "UPDATE _file SET size = -1;");
	put_views(&sql);
	strbuf_printf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
		      APPLICATION_ID, FORMAT);
	return sql.failed ? -ENOMEM : store_run(s, strbuf_text(&sql));
}

/* The format of a store; 0: an empty file. */
static int recognise(struct query_store *s)
{
	sqlite3_int64 application = 0, format = 0, nr = 0;
	int ret = store_number(s, "PRAGMA application_id", &application);

	ret = ret ?: store_number(s, "PRAGMA user_version", &format);
	ret = ret ?: store_number(s, "SELECT count(*) FROM sqlite_master", &nr);
	if (ret)
		return ret;
	if (application != APPLICATION_ID)
		return nr || application ? -EEXIST : 0;
	return format > FORMAT || format < 1 ? -EPROTO : (int)format;
}

/* Readers must not wait for a writer, so a database that exists is not written. */
static int configure(struct query_store *s)
{
	int ret = recognise(s);

	if (!ret)
		ret = store_run(s, "PRAGMA auto_vacuum = INCREMENTAL;");
	return ret < 0 ? ret
		       : store_run(
				 s,
				 "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
				 "PRAGMA cache_size = -65536;");
}

int store_create(struct query_store *s)
{
	int ret, known, format;

	ret = s->on_disk ? configure(s) : store_run(s, "PRAGMA journal_mode = OFF;");
	if (!ret)
		ret = store_run(s, "PRAGMA temp_store = MEMORY;");
	known = ret ? ret : recognise(s);
	if (known > 0)
		ret = put_missing(s, &s->key);
	strbuf_reset(&s->key);
	if (ret < 0 || known < 0 || (known == FORMAT && !ret))
		return known < 0 ? known : ret;
	/* Another process may have done the same: recognise the format again, locked. */
	ret = store_run(s, "BEGIN IMMEDIATE");
	format = ret ? ret : recognise(s);
	known = format < 0 ? format : fill_database(s, format);
	ret = known < 0 ? known : store_run(s, "COMMIT");
	/* Frees the space of the old tables. */
	return ret || !format || format == FORMAT
		       ? ret
		       : store_run(s, "PRAGMA incremental_vacuum");
}
#endif
