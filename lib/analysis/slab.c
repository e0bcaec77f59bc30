// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the slab reports: by callsite, by address, by cache, by whatever --by says.
 * In: slab events. Out: tables "slab", "slab_cache", "slab_free_only" and "account".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/clock_skew.h"
#include "analysis/slab_report.h"
#include "base/array.h"

static void *slab_create(const struct analysis_env *env)
{
	struct slab_report *slab = calloc(1, sizeof(*slab));

	if (!slab)
		return NULL;
	slab->env = env;
	slab->acc.by_ptr = env->by_address;
	slab->acc.skew = clock_skew(env->rec);
	slab->acc.dimension = subjects_dimension(env->by);
	/* SLUB's largest cache is of two pages; more comes from the page allocator. */
	slab->acc.large_bytes = 2 * (uint64_t)env->page_size;
	sites_init(&slab->sites, env);
	return slab;
}

static void slab_event(void *self, const struct kmem_event *ev)
{
	struct slab_report *slab = self;

	slab_account_event(&slab->acc, ev);
}

static void slab_events(void *self, const struct kmem_event *ev, size_t nr)
{
	struct slab_report *slab = self;

	slab_account_events(&slab->acc, ev, nr);
}

static void slab_destroy(void *self)
{
	struct slab_report *slab = self;

	slab_account_free(&slab->acc);
	sites_free(&slab->sites);
	bounds_free(&slab->bounds);
	free(slab);
}

struct net_range slab_report_net(const struct slab_report *slab, uint32_t row,
				 const struct slab_counts *counts)
{
	return bounds_net(&slab->bounds, slab_account_key(&slab->acc, row)->callsite,
			  counts->live_alloc, counts->sure_alloc);
}

static int slab_sums_add(struct slab_sums *s, uint32_t row, const struct slab_counts *c,
			 const struct net_range *net)
{
	if (row == UINT32_MAX ||
	    array_reserve(&s->sums, &s->capacity, row + 1UL, sizeof(*s->sums)))
		return -ENOMEM;
	while (s->nr <= row)
		s->sums[s->nr++] = (struct slab_sum){ 0 };
	slab_counts_add(&s->sums[row].counts, c);
	net_range_add(&s->sums[row].net, net);
	return 0;
}

int slab_sums_collect(struct slab_sums *s, struct slab_report *slab,
		      enum subject_kind kind, enum account_rows rows)
{
	int ret = subjects_init(&s->subjects, slab->env, kind, &slab->sites);
	uint32_t i;

	for (i = 0; i < slab->acc.nr_rows && !ret; i++) {
		const struct slab_key *key = slab_account_key(&slab->acc, i);
		const struct subject who = { .callsite = key->callsite,
					     .stack = key->dim,
					     .dim = key->dim,
					     .cache = key->cache,
					     .kmalloc = key->kmalloc };
		const struct slab_counts *c = &slab->acc.rows[i];
		struct net_range net = slab_report_net(slab, i, c);

		if (rows != ACCOUNT_ALL && key->kmalloc != (rows == ACCOUNT_KMALLOC))
			continue;
		ret = slab_sums_add(s, subjects_row(&s->subjects, &who), c, &net);
	}
	return ret;
}

void slab_sums_free(struct slab_sums *s)
{
	subjects_free(&s->subjects);
	free(s->sums);
}

static void slab_add_columns(struct table *t, bool live)
{
	const struct column columns[] = {
		{ .name = "bytes",
		  .title = live ? "Live_alloc/Per" : "Total_alloc/Per",
		  .unit = UNIT_BYTES,
		  .per = "hit" },
		{ .name = "bytes_req",
		  .title = live ? "Live_req/Per" : "Total_req/Per",
		  .unit = UNIT_BYTES,
		  .per = "hit" },
		{ .name = "hit", .title = live ? "Live" : "Hit", .unit = UNIT_COUNT },
		{ .name = "pingpong", .title = "Ping-pong", .unit = UNIT_COUNT },
		{ .name = "frag", .title = "Frag", .unit = UNIT_PERCENT },
		{ .name = "waste", .title = "Waste", .unit = UNIT_BYTES, .hidden = true },
		{ .name = "waste_live",
		  .title = "Waste_live",
		  .unit = UNIT_BYTES,
		  .hidden = true },
		{ .name = "implicit",
		  .title = "Implicit",
		  .unit = UNIT_COUNT,
		  .hidden = true },
		{ .name = "net", .title = "Net", .unit = UNIT_BYTES, .hidden = true },
		{ .name = "net_min",
		  .title = "At_least",
		  .unit = UNIT_BYTES,
		  .hidden = true },
		{ .name = "net_reason", .title = "Why", .hidden = true },
	};

	table_add_columns(t, columns, ARRAY_SIZE(columns));
}

#define SLAB_COLUMNS 11

/* Fills the cells of slab_add_columns(). */
static void slab_fill(struct table *t, struct cell *row, const struct slab_counts *c,
		      const struct net_range *net, bool live)
{
	uint64_t alloc = live ? c->live_alloc : c->bytes_alloc;
	uint64_t req = live ? c->live_req : c->bytes_req;

	row[0] = cell_uint(alloc);
	row[1] = cell_uint(req);
	row[2] = cell_uint(live ? c->live : c->hit);
	row[3] = cell_uint(c->pingpong);
	/* perf's fragmentation: the part of the allocated bytes that nobody asked for. */
	row[4] = cell_real(alloc ? 100.0 - 100.0 * (double)req / (double)alloc : 0.0);
	row[5] = cell_uint(slab_waste(c->bytes_alloc, c->bytes_req));
	row[6] = cell_uint(slab_waste(c->live_alloc, c->live_req));
	row[7] = cell_uint(c->implicit);
	row[8] = cell_uint(net->net);
	row[9] = cell_uint(net->min);
	row[10] = cell_text(t, net_range_reason(net));
}

