// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/accounts_parts.h: the accounts of all parts together equal those of all events in
 * one order.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts_parts.h"

#define NR_EVENTS 60000

static struct recording rec;
static struct accounts one, sum;
static struct accounts_parts *parts;

static void setup(const struct dimensions *dims)
{
	struct slab_account *slab;
	struct page_account *page;

	one = sum = (struct accounts){ .rec = &rec, .page_size = 4096 };
	ck_assert_int_eq(accounts_slab(&one, dims, &slab), 0);
	ck_assert_int_eq(accounts_page(&one, dims, &page), 0);
	ck_assert_int_eq(accounts_slab(&sum, dims, &slab), 0);
	ck_assert_int_eq(accounts_page(&sum, dims, &page), 0);
	ck_assert(accounts_can_part(&sum));
	ck_assert_int_eq(accounts_parts_new(&parts, &sum), 0);
}

static void tear_down(void)
{
	accounts_free(&one);
	accounts_free(&sum);
	accounts_parts_free(parts);
}

static void take(const struct kmem_event *ev)
{
	unsigned int shift = accounts_parts_page_shift(&one), i;
	unsigned int part =
		kmem_is_slab(ev->type)
			? event_part(ev->slab_free.ptr >> EVENT_PARTS_SLAB_SHIFT)
			: event_part(ev->page_free.pfn >> shift);

	accounts_events(&one, ev, 1);
	for (i = 0; i < EVENT_PARTS; i++) {
		if (ev->type == KMEM_LOSS || i == part)
			accounts_parts_take(accounts_parts_one(parts, i), ev, 1);
	}
}

/* Uses few objects and frames, so that everything that can happen to them does. */
static struct kmem_event any_event(unsigned int *seed)
{
	unsigned int r = (unsigned int)rand_r(seed), s = (unsigned int)rand_r(seed);
	struct kmem_event ev = { .cpu = r % 3, .pid = (int32_t)(r % 5), .stack = s % 40 };
	uint64_t ptr = 0xffff888000000000ULL + ((s % 50) << 15) + 256 * (s / 64 % 16);
	uint32_t order = s / 64 % 4;
	uint64_t pfn = (s % 50) * 4096ULL + (s / 512 % 64 << order);

	switch (r / 16 % 32) {
	case 0:
		ev.type = KMEM_LOSS;
		ev.loss.count = r % 100 ? 3 : KMEM_LOSS_UNKNOWN;
		break;
	case 1 ... 9:
		ev.type = s & 1024 ? KMEM_KMALLOC : KMEM_CACHE_ALLOC;
		ev.slab_alloc.ptr = r % 17 ? ptr : 0;
		ev.slab_alloc.callsite = 0xa000 + r / 512 % 30;
		ev.slab_alloc.bytes_req = 1 + s % 200;
		ev.slab_alloc.bytes_alloc = s % 97 ? s % 53 ? 256 : 16384 : 1ULL << 33;
		ev.slab_alloc.node = (int32_t)(r % 2);
		ev.slab_alloc.cache = s % 6;
		break;
	case 10 ... 18:
		ev.type = s & 1024 ? KMEM_KFREE : KMEM_CACHE_FREE;
		ev.slab_free.ptr = r % 17 ? ptr : r % 32;
		ev.slab_free.callsite = 0xb000 + r / 512 % 30;
		ev.slab_free.cache = s % 6;
		break;
	case 19 ... 24:
		ev.type = KMEM_PAGE_ALLOC;
		ev.page_alloc.pfn = r % 17 ? pfn : KMEM_NO_PFN;
		ev.page_alloc.order = r % 97 ? order : 200;
		ev.page_alloc.gfp_flags = r / 512 % 8;
		ev.page_alloc.migratetype = (int32_t)(s % 3);
		break;
	default:
		ev.type = s & 1024 ? KMEM_PAGE_FREE : KMEM_PAGE_FREE_BATCHED;
		ev.page_free.pfn = pfn;
		ev.page_free.order = ev.type == KMEM_PAGE_FREE ? order : 0;
	}
	return ev;
}

