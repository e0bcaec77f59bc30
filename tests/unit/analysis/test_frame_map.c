// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/browse/frame_map.h, and the data that report_frames_fill() makes of it.
 */
#include "analysis/browse/frame_map.h"

#include "analysis/browse/report_rows.h"
#include "made_events.h"

/* Numbers of names; no group has them. */
enum { NAME = 100 };

struct made {
	struct fixture f;
	struct page_lives account;
	struct frame_map map;
	struct web_report web;
	uint32_t stacks[2]; /* from two callsites */
};

static void begin(struct made *m)
{
	struct sites sites;
	uint32_t id;

	*m = (struct made){ 0 };
	set_up(&m->f);
	m->f.in.env.raw_ip = true;
	m->f.in.env.last_ts = 128 * 1024 - 1;
	sites_init(&sites, &m->f.in.env);
	m->stacks[0] = 1;
	for (id = 2; sites_of_stack(&sites, id) == sites_of_stack(&sites, 1); id++)
		;
	m->stacks[1] = id;
	sites_free(&sites);
	frame_map_init(&m->map, &m->f.in.env);
	ck_assert(!frame_map_observe(&m->map, &m->account.any));
}

static void end(struct made *m)
{
	uint32_t names[8], i;

	page_lives_events(&m->account, m->f.evs, m->f.nr);
	page_lives_finish(&m->account);
	ck_assert(!frame_map_failed(&m->map));
	ck_assert_uint_le(m->map.nr_sites, ARRAY_SIZE(names));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		names[i] = NAME + i;
	frame_map_end(&m->map);
	ck_assert(!report_frames_fill(&m->web.frames, &m->map, names));
}

static void drop(struct made *m)
{
	frame_map_free(&m->map);
	page_lives_free(&m->account);
	web_report_free(&m->web);
	tear_down(&m->f);
	free(m);
}

/* Event of page @pfn, at time 1024 x @when, a bin. */
static void page(struct made *m, uint8_t type, uint64_t pfn, unsigned int who,
		 unsigned int when)
{
	struct kmem_event *ev = event(&m->f, type, pfn, 0);

	ev->stack = m->stacks[who];
	ev->ts = 1 + 1024UL * when;
}

/* The runs of each part cover all bins, one after the other. */
static void check_runs(const struct web_frames *w)
{
	size_t i;
	uint32_t bins = 0;

	for (i = 0; i < w->nr_runs; i++) {
		bins += w->runs[i].bins;
		ck_assert_uint_gt(w->runs[i].bins, 0);
		ck_assert_uint_le(w->runs[i].most, w->runs[i].pages);
	}
	ck_assert_uint_eq(bins, w->nr * w->nr_bins);
}

static void check_run(const struct web_frames *w, size_t i, struct web_run want)
{
	ck_assert_uint_lt(i, w->nr_runs);
	ck_assert_uint_eq(w->runs[i].bins, want.bins);
	ck_assert_uint_eq(w->runs[i].callsite, want.callsite);
	ck_assert_uint_eq(w->runs[i].most, want.most);
	ck_assert_uint_eq(w->runs[i].pages, want.pages);
}

/* The owner of most pages of a pageblock is its holder; distant blocks are separate parts. */
START_TEST(holders)
{
	struct made *m = malloc(sizeof(*m));
	const struct web_frames *w = &m->web.frames;
	uint64_t block;

	begin(m);
	block = 1ULL << m->map.order;
	page(m, KMEM_PAGE_ALLOC, 10 * block + 1, 0, 0);
	page(m, KMEM_PAGE_ALLOC, 10 * block + 2, 1, 4);
	page(m, KMEM_PAGE_ALLOC, 10 * block + 3, 1, 4);
	page(m, KMEM_PAGE_ALLOC, 99 * block, 1, 8);
	page(m, KMEM_PAGE_FREE, 10 * block + 2, 0, 16);
	page(m, KMEM_PAGE_FREE, 10 * block + 3, 0, 16);
	page(m, KMEM_PAGE_FREE, 10 * block + 1, 0, 64);
	end(m);
	ck_assert_uint_eq(w->nr, 2);
	ck_assert_uint_eq(w->pages, block);
	ck_assert_uint_eq(w->first[0], 10 * block);
	ck_assert_uint_eq(w->first[1], 99 * block);
	ck_assert_uint_eq(w->nr_bins, FRAME_MAP_BINS);
	check_runs(w);
	check_run(w, 0, (struct web_run){ 4, NAME, 1, 1 });
	check_run(w, 1, (struct web_run){ 12, NAME + 1, 2, 3 });
	check_run(w, 2, (struct web_run){ 48, NAME, 1, 1 });
	check_run(w, 3, (struct web_run){ 64, 0, 0, 0 });
	check_run(w, 4, (struct web_run){ 8, 0, 0, 0 });
	check_run(w, 5, (struct web_run){ 120, NAME + 1, 1, 1 });
	ck_assert_uint_eq(w->nr_runs, 6);
	drop(m);
}
END_TEST

