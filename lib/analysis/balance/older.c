// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: pages that were allocated before the recording and freed in it.
 * In: page events, and what frames were used for before. Out: bytes by use; table "older".
 *
 * Such a page's first event is its free.
 */
#include "analysis/balance/balance.h"

/* At most this many frames of a block are looked up, so that damaged orders cost little. */
#define FRAMES_MAX 1024U

static const struct column_type columns[] = { EVERYTHING_COLUMNS(
	"Bytes that were freed in the recording, and allocated before it.",
	"Where the use of the page before the recording is known from: page_owner or kpageflags.",
	"The balance's line that had these bytes.",
	"The callsite, by page_owner; [not named]: kpageflags has no names.") };

const struct table_type older_type = {
	.name = "older",
	.help = "pages that were allocated before the recording and freed in it",
	.title = "Pages freed in the recording, and allocated before it",
	.sort = "bytes",
	.columns = columns,
};

/* --- events ----------------------------------------------------------------------------- */

int older_init(struct older *o, const struct analysis_env *env)
{
	int ret = opening_read(
		&o->opening,
		recording_meta_text(env->rec, RECORDING_META_OPENING ".before"));

	o->env = env;
	if (!ret && o->opening.nr_names) {
		o->pages = calloc(o->opening.nr_names + 1, sizeof(*o->pages));
		o->pages_seen = calloc(o->opening.nr_names + 1, sizeof(*o->pages_seen));
		ret = o->pages && o->pages_seen ? 0 : -ENOMEM;
	}
	return ret;
}

static void take(struct older *o, uint64_t pfn, uint32_t order, bool freed)
{
	uint32_t nr = order < 10 ? 1U << order : FRAMES_MAX, i;

	for (i = 0; i < nr && pfn < OPENING_FRAME_MAX; i++) {
		uint32_t name = opening_find(&o->opening, pfn + i);

		if (!name || addr_set_has(&o->seen, (pfn + i) * 8))
			continue;
		o->failed |= !addr_set_add(&o->seen, (pfn + i) * 8);
		o->pages[name] += freed;
		o->pages_seen[name]++;
	}
}

void older_events(struct older *o, const struct kmem_event *evs, size_t nr)
{
	for (size_t i = 0; i < nr && o->opening.nr; i++) {
		const struct kmem_event *ev = &evs[i];

		if (ev->type == KMEM_PAGE_FREE)
			take(o, ev->page_free.pfn, ev->page_free.order, true);
		else if (ev->type == KMEM_PAGE_ALLOC && ev->page_alloc.pfn != KMEM_NO_PFN)
			take(o, ev->page_alloc.pfn, ev->page_alloc.order, false);
	}
}

/* --- uses ------------------------------------------------------------------------------- */

/* By page_owner: "0xGFP FUNCTION FUNCTION ...". */
static bool is_chain(const struct opening_name *name)
{
	return name->len > 2 && !memcmp(name->text, "0x", 2);
}

static const char *functions(const struct opening_name *name, size_t *len,
			     uint64_t *gfp_flags)
{
	const char *end = name->text + name->len;
	char *at;

	*gfp_flags = strtoull(name->text, &at, 16);
	at += at < end;
	*len = at < end ? (size_t)(end - at) : 0;
	return at;
}

static enum page_use use_of(const struct page_uses *uses, const struct opening_name *name)
{
	uint64_t gfp_flags;
	const char *names;
	size_t len, i;

	if (is_chain(name)) {
		names = functions(name, &len, &gfp_flags);
		return page_use_named(uses, gfp_flags, names, len);
	}
	for (i = 0; i < MEMORY_LINES; i++)
		if (strlen(memory_lines[i].name) == name->len &&
		    !memcmp(memory_lines[i].name, name->text, name->len))
			return memory_lines[i].use;
	return USE_NR;
}

uint64_t older_sum(const struct older *o, const struct page_uses *uses,
		   int64_t bytes[USE_NR])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < o->opening.nr_names; i++) {
		enum page_use use = use_of(uses, &o->opening.names[i]);
		uint64_t freed = o->pages[i + 1] * o->env->page_size;

		if (use == USE_NR)
			continue;
		bytes[use] += (int64_t)freed;
		sum += freed;
	}
	return sum;
}

/* --- the table -------------------------------------------------------------------------- */

/* Adds each use that has @pages to @all, or else to @rows. */
static int read_rows(const struct older *o, const struct page_uses *uses,
		     const uint64_t *pages, struct everything *all,
		     struct held_rows *rows)
{
	int ret = 0;

	for (size_t i = 0; i < o->opening.nr_names && !ret; i++) {
		const struct opening_name *name = &o->opening.names[i];
		enum page_use use = use_of(uses, name);
		char owner[256] = "[not named]";
		struct held_row row = { .owner = owner, .known_by = KNOWN_BY_FLAGS };
		uint64_t gfp_flags;
		const char *names;
		size_t len;

		row.bytes = (int64_t)(pages[i + 1] * o->env->page_size);
		if (use == USE_NR || !row.bytes)
			continue;
		if (is_chain(name)) {
			names = functions(name, &len, &gfp_flags);
			everything_owner(o->env, names, len, owner);
			row.known_by = KNOWN_BY_PAGE_OWNER;
		}
		row.line = memory_line_of(use);
		ret = all ? everything_add(all, &row) : held_rows_add(rows, &row);
	}
	return ret;
}

int older_left(const struct older *o, const struct page_uses *uses,
	       struct everything *all)
{
	const struct opening *opening = &o->opening;
	uint64_t *left __auto_mem = calloc(opening->nr_names + 1, sizeof(*left));

	if (!left)
		return -ENOMEM;
	for (size_t i = 0; i < opening->nr; i++)
		left[opening->runs[i].name] += opening->runs[i].nr;
	for (size_t i = 1; i <= opening->nr_names; i++)
		left[i] -= o->pages_seen[i];
	return read_rows(o, uses, left, all, NULL);
}

int older_report(const struct older *o, const struct page_uses *uses, bool always,
		 struct report *report)
{
	struct held_rows rows = { .rows.nr = 0 };
	int ret = read_rows(o, uses, o->pages, NULL, &rows);

	if (!ret && (rows.rows.nr || always))
		held_rows_report(&rows, &older_type, report);
	held_rows_free(&rows);
	return ret;
}

void older_free(struct older *o)
{
	opening_free(&o->opening);
	addr_set_free(&o->seen);
	free(o->pages);
	free(o->pages_seen);
	o->pages = o->pages_seen = NULL;
}
