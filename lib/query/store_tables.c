// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): a store's tables.
 * In: a database. Out: SQL that creates them; which columns there are.
 */
#include "query/store_state.h"

#ifdef HAVE_SQLITE

const struct store_table store_tables[STORE_TABLES] = {
	[STORE_TABLE_CHAIN] = { "_chain", "id INTEGER PRIMARY KEY", "", FIELD_ALLOCATOR,
				FIELD_COMM },
	[STORE_TABLE_SITE] = { "_callsite", "id INTEGER PRIMARY KEY", "", FIELD_ALLOCATOR,
			       FIELD_MODULE },
	[STORE_TABLE_TASK] = { "_task", "id INTEGER PRIMARY KEY", "", FIELD_COMM,
			       FIELD_CACHE },
	[STORE_TABLE_KIND] = { "_kind", "id INTEGER PRIMARY KEY", "", FIELD_CACHE,
			       FIELD_FIRST_METRIC },
	[STORE_TABLE_ALLOCATOR] = { "_allocator", "id INTEGER PRIMARY KEY", "",
				    FIELD_ALLOCATOR, FIELD_CALLSITE },
	/* The first columns are the fastest to read. */
	[STORE_TABLE_RECORDING] = { "_recording",
				    "id INTEGER PRIMARY KEY, nr_rows INTEGER,"
				    " file TEXT, host_id INTEGER,"
				    " factor INTEGER",
				    "", 0, FIELD_ALLOCATOR },
	[STORE_TABLE_HOST] = { "_host", "id INTEGER PRIMARY KEY", "", FIELD_HOST,
			       FIELD_HOST + 2 },
	/* Most rows differ only in figures: texts are in their own tables. */
	[STORE_TABLE_ROW] = { "_row",
			      "chain INTEGER, recording INTEGER, task INTEGER, kind INTEGER",
			      "", FIELD_FIRST_METRIC, EXPORT_FIELDS },
	/* Sums: with them, most queries read a fraction of the rows. The order of their keys saves
	 * sorting: a callsite's hosts, a host's recordings.
	 */
	[STORE_TABLE_SUMS +
		STORE_BY_SITE] = { "_site",
				   "site INTEGER, host INTEGER, recording INTEGER",
				   ", PRIMARY KEY (site, host, recording)",
				   FIELD_FIRST_METRIC, EXPORT_FIELDS },
	[STORE_TABLE_SUMS +
		STORE_BY_CHAIN] = { "_chain_sums",
				    "chain INTEGER, host INTEGER, recording INTEGER",
				    ", PRIMARY KEY (chain, host, recording)",
				    FIELD_FIRST_METRIC, EXPORT_FIELDS },
	[STORE_TABLE_SUMS +
		STORE_BY_TASK] = { "_task_sums",
				   "allocator INTEGER, task INTEGER, host INTEGER,"
				   " recording INTEGER",
				   ", PRIMARY KEY (allocator, task, host, recording)",
				   FIELD_FIRST_METRIC, EXPORT_FIELDS },
};

void store_put_columns(struct strbuf *sql, unsigned int first, unsigned int end,
		       const char *lead)
{
	for (unsigned int i = first; i < end; i++)
		strbuf_printf(sql, "%s%s\"%s\"", i ? ", " : "", lead,
			      export_fields[i].name);
}

void store_put_tables(struct strbuf *sql)
{
	for (size_t t = 0; t < STORE_TABLES; t++) {
		strbuf_printf(sql, "CREATE TABLE IF NOT EXISTS %s (%s",
			      store_tables[t].name, store_tables[t].first);
		for (unsigned int i = store_tables[t].from; i < store_tables[t].to; i++)
			strbuf_printf(sql, ", \"%s\"%s", export_fields[i].name,
				      store_type_of(i));
		strbuf_printf(sql, "%s)%s;", store_tables[t].last,
			      *store_tables[t].last ? " WITHOUT ROWID" : "");
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
		"CREATE INDEX IF NOT EXISTS _host_of ON _host(host, machine);");
}

int store_has_column(struct query_store *s, const char *table, const char *name)
{
	struct strbuf __auto_free sql = { 0 };
	sqlite3_int64 nr = 0;
	int ret;

	strbuf_printf(&sql,
		      "SELECT count(*) FROM pragma_table_info('%s') WHERE name = '%s'",
		      table, name);
	ret = sql.failed ? -ENOMEM : store_number(s, strbuf_text(&sql), &nr);
	return ret ? ret : nr != 0;
}
#endif
