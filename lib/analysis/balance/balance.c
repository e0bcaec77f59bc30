// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: where all memory is, before and after the recording, and which events explain it.
 * In: meminfo and zoneinfo of the recording; accounts of pages and of areas. Out: table "balance",
 * whose rows add up to MemTotal. Documentation/balance.md says what each line is.
 */

#include "analysis/balance/balance.h"
#include "analysis/row/owners.h"

/* Smaller changes come from processes that start and end. */
#define CHANGE_MIN (1LL << 20)

/* Callsites that a row names. */
#define NAMED 3

struct balance {
	const struct analysis_env *env;
	struct lives *of[MEMORY_KINDS];
	struct older older;
};

/**
 * struct balance_row - a line's figures, in bytes
 * @explained: of @change; valid if @known
 * @sites: the callsites with most of it, as text
 */
struct balance_row {
	const struct memory_line *line;
	int64_t before, after, change, explained;
	bool known;
	struct strbuf sites;
};

/* @row_of: the row of each use. @all: also gets the owners; may be NULL. */
struct view {
	const struct balance *b;
	struct everything *all;
	struct balance_nodes nodes;
	struct page_uses uses;
	struct balance_row rows[MEMORY_LINES], *row_of[USE_NR];
	int64_t total[2];
	uint64_t older_pages, older_areas, older_known;
	bool stackless;
};

/* --- cells ------------------------------------------------------------------------------ */

CELL_IF(cell_explained, struct balance_row, r->known, cell_int(r->explained))
CELL_IF(cell_part, struct balance_row, r->known &&llabs(r->change) >= CHANGE_MIN,
	cell_real(100.0 * (double)r->explained / (double)r->change))

static const struct column_type columns[] = {
	CHANGE_COLUMNS(struct balance_row, before, after, "Bytes", 60),
	{ COLUMN("explained", "Explained", UNIT_BYTES,
		 "What was allocated for it in the recording and is still live, less what was freed and known to be older. Of free: what all page events took, or gave back.",
		 .level = true, .change = true, .drop = 20),
	  .fill = cell_explained },
	{ COLUMN("part", "Part", UNIT_PERCENT,
		 "Explained, as a part of a change of 1 MiB or more.", .level = true,
		 .drop = 70),
	  .fill = cell_part },
	{ COLUMN("line", "Line", UNIT_NONE,
		 "What the memory is used for; uncounted: MemTotal less all others.",
		 .spell = page_use_title),
	  MEMBER_OF(struct balance_row, line, name) },
	{ COLUMN("callsites", "Callsites", UNIT_NONE,
		 "The three callsites with most of the explained bytes, and these.",
		 .last = true),
	  MEMBER(struct balance_row, sites) },
	COLUMNS_END,
};

static const struct table_type balance_type = {
	.name = "balance",
	.help = "where all memory is, by the kernel's counters, and what events explain of it",
	.title = "All memory, by the kernel's counters",
	.columns = columns,
};

/* --- the kernel's counters ---------------------------------------------------------------- */

static void read_counters(struct view *v)
{
	int64_t figures[2][MEMORY_LINES];

	memory_lines_of(v->b->env->rec, v->b->env->page_size, figures, v->total);
	for (size_t i = 0; i < MEMORY_LINES; i++) {
		struct balance_row *row = &v->rows[i];

		row->line = &memory_lines[i];
		row->before = figures[0][i];
		row->after = figures[1][i];
		row->change = row->after - row->before;
		if (memory_lines[i].use != USE_NR)
			v->row_of[memory_lines[i].use] = row;
	}
}

/* --- what events explain ------------------------------------------------------------------ */

static enum page_use use_of_row(const struct view *v, const struct owners *o, size_t row)
{
	if (o->pages)
		return page_use(&v->uses, lives_key(o->lives, row), o->callsites[row]);
	return page_use_area(&v->uses, lives_stack(o->lives, row));
}

/* Live bytes of a callsite, by use; @callsite: 0: no stack. */
struct site_uses {
	uint64_t callsite, bytes[USE_NR];
};

