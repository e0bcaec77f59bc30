// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/lives.h: rows of tasks without live allocations become sums, and no number
 * changes.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"

#define NR_EVENTS 60000

static struct recording rec;

static void make(struct accounts *a, const struct dimensions *dims)
{
	struct slab_lives *slab;
	struct page_lives *page;

	*a = (struct accounts){ .rec = &rec, .page_size = 4096 };
	ck_assert_int_eq(accounts_of_memory(a, MEMORY_SLAB, dims, &slab), 0);
	ck_assert_int_eq(accounts_of_memory(a, MEMORY_PAGE, dims, &page), 0);
}

/* Uses few objects and frames, so that everything possible happens to them. */
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

/* The events of any_event() are of these tasks; rows for all tasks have 0. */
#define NR_TASKS 5

/* The sums of the rows of slab objects, by task and by callsite. */
struct slab_by {
	struct lives_sums task[NR_TASKS], site[30];
};

static struct slab_by add_slab(const struct slab_lives *acc)
{
	const struct spent *spent = acc->any.spent;
	struct slab_by by = { 0 };
	uint32_t i;

	for (i = 0; i < lives_rows(&acc->any); i++) {
		const struct slab_key *key = slab_lives_key(acc, i);

		lives_sums_add(&by.site[key->callsite - 0xa000], &acc->any.rows[i], 1);
		if (!key->all_tasks)
			lives_sums_add(&by.task[key->dims.of[0]], &acc->any.rows[i], 1);
		else
			ck_assert_uint_eq(acc->any.rows[i].live, 0);
	}
	for (i = 0; spent && i < spent->keys.count; i++) {
		const struct lives_sums c =
			slab_kind.sums(&acc->any, spent_sum(spent, i));

		lives_sums_add(&by.task[spent_key(spent, i)->of[0]], &c, 1);
	}
	return by;
}

/* The same for pages; by task only what task_sums rows contain. */
struct page_by {
	uint64_t hit[NR_TASKS], live[NR_TASKS];
	uint64_t of_order[4][4];
};

static struct page_by add_pages(const struct page_lives *acc)
{
	const struct spent *spent = acc->any.spent;
	struct page_by by = { 0 };
	uint32_t i;

	for (i = 0; i < lives_rows(&acc->any); i++) {
		const struct page_key *key = page_lives_key(acc, i);
		const struct lives_sums *c = &acc->any.rows[i];

		by.of_order[key->order][0] += c->hit;
		by.of_order[key->order][1] += c->failed;
		by.of_order[key->order][2] += c->implicit;
		by.of_order[key->order][3] += c->sure;
		if (key->all_tasks)
			continue;
		by.hit[key->dims.of[0]] += c->hit;
		by.live[key->dims.of[0]] += c->live;
	}
	for (i = 0; spent && i < spent->keys.count; i++) {
		const struct page_tally *tally = spent_sum(spent, i);

		by.hit[spent_key(spent, i)->of[0]] += tally->of[LIFE_BORN].nr;
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

/* Rows are in the order of their first events. */
static void expect_order(const uint64_t *firsts, size_t nr)
{
	size_t i;

	for (i = 1; i < nr; i++)
		ck_assert_uint_lt(firsts[i - 1], firsts[i]);
}

/* A task begins with the first of its rows, even if that has become a sum. @rows: rows of the same
 * events that stayed.
 */
static void expect_firsts(const struct lives *sums, const struct lives *rows)
{
	for (uint32_t pid = 0; pid < NR_TASKS; pid++) {
		uint64_t first = UINT64_MAX;
		size_t i = 0;

		for (i = 0; i < sums->spent->keys.count; i++)
			if (spent_key(sums->spent, (uint32_t)i)->of[0] == pid)
				first = sums->spent->firsts[i];
		for (i = 0; i < lives_rows(sums); i++) {
			const struct row_tail *tail =
				row_tail_of(&sums->keys, (uint32_t)i);

			if (tail->dims.of[0] == pid && !tail->all_tasks &&
			    sums->firsts[i] < first)
				first = sums->firsts[i];
		}
		for (i = 0; row_tail_of(&rows->keys, (uint32_t)i)->dims.of[0] != pid;)
			i++;
		ck_assert_uint_eq(first, i + 1);
	}
}

static const struct dimensions as_rows = { .of = { DIMENSION_PID } };
static const struct dimensions as_sums = { .of = { DIMENSION_PID }, .task_sums = true };

START_TEST(rows_of_tasks_become_sums)
{
	struct accounts sums, rows;
	unsigned int seed = 3, i;
	uint64_t ts = 1000;

	make(&sums, &as_sums);
	make(&rows, &as_rows);
	for (i = 0; i < NR_EVENTS; i++) {
		struct kmem_event ev = any_event(&seed);

		ts += (uint64_t)rand_r(&seed) % 2;
		ev.ts = ts;
		accounts_events(&sums, &ev, 1);
		accounts_events(&rows, &ev, 1);
	}
	accounts_finish(&sums);
	accounts_finish(&rows);
	ck_assert_ptr_null(rows.slab->any.spent);
	ck_assert_uint_eq(sums.slab->any.spent->keys.count, NR_TASKS);
	ck_assert_uint_eq(sums.page->any.spent->keys.count, NR_TASKS);
	ck_assert_uint_gt(rows.slab->totals.unmatched, 10);
	ck_assert_uint_gt(rows.page->totals.unmatched, 10);
	expect_same_sums(&rows, &sums);
	expect_order(sums.slab->any.firsts, lives_rows(&sums.slab->any));
	expect_order(sums.page->any.firsts, lives_rows(&sums.page->any));
	expect_firsts(&sums.slab->any, &rows.slab->any);
	expect_firsts(&sums.page->any, &rows.page->any);
	accounts_free(&rows);
	accounts_free(&sums);
}
END_TEST

/* A caller that asks for unmerged rows of tasks gets them. */
START_TEST(rows_of_tasks_stay)
{
	const struct dimensions none = { .of = { DIMENSION_NONE } };
	struct accounts sums;
	struct slab_lives *slab;

	make(&sums, &as_sums);
	ck_assert(lives_sums_tasks(&sums.slab->any));
	ck_assert(lives_sums_tasks(&sums.page->any));
	ck_assert_int_eq(lives_by_address(&sums.page->any), 0);
	ck_assert(!lives_sums_tasks(&sums.page->any));
	sums.slab->any.filtered = true;
	ck_assert(!lives_sums_tasks(&sums.slab->any));
	sums.slab->any.filtered = false;
	ck_assert_int_eq(accounts_of_memory(&sums, MEMORY_SLAB, &none, &slab), 0);
	ck_assert(!lives_sums_tasks(&sums.slab->any));
	accounts_free(&sums);
}
END_TEST

Suite *test_spent_suite(void)
{
	Suite *s = suite_create("account/spent");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, rows_of_tasks_become_sums);
	tcase_add_test(tc, rows_of_tasks_stay);
	suite_add_tcase(s, tc);
	return s;
}
