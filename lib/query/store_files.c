// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: which files a store has.
 * In: files' names, sizes, times and contents. Out: those to load; rows that go.
 */
#include "query/store_state.h"

#include <unistd.h>

#include "base/clock.h"

/* A transaction ends after this time: what it has is lost if the process is killed. */
#define TRANSACTION_NS 300000000

#define CONTENT_CHUNK (256U << 10)

int query_content(int fd, uint64_t *content)
{
	uint64_t *words = malloc(CONTENT_CHUNK), hash = 0, at = 0;
	ssize_t got;
	int ret = words ? 0 : -ENOMEM;

	while (!ret) {
		got = pread(fd, words, CONTENT_CHUNK, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			ret = got < 0 ? -errno : 0;
			break;
		}
		memset((char *)words + got, 0, (size_t)-got % sizeof(*words));
		for (size_t i = 0; i * sizeof(*words) < (size_t)got; i++)
			hash = hash_u64(hash ^ words[i]);
		at += (uint64_t)got;
	}
	hash = hash_u64(hash ^ at) & INT64_MAX;
	*content = hash ? hash : 1;
	free(words);
	return ret;
}

#ifdef HAVE_SQLITE

/* Runs @sql with ?1 = @number, ?2 = @text. */
static int run_with(struct query_store *s, const char *sql, sqlite3_int64 number,
		    const char *text)
{
	sqlite3_stmt *stmt = NULL;
	int ret = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

	if (ret == SQLITE_OK && sqlite3_bind_parameter_count(stmt) > 0)
		ret = sqlite3_bind_int64(stmt, 1, number);
	if (ret == SQLITE_OK && sqlite3_bind_parameter_count(stmt) > 1)
		ret = sqlite3_bind_text(stmt, 2, text, -1, SQLITE_STATIC);
	if (ret == SQLITE_OK)
		ret = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	return store_error(ret);
}

int query_store_known(struct query_store *s, const struct query_file_id *id)
{
	sqlite3_stmt *stmt = store_statement(s, STORE_FIND_FILE);
	bool same_size = false, same_time = false, same_content = false;
	int ret;

	if (!stmt)
		return -ENOMEM;
	ret = sqlite3_bind_text(stmt, 1, id->path, -1, SQLITE_STATIC);
	if (ret == SQLITE_OK)
		ret = sqlite3_step(stmt);
	if (ret == SQLITE_ROW) {
		same_size = (uint64_t)sqlite3_column_int64(stmt, 1) == id->size &&
			    (uint64_t)sqlite3_column_int64(stmt, 3) == id->how;
		same_time = (uint64_t)sqlite3_column_int64(stmt, 2) == id->mtime_ns;
		same_content = (uint64_t)sqlite3_column_int64(stmt, 4) == id->content;
	}
	sqlite3_reset(stmt);
	if (store_error(ret))
		return store_error(ret);
	if (!same_size || same_time || !same_content)
		return same_size && same_time;
	ret = run_with(s, "UPDATE _file SET mtime_ns = ?1 WHERE path = ?2",
		       (sqlite3_int64)id->mtime_ns, id->path);
	return ret ? ret : 1;
}

/* Removes the parts in the table gone, of files or of recordings. A file's rows are next to each
 * other.
 */
static const char *const remove_gone[] = {
	/* These left rows out because another file had them: read them again. */
	"UPDATE _file SET size = -1 WHERE repeated > 0 AND EXISTS (SELECT 1 FROM gone)",
	"DELETE FROM _site WHERE (site, host, recording) IN (SELECT _callsite.id, host_id,"
	" recording FROM gone CROSS JOIN _callsite USING (allocator)"
	" CROSS JOIN _recording ON _recording.id = recording)",
	"INSERT INTO gone_row SELECT recording, _row.rowid, chain, task, _allocator.id"
	" FROM (SELECT DISTINCT file FROM gone) CROSS JOIN _file ON _file.id = file"
	" CROSS JOIN _row ON _row.rowid BETWEEN first_row AND last_row"
	" CROSS JOIN _chain ON _chain.id = chain CROSS JOIN _allocator USING (allocator)"
	" WHERE (recording, allocator) IN (SELECT recording, allocator FROM gone)",
	"DELETE FROM _chain_sums WHERE (chain, host, recording) IN (SELECT chain, host_id,"
	" recording FROM gone_row CROSS JOIN _recording ON _recording.id = recording)",
	"DELETE FROM _task_sums WHERE (allocator, task, host, recording) IN"
	" (SELECT allocator, task, host_id, recording FROM gone_row"
	" CROSS JOIN _recording ON _recording.id = recording)",
	"DELETE FROM _row WHERE rowid IN (SELECT id FROM gone_row)",
	"DELETE FROM _part WHERE (recording_id, allocator) IN"
	" (SELECT recording_id, allocator FROM gone)",
	"UPDATE _recording SET nr_rows = nr_rows - (SELECT count(*) FROM gone_row"
	" WHERE recording = _recording.id) WHERE id IN (SELECT recording FROM gone)",
	"DELETE FROM _recording WHERE nr_rows = 0 AND id IN (SELECT recording FROM gone)",
};

