// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: joins the ledger's events with the kernel's counts, by cache.
 * In: a ledger's groups, slabinfo before and after. Out: rows, each for one or several caches.
 */
#include "analysis/ledger/ledger_books.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "account/snapshot.h"
#include "analysis/ledger/ledger_counts.h"
#include "base/array.h"

const char *books_row_name(const struct books *b, const struct books_row *row)
{
	return intern_get(&b->names, row->name, NULL);
}

struct row_key {
	uint64_t id;   /* kmalloc: object size; else the cache's number in names */
	uint32_t type; /* enum kmalloc_type, or KMALLOC_NR_TYPES for a cache of its own */
	uint32_t pad;  /* zero: keys are compared as bytes */
};

static uint32_t books_row(struct books *b, uint64_t id, uint32_t type)
{
	const struct row_key key = { .id = id, .type = type };
	uint32_t row = intern_id(&b->row_keys, &key, sizeof(key));

	if (!row || array_reserve(&b->rows, &b->rows_capacity, row, sizeof(*b->rows)))
		return UINT32_MAX;
	if (row > b->nr_rows)
		b->rows[b->nr_rows++] = (struct books_row){ 0 };
	return row - 1;
}

/* ipc/msg.c allocates from the msg_msg caches without __GFP_ACCOUNT, which those caches add
 * themselves (SLAB_ACCOUNT). For a size that they have slabs of, no flag shows whether an object is
 * theirs, kmalloc-N's or kmalloc-cg-N's, so these share one row.
 */
static int books_find_shared(struct books *b, const char *item)
{
	const struct recording_text *meta = recording_meta(b->ledger->env->rec, item);
	const char *text = meta ? meta->text : "";
	struct slabinfo_line line;

	while (slabinfo_next(&text, &line)) {
		if (line.total && !strncmp(line.name, "msg_msg-", strlen("msg_msg-")) &&
		    !u64_map_insert(&b->shared, line.size, 0))
			return -ENOMEM;
	}
	return 0;
}

/* The first of the kmalloc types that events cannot tell apart. */
static uint32_t books_type(const struct books *b, uint32_t type, uint64_t size)
{
	return type == KMALLOC_CGROUP && u64_map_find(&b->shared, size) ? KMALLOC_NORMAL
									: type;
}

static int books_add_line(struct books *b, const struct slabinfo_line *line, bool after)
{
	uint32_t id = intern_id(&b->names, line->name, line->name_len);
	struct books_cache *cache;
	struct books_row *row;

	if (!id || array_reserve(&b->caches, &b->caches_capacity, id, sizeof(*b->caches)))
		return -ENOMEM;
	cache = &b->caches[id - 1];
	if (id > b->nr_caches) {
		const char *name = intern_get(&b->names, id, NULL);
		uint32_t type = books_type(b, census_kmalloc_type(name), line->size);

		*cache = (struct books_cache){ .size = line->size,
					       .per_slab = line->per_slab,
					       .pages = line->pages };
		cache->row =
			books_row(b, type == KMALLOC_NR_TYPES ? id : line->size, type);
		if (cache->row == UINT32_MAX)
			return -ENOMEM;
		b->nr_caches++;
		row = &b->rows[cache->row];
		row->nr_caches++;
		row->slack += census_slack(line, b->ledger->env->rec);
	}
	row = &b->rows[cache->row];
	*(after ? &row->after : &row->before) += (int64_t)line->active;
	return 0;
}

static int books_add_snapshot(struct books *b, const char *item, bool after)
{
	const struct recording_text *meta = recording_meta(b->ledger->env->rec, item);
	const char *text = meta ? meta->text : "";
	struct slabinfo_line line;
	int ret = 0;

	while (!ret && slabinfo_next(&text, &line))
		ret = books_add_line(b, &line, after);
	return ret;
}

static void books_list_members(struct books *b)
{
	uint32_t id;

	for (id = 1; id <= b->nr_caches; id++) {
		struct books_row *row = &b->rows[b->caches[id - 1].row];

		if (row->nr_caches > 1)
			strbuf_printf(&row->members, "%s%s", row->members.size ? " " : "",
				      (const char *)intern_get(&b->names, id, NULL));
	}
}

/* Names each row after its plainest cache: the shortest name, of the kmalloc kind. */
static void books_name_rows(struct books *b)
{
	uint32_t id;

	for (id = 1; id <= b->nr_caches; id++) {
		struct books_row *row = &b->rows[b->caches[id - 1].row];
		const char *name = intern_get(&b->names, id, NULL);
		const char *old = books_row_name(b, row);
		bool kmalloc = strstr(name, "kmalloc-") != NULL;
		bool was = old && strstr(old, "kmalloc-");

		if (!old || (kmalloc && !was) ||
		    (kmalloc == was && strlen(name) < strlen(old)))
			row->name = id;
	}
}

