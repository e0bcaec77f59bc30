// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/page_lives.h: splits, merges and losses, and a page-by-page model.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "account/page_lives.h"

static void alloc(struct page_lives *acc, uint64_t pfn, uint32_t order)
{
	struct kmem_event ev = { .type = KMEM_PAGE_ALLOC };

	ev.page_alloc.pfn = pfn;
	ev.page_alloc.order = order;
	ev.page_alloc.gfp_flags = 0xcc0;
	page_lives_events(acc, &ev, 1);
}

static void release(struct page_lives *acc, uint64_t pfn, uint32_t order)
{
	struct kmem_event ev = { .type = KMEM_PAGE_FREE };

	ev.page_free.pfn = pfn;
	ev.page_free.order = order;
	page_lives_events(acc, &ev, 1);
}

static void announce(struct page_lives *acc, uint64_t pfn)
{
	struct kmem_event ev = { .type = KMEM_PAGE_FREE_BATCHED };

	ev.page_free.pfn = pfn;
	page_lives_events(acc, &ev, 1);
}

static void check_identities(struct page_lives *acc)
{
	const struct page_totals *s = &acc->totals;

	page_lives_sum(acc);
	ck_assert(!acc->any.failed);
	ck_assert_uint_eq(s->pages, s->freed_pages + s->implicit_pages + s->live_pages);
	ck_assert_uint_eq(s->requests - s->failures,
			  s->alloc_freed + s->implicit_blocks + s->live_blocks);
	ck_assert_uint_eq(s->frees, s->matched + s->split + s->merged + s->again +
					    s->unmatched + s->other);
}

START_TEST(huge_page_freed_page_by_page)
{
	struct page_lives acc = { 0 };
	uint64_t i;

	ck_assert_int_eq(lives_by_address(&acc.any), 0);
	alloc(&acc, 512, 9);
	release(&acc, 700, 0);
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.split, 1);
	ck_assert_uint_eq(acc.totals.live_pages, 511);
	ck_assert_uint_eq(acc.totals.live_blocks, 1);
	check_identities(&acc);
	for (i = 512; i < 1024; i++) {
		if (i != 700)
			release(&acc, i, 0);
	}
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.live_pages, 0);
	ck_assert_uint_eq(acc.totals.alloc_freed, 1);
	ck_assert_uint_eq(acc.totals.freed_pages, 512);
	ck_assert_uint_eq(acc.any.rows[0].live_hit, 0);
	ck_assert_uint_eq(acc.any.addresses.of[0].counts.live, 0);
	ck_assert_uint_eq(acc.any.live.count, 0);
	check_identities(&acc);
	page_lives_free(&acc);
}
END_TEST

static void alloc_at(struct page_lives *acc, uint64_t ts, uint64_t pfn, uint32_t order)
{
	struct kmem_event ev = { .ts = ts, .type = KMEM_PAGE_ALLOC };

	ev.page_alloc.pfn = pfn;
	ev.page_alloc.order = order;
	page_lives_events(acc, &ev, 1);
}

/* One event ends more blocks than a batch reports, and then begins the first block of a new row. */
START_TEST(first_event_of_a_row_that_ends_many_blocks)
{
	static const uint32_t orders[] = { 0, 10, 3 };
	struct page_lives acc = { .any.dimensions = { .of = { DIMENSION_PID },
						      .task_sums = true } };
	uint64_t i;

	for (i = 0; i < 1024; i++)
		alloc_at(&acc, 10 + i, 1024 + i, 0);
	alloc_at(&acc, 5000, 1024, 10);
	alloc_at(&acc, 6000, 4096, 3);
	page_lives_finish(&acc);
	check_identities(&acc);
	ck_assert_uint_eq(acc.totals.implicit_blocks, 1024);
	ck_assert_uint_eq(lives_rows(&acc.any), 3);
	ck_assert_uint_eq(acc.any.nr_tallies, 3);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(page_lives_key(&acc, i)->order, orders[i]);
		ck_assert_uint_eq(acc.any.firsts[i], i + 1);
	}
	page_lives_free(&acc);
}
END_TEST