/* Compares the numbers that do not depend on the order of the walk. */
static void expect_same_living(void)
{
	struct slab_living at = { 0 };
	uint64_t of_one[2] = { 0 }, of_sum[2] = { 0 };

	while (slab_account_living(one.slab, &at)) {
		of_one[0]++;
		of_one[1] += (at.row + 1) * (uint64_t)at.entry->bytes_req;
	}
	at = (struct slab_living){ 0 };
	while (slab_account_living(sum.slab, &at)) {
		of_sum[0]++;
		of_sum[1] += (at.row + 1) * (uint64_t)at.entry->bytes_req;
	}
	ck_assert_uint_gt(of_one[0], 10);
	ck_assert_uint_eq(of_one[0], of_sum[0]);
	ck_assert_uint_eq(of_one[1], of_sum[1]);
}

static void expect_same_slab(const struct slab_account *a, const struct slab_account *b)
{
	size_t i;

	ck_assert_uint_gt(a->nr_rows, 30);
	ck_assert_uint_eq(a->nr_rows, b->nr_rows);
	for (i = 0; i < a->nr_rows; i++) {
		ck_assert_mem_eq(slab_account_key(a, i), slab_account_key(b, i),
				 sizeof(struct slab_key));
		ck_assert_mem_eq(&a->rows[i], &b->rows[i], sizeof(a->rows[i]));
	}
	ck_assert_mem_eq(&a->totals, &b->totals, sizeof(a->totals));
	ck_assert_uint_gt(a->totals.unmatched, 10);
	ck_assert_uint_gt(a->totals.implausible, 10);
	ck_assert_uint_gt(a->totals.large, 10);
	ck_assert_uint_gt(a->lives.nr_free_only, 10);
	ck_assert_uint_eq(a->lives.nr_free_only, b->lives.nr_free_only);
	for (i = 0; i < a->lives.nr_free_only; i++) {
		const struct slab_free_only *x = &a->lives.free_only[i];
		const struct slab_free_only *y = &b->lives.free_only[i];

		ck_assert_uint_eq(x->callsite, y->callsite);
		ck_assert_uint_eq(x->unmatched, y->unmatched);
		ck_assert_uint_eq(x->doubled, y->doubled);
	}
}

static void expect_same_page(const struct page_account *a, const struct page_account *b)
{
	size_t i;

	ck_assert_uint_gt(a->nr_rows, 100);
	ck_assert_uint_eq(a->nr_rows, b->nr_rows);
	for (i = 0; i < a->nr_rows; i++) {
		ck_assert_mem_eq(page_account_key(a, i), page_account_key(b, i),
				 sizeof(struct page_key));
		ck_assert_mem_eq(&a->rows[i], &b->rows[i], sizeof(a->rows[i]));
	}
	ck_assert_mem_eq(&a->totals, &b->totals, sizeof(a->totals));
	ck_assert_uint_gt(a->totals.unmatched, 10);
	ck_assert_uint_gt(a->totals.failures, 10);
	ck_assert_uint_gt(a->lives.nr_free_only, 10);
	ck_assert_uint_eq(a->lives.nr_free_only, b->lives.nr_free_only);
	for (i = 0; i < a->lives.nr_free_only; i++) {
		const struct page_free_only *x = &a->lives.free_only[i];
		const struct page_free_only *y = &b->lives.free_only[i];

		ck_assert_uint_eq(x->stack, y->stack);
		ck_assert_uint_eq(x->hit, y->hit);
		ck_assert_uint_eq(x->pages, y->pages);
	}
}

static const struct dimensions dims[] = {
	{ .of = { DIMENSION_NONE } },
	{ .of = { DIMENSION_PID } },
	{ .of = { DIMENSION_STACK, DIMENSION_CPU } },
};

/* Time stamps repeat: the position in the file then decides which event came first. */
START_TEST(parts_are_one_account)
{
	unsigned int seed = 11 + (unsigned int)_i, i;
	uint64_t ts = 1000;

	setup(&dims[_i]);
	for (i = 0; i < NR_EVENTS; i++) {
		struct kmem_event ev = any_event(&seed);

		ts += (uint64_t)rand_r(&seed) % 2;
		ev.ts = ts;
		ev.place = i;
		take(&ev);
	}
	accounts_finish(&one);
	for (i = 0; i < EVENT_PARTS; i++)
		accounts_parts_end(accounts_parts_one(parts, i));
	ck_assert(!accounts_parts_full(parts));
	ck_assert_int_eq(accounts_parts_sum(&sum, parts), 0);
	ck_assert(sum.joined);
	expect_same_slab(one.slab, sum.slab);
	expect_same_page(one.page, sum.page);
	expect_same_living();
	tear_down();
}
END_TEST

