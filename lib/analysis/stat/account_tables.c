// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the reports of slab objects, of areas and of pages: by callsite, by address, by cache,
 * by whatever --by says, as a tree.
 * In: their events. Out: tables "slab", "slab_cache", "page", "vmalloc", "percpu_memory", their
 * trees, and others.
 */

#include "analysis/row/call_tree.h"
#include "analysis/row/entry.h"
#include "analysis/stat/account_report.h"

/* --- notes ------------------------------------------------------------------------------ */

/* Allocations without a callchain, and all allocations. */
struct stackless {
	uint64_t hit, all;
};

static struct stackless count_stackless(const struct account_report *r)
{
	struct stackless s = { 0, 0 };

	for (size_t i = 0; i < lives_rows(r->lives); i++) {
		const uint64_t hit = lives_sums(r->lives, i).hit;

		s.all += hit;
		s.hit += lives_stack(r->lives, i) ? 0 : hit;
	}
	return s;
}

/* For tables of @kind, which need callchains: notes how many allocations have none. @none, @some:
 * what follows if no or only some allocations have one.
 */
static void note_stackless(const struct account_report *r, enum subject_kind kind,
			   const char *none, const char *some, struct table *t)
{
	const char *event = memory_words(account_report_memory(r))->event;
	const struct stackless s = count_stackless(r);

	if (s.hit && s.hit == s.all)
		table_add_note(
			t,
			"!No %s event has a callchain: %s. Record callchains with: kmemx record%s",
			event, none,
			entry_record_options(kind, account_report_memory(r)));
	else if (s.hit)
		table_add_note(t,
			       "!%" PRIu64 " of %" PRIu64
			       " %s allocations were recorded without a callchain: %s.",
			       s.hit, s.all, event, some);
}

static void add_page_notes(const struct account_report *r, enum subject_kind kind,
			   struct table *t)
{
	if (subject_rows(kind) & ROWS(NODE) &&
	    !*recording_meta_text(r->env->rec, "zoneinfo.before"))
		table_add_note(
			t,
			"Node -1: the recording does not say which frames a node has (zoneinfo).");
	entry_note_user(r->env, kind, t);
}

static void add_slab_notes(const struct account_report *r, enum subject_kind kind,
			   struct table *t)
{
	uint32_t rows = subject_rows(kind);

	entry_note_user(r->env, kind, t);
	if (rows & ROWS(CACHE))
		slab_note_unnamed(r->lives, lives_rows(r->lives), t);
	if (rows & ROWS(STACK))
		note_stackless(r, kind, "rows are callsites",
			       "their rows are callsites, marked [no stack]", t);
	else if (rows & ROWS(ENTRY))
		note_stackless(r, kind, "entries are unknown",
			       "their row is " ENTRY_NO_STACK, t);
	else if (rows & (ROWS(USER_FUNCTION) | ROWS(USER_LINE)))
		note_stackless(r, kind, "functions of programs are unknown",
			       "their row is " ENTRY_NO_STACK, t);
	if (rows & (ROWS(CALLSITE) | ROWS(STACK) | ROWS(MODULE) | ROWS(DIR) |
		    ROWS(FUNCTION) | ROWS(FILE) | ROWS(LINE)))
		account_note_unskipped(r, t);
	table_note_if(t, rows & ROWS(NODE), "Node -1: the caller asked for none.");
}

/* Adds the summary to @t if it is the first table. */
static void add_summary(struct account_report *r, struct table *t)
{
	if (r->summarised)
		return;
	r->summarised = true;
	(account_report_of_pages(r) ? page_report_summary : slab_report_summary)(r, t);
}

/* --- tables by callsite and the like, by address ---------------------------------------- */

