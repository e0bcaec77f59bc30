// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the page reports: by callsite, by page, by whatever --by says.
 * In: page events. Out: tables "page", "page_failed", "page_free_only" and "page_matrix".
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "account/clock_skew.h"
#include "analysis/page_matrix.h"
#include "analysis/page_report.h"
#include "base/array.h"

static void *page_create(const struct analysis_env *env)
{
	struct page_report *page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->env = env;
	page->acc.by_pfn = env->by_address;
	page->acc.lives.doubts.skew = clock_skew(env->rec);
	page->acc.lives.scope = scope_of(env->rec);
	/* Page rows are by stack as it is. */
	if (env->by != SUBJECT_STACK)
		page->acc.lives.dimension = subjects_dimension(env->by);
	sites_init(&page->sites, env);
	return page;
}

static void page_event(void *self, const struct kmem_event *ev)
{
	struct page_report *page = self;

	page_account_event(&page->acc, ev);
}

static void page_events(void *self, const struct kmem_event *ev, size_t nr)
{
	struct page_report *page = self;

	page_account_events(&page->acc, ev, nr);
}

static void page_destroy(void *self)
{
	struct page_report *page = self;

	page_account_free(&page->acc);
	sites_free(&page->sites);
	bounds_free(&page->bounds);
	free(page->callsites);
	free(page);
}

/* One row of the report: account rows that look the same to the reader. */
struct page_group_key {
	uint64_t gfp_flags;
	uint32_t subject;
	uint32_t order;
	int32_t migratetype;
	uint32_t pad; /* zero: keys are compared as bytes */
};

struct page_group {
	uint64_t hit, pages; /* or the live ones */
	uint64_t implicit_pages;
	struct net_range net;
};

struct page_groups {
	struct subjects subjects;
	bool detailed; /* rows differ in order, migratetype and GFP flags too, as in perf */
	struct intern keys;
	struct page_group *groups;
	size_t nr, capacity;
};

static int page_groups_add(struct page_groups *g, const struct page_group_key *key,
			   const struct page_group *sum)
{
	uint32_t id = intern_id(&g->keys, key, sizeof(*key));
	struct page_group *to;

	if (!id || array_reserve(&g->groups, &g->capacity, id, sizeof(*g->groups)))
		return -ENOMEM;
	if (id > g->nr)
		g->groups[g->nr++] = (struct page_group){ 0 };
	to = &g->groups[id - 1];
	to->hit += sum->hit;
	to->pages += sum->pages;
	to->implicit_pages += sum->implicit_pages;
	net_range_add(&to->net, &sum->net);
	return 0;
}

/* The columns that all page tables have; what a row is about comes behind them. */
enum page_column {
	PAGE_COL_BYTES,
	PAGE_COL_HIT,
	PAGE_COL_IMPLICIT,
	PAGE_COL_NET,
	PAGE_COL_NET_MIN,
	PAGE_COL_NET_REASON,
	PAGE_NR_PLAIN, /* how many if rows are not detailed */
	PAGE_COL_ORDER = PAGE_NR_PLAIN,
	PAGE_COL_MIGTYPE,
	PAGE_COL_GFP,
	PAGE_NR_COLS,
};

static void page_add_columns(struct table *t, bool live, bool detailed)
{
	const struct column columns[PAGE_NR_COLS] = {
		[PAGE_COL_BYTES] = { .name = "bytes",
				     .title = live ? "Live_alloc/Per" : "Total_alloc/Per",
				     .unit = UNIT_BYTES,
				     .per = "hit" },
		[PAGE_COL_HIT] = { .name = "hit",
				   .title = live ? "Live" : "Hit",
				   .unit = UNIT_COUNT },
		[PAGE_COL_IMPLICIT] = { .name = "implicit",
					.title = "Implicit",
					.unit = UNIT_BYTES,
					.hidden = true },
		[PAGE_COL_NET] = { .name = "net",
				   .title = "Net",
				   .unit = UNIT_BYTES,
				   .hidden = true },
		[PAGE_COL_NET_MIN] = { .name = "net_min",
				       .title = "At_least",
				       .unit = UNIT_BYTES,
				       .hidden = true },
		[PAGE_COL_NET_REASON] = { .name = "net_reason",
					  .title = "Why",
					  .hidden = true },
		[PAGE_COL_ORDER] = { .name = "order",
				     .title = "Order",
				     .unit = UNIT_NONE },
		[PAGE_COL_MIGTYPE] = { .name = "migtype", .title = "Migrate type" },
		[PAGE_COL_GFP] = { .name = "gfp", .title = "GFP flags" },
	};

	table_add_columns(t, columns, detailed ? PAGE_NR_COLS : PAGE_NR_PLAIN);
}

