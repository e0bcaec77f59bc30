// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: who owns the pages that are live at the end, like the kernel's page_owner.
 * In: lives of pages. Out: the table "owners", by callchain, order and migratetype, or those of
 * these that --cull keeps. Documentation/reports.md says how each number is computed.
 */

#include "analysis/analysis.h"
#include "analysis/filter/alloc_filter.h"
#include "analysis/row/owners.h"
#include "analysis/stat/page_report.h"
#include "base/keyed.h"

/* The analysis. */
struct page_owners {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct page_account *acc;
};

/* A row's key, with the subject by --by. */
struct owner_key {
	uint32_t subject;
	uint32_t order;
	int32_t migratetype;
};

/* A row of the table. @oldest: when its oldest live block was allocated. @bytes: in a sample. */
struct owner_row {
	uint64_t times, pages;
	uint64_t oldest;
	struct net_range net;
	struct estimate bytes;
};

/**
 * struct view - one table under construction
 * @page: state shared through page_report.h
 * @rows: of the table, by struct owner_key
 * @of: by row of the account: its row of the table; UINT32_MAX: nothing of it lives
 * @all, @sure: in a sample: bytes of all rows, and those of them that must be live
 */
struct view {
	const struct page_owners *p;
	struct page_report page;
	struct owners owners;
	KEYED(struct owner_row) rows;
	uint32_t *of;
	struct estimate all, sure;
};

struct view_row {
	struct subject_row subject;
	const struct view *v;
	const struct owner_key *key;
	const struct owner_row *row;
	const struct net_range *net;
	const struct estimate *bytes;
};

/* --- cells ------------------------------------------------------------------------------ */

CELL(cell_bytes, struct view_row, cell_uint(r->row->pages * r->v->p->env->page_size))
CELL_IF(cell_order, struct view_row, !r->v->p->opts->any_order, cell_uint(r->key->order))
CELL_IF(cell_migtype, struct view_row, !r->v->p->opts->any_migratetype,
	analysis_migratetype(r->v->p->env, r->key->migratetype, t))