/* @kind: SUBJECT_NONE: by address. */
static struct table *new_table(const struct account_report *r, enum subject_kind kind,
			       struct report *report)
{
	static const struct table_type *const types[MEMORY_KINDS] = {
		[MEMORY_SLAB] = &slab_type,
		[MEMORY_PAGE] = &page_type,
		[MEMORY_VMALLOC] = &vmalloc_type,
		[MEMORY_PERCPU] = &percpu_memory_type,
	};
	const enum memory memory = account_report_memory(r);
	const struct memory_words *named = memory_words(memory);
	const bool pages = memory == MEMORY_PAGE;
	struct strbuf __auto_free title = { 0 };
	char words[SUBJECT_WORDS];
	struct table *t;

	subjects_words(kind, words);
	strbuf_printf(&title, "%s by %s", r->live ? named->live : named->all,
		      kind    ? words
		      : pages ? "page frame"
			      : "address");
	t = table_begin(report,
			memory == MEMORY_SLAB && kind == SUBJECT_CACHE ? &slab_cache_type
								       : types[memory],
			strbuf_text(&title),
			subject_estimated(kind, kind && account_report_estimates(r)),
			r->live);
	table_set_by(t, kind ? words : pages ? "page" : "ptr");
	/* Net and the first figure have the same range: text hides one of them. */
	if (r->live) {
		table_hide_column(t, "bytes_low");
		table_hide_column(t, "bytes_high");
	}
	/* Text hides figures that say nothing about areas. */
	if (memory == MEMORY_VMALLOC || memory == MEMORY_PERCPU) {
		table_hide_column(t, "bytes_req");
		table_hide_column(t, "pingpong");
		table_hide_column(t, "frag");
	}
	return t;
}

/* Gives @t a legend, "GFP: C __GFP_COMP  K GFP_KERNEL", of the names in @used. */
static void add_legend(const struct account_report *r, struct table *t, uint64_t used)
{
	const struct gfp_names *gfp = &r->env->fmts->gfp;

	if (!account_report_of_pages(r))
		return;
	t->legend_of = "gfp";
	t->legend_title = "GFP";
	for (size_t i = 0; gfp && i < gfp->count && i < 64; i++) {
		if (used >> i & 1)
			table_add_legend(t, gfp->names[i].short_name, gfp->names[i].name);
	}
}

/* Adds a row with @row's counts and net, if there is any allocation, or with @live anything live.
 */
static void put_row(struct account_row *row, bool live, struct table *t)
{
	const struct lives_sums *c = row->counts;

	row->alloc = live ? net_range_likely(row->net) : c->bytes_alloc;
	row->req = live ? net_range_scale(row->net, c->live_req) : c->bytes_req;
	row->hit = live ? net_range_scale(row->net, c->live_hit) : c->hit;
	if (live)
		row->charged = net_range_scale(row->net, row->charged);
	if (live ? c->live_hit : c->hit)
		table_put_row(t, row);
}

static void add_sums(const struct account_sums *s, bool live, struct table *t)
{
	uint64_t gfp_used = 0;

	for (size_t i = 0; i < s->sums.nr; i++) {
		const struct account_sum *sum = &s->sums.of[i];
		const struct account_key *key = KEYED_KEY(&s->sums, i);
		struct account_row row = { .subject = { &s->subjects, key->subject },
					   .report = s->report,
					   .counts = &sum->counts,
					   .net = &sum->net,
					   .cache = sum->cache,
					   .charged = sum->charged,
					   .bytes = &sum->bytes,
					   .key = key,
					   .gfp_used = &gfp_used };

		put_row(&row, live, t);
	}
	add_legend(s->report, t, gfp_used);
}

static int show_by(struct account_report *r, enum subject_kind kind,
		   struct report *report)
{
	const bool pages = account_report_of_pages(r);
	const bool detailed = pages && PAGE_DETAILED & subject_rows(kind);
	struct account_sums sums = { .by_order = detailed,
				     .by_migratetype = detailed,
				     .by_gfp = detailed };
	struct table *t = new_table(r, kind, report);
	int ret = account_sums_collect(&sums, r, kind);

	if (!ret) {
		add_sums(&sums, r->live, t);
		(pages ? add_page_notes : add_slab_notes)(r, kind, t);
		add_summary(r, t);
	}
	account_sums_free(&sums);
	return ret;
}

