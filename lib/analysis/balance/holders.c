// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: who holds memory, by the kernel's own lists.
 * In: slabinfo, the sums of vmallocinfo, percpu_stats, before and after the recording. Out: tables
 * "holders" and "percpu_use".
 *
 * Events only tell what was allocated in the recording; these lists also name what was there
 * before.
 */
#include "analysis/balance/balance.h"

#include "analysis/bounds/reclaimable.h"
#include "base/array.h"
#include "recording/snapshot.h"

/* Text shows this many owners; the other formats show all. */
#define ROWS_SHOWN 10

static const struct column_type columns[] = {
	CHANGE_COLUMNS(struct held_row, before, bytes, "Bytes", 0),
	{ COLUMN("parts", "Parts", UNIT_COUNT,
		 "Slabs of the cache, or areas of vmalloc, after the recording.",
		 .level = true, .drop = 60),
	  MEMBER(struct held_row, nr) },
	{ COLUMN("line", "Line", UNIT_NONE, "The balance's line that has these bytes.",
		 .drop = 10, .spell = page_use_title),
	  MEMBER(struct held_row, line) },
	{ COLUMN("holder", "Holder", UNIT_NONE,
		 "The slab cache, or the function that called vmalloc.", .last = true),
	  MEMBER(struct held_row, owner) },
	COLUMNS_END,
};

const struct table_type holders_type = {
	.name = "holders",
	.help = "slab caches and callers of vmalloc, by the kernel's own lists",
	.title = "Slab caches and callers of vmalloc, by the kernel's own lists",
	.columns = columns,
};

/* --- rows ------------------------------------------------------------------------------- */

int held_rows_add(struct held_rows *rows, const struct held_row *row)
{
	struct strbuf __auto_free key = { 0 };
	uint32_t before = rows->rows.keys.count, id;
	struct held_row *to;

	strbuf_printf(&key, "%s %s %s", row->line, row->known_by, row->owner);
	id = key.failed ? 0 : KEYED_ID_OF(&rows->rows, strbuf_text(&key), key.size);
	if (!id)
		return -ENOMEM;
	to = &rows->rows.of[id - 1];
	if (id > before) {
		to->line = row->line;
		to->known_by = row->known_by;
		to->owner = (const char *)KEYED_KEY(&rows->rows, before) +
			    strlen(row->line) + strlen(row->known_by) + 2;
	}
	/* These may wrap if a list is damaged. */
	to->bytes = (int64_t)((uint64_t)to->bytes + (uint64_t)row->bytes);
	to->before = (int64_t)((uint64_t)to->before + (uint64_t)row->before);
	to->change = (int64_t)((uint64_t)to->bytes - (uint64_t)to->before);
	to->nr += row->nr;
	return 0;
}

/* The most bytes first. */
ORDER(compare, struct held_row, DOWN(bytes) ?: strcmp(x->owner, y->owner))

void held_rows_report(struct held_rows *rows, const struct table_type *type,
		      struct report *report)
{
	struct table *t = table_plain(report, type);
	const size_t nr = rows->rows.nr;

	if (nr)
		qsort(rows->rows.of, nr, sizeof(*rows->rows.of), compare);
	for (size_t i = 0; i < nr; i++)
		table_put_row(t, &rows->rows.of[i]);
	t->text_rows = nr > ROWS_SHOWN ? ROWS_SHOWN : 0;
}

void held_rows_free(struct held_rows *rows)
{
	KEYED_FREE(&rows->rows);
}

/* --- the kernel's lists ------------------------------------------------------------------- */

/* Adds what the owner of @row has, @bytes in @nr slabs or areas, before or @after the recording. */
static int add_held(struct held_rows *rows, struct held_row row, bool after,
		    uint64_t bytes)
{
	*(after ? &row.bytes : &row.before) = (int64_t)bytes;
	row.nr = after ? row.nr : 0;
	return held_rows_add(rows, &row);
}

