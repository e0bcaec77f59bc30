// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the page reports: by callsite, by page, by whatever --by says.
 * In: page events. Out: tables "page", "page_failed", "page_free_only" and "page_matrix".
 */

#include "analysis/analysis.h"
#include "analysis/row/call_tree.h"
#include "analysis/row/entry.h"
#include "analysis/row/owners.h"
#include "analysis/stat/page_report.h"
#include "base/keyed.h"

struct page_groups {
	struct subjects subjects;
	bool detailed; /* rows also differ in order, migratetype and flags, as in perf */
	KEYED(struct page_group) sums; /* by struct page_group_key */
	uint32_t *group_of;	       /* of account rows */
};

/* Adds @sum, @times times; returns the group's number, UINT32_MAX: no memory. */
static uint32_t page_groups_add(struct page_groups *g, const struct page_group_key *key,
				const struct page_group *sum, uint64_t times)
{
	uint32_t id = KEYED_ID(&g->sums, key);
	struct page_group *to;

	if (!id)
		return UINT32_MAX;
	to = &g->sums.of[id - 1];
	to->hit += sum->hit * times;
	to->pages += sum->pages * times;
	to->implicit_pages += sum->implicit_pages * times;
	to->charged += sum->charged * times;
	net_range_add(&to->net, &sum->net, times);
	to->cache += sum->cache * times;
	return id - 1;
}

/* Does the account have per-task sums that the groups need? */
static bool sums_tasks(const struct page_report *page, const struct page_groups *g)
{
	return page->acc->lives.any.spent && subjects_of_tasks(g->subjects.kind);
}

/* By task: adds the sums of tasks without live pages. Group numbers are those of their subjects. */
static int page_groups_spent(const struct page_report *page, struct page_groups *g)
{
	const struct lives *lives = &page->acc->lives.any;
	uint32_t *rows __auto_mem = owners_spent(&g->subjects, lives, page->opts->live);
	struct page_group_key key = { 0 };
	struct page_group sum = { 0 };
	int ret = rows ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < subjects_count(&g->subjects) && !ret; i++) {
		key.subject = i;
		if (page_groups_add(g, &key, &sum, 1) == UINT32_MAX)
			ret = -ENOMEM;
	}
	for (uint32_t i = 0; i < lives->spent->keys.count && !ret; i++) {
		const struct page_tally *tally = spent_sum(lives->spent, i);

		key.subject = rows[i];
		sum.hit = page->opts->live ? 0 : tally->of[LIFE_BORN].nr;
		sum.pages = page->opts->live ? 0 : tally->of[LIFE_BORN].pages;
		sum.implicit_pages =
			tally->of[LIFE_GONE].pages - tally->of[LIFE_FOUND].pages;
		if (rows[i] != UINT32_MAX)
			page_groups_add(g, &key, &sum, 1); /* the group exists */
	}
	return ret;
}

/* The key of account row @row's group; false: no memory. */
static bool page_group_key(const struct page_report *page, struct page_groups *g,
			   size_t row, struct page_group_key *key)
{
	const struct page_key *from = page_lives_key(&page->acc->lives, row);
	const struct subject who =
		subject_of_row(&page->acc->lives.any, row, page->callsites[row]);

	*key = (struct page_group_key){ 0 };
	if (g->detailed) {
		key->gfp_flags = from->gfp_flags;
		key->order = from->order;
		key->migratetype = from->migratetype;
	}
	key->subject = subjects_row(&g->subjects, &who);
	return key->subject != UINT32_MAX;
}

static int page_collect(struct page_report *page, struct page_groups *groups)
{
	bool live = page->opts->live;
	bool spent = sums_tasks(page, groups);

	groups->group_of = calloc(page->acc->nr_rows + 1, sizeof(*groups->group_of));
	if (!groups->group_of || (spent && page_groups_spent(page, groups)))
		return -ENOMEM;
	for (uint32_t i = 0; i < page->acc->nr_rows; i++) {
		const struct page_key *from = page_lives_key(&page->acc->lives, i);
		const struct page_counts *c = &page->acc->rows[i];
		struct page_group_key key;
		struct page_group sum = {
			.hit = live ? c->live_hit : c->hit,
			.pages = live ? c->live_pages : c->hit << from->order,
			.implicit_pages = c->implicit_pages,
			.net = page_report_net(page, i, c->live_pages, c->sure_pages),
		};

		groups->group_of[i] = UINT32_MAX;
		if (!sum.pages || (spent && from->all_tasks))
			continue;
		if (reclaimable_page(&page->reclaimable, from, page->callsites[i]))
			sum.cache = net_range_likely(&sum.net);
		if (from->gfp_flags & page->charged &&
		    group_is_charged(
			    lives_value(&page->acc->lives.any, i, DIMENSION_CGROUP)))
			sum.charged = sum.pages;
		if (!page_group_key(page, groups, i, &key))
			return -ENOMEM;
		groups->group_of[i] = page_groups_add(
			groups, &key, &sum, lives_weight(&page->acc->lives.any, i));
		if (groups->group_of[i] == UINT32_MAX)
			return -ENOMEM;
	}
	return 0;
}

