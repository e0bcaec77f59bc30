// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): databases of older formats.
 * In: a database. Out: SQL that converts its tables to those of this version.
 */
#include "query/store_state.h"

#ifdef HAVE_SQLITE

/* From format 1, which has sums by names and an index of all rows. A file's rows are consecutive.
 */
static void put_numbers(struct strbuf *sql)
{
	strbuf_puts(sql,
		    "DROP TABLE _site; ALTER TABLE _recording ADD COLUMN host_id INTEGER;"
		    "ALTER TABLE _file ADD COLUMN first_row INTEGER;"
		    "ALTER TABLE _file ADD COLUMN last_row INTEGER;");
	store_put_tables(sql);
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
		" callsite FROM _row CROSS JOIN _stack ON _stack.id = _row.stack;");
}

/* From format 2, in which rows have the task's name. An index makes this fast. */
static void put_tasks(struct strbuf *sql)
{
	store_put_tables(sql);
	strbuf_puts(sql, "ALTER TABLE _row ADD COLUMN task INTEGER;"
			 "INSERT INTO _task (comm) SELECT DISTINCT comm FROM _row;"
			 "CREATE INDEX _task_of ON _task(comm);"
			 "UPDATE _row SET task = (SELECT id FROM _task"
			 " WHERE _task.comm IS _row.comm), comm = NULL;"
			 "DROP INDEX _task_of;");
}

/* Appends columns of a table of format 3, NULL for missing ones. 1: some are missing; 0; -errno. */
static int put_old_columns(struct query_store *s, struct strbuf *sql, const char *table,
			   unsigned int first, unsigned int end)
{
	int missing = 0;

	for (unsigned int i = first; i < end; i++) {
		int has = store_has_column(s, table, export_fields[i].name);

		if (has < 0)
			return has;
		missing |= !has;
		strbuf_printf(sql, has ? ", \"%s\"" : ", NULL", export_fields[i].name);
	}
	return missing;
}

/* Appends SQL that sums the rows, which are in this version's format by then. */
static void put_sums(struct strbuf *sql, const char *into, const char *keys,
		     const char *from)
{
	strbuf_printf(sql, "INSERT INTO %s", into);
	store_put_columns(sql, FIELD_FIRST_METRIC, EXPORT_FIELDS, "");
	strbuf_printf(sql, ") SELECT %s", keys);
	for (unsigned int i = FIELD_FIRST_METRIC; i < EXPORT_FIELDS; i++)
		strbuf_printf(sql, ", sum(_row.\"%s\")", export_fields[i].name);
	strbuf_printf(sql,
		      " FROM _row CROSS JOIN _recording ON _recording.id = recording%s"
		      " GROUP BY %s;",
		      from, keys);
}

/* From format 3, in which rows have their texts except for the callchain's. Now a callchain has a
 * number for each allocator. Rows keep their rowids, because _file refers to them.
 */
static int put_kinds(struct query_store *s, struct strbuf *sql)
{
	int without_stack, without_row;

	strbuf_puts(sql, "ALTER TABLE _row RENAME TO _row_3;"
			 "ALTER TABLE _recording ADD COLUMN factor INTEGER;"
			 "UPDATE _recording SET factor = " FACTOR ";");
	store_put_tables(sql);
	strbuf_puts(
		sql,
		"CREATE TEMP TABLE chain_of (old_stack INTEGER, old_allocator TEXT, chain INTEGER,"
		" PRIMARY KEY (old_stack, old_allocator)) WITHOUT ROWID;"
		"INSERT INTO chain_of SELECT stack, allocator, row_number() OVER () FROM"
		" (SELECT DISTINCT stack, allocator FROM _row_3);"
		"INSERT INTO _chain (id");
	store_put_columns(sql, FIELD_ALLOCATOR, FIELD_COMM, "");
	strbuf_puts(sql, ") SELECT chain, old_allocator");
	without_stack = put_old_columns(s, sql, "_stack", FIELD_CALLSITE, FIELD_COMM);
	strbuf_puts(
		sql,
		" FROM chain_of CROSS JOIN _stack ON _stack.id = old_stack ORDER BY chain;"
		"INSERT INTO _allocator (allocator) SELECT DISTINCT allocator FROM _chain;"
		"INSERT INTO _kind (cache, \"order\", migratetype, gfp)"
		" SELECT DISTINCT cache, \"order\", migratetype, gfp FROM _row_3;"
		"CREATE INDEX _kind_of ON _kind(cache, \"order\", migratetype, gfp);"
		"INSERT INTO _row (rowid, chain, recording, task, kind");
	store_put_columns(sql, FIELD_FIRST_METRIC, EXPORT_FIELDS, "");
	strbuf_puts(sql, ") SELECT _row_3.rowid, chain, recording, task, _kind.id");
	/* At this point, the table still has its old name. */
	without_row = put_old_columns(s, sql, "_row", FIELD_FIRST_METRIC, EXPORT_FIELDS);
	strbuf_puts(
		sql,
		" FROM _row_3 CROSS JOIN chain_of ON old_stack = _row_3.stack"
		" AND old_allocator = allocator CROSS JOIN _kind ON _kind.cache IS _row_3.cache"
		" AND _kind.\"order\" IS _row_3.\"order\""
		" AND _kind.migratetype IS _row_3.migratetype AND _kind.gfp IS _row_3.gfp"
		" ORDER BY _row_3.rowid;"
		"DROP INDEX _kind_of; DROP TABLE _row_3; DROP TABLE _stack; DROP TABLE chain_of;");
	put_sums(sql, "_chain_sums (chain, host, recording", "chain, host_id, recording",
		 "");
	put_sums(sql, "_task_sums (allocator, task, host, recording",
		 "_allocator.id, task, host_id, recording",
		 " CROSS JOIN _chain ON _chain.id = chain"
		 " CROSS JOIN _allocator USING (allocator)");
	return without_stack < 0 ? without_stack
	       : without_row < 0 ? without_row
				 : without_stack | without_row;
}

int store_put_migration(struct query_store *s, struct strbuf *sql, int format)
{
	int ret;

	/* Format 5 only has one more column, which put_missing() adds. */
	if (format == 4)
		return 0;
	if (format == 1)
		put_numbers(sql);
	if (format < 3)
		put_tasks(sql);
	ret = put_kinds(s, sql);
	if (format == 1)
		put_sums(sql, "_site (site, host, recording",
			 "_callsite.id, host_id, recording",
			 " CROSS JOIN _chain ON _chain.id = chain"
			 " CROSS JOIN _callsite USING (allocator, callsite)");
	return ret;
}
#endif