static void name_site(struct owners *o, const struct site_uses *site, struct strbuf *out)
{
	if (site->callsite)
		sites_name(&o->sites, sites_group(&o->sites, site->callsite), out);
	else
		strbuf_puts(out, "[no stack]");
}

/* Appends "copy_process 9830400, ...": the callsites with most bytes of @use. */
static void name_largest(struct owners *o, const struct site_uses *sites,
			 enum page_use use, struct strbuf *out)
{
	size_t named[NAMED] = { 0 }, nr, i, k;

	for (nr = 0; nr < NAMED; nr++) {
		size_t best = o->nr;

		for (i = 0; i < o->nr; i++) {
			for (k = 0; k < nr && named[k] != i;)
				k++;
			if (k == nr && sites[i].bytes[use] &&
			    (best == o->nr ||
			     sites[i].bytes[use] > sites[best].bytes[use]))
				best = i;
		}
		if (best == o->nr)
			return;
		named[nr] = best;
		strbuf_puts(out, nr ? ", " : "");
		name_site(o, &sites[best], out);
		strbuf_printf(out, " %" PRIu64, sites[best].bytes[use]);
	}
}

/* Adds the live bytes of each callsite to the owners of all memory. */
static int add_owners(struct view *v, struct owners *o, const struct site_uses *sites,
		      enum page_use use)
{
	struct held_row row = { .line = v->row_of[use]->line->name,
				.known_by = KNOWN_BY_EVENTS };
	struct strbuf __auto_free name = { 0 };
	int ret = 0;

	for (size_t i = 0; i < o->nr && !ret; i++) {
		if (!sites[i].bytes[use])
			continue;
		name.size = 0;
		name_site(o, &sites[i], &name);
		row.owner = strbuf_text(&name);
		row.bytes = (int64_t)sites[i].bytes[use];
		ret = name.failed ? -ENOMEM : everything_add(v->all, &row);
	}
	return ret;
}

/* Adds the live bytes in the account of @memory to the rows of these uses. */
static int explain(struct view *v, enum memory memory, uint32_t of_uses)
{
	struct owners o;
	struct site_uses *sites = NULL;
	int ret = owners_init(&o, v->b->env, v->b->of[memory], SUBJECT_CALLSITE);
	enum page_use use;

	sites = calloc(o.nr + 1, sizeof(*sites));
	ret = sites ? ret : -ENOMEM;
	for (size_t i = 0; i < o.nr_rows && !ret; i++) {
		uint64_t live = lives_sums(o.lives, i).live_alloc;
		struct site_uses *site = &sites[o.of[i]];
		int64_t *explained;

		use = use_of_row(v, &o, i);
		if (o.pages && use != USE_NR)
			balance_nodes_explain(&v->nodes,
					      lives_value(o.lives, i, DIMENSION_NODE),
					      use, live);
		if (use == USE_NR || !(of_uses >> use & 1))
			continue;
		site->bytes[use] += live;
		site->callsite = o.callsites[i];
		explained = &v->row_of[use]->explained;
		if (__builtin_add_overflow(*explained, live, explained))
			*explained = INT64_MAX;
	}
	for (use = 0; use < USE_NR && !ret; use++) {
		struct balance_row *row = v->row_of[use];

		if (!(of_uses >> use & 1))
			continue;
		row->known = true;
		name_largest(&o, sites, use, &row->sites);
		ret = row->sites.failed ? -ENOMEM : 0;
		if (!ret && v->all)
			ret = add_owners(v, &o, sites, use);
	}
	free(sites);
	owners_free(&o);
	return ret;
}

/* Subtracts pages with a known use that were there before the recording and freed in it. */
static void explain_older(struct view *v, uint32_t of_uses)
{
	int64_t bytes[USE_NR] = { 0 };

	v->older_known = older_sum(&v->b->older, &v->uses, bytes);
	for (enum page_use use = 0; use < USE_NR; use++)
		if (of_uses >> use & 1)
			v->row_of[use]->explained -= bytes[use];
}

/* Adds the owners of pages by page_owner after the recording, else by the opening balance. */
static int add_page_owners(struct view *v)
{
	int ret = everything_page_owner(v->all, &v->uses);

	if (ret || v->all->page_owner)
		return ret;
	return older_left(&v->b->older, &v->uses, v->all);
}