START_TEST(small_blocks_freed_as_a_large_one)
{
	struct page_lives acc = { 0 };

	alloc(&acc, 8, 0);
	alloc(&acc, 9, 0);
	alloc(&acc, 10, 1);
	release(&acc, 8, 3); /* four of its eight pages have no recorded allocation */
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.merged, 1);
	ck_assert_uint_eq(acc.totals.freed_pages, 4);
	ck_assert_uint_eq(acc.totals.unmatched_pages, 4);
	ck_assert_uint_eq(acc.totals.alloc_freed, 3);
	release(&acc, 12, 0);
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.again, 1);
	release(&acc, 100, 0);
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.unmatched, 1);
	check_identities(&acc);
	page_lives_free(&acc);
}
END_TEST

START_TEST(alloc_over_live_pages_is_an_implicit_free)
{
	struct page_lives acc = { 0 };

	alloc(&acc, 16, 2);
	alloc(&acc, 18, 0);
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.implicit_pages, 1);
	ck_assert_uint_eq(acc.totals.live_pages, 4);
	release(&acc, 16, 1);
	release(&acc, 19, 0);
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.implicit_blocks, 1);
	ck_assert_uint_eq(acc.totals.alloc_freed, 0);
	release(&acc, 18, 0);
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.alloc_freed, 1);
	check_identities(&acc);
	page_lives_free(&acc);
}
END_TEST

START_TEST(announced_frees_count_once)
{
	struct page_lives acc = { 0 };

	alloc(&acc, 1, 0);
	announce(&acc, 1); /* before its free, as in old kernels */
	release(&acc, 1, 0);
	alloc(&acc, 2, 0);
	release(&acc, 2, 0);
	announce(&acc, 2); /* after it, as in 6.1 */
	alloc(&acc, 3, 0);
	announce(&acc, 3); /* without a free */
	alloc(&acc, 3, 0);
	announce(&acc, 3);
	alloc(&acc, 1000, 0);
	announce(&acc, 1000);
	alloc(&acc, (1 << 20) + 129, 0);
	announce(&acc, (1 << 20) + 129);
	page_lives_finish(&acc);
	ck_assert_uint_eq(acc.totals.batched, 6);
	ck_assert_uint_eq(acc.totals.freed_pages, 6);
	ck_assert_uint_eq(acc.totals.batched_pages, 4);
	ck_assert_uint_eq(acc.totals.implicit_pages, 0);
	ck_assert_uint_eq(acc.totals.live_pages, 0);
	check_identities(&acc);
	page_lives_free(&acc);
}
END_TEST

START_TEST(damage_is_counted_and_cheap)
{
	struct page_lives acc = { 0 };
	uint64_t i;

	alloc(&acc, KMEM_NO_PFN, 9);
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.failures, 1);
	alloc(&acc, 1, 3);		  /* not aligned */
	alloc(&acc, 0, 40);		  /* no such order */
	release(&acc, UINT64_MAX - 1, 0); /* no such page */
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.implausible, 3);
	for (i = 0; i < 2000; i++)
		alloc(&acc, i << 20, 20);
	ck_assert_uint_lt(acc.frames.regions.nr + acc.frames.spans.nr, 65536 + 4 * 2010);
	check_identities(&acc);
	page_lives_free(&acc);
}
END_TEST

/* Ranges of the model: mostly small ones; one in @rare is of order @large to @large + 3. */
static const struct model_case {
	uint64_t pages;
	int events;
	uint32_t rare, large;
} model_cases[] = {
	{ 4096, 100000, 64, 8 },
	{ 1 << 17, 20000, 16, 12 },
	{ 1 << 21, 6000, 64, 17 },
};