/* A pageblock is as large as the recording says, if that is possible. */
START_TEST(block_orders)
{
	static const struct {
		const char *text;
		unsigned int order;
	} cases[] = { { "Page block order: 10\n", 10 }, { "Page block order: 1\n", 1 },
		      { "Page block order: 13\n", 13 }, { "Page block order: 14\n", 9 },
		      { "Page block order: 0\n", 9 },	{ "", 9 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct recording_text meta = { .name = (char *)"pagetypeinfo.before",
					       .text = (char *)cases[i].text };
		const struct recording rec = { .meta = &meta, .nr_meta = 1 };
		const struct analysis_env env = { .rec = &rec, .last_ts = 100 };
		struct frame_map m;

		frame_map_init(&m, &env);
		ck_assert_uint_eq(m.order, cases[i].order);
		frame_map_free(&m);
	}
}
END_TEST

/* If there are more pageblocks than parts, a part has several. */
START_TEST(parts)
{
	enum { BLOCKS = 3 * WEB_FRAME_PARTS };
	struct made *m = malloc(sizeof(*m));
	const struct web_frames *w = &m->web.frames;
	uint64_t block, pages = 0;
	size_t i;

	begin(m);
	block = 1ULL << m->map.order;
	for (i = 0; i < BLOCKS; i++) {
		m->f.nr = 0;
		page(m, KMEM_PAGE_ALLOC, i * block, i % 2, 0);
		page_lives_events(&m->account, m->f.evs, 1);
	}
	m->f.nr = 0;
	end(m);
	ck_assert_uint_eq(w->pages, 4 * block);
	ck_assert_uint_eq(w->nr, BLOCKS / 4);
	check_runs(w);
	for (i = 0; i < w->nr_runs; i++) {
		pages += w->runs[i].pages;
		ck_assert_uint_eq(w->runs[i].most, 2);
	}
	ck_assert_uint_eq(pages, BLOCKS);
	drop(m);
}
END_TEST

/* Pages of pageblocks beyond the limit are counted. */
START_TEST(too_many)
{
	struct made *m = malloc(sizeof(*m));
	uint64_t i;

	begin(m);
	for (i = 0; i < FRAME_MAP_BLOCKS + 10; i++) {
		m->f.nr = 0;
		page(m, KMEM_PAGE_ALLOC, i << 20, 0, 0);
		page_lives_events(&m->account, m->f.evs, 1);
	}
	m->f.nr = 0;
	end(m);
	ck_assert_uint_eq(m->map.blocks.nr, FRAME_MAP_BLOCKS);
	ck_assert_uint_eq(m->web.frames.left_out, 10);
	ck_assert_uint_le(m->web.frames.nr, WEB_FRAME_PARTS);
	check_runs(&m->web.frames);
	drop(m);
}
END_TEST

/* Beyond the limit of cells there are fewer bins; sums stay the same. */
START_TEST(bounded)
{
	struct made *m = malloc(sizeof(*m));
	const struct web_frames *w = &m->web.frames;
	unsigned int i;

	begin(m);
	m->map.time.limit = 8;
	for (i = 0; i < 30; i++)
		page(m, KMEM_PAGE_ALLOC, 1 + i, 0, 4 * i);
	end(m);
	ck_assert_uint_le(w->nr_bins, 16);
	check_runs(w);
	ck_assert_uint_eq(w->runs[w->nr_runs - 1].pages, 30);
	drop(m);
}
END_TEST

Suite *test_frame_map_suite(void);
Suite *test_frame_map_suite(void)
{
	Suite *s = suite_create("analysis/frame_map");
	TCase *tc = tcase_create("core");

	tcase_add_test(tc, holders);
	tcase_add_test(tc, block_orders);
	tcase_add_test(tc, parts);
	tcase_add_test(tc, too_many);
	tcase_add_test(tc, bounded);
	suite_add_tcase(s, tc);
	return s;
}