/* vmalloc and stacks are explained by areas, if these were recorded; else by their pages, most of
 * which have no event.
 */
static int explain_all(struct view *v)
{
	const uint32_t of_areas = 1U << USE_STACK | 1U << USE_VMALLOC;
	const uint32_t seen = analysis_seen(v->b->env);
	const struct page_lives *pages = accounts_of_page(v->b->of[MEMORY_PAGE]);
	const struct page_totals *sum = &pages->totals;
	const uint64_t size = v->b->env->page_size;
	bool areas = seen & NEEDS_VMALLOC;
	int ret = page_uses_init(&v->uses, v->b->env);

	if (!ret && v->all)
		ret = add_page_owners(v);
	if (!ret && seen & NEEDS_PAGE) {
		const uint32_t of_pages = ((1U << USE_NR) - 1) & ~(areas ? of_areas : 0);

		ret = explain(v, MEMORY_PAGE, of_pages);
		explain_older(v, of_pages);
		v->stackless = sum->requests > sum->failures &&
			       sum->without_stack == sum->requests - sum->failures;
		v->older_pages = sum->unmatched_pages + sum->again_pages;
		v->rows[MEMORY_LINE_FREE].known = true;
		/* In unsigned numbers, which may wrap. */
		v->rows[MEMORY_LINE_FREE].explained =
			(int64_t)(size * (v->older_pages - sum->live_pages));
	}
	if (!ret && areas) {
		ret = explain(v, MEMORY_VMALLOC, of_areas);
		v->older_areas =
			accounts_of_slab(v->b->of[MEMORY_VMALLOC])->totals.unmatched;
	}
	return ret;
}

/* --- the table ---------------------------------------------------------------------------- */

static void add_notes(const struct view *v, struct table *t)
{
	const uint32_t seen = analysis_seen(v->b->env);

	table_note_if(
		t, !(seen & NEEDS_PAGE),
		"!No page events were recorded: most of it is not explained (kmemx record).");
	table_note_if(
		t, v->stackless,
		"!No page allocation has a callchain: only GFP flags tell what pages are for (kmemx record --page).");
	table_note_if(
		t, !(seen & NEEDS_VMALLOC),
		"No vmalloc events were recorded (they came with Linux 6.3): kernel stacks and vmalloc are explained by pages that have an event.");
	if (v->older_pages && v->older_known)
		table_add_note(t,
			       "Freed, and allocated before the recording: %" PRIu64
			       " bytes of pages. Of %" PRIu64
			       " the line is known, which is explained less that.",
			       v->older_pages * v->b->env->page_size, v->older_known);
	else if (v->older_pages)
		table_add_note(
			t,
			"Freed, and allocated before the recording: %" PRIu64
			" bytes of pages. No event tells of which line (kmemx record --opening).",
			v->older_pages * v->b->env->page_size);
	table_note_if(t, v->older_areas,
		      "Freed, and allocated before the recording: %" PRIu64
		      " area%s of vmalloc.",
		      v->older_areas, plural(v->older_areas));
	table_note_if(t, v->b->of[MEMORY_PAGE]->losses,
		      "!Events were lost: what seems to live may have been freed.");
	if (v->total[0] != v->total[1])
		table_add_note(t, "!MemTotal changed by %+" PRId64 " bytes.",
			       v->total[1] - v->total[0]);
}

static void add_summary(const struct view *v, struct table *t)
{
	table_set_summary_title(t, "SUMMARY (balance)");
	TABLE_SUMMARY(t, false,
		      { "total_before", "MemTotal before", UNIT_BYTES,
			(uint64_t)v->total[0], SUMMARY_TOTAL },
		      { "total_after", "MemTotal after", UNIT_BYTES,
			(uint64_t)v->total[1], SUMMARY_TOTAL },
		      { "bytes_unmatched", "Pages freed without an allocation event",
			UNIT_BYTES, v->older_pages * v->b->env->page_size,
			SUMMARY_DOUBT });
}

