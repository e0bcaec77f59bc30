// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: slab objects, areas and page blocks by the functions that lead to their callsites.
 * In: finished accounts of them. Out: tables "slab_tree", "page_tree" and so on.
 */

#include "analysis/row/call_tree.h"
#include "analysis/stat/page_report.h"
#include "analysis/stat/slab_report.h"

static int add_row(const struct page_report *page, struct subjects *subjects,
		   struct call_tree *tree, uint32_t row)
{
	const struct page_key *from = page_lives_key(&page->acc->lives, row);
	const struct page_counts *c = &page->acc->rows[row];
	bool live = page->opts->live;
	uint64_t times = lives_weight(&page->acc->lives.any, row);
	uint64_t pages = live ? c->live_pages : c->hit << from->order;
	const struct subject who =
		subject_of_row(&page->acc->lives.any, row, page->callsites[row]);
	uint32_t stack;

	if (!pages)
		return 0;
	stack = subjects_row(subjects, &who);
	if (stack == UINT32_MAX)
		return -ENOMEM;
	return call_tree_add_row(tree, subjects, stack,
				 pages * page->env->page_size * times,
				 (live ? c->live_hit : c->hit) * times);
}

int page_report_tree(struct page_report *page, struct report *report)
{
	const char *what = page->opts->live ? "Live pages" : "Page allocations";
	struct call_tree tree = { .opts = &page->opts->tree };
	struct subjects subjects;
	int ret = subjects_init(&subjects, page->env, tree_subject(&page->opts->tree),
				&page->sites, &page->acc->lives.any.dimensions);

	for (uint32_t i = 0; i < page->acc->nr_rows && !ret; i++)
		ret = add_row(page, &subjects, &tree, i);
	if (!ret)
		page_report_summary(page,
				    call_tree_table(&tree, &tree_types[MEMORY_PAGE], what,
						    page->opts->live, report));
	subjects_free(&subjects);
	call_tree_free(&tree);
	return ret;
}

/* Allocations without a callchain, and all allocations. */
struct stackless {
	uint64_t hit, all;
};

static struct stackless count_stackless(const struct slab_report *slab)
{
	struct stackless s = { 0, 0 };

	for (size_t i = 0; i < slab->acc->nr_rows; i++) {
		const struct slab_key *key = slab_lives_key(&slab->acc->lives, i);

		s.all += slab->acc->rows[i].hit;
		if (!dimension_value(&slab->acc->lives.any.dimensions, &key->dims,
				     DIMENSION_STACK))
			s.hit += slab->acc->rows[i].hit;
	}
	return s;
}

void slab_report_note_stackless(const struct slab_report *slab, const char *none,
				const char *some, struct table *t)
{
	const char *event = slab_report_words(slab)->event;
	const struct stackless s = count_stackless(slab);

	if (s.hit && s.hit == s.all)
		table_add_note(
			t,
			"!No %s event has a callchain: %s. Record callchains with: kmemx record%s",
			event, none,
			slab_report_memory(slab) == MEMORY_SLAB ? " --slab --stack all"
								: "");
	else if (s.hit)
		table_add_note(t,
			       "!%" PRIu64 " of %" PRIu64
			       " %s allocations were recorded without a callchain: %s.",
			       s.hit, s.all, event, some);
}

/* If no event has a callchain, the tree would be a list of callsites, which another table has. */
static int add_sum(struct call_tree *tree, const struct slab_sums *sums, uint32_t i,
		   bool live, bool none)
{
	const struct slab_counts *c = &sums->sums[i].counts;
	const struct net_range *net = &sums->sums[i].net;
	uint64_t bytes = live ? net_range_likely(net) : c->bytes_alloc;
	uint64_t hit = live ? net_range_scale(net, c->live) : c->hit;

	if (!(live ? c->live : c->hit))
		return 0;
	return none ? call_tree_add(tree, "[no stack]", bytes, hit)
		    : call_tree_add_row(tree, &sums->subjects, i, bytes, hit);
}

int slab_report_tree(struct slab_report *slab, struct report *report)
{
	const struct slab_words *words = slab_report_words(slab);
	const enum subject_kind of = tree_subject(&slab->opts->tree);
	const struct stackless stackless = count_stackless(slab);
	struct call_tree tree = { .opts = &slab->opts->tree };
	struct slab_sums sums = { 0 };
	struct table *t;
	int ret = slab_sums_collect(&sums, slab, of, ACCOUNT_ALL);

	for (uint32_t i = 0; i < sums.nr && !ret; i++)
		ret = add_sum(&tree, &sums, i, slab->opts->live,
			      of == SUBJECT_STACK && stackless.hit == stackless.all);
	if (!ret) {
		t = call_tree_table(&tree, &tree_types[slab_report_memory(slab)],
				    slab->opts->live ? words->live : words->all,
				    slab->opts->live, report);
		if (of == SUBJECT_STACK)
			slab_report_note_stackless(
				slab, "there is no tree",
				"of those, marked [no stack], only the callsites are known",
				t);
		slab_report_note_unskipped(slab, t);
		slab_report_summary(slab, t);
	}
	slab_sums_free(&sums);
	call_tree_free(&tree);
	return ret;
}