/* The cells of page_add_columns(); returns how many. */
static size_t page_fill(struct page_report *page, struct table *t, struct cell *row,
			const struct page_group *sum, const struct page_group_key *detail)
{
	uint64_t size = page->env->page_size;

	row[PAGE_COL_BYTES] = cell_uint(sum->pages * size);
	row[PAGE_COL_HIT] = cell_uint(sum->hit);
	row[PAGE_COL_IMPLICIT] = cell_uint(sum->implicit_pages * size);
	row[PAGE_COL_NET] = cell_uint(sum->net.net);
	row[PAGE_COL_NET_MIN] = cell_uint(sum->net.min);
	row[PAGE_COL_NET_REASON] = cell_text(t, net_range_reason(&sum->net));
	if (!detail)
		return PAGE_NR_PLAIN;
	row[PAGE_COL_ORDER] = cell_uint(detail->order);
	row[PAGE_COL_MIGTYPE] = page_report_migratetype(page, t, detail->migratetype);
	row[PAGE_COL_GFP] = page_report_gfp(page, t, detail->gfp_flags);
	return PAGE_NR_COLS;
}

static int page_collect(struct page_report *page, struct page_groups *groups)
{
	bool live = page->env->live;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < page->acc.nr_rows && !ret; i++) {
		const struct page_key *from = page_account_key(&page->acc, i);
		const struct page_counts *c = &page->acc.rows[i];
		const struct subject who = { .callsite = page->callsites[i],
					     .stack = from->stack,
					     .dim = from->dim };
		struct page_group_key key = { 0 };
		struct page_group sum = {
			.hit = live ? c->live_hit : c->hit,
			.pages = live ? c->live_pages : c->hit << from->order,
			.implicit_pages = c->implicit_pages,
			.net = page_report_net(page, i, c->live_pages, c->sure_pages),
		};

		if (!sum.pages)
			continue;
		if (groups->detailed)
			key = (struct page_group_key){ .gfp_flags = from->gfp_flags,
						       .order = from->order,
						       .migratetype = from->migratetype };
		key.subject = subjects_row(&groups->subjects, &who);
		if (key.subject == UINT32_MAX)
			return -ENOMEM;
		ret = page_groups_add(groups, &key, &sum);
	}
	return ret;
}

static struct table *page_table(const struct page_report *page, const char *what,
				const char *by)
{
	const char *live = page->env->live ? "Live pages" : "Page allocations";
	struct strbuf title = { 0 };
	struct table *t;

	strbuf_printf(&title, "%s by %s", live, what);
	t = table_new("page", strbuf_text(&title));
	strbuf_free(&title);
	if (t)
		table_set_by(t, by);
	return t;
}

static void page_add_rows(struct page_report *page, const struct page_groups *groups,
			  struct table *t)
{
	size_t i, filled;

	for (i = 0; i < groups->nr; i++) {
		const struct page_group_key *key =
			intern_get(&groups->keys, (uint32_t)i + 1, NULL);
		struct cell *row = table_add_row(t);

		if (!row)
			return;
		filled = page_fill(page, t, row, &groups->groups[i],
				   groups->detailed ? key : NULL);
		subjects_fill(&groups->subjects, key->subject, t, row + filled);
	}
}

static int page_by(struct page_report *page, enum subject_kind kind,
		   struct report *report)
{
	const char *word = subjects_word(kind);
	struct table *t = page_table(page, word, word);
	struct page_groups groups = { .detailed = kind == SUBJECT_CALLSITE ||
						  kind == SUBJECT_STACK };
	int ret = t ? subjects_init(&groups.subjects, page->env, kind, &page->sites)
		    : -ENOMEM;

	if (!ret)
		ret = page_collect(page, &groups);
	if (!ret) {
		page_add_columns(t, page->env->live, groups.detailed);
		subjects_columns(&groups.subjects, t);
		page->gfp_used = 0;
		page_add_rows(page, &groups, t);
		page_report_legend(page, t);
		page_report_summary(page, t);
		report_add_table(report, t);
		t = NULL;
	}
	table_free(t);
	subjects_free(&groups.subjects);
	intern_free(&groups.keys);
	free(groups.groups);
	return ret;
}

