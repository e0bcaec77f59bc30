// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the page reports: by callsite, by page, by whatever --by says.
 * In: page events. Out: tables "page", "page_failed", "page_free_only" and "page_matrix".
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/call_tree.h"
#include "analysis/page_matrix.h"
#include "analysis/page_report.h"
#include "base/array.h"

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

/* What a row of the page tables is made from: @subject first. */
struct page_row {
	struct subject_row subject;
	const struct page_report *page;
	uint64_t pfn;
	uint32_t row; /* the account's, in tables by page */
	const struct page_group *sum;
	const struct page_group_key *key;
	uint64_t *gfp_used;
};

static struct cell cell_pfn(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return cell_uint(r->pfn);
}

static struct cell cell_bytes(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return cell_uint(r->sum->pages * r->page->env->page_size);
}

static struct cell cell_hit(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return cell_uint(r->sum->hit);
}

static struct cell cell_implicit(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return cell_uint(r->sum->implicit_pages * r->page->env->page_size);
}

static struct cell cell_net(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return cell_uint(r->sum->net.net);
}

static struct cell cell_net_min(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return cell_uint(r->sum->net.min);
}

static struct cell cell_net_reason(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return cell_text(t, net_range_reason(&r->sum->net));
}

static struct cell cell_order(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return cell_uint(r->key->order);
}

static struct cell cell_migtype(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return page_report_migratetype(r->page, t, r->key->migratetype);
}

static struct cell cell_gfp(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return page_report_gfp(r->page, t, r->key->gfp_flags, r->gfp_used);
}

static struct cell cell_gfp_names(const void *row, struct table *t)
{
	const struct page_row *r = row;

	return page_report_gfp_names(r->page, t, r->key->gfp_flags);
}

static struct cell cell_last_callsite(const void *row, struct table *t)
{
	const struct page_row *r = row;
	struct strbuf name = { 0 };
	struct cell cell;

	sites_exact(&r->page->sites, r->page->callsites[r->row], &name);
	cell = cell_text(t, strbuf_text(&name));
	strbuf_free(&name);
	return cell;
}

/* Rows that differ in order, migratetype and GFP flags too, as in perf. */
#define DETAILED (ROWS(NONE) | ROWS(CALLSITE) | ROWS(STACK))

