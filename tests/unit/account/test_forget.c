// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/lives.h: live objects and blocks keep their rows, all others are removed.
 */
#include <check.h>
#include <stdlib.h>

#include "account/page_lives.h"
#include "account/slab_lives.h"

#define ROWS 8

static bool keep[ROWS];
static uint32_t to[ROWS];

static void slab_alloc(struct slab_lives *acc, uint64_t ptr, uint64_t callsite,
		       uint64_t size)
{
	struct kmem_event ev = { .type = KMEM_KMALLOC };

	ev.slab_alloc.ptr = ptr;
	ev.slab_alloc.callsite = callsite;
	ev.slab_alloc.bytes_req = ev.slab_alloc.bytes_alloc = size;
	slab_lives_events(acc, &ev, 1);
}

static void slab_free(struct slab_lives *acc, uint64_t ptr)
{
	struct kmem_event ev = { .type = KMEM_KFREE };

	ev.slab_free.ptr = ptr;
	slab_lives_events(acc, &ev, 1);
}

static void check_slab(struct dimensions dimensions)
{
	struct slab_lives acc = { .any.dimensions = dimensions };

	slab_alloc(&acc, 0x1000, 0xa, 64);
	slab_alloc(&acc, 0x2000, 0xb, 128);
	slab_alloc(&acc, 0x3000, 0xc, 256);
	slab_alloc(&acc, 0x4000, 0xd, 512);
	slab_free(&acc, 0x1000);
	slab_free(&acc, 0x3000);
	slab_free(&acc, 0x9000); /* was not allocated */
	slab_free(&acc, 0x3000); /* double free */
	for (int i = 0; i < ROWS; i++)
		keep[i] = i == 2;
	ck_assert_int_eq(lives_forget(&acc.any, keep, to), 0);
	ck_assert_uint_eq(to[0], LIVES_GONE);
	ck_assert_uint_eq(to[1], 0);
	ck_assert_uint_eq(to[2], 1); /* marked as kept */
	ck_assert_uint_eq(to[3], 2);
	ck_assert_uint_eq(lives_rows(&acc.any), 3);
	ck_assert_uint_eq(slab_lives_key(&acc, 0)->callsite, 0xb);
	ck_assert_uint_eq(slab_lives_key(&acc, 2)->callsite, 0xd);
	ck_assert_uint_eq(acc.any.live.count, 2);
	/* Live objects keep their rows; new allocations get new rows. */
	slab_free(&acc, 0x2000);
	slab_alloc(&acc, 0x1000, 0xa, 64);
	slab_alloc(&acc, 0x5000, 0xd, 512);
	slab_lives_sum(&acc);
	ck_assert_uint_eq(lives_rows(&acc.any), 4);
	ck_assert_uint_eq(acc.any.rows[0].live, 0);
	ck_assert_uint_eq(acc.any.rows[0].hit, 1);
	ck_assert_uint_eq(acc.any.rows[1].hit, 1);
	ck_assert_uint_eq(acc.any.rows[1].bytes_alloc, 256);
	ck_assert_uint_eq(acc.any.rows[2].live_alloc, 1024);
	ck_assert_uint_eq(slab_lives_key(&acc, 3)->callsite, 0xa);
	ck_assert_uint_eq(acc.any.rows[3].live_alloc, 64);
	slab_free(&acc, 0x3000); /* the earlier free was forgotten */
	ck_assert_uint_eq(acc.counted.unmatched, 2);
	ck_assert_uint_eq(acc.counted.doubled, 1);
	slab_lives_free(&acc);
}

START_TEST(slab_rows_that_live_stay)
{
	check_slab((struct dimensions){ .of = { DIMENSION_NONE } });
	check_slab((struct dimensions){ .of = { DIMENSION_KMALLOC } });
}
END_TEST

static void page_alloc(struct page_lives *acc, uint64_t pfn, uint32_t order,
		       uint32_t stack)
{
	struct kmem_event ev = { .type = KMEM_PAGE_ALLOC, .stack = stack };

	ev.page_alloc.pfn = pfn;
	ev.page_alloc.order = order;
	page_lives_events(acc, &ev, 1);
}

static void page_free(struct page_lives *acc, uint64_t pfn, uint32_t order)
{
	struct kmem_event ev = { .type = KMEM_PAGE_FREE };

	ev.page_free.pfn = pfn;
	ev.page_free.order = order;
	page_lives_events(acc, &ev, 1);
}