static int page_by_pfn(struct page_report *page, struct report *report)
{
	bool live = page->env->live;
	struct table *t = page_table(page, "page frame", "page");
	const struct column pfn = { .name = "page", .title = "PFN", .unit = UNIT_PFN };
	const struct column callsite = { .name = "callsite",
					 .title = "Callsite",
					 .last = true };
	struct strbuf name = { 0 };
	size_t i, filled;

	if (!t)
		return -ENOMEM;
	table_add_column(t, &pfn);
	page_add_columns(t, live, true);
	table_add_column(t, &callsite);
	page->gfp_used = 0;
	for (i = 0; i < page->acc.addresses.nr; i++) {
		const struct page_pfn *p = &page->acc.addresses.pfns[i];
		const struct page_key *from = page_account_key(&page->acc, p->row);
		struct page_group_key key = { .gfp_flags = from->gfp_flags,
					      .order = from->order,
					      .migratetype = from->migratetype };
		struct page_group sum = {
			.hit = live ? p->live_pages != 0 : p->hit,
			.pages = live ? p->live_pages : p->hit << from->order,
			.implicit_pages = p->implicit_pages,
			.net = page_report_net(page, p->row, p->live_pages,
					       p->sure_pages),
		};
		struct cell *row;

		if (!sum.pages)
			continue;
		row = table_add_row(t);
		if (!row)
			break;
		row[0] = cell_uint(p->pfn);
		filled = page_fill(page, t, row + 1, &sum, &key);
		strbuf_reset(&name);
		sites_exact(&page->sites, page->callsites[p->row], &name);
		row[1 + filled] = cell_text(t, strbuf_text(&name));
	}
	strbuf_free(&name);
	page_report_legend(page, t);
	page_report_summary(page, t);
	report_add_table(report, t);
	return 0;
}

/* The callsite of every account row; the stacks are looked at once each. */
static int page_resolve(struct page_report *page)
{
	struct u64_map known = { 0 }; /* stack -> a row that has it */
	size_t i;

	page->callsites = calloc(page->acc.nr_rows + 1, sizeof(*page->callsites));
	if (!page->callsites)
		return -ENOMEM;
	for (i = 0; i < page->acc.nr_rows; i++) {
		uint32_t stack = page_account_key(&page->acc, i)->stack;
		uint32_t *row = u64_map_insert(&known, stack, (uint32_t)i);

		if (!row)
			break;
		page->callsites[i] = *row < i ? page->callsites[*row]
					      : sites_of_stack(&page->sites, stack);
	}
	u64_map_free(&known);
	return i < page->acc.nr_rows ? -ENOMEM : 0;
}

/* Which callsites free without an event; only then are the net figures known. */
static int page_bounds(struct page_report *page)
{
	int ret = 0;
	size_t i;

	bounds_init(&page->bounds, page->env);
	for (i = 0; i < page->acc.nr_rows && !ret; i++) {
		if (page->acc.rows[i].implicit_pages)
			ret = bounds_suspect(&page->bounds, page->callsites[i]);
	}
	return ret;
}

/* Page events name neither a cache nor a node. */
static bool page_has(enum subject_kind kind)
{
	return kind != SUBJECT_NONE && kind != SUBJECT_CACHE && kind != SUBJECT_NODE;
}

static int page_finish(void *self, struct report *report)
{
	struct page_report *page = self;
	const struct analysis_env *env = page->env;
	int ret;

	page_account_finish(&page->acc);
	if (page->acc.failed)
		return -ENOMEM;
	ret = page_resolve(page);
	if (!ret)
		ret = page_bounds(page);
	if (!ret && (env->by_caller || !(env->by_address || page_has(env->by))))
		ret = page_by(page, SUBJECT_CALLSITE, report);
	if (!ret && page_has(env->by))
		ret = page_by(page, env->by, report);
	if (!ret && env->by_address)
		ret = page_by_pfn(page, report);
	if (!ret)
		ret = page_report_failed(page, report);
	if (!ret)
		ret = page_report_free_only(page, report);
	if (!ret)
		ret = page_matrix(&page->acc, env, report);
	return ret;
}

const struct analysis_ops analysis_page = {
	.name = "page",
	.create = page_create,
	.event = page_event,
	.events = page_events,
	.apart = true,
	.finish = page_finish,
	.destroy = page_destroy,
};
