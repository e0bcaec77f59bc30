// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: rows of files that are read before they are needed, by several threads.
 * In: files of rows. Out: their rows, with copies of their texts.
 */
#include "query/ahead.h"

#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/safe_text.h"
#include "query/store.h"
#include "recording/read_ahead.h"

#define BLOCK_SIZE (256U << 10)

/* What row() returns for a file that needs too much memory. */
#define TOO_LARGE 1

/* A file being read. */
struct slot {
	struct read_ahead_job job;
	const char *path;
	size_t number; /* of the file */
	struct ahead_rows rows;
};

/**
 * struct ahead - a ring of slots
 * @next: the next file to begin with
 * @first: the oldest slot in use; @end: the first free one; both modulo the number of slots
 */
struct ahead {
	const char *const *paths;
	size_t nr, next;
	struct read_ahead *threads[AHEAD_THREADS_MAX];
	unsigned int nr_threads;
	struct slot slots[AHEAD_THREADS_MAX + 1];
	size_t first, end;
};

static void drop_rows(struct ahead_rows *r)
{
	while (r->nr_blocks)
		free(r->blocks[--r->nr_blocks]);
	free(r->blocks);
	free(r->of);
	ndjson_line_free(&r->file.line);
	*r = (struct ahead_rows){ .left = true };
}

/* Room for @size bytes; NULL: no memory. */
static char *make_room(struct ahead_rows *r, size_t size)
{
	size_t block = LARGER(size, BLOCK_SIZE);

	if (size > r->block_free) {
		if (array_grow(&r->blocks, r->nr_blocks))
			return NULL;
		r->blocks[r->nr_blocks] = malloc(block);
		if (!r->blocks[r->nr_blocks])
			return NULL;
		r->nr_blocks++;
		r->block_free = block;
		r->bytes += block;
	}
	r->block_free -= size;
	return r->blocks[r->nr_blocks - 1] + r->block_free;
}

static int keep_row(void *ctx, const struct query_row *row)
{
	struct ahead_rows *r = ctx;
	struct query_row *copy;
	size_t size = 1;
	char *to;

	for (unsigned int i = 0; i < EXPORT_FIELDS; i++)
		size += export_fields[i].number ? 0 : row->of[i].size;
	to = make_room(r, size);
	if (!to || array_reserve(&r->of, &r->capacity, r->nr + 1))
		return -ENOMEM;
	copy = &r->of[r->nr++];
	*copy = *row;
	for (unsigned int i = 0; i < EXPORT_FIELDS; i++) {
		if (export_fields[i].number || !row->of[i].known)
			continue;
		memcpy(to, row->of[i].text, row->of[i].size);
		copy->of[i].text = to;
		to += row->of[i].size;
	}
	return r->bytes + r->capacity * sizeof(*r->of) > AHEAD_FILE_MAX ? TOO_LARGE : 0;
}

static void read_file(void *ctx)
{
	struct slot *s = ctx;
	struct ahead_rows *r = &s->rows;

	*r = (struct ahead_rows){ .file = { .row = keep_row, .ctx = r } };
	r->file.is_parquet = text_ends(s->path, ".parquet");
	r->file.fd = io_open_input(s->path, IO_FILE);
	r->ret = r->file.fd < 0 ? r->file.fd : query_content(r->file.fd, &r->content);
	if (!r->ret)
		r->ret = ndjson_file_read(&r->file);
	io_close(&r->file.fd);
	if (r->ret == TOO_LARGE || r->ret == -ENOMEM)
		drop_rows(r);
}

/* Begins to read as many files as there are free slots. */
static void begin(struct ahead *a)
{
	for (; a->next < a->nr && a->end - a->first <= a->nr_threads; a->next++) {
		struct slot *s = &a->slots[a->end % (a->nr_threads + 1)];

		if (!a->paths[a->next])
			continue;
		s->path = a->paths[a->next];
		s->number = a->next;
		s->job = (struct read_ahead_job){ .fn = read_file, .ctx = s };
		read_ahead_submit(a->threads[a->end % a->nr_threads], &s->job);
		a->end++;
	}
}

/* The oldest slot, after waiting for its file, which must be before number @end; else NULL. */
static struct slot *oldest(struct ahead *a, size_t end)
{
	struct slot *s = &a->slots[a->first % (a->nr_threads + 1)];

	if (a->first == a->end || s->number >= end)
		return NULL;
	read_ahead_wait(a->threads[a->first % a->nr_threads], &s->job);
	return s;
}

struct ahead *ahead_start(const char *const *paths, size_t nr, unsigned int threads)
{
	struct ahead *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->paths = paths;
	a->nr = nr;
	while (a->nr_threads < threads && a->nr_threads < AHEAD_THREADS_MAX) {
		a->threads[a->nr_threads] = read_ahead_start();
		if (!a->threads[a->nr_threads])
			break;
		a->nr_threads++;
	}
	if (!a->nr_threads) {
		free(a);
		return NULL;
	}
	begin(a);
	return a;
}

const struct ahead_rows *ahead_get(struct ahead *a, size_t i)
{
	struct slot *s;

	for (; (s = oldest(a, i)); a->first++)
		drop_rows(&s->rows);
	a->next = LARGER(a->next, i);
	begin(a);
	s = oldest(a, i + 1);
	return s && !s->rows.left ? &s->rows : NULL;
}

void ahead_stop(struct ahead *a)
{
	struct slot *s;

	if (!a)
		return;
	for (; (s = oldest(a, a->nr)); a->first++)
		drop_rows(&s->rows);
	while (a->nr_threads)
		read_ahead_stop(a->threads[--a->nr_threads]);
	free(a);
}