START_TEST(page_rows_that_live_stay)
{
	struct page_lives acc = { 0 };

	page_alloc(&acc, 8, 0, 1);
	page_alloc(&acc, 512, 9, 2);
	page_alloc(&acc, 16, 2, 3);
	page_alloc(&acc, 16, 2, 3); /* replaces the previous one */
	page_free(&acc, 8, 0);
	page_free(&acc, 513, 0); /* frees a part */
	for (int i = 0; i < ROWS; i++)
		keep[i] = false;
	ck_assert_int_eq(lives_forget(&acc.any, keep, to), 0);
	ck_assert_uint_eq(to[0], LIVES_GONE);
	ck_assert_uint_eq(to[1], 0);
	ck_assert_uint_eq(to[2], 1);
	page_free(&acc, 16, 2);
	page_alloc(&acc, 9, 0, 1);
	page_free(&acc, 768, 8);
	page_lives_sum(&acc);
	ck_assert_uint_eq(lives_rows(&acc.any), 3);
	ck_assert_uint_eq(acc.any.rows[0].live, 512 - 1 - 256);
	ck_assert_uint_eq(acc.any.rows[0].live_hit, 1);
	ck_assert_uint_eq(acc.any.rows[1].hit, 2);
	ck_assert_uint_eq(acc.any.rows[1].live, 0);
	ck_assert_uint_eq(page_lives_key(&acc, 2)->stack, 1);
	ck_assert_uint_eq(acc.any.rows[2].live, 1);
	page_lives_free(&acc);
}
END_TEST

START_TEST(stacks_get_other_numbers)
{
	const struct dimensions dims = { .of = { DIMENSION_KMALLOC, DIMENSION_STACK } };
	struct slab_lives slab = { .any.dimensions = dims };
	struct page_lives page = { 0 };
	const uint32_t stacks[] = { 0, 5, 2, 0, 0, 1 };
	uint32_t used[6] = { 0 };
	struct kmem_event ev = { .type = KMEM_KMALLOC, .stack = 2 };

	ev.slab_alloc.ptr = 0x1000;
	ev.slab_alloc.callsite = 0xa;
	ev.slab_alloc.bytes_req = ev.slab_alloc.bytes_alloc = 64;
	slab_lives_events(&slab, &ev, 1);
	page_alloc(&page, 8, 0, 5);
	page_alloc(&page, 9, 0, 1);
	page_alloc(&page, 10, 0, 0);
	lives_mark(&slab.any, DIMENSION_STACK, used, 6);
	lives_mark(&page.any, DIMENSION_STACK, used, 6);
	ck_assert_uint_eq(used[1], 1);
	ck_assert_uint_eq(used[2], 1);
	ck_assert_uint_eq(used[3] + used[4], 0);
	ck_assert_uint_eq(used[5], 1);
	ck_assert_int_eq(lives_renumber(&slab.any, DIMENSION_STACK, stacks, 6), 0);
	ck_assert_int_eq(lives_renumber(&page.any, DIMENSION_STACK, stacks, 6), 0);
	/* The same callchains have new numbers: the rows are the old ones. */
	page_alloc(&page, 11, 0, 1);
	page_alloc(&page, 12, 0, 5);
	ev.slab_alloc.ptr = 0x2000;
	slab_lives_events(&slab, &ev, 1);
	page_lives_sum(&page);
	slab_lives_sum(&slab);
	ck_assert_uint_eq(lives_rows(&page.any), 3);
	ck_assert_uint_eq(page_lives_key(&page, 0)->stack, 1);
	ck_assert_uint_eq(page.any.rows[0].hit, 2);
	ck_assert_uint_eq(page_lives_key(&page, 1)->stack, 5);
	ck_assert_uint_eq(page.any.rows[1].hit, 2);
	ck_assert_uint_eq(page_lives_key(&page, 2)->stack, 0);
	ck_assert_uint_eq(lives_rows(&slab.any), 1);
	ck_assert_uint_eq(slab.any.rows[0].hit, 2);
	ck_assert_uint_eq(slab_lives_key(&slab, 0)->dims.of[1], 2);
	slab_lives_free(&slab);
	page_lives_free(&page);
}
END_TEST

Suite *test_forget_suite(void)
{
	Suite *s = suite_create("account/forget");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, slab_rows_that_live_stay);
	tcase_add_test(tc, page_rows_that_live_stay);
	tcase_add_test(tc, stacks_get_other_numbers);
	suite_add_tcase(s, tc);
	return s;
}