static const struct column_type columns[] = {
	{ COLUMN("bytes", "Live_bytes/Per", UNIT_BYTES,
		 "Bytes of the pages that are live at the end, and per block on average.",
		 .per = "times"),
	  .fill = cell_bytes },
	{ COLUMN("times", "Times", UNIT_COUNT, "Blocks of which a page is live.",
		 .leaves = 20),
	  MEMBER_OF(struct view_row, row, times) },
	{ COLUMN("pages", "Pages", UNIT_PAGES, "Pages that are live.", .leaves = 60),
	  MEMBER_OF(struct view_row, row, pages) },
	{ COLUMN("net_min", "At_least", UNIT_BYTES,
		 "Of these bytes, those that must be live.", .live = true, .leaves = 40),
	  POINTEE(struct view_row, net, struct net_range, net_range_min_cell) },
	{ COLUMN("net_reason", "Why", UNIT_NONE,
		 "Why not more must be: events were lost, frees were not traced, or a free was just not seen.",
		 .spell = net_range_reason_spell, .live = true, .leaves = 45),
	  POINTEE(struct view_row, net, struct net_range, net_range_reason_cell) },
	{ COLUMN("alloc_ts", "Allocated", UNIT_MOMENT,
		 "When the oldest of these blocks was allocated, by the recording's clock.",
		 .hidden = true, .level = true, .leaves = 70),
	  MEMBER_OF(struct view_row, row, oldest) },
	{ COLUMN("order", "Order", UNIT_NONE,
		 "The order that was asked for: 2^order pages; none where --cull leaves it out.",
		 .leaves = 15),
	  .fill = cell_order },
	{ COLUMN("migtype", "Migrate type", UNIT_NONE,
		 "The migratetype that was asked for; none where --cull leaves it out.",
		 .leaves = 80),
	  .fill = cell_migtype },
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_PAGE_NODE,
	INTERVAL_COLUMNS(struct view_row, bytes),
	BLOCK_COLUMN(struct view_row, bytes),
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type owners_type = {
	.name = "owners",
	.help = "live pages by callchain, order and migratetype, or what --by or --cull says",
	.sort = "bytes,times",
	.columns = columns,
};

/* --- rows ------------------------------------------------------------------------------- */

/* The table row of account row @i. UINT32_MAX: no memory. */
static uint32_t find_row(struct view *v, uint32_t i)
{
	const struct analysis_options *o = v->p->opts;
	const struct page_key *from = page_lives_key(&v->page.acc->lives, i);
	const struct owner_key key = {
		.subject = v->owners.of[i],
		.order = o->any_order ? 0 : from->order,
		.migratetype = o->any_migratetype ? 0 : from->migratetype,
	};
	uint32_t before = v->rows.keys.count, id = KEYED_ID(&v->rows, &key);

	if (id > before)
		v->rows.of[before].oldest = UINT64_MAX;
	return id - 1;
}

static int add_up(struct view *v)
{
	const struct page_account *acc = v->page.acc;

	v->of = calloc(acc->nr_rows + 1, sizeof(*v->of));
	if (!v->of)
		return -ENOMEM;
	for (uint32_t i = 0; i < acc->nr_rows; i++) {
		const struct page_counts *c = &acc->rows[i];
		struct net_range net;
		struct owner_row *row;
		uint32_t times;

		v->of[i] = UINT32_MAX;
		if (!c->live_pages)
			continue;
		v->of[i] = find_row(v, i);
		if (v->of[i] == UINT32_MAX)
			return -ENOMEM;
		net = page_report_net(&v->page, i, c->live_pages, c->sure_pages);
		row = &v->rows.of[v->of[i]];
		times = lives_weight(&acc->lives.any, i);
		row->times += c->live_hit * times;
		row->pages += c->live_pages * times;
		net_range_add(&row->net, &net, times);
	}
	return 0;
}

/* In a sample: the rows' live memory for all memory, and how much of it must live. */
static int find_intervals(struct view *v)
{
	const struct page_account *acc = v->page.acc;
	uint64_t size = v->p->env->page_size;
	uint64_t *live __auto_mem = calloc(acc->nr_rows + 1, sizeof(*live));
	uint64_t *sure __auto_mem = calloc(acc->nr_rows + 1, sizeof(*sure));
	struct estimate *e __auto_mem = calloc(v->rows.nr + 1, sizeof(*e));
	int ret;

	if (!live || !sure || !e)
		return -ENOMEM;
	for (uint32_t i = 0; i < acc->nr_rows; i++) {
		const struct page_counts *c = &acc->rows[i];

		live[i] = c->live_pages * size;
		sure[i] = page_report_net(&v->page, i, c->live_pages, c->sure_pages).min;
	}
	ret = owners_estimate(&v->owners, sure, v->of, e, v->rows.nr);
	for (uint32_t i = 0; i < v->rows.nr && !ret; i++) {
		v->rows.of[i].net.sampled = true;
		v->rows.of[i].net.low = e[i].low;
	}
	ret = ret ?: owners_estimate(&v->owners, live, v->of, e, v->rows.nr);
	for (uint32_t i = 0; i < v->rows.nr && !ret; i++) {
		v->rows.of[i].bytes = e[i];
		v->rows.of[i].net.high = e[i].high;
	}
	ret = ret ?: owners_estimate_all(&v->owners, live, v->of, &v->all);
	return ret ?: owners_estimate_all(&v->owners, sure, v->of, &v->sure);
}

static void find_oldest(struct view *v)
{
	const struct page_lives *lives = &v->page.acc->lives;
	const struct live_entry *block = NULL;

	while ((block = lives_next(&lives->any, block))) {
		uint64_t begin = live_begin(&lives->any.live, block);
		struct owner_row *row;

		if (v->of[block->row] == UINT32_MAX)
			continue;
		row = &v->rows.of[v->of[block->row]];
		if (begin < row->oldest)
			row->oldest = begin;
	}
}

static int collect(struct view *v, enum subject_kind kind)
{
	const struct page_account *acc = v->page.acc;
	int ret = owners_init(&v->owners, v->p->env, &acc->lives.any, kind);

	if (ret)
		return ret;
	v->page.sites = v->owners.sites;
	v->page.callsites = v->owners.callsites;
	ret = page_report_bounds(&v->page) ?: add_up(v);
	if (!ret)
		find_oldest(v);
	if (!ret && owners_estimated(&v->owners))
		ret = find_intervals(v);
	return ret;
}

static void view_free(struct view *v)
{
	bounds_free(&v->page.bounds);
	owners_free(&v->owners);
	KEYED_FREE(&v->rows);
	free(v->of);
}

/* --- the table -------------------------------------------------------------------------- */

/* "stack,order,migtype": columns that tell rows apart. */
static void row_words(const struct page_owners *p, enum subject_kind kind,
		      struct strbuf *out)
{
	char words[SUBJECT_WORDS];

	strbuf_puts(out, subjects_words(kind, words));
	if (!p->opts->any_order)
		strbuf_puts(out, ",order");
	if (!p->opts->any_migratetype)
		strbuf_puts(out, ",migtype");
}

static struct table *new_table(const struct page_owners *p, enum subject_kind kind,
			       struct report *report)
{
	struct strbuf __auto_free title = { 0 }, words = { 0 };
	struct table *t;

	row_words(p, kind, &words);
	strbuf_printf(&title, "Owners of live pages, by %s", strbuf_text(&words));
	t = table_begin(report, &owners_type, strbuf_text(&title),
			subject_estimated(kind, p->env->sample.one_in), false);
	table_set_by(t, strbuf_text(&words));
	t->failed |= title.failed || words.failed;
	analysis_plain_times(p->env, t);
	/* In a sample the interval of the bytes says more. */
	if (p->env->sample.one_in)
		table_hide_column(t, "net_min");
	if (p->opts->any_order)
		table_hide_column(t, "order");
	if (p->opts->any_migratetype)
		table_hide_column(t, "migtype");
	return t;
}

static void add_rows(const struct view *v, struct table *t)
{
	for (uint32_t i = 0; i < v->rows.nr; i++) {
		const struct owner_key *key = KEYED_KEY(&v->rows, i);
		const struct view_row row = { .subject = { &v->owners.subjects,
							   key->subject },
					      .v = v,
					      .key = key,
					      .row = &v->rows.of[i],
					      .net = &v->rows.of[i].net,
					      .bytes = &v->rows.of[i].bytes };

		table_put_row(t, &row);
	}
}

static void add_notes(const struct view *v, struct table *t)
{
	const struct page_totals *s = &v->page.acc->totals;

	if (s->requests > s->failures && s->without_stack == s->requests - s->failures)
		table_add_note(
			t,
			"!No page allocation has a callchain, so the owners are unknown. Record callchains with: kmemx record --page (trace-cmd record: -T)");
	if (s->losses)
		table_add_note(
			t,
			"!Events were lost: what seems to live may have been freed. See the column Why.");
}

static void add_summary(const struct view *v, struct table *t)
{
	const struct page_totals *s = &v->page.acc->totals;
	bool estimated = owners_estimated(&v->owners);
	uint64_t size = v->p->env->page_size, times = 0, pages = 0, least = 0;

	for (size_t i = 0; i < v->rows.nr; i++) {
		times += v->rows.of[i].times;
		pages += v->rows.of[i].pages;
		least += v->rows.of[i].net.min;
	}
	if (estimated)
		least = v->sure.low;
	const struct summary_line lines[] = {
		{ "times", "Blocks live at the end", UNIT_COUNT, times, SUMMARY_USUAL,
		  true },
		{ "pages", "Pages live at the end", UNIT_PAGES, pages, SUMMARY_USUAL,
		  true },
		{ "bytes_live", "Bytes live at the end", UNIT_BYTES, pages * size,
		  SUMMARY_TOTAL, true },
		{ "bytes_live_min", "  sure to be live", UNIT_BYTES, least, SUMMARY_USUAL,
		  true },
		{ "bytes_unmatched", "Bytes freed without an allocation event",
		  UNIT_BYTES, (s->unmatched_pages + s->again_pages) * size,
		  SUMMARY_DOUBT },
	};

	table_set_summary_title(t, "SUMMARY (owners of pages)");

	/* In a sample, frees without an allocation event may be in any unit: leave that line out.
	 */
	table_add_summary_lines(t, lines, ARRAY_SIZE(lines) - estimated, s->losses != 0);
	if (!estimated)
		return;
	estimate_ends(&v->all, "bytes_live", "Bytes live at the end", true, t);
	estimate_summary(&v->all, true, t);
}

static int show_by(const struct page_owners *p, enum subject_kind kind,
		   struct report *report)
{
	struct view v = { .p = p,
			  .page = { .env = p->env, .opts = p->opts, .acc = p->acc } };
	struct table *t = new_table(p, kind, report);
	int ret = collect(&v, kind);

	if (!ret) {
		add_rows(&v, t);
		add_notes(&v, t);
		add_summary(&v, t);
	}
	view_free(&v);
	return ret;
}

static int owners_view(const void *self, struct report *report)
{
	const struct page_owners *p = self;
	const struct alloc_filter *filter = p->env->filter;
	const struct analysis_options *o = p->opts;
	int ret = p->acc->lives.any.failed ? -ENOMEM : 0;

	if (!(analysis_seen(p->env) & NEEDS_PAGE) || (filter && !filter->nr[MEMORY_PAGE]))
		return ret;
	if (!ret && o->by_caller)
		ret = show_by(p, SUBJECT_CALLSITE, report);
	if (!ret && (o->by || !o->by_caller))
		ret = show_by(p, o->by ? o->by : SUBJECT_STACK, report);
	return ret;
}

static int owners_create(void *self, const struct analysis_env *env,
			 const struct analysis_options *opts)
{
	struct page_owners *p = self;
	int ret;
	struct dimensions dimensions = subjects_page_dimensions(opts->by);

	ret = accounts_page(env->accounts, &dimensions, &p->acc);
	if (!ret)
		p->acc->lives.any.live.times = true;
	return ret;
}

const struct analysis analysis_owners = {
	.name = "owners",
	.help = "who owns the pages that are live at the end",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_PAGE,
	.rows = PAGE_ROWS,
	.estimates = true,
	.all_frees = true,
	.tables = TABLES(&owners_type),
	ANALYSIS_SELF_OPTIONS(struct page_owners),
	.create = owners_create,
	.view = owners_view,
};