/* The events of any_event() are of these tasks; rows for all tasks have 0. */
#define NR_TASKS 5

/* The sums of the rows of slab objects, by task and by callsite. */
struct slab_by {
	struct slab_counts task[NR_TASKS], site[30];
};

static struct slab_by add_slab(const struct slab_account *acc)
{
	const struct spent *spent = acc->lives.spent;
	struct slab_by by = { 0 };
	uint32_t i;

	for (i = 0; i < acc->nr_rows; i++) {
		const struct slab_key *key = slab_account_key(acc, i);

		slab_counts_add(&by.site[key->callsite - 0xa000], &acc->rows[i], 1);
		if (!key->all_tasks)
			slab_counts_add(&by.task[key->dims.of[0]], &acc->rows[i], 1);
		else
			ck_assert_uint_eq(acc->rows[i].live, 0);
	}
	for (i = 0; spent && i < spent->keys.count; i++) {
		const struct slab_counts c = slab_tally_counts(spent_sum(spent, i));

		slab_counts_add(&by.task[spent_key(spent, i)->of[0]], &c, 1);
	}
	return by;
}

/* The same for pages; by task only what task_sums rows contain. */
struct page_by {
	uint64_t hit[NR_TASKS], live[NR_TASKS];
	uint64_t of_order[4][4];
};

static struct page_by add_pages(const struct page_account *acc)
{
	const struct spent *spent = acc->lives.spent;
	struct page_by by = { 0 };
	uint32_t i;

	for (i = 0; i < acc->nr_rows; i++) {
		const struct page_key *key = page_account_key(acc, i);
		const struct page_counts *c = &acc->rows[i];

		by.of_order[key->order][0] += c->hit;
		by.of_order[key->order][1] += c->failed;
		by.of_order[key->order][2] += c->implicit_pages;
		by.of_order[key->order][3] += c->sure_pages;
		if (key->all_tasks)
			continue;
		by.hit[key->dims.of[0]] += c->hit;
		by.live[key->dims.of[0]] += c->live_pages;
	}
	for (i = 0; spent && i < spent->keys.count; i++) {
		const struct page_tally *tally = spent_sum(spent, i);

		by.hit[spent_key(spent, i)->of[0]] += tally->of[PAGE_BORN].nr;
	}
	return by;
}

/* Sums of the rows of tasks do not depend on how the rows were added up. */
static void expect_same_sums(const struct accounts *a, const struct accounts *b)
{
	const struct slab_by slab_a = add_slab(a->slab), slab_b = add_slab(b->slab);
	const struct page_by page_a = add_pages(a->page), page_b = add_pages(b->page);

	ck_assert_mem_eq(&slab_a, &slab_b, sizeof(slab_a));
	ck_assert_mem_eq(&page_a, &page_b, sizeof(page_a));
	ck_assert_mem_eq(&a->slab->totals, &b->slab->totals, sizeof(a->slab->totals));
	ck_assert_mem_eq(&a->page->totals, &b->page->totals, sizeof(a->page->totals));
}

static void expect_order(const struct event_place *firsts, size_t nr)
{
	size_t i;

	for (i = 1; i < nr; i++)
		ck_assert_int_lt(event_place_compare(&firsts[i - 1], &firsts[i]), 0);
}