static void add_addresses(const struct account_report *r, struct table *t)
{
	const bool pages = account_report_of_pages(r);
	uint64_t gfp_used = 0;

	for_each(a, r->lives->addresses.of, r->lives->addresses.nr) {
		const struct page_key *from = lives_key(r->lives, a->row);
		const struct net_range net =
			slab_bounds_address(&r->bounds, a->row, &a->counts);
		struct account_key key = { 0 };
		struct account_row row = { .report = r,
					   .at = a->at,
					   .row = a->row,
					   .counts = &a->counts,
					   .net = &net,
					   .key = &key,
					   .gfp_used = &gfp_used };

		if (pages)
			key = (struct account_key){ .gfp_flags = from->gfp_flags,
						    .order = from->order,
						    .migratetype = from->migratetype };
		put_row(&row, r->live, t);
	}
	add_legend(r, t, gfp_used);
	account_note_unskipped(r, t);
}

static void show_by_address(struct account_report *r, struct report *report)
{
	struct table *t = new_table(r, SUBJECT_NONE, report);

	add_addresses(r, t);
	if (account_report_estimates(r))
		table_add_note(t, "!Rows are %s of the sample, not estimates.",
			       account_report_of_pages(r) ? "page frames" : "objects");
	add_summary(r, t);
}

/* --- the functions that lead to the callsites ------------------------------------------- */

/* With @none, the tree would be a list of callsites, which another table has. */
static int add_to_tree(struct call_tree *tree, const struct account_sums *s, uint32_t i,
		       bool none)
{
	const bool live = s->report->live;
	const struct account_key *key = KEYED_KEY(&s->sums, i);
	const struct lives_sums *c = &s->sums.of[i].counts;
	const struct net_range *net = &s->sums.of[i].net;
	uint64_t bytes = live ? net_range_likely(net) : c->bytes_alloc;
	uint64_t hit = live ? net_range_scale(net, c->live_hit) : c->hit;

	if (!(live ? c->live_hit : c->hit))
		return 0;
	return none ? call_tree_add(tree, "[no stack]", bytes, hit)
		    : call_tree_add_row(tree, &s->subjects, key->subject, bytes, hit);
}

static int show_tree(struct account_report *r, struct report *report)
{
	const struct memory_words *words = memory_words(account_report_memory(r));
	const enum subject_kind of = tree_subject(&r->opts->tree);
	const struct stackless stackless = count_stackless(r);
	const bool objects = of == SUBJECT_STACK && !account_report_of_pages(r);
	struct call_tree tree = { .opts = &r->opts->tree };
	struct account_sums sums = { .part = ACCOUNT_ALL };
	struct table *t;
	int ret = account_sums_collect(&sums, r, of);

	for (uint32_t i = 0; i < sums.sums.nr && !ret; i++)
		ret = add_to_tree(&tree, &sums, i,
				  objects && stackless.hit == stackless.all);
	if (!ret) {
		t = call_tree_table(&tree, &tree_types[account_report_memory(r)],
				    r->live ? words->live : words->all, r->live, report);
		if (objects)
			note_stackless(
				r, SUBJECT_NONE, "there is no tree",
				"of those, marked [no stack], only the callsites are known",
				t);
		account_note_unskipped(r, t);
		add_summary(r, t);
	}
	account_sums_free(&sums);
	call_tree_free(&tree);
	return ret;
}

/* --- the analyses ----------------------------------------------------------------------- */

/* If page requests failed, shows who made them. */
static int show_failed(struct account_report *r, struct report *report)
{
	struct account_sums sums = { ACCOUNT_FAILED, true, true, true };
	int ret;

	if (!accounts_of_page(r->lives)->totals.failures)
		return 0;
	ret = account_sums_collect(&sums, r, SUBJECT_CALLSITE);
	if (!ret)
		add_sums(&sums, false, table_plain(report, &page_failed_type));
	account_sums_free(&sums);
	return ret;
}

