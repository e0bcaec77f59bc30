// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: who owns the pages that are live at the end, like the kernel's page_owner.
 * In: lives of pages. Out: the table "owners", by callchain, order and migratetype, or by those
 * of them that --cull keeps. Documentation/reports.md says how each number is computed.
 */

#include "analysis/analysis.h"
#include "analysis/stat/account_report.h"
#include "analysis/stat/account_rows.h"

/**
 * struct view - one table under construction
 * @oldest: by sum: when its oldest live block was allocated
 * @sure: in a sample: those bytes of all rows that must be live
 */
struct view {
	struct account_report *report;
	struct account_sums sums;
	uint64_t *oldest;
	struct estimate sure;
};

struct view_row {
	struct subject_row subject;
	const struct analysis_env *env;
	const struct analysis_options *opts;
	const struct account_key *key;
	const struct account_sum *sum;
	const struct net_range *net;
	const struct estimate *bytes;
	uint64_t pages, oldest;
};

/* --- cells ------------------------------------------------------------------------------ */

CELL_IF(cell_order, struct view_row, !r->opts->any_order, cell_uint(r->key->order))
CELL_IF(cell_migtype, struct view_row, !r->opts->any_migratetype,
	analysis_migratetype(r->env, r->key->migratetype, t))

static const struct column_type columns[] = {
	{ COLUMN("bytes", "Live_bytes/Per", UNIT_BYTES,
		 "Bytes of the pages that are live at the end, and per block on average.",
		 .per = "times"),
	  MEMBER_OF(struct view_row, sum, counts.live_alloc) },
	{ COLUMN("times", "Times", UNIT_COUNT, "Blocks of which a page is live.",
		 .drop = 20),
	  MEMBER_OF(struct view_row, sum, counts.live_hit) },
	{ COLUMN("pages", "Pages", UNIT_PAGES, "Pages that are live.", .drop = 60),
	  MEMBER(struct view_row, pages) },
	{ COLUMN("net_min", "At_least", UNIT_BYTES,
		 "Of these bytes, those that must be live.", .live = true, .drop = 40),
	  POINTEE(struct view_row, net, struct net_range, net_range_min_cell) },
	{ COLUMN("net_reason", "Why", UNIT_NONE,
		 "Why not more must be: events were lost, frees were not traced, or a free was just not seen.",
		 .spell = net_range_reason_spell, .live = true, .drop = 45),
	  POINTEE(struct view_row, net, struct net_range, net_range_reason_cell) },
	{ COLUMN("alloc_ts", "Allocated", UNIT_MOMENT,
		 "When the oldest of these blocks was allocated, by the recording's clock.",
		 .hidden = true, .level = true, .drop = 70),
	  MEMBER(struct view_row, oldest) },
	{ COLUMN("order", "Order", UNIT_NONE,
		 "The order that was asked for: 2^order pages; none where --cull leaves it out.",
		 .drop = 15),
	  .fill = cell_order },
	{ COLUMN("migtype", "Migrate type", UNIT_NONE,
		 "The migratetype that was asked for; none where --cull leaves it out.",
		 .drop = 80),
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

static int find_oldest(struct view *v)
{
	const struct lives *lives = v->report->lives;
	const struct live_entry *block = NULL;

	v->oldest = malloc((v->sums.sums.nr + 1) * sizeof(*v->oldest));
	if (!v->oldest)
		return -ENOMEM;
	memset(v->oldest, 0xff, v->sums.sums.nr * sizeof(*v->oldest));
	while ((block = lives_next(lives, block))) {
		uint64_t begin = live_begin(&lives->live, block);
		uint32_t sum = v->sums.of[block->row];

		if (sum != UINT32_MAX && begin < v->oldest[sum])
			v->oldest[sum] = begin;
	}
	return 0;
}

/* --- the table -------------------------------------------------------------------------- */

/* "stack,order,migtype": columns that tell rows apart. */
static void row_words(const struct account_report *r, enum subject_kind kind,
		      struct strbuf *out)
{
	char words[SUBJECT_WORDS];

	strbuf_puts(out, subjects_words(kind, words));
	if (!r->opts->any_order)
		strbuf_puts(out, ",order");
	if (!r->opts->any_migratetype)
		strbuf_puts(out, ",migtype");
}

static struct table *new_table(const struct account_report *r, enum subject_kind kind,
			       struct report *report)
{
	struct strbuf __auto_free title = { 0 }, words = { 0 };
	struct table *t;

	row_words(r, kind, &words);
	strbuf_printf(&title, "Owners of live pages, by %s", strbuf_text(&words));
	t = table_begin(report, &owners_type, strbuf_text(&title),
			subject_estimated(kind, r->env->sample.one_in), false);
	table_set_by(t, strbuf_text(&words));
	t->failed |= title.failed || words.failed;
	analysis_plain_times(r->env, t);
	/* In a sample the interval of the bytes says more. */
	if (r->env->sample.one_in)
		table_hide_column(t, "net_min");
	if (r->opts->any_order)
		table_hide_column(t, "order");
	if (r->opts->any_migratetype)
		table_hide_column(t, "migtype");
	return t;
}

static void add_rows(const struct view *v, struct table *t)
{
	const struct account_report *r = v->report;

	for (uint32_t i = 0; i < v->sums.sums.nr; i++) {
		const struct account_sum *sum = &v->sums.sums.of[i];
		const struct account_key *key = KEYED_KEY(&v->sums.sums, i);
		const struct view_row row = {
			.subject = { &v->sums.subjects, key->subject },
			.env = r->env,
			.opts = r->opts,
			.key = key,
			.sum = sum,
			.net = &sum->net,
			.bytes = &sum->bytes,
			.pages = sum->counts.live_alloc / r->env->page_size,
			.oldest = v->oldest[i]
		};

		table_put_row(t, &row);
	}
}

static void add_notes(const struct view *v, struct table *t)
{
	const struct page_totals *s = &accounts_of_page(v->report->lives)->totals;

	if (s->requests > s->failures && s->without_stack == s->requests - s->failures)
		table_add_note(
			t,
			"!No page allocation has a callchain, so the owners are unknown. Record callchains with: kmemx record --page (trace-cmd record: -T)");
	table_note_if(
		t, s->losses,
		"!Events were lost: what seems to live may have been freed. See the column Why.");
}

static void add_summary(const struct view *v, struct table *t)
{
	const struct page_totals *s = &accounts_of_page(v->report->lives)->totals;
	bool estimated = account_report_estimates(v->report);
	uint64_t size = v->report->env->page_size, times = 0, bytes = 0, least = 0;

	for (size_t i = 0; i < v->sums.sums.nr; i++) {
		times += v->sums.sums.of[i].counts.live_hit;
		bytes += v->sums.sums.of[i].counts.live_alloc;
		least += v->sums.sums.of[i].net.min;
	}
	if (estimated)
		least = v->sure.low;
	table_set_summary_title(t, "SUMMARY (owners of pages)");
	TABLE_SUMMARY(t, s->losses != 0,
		      { "times", "Blocks live at the end", UNIT_COUNT, times,
			SUMMARY_USUAL, true },
		      { "pages", "Pages live at the end", UNIT_PAGES, bytes / size,
			SUMMARY_USUAL, true },
		      { "bytes_live", "Bytes live at the end", UNIT_BYTES, bytes,
			SUMMARY_TOTAL, true },
		      { "bytes_live_min", "  sure to be live", UNIT_BYTES, least,
			SUMMARY_USUAL, true });
	/* In a sample, frees without an allocation event may be in any unit. */
	if (!estimated) {
		TABLE_SUMMARY(t, s->losses != 0,
			      { "bytes_unmatched",
				"Bytes freed without an allocation event", UNIT_BYTES,
				(s->unmatched_pages + s->again_pages) * size,
				SUMMARY_DOUBT });
		return;
	}
	estimate_ends(&v->report->living, "bytes_live", "Bytes live at the end", true, t);
	estimate_summary(&v->report->living, true, t);
}

static int show_by(struct account_report *r, enum subject_kind kind,
		   struct report *report)
{
	struct view v = { .report = r,
			  .sums = { .by_order = !r->opts->any_order,
				    .by_migratetype = !r->opts->any_migratetype } };
	const struct account_groups all = { SUBJECT_NONE, NULL, 1 };
	struct table *t = new_table(r, kind, report);
	int ret = account_sums_collect(&v.sums, r, kind) ?: find_oldest(&v);

	if (!ret && account_report_estimates(r))
		ret = account_report_estimate(r, ACCOUNT_SURE, &all, &v.sure);
	if (!ret) {
		add_rows(&v, t);
		add_notes(&v, t);
		add_summary(&v, t);
	}
	account_sums_free(&v.sums);
	free(v.oldest);
	return ret;
}

static int show(struct account_report *r, struct report *report)
{
	const struct analysis_options *o = r->opts;
	int ret = 0;

	if (!account_rows_wanted(r->env, o, MEMORY_PAGE))
		return 0;
	r->live = true;
	if (o->by_caller)
		ret = show_by(r, SUBJECT_CALLSITE, report);
	if (!ret && (o->by || !o->by_caller))
		ret = show_by(r, o->by ? o->by : SUBJECT_STACK, report);
	return ret;
}

static int owners_view(const void *self, struct report *report)
{
	return account_analysis_view(self, report, show);
}

static int owners_create(void *self, const struct analysis_env *env,
			 const struct analysis_options *opts)
{
	struct account_analysis *a = self;
	int ret = account_analysis_ask(a, MEMORY_PAGE, false);

	if (!ret)
		a->lives->live.times = true;
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
	ANALYSIS_SELF_OPTIONS(struct account_analysis),
	.create = owners_create,
	.view = owners_view,
};