static void slab_add_notes(const struct slab_report *slab, enum subject_kind kind,
			   struct table *t)
{
	bool unnamed = false, stacks = false;
	size_t i;

	for (i = 0; i < slab->acc.nr_rows; i++) {
		const struct slab_key *key = slab_account_key(&slab->acc, i);

		unnamed |= !key->kmalloc && !key->cache;
		stacks |= key->dim != 0;
	}
	if (kind == SUBJECT_CACHE && unnamed)
		table_add_note(
			t,
			"[unnamed]: this kernel's kmem_cache_alloc event does not name the cache.");
	if (kind == SUBJECT_STACK && !stacks)
		table_add_note(
			t,
			"!No slab event has a callchain: rows are callsites. Record callchains with: kmemx record --slab --stack all");
	if (kind == SUBJECT_NODE)
		table_add_note(t, "Node -1: the caller asked for none.");
}

static struct table *slab_table(const struct slab_report *slab, enum subject_kind kind)
{
	const char *what = slab->env->live ? "Live slab objects" : "Slab allocations";
	struct strbuf title = { 0 };
	struct table *t;

	strbuf_printf(&title, "%s by %s", what, kind ? subjects_word(kind) : "address");
	t = table_new(kind == SUBJECT_CACHE ? "slab_cache" : "slab", strbuf_text(&title));
	strbuf_free(&title);
	if (t)
		table_set_by(t, kind ? subjects_word(kind) : "ptr");
	return t;
}

static int slab_by(struct slab_report *slab, enum subject_kind kind,
		   struct report *report)
{
	bool live = slab->env->live;
	struct table *t = slab_table(slab, kind);
	struct slab_sums sums = { 0 };
	int ret = t ? slab_sums_collect(&sums, slab, kind, ACCOUNT_ALL) : -ENOMEM;
	uint32_t i;

	if (ret)
		goto out;
	slab_add_columns(t, live);
	subjects_columns(&sums.subjects, t);
	for (i = 0; i < sums.nr; i++) {
		const struct slab_sum *sum = &sums.sums[i];
		struct cell *row;

		if (!(live ? sum->counts.live : sum->counts.hit))
			continue;
		row = table_add_row(t);
		if (!row)
			break;
		slab_fill(t, row, &sum->counts, &sum->net, live);
		subjects_fill(&sums.subjects, i, t, row + SLAB_COLUMNS);
	}
	slab_add_notes(slab, kind, t);
	slab_report_summary(slab, t);
	report_add_table(report, t);
	t = NULL;
out:
	table_free(t);
	slab_sums_free(&sums);
	return ret;
}

static int slab_by_ptr(struct slab_report *slab, struct report *report)
{
	bool live = slab->env->live;
	struct table *t = slab_table(slab, SUBJECT_NONE);
	const struct column ptr = { .name = "ptr",
				    .title = "Alloc Ptr",
				    .unit = UNIT_ADDRESS };
	const struct column callsite = { .name = "callsite",
					 .title = "Last callsite",
					 .last = true };
	struct strbuf name = { 0 };
	size_t i;

	if (!t)
		return -ENOMEM;
	table_add_column(t, &ptr);
	slab_add_columns(t, live);
	table_add_column(t, &callsite);
	for (i = 0; i < slab->acc.nr_ptrs; i++) {
		const struct slab_ptr *p = &slab->acc.ptrs[i];
		struct net_range net = slab_report_net(slab, p->row, &p->counts);
		struct cell *row;

		if (live && !p->counts.live)
			continue;
		row = table_add_row(t);
		if (!row)
			break;
		row[0] = cell_address(p->ptr);
		slab_fill(t, row + 1, &p->counts, &net, live);
		strbuf_reset(&name);
		sites_exact(&slab->sites, slab_account_key(&slab->acc, p->row)->callsite,
			    &name);
		row[1 + SLAB_COLUMNS] = cell_text(t, strbuf_text(&name));
	}
	strbuf_free(&name);
	slab_report_summary(slab, t);
	report_add_table(report, t);
	return 0;
}

/* Which callsites free without an event; only then are the net figures known. */
static int slab_bounds(struct slab_report *slab)
{
	int ret = 0;
	uint32_t i;

	bounds_init(&slab->bounds, slab->env);
	for (i = 0; i < slab->acc.nr_rows && !ret; i++) {
		if (slab->acc.rows[i].implicit)
			ret = bounds_suspect(&slab->bounds,
					     slab_account_key(&slab->acc, i)->callsite);
	}
	return ret;
}

static int slab_finish(void *self, struct report *report)
{
	struct slab_report *slab = self;
	const struct analysis_env *env = slab->env;
	int ret;

	slab_account_finish(&slab->acc);
	if (slab->acc.failed)
		return -ENOMEM;
	ret = slab_bounds(slab);
	if (ret || env->account)
		return ret ? ret : slab_report_account(slab, report);
	if (env->by_caller)
		ret = slab_by(slab, SUBJECT_CALLSITE, report);
	if (!ret && env->by)
		ret = slab_by(slab, env->by, report);
	if (!ret && env->by_address)
		ret = slab_by_ptr(slab, report);
	if (!ret && env->by_cache)
		ret = slab_by(slab, SUBJECT_CACHE, report);
	if (!ret && env->unmatched)
		ret = slab_report_free_only(slab, report);
	return ret;
}

const struct analysis_ops analysis_slab = {
	.name = "slab",
	.create = slab_create,
	.event = slab_event,
	.events = slab_events,
	.apart = true,
	.finish = slab_finish,
	.destroy = slab_destroy,
};
