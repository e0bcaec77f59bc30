// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the tables of fallbacks and of the pageblocks that they split.
 * In: fallbacks and pageblocks from frag.c. Out: tables "frag" and "frag_block", and, with
 * frag_memory.c, the other tables.
 */

#include "analysis/kernel/frag.h"
#include "analysis/stat/account_rows.h"
#include "base/array.h"
#include "recording/snapshot.h"

/* Tables under construction. @has_ownership: the events say whether pageblocks were claimed. */
struct frag_view {
	const struct frag *f;
	struct sites sites;
	struct dimensions dims;
	struct subjects subjects;
	bool has_ownership;
};

/* The fallback's row; UINT32_MAX: no memory. */
static uint32_t frag_view_subject(struct frag_view *v, const struct frag_event *e)
{
	struct kmem_event ev = e->ev;
	struct subject who = { .callsite = sites_of_stack_once(&v->sites, ev.stack),
			       .stack = ev.stack };

	ev.type = KMEM_PAGE_ALLOC;
	who.dims = dimension_values_of(&v->dims, &ev);
	return subjects_row(&v->subjects, &who);
}

/* Rows by @kind. 0 or -ENOMEM; call frag_view_end() in any case. @v must not be moved. */
static int frag_view_begin(struct frag_view *v, const struct frag *f,
			   enum subject_kind kind)
{
	*v = (struct frag_view){ .f = f };
	v->dims = subjects_page_dimensions(kind);
	dimensions_by_task(&v->dims);
	accounts_by_process(f->env->accounts, &v->dims);
	for_each(fmt, f->env->fmts->list, f->env->fmts->count) {
		if (fmt->type == KMEM_PAGE_ALLOC_EXTFRAG)
			v->has_ownership = fmt->fields[EXTFRAG_CHANGE_OWNERSHIP].size;
	}
	sites_init(&v->sites, f->env);
	return subjects_init(&v->subjects, f->env, kind, &v->sites, &v->dims);
}

static void frag_view_end(struct frag_view *v)
{
	subjects_free(&v->subjects);
	sites_free(&v->sites);
}

/* Hides the columns that were not asked for, and sets the unit of times to that of the clock. */
static void frag_view_columns(const struct frag_view *v, struct table *t)
{
	analysis_plain_times(v->f->env, t);
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].series)
			t->columns[i].hidden = !v->f->opts->bins;
	}
}

/* --- fallbacks --------------------------------------------------------------------------- */

/* The key of a row of fallbacks; without padding, as keys are compared as bytes. */
struct frag_key {
	uint32_t subject;
	int32_t alloc_order, fallback_order, to, from;
	uint32_t claimed;
};

struct frag_sum {
	uint64_t hit, pages;
};

/**
 * struct view - the table of fallbacks under construction
 * @bins: of each row, see options.bins
 */
struct view {
	struct frag_view of;
	KEYED(struct frag_sum) sums; /* by struct frag_key */
	uint64_t *bins;
	size_t nr_bins, bins_capacity;
};

struct view_row {
	struct subject_row subject;
	const struct view *v;
	const struct frag_key *key;
	const struct frag_sum *sum;
	const uint64_t *bins;
};

static struct cell yes_no(struct table *t, bool known, bool yes)
{
	return cell_text(t, known ? yes ? "yes" : "no" : NULL);
}

CELL(cell_from, struct view_row, analysis_migratetype(r->v->of.f->env, r->key->from, t))
CELL(cell_to, struct view_row, analysis_migratetype(r->v->of.f->env, r->key->to, t))
CELL(cell_fragmenting, struct view_row,
     yes_no(t, r->v->of.f->order_known,
	    r->key->fallback_order < (int32_t)r->v->of.f->block_order))
CELL(cell_claimed, struct view_row, yes_no(t, r->v->of.has_ownership, r->key->claimed))

CELL_IF(cell_over_time, struct view_row, r->v->of.f->opts->bins,
	cell_numbers(t, r->bins, r->v->of.f->opts->bins))

