// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the first look at a recording.
 * In: the tables of stat and of leaks, as these analyses make them. Out: the table "summary": the
 * three callsites that allocated most, hold most, and grow most; the largest waste; failures.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/alloc_filter.h"
#include "analysis/analyze.h"
#include "analysis/bounds.h"
#include "base/array.h"

extern const struct analysis analysis_slab, analysis_page, analysis_leaks;

/* Rows of each kind. */
#define LARGEST 3

enum part { PART_SLAB, PART_PAGE, PART_LEAKS, PART_NR };

static const struct analysis *const parts[PART_NR] = {
	[PART_SLAB] = &analysis_slab,
	[PART_PAGE] = &analysis_page,
	[PART_LEAKS] = &analysis_leaks,
};

/**
 * struct summary - the analysis
 * @opts: of @selves, which are what makes the tables
 */
struct summary {
	const struct analysis_env *env;
	struct analysis_options opts;
	void *selves[PART_NR];
};

/* What is looked for: the largest numbers of these columns.
 * @about: the row's word; @more: the command that shows more of it
 * @slab, @page: the tables; NULL: not of these. @column: of the numbers
 * @largest: how many rows
 * @live: it needs all frees
 */
static const struct subject_of {
	const char *about, *more;
	const char *slab, *page, *column;
	unsigned int largest;
	bool live;
} subjects[] = {
	{ "allocated", "kmemx stat", "slab", "page", "bytes", LARGEST, false },
	{ "live", "kmemx stat --live", "slab", "page", "net", LARGEST, true },
	{ "growth", "kmemx leaks", "leaks", "leaks_page", "growth", LARGEST, true },
	{ "wasted", "kmemx stat --sizes", "slab", NULL, "waste", 1, false },
	{ "failed", "kmemx stat --page", NULL, "page_failed", "bytes", 1, false },
};

/* A callsite, and what is known of it. */
struct site {
	const char *name; /* a text of the tables */
	uint64_t bytes, hit;
	bool page;
	uint64_t total; /* of all callsites in its table */
};

struct sites_found {
	struct site *sites;
	size_t nr, capacity;
};

/* What a row of the table is made from. @site: NULL: no table says which. */
struct summary_row {
	const struct subject_of *subject;
	const struct site *site;
	bool counted; /* its .hit is known */
};

/* --- cells ------------------------------------------------------------------------------ */

static struct cell cell_about(const void *row, struct table *t)
{
	const struct summary_row *r = row;

	return cell_text(t, r->subject->about);
}

static struct cell cell_of(const void *row, struct table *t)
{
	const struct summary_row *r = row;

	return cell_text(t, r->site->page ? "page" : "slab");
}

static struct cell cell_bytes(const void *row, struct table *t)
{
	const struct summary_row *r = row;

	return cell_uint(r->site->bytes);
}

static struct cell cell_part(const void *row, struct table *t)
{
	const struct summary_row *r = row;

	if (!r->site->total)
		return (struct cell){ 0 };
	return cell_real((double)r->site->bytes * 100.0 / (double)r->site->total);
}

static struct cell cell_hit(const void *row, struct table *t)
{
	const struct summary_row *r = row;

	return r->counted ? cell_uint(r->site->hit) : (struct cell){ 0 };
}

static struct cell cell_more(const void *row, struct table *t)
{
	const struct summary_row *r = row;

	return cell_text(t, r->subject->more);
}

static struct cell cell_callsite(const void *row, struct table *t)
{
	const struct summary_row *r = row;

	return cell_text(t, r->site->name);
}

/* A rate is no sum: text says so. */
static const char *spell_about(const char *word)
{
	return strcmp(word, "growth") ? word : "grows/s";
}

static const struct column_type columns[] = {
	{ .column = { .name = "about",
		      .title = "What",
		      .spell = spell_about,
		      .help = "allocated; live: allocated and not seen freed; growth: bytes a second by which live bytes grow; wasted: by internal fragmentation; failed: requests that the kernel refused." },
	  .fill = cell_about },
	{ .column = { .name = "of",
		      .title = "Of",
		      .help = "slab or page. The pages of slabs are in both." },
	  .fill = cell_of },
	{ .column = { .name = "bytes",
		      .title = "Bytes",
		      .unit = UNIT_BYTES,
		      .level = true,
		      .help = "Bytes of the callsite." },
	  .fill = cell_bytes },
	{ .column = { .name = "part",
		      .title = "Part",
		      .unit = UNIT_SHARE,
		      .level = true,
		      .leaves = 50,
		      .help = "Its part of the bytes of all callsites, of slab or of pages." },
	  .fill = cell_part },
	{ .column = { .name = "hit",
		      .title = "Hit",
		      .unit = UNIT_COUNT,
		      .level = true,
		      .leaves = 60,
		      .help = "Allocations; none where bytes are not of all of these." },
	  .fill = cell_hit },
	{ .column = { .name = "more",
		      .title = "More",
		      .hidden = true,
		      .help = "The command that shows more of it." },
	  .fill = cell_more },
	{ .column = { .name = "callsite",
		      .title = "Callsite",
		      .last = true,
		      .help = "The function that allocated." },
	  .fill = cell_callsite },
	COLUMNS_END,
};