/* Removes the rows of the parts that @where selects, with its ?1 and ?2. */
static int remove_parts(struct query_store *s, const char *where, sqlite3_int64 number,
			const char *text)
{
	struct strbuf __auto_free sql = { 0 };
	int ret = store_run(
		s,
		"CREATE TEMP TABLE IF NOT EXISTS gone (recording INTEGER,"
		" allocator TEXT, recording_id TEXT, file INTEGER);"
		"CREATE TEMP TABLE IF NOT EXISTS gone_row (recording INTEGER, id INTEGER,"
		" chain INTEGER, task INTEGER, allocator INTEGER,"
		" PRIMARY KEY (recording, id)) WITHOUT ROWID;"
		"DELETE FROM gone; DELETE FROM gone_row");

	strbuf_puts(&sql,
		    "INSERT INTO gone SELECT _recording.id, allocator, recording_id,"
		    " _part.file"
		    " FROM _part CROSS JOIN _recording USING (recording_id) WHERE ");
	strbuf_puts(&sql, where);
	if (!ret)
		ret = sql.failed ? -ENOMEM : run_with(s, strbuf_text(&sql), number, text);
	for (size_t i = 0; i < ARRAY_SIZE(remove_gone) && !ret; i++)
		ret = store_run(s, remove_gone[i]);
	return ret;
}

/* Reads the names, if another process may have added some. */
static int know_names(struct query_store *s)
{
	sqlite3_int64 version = 0;
	int ret;

	if (!s->on_disk)
		return 0;
	ret = store_number(s, "PRAGMA data_version", &version);
	if (!ret && (s->stale || version != s->version))
		ret = store_read_names(s);
	s->stale = ret != 0;
	s->version = version;
	return ret;
}

/* Begins a file, in a transaction of several. */
static int begin(struct query_store *s)
{
	int ret = 0;

	if (!s->since_ns) {
		ret = store_run(s, "BEGIN IMMEDIATE");
		s->since_ns = ret ? 0 : clock_ns(CLOCK_MONOTONIC);
	}
	if (!ret)
		ret = know_names(s);
	return ret ? ret : store_run(s, "SAVEPOINT file");
}

/* Ends the file. Not every file is a transaction: they change the same pages. */
static int end(struct query_store *s)
{
	int ret = store_run(s, "RELEASE file");

	s->file = 0;
	s->nr_rows = s->nr_repeated = s->nr_large = 0;
	strbuf_reset(&s->part_key);
	if (ret || clock_ns(CLOCK_MONOTONIC) - s->since_ns < TRANSACTION_NS)
		return ret;
	return store_commit(s);
}

int store_commit(struct query_store *s)
{
	int ret = s->since_ns ? store_run(s, "COMMIT") : 0;

	s->since_ns = 0;
	return ret;
}

/* Sets @id to the file's, if there is one. */
static int find_file(struct query_store *s, const char *path, sqlite3_int64 *id)
{
	sqlite3_stmt *stmt = store_statement(s, STORE_FIND_FILE);
	int ret =
		stmt ? sqlite3_bind_text(stmt, 1, path, -1, SQLITE_STATIC) : SQLITE_NOMEM;

	if (ret == SQLITE_OK)
		ret = sqlite3_step(stmt);
	if (ret == SQLITE_ROW)
		*id = sqlite3_column_int64(stmt, 0);
	if (stmt)
		sqlite3_reset(stmt);
	return store_error(ret);
}

