// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the slab reports: by callsite, by address, by cache, by whatever --by says.
 * In: slab events. Out: tables "slab", "slab_cache", "slab_free_only" and "account".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "account/clock_skew.h"
#include "analysis/slab_report.h"

/* What account rows must differ in besides the event's callsite. Where functions are skipped
 * the callchain says what the callsite is.
 */
static enum dimension slab_dimension(const struct analysis_env *env)
{
	enum dimension dimension = subjects_dimension(env->by);

	return !dimension && callsite_rule_extended(env->rule) ? DIMENSION_STACK
							       : dimension;
}

static void *slab_create(const struct analysis_env *env)
{
	struct slab_report *slab = calloc(1, sizeof(*slab));

	if (!slab)
		return NULL;
	slab->env = env;
	slab->acc.by_ptr = env->by_address;
	slab->acc.lives.skew = clock_skew(env->rec);
	slab->acc.lives.scope = scope_of(env->rec);
	slab->acc.lives.dimension = slab_dimension(env);
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
	slab_bounds_free(&slab->bounds);
	free(slab);
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

/* --by stack: which rows have none. */
static void note_stackless(const struct slab_report *slab, struct table *t)
{
	uint64_t without = 0, all = 0;
	size_t i;

	for (i = 0; i < slab->acc.nr_rows; i++) {
		all += slab->acc.rows[i].hit;
		if (!slab_account_key(&slab->acc, i)->dim)
			without += slab->acc.rows[i].hit;
	}
	if (without == all)
		table_add_note(
			t,
			"!No slab event has a callchain: rows are callsites. Record callchains with: kmemx record --slab --stack all");
	else if (without)
		table_add_note(
			t,
			"!%" PRIu64 " of %" PRIu64
			" slab allocations were recorded without a callchain: their rows are callsites, marked [no stack].",
			without, all);
}

static void slab_add_notes(const struct slab_report *slab, enum subject_kind kind,
			   struct table *t)
{
	bool unnamed = false;
	size_t i;

	for (i = 0; i < slab->acc.nr_rows; i++) {
		const struct slab_key *key = slab_account_key(&slab->acc, i);

		unnamed |= !key->kmalloc && !key->cache;
	}
	if (kind == SUBJECT_CACHE && unnamed)
		table_add_note(
			t,
			"[unnamed]: this kernel's kmem_cache_alloc event does not name the cache.");
	if (kind == SUBJECT_STACK)
		note_stackless(slab, t);
	if (kind == SUBJECT_CALLSITE || kind == SUBJECT_STACK || kind == SUBJECT_MODULE ||
	    kind == SUBJECT_DIR)
		slab_report_note_unskipped(slab, t);
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
	slab_report_column_max(t);
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
		row[t->nr_columns - 1] = cell_uint(net_range_max(&sum->net));
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
	slab_report_column_max(t);
	for (i = 0; i < slab->acc.addresses.nr; i++) {
		const struct slab_ptr *p = &slab->acc.addresses.ptrs[i];
		struct net_range net =
			slab_bounds_address(&slab->bounds, p->row, &p->counts);
		struct cell *row;

		if (live && !p->counts.live)
			continue;
		row = table_add_row(t);
		if (!row)
			break;
		row[0] = cell_address(p->ptr);
		slab_fill(t, row + 1, &p->counts, &net, live);
		strbuf_reset(&name);
		sites_exact(&slab->sites, slab_report_callsite(slab, p->row), &name);
		row[1 + SLAB_COLUMNS] = cell_text(t, strbuf_text(&name));
		row[2 + SLAB_COLUMNS] = cell_uint(net_range_max(&net));
	}
	strbuf_free(&name);
	slab_report_note_unskipped(slab, t);
	slab_report_summary(slab, t);
	report_add_table(report, t);
	return 0;
}

static int slab_finish(void *self, struct report *report)
{
	struct slab_report *slab = self;
	const struct analysis_env *env = slab->env;
	int ret;

	slab_account_finish(&slab->acc);
	if (slab->acc.failed)
		return -ENOMEM;
	ret = slab_bounds_make(&slab->bounds, &slab->acc, env);
	if (!ret)
		ret = slab_bounds_total(&slab->bounds, &slab->net);
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