/* State of each page: 0 unknown, 1 live, 2 freed. */
START_TEST(agrees_with_a_page_by_page_model)
{
	const struct model_case *m = &model_cases[_i];
	struct page_lives acc = { 0 };
	uint8_t *state = calloc(m->pages, 1);
	uint64_t live = 0, freed = 0, implicit = 0, again = 0, unmatched = 0;
	unsigned int seed = 3;
	int i;

	for (i = 0; i < m->events; i++) {
		uint32_t order = (uint32_t)rand_r(&seed) & 3;
		bool allocated = rand_r(&seed) & 64;
		uint64_t pfn, p;

		if (!((uint32_t)rand_r(&seed) / 8 % m->rare))
			order = m->large + ((uint32_t)rand_r(&seed) & 3);
		pfn = ((uint64_t)rand_r(&seed) << 8 ^ (uint64_t)rand_r(&seed)) &
		      (m->pages - 1);
		/* Large ranges may be freed from any page on. */
		if (allocated || order < 8 || pfn + (1ULL << order) > m->pages)
			pfn &= ~((1ULL << order) - 1);
		if (allocated)
			alloc(&acc, pfn, order);
		else
			release(&acc, pfn, order);
		for (p = pfn; p < pfn + (1ULL << order); p++) {
			if (allocated) {
				implicit += state[p] == 1;
				live += state[p] != 1;
				state[p] = 1;
			} else {
				freed += state[p] == 1;
				live -= state[p] == 1;
				again += state[p] == 2;
				unmatched += state[p] == 0;
				state[p] = 2;
			}
		}
	}
	check_identities(&acc);
	ck_assert_uint_eq(acc.totals.implausible, 0);
	ck_assert_uint_eq(acc.totals.live_pages, live);
	ck_assert_uint_eq(acc.totals.freed_pages, freed);
	ck_assert_uint_eq(acc.totals.implicit_pages, implicit);
	ck_assert_uint_eq(acc.totals.again_pages, again);
	ck_assert_uint_eq(acc.totals.unmatched_pages, unmatched);
	free(state);
	page_lives_free(&acc);
}
END_TEST

START_TEST(only_what_came_after_the_last_gap_is_sure)
{
	struct page_lives acc = { 0 };
	struct kmem_event loss = { .type = KMEM_LOSS, .ts = 20 };

	ck_assert_int_eq(lives_by_address(&acc.any), 0);
	alloc(&acc, 0, 3);
	page_lives_events(&acc, &loss, 1);
	alloc(&acc, 16, 4);
	release(&acc, 20, 2); /* the rest of a block keeps its time of allocation */
	alloc(&acc, 64, 0);
	release(&acc, 1, 0);
	page_lives_finish(&acc);
	ck_assert_uint_eq(acc.totals.live_pages, 7 + 12 + 1);
	ck_assert_uint_eq(acc.any.rows[0].sure, 0);
	ck_assert_uint_eq(acc.any.rows[1].sure, 12);
	ck_assert_uint_eq(acc.any.rows[2].sure, 1);
	ck_assert_uint_eq(acc.any.addresses.of[0].counts.sure, 0);
	ck_assert_uint_eq(acc.any.addresses.of[1].counts.sure, 12);
	check_identities(&acc);
	page_lives_free(&acc);
}
END_TEST

START_TEST(frees_alone_are_kept_by_who_freed)
{
	struct page_lives acc = { 0 };
	struct kmem_event ev = { .type = KMEM_PAGE_FREE, .stack = 9 };

	release(&acc, 100, 0);
	release(&acc, 100, 0);
	alloc(&acc, 8, 1);
	ev.page_free.pfn = 8;
	ev.page_free.order = 3; /* two of its pages are known */
	page_lives_events(&acc, &ev, 1);
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.free_only.nr, 2);
	ck_assert_uint_eq(acc.free_only.of[0].stack, 0);
	ck_assert_uint_eq(acc.free_only.of[0].hit, 2);
	ck_assert_uint_eq(acc.free_only.of[0].pages, 2);
	ck_assert_uint_eq(acc.free_only.of[1].stack, 9);
	ck_assert_uint_eq(acc.free_only.of[1].pages, 6);
	ck_assert_uint_eq(acc.free_only.of[0].pages + acc.free_only.of[1].pages,
			  acc.totals.unmatched_pages + acc.totals.again_pages);
	page_lives_free(&acc);
}
END_TEST

static void event_at(struct page_lives *acc, const char *event, uint64_t ts)
{
	struct kmem_event ev = { .cpu = (uint32_t)(event[1] - '0'), .ts = ts };
	uint32_t order = (uint32_t)(event[2] - '0');

	if (*event == 'a') {
		ev.type = KMEM_PAGE_ALLOC;
		ev.page_alloc.pfn = 1 << 20;
		ev.page_alloc.order = order;
	} else {
		ev.type = *event == 'f' ? KMEM_PAGE_FREE : KMEM_PAGE_FREE_BATCHED;
		ev.page_free.pfn = 1 << 20;
		ev.page_free.order = order;
	}
	page_lives_events(acc, &ev, 1);
	check_identities(acc);
}