static const struct column_type columns[] = {
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Fallbacks.", .share = true),
	  MEMBER_OF(struct view_row, sum, hit) },
	{ COLUMN("pages", "Pages", UNIT_PAGES, "Pages of the free blocks that they took.",
		 .drop = 80),
	  MEMBER_OF(struct view_row, sum, pages) },
	{ COLUMN("alloc_order", "Order", UNIT_NONE, "The order of the allocations.",
		 .level = true, .drop = 40),
	  MEMBER_OF(struct view_row, key, alloc_order) },
	{ COLUMN("fallback_order", "From_order", UNIT_NONE,
		 "The order of the free blocks that they took.", .level = true,
		 .drop = 30),
	  MEMBER_OF(struct view_row, key, fallback_order) },
	{ COLUMN("to", "For", UNIT_NONE, "The migratetype of the allocations.",
		 .drop = 20),
	  .fill = cell_to },
	{ COLUMN("from", "Taken_from", UNIT_NONE,
		 "The migratetype of the free lists that they took from.", .drop = 15),
	  .fill = cell_from },
	{ COLUMN("fragmenting", "Fragments", UNIT_NONE,
		 "yes: the free block was smaller than a pageblock, which then holds pages of several types; none: the recording does not say how large a pageblock is.",
		 .drop = 50),
	  .fill = cell_fragmenting },
	{ COLUMN("change_ownership", "Claimed", UNIT_NONE,
		 "yes: the pageblock is of the allocation's migratetype from then on.",
		 .drop = 60),
	  .fill = cell_claimed },
	{ COLUMN("over_time", "Over_time", UNIT_COUNT,
		 "Fallbacks in each part of the time, of equal length (--over-time); in text a line of marks.",
		 .series = true, .hidden = true, .drop = 5),
	  .fill = cell_over_time },
	SUBJECT_COLUMNS,
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type frag_type = {
	.name = "frag",
	.help = "fallbacks to another migratetype by callsite, or what --by says",
	.sort = "hit,pages",
	.columns = columns,
};

/* Does the fallback give the pageblock the allocation's migratetype? */
static bool claims(const struct frag_event *e)
{
	return e->ev.extfrag.change_ownership != 0;
}

static unsigned int bin_of(const struct view *v, uint64_t ts)
{
	const struct analysis_env *env = v->of.f->env;
	uint64_t span = less(env->last_ts, env->first_ts);
	uint64_t width = span / v->of.f->opts->bins + 1;
	uint64_t bin = ts > env->first_ts ? (ts - env->first_ts) / width : 0;

	return bin < v->of.f->opts->bins ? (unsigned int)bin : v->of.f->opts->bins - 1;
}

static int add_event(struct view *v, const struct frag_event *e)
{
	const int32_t fallback_order = e->ev.extfrag.fallback_order;
	const struct frag_key key = { .subject = frag_view_subject(&v->of, e),
				      .alloc_order = e->ev.extfrag.alloc_order,
				      .fallback_order = fallback_order,
				      .to = e->ev.extfrag.alloc_migratetype,
				      .from = e->ev.extfrag.fallback_migratetype,
				      .claimed = claims(e) };
	size_t nr_bins = v->of.f->opts->bins;
	uint32_t id;

	if (key.subject == UINT32_MAX)
		return -ENOMEM;
	id = KEYED_ID(&v->sums, &key);
	if (!id ||
	    /* One more, so that there is an array even without bins. */
	    array_reach(&v->bins, &v->nr_bins, &v->bins_capacity, id * nr_bins + 1))
		return -ENOMEM;
	v->sums.of[id - 1].hit++;
	if (fallback_order >= 0 && fallback_order < BUDDY_ORDERS_MAX)
		v->sums.of[id - 1].pages += 1ULL << fallback_order;
	if (nr_bins)
		v->bins[(id - 1) * nr_bins + bin_of(v, e->ev.ts)]++;
	return 0;
}

static void add_notes(const struct frag *f, struct table *t)
{
	uint64_t unknown = 0, unfiltered = 0;

	for (size_t i = 0; i < f->nr; i++) {
		unknown += !f->events[i].ev.stack && frag_is_shown(f, &f->events[i]);
		unfiltered += f->env->filter && !f->events[i].found;
	}
	table_note_if(t, unknown,
		      "Fallbacks without a callsite: %" PRIu64
		      ", as neither they nor their allocations have a callchain.",
		      unknown);
	table_note_if(t, unfiltered,
		      "!Left out: %" PRIu64
		      " fallback%s whose allocation was not found, which the filter "
		      "cannot judge.",
		      unfiltered, plural(unfiltered));
	if (!f->order_known)
		table_add_note(
			t,
			"!The recording does not say how large a pageblock is: what fragments is unknown.");
	else if (!f->blocks.order)
		table_add_note(t, "Pageblocks of order %u are not followed.",
			       f->block_order);
	table_note_if(
		t, f->losses,
		"!Events were lost: there were fallbacks that are not shown, and pages of a pageblock may be gone that count as live.");
}