/* Blocks of this order are always recorded, though not all frees of their pages. */
static bool all_recorded(const struct page_report *page, const struct page_groups *g,
			 size_t i)
{
	const struct page_group_key *key = KEYED_KEY(&g->sums, i);

	return g->detailed && key->order >= page->env->sample.certain_order;
}

/* For a table of live pages: adds untraced frees of account rows without live pages, to groups that
 * exist.
 */
static int page_add_untraced(const struct page_report *page, struct page_groups *g)
{
	for (size_t i = 0; i < page->acc->nr_rows; i++) {
		const struct page_counts *c = &page->acc->rows[i];
		struct page_group_key key;
		uint32_t id;

		if (g->group_of[i] != UINT32_MAX || !c->implicit_pages ||
		    (sums_tasks(page, g) &&
		     page_lives_key(&page->acc->lives, i)->all_tasks))
			continue;
		if (!page_group_key(page, g, i, &key))
			return -ENOMEM;
		id = intern_find(&g->sums.keys, &key, sizeof(key));
		if (id)
			g->sums.of[id - 1].implicit_pages +=
				c->implicit_pages *
				lives_weight(&page->acc->lives.any, i);
	}
	return 0;
}

/* In a sample: intervals of the groups. */
static int page_groups_estimate(const struct page_report *page, struct page_groups *g)
{
	struct estimate *e __auto_mem = calloc(g->sums.nr + 1, sizeof(*e));
	static const enum page_figure figures[] = { PAGE_SURE, PAGE_LIVING,
						    PAGE_ALLOCATED };
	int ret = e ? 0 : -ENOMEM;

	for (size_t k = 0; k < ARRAY_SIZE(figures) && !ret; k++) {
		ret = page_report_estimate(page, figures[k], g->group_of, e, g->sums.nr);
		for (size_t i = 0; i < g->sums.nr && !ret; i++) {
			struct page_group *group = &g->sums.of[i];

			group->net.sampled = true;
			if (figures[k] == PAGE_SURE)
				group->net.low = e[i].low;
			else if (figures[k] == PAGE_LIVING)
				group->net.high = e[i].high;
			if (figures[k] !=
			    (page->opts->live ? PAGE_LIVING : PAGE_ALLOCATED))
				continue;
			group->bytes = e[i];
			if (!page->opts->live && all_recorded(page, g, i))
				group->bytes.high = group->bytes.low;
		}
	}
	return ret;
}

static struct table *page_table(const struct page_report *page, const char *what,
				enum subject_kind kind, struct report *report)
{
	const char *live = page->opts->live ? "Live pages" : "Page allocations";
	struct strbuf __auto_free title = { 0 };
	struct table *t;

	strbuf_printf(&title, "%s by %s", live, what);
	t = table_begin(report, &page_type, strbuf_text(&title),
			subject_estimated(kind, kind && page_report_estimates(page)),
			page->opts->live);
	table_set_by(t, kind ? what : "page");
	table_type_hide_interval(t, page->opts->live);
	return t;
}

static void page_add_rows(const struct page_report *page,
			  const struct page_groups *groups, struct table *t)
{
	uint64_t gfp_used = 0;

	for (size_t i = 0; i < groups->sums.nr; i++) {
		const struct page_group_key *key = KEYED_KEY(&groups->sums, i);
		const struct page_row row = { .subject = { &groups->subjects,
							   key->subject },
					      .page = page,
					      .sum = &groups->sums.of[i],
					      .net = &groups->sums.of[i].net,
					      .bytes = &groups->sums.of[i].bytes,
					      .key = key,
					      .gfp_used = &gfp_used };

		/* By task: a group without pages has no row. */
		if (groups->sums.of[i].pages)
			table_put_row(t, &row);
	}
	page_report_legend(page, t, gfp_used);
}

static int page_by(struct page_report *page, enum subject_kind kind,
		   struct report *report)
{
	char words[SUBJECT_WORDS];
	struct table *t = page_table(page, subjects_words(kind, words), kind, report);
	struct page_groups groups = { .detailed = PAGE_DETAILED & subject_rows(kind) };
	int ret = subjects_init(&groups.subjects, page->env, kind, &page->sites,
				&page->acc->lives.any.dimensions);