static int read_caches(const struct analysis_env *env,
		       const struct reclaim_caches *caches, struct held_rows *rows,
		       bool after)
{
	const char *text = recording_meta_text(env->rec, after ? "slabinfo.after"
							       : "slabinfo.before");
	struct slabinfo_line cache;
	char name[256];
	int ret = 0;

	while (!ret && slabinfo_next(&text, &cache)) {
		uint64_t slabs = cache.per_slab ? cache.total / cache.per_slab : 0;
		struct held_row row = { .owner = name,
					.known_by = "slabinfo",
					.nr = slabs };
		enum reclaim reclaim;

		snprintf(name, sizeof(name), "%.*s", (int)cache.name_len, cache.name);
		reclaim = reclaim_cache(caches, name);
		row.line = reclaim == RECLAIM_YES  ? "slab_reclaimable"
			   : reclaim == RECLAIM_NO ? "slab_unreclaimable"
						   : "slab";
		if (slabs)
			ret = add_held(rows, row, after,
				       slabs * cache.pages * env->page_size);
	}
	return ret;
}

static int read_areas(const struct analysis_env *env, struct held_rows *rows, bool after)
{
	const char *text = recording_meta_text(
		env->rec, after ? RECORDING_META_VMALLOCINFO ".after"
				: RECORDING_META_VMALLOCINFO ".before");
	struct vmallocinfo_line area;
	char name[256];
	int ret = 0;

	while (!ret && vmallocinfo_next(&text, &area)) {
		struct held_row row = { .owner = name,
					.known_by = "vmallocinfo",
					.nr = area.areas };

		snprintf(name, sizeof(name), "%.*s", (int)area.name_len, area.name);
		row.line = page_use_forks(name) ? "stacks" : "vmalloc";
		ret = add_held(rows, row, after, area.pages * env->page_size);
	}
	return ret;
}

int holders_read(const struct analysis_env *env, struct held_rows *rows)
{
	struct reclaim_caches caches = { 0 };
	int ret = reclaim_caches_init(&caches, env->rec), after;

	for (after = 0; after < 2 && !ret; after++)
		ret = read_caches(env, &caches, rows, after)
			      ?: read_areas(env, rows, after);
	reclaim_caches_free(&caches);
	return ret;
}

int holders_report(const struct analysis_env *env, struct report *report)
{
	struct held_rows rows = { .rows.nr = 0 };
	int ret = holders_read(env, &rows);

	if (!ret && rows.rows.nr)
		held_rows_report(&rows, &holders_type, report);
	held_rows_free(&rows);
	return ret;
}

/* --- per-CPU memory: figures of one CPU; meminfo's Percpu is the memory of all ----------- */

/* @parts: NULL: they are not counted. */
struct percpu_row {
	const char *use;
	int64_t before, after, change;
	const uint64_t *parts;
};

CELL_IF(cell_parts, struct percpu_row, r->parts, cell_uint(*r->parts))

static const struct column_type percpu_columns[] = {
	CHANGE_COLUMNS(struct percpu_row, before, after, "Bytes of each CPU,", 0),
	{ COLUMN("parts", "Parts", UNIT_COUNT,
		 "Allocations, pages or chunks, after the recording.", .level = true,
		 .drop = 60),
	  .fill = cell_parts },
	{ COLUMN("use", "Use", UNIT_NONE,
		 "static: variables of the kernel; allocated: areas, with what rounding adds; empty pages: memory without an area; chunks: addresses, which need not have memory.",
		 .last = true),
	  MEMBER(struct percpu_row, use) },
	COLUMNS_END,
};

const struct table_type percpu_use_type = {
	.name = "percpu_use",
	.help = "what per-CPU memory is used for, by the kernel's statistics",
	.title = "Per-CPU memory of each CPU, by the kernel's statistics",
	.columns = percpu_columns,
};

static void put_use(struct table *t, const char *use, uint64_t before, uint64_t after,
		    const uint64_t *parts)
{
	const struct percpu_row row = { use, (int64_t)before, (int64_t)after,
					(int64_t)(after - before), parts };

	table_put_row(t, &row);
}

void percpu_use_report(const struct analysis_env *env, struct report *report)
{
	const char *const before =
		recording_meta_text(env->rec, RECORDING_META_PERCPU_STATS ".before");
	const char *const after =
		recording_meta_text(env->rec, RECORDING_META_PERCPU_STATS ".after");
	const uint64_t size = env->page_size;
	struct percpu_stats was, is;
	struct table *t;

	if (!percpu_stats_read(&was, before) || !percpu_stats_read(&is, after))
		return;
	t = table_plain(report, &percpu_use_type);
	put_use(t, "allocated", was.allocated, is.allocated, &is.areas);
	put_use(t, "static", was.statics, is.statics, NULL);
	put_use(t, "empty pages", was.empty_pages * size, is.empty_pages * size,
		&is.empty_pages);
	put_use(t, "chunks", was.addresses, is.addresses, &is.chunks);
}