static uint32_t row_of_name(struct books *b, uint32_t stream_cache)
{
	const char *name = event_stream_cache(b->ledger->env->stream, stream_cache);
	uint32_t id = name ? intern_id(&b->names, name, strlen(name)) : 0;
	uint32_t row;

	if (!id)
		return UINT32_MAX;
	if (id <= b->nr_caches)
		return b->caches[id - 1].row;
	/* Neither slabinfo lists the cache. */
	row = books_row(b, id, KMALLOC_NR_TYPES);
	if (row != UINT32_MAX)
		b->rows[row].name = id;
	return row;
}

static bool row_known(const struct books *b, uint64_t size, uint32_t type, uint32_t *row)
{
	size_t i;

	for (i = 0; i < b->nr_caches; i++) {
		const struct row_key *key =
			intern_get(&b->row_keys, b->caches[i].row + 1, NULL);

		if (key->id == size && key->type == type) {
			*row = b->caches[i].row;
			return true;
		}
	}
	return false;
}

/* Finds each group's row and adds the group's numbers to it. */
static int books_add_groups(struct books *b)
{
	const struct ledger *l = b->ledger;
	size_t i;

	b->group_rows = calloc(l->nr_groups + 1, sizeof(*b->group_rows));
	if (!b->group_rows)
		return -ENOMEM;
	for (i = 0; i < l->nr_groups; i++) {
		const struct ledger_key *key = ledger_key(l, i);
		const struct ledger_group *g = &l->groups[i];
		uint32_t row = UINT32_MAX;

		if (key->kind == LEDGER_NAMED)
			row = row_of_name(b, (uint32_t)key->id);
		else if (key->kind == LEDGER_UNNAMED)
			row = row_of_name(b, g->cache);
		else if (!row_known(b, key->id, key->type, &row) &&
			 !row_known(b, key->id, KMALLOC_NORMAL, &row))
			b->large_net += g->allocs - g->freed - g->implicit;
		b->group_rows[i] = row;
		if (row == UINT32_MAX)
			continue;
		b->rows[row].allocs += g->allocs;
		b->rows[row].freed += g->freed;
		b->rows[row].implicit += g->implicit;
		b->rows[row].again += g->again;
	}
	return 0;
}

/* The row of an object in @page: that of any object seen in the same slab. */
static uint32_t row_of_page(const struct books *b, uint64_t page)
{
	uint64_t span, p;

	for (span = 1; span <= 8; span *= 2) {
		for (p = page & ~(span - 1); p < (page & ~(span - 1)) + span; p++) {
			const uint32_t *group = u64_map_find(&b->ledger->pages, p);
			uint32_t row = group ? b->group_rows[*group] : UINT32_MAX;
			size_t i;

			for (i = 0; i < b->nr_caches && row != UINT32_MAX; i++)
				if (b->caches[i].row == row && b->caches[i].pages >= span)
					return row;
		}
	}
	return UINT32_MAX;
}

static int books_add_unknown(struct books *b)
{
	size_t i;

	b->unknown_rows = calloc(b->ledger->nr_unknown + 1, sizeof(*b->unknown_rows));
	if (!b->unknown_rows)
		return -ENOMEM;
	for (i = 0; i < b->ledger->nr_unknown; i++) {
		const struct ledger_unknown *u = &b->ledger->unknown[i];
		uint32_t row = row_of_page(b, u->page);

		b->unknown_rows[i] = row;
		if (row == UINT32_MAX)
			b->nr_unknown += u->frees;
		else
			b->rows[row].freed += u->frees;
	}
	return 0;
}

int books_make(struct books *b)
{
	int ret = books_find_shared(b, "slabinfo.before");

	if (!ret)
		ret = books_find_shared(b, "slabinfo.after");
	if (!ret)
		ret = books_add_snapshot(b, "slabinfo.before", false);
	if (!ret)
		ret = books_add_snapshot(b, "slabinfo.after", true);
	if (!ret)
		ret = books_add_groups(b);
	if (ret)
		return ret;
	books_name_rows(b);
	books_list_members(b);
	ret = books_add_unknown(b);
	if (!ret)
		ledger_counts_use(b);
	return ret;
}

void books_free(struct books *b)
{
	size_t i;

	intern_free(&b->names);
	free(b->caches);
	intern_free(&b->row_keys);
	u64_map_free(&b->shared);
	for (i = 0; i < b->nr_rows; i++)
		strbuf_free(&b->rows[i].members);
	free(b->rows);
	free(b->group_rows);
	free(b->unknown_rows);
}