/* The rows, the page frames and the free-only stacks must add up to the totals. */
static void check_sums(const struct page_lives *acc)
{
	const struct page_totals *s = &acc->totals;
	uint64_t live = 0, implicit = 0, frees = 0, pages = 0;
	size_t i;

	for (i = 0; i < lives_rows(&acc->any); i++) {
		live += acc->any.rows[i].live;
		implicit += acc->any.rows[i].implicit;
	}
	ck_assert_uint_eq(live, s->live_pages);
	ck_assert_uint_eq(implicit, s->implicit_pages);
	for (i = 0; i < acc->any.addresses.nr; i++) {
		live -= acc->any.addresses.of[i].counts.live;
		implicit -= acc->any.addresses.of[i].counts.implicit;
	}
	ck_assert_uint_eq(live + implicit, 0);
	for (i = 0; i < acc->free_only.nr; i++) {
		frees += acc->free_only.of[i].hit;
		pages += acc->free_only.of[i].pages;
	}
	ck_assert_uint_eq(frees, s->unmatched + s->again);
	ck_assert_uint_eq(pages, s->unmatched_pages + s->again_pages);
}

/* Each event is "a03" or "f10": allocation (a), free (f) or announced batched free (b), the CPU,
 * and the order (D is 20). Events are 5 time units apart.
 */
START_TEST(order_within_the_skew)
{
	static const struct {
		const char *events;
		uint64_t skew, live, unmatched, again, implicit, reordered;
	} cases[] = {
		{ "a00f10", 10, 0, 0, 0, 0, 0 },
		/* A free comes before its allocation on another CPU. */
		{ "f10a00", 10, 0, 0, 0, 0, 1 },
		{ "f13a03", 10, 0, 0, 0, 0, 1 },
		{ "f19a09", 10, 0, 0, 0, 0, 1 },
		{ "f1Da0D", 10, 0, 0, 0, 0, 1 }, /* order 20 */
		{ "f10a0D", 10, 1 << 20, 1, 0, 0, 0 },
		{ "f1Da0Da0Df0D", 10, 0, 0, 0, 0, 1 },
		{ "f10a0Df10a00", 10, 1 << 20, 1, 0, 0, 0 },
		{ "f10a00", 4, 1, 1, 0, 0, 0 },	 /* too far apart */
		{ "f00a00", 10, 1, 1, 0, 0, 0 }, /* events of one CPU are in order */
		{ "f10a01", 10, 2, 1, 0, 0, 0 }, /* not the same block */
		{ "f11a00", 10, 1, 1, 0, 0, 0 },
		/* That free was of an older block: this block has a free of its own. */
		{ "f10a00f10", 10, 0, 1, 0, 0, 0 },
		{ "f10a00f10a00", 10, 0, 0, 0, 0, 1 },
		{ "f10a00a00f00", 10, 0, 0, 0, 0, 1 },
		{ "a00f00f10a00", 10, 0, 0, 0, 0, 1 },
		{ "f12a02a00f00", 10, 3, 1, 0, 1, 0 }, /* then another block's */
		{ "f10a00b10", 10, 0, 1, 0, 0, 0 },    /* or the free is only announced */
		/* The next allocation comes before the last free. */
		{ "a00a10f00f10", 10, 0, 0, 0, 0, 1 },
		{ "a02a12f02f12", 10, 0, 0, 0, 0, 1 },
		{ "a00a10f00f10", 4, 0, 0, 1, 1, 0 },
		{ "a00a10f10f10", 10, 0, 0, 1, 1, 0 },
		{ "a00a10f00", 10, 0, 0, 0, 1, 0 }, /* a bulk free is possible */
		{ "a00a10f00a00f00f00", 10, 0, 0, 1, 1, 0 },
		{ "a00a10f00a01f01f00", 10, 0, 0, 1, 1, 0 },
		{ "a00b00a10f00f10", 10, 0, 0, 1, 0, 0 }, /* the free was announced */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct page_lives acc = { 0 };
		const struct page_totals *s = &acc.totals;
		const char *event = cases[i].events;
		uint64_t ts = 100;

		ck_assert_int_eq(lives_by_address(&acc.any), 0);
		acc.doubts.skew = cases[i].skew;
		for (; *event; event += 3, ts += 5)
			event_at(&acc, event, ts);
		page_lives_finish(&acc);
		check_identities(&acc);
		check_sums(&acc);
		ck_assert_msg(s->live_pages == cases[i].live &&
				      s->unmatched == cases[i].unmatched &&
				      s->again == cases[i].again &&
				      s->implicit_pages == cases[i].implicit &&
				      s->reordered == cases[i].reordered,
			      "case %zu, %s", i, cases[i].events);
		page_lives_free(&acc);
	}
}
END_TEST