static const struct table_type summary_type = {
	.name = "summary",
	.help = "the callsites that allocated most, hold most, grow most and waste most; failures",
	.columns = columns,
};

/* --- what the tables say ---------------------------------------------------------------- */

static const struct table *find_table(const struct report *r, const char *name)
{
	size_t i;

	for (i = 0; name && i < r->nr_tables; i++) {
		if (!strcmp(r->tables[i]->name, name))
			return r->tables[i];
	}
	return NULL;
}

static uint64_t cell_number(const struct table *t, size_t row, int column)
{
	const struct cell *c;

	if (column < 0)
		return 0;
	c = &t->cells[row * t->nr_columns + (size_t)column];
	if (c->type == CELL_INT)
		return c->i > 0 ? (uint64_t)c->i : 0;
	return c->type == CELL_UINT ? c->u : 0;
}

/* Does live memory of the row grow, as far as the table knows? */
static bool grows(const struct table *t, size_t row)
{
	int column = table_column(t, "verdict");
	const struct cell *c;

	if (column < 0)
		return true;
	c = &t->cells[row * t->nr_columns + (size_t)column];
	return c->type == CELL_TEXT && !strcmp(c->s, "grows");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct site *)a)->name, ((const struct site *)b)->name);
}

/* Those of @t, each once: rows of pages differ in order and migratetype, too. */
static int add_sites(struct sites_found *found, const struct table *t,
		     const struct subject_of *subject, bool page)
{
	int value = table_column(t, subject->column), hit = table_column(t, "hit");
	int name = table_column(t, "callsite");
	size_t first = found->nr, i, to;
	uint64_t total = 0;

	if (value < 0 || name < 0 ||
	    array_reserve(&found->sites, &found->capacity, found->nr + t->nr_rows + 1,
			  sizeof(*found->sites)))
		return value < 0 || name < 0 ? 0 : -ENOMEM;
	for (i = 0; i < t->nr_rows; i++) {
		const struct cell *c = &t->cells[i * t->nr_columns + (size_t)name];
		uint64_t bytes = cell_number(t, i, value);

		if (c->type != CELL_TEXT || !bytes || !grows(t, i))
			continue;
		found->sites[found->nr++] =
			(struct site){ c->s, bytes, cell_number(t, i, hit), page, 0 };
		total += bytes;
	}
	if (found->nr == first)
		return 0;
	qsort(found->sites + first, found->nr - first, sizeof(*found->sites), by_name);
	for (i = to = first; i < found->nr; i++) {
		struct site *last = &found->sites[to];

		if (i > first && !strcmp(found->sites[i].name, last->name)) {
			last->bytes += found->sites[i].bytes;
			last->hit += found->sites[i].hit;
			continue;
		}
		to += i > first;
		found->sites[to] = found->sites[i];
		found->sites[to].total = total;
	}
	found->nr = to + 1;
	return 0;
}

/* The largest first; of those that are equal, by name. */
static int by_size(const void *a, const void *b)
{
	const struct site *one = a, *other = b;

	if (one->bytes != other->bytes)
		return one->bytes > other->bytes ? -1 : 1;
	return by_name(a, b);
}

static int add_subject(const struct subject_of *subject, const struct report *from,
		       struct table *to)
{
	const struct table *slab = find_table(from, subject->slab);
	const struct table *page = find_table(from, subject->page);
	struct sites_found found = { 0 };
	int ret = slab ? add_sites(&found, slab, subject, false) : 0;
	size_t i;

	if (!ret && page)
		ret = add_sites(&found, page, subject, true);
	if (!ret && found.nr)
		qsort(found.sites, found.nr, sizeof(*found.sites), by_size);
	for (i = 0; i < found.nr && i < subject->largest && !ret; i++) {
		struct summary_row row = { subject, &found.sites[i],
					   !strcmp(subject->column, "bytes") };

		/* A slope is no part of a sum. */
		if (!strcmp(subject->column, "growth"))
			found.sites[i].total = 0;
		if (!table_type_add_row(&summary_type, SUBJECT_NONE, to, &row))
			ret = -ENOMEM;
	}
	free(found.sites);
	return ret;
}

/* --- the table -------------------------------------------------------------------------- */

