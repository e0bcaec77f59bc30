// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the slab reports: by callsite, by address, by cache, and the summary.
 * In: slab events. Out: tables "slab" and "slab_cache".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/sites.h"
#include "analysis/slab_account.h"
#include "base/array.h"

struct slab {
	const struct analysis_env *env;
	struct slab_account acc;
	bool summarised; /* the summary stands under the first table */
};

static void *slab_create(const struct analysis_env *env)
{
	struct slab *slab = calloc(1, sizeof(*slab));

	if (!slab)
		return NULL;
	slab->env = env;
	slab->acc.by_ptr = env->by_address;
	return slab;
}

static void slab_event(void *self, const struct kmem_event *ev)
{
	struct slab *slab = self;

	slab_account_event(&slab->acc, ev);
}

static void slab_destroy(void *self)
{
	struct slab *slab = self;

	slab_account_free(&slab->acc);
	free(slab);
}

/* perf's fragmentation: the part of the allocated bytes that nobody asked for. */
static double fragmentation(uint64_t req, uint64_t alloc)
{
	return alloc ? 100.0 - 100.0 * (double)req / (double)alloc : 0.0;
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
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		table_add_column(t, &columns[i]);
}

/* Fills the numbers of a row; they start at cell @first. */
static void slab_fill(struct cell *row, const struct slab_counts *c, bool live)
{
	uint64_t alloc = live ? c->live_alloc : c->bytes_alloc;
	uint64_t req = live ? c->live_req : c->bytes_req;

	row[0] = cell_uint(alloc);
	row[1] = cell_uint(req);
	row[2] = cell_uint(live ? c->live : c->hit);
	row[3] = cell_uint(c->pingpong);
	row[4] = cell_real(fragmentation(req, alloc));
}

/* Puts the summary under @t if it is the first table. */
static void slab_add_summary(struct slab *slab, struct table *t)
{
	const struct slab_totals *s = &slab->acc.totals;
	bool lossy = s->losses != 0;
	const struct {
		const char *name, *title;
		enum column_unit unit;
		uint64_t value;
		bool bound;
	} items[] = {
		{ "bytes_requested", "Total bytes requested", UNIT_BYTES, s->bytes_req,
		  lossy },
		{ "bytes_allocated", "Total bytes allocated", UNIT_BYTES, s->bytes_alloc,
		  lossy },
		{ "bytes_freed", "Total bytes freed", UNIT_BYTES, s->bytes_freed, lossy },
		{ "bytes_implicit", "Bytes freed without an event", UNIT_BYTES,
		  s->bytes_implicit, lossy },
		{ "bytes_net", "Net total bytes allocated", UNIT_BYTES, s->live_alloc,
		  lossy },
		{ "bytes_wasted", "Total bytes wasted on internal fragmentation",
		  UNIT_BYTES, s->bytes_alloc - s->bytes_req, lossy },
		{ "bytes_wasted_live", "Bytes wasted in what is live at the end",
		  UNIT_BYTES, s->live_alloc - s->live_req, lossy },
		{ "allocs", "Allocations", UNIT_COUNT, s->allocs, lossy },
		{ "allocs_freed", "  freed", UNIT_COUNT, s->matched, lossy },
		{ "allocs_implicit",
		  "  freed without an event (the address was allocated again)",
		  UNIT_COUNT, s->implicit, lossy },
		{ "allocs_live", "  live at the end", UNIT_COUNT, s->live, lossy },
		{ "allocs_failed", "Allocations that failed", UNIT_COUNT, s->failed,
		  lossy },
		{ "frees", "Frees", UNIT_COUNT, s->frees, lossy },
		{ "frees_matched", "  matched", UNIT_COUNT, s->matched, lossy },
		{ "frees_unmatched",
		  "  unmatched (allocated before the recording, or in bulk)", UNIT_COUNT,
		  s->unmatched, lossy },
		{ "frees_double",
		  "  of freed objects (freed twice, or allocated in bulk)", UNIT_COUNT,
		  s->doubled, lossy },
		{ "frees_null", "  of NULL", UNIT_COUNT, s->null, lossy },
		{ "cross_cpu_frees", "Frees on another CPU than the allocation",
		  UNIT_COUNT, s->pingpong, lossy },
		{ "implausible", "Events with impossible sizes, left out", UNIT_COUNT,
		  s->implausible, false },
	};
	size_t i;

	if (slab->summarised)
		return;
	slab->summarised = true;
	table_set_summary_title(t, "SUMMARY (SLAB allocator)");
	for (i = 0; i < ARRAY_SIZE(items); i++) {
		table_add_summary(t, items[i].name, items[i].title, items[i].unit,
				  cell_uint(items[i].value), items[i].bound);
		if (i == 6)
			table_add_summary(
				t, "fragmentation", "Internal fragmentation",
				UNIT_PERCENT,
				cell_real(fragmentation(s->bytes_req, s->bytes_alloc)),
				lossy);
	}
}

/* Rows of the account added up by group; @group_of gives a row's group. */
struct slab_groups {
	struct slab_counts *counts;
	size_t nr, capacity;
};