/* Blocks of 2^20 frames, whole and in pieces: every event must cost about the same. */
START_TEST(large_blocks_cost_what_small_ones_do)
{
	struct page_lives acc = { .doubts.skew = 1000000 };
	struct timespec from, to;
	int i;

	ck_assert_int_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from), 0);
	for (i = 0; i < 40000; i++) {
		uint64_t pfn = (uint64_t)(i & 3) << 20;
		struct kmem_event ev = { .type = KMEM_PAGE_FREE,
					 .cpu = (uint32_t)i & 1,
					 .ts = (uint64_t)i };

		alloc(&acc, pfn, 20);
		release(&acc, pfn + (uint64_t)i * 4099 % (1 << 20), 0);
		ev.page_free.pfn = pfn;
		ev.page_free.order = 20;
		page_lives_events(&acc, &ev, 1);
		page_lives_events(&acc, &ev, 1); /* no block is live: in doubt */
		check_identities(&acc);
	}
	ck_assert_int_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to), 0);
	/* These 160000 events would take three minutes if handled frame by frame. */
	ck_assert_int_le(to.tv_sec - from.tv_sec, 10);
	page_lives_free(&acc);
}
END_TEST

/* Frees of unknown blocks are kept in doubt for the length of the skew, then forgotten. */
START_TEST(doubts_do_not_grow_with_the_events)
{
	struct page_lives acc = { .doubts.skew = 100 };
	struct kmem_event ev = { .type = KMEM_PAGE_FREE };

	for (ev.ts = 1; ev.ts < 100000; ev.ts++) {
		ev.page_free.pfn = ev.ts;
		page_lives_events(&acc, &ev, 1);
	}
	page_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.unmatched, 99999);
	ck_assert_uint_le(acc.doubts.table.capacity, 1024);
	page_lives_free(&acc);
}
END_TEST

/* Frees of blocks whose allocations were left out do not change the account. */
START_TEST(frees_of_what_was_left_out_change_nothing)
{
	static const uint64_t skews[] = { 0, 10000 };
	size_t i;

	for (i = 0; i < 2; i++) {
		struct page_lives acc = { .any.scope.part = true,
					  .doubts.skew = skews[i] };

		release(&acc, 512, 9);
		alloc(&acc, 8, 1);
		release(&acc, 9, 0); /* one half of it */
		release(&acc, 8, 0);
		release(&acc, 8, 1); /* another task has allocated it since */
		alloc(&acc, 16, 0);
		page_lives_finish(&acc);
		ck_assert_uint_eq(acc.totals.split + acc.totals.matched, 2);
		ck_assert_uint_eq(acc.totals.other, 2);
		ck_assert_uint_eq(acc.totals.other_pages, 514);
		ck_assert_uint_eq(acc.totals.unmatched + acc.totals.again, 0);
		ck_assert_uint_eq(acc.totals.unmatched_pages + acc.totals.again_pages, 0);
		ck_assert_uint_eq(acc.totals.live_pages, 1);
		check_identities(&acc);
		page_lives_free(&acc);
	}
}
END_TEST

Suite *test_page_account_suite(void)
{
	Suite *s = suite_create("account/page_account");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, huge_page_freed_page_by_page);
	tcase_add_test(tc, first_event_of_a_row_that_ends_many_blocks);
	tcase_add_test(tc, small_blocks_freed_as_a_large_one);
	tcase_add_test(tc, alloc_over_live_pages_is_an_implicit_free);
	tcase_add_test(tc, frees_of_what_was_left_out_change_nothing);
	tcase_add_test(tc, announced_frees_count_once);
	tcase_add_test(tc, damage_is_counted_and_cheap);
	tcase_add_loop_test(tc, agrees_with_a_page_by_page_model, 0,
			    (int)ARRAY_SIZE(model_cases));
	tcase_add_test(tc, only_what_came_after_the_last_gap_is_sure);
	tcase_add_test(tc, frees_alone_are_kept_by_who_freed);
	tcase_add_test(tc, order_within_the_skew);
	tcase_add_test(tc, large_blocks_cost_what_small_ones_do);
	tcase_add_test(tc, doubts_do_not_grow_with_the_events);
	suite_add_tcase(s, tc);
	return s;
}