static void add_trust(const struct summary *s, struct table *t)
{
	const struct event_stream_stats *seen = event_stream_stats(s->env->stream);
	const struct recording *rec = s->env->rec;
	uint32_t types = analysis_seen(s->env);
	uint64_t lost;

	/* What was lost stands above the table. */
	if (recording_lacks_frees(rec))
		table_add_note(
			t,
			"!Frees by other tasks are missing: what is live, and what grows, is unknown.");
	else if (bounds_lost(rec, seen, &lost) && !lost)
		table_add_note(t, "No event was lost; all frees were recorded.");
	if (!(types & NEEDS_SLAB) || !(types & NEEDS_PAGE))
		table_add_note(t, "No %s events were recorded (kmemx record --%s).",
			       types & NEEDS_SLAB ? "page" : "slab",
			       types & NEEDS_SLAB ? "page" : "slab");
}

/* Slab requests that failed name no size. */
static void add_failures(const struct report *from, struct table *t)
{
	const struct table *slab = find_table(from, "slab");
	size_t i;

	for (i = 0; slab && i < slab->nr_summary; i++) {
		const struct summary_item *item = &slab->summary[i];

		if (!strcmp(item->name, "allocs_failed") && item->value.u)
			table_add_note(
				t, "Slab requests that failed: %llu (kmemx stat --slab).",
				(unsigned long long)item->value.u);
	}
	if (find_table(from, "page") && !find_table(from, "page_failed"))
		table_add_note(t, "No page request failed.");
}

/* What the reader must know of the tables: their loud notes. */
static void add_warnings(const struct report *from, struct table *t)
{
	static const char *const names[] = { "slab", "page" };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct table *table = find_table(from, names[i]);

		for (k = 0; table && k < table->nr_notes; k++) {
			if (*table->notes[k] == '!')
				table_add_note(t, "%s", table->notes[k]);
		}
	}
}

static void add_more(struct table *t)
{
	table_add_note(
		t,
		"More: kmemx stat (allocated), kmemx stat --live (live), kmemx leaks (grows/s),");
	table_add_note(
		t,
		"      kmemx stat --sizes (wasted), kmemx stat --page (failed), kmemx info.");
}

static bool possible(const struct summary *s, enum part part)
{
	const struct alloc_filter *filter = s->env->filter;
	uint32_t seen = analysis_seen(s->env);

	if (part == PART_LEAKS)
		return !recording_lacks_frees(s->env->rec);
	if (part == PART_SLAB)
		return seen & NEEDS_SLAB && !(filter && !filter->nr_slab);
	return seen & NEEDS_PAGE && !(filter && !filter->nr_page);
}

static int show(const struct summary *s, const struct report *from, struct report *report)
{
	struct table *t = table_type_new(&summary_type, "The largest, by callsite",
					 SUBJECT_NONE, false);
	int ret = t ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subjects) && !ret; i++) {
		if (!subjects[i].live || !recording_lacks_frees(s->env->rec))
			ret = add_subject(&subjects[i], from, t);
	}
	if (!ret) {
		add_trust(s, t);
		add_warnings(from, t);
		add_failures(from, t);
		add_more(t);
		report_add_table(report, t);
		t = NULL;
	}
	table_free(t);
	return ret;
}

static int summary_view(const void *self, struct report *report)
{
	const struct summary *s = self;
	struct report *tables = report_new();
	int ret = tables ? 0 : -ENOMEM;
	enum part i;

	for (i = 0; i < PART_NR && !ret; i++) {
		if (possible(s, i))
			ret = parts[i]->view(s->selves[i], tables);
	}
	if (!ret && !report_ok(tables))
		ret = -ENOMEM;
	/* Nothing was recorded of what it is about: the command says so. */
	if (!ret && tables->nr_tables)
		ret = show(s, tables, report);
	report_free(tables);
	return ret;
}

static void summary_end(void *self)
{
	struct summary *s = self;
	enum part i;

	for (i = 0; i < PART_NR; i++) {
		if (parts[i]->end)
			parts[i]->end(s->selves[i]);
	}
}

static void summary_destroy(void *self)
{
	struct summary *s = self;
	enum part i;

	for (i = 0; i < PART_NR; i++) {
		if (s->selves[i])
			parts[i]->destroy(s->selves[i]);
	}
	free(s);
}

static void *summary_create(const struct analysis_env *env,
			    const struct analysis_options *opts)
{
	struct summary *s = calloc(1, sizeof(*s));
	enum part i;

	if (!s)
		return NULL;
	s->env = env;
	s->opts = (struct analysis_options){ .by_caller = true,
					     .older_ns = opts->older_ns };
	for (i = 0; i < PART_NR; i++) {
		s->selves[i] = parts[i]->create(env, &s->opts);
		if (!s->selves[i]) {
			summary_destroy(s);
			return NULL;
		}
	}
	return s;
}

static const struct table_type *const tables[] = { &summary_type, NULL };

const struct analysis analysis_summary = {
	.name = "summary",
	.help = "a first look: the largest of each kind",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.rows = ROWS(CALLSITE),
	.tables = tables,
	.create = summary_create,
	.apart = true,
	.end = summary_end,
	.view = summary_view,
	.destroy = summary_destroy,
};