static int slab_groups_add(struct slab_groups *g, uint32_t group,
			   const struct slab_counts *c)
{
	if (group == UINT32_MAX ||
	    array_reserve(&g->counts, &g->capacity, group + 1UL, sizeof(*g->counts)))
		return -ENOMEM;
	while (g->nr <= group)
		g->counts[g->nr++] = (struct slab_counts){ 0 };
	slab_counts_add(&g->counts[group], c);
	return 0;
}

static int slab_by_caller(struct slab *slab, struct sites *sites, struct report *report)
{
	bool live = slab->env->live;
	struct table *t = table_new("slab", live ? "Live slab objects by callsite"
						 : "Slab allocations by callsite");
	const struct column callsite = { .name = "callsite",
					 .title = "Callsite",
					 .last = true };
	struct slab_groups groups = { 0 };
	struct strbuf name = { 0 };
	int ret = t ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < slab->acc.nr_rows && !ret; i++) {
		uint64_t addr = slab_account_key(&slab->acc, i)->callsite;

		ret = slab_groups_add(&groups, sites_group(sites, addr),
				      &slab->acc.rows[i]);
	}
	if (ret)
		goto out;
	table_set_by(t, "callsite");
	slab_add_columns(t, live);
	table_add_column(t, &callsite);
	for (i = 0; i < groups.nr; i++) {
		struct cell *row;

		if (!(live ? groups.counts[i].live : groups.counts[i].hit))
			continue;
		row = table_add_row(t);
		if (!row)
			break;
		slab_fill(row, &groups.counts[i], live);
		strbuf_reset(&name);
		sites_name(sites, (uint32_t)i, &name);
		row[5] = cell_text(t, strbuf_text(&name));
	}
	slab_add_summary(slab, t);
	report_add_table(report, t);
	t = NULL;
out:
	table_free(t);
	free(groups.counts);
	strbuf_free(&name);
	return ret;
}

static int slab_by_cache(struct slab *slab, struct report *report)
{
	bool live = slab->env->live;
	struct table *t = table_new("slab_cache", live ? "Live slab objects by cache"
						       : "Slab allocations by cache");
	const struct column cache = { .name = "cache", .title = "Cache", .last = true };
	struct slab_groups groups = { 0 }; /* 0: kmalloc, 1: no name, then the caches */
	int ret = t ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < slab->acc.nr_rows && !ret; i++) {
		const struct slab_key *key = slab_account_key(&slab->acc, i);

		ret = slab_groups_add(&groups, key->kmalloc ? 0 : key->cache + 1,
				      &slab->acc.rows[i]);
	}
	if (ret)
		goto out;
	table_set_by(t, "cache");
	slab_add_columns(t, live);
	table_add_column(t, &cache);
	for (i = 0; i < groups.nr; i++) {
		const char *name =
			i == 0	 ? "[kmalloc]"
			: i == 1 ? "[unnamed]"
				 : event_stream_cache(slab->env->stream, (uint32_t)i - 1);
		struct cell *row;

		if (!(live ? groups.counts[i].live : groups.counts[i].hit))
			continue;
		row = table_add_row(t);
		if (!row)
			break;
		slab_fill(row, &groups.counts[i], live);
		row[5] = cell_text(t, name);
	}
	if (groups.nr > 1 && groups.counts[1].hit)
		table_add_note(
			t,
			"[unnamed]: this kernel's kmem_cache_alloc event does not name the cache.");
	slab_add_summary(slab, t);
	report_add_table(report, t);
	t = NULL;
out:
	table_free(t);
	free(groups.counts);
	return ret;
}

static int slab_by_ptr(struct slab *slab, struct sites *sites, struct report *report)
{
	bool live = slab->env->live;
	struct table *t = table_new("slab", live ? "Live slab objects by address"
						 : "Slab allocations by address");
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
	table_set_by(t, "ptr");
	table_add_column(t, &ptr);
	slab_add_columns(t, live);
	table_add_column(t, &callsite);
	for (i = 0; i < slab->acc.nr_ptrs; i++) {
		const struct slab_ptr *p = &slab->acc.ptrs[i];
		struct cell *row;

		if (live && !p->counts.live)
			continue;
		row = table_add_row(t);
		if (!row)
			break;
		row[0] = cell_address(p->ptr);
		slab_fill(row + 1, &p->counts, live);
		strbuf_reset(&name);
		sites_exact(sites, slab_account_key(&slab->acc, p->row)->callsite, &name);
		row[6] = cell_text(t, strbuf_text(&name));
	}
	strbuf_free(&name);
	slab_add_summary(slab, t);
	report_add_table(report, t);
	return 0;
}

static int slab_finish(void *self, struct report *report)
{
	struct slab *slab = self;
	struct sites sites;
	int ret;

	if (slab->acc.failed)
		return -ENOMEM;
	sites_init(&sites, slab->env);
	ret = slab->env->by_caller ? slab_by_caller(slab, &sites, report) : 0;
	if (!ret && slab->env->by_address)
		ret = slab_by_ptr(slab, &sites, report);
	if (!ret && slab->env->by_cache)
		ret = slab_by_cache(slab, report);
	sites_free(&sites);
	return ret;
}

const struct analysis_ops analysis_slab = {
	.name = "slab",
	.create = slab_create,
	.event = slab_event,
	.finish = slab_finish,
	.destroy = slab_destroy,
};