START_TEST(rows_of_tasks_become_sums)
{
	const struct dimensions sums = { .of = { DIMENSION_PID }, .task_sums = true };
	struct accounts rows = { .rec = &rec, .page_size = 4096 };
	struct slab_account *slab;
	struct page_account *page;
	unsigned int seed = 3, i;
	uint64_t ts = 1000;

	setup(&sums);
	ck_assert_int_eq(accounts_slab(&rows, &dims[1], &slab), 0);
	ck_assert_int_eq(accounts_page(&rows, &dims[1], &page), 0);
	for (i = 0; i < NR_EVENTS; i++) {
		struct kmem_event ev = any_event(&seed);

		ts += (uint64_t)rand_r(&seed) % 2;
		ev.ts = ts;
		ev.place = i;
		take(&ev);
		accounts_events(&rows, &ev, 1);
	}
	accounts_finish(&one);
	accounts_finish(&rows);
	for (i = 0; i < EVENT_PARTS; i++)
		accounts_parts_end(accounts_parts_one(parts, i));
	ck_assert_int_eq(accounts_parts_sum(&sum, parts), 0);
	ck_assert_ptr_null(rows.slab->lives.spent);
	ck_assert_uint_eq(one.slab->lives.spent->keys.count, NR_TASKS);
	ck_assert_uint_eq(sum.page->lives.spent->keys.count, NR_TASKS);
	expect_same_sums(&rows, &one);
	expect_same_sums(&rows, &sum);
	expect_order(one.slab->lives.firsts, one.slab->nr_rows);
	expect_order(sum.slab->lives.firsts, sum.slab->nr_rows);
	expect_order(one.page->lives.firsts, one.page->nr_rows);
	expect_order(sum.page->lives.firsts, sum.page->nr_rows);
	accounts_free(&rows);
	tear_down();
}
END_TEST

/* A caller that asks for unmerged rows of tasks gets them. */
START_TEST(rows_of_tasks_stay)
{
	const struct dimensions sums = { .of = { DIMENSION_PID }, .task_sums = true };
	struct slab_account *slab;

	setup(&sums);
	ck_assert(slab_account_sums_tasks(sum.slab));
	ck_assert(page_account_sums_tasks(sum.page));
	sum.page->by_pfn = true;
	ck_assert(!page_account_sums_tasks(sum.page));
	sum.slab->lives.filtered = true;
	ck_assert(!slab_account_sums_tasks(sum.slab));
	sum.slab->lives.filtered = false;
	ck_assert_int_eq(accounts_slab(&sum, &dims[0], &slab), 0);
	ck_assert(!slab_account_sums_tasks(sum.slab));
	tear_down();
}
END_TEST

START_TEST(failed_parts_fail_the_sum)
{
	unsigned int i;

	setup(&dims[0]);
	for (i = 0; i < EVENT_PARTS; i++)
		accounts_parts_end(accounts_parts_one(parts, i));
	if (_i)
		((struct accounts *)accounts_parts_one(parts, 7))->page->failed = true;
	else
		((struct accounts *)accounts_parts_one(parts, 7))->slab->failed = true;
	ck_assert_int_lt(accounts_parts_sum(&sum, parts), 0);
	ck_assert(_i ? sum.page->failed : sum.slab->failed);
	tear_down();
}
END_TEST

static void see_no_life(void *ctx, const struct slab_life *lives, size_t nr)
{
}

/* Observers of lifetimes, address lists and filters need all events in one order. */
START_TEST(not_all_accounts_can_part)
{
	setup(&dims[0]);
	sum.filtered = true;
	ck_assert(!accounts_can_part(&sum));
	sum.filtered = false;
	sum.slab->by_ptr = true;
	ck_assert(!accounts_can_part(&sum));
	sum.slab->by_ptr = false;
	sum.page->by_pfn = true;
	ck_assert(!accounts_can_part(&sum));
	sum.page->by_pfn = false;
	ck_assert(accounts_can_part(&sum));
	ck_assert_int_eq(slab_lives_observe(&sum.slab->lives, see_no_life, NULL), 0);
	ck_assert(!accounts_can_part(&sum));
	tear_down();
}
END_TEST

Suite *test_accounts_parts_suite(void)
{
	Suite *s = suite_create("account/accounts_parts");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, parts_are_one_account, 0, 3);
	tcase_add_test(tc, rows_of_tasks_become_sums);
	tcase_add_test(tc, rows_of_tasks_stay);
	tcase_add_loop_test(tc, failed_parts_fail_the_sum, 0, 2);
	tcase_add_test(tc, not_all_accounts_can_part);
	suite_add_tcase(s, tc);
	return s;
}