static const struct column_type columns[] = {
	{ .column = { .name = "page",
		      .title = "PFN",
		      .unit = UNIT_PFN,
		      .help = "The number of the page frame." },
	  .rows = ROWS(NONE),
	  .fill = cell_pfn },
	{ .column = { .name = "bytes",
		      .title = "Total_alloc/Per",
		      .unit = UNIT_BYTES,
		      .per = "hit",
		      .help = "Bytes allocated, and per allocation on average." },
	  .live_title = "Live_alloc/Per",
	  .fill = cell_bytes },
	{ .column = { .name = "hit",
		      .title = "Hit",
		      .unit = UNIT_COUNT,
		      .leaves = 20,
		      .help = "Allocations." },
	  .live_title = "Live",
	  .fill = cell_hit },
	{ .column = { .name = "implicit",
		      .title = "Untraced",
		      .unit = UNIT_BYTES,
		      .hidden = true,
		      .leaves = 60,
		      .help = "Bytes freed without an event: the page was allocated again." },
	  .fill = cell_implicit },
	{ .column = { .name = "net",
		      .title = "Net",
		      .unit = UNIT_BYTES,
		      .hidden = true,
		      .live = true,
		      .leaves = 40,
		      .help = "Bytes allocated and not seen freed; no more can be live at the end." },
	  .fill = cell_net },
	{ .column = { .name = "net_min",
		      .title = "At_least",
		      .unit = UNIT_BYTES,
		      .hidden = true,
		      .range_of = "net",
		      .live = true,
		      .leaves = 8,
		      .help = "Of the net bytes, those that must be live at the end." },
	  .fill = cell_net_min },
	{ .column = { .name = "net_reason",
		      .title = "Why",
		      .hidden = true,
		      .spell = net_range_reason_spell,
		      .range_of = "net",
		      .live = true,
		      .leaves = 9,
		      .help = "Why the bounds differ: events were lost, frees were not traced, or a free was just not seen." },
	  .fill = cell_net_reason },
	{ .column = { .name = "order",
		      .title = "Order",
		      .leaves = 15,
		      .help = "The block's size: 2^order pages." },
	  .rows = DETAILED,
	  .fill = cell_order },
	{ .column = { .name = "migtype",
		      .title = "Migrate type",
		      .leaves = 80,
		      .help = "The requested migratetype." },
	  .rows = DETAILED,
	  .fill = cell_migtype },
	{ .column = { .name = "gfp",
		      .title = "GFP flags",
		      .leaves = 90,
		      .help = "The request's flags, spelled out in the legend; unknown bits in hexadecimal." },
	  .rows = DETAILED,
	  .fill = cell_gfp },
	SUBJECT_COLUMNS,
	{ .column = { .name = "callsite",
		      .title = "Callsite",
		      .last = true,
		      .help = "The callsite that allocated." },
	  .rows = ROWS(NONE),
	  .fill = cell_last_callsite },
	{ .column = { .name = "gfp_names",
		      .title = "GFP names",
		      .hidden = true,
		      .list = true,
		      .help = "The request's flags by their full names; unknown bits in hexadecimal." },
	  .rows = DETAILED,
	  .fill = cell_gfp_names },
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type page_type = {
	.name = "page",
	.help = "page blocks by callsite, page frame (--alloc), or what --by says",
	.sort = "bytes,hit",
	.columns = columns,
};

static int page_collect(struct page_report *page, struct page_groups *groups)
{
	bool live = page->opts->live;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < page->acc->nr_rows && !ret; i++) {
		const struct page_key *from = page_account_key(page->acc, i);
		const struct page_counts *c = &page->acc->rows[i];
		const struct subject who = { .callsite = page->callsites[i],
					     .stack = from->stack,
					     .dims = from->dims };
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
				enum subject_kind kind)
{
	const char *live = page->opts->live ? "Live pages" : "Page allocations";
	struct strbuf title = { 0 };
	struct table *t;

	strbuf_printf(&title, "%s by %s", live, what);
	t = table_type_new(&page_type, strbuf_text(&title), kind, page->opts->live);
	strbuf_free(&title);
	if (t)
		table_set_by(t, kind ? what : "page");
	return t;
}

static void page_add_rows(const struct page_report *page,
			  const struct page_groups *groups, struct table *t)
{
	uint64_t gfp_used = 0;
	size_t i;

	for (i = 0; i < groups->nr; i++) {
		const struct page_group_key *key =
			intern_get(&groups->keys, (uint32_t)i + 1, NULL);
		const struct page_row row = { .subject = { &groups->subjects,
							   key->subject },
					      .page = page,
					      .sum = &groups->groups[i],
					      .key = key,
					      .gfp_used = &gfp_used };

		if (!table_type_add_row(&page_type, groups->subjects.kind, t, &row))
			break;
	}
	page_report_legend(page, t, gfp_used);
}

static int page_by(struct page_report *page, enum subject_kind kind,
		   struct report *report)
{
	char words[SUBJECT_WORDS];
	struct table *t = page_table(page, subjects_words(kind, words), kind);
	struct page_groups groups = { .detailed = DETAILED & subject_rows(kind) };
	int ret = t ? subjects_init(&groups.subjects, page->env, kind, &page->sites,
				    &page->acc->lives.dimensions)
		    : -ENOMEM;

	if (!ret)
		ret = page_collect(page, &groups);
	if (!ret) {
		page_add_rows(page, &groups, t);
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
	bool live = page->opts->live;
	struct table *t = page_table(page, "page frame", SUBJECT_NONE);
	uint64_t gfp_used = 0;
	size_t i;

	if (!t)
		return -ENOMEM;
	for (i = 0; i < page->acc->addresses.nr; i++) {
		const struct page_pfn *p = &page->acc->addresses.pfns[i];
		const struct page_key *from = page_account_key(page->acc, p->row);
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
		const struct page_row row = { .page = page,
					      .pfn = p->pfn,
					      .row = p->row,
					      .sum = &sum,
					      .key = &key,
					      .gfp_used = &gfp_used };

		if (sum.pages && !table_type_add_row(&page_type, SUBJECT_NONE, t, &row))
			break;
	}
	page_report_legend(page, t, gfp_used);
	page_report_summary(page, t);
	report_add_table(report, t);
	return 0;
}

/* The callsite of every account row; the stacks are looked at once each. */
static int page_resolve(struct page_report *page)
{
	struct u64_map known = { 0 }; /* stack -> a row that has it */
	size_t i;

	page->callsites = calloc(page->acc->nr_rows + 1, sizeof(*page->callsites));
	if (!page->callsites)
		return -ENOMEM;
	for (i = 0; i < page->acc->nr_rows; i++) {
		uint32_t stack = page_account_key(page->acc, i)->stack;
		uint32_t *row = u64_map_insert(&known, stack, (uint32_t)i);

		if (!row)
			break;
		page->callsites[i] = *row < i ? page->callsites[*row]
					      : sites_of_stack(&page->sites, stack);
	}
	u64_map_free(&known);
	return i < page->acc->nr_rows ? -ENOMEM : 0;
}

int page_report_bounds(struct page_report *page)
{
	const struct u64_map *hidden = &page->acc->lives.hidden_gone;
	int ret = 0;
	size_t i;

	bounds_init(&page->bounds, page->env);
	for (i = 0; i < page->acc->nr_rows && !ret; i++) {
		if (page->acc->rows[i].implicit_pages)
			ret = bounds_suspect(&page->bounds, page->callsites[i]);
	}
	for (i = 0; i < hidden->capacity && !ret; i++) {
		const struct u64_map_slot *slot = &hidden->slots[i];
		uint32_t stack =
			slot->used ? page_account_key(page->acc, slot->key)->stack : 0;

		if (slot->used && slot->value)
			ret = bounds_suspect(&page->bounds,
					     sites_of_stack(&page->sites, stack));
	}
	return ret;
}

static int page_tables(struct page_report *page, struct report *report)
{
	const struct analysis_options *opts = page->opts;
	bool by = !(subject_rows(opts->by) & ~PAGE_ROWS);
	int ret = 0;

	if (opts->by_caller || !(opts->by_address || by || opts->tree.roots))
		ret = page_by(page, SUBJECT_CALLSITE, report);
	if (!ret && by)
		ret = page_by(page, opts->by, report);
	if (!ret && opts->by_address)
		ret = page_by_pfn(page, report);
	if (!ret && opts->tree.roots)
		ret = page_report_tree(page, report);
	if (!ret)
		ret = page_report_failed(page, report);
	if (!ret)
		ret = page_report_free_only(page, report);
	if (!ret)
		ret = page_matrix(page->acc, page->env, opts->live, report);
	return ret;
}

/**
 * struct page_analysis - the account, and what is to be seen of it
 * @ended: it is finished
 */
struct page_analysis {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct page_account *acc; /* of the stream; others may use it, too */
	bool ended;
};

static void *page_create(const struct analysis_env *env,
			 const struct analysis_options *opts)
{
	struct page_analysis *page = calloc(1, sizeof(*page));
	struct dimensions dimensions;

	if (!page)
		return NULL;
	page->env = env;
	page->opts = opts;
	dimensions = subjects_page_dimensions(opts->by);
	page->acc = accounts_page(env->accounts, &dimensions);
	if (!page->acc) {
		free(page);
		return NULL;
	}
	page->acc->by_pfn |= opts->by_address;
	return page;
}

static void page_end(void *self)
{
	struct page_analysis *page = self;

	page->ended = true;
}

/* A view of finished @acc. */
static int page_show(const struct page_analysis *page, const struct page_account *acc,
		     struct report *report)
{
	struct page_report r = { .env = page->env, .opts = page->opts, .acc = acc };
	int ret = acc->failed ? -ENOMEM : 0;

	sites_init(&r.sites, page->env);
	if (!ret)
		ret = page_resolve(&r);
	if (!ret)
		ret = page_report_bounds(&r);
	if (!ret)
		ret = page_tables(&r, report);
	sites_free(&r.sites);
	bounds_free(&r.bounds);
	free(r.callsites);
	return ret;
}

static int page_view(const void *self, struct report *report)
{
	const struct page_analysis *page = self;
	struct page_account *now;
	int ret;

	if (page->ended)
		return page_show(page, page->acc, report);
	/* As if the stream ended here; it goes on with the account as it is. */
	now = calloc(1, sizeof(*now));
	ret = now ? page_account_copy(now, page->acc) : -ENOMEM;
	if (!ret) {
		page_account_finish(now);
		ret = page_show(page, now, report);
	}
	if (now)
		page_account_free(now);
	free(now);
	return ret;
}

static void page_destroy(void *self)
{
	free(self);
}

static const struct table_type *const tables[] = {
	&page_type,	      &page_tree_type,	 &page_failed_type,
	&page_free_only_type, &page_matrix_type, NULL
};

const struct analysis analysis_page = {
	.name = "page",
	.help = "page allocations",
	.use = ANALYSIS_USUAL,
	.needs = NEEDS_PAGE,
	.rows = PAGE_ROWS,
	.tables = tables,
	.create = page_create,
	.apart = true,
	.end = page_end,
	.view = page_view,
	.destroy = page_destroy,
};
