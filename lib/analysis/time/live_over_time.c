// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: live memory over time, all rows together.
 * In: lives of slab objects and of pages. Out: table "live_over_time", for pages that show several
 * recordings.
 */

#include "analysis/analysis.h"
#include "analysis/time/over_time.h"

/* As many as a drawing of two recordings shows. */
#define LIVE_OVER_TIME_BINS 256U

/* The analysis. @time: with one row. */
struct live {
	const struct analysis_env *env;
	struct lives *of[MEMORY_KINDS];
	struct over_time time[MEMORY_KINDS];
};

/* A row: the state at the end of a bin. */
struct live_bin {
	uint64_t end, live[MEMORY_KINDS], hit[MEMORY_KINDS];
};

static void live_destroy(void *self)
{
	struct live *l = self;

	for (int i = 0; i < MEMORY_KINDS; i++)
		over_time_free(&l->time[i]);
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	struct live *l = ctx;

	for (const struct life *end = life + nr; life < end; life++)
		if (life_changes(life))
			over_time_add_life(&l->time[of->kind->memory], 0, life);
}

static int live_create(void *self, const struct analysis_env *env,
		       const struct analysis_options *opts)
{
	static const struct dimensions dimensions[MEMORY_KINDS];
	struct live *l = self;

	for (int i = 0; i < MEMORY_KINDS; i++)
		over_time_init(&l->time[i], env->first_ts, env->last_ts,
			       LIVE_OVER_TIME_BINS, OVER_TIME_CELLS);
	return accounts_observe(env->accounts, dimensions, l->of, lived, l);
}

static const struct column_type columns[] = {
	{ COLUMN("end", "End", UNIT_NONE,
		 "The end of this part of the time, since the first event."),
	  MEMBER(struct live_bin, end) },
	{ COLUMN("slab", "Slab", UNIT_BYTES, "Bytes of slab objects that are live then."),
	  MEMBER(struct live_bin, live[MEMORY_SLAB]) },
	{ COLUMN("page", "Page", UNIT_BYTES, "Bytes of pages that are live then."),
	  MEMBER(struct live_bin, live[MEMORY_PAGE]) },
	{ COLUMN("slab_hit", "Slab_hit", UNIT_COUNT,
		 "Slab objects that were allocated in this part."),
	  MEMBER(struct live_bin, hit[MEMORY_SLAB]) },
	{ COLUMN("page_hit", "Page_hit", UNIT_COUNT, "Requests for pages in this part."),
	  MEMBER(struct live_bin, hit[MEMORY_PAGE]) },
	COLUMNS_END,
};

static const struct table_type live_type = {
	.name = "live_over_time",
	.help = "How much was live at the ends of equal parts of the time.",
	.title = "Live over time",
	.columns = columns,
};

static void live_end(void *self)
{
	struct live *l = self;

	for (int i = 0; i < MEMORY_KINDS; i++)
		over_time_end(&l->time[i]);
}

/* Clocks of CPUs differ, so values below 0 are shown as 0. */
static void add_kind(const struct over_time *time, enum memory kind,
		     struct live_bin *bins)
{
	uint32_t nr;
	const struct over_time_cell *c = over_time_cells(time, 0, &nr);
	int64_t live = 0;

	for (uint32_t bin = 0; bin < time->nr_bins; bin++) {
		if (nr && c->bin == bin) {
			live += (int64_t)(c->bytes - c->ended);
			bins[bin].hit[kind] = c->hit;
			nr--;
			c++;
		}
		bins[bin].live[kind] = live > 0 ? (uint64_t)live : 0;
	}
}

static int live_view(const void *self, struct report *report)
{
	const struct over_time *time = ((const struct live *)self)->time;
	struct live_bin bins[LIVE_OVER_TIME_BINS] = { 0 };
	struct table *t = table_plain(report, &live_type);

	for (int kind = 0; kind < MEMORY_KINDS; kind++) {
		if (time[kind].failed)
			return -ENOMEM;
		add_kind(&time[kind], (enum memory)kind, bins);
	}
	for (uint32_t bin = 0; bin < time->nr_bins; bin++) {
		bins[bin].end = (bin + 1) * time->width;
		table_put_row(t, &bins[bin]);
	}
	return 0;
}

const struct analysis analysis_live_over_time = {
	.name = "live_over_time",
	.help = "how much was live, for a page",
	.use = ANALYSIS_DIFF_PAGE,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.tables = TABLES(&live_type),
	ANALYSIS_SELF(struct live),
	.create = live_create,
	.end = live_end,
	.view = live_view,
	.destroy = live_destroy,
};
