// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: who holds memory, by the kernel's own lists.
 * In: slabinfo and the sums of vmallocinfo, before and after the recording. Out: table "holders".
 */
#include "analysis/balance/holders.h"

#include "account/snapshot.h"
#include "analysis/bounds/reclaimable.h"
#include "base/keyed.h"

/* Text shows so many; the other formats have all. */
#define ROWS_SHOWN 10

/* Before and after: [0] and [1]. */
struct holder {
	const char *name, *line;
	int64_t bytes[2], change;
	uint64_t nr[2];
};

/* All of them, by "LINE NAME". */
struct holders {
	const struct analysis_env *env;
	struct reclaim_caches reclaim;
	KEYED(struct holder) items;
};

static const struct column_type columns[] = {
	CHANGE_COLUMNS(struct holder, bytes[0], bytes[1], "Bytes", 0),
	{ COLUMN("parts", "Parts", UNIT_COUNT,
		 "Slabs of the cache, or areas of vmalloc, after the recording.",
		 .level = true, .leaves = 60),
	  MEMBER(struct holder, nr[1]) },
	{ COLUMN("line", "Line", UNIT_NONE, "The balance's line that has these bytes.",
		 .spell = page_use_title),
	  MEMBER(struct holder, line) },
	{ COLUMN("holder", "Holder", UNIT_NONE,
		 "The slab cache, or the function that called vmalloc.", .last = true),
	  MEMBER(struct holder, name) },
	COLUMNS_END,
};

const struct table_type holders_type = {
	.name = "holders",
	.help = "slab caches and callers of vmalloc, by the kernel's own lists",
	.title = "Slab caches and callers of vmalloc, by the kernel's own lists",
	.columns = columns,
};

/* --- the kernel's lists ------------------------------------------------------------------- */

/* What @name of @line has at one end of the recording: @nr slabs or areas. */
struct held {
	const char *line, *name;
	int end;
	uint64_t nr, bytes;
};

/* 0 or -ENOMEM. */
static int add_held(struct holders *h, const struct held *held)
{
	struct strbuf __auto_free key = { 0 };
	uint32_t before = h->items.keys.count, id;
	struct holder *item;

	strbuf_printf(&key, "%s %s", held->line, held->name);
	id = key.failed ? 0 : KEYED_ID_OF(&h->items, strbuf_text(&key), key.size);
	if (!id)
		return -ENOMEM;
	item = &h->items.of[id - 1];
	if (id > before) {
		item->name = (const char *)KEYED_KEY(&h->items, before) +
			     strlen(held->line) + 1;
		item->line = held->line;
	}
	item->nr[held->end] += held->nr;
	/* The sum may wrap if the list is damaged. */
	item->bytes[held->end] =
		(int64_t)((uint64_t)item->bytes[held->end] + held->bytes);
	item->change = (int64_t)((uint64_t)item->bytes[1] - (uint64_t)item->bytes[0]);
	return 0;
}

static int read_caches(struct holders *h, const char *text, int end)
{
	struct slabinfo_line cache;
	char name[256];
	int ret = 0;

	while (!ret && slabinfo_next(&text, &cache)) {
		uint64_t slabs = cache.per_slab ? cache.total / cache.per_slab : 0;
		struct held held = { .name = name, .end = end, .nr = slabs };
		enum reclaim reclaim;

		snprintf(name, sizeof(name), "%.*s", (int)cache.name_len, cache.name);
		reclaim = reclaim_cache(&h->reclaim, name);
		held.line = reclaim == RECLAIM_YES  ? "slab_reclaimable"
			    : reclaim == RECLAIM_NO ? "slab_unreclaimable"
						    : "slab";
		held.bytes = slabs * cache.pages * h->env->page_size;
		if (slabs)
			ret = add_held(h, &held);
	}
	return ret;
}

static int read_areas(struct holders *h, const char *text, int end)
{
	struct vmallocinfo_line area;
	char name[256];
	int ret = 0;

	while (!ret && vmallocinfo_next(&text, &area)) {
		struct held held = { .name = name,
				     .end = end,
				     .nr = area.areas,
				     .bytes = area.pages * h->env->page_size };

		snprintf(name, sizeof(name), "%.*s", (int)area.name_len, area.name);
		held.line = page_use_forks(name) ? "stacks" : "vmalloc";
		ret = add_held(h, &held);
	}
	return ret;
}

static int read_lists(struct holders *h)
{
	static const char *const ends[][2] = {
		{ "slabinfo.before", RECORDING_META_VMALLOCINFO ".before" },
		{ "slabinfo.after", RECORDING_META_VMALLOCINFO ".after" },
	};
	const struct recording *rec = h->env->rec;
	int ret = reclaim_caches_init(&h->reclaim, rec), end;

	for (end = 0; end < 2 && !ret; end++) {
		ret = read_caches(h, recording_meta_text(rec, ends[end][0]), end);
		ret = ret ?: read_areas(h, recording_meta_text(rec, ends[end][1]), end);
	}
	return ret;
}

/* --- the table -------------------------------------------------------------------------- */

/* The largest first. */
static int compare(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	if (x->bytes[1] != y->bytes[1])
		return x->bytes[1] < y->bytes[1] ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void free_lists(struct holders *h)
{
	reclaim_caches_free(&h->reclaim);
	KEYED_FREE(&h->items);
}

int holders_after(const struct analysis_env *env,
		  int (*add)(void *to, const char *line, const char *name, int64_t bytes),
		  void *to)
{
	struct holders h = { .env = env };
	int ret = read_lists(&h);

	for (size_t i = 0; i < h.items.nr && !ret; i++)
		ret = add(to, h.items.of[i].line, h.items.of[i].name,
			  h.items.of[i].bytes[1]);
	free_lists(&h);
	return ret;
}

int holders_report(const struct analysis_env *env, struct report *report)
{
	struct holders h = { .env = env };
	int ret = read_lists(&h);

	if (!ret && h.items.nr) {
		struct table *t = table_plain(report, &holders_type);

		qsort(h.items.of, h.items.nr, sizeof(*h.items.of), compare);
		for (size_t i = 0; i < h.items.nr; i++)
			table_put_row(t, &h.items.of[i]);
		t->text_rows = h.items.nr > ROWS_SHOWN ? ROWS_SHOWN : 0;
	}
	free_lists(&h);
	return ret;
}