static void add_summary(const struct frag *f, struct table *t)
{
	uint64_t hit = 0, fragmenting = 0, claimed = 0;

	for_each(e, f->events, f->nr) {
		if (!frag_is_shown(f, e))
			continue;
		hit++;
		fragmenting += f->order_known && frag_fragments(f, e);
		claimed += claims(e);
	}
	table_set_summary_title(t, "SUMMARY (external fragmentation)");
	TABLE_SUMMARY(t, f->losses != 0,
		      { "fallbacks", "Fallbacks", UNIT_COUNT, hit, SUMMARY_TOTAL },
		      { "claims", "  that claimed a pageblock", UNIT_COUNT, claimed,
			SUMMARY_USUAL });
	if (f->order_known)
		TABLE_SUMMARY(t, f->losses != 0,
			      { "fragmenting", "  that fragment", UNIT_COUNT, fragmenting,
				SUMMARY_USUAL });
	frag_advise(f, t);
}

static int show_by(const struct frag *f, enum subject_kind kind, struct report *report)
{
	struct table *t = account_rows_table(
		report, &frag_type, subject_estimated(kind, f->env->sample.one_in),
		"Fallbacks to another migratetype");
	struct view v = { 0 };
	int ret = frag_view_begin(&v.of, f, kind);

	frag_view_columns(&v.of, t);
	for (size_t i = 0; i < f->nr && !ret; i++) {
		if (frag_is_shown(f, &f->events[i]))
			ret = add_event(&v, &f->events[i]);
	}
	for (size_t i = 0; i < v.sums.nr && !ret; i++) {
		const struct frag_key *key = KEYED_KEY(&v.sums, i);
		const struct view_row row = { .subject = { &v.of.subjects, key->subject },
					      .v = &v,
					      .key = key,
					      .sum = &v.sums.of[i],
					      .bins = &v.bins[i * f->opts->bins] };

		table_put_row(t, &row);
	}
	if (!ret) {
		add_notes(f, t);
		add_summary(f, t);
	}
	frag_view_end(&v.of);
	KEYED_FREE(&v.sums);
	free(v.bins);
	return ret;
}

/* --- pageblocks -------------------------------------------------------------------------- */

/* A pageblock's row. @first: the index of its first fallback, plus one. */
struct block_sum {
	uint64_t hit, claimed;
	size_t first;
	uint32_t subject;
};

struct block_view {
	struct frag_view of;
	struct block_sum *blocks;
	struct tasks tasks;
};

struct block_row {
	struct subject_row subject;
	const struct block_view *v;
	const struct block_sum *in_block;
	const struct frag_block *block;
};

CELL_IF(cell_block_claimed, struct block_row, r->v->of.has_ownership,
	cell_uint(r->in_block->claimed))

static const struct kmem_event *first_of(const struct block_row *r)
{
	return &r->v->of.f->events[r->in_block->first - 1].ev;
}

CELL(cell_block_from, struct block_row,
     analysis_migratetype(r->v->of.f->env, first_of(r)->extfrag.fallback_migratetype, t))
CELL(cell_block_to, struct block_row,
     analysis_migratetype(r->v->of.f->env, first_of(r)->extfrag.alloc_migratetype, t))

CELL(cell_block_first, struct block_row, cell_uint(first_of(r)->ts))

/* How long such pages were live, up to now. */
static struct cell cell_block_time(const void *row, struct table *t)
{
	const struct block_row *r = row;
	uint64_t now = event_stream_stats(r->v->of.f->env->stream)->last_ts;
	uint64_t time = r->block->time;

	if (r->block->live && now > r->block->since)
		time += now - r->block->since;
	return cell_uint(time);
}

/* "sh-123", as in the kernel's traces. */
CELL_PUT(cell_block_task, struct block_row,
	 strbuf_printf(out, "%s-%" PRId32, tasks_name(&r->v->tasks, first_of(r)->pid),
		       first_of(r)->pid))