static int show_tables(struct account_report *r, struct report *report)
{
	const struct analysis_options *opts = r->opts;
	const enum memory memory = account_report_memory(r);
	const uint32_t can = memory == MEMORY_SLAB   ? ROWS_ALL
			     : memory == MEMORY_PAGE ? PAGE_ROWS
						     : AREA_ROWS;
	const bool by = opts->by && !(subject_rows(opts->by) & ~can);
	const bool other = memory == MEMORY_PAGE
				   ? opts->by_address || by || opts->tree.roots
				   : !opts->by || by;
	int ret = 0;

	if (opts->by_caller || !other)
		ret = show_by(r, SUBJECT_CALLSITE, report);
	if (!ret && by)
		ret = show_by(r, opts->by, report);
	if (!ret && opts->by_address)
		show_by_address(r, report);
	if (!ret && opts->by_cache && memory == MEMORY_SLAB)
		ret = show_by(r, SUBJECT_CACHE, report);
	if (!ret && opts->tree.roots)
		ret = show_tree(r, report);
	return ret;
}

struct slab_options {
	bool unmatched;
};

static const struct analysis_option options[] = {
	{ "unmatched", NULL, "also who freed objects without an allocation event",
	  ANALYSIS_FLAG, offsetof(struct slab_options, unmatched), true },
	{ .name = NULL },
};

static int show(struct account_report *r, struct report *report)
{
	const enum memory memory = account_report_memory(r);
	const struct slab_options *own = memory == MEMORY_SLAB ? r->opts->own : NULL;
	int ret = show_tables(r, report);

	if (memory == MEMORY_PAGE)
		ret = ret ?: show_failed(r, report);
	if (memory == MEMORY_PAGE || (own && own->unmatched))
		ret = ret ?: account_report_free_only(r, report);
	if (ret || memory != MEMORY_PAGE)
		return ret;
	return page_matrix(accounts_of_page(r->lives), r->env, r->live, report);
}

static int account_view(const void *self, struct report *report)
{
	return account_analysis_view(self, report, show);
}

/* The analysis of memory of a @kind, with rows by @can. @by_task: if rows are by task, its account
 * has sums by task.
 */
#define ACCOUNT_ANALYSIS(id, kind, can, by_task, ...)                                \
	static int id##_create(void *self, const struct analysis_env *env,           \
			       const struct analysis_options *opts)                  \
	{                                                                            \
		return account_analysis_ask(self, MEMORY_##kind,                     \
					    by_task && subjects_of_tasks(opts->by)); \
	}                                                                            \
	const struct analysis analysis_##id = {                                      \
		.use = ANALYSIS_USUAL,                                               \
		.needs = NEEDS_##kind,                                               \
		.rows = can,                                                         \
		.estimates = true,                                                   \
		ANALYSIS_SELF_OPTIONS(struct account_analysis),                      \
		.create = id##_create,                                               \
		.view = account_view,                                                \
		__VA_ARGS__,                                                         \
	};

ACCOUNT_ANALYSIS(slab, SLAB, ROWS_ALL, true, .name = "slab",
		 .help = "slab objects (default: what was recorded)",
		 .tables = TABLES(&slab_type, &slab_cache_type, &tree_types[MEMORY_SLAB],
				  &slab_free_only_type),
		 .options = options)
ACCOUNT_ANALYSIS(page, PAGE, PAGE_ROWS, true, .name = "page", .help = "page allocations",
		 .tables = TABLES(&page_type, &tree_types[MEMORY_PAGE], &page_failed_type,
				  &page_free_only_type, &page_matrix_type))
ACCOUNT_ANALYSIS(vmalloc, VMALLOC, AREA_ROWS, false, .name = "vmalloc",
		 .help = "areas of vmalloc: stacks, modules, BPF, ioremap ...",
		 .seldom = true,
		 .tables = TABLES(&vmalloc_type, &tree_types[MEMORY_VMALLOC]))
ACCOUNT_ANALYSIS(percpu_memory, PERCPU, AREA_ROWS, false, .name = "percpu-memory",
		 .help = "per-CPU memory, on all CPUs", .seldom = true,
		 .tables = TABLES(&percpu_memory_type, &tree_types[MEMORY_PERCPU]))