	ret = ret ?: page_collect(page, &groups);
	if (!ret && page->opts->live)
		ret = page_add_untraced(page, &groups);
	if (!ret && page_report_estimates(page))
		ret = page_groups_estimate(page, &groups);
	if (!ret) {
		page_add_rows(page, &groups, t);
		if (subject_rows(kind) & ROWS(NODE) &&
		    !*recording_meta_text(page->env->rec, "zoneinfo.before"))
			table_add_note(
				t,
				"Node -1: the recording does not say which frames a node has (zoneinfo).");
		entry_note_user(page->env, kind, t);
		page_report_summary(page, t);
	}
	subjects_free(&groups.subjects);
	KEYED_FREE(&groups.sums);
	free(groups.group_of);
	return ret;
}

static void page_by_pfn(struct page_report *page, struct report *report)
{
	bool live = page->opts->live;
	struct table *t = page_table(page, "page frame", SUBJECT_NONE, report);
	uint64_t gfp_used = 0;

	for (size_t i = 0; i < page->acc->addresses.pfns.nr; i++) {
		const struct page_pfn *p = &page->acc->addresses.pfns.of[i];
		const struct page_key *from = page_lives_key(&page->acc->lives, p->row);
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
					      .net = &sum.net,
					      .key = &key,
					      .gfp_used = &gfp_used };

		if (sum.pages)
			table_put_row(t, &row);
	}
	page_report_legend(page, t, gfp_used);
	if (page_report_estimates(page))
		table_add_note(t, "!Rows are page frames of the sample, not estimates.");
	page_report_summary(page, t);
}

int page_report_bounds(struct page_report *page)
{
	const struct u64_map *hidden = &page->acc->lives.any.hidden_gone;
	int ret = 0;

	bounds_init(&page->bounds, page->env);
	for (size_t i = 0; i < page->acc->nr_rows && !ret; i++) {
		if (page->acc->rows[i].implicit_pages)
			ret = bounds_suspect(&page->bounds, page->callsites[i]);
	}
	for (size_t i = 0; i < hidden->capacity && !ret; i++) {
		const struct u64_map_slot *slot = &hidden->slots[i];
		uint32_t stack =
			slot->used ? page_lives_key(&page->acc->lives, slot->key)->stack
				   : 0;

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
		page_by_pfn(page, report);
	if (!ret && opts->tree.roots)
		ret = page_report_tree(page, report);
	ret = ret ?: page_report_failed(page, report);
	ret = ret ?: page_report_free_only(page, report);
	return ret ?: page_matrix(page->acc, page->env, opts->live, report);
}

/* The account, and the options of its tables. */
struct page_analysis {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct page_account *acc; /* of the stream; others may use it, too */
};

static int page_create(void *self, const struct analysis_env *env,
		       const struct analysis_options *opts)
{
	struct page_analysis *page = self;
	int ret;
	struct dimensions dimensions = subjects_page_dimensions(analysis_subject(opts));

	dimensions.task_sums = subjects_of_tasks(opts->by);
	ret = accounts_page(env->accounts, &dimensions, &page->acc);
	if (!ret && opts->by_address)
		ret = page_account_by_address(page->acc);
	return ret;
}

static int page_view(const void *self, struct report *report)
{
	const struct page_analysis *page = self;
	struct page_report r = { .env = page->env, .opts = page->opts, .acc = page->acc };
	int ret = page->acc->lives.any.failed ? -ENOMEM : 0;

	sites_init(&r.sites, page->env);
	r.charged = gfp_charged(event_formats_gfp(page->env->fmts));
	if (!ret)
		r.callsites = owners_callsites(&r.sites, &page->acc->lives.any);
	if (!ret)
		ret = r.callsites ? page_report_bounds(&r) : -ENOMEM;
	ret = ret ?: reclaimable_init(&r.reclaimable, page->env);
	ret = ret ?: page_tables(&r, report);
	reclaimable_free(&r.reclaimable);
	sites_free(&r.sites);
	bounds_free(&r.bounds);
	free(r.callsites);
	return ret;
}

const struct analysis analysis_page = {
	.name = "page",
	.help = "page allocations",
	.use = ANALYSIS_USUAL,
	.needs = NEEDS_PAGE,
	.rows = PAGE_ROWS,
	.estimates = true,
	.tables = TABLES(&page_type, &tree_types[MEMORY_PAGE], &page_failed_type,
			 &page_free_only_type, &page_matrix_type),
	ANALYSIS_SELF_OPTIONS(struct page_analysis),
	.create = page_create,
	.view = page_view,
};
