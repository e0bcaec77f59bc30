// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: which files a store has.
 * In: files' names, sizes, times and contents. Out: files to load; removed rows.
 */
#include "query/store_state.h"

#include <unistd.h>

#include "base/clock.h"

/* A transaction ends after this time. Its rows are lost if the process is killed before. */
#define TRANSACTION_NS 300000000

#define CONTENT_CHUNK (256U << 10)

int query_content(int fd, uint64_t *content)
{
	uint64_t *words __auto_mem = malloc(CONTENT_CHUNK), hash = 0, at = 0;
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
	return ret;
}

#ifdef HAVE_SQLITE

/* What the store knows about a file: columns of STORE_FIND_FILE. */
enum { FILE_ID, FILE_SIZE, FILE_MTIME, FILE_HOW, FILE_CONTENT, FILE_COLUMNS };

int query_store_known(struct query_store *s, const struct query_file_id *id)
{
	sqlite3_int64 known[FILE_COLUMNS];
	int ret = STORE_DO(s, STORE_FIND_FILE, known, TEXT(id->path));

	if (ret <= 0)
		return ret;
	if ((uint64_t)known[FILE_SIZE] != id->size ||
	    (uint64_t)known[FILE_HOW] != id->how)
		return 0;
	if ((uint64_t)known[FILE_MTIME] == id->mtime_ns)
		return 1;
	if (!id->content || (uint64_t)known[FILE_CONTENT] != id->content)
		return 0;
	ret = STORE_DO(s, STORE_TOUCH_FILE, NULL, NUMBER(id->mtime_ns), TEXT(id->path));
	return ret ?: 1;
}

/* SQL that removes the parts in the table gone. A file's rows are consecutive. */
static const char *const remove_gone[] = {
	/* These files left out rows because another file had them: reads them again. */
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

/* Removes the rows of the parts that statement @gone selects by @number. */
static int remove_parts(struct query_store *s, unsigned int gone, sqlite3_int64 number)
{
	int ret = store_run(
		s,
		"CREATE TEMP TABLE IF NOT EXISTS gone (recording INTEGER,"
		" allocator TEXT, recording_id TEXT, file INTEGER);"
		"CREATE TEMP TABLE IF NOT EXISTS gone_row (recording INTEGER, id INTEGER,"
		" chain INTEGER, task INTEGER, allocator INTEGER,"
		" PRIMARY KEY (recording, id)) WITHOUT ROWID;"
		"DELETE FROM gone; DELETE FROM gone_row");

	ret = ret ?: STORE_DO(s, gone, NULL, NUMBER(number));
	for (size_t i = 0; i < ARRAY_SIZE(remove_gone) && !ret; i++)
		ret = store_run(s, remove_gone[i]);
	return ret;
}

/* Reads the names if another process may have added some. */
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
	ret = ret ?: know_names(s);
	return ret ?: store_run(s, "SAVEPOINT file");
}

/* Ends the file. Several files share a transaction, because they change the same pages. */
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

/* Adds the current file, and removes its earlier state. */
static int add_file(struct query_store *s)
{
	const char *path = s->path.size && s->on_disk ? strbuf_text(&s->path) : NULL;
	sqlite3_int64 earlier[FILE_COLUMNS];
	int ret = path ? STORE_DO(s, STORE_FIND_FILE, earlier, TEXT(path)) : 0;

	if (ret > 0) {
		ret = remove_parts(s, STORE_GONE_WITH_FILE, earlier[FILE_ID]);
		ret = ret
			      ?: STORE_DO(s, STORE_REMOVE_FILE, NULL,
					  NUMBER(earlier[FILE_ID]));
	}
	ret = ret
		      ?: STORE_DO(s, STORE_ADD_FILE, &s->file, TEXT(path),
				  TEXT(strbuf_text(&s->name)), NUMBER(s->id.size),
				  NUMBER(s->id.mtime_ns), NUMBER(s->id.how),
				  NUMBER(s->id.content));
	return ret
		       ?: store_number(s, "SELECT ifnull(max(rowid), 0) + 1 FROM _row",
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
	ret = ret ?: begin(s);
	return ret ?: add_file(s);
}

int store_end_file(struct query_store *s)
{
	int ret;

	if (!s->file)
		return 0;
	ret = store_end_recording(s);
	ret = ret ?: store_end_sums(s);
	ret = ret
		      ?: STORE_DO(s, STORE_END_FILE, NULL, NUMBER(s->nr_repeated),
				  NUMBER(s->nr_large), NUMBER(s->first_row),
				  NUMBER(s->file));
	return ret ?: end(s);
}

int query_store_unreadable(struct query_store *s, const char *problem)
{
	int ret = store_run(s, "ROLLBACK TO file");

	s->stale = true;
	strbuf_reset(&s->recording_key);
	store_drop_sums(s);
	ret = ret ?: know_names(s);
	ret = ret ?: add_file(s);
	ret = ret ?: STORE_DO(s, STORE_SET_PROBLEM, NULL, TEXT(problem), NUMBER(s->file));
	return ret ?: end(s);
}

int query_store_expire(struct query_store *s, uint64_t before)
{
	sqlite3_int64 nr = 0;
	int ret = store_end_file(s);

	ret = ret ?: store_commit(s);
	ret = ret ?: store_run(s, "BEGIN IMMEDIATE");
	ret = ret ?: remove_parts(s, STORE_GONE_BEFORE, (sqlite3_int64)before);
	ret = ret ?: STORE_DO(s, STORE_EXPIRE_FILES, NULL, NUMBER(before));
	ret = ret ?: store_number(s, "SELECT count(*) FROM gone", &nr);
	ret = ret ?: store_run(s, "COMMIT");
	return ret || !nr ? ret : store_run(s, "PRAGMA incremental_vacuum");
}

#endif