static const struct column_type block_columns[] = {
	{ COLUMN("pfn", "Pageblock", UNIT_PFN, "Its first page frame."),
	  MEMBER_OF(struct block_row, block, pfn) },
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Fallbacks that took a part of it.",
		 .drop = 30),
	  MEMBER_OF(struct block_row, in_block, hit) },
	{ COLUMN("claims", "Claims", UNIT_COUNT,
		 "Those that gave it the allocation's migratetype.", .drop = 60),
	  .fill = cell_block_claimed },
	{ COLUMN("to", "For", UNIT_NONE, "The migratetype of the first such allocation.",
		 .drop = 20),
	  .fill = cell_block_to },
	{ COLUMN("from", "Taken_from", UNIT_NONE,
		 "The migratetype of the free list that it took from.", .drop = 15),
	  .fill = cell_block_from },
	{ COLUMN("pages", "Pages", UNIT_PAGES,
		 "Pages allocated there since for the migratetypes that fell back.",
		 .drop = 50),
	  MEMBER_OF(struct block_row, block, pages) },
	{ COLUMN("live", "Live", UNIT_PAGES, "Those that live at the end.", .drop = 10,
		 .live = true),
	  MEMBER_OF(struct block_row, block, live) },
	{ COLUMN("time", "Time", UNIT_NS, "How long any of them were live.",
		 .live = true),
	  .fill = cell_block_time },
	{ COLUMN("first", "First", UNIT_MOMENT, "When it was split up first.", .drop = 70,
		 .level = true),
	  .fill = cell_block_first },
	{ COLUMN("task", "Task", UNIT_NONE, "The task that did.", .drop = 40),
	  .fill = cell_block_task },
	SUBJECT_COLUMN_CALLSITE,
	COLUMNS_END,
};

const struct table_type frag_block_type = {
	.name = "frag_block",
	.help = "pageblocks that hold pages of several migratetypes since a fallback",
	.title = "Pageblocks that fallbacks split up",
	.by = "pfn",
	.sort = "time,hit",
	.columns = block_columns,
};

/* Adds up the fallbacks of each pageblock. */
static int collect_blocks(struct block_view *v)
{
	const struct frag *f = v->of.f;

	v->blocks = calloc(f->blocks.blocks.nr + 1, sizeof(*v->blocks));
	if (!v->blocks || tasks_read(&v->tasks, f->env->rec->cmdlines))
		return -ENOMEM;
	for (size_t i = 0; i < f->nr; i++) {
		const struct frag_event *e = &f->events[i];
		const struct frag_block *block =
			frag_blocks_find(&f->blocks, e->ev.extfrag.pfn);
		struct block_sum *sum;

		if (!block || !frag_fragments(f, e) || !frag_is_shown(f, e))
			continue;
		sum = &v->blocks[block - f->blocks.blocks.of];
		sum->hit++;
		sum->claimed += claims(e);
		if (sum->first)
			continue;
		sum->first = i + 1;
		sum->subject = frag_view_subject(&v->of, e);
		if (sum->subject == UINT32_MAX)
			return -ENOMEM;
	}
	return 0;
}

/* Adds the table of pageblocks, if there are any. 0 or -ENOMEM. */
static int show_blocks(const struct frag *f, struct report *report)
{
	const enum subject_kind kind = SUBJECT_CALLSITE;
	struct block_view v = { 0 };
	struct table *t = NULL;
	int ret = frag_view_begin(&v.of, f, kind) ?: collect_blocks(&v);

	for (size_t i = 0; i < f->blocks.blocks.nr && !ret; i++) {
		const struct block_row row = { .subject = { &v.of.subjects,
							    v.blocks[i].subject },
					       .v = &v,
					       .in_block = &v.blocks[i],
					       .block = &f->blocks.blocks.of[i] };

		if (!row.in_block->hit)
			continue;
		t = t
			    ?: table_begin(report, &frag_block_type,
					   frag_block_type.title, kind, false);
		table_put_row(t, &row);
	}
	if (t)
		frag_view_columns(&v.of, t);
	table_note_if(t, t && f->blocks.untracked,
		      "!%u pageblocks are followed; %" PRIu64 " fallback%s in others.",
		      FRAG_BLOCKS_MAX, f->blocks.untracked,
		      f->blocks.untracked == 1 ? " was" : "s were");
	frag_view_end(&v.of);
	tasks_free(&v.tasks);
	free(v.blocks);
	return ret;
}

int frag_show(const struct frag *f, struct report *report)
{
	const struct analysis_options *o = f->opts;
	int ret = 0;

	if (!ANY(i, f->nr, frag_is_shown(f, &f->events[i])))
		return 0;
	if (o->by_caller || !o->by)
		ret = show_by(f, SUBJECT_CALLSITE, report);
	if (!ret && o->by)
		ret = show_by(f, o->by, report);
	ret = ret ?: show_blocks(f, report);
	frag_show_free(f, report);
	frag_show_vmstat(f, report);
	return ret;
}