/* Reads the counters, and what explains them; view_free() in any case. */
static int view_init(struct view *v)
{
	int ret = v->b->older.failed ? -ENOMEM : 0;

	for (size_t i = 0; i < MEMORY_KINDS; i++)
		if (v->b->of[i]->failed)
			ret = -ENOMEM;
	ret = ret ?: balance_nodes_read(&v->nodes, v->b->env->rec, v->b->env->page_size);
	if (ret)
		return ret;
	read_counters(v);
	return explain_all(v);
}

static void view_free(struct view *v)
{
	for (size_t i = 0; i < MEMORY_LINES; i++)
		strbuf_free(&v->rows[i].sites);
	page_uses_free(&v->uses);
	balance_nodes_free(&v->nodes);
}

static int balance_view(const void *self, struct report *report)
{
	struct view v = { .b = self };
	struct table *t = table_plain(report, &balance_type);
	int ret = view_init(&v);

	for (size_t i = 0; i < MEMORY_LINES && !ret; i++)
		table_put_row(t, &v.rows[i]);
	if (!ret) {
		add_notes(&v, t);
		add_summary(&v, t);
	}
	ret = ret ?: older_report(&v.b->older, &v.uses, false, report);
	ret = ret ?: holders_report(v.b->env, report);
	if (!ret)
		percpu_use_report(v.b->env, report);
	if (!ret && balance_nodes_any(&v.nodes))
		balance_nodes_report(&v.nodes, report);
	view_free(&v);
	return ret;
}

/* For kmemx owners --all. */
static int everything_view(const void *self, struct report *report)
{
	struct everything all;
	struct view v = { .b = self, .all = &all };
	int ret = everything_begin(&all, v.b->env) ?: view_init(&v);

	for (size_t i = 0; i < MEMORY_LINES && !ret; i++)
		ret = everything_end_line(&all, memory_lines[i].name, v.rows[i].after,
					  i <= MEMORY_LINE_CPUS ? "counter" : NULL);
	if (!ret)
		everything_report(&all, v.total[1], report);
	everything_free(&all);
	view_free(&v);
	return ret;
}

static int balance_create(void *self, const struct analysis_env *env,
			  const struct analysis_options *opts)
{
	struct dimensions wanted[MEMORY_KINDS] = { 0 };
	struct balance_nodes nodes = { 0 };
	struct balance *b = self;
	int ret = balance_nodes_read(&nodes, env->rec, env->page_size);

	if (balance_nodes_any(&nodes))
		wanted[MEMORY_PAGE].of[0] = DIMENSION_NODE;
	balance_nodes_free(&nodes);
	return ret ?: older_init(&b->older, env) ?: accounts_ask(env->accounts, wanted, b->of);
}

static void balance_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct balance *b = self;

	older_events(&b->older, evs, nr);
}

static void balance_destroy(void *self)
{
	struct balance *b = self;

	older_free(&b->older);
}

static const char *balance_lacks(const struct recording *rec)
{
	return memory_lines_known(rec)
		       ? NULL
		       : "does not say how much memory was in use (meminfo)";
}

/* What both analyses share. @why: why they need all events. */
#define OF_ALL_MEMORY(why)                                                              \
	.use = ANALYSIS_COMMAND, .needs = NEEDS_MEMORY,                                 \
	.all_time = "the kernel's counters were read before and after it",              \
	.unfiltered = why, .unsampled = why, .all_frees = true, .lacks = balance_lacks, \
	ANALYSIS_SELF(struct balance), .create = balance_create,                        \
	.observe = balance_observe, .destroy = balance_destroy

const struct analysis analysis_balance = {
	.name = "balance",
	.help = "where all memory is, and what events explain of it",
	OF_ALL_MEMORY("it explains counters of the whole system"),
	.tables = TABLES(&balance_type, &older_type, &holders_type, &percpu_use_type,
			 &balance_nodes_type),
	.view = balance_view,
};

const struct analysis analysis_everything = {
	.name = "everything",
	.command = "owners",
	.help = "who owns all memory",
	OF_ALL_MEMORY("its rows are all memory of the system"),
	.tables = TABLES(&everything_type),
	.view = everything_view,
};