/* Adds the current file; an earlier state of it goes. */
static int add_file(struct query_store *s)
{
	sqlite3_stmt *stmt = store_statement(s, STORE_ADD_FILE);
	const char *path = s->path.size && s->on_disk ? strbuf_text(&s->path) : NULL;
	sqlite3_int64 earlier = 0;
	int ret = 0;

	if (path)
		ret = find_file(s, path, &earlier);
	if (earlier && !ret)
		ret = remove_parts(s, "_part.file = ?1", earlier, NULL);
	if (earlier && !ret)
		ret = run_with(s, "DELETE FROM _file WHERE id = ?1", earlier, NULL);
	if (ret || !stmt)
		return ret ? ret : -ENOMEM;
	sqlite3_bind_text(stmt, 1, path, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(stmt, 2, strbuf_text(&s->name), -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(stmt, 3, (sqlite3_int64)s->id.size);
	sqlite3_bind_int64(stmt, 4, (sqlite3_int64)s->id.mtime_ns);
	sqlite3_bind_int64(stmt, 5, (sqlite3_int64)s->id.how);
	sqlite3_bind_int64(stmt, 6, (sqlite3_int64)s->id.content);
	ret = store_error(sqlite3_step(stmt));
	sqlite3_reset(stmt);
	if (!ret)
		ret = store_number(s, "SELECT last_insert_rowid()", &s->file);
	return ret ? ret
		   : store_number(s, "SELECT ifnull(max(rowid), 0) + 1 FROM _row",
				  &s->first_row);
}

int query_store_file(struct query_store *s, const char *name,
		     const struct query_file_id *id)
{
	int ret = store_end_file(s);

	s->id = id ? *id : (struct query_file_id){ 0 };
	s->id.path = NULL;
	strbuf_reset(&s->path);
	strbuf_reset(&s->name);
	strbuf_puts(&s->path, id && id->path ? id->path : "");
	strbuf_puts(&s->name, name);
	if (s->path.failed || s->name.failed)
		return -ENOMEM;
	if (!ret)
		ret = begin(s);
	return ret ? ret : add_file(s);
}

int store_end_file(struct query_store *s)
{
	sqlite3_stmt *stmt;
	int ret;

	if (!s->file)
		return 0;
	ret = store_end_recording(s);
	if (!ret)
		ret = store_end_sums(s);
	stmt = ret ? NULL : store_statement(s, STORE_END_FILE);
	if (!stmt)
		return ret ? ret : -ENOMEM;
	sqlite3_bind_int64(stmt, 1, (sqlite3_int64)s->nr_repeated);
	sqlite3_bind_int64(stmt, 2, (sqlite3_int64)s->nr_large);
	sqlite3_bind_int64(stmt, 3, s->first_row);
	sqlite3_bind_int64(stmt, 4, s->file);
	ret = store_error(sqlite3_step(stmt));
	sqlite3_reset(stmt);
	return ret ? ret : end(s);
}

int query_store_unreadable(struct query_store *s, const char *problem)
{
	int ret = store_run(s, "ROLLBACK TO file");

	s->stale = true;
	strbuf_reset(&s->recording_key);
	store_drop_sums(s);
	if (!ret)
		ret = know_names(s);
	if (!ret)
		ret = add_file(s);
	if (!ret)
		ret = run_with(
			s,
			"UPDATE _file SET problem = ?2 WHERE id = (SELECT max(id) FROM _file)",
			0, problem);
	return ret ? ret : end(s);
}

int query_store_expire(struct query_store *s, uint64_t before)
{
	sqlite3_int64 nr = 0;
	int ret = store_end_file(s);

	if (!ret)
		ret = store_commit(s);
	if (ret)
		return ret;
	ret = store_run(s, "BEGIN IMMEDIATE");
	if (!ret)
		ret = remove_parts(s, "start_unix < ?1", (sqlite3_int64)before, NULL);
	/* A file that old is not read again. */
	if (!ret)
		ret = run_with(s,
			       "DELETE FROM _file WHERE mtime_ns / 1000000000 < ?1 AND"
			       " NOT EXISTS (SELECT 1 FROM _part WHERE file = _file.id)",
			       (sqlite3_int64)before, NULL);
	if (!ret)
		ret = store_number(s, "SELECT count(*) FROM gone", &nr);
	if (!ret)
		ret = store_run(s, "COMMIT");
	return ret || !nr ? ret : store_run(s, "PRAGMA incremental_vacuum");
}

#endif
