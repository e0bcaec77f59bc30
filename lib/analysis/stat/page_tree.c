// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: page blocks by the functions that lead to their callsites.
 * In: finished page accounts. Out: table "page_tree".
 */
#include <errno.h>

#include "analysis/row/call_tree.h"
#include "analysis/stat/page_report.h"

static int add_row(const struct page_report *page, struct subjects *subjects,
		   struct call_tree *tree, uint32_t row)
{
	const struct page_key *from = page_lives_key(&page->acc->lives, row);
	const struct page_counts *c = &page->acc->rows[row];
	bool live = page->opts->live;
	uint64_t times = lives_weight(&page->acc->lives.any, row);
	uint64_t pages = live ? c->live_pages : c->hit << from->order;
	const struct subject who = { .callsite = page->callsites[row],
				     .stack = from->stack,
				     .dims = from->dims };
	struct strbuf folded = { 0 };
	uint32_t stack;
	int ret;

	if (!pages)
		return 0;
	stack = subjects_row(subjects, &who);
	if (stack == UINT32_MAX)
		return -ENOMEM;
	subjects_path(subjects, stack, &folded);
	ret = folded.failed ? -ENOMEM
			    : call_tree_add(tree, strbuf_text(&folded),
					    pages * page->env->page_size * times,
					    (live ? c->live_hit : c->hit) * times);
	strbuf_free(&folded);
	return ret;
}

int page_report_tree(struct page_report *page, struct report *report)
{
	const char *what = page->opts->live ? "Live pages" : "Page allocations";
	struct call_tree tree = { .opts = &page->opts->tree };
	struct subjects subjects;
	struct table *t = NULL;
	uint32_t i;
	int ret = subjects_init(&subjects, page->env, tree_subject(&page->opts->tree),
				&page->sites, &page->acc->lives.any.dimensions);

	for (i = 0; i < page->acc->nr_rows && !ret; i++)
		ret = add_row(page, &subjects, &tree, i);
	if (!ret) {
		t = call_tree_table(&tree, &tree_types[MEMORY_PAGE], what,
				    page->opts->live);
		ret = t ? 0 : -ENOMEM;
	}
	if (t) {
		page_report_summary(page, t);
		report_add_table(report, t);
	}
	subjects_free(&subjects);
	call_tree_free(&tree);
	return ret;
}
