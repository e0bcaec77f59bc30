// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the moment of the highest live bytes, and who held them then.
 * In: lives of every kind of memory. Out: tables "peak", "peak_page" and so on, built by
 * peak_view.c. Documentation/reports.md says how.
 *
 * The accounts report lives of each kind separately, a batch at a time. Whoever takes every change
 * needs the order of all events, so a batch is kept until all are there.
 */
#include "analysis/time/peak.h"

#include "analysis/stat/account_rows.h"
#include "base/array.h"

static void keep(struct peak *p, const struct peak_change *change)
{
	if (array_reserve(&p->changes, &p->capacity, p->nr_changes + 1,
			  sizeof(*p->changes)))
		p->failed = true;
	else
		p->changes[p->nr_changes++] = *change;
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const uint8_t memory = (uint8_t)of->kind->memory;
	const struct life *end = life + nr;

	for (; life < end; life++) {
		const struct peak_change change = { .event = (uintptr_t)life->event,
						    .ts = life->event ? life->event->ts
								      : 0,
						    .at = life->at,
						    .begin = life->begin,
						    .nr = life->nr,
						    .bytes = life->bytes,
						    .row = life->row,
						    .memory = memory,
						    .more = life->what == LIFE_BORN,
						    .freed = life->what == LIFE_FREED };

		if (life_changes(life))
			keep(ctx, &change);
	}
}

/* The row of a change, with its value at the moment already saved. NULL: no memory. */
static struct peak_row *row_of(struct peak *p, unsigned int memory, uint32_t number)
{
	struct peak_side *side = &p->sides[memory];
	struct peak_row *row;

	if (unlikely(number >= side->nr)) {
		if (array_reserve(&side->rows, &side->capacity, number + 1UL,
				  sizeof(*side->rows))) {
			p->failed = true;
			return NULL;
		}
		for (; side->nr <= number; side->nr++)
			side->rows[side->nr] = (struct peak_row){
				.times = p->unweighted
						 ? 1
						 : lives_weight(p->of[memory], side->nr)
			};
	}
	row = &side->rows[number];
	if (row->turn != side->turn) {
		row->nr_then = row->nr;
		row->bytes_then = row->bytes;
		row->nr_freed = row->bytes_freed = 0;
		row->turn = side->turn;
	}
	return row;
}

static void apply(struct peak *p, const struct peak_change *c)
{
	struct peak_side *side = &p->sides[c->memory];
	struct peak_row *row = row_of(p, c->memory, c->row);
	uint64_t bytes;

	if (!row)
		return;
	bytes = c->bytes * row->times;
	if (p->changed)
		p->changed(p, c);
	if (c->event)
		timeline_change(&side->timeline, c->row, c->ts, c->more ? bytes : 0,
				c->more ? 0 : bytes);
	else
		timeline_settle(&side->timeline, c->row, bytes);
	if (!c->more) {
		row->nr -= c->nr;
		row->bytes -= c->bytes;
		side->live -= bytes;
		if (c->freed && c->begin <= side->when) {
			row->nr_freed += c->nr;
			row->bytes_freed += c->bytes;
		}
		return;
	}
	row->nr += c->nr;
	row->bytes += c->bytes;
	side->live += bytes;
	if (side->live <= side->most)
		return;
	side->most = side->live;
	side->when = c->ts;
	if (!p->at_end)
		side->turn++;
}

/* The next change of the same kind of memory as @c. */
static const struct peak_change *next_of(const struct peak_change *c,
					 const struct peak_change *end)
{
	const uint8_t memory = c->memory;

	for (c++; c < end && c->memory != memory;)
		c++;
	return c;
}

/* Applies the changes of a batch in the order of its events, merging those of each kind of memory.
 * Changes without an event come last.
 */
static void flush(struct peak *p)
{
	const struct peak_change *end, *c, *at[MEMORY_KINDS];
	unsigned int nr = 0, seen = 0, i, first;

	if (!p->nr_changes)
		return;
	end = p->changes + p->nr_changes;
	for (c = p->changes; c < end && seen != (1U << MEMORY_KINDS) - 1; c++) {
		if (!(seen >> c->memory & 1))
			at[nr++] = c;
		seen |= 1U << c->memory;
	}
	while (nr) {
		for (first = 0, i = 1; i < nr; i++)
			if (at[i]->event - 1 < at[first]->event - 1)
				first = i;
		apply(p, at[first]);
		at[first] = next_of(at[first], end);
		if (at[first] == end)
			at[first] = at[--nr];
	}
	p->nr_changes = 0;
}

/* The batch before this one is complete. */
void peak_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	flush(self);
}

void peak_destroy(void *self)
{
	struct peak *p = self;

	for (int i = 0; i < MEMORY_KINDS; i++) {
		timeline_free(&p->sides[i].timeline);
		free(p->sides[i].rows);
	}
	free(p->changes);
}

static int show(const struct peak *p, enum memory memory, struct report *report)
{
	return account_rows_by(p->opts, memory, peak_show, p, report);
}

int peak_create(struct peak *p, const struct analysis_env *env,
		const struct analysis_options *opts)
{
	struct dimensions dimensions[MEMORY_KINDS];

	p->show = show;
	for (int i = 0; i < MEMORY_KINDS; i++) {
		timeline_init(&p->sides[i].timeline, env->first_ts, env->last_ts,
			      opts->bins);
	}
	subjects_dimensions(opts, env, dimensions);
	return accounts_observe(env->accounts, dimensions, p->of, lived, p);
}

static int create(void *self, const struct analysis_env *env,
		  const struct analysis_options *opts)
{
	const struct peak_options *own = opts->own;
	struct peak *p = self;
	int ret = peak_create(p, env, opts);

	if (ret)
		return ret;
	p->at_end = own && own->at_end;
	/* Objects freed since the moment were live then. Every free of a page has an event. */
	p->of[MEMORY_SLAB]->live.times = true;
	return 0;
}

void peak_end(void *self)
{
	struct peak *p = self;

	flush(p);
	for (int i = 0; i < MEMORY_KINDS && p->at_end; i++)
		p->sides[i].turn++;
}

int peak_view(const void *self, struct report *report)
{
	const struct peak *p = self;
	int ret = p->failed ? -ENOMEM : 0, i;

	for (i = 0; i < MEMORY_KINDS; i++) {
		if (p->sides[i].timeline.failed || p->of[i]->failed)
			ret = -ENOMEM;
	}
	for (i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (account_rows_wanted(p->env, p->opts, (enum memory)i))
			ret = p->show(p, (enum memory)i, report);
	}
	return ret;
}

const struct analysis analysis_peak = {
	.name = "peak",
	.help = "who held memory when most of it was live",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_MEMORY,
	.rows = ROWS_ALL,
	.estimates = true,
	.all_frees = true,
	.tables = peak_tables,
	ANALYSIS_SELF_OPTIONS(struct peak),
	.create = create,
	.observe = peak_observe,
	.joins = NEEDS_SLAB | NEEDS_PAGE,
	.end = peak_end,
	.view = peak_view,
	.destroy = peak_destroy,
};
