// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the table of fallbacks.
 * In: fallbacks from frag.c. Out: table "frag", and, with frag_blocks_view.c and frag_memory.c, the
 * other tables.
 */

#include "account/zones.h"
#include "analysis/kernel/frag.h"
#include "analysis/stat/account_rows.h"
#include "base/array.h"

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
	struct intern keys;
	struct frag_sum *sums;
	size_t nr, capacity;
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
		 .leaves = 80),
	  MEMBER_OF(struct view_row, sum, pages) },
	{ COLUMN("alloc_order", "Order", UNIT_NONE, "The order of the allocations.",
		 .level = true, .leaves = 40),
	  MEMBER_OF(struct view_row, key, alloc_order) },
	{ COLUMN("fallback_order", "From_order", UNIT_NONE,
		 "The order of the free blocks that they took.", .level = true,
		 .leaves = 30),
	  MEMBER_OF(struct view_row, key, fallback_order) },
	{ COLUMN("to", "For", UNIT_NONE, "The migratetype of the allocations.",
		 .leaves = 20),
	  .fill = cell_to },
	{ COLUMN("from", "Taken_from", UNIT_NONE,
		 "The migratetype of the free lists that they took from.", .leaves = 15),
	  .fill = cell_from },
	{ COLUMN("fragmenting", "Fragments", UNIT_NONE,
		 "yes: the free block was smaller than a pageblock, which then holds pages of several types; none: the recording does not say how large a pageblock is.",
		 .leaves = 50),
	  .fill = cell_fragmenting },
	{ COLUMN("change_ownership", "Claimed", UNIT_NONE,
		 "yes: the pageblock is of the allocation's migratetype from then on.",
		 .leaves = 60),
	  .fill = cell_claimed },
	{ COLUMN("over_time", "Over_time", UNIT_COUNT,
		 "Fallbacks in each part of the time, of equal length (--over-time); in text a line of marks.",
		 .series = true, .hidden = true, .leaves = 5),
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

static unsigned int bin_of(const struct view *v, uint64_t ts)
{
	const struct analysis_env *env = v->of.f->env;
	uint64_t span = env->last_ts > env->first_ts ? env->last_ts - env->first_ts : 0;
	uint64_t width = span / v->of.f->opts->bins + 1;
	uint64_t bin = ts > env->first_ts ? (ts - env->first_ts) / width : 0;

	return bin < v->of.f->opts->bins ? (unsigned int)bin : v->of.f->opts->bins - 1;
}

static int add_event(struct view *v, const struct frag_event *e)
{
	const struct frag_key key = { .subject = frag_view_subject(&v->of, e),
				      .alloc_order = e->alloc_order,
				      .fallback_order = e->fallback_order,
				      .to = e->to,
				      .from = e->from,
				      .claimed = e->claimed };
	size_t nr_bins = v->of.f->opts->bins;
	uint32_t id;

	if (key.subject == UINT32_MAX)
		return -ENOMEM;
	id = intern_id(&v->keys, &key, sizeof(key));
	if (!id || array_reach(&v->sums, &v->nr, &v->capacity, id, sizeof(*v->sums)) ||
	    /* One more: a view without bins has an array, too. */
	    array_reach(&v->bins, &v->nr_bins, &v->bins_capacity, id * nr_bins + 1,
			sizeof(*v->bins)))
		return -ENOMEM;
	v->sums[id - 1].hit++;
	if (e->fallback_order >= 0 && e->fallback_order < BUDDY_ORDERS_MAX)
		v->sums[id - 1].pages += 1ULL << e->fallback_order;
	if (nr_bins)
		v->bins[(id - 1) * nr_bins + bin_of(v, e->ts)]++;
	return 0;
}

static void add_notes(const struct frag *f, struct table *t)
{
	uint64_t unknown = 0, unfiltered = 0;

	for (size_t i = 0; i < f->nr; i++) {
		unknown += !f->events[i].stack && frag_is_shown(f, &f->events[i]);
		unfiltered += f->env->filter && !f->events[i].found;
	}
	if (unknown)
		table_add_note(
			t,
			"Fallbacks without a callsite: %" PRIu64
			", as neither they nor their allocations have a callchain.",
			unknown);
	if (unfiltered)
		table_add_note(
			t,
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
	if (f->losses)
		table_add_note(
			t,
			"!Events were lost: there were fallbacks that are not shown, and pages of a pageblock may be gone that count as live.");
}

static void add_summary(const struct frag *f, struct table *t)
{
	uint64_t hit = 0, fragmenting = 0, claims = 0;

	for (size_t i = 0; i < f->nr; i++) {
		const struct frag_event *e = &f->events[i];

		if (!frag_is_shown(f, e))
			continue;
		hit++;
		fragmenting += f->order_known && frag_fragments(f, e);
		claims += e->claimed;
	}
	const struct summary_line lines[] = {
		{ "fallbacks", "Fallbacks", UNIT_COUNT, hit, SUMMARY_TOTAL },
		{ "claims", "  that claimed a pageblock", UNIT_COUNT, claims,
		  SUMMARY_USUAL },
		{ "fragmenting", "  that fragment", UNIT_COUNT, fragmenting,
		  SUMMARY_USUAL },
	};

	table_set_summary_title(t, "SUMMARY (external fragmentation)");
	table_add_summary_lines(t, lines, f->order_known ? 3 : 2, f->losses != 0);
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
	for (size_t i = 0; i < v.nr && !ret; i++) {
		const struct frag_key *key = intern_get(&v.keys, (uint32_t)i + 1, NULL);
		const struct view_row row = { .subject = { &v.of.subjects, key->subject },
					      .v = &v,
					      .key = key,
					      .sum = &v.sums[i],
					      .bins = &v.bins[i * f->opts->bins] };

		table_put_row(t, &row);
	}
	if (!ret) {
		add_notes(f, t);
		add_summary(f, t);
	}
	frag_view_end(&v.of);
	intern_free(&v.keys);
	free(v.sums);
	free(v.bins);
	return ret;
}

int frag_show(const struct frag *f, struct report *report)
{
	const struct analysis_options *o = f->opts;
	int ret = 0;
	size_t i;

	for (i = 0; i < f->nr && !frag_is_shown(f, &f->events[i]); i++)
		;
	if (i == f->nr)
		return 0;
	if (o->by_caller || !o->by)
		ret = show_by(f, SUBJECT_CALLSITE, report);
	if (!ret && o->by)
		ret = show_by(f, o->by, report);
	ret = ret ?: frag_show_blocks(f, report);
	frag_show_free(f, report);
	frag_show_vmstat(f, report);
	return ret;
}
