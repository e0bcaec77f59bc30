// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: which files a store has.
 * In: files' names, sizes, times and contents. Out: those to load; rows that go.
 */
#include "query/store_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What a file's or a recording's parts are is in the table gone. */
static const char *const remove_gone[] = {
	/* These left rows out because another file had them: read them again. */
	"UPDATE _file SET size = -1 WHERE repeated > 0 AND EXISTS (SELECT 1 FROM gone)",
	"DELETE FROM _site WHERE (recording, allocator) IN"
	" (SELECT recording, allocator FROM gone)",
	"DELETE FROM _row WHERE recording IN (SELECT recording FROM gone) AND"
	" (recording, allocator) IN (SELECT recording, allocator FROM gone)",
	"DELETE FROM _part WHERE (recording_id, allocator) IN"
	" (SELECT recording_id, allocator FROM gone)",
	"UPDATE _recording SET nr_rows = (SELECT count(*) FROM _row"
	" WHERE recording = _recording.id) WHERE id IN (SELECT recording FROM gone)",
	"DELETE FROM _recording WHERE nr_rows = 0 AND id IN (SELECT recording FROM gone)",
};

/* Removes the rows of the parts that @where selects, with its ?1 and ?2. */
static int remove_parts(struct query_store *s, const char *where, sqlite3_int64 number,
			const char *text)
{
	struct strbuf sql = { 0 };
	int ret = store_run(s, "CREATE TEMP TABLE IF NOT EXISTS gone (recording INTEGER,"
			       " allocator TEXT, recording_id TEXT); DELETE FROM gone");

	strbuf_puts(&sql,
		    "INSERT INTO gone SELECT _recording.id, allocator, recording_id"
		    " FROM _part CROSS JOIN _recording USING (recording_id) WHERE ");
	strbuf_puts(&sql, where);
	if (!ret)
		ret = sql.failed ? -ENOMEM : run_with(s, strbuf_text(&sql), number, text);
	for (size_t i = 0; i < ARRAY_SIZE(remove_gone) && !ret; i++)
		ret = store_run(s, remove_gone[i]);
	strbuf_free(&sql);
	return ret;
}

/* Begins a transaction, in which the callchains of other processes are known. */
static int begin(struct query_store *s)
{
	sqlite3_int64 version = 0;
	int ret = store_run(s, "BEGIN IMMEDIATE");

	if (ret || !s->on_disk)
		return ret;
	ret = store_number(s, "PRAGMA data_version", &version);
	if (!ret && (s->stale || version != s->version))
		ret = store_read_stacks(s);
	s->stale = ret != 0;
	s->version = version;
	return ret;
}

/* Adds the current file; an earlier state of it goes. */
static int add_file(struct query_store *s)
{
	sqlite3_stmt *stmt = store_statement(s, STORE_ADD_FILE);
	const char *path = s->path.size && s->on_disk ? strbuf_text(&s->path) : NULL;
	int ret = 0;

	if (path)
		ret = remove_parts(s,
				   "_part.file = (SELECT id FROM _file WHERE path = ?2)",
				   0, path);
	if (path && !ret)
		ret = run_with(s, "DELETE FROM _file WHERE path = ?2", 0, path);
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
	return ret ? ret : store_number(s, "SELECT last_insert_rowid()", &s->file);
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
	stmt = ret ? NULL : store_statement(s, STORE_END_FILE);
	if (!stmt)
		return ret ? ret : -ENOMEM;
	sqlite3_bind_int64(stmt, 1, s->file);
	ret = store_error(sqlite3_step(stmt));
	sqlite3_reset(stmt);
	if (!ret && s->nr_repeated)
		ret = run_with(
			s,
			"UPDATE _file SET repeated = ?1 WHERE id = (SELECT max(id) FROM _file)",
			(sqlite3_int64)s->nr_repeated, NULL);
	if (!ret && s->nr_large)
		ret = run_with(
			s,
			"UPDATE _file SET large = ?1 WHERE id = (SELECT max(id) FROM _file)",
			(sqlite3_int64)s->nr_large, NULL);
	if (!ret)
		ret = store_run(s, "COMMIT");
	s->file = 0;
	s->nr_repeated = s->nr_large = 0;
	strbuf_reset(&s->part_key);
	return ret;
}

int query_store_unreadable(struct query_store *s, const char *problem)
{
	int ret = store_run(s, "ROLLBACK");

	s->file = 0;
	s->nr_rows = s->nr_repeated = s->nr_large = 0;
	s->stale = true;
	strbuf_reset(&s->part_key);
	strbuf_reset(&s->recording_key);
	if (!ret)
		ret = begin(s);
	if (!ret)
		ret = add_file(s);
	if (!ret)
		ret = run_with(
			s,
			"UPDATE _file SET problem = ?2 WHERE id = (SELECT max(id) FROM _file)",
			0, problem);
	s->file = 0;
	return ret ? ret : store_run(s, "COMMIT");
}

int query_store_expire(struct query_store *s, uint64_t before)
{
	sqlite3_int64 nr = 0;
	int ret = store_end_file(s);

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
