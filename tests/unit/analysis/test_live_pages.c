// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/stat/page.c: live pages by callsite, and why they may not be live.
 */
#include "analysis/filter/alloc_filter.h"
#include "made_events.h"

/* Two callchains of the recording that begin at different callsites. */
static void find_stacks(struct fixture *f, uint32_t stacks[2])
{
	struct sites sites;
	uint32_t id = 2;

	sites_init(&sites, &f->in.env);
	while (sites_of_stack(&sites, id) == sites_of_stack(&sites, 1))
		id++;
	sites_free(&sites);
	stacks[0] = 1;
	stacks[1] = id;
}

static struct kmem_event *page(struct fixture *f, uint64_t pfn, uint32_t stack)
{
	struct kmem_event *ev = event(f, KMEM_PAGE_ALLOC, pfn, 0);

	ev->stack = stack;
	return ev;
}

static const struct table *live_of(struct fixture *f, enum subject_kind by)
{
	const struct analysis_options opts = { .needs = NEEDS_PAGE,
					       .live = true,
					       .by = by };
	const struct report *report = report_of(f, "page", &opts);

	ck_assert_str_eq(report->tables[0]->name, "page");
	return report->tables[0];
}

/* A callsite's pages that ended without an event count if other pages of it live. */
START_TEST(untraced_frees)
{
	uint32_t stacks[2];
	const struct table *t;
	struct fixture f;

	set_up(&f);
	find_stacks(&f, stacks);
	page(&f, 0x100, stacks[0])->page_alloc.gfp_flags = 0xcc0;
	page(&f, 0x200, stacks[1])->page_alloc.gfp_flags = 0xcc0;
	page(&f, 0x100, stacks[0]);
	page(&f, 0x200, stacks[0]);
	page(&f, 0x101, stacks[0])->page_alloc.gfp_flags = 0x100;
	t = live_of(&f, SUBJECT_NONE);
	/* Those of the other callsite are all gone. */
	ck_assert_uint_eq(t->nr_rows, 2);
	for (size_t i = 0; i < 2; i++) {
		bool both = cell(t, i, "bytes")->u == 2 * MADE_PAGE;

		ck_assert_uint_eq(cell(t, i, "bytes")->u,
				  both ? 2 * MADE_PAGE : MADE_PAGE);
		ck_assert_str_eq(cell(t, i, "net_reason")->s, "implicit");
	}
	tear_down(&f);
}
END_TEST

/* A row has the untraced frees of everything that it stands for, even of kinds of which nothing
 * lives.
 */
START_TEST(untraced_frees_of_a_task)
{
	static const int32_t pids[] = { 5, 6, 7 };
	uint32_t stacks[2];
	const struct table *t;
	struct fixture f;

	set_up(&f);
	find_stacks(&f, stacks);
	for (uint64_t i = 0; i < ARRAY_SIZE(pids); i++) {
		for (uint64_t k = 0; k < 3 - i; k++) {
			page(&f, 0x100 * (i + 1), stacks[0])->pid = pids[i];
			f.evs[f.nr - 1].page_alloc.gfp_flags = 0xcc0;
		}
		page(&f, 0x100 * (i + 1), stacks[0])->pid = pids[i];
	}
	t = live_of(&f, SUBJECT_CPU | SUBJECT_PID << SUBJECT_PART_BITS);
	ck_assert_uint_eq(t->nr_rows, ARRAY_SIZE(pids));
	for (size_t i = 0; i < t->nr_rows; i++) {
		ck_assert_uint_eq(cell(t, i, "bytes")->u, MADE_PAGE);
		ck_assert_uint_eq(cell(t, i, "implicit")->u,
				  (uint64_t)(8 - cell(t, i, "pid")->i) * MADE_PAGE);
	}
	tear_down(&f);
}
END_TEST

/* Pages that a filter hides make the callsite suspect, too. */
START_TEST(hidden_frees)
{
	for (int same = 0; same < 2; same++) {
		struct alloc_filter filter = { 0 };
		uint32_t stacks[2];
		const struct table *t;
		struct fixture f;

		set_up(&f);
		find_stacks(&f, stacks);
		f.in.env.filter = &filter;
		page(&f, 0x100, stacks[0]);
		page(&f, 0x200, stacks[!same])->hidden = true;
		page(&f, 0x200, stacks[!same])->hidden = true;
		filter.nr[MEMORY_PAGE] = 1;
		t = live_of(&f, SUBJECT_NONE);
		ck_assert_uint_eq(t->nr_rows, 1);
		ck_assert_uint_eq(cell(t, 0, "bytes")->u, MADE_PAGE);
		ck_assert_str_eq(cell(t, 0, "net_reason")->s, same ? "implicit" : "seen");
		tear_down(&f);
		alloc_filter_free(&filter);
	}
}
END_TEST

Suite *test_live_pages_suite(void);

Suite *test_live_pages_suite(void)
{
	Suite *s = suite_create("analysis/live_pages");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, untraced_frees);
	tcase_add_test(tc, untraced_frees_of_a_task);
	tcase_add_test(tc, hidden_frees);
	suite_add_tcase(s, tc);
	return s;
}
