// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: accounts with a filter: the parts add up to the whole.
 */
#include <check.h>
#include <stdlib.h>

#include "account/page_lives.h"
#include "account/slab_lives.h"

enum { EVENTS = 200000, PARTS = 5, PTRS = 2048, PAGES = 1 << 13 };

static uint32_t next(uint32_t *seed)
{
	return *seed = *seed * 1103515245 + 12345;
}

/* One of PARTS allocates; any task may free. */
static void slab_event(struct kmem_event *ev, uint32_t *seed, uint64_t ts)
{
	uint32_t r = next(seed);
	uint64_t ptr = r >> 29 ? 0x100000 + (r >> 8 & (PTRS - 1)) * 64ULL : 0;

	*ev = (struct kmem_event){ .cpu = r >> 20 & 3, .ts = ts };
	ev->pid = (int32_t)(next(seed) >> 16) % PARTS;
	if (next(seed) >> 30) {
		ev->type = KMEM_KFREE;
		ev->slab_free.ptr = ptr;
		ev->slab_free.callsite = r & 7;
		return;
	}
	ev->type = KMEM_KMALLOC;
	ev->slab_alloc.ptr = ptr;
	ev->slab_alloc.callsite = r >> 25 & 7;
	ev->slab_alloc.bytes_req = 1 + (r >> 4 & 63);
	ev->slab_alloc.bytes_alloc = 64;
}

static void page_event(struct kmem_event *ev, uint32_t *seed, uint64_t ts)
{
	uint32_t r = next(seed), order = r >> 28 & 3;
	uint64_t pfn = (r >> 8 & (PAGES - 1)) & ~7ULL;

	*ev = (struct kmem_event){ .cpu = r >> 26 & 1, .ts = ts };
	ev->pid = (int32_t)(next(seed) >> 16) % PARTS;
	switch (r >> 22 & 7) {
	case 0:
	case 1:
	case 2:
		ev->type = KMEM_PAGE_ALLOC;
		ev->page_alloc.order = order;
		ev->page_alloc.pfn = r >> 20 & 3 ? pfn : KMEM_NO_PFN;
		break;
	case 3:
		ev->type = KMEM_PAGE_FREE_BATCHED;
		ev->page_free.pfn = pfn;
		break;
	default:
		ev->type = KMEM_PAGE_FREE;
		ev->page_free.order = r >> 20 & 1 ? 3 : order;
		ev->page_free.pfn = pfn;
	}
}

static struct kmem_event *make_events(void (*make)(struct kmem_event *ev, uint32_t *seed,
						   uint64_t ts))
{
	struct kmem_event *evs = calloc(EVENTS, sizeof(*evs));
	uint32_t seed = 7;
	size_t i;

	ck_assert_ptr_nonnull(evs);
	for (i = 0; i < EVENTS; i++)
		make(&evs[i], &seed, i + 1);
	return evs;
}

/* Hides all allocations but those of @part. */
static void hide(struct kmem_event *evs, int32_t part)
{
	size_t i;

	for (i = 0; i < EVENTS; i++)
		evs[i].hidden = evs[i].pid != part;
}

static uint64_t map_sum(const struct u64_map *map)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < map->capacity; i++)
		sum += map->slots[i].used ? map->slots[i].value : 0;
	return sum;
}

static struct slab_lives *slab_of(const struct kmem_event *evs, bool filtered)
{
	struct slab_lives *acc = calloc(1, sizeof(*acc));

	ck_assert_ptr_nonnull(acc);
	acc->skew = 8;
	acc->any.filtered = filtered;
	ck_assert_int_eq(lives_by_address(&acc->any), 0);
	slab_lives_events(acc, evs, EVENTS);
	slab_lives_finish(acc);
	ck_assert(!acc->any.failed);
	return acc;
}

/* The sums that every account keeps. */
#define SLAB_SUMS(of)                                                           \
	{                                                                       \
		(of)->allocs, (of)->failed, (of)->bytes_req, (of)->bytes_alloc, \
			(of)->matched, (of)->bytes_freed, (of)->implicit,       \
			(of)->bytes_implicit, (of)->live, (of)->live_req,       \
			(of)->live_alloc, (of)->pingpong, (of)->reordered       \
	}
#define NR_SLAB_SUMS 13

START_TEST(slab_parts_make_the_whole)
{
	struct kmem_event *evs = make_events(slab_event);
	struct slab_lives *all = slab_of(evs, false);
	const struct slab_totals *whole = &all->totals;
	const uint64_t expected[NR_SLAB_SUMS] = SLAB_SUMS(whole);
	uint64_t sums[NR_SLAB_SUMS] = { 0 }, addresses = 0;
	int32_t part;
	size_t i;

	ck_assert(whole->reordered && whole->implicit && whole->failed && whole->doubled);
	for (part = 0; part < PARTS; part++) {
		struct slab_lives *acc;
		const struct slab_totals *t;

		hide(evs, part);
		acc = slab_of(evs, true);
		t = &acc->totals;
		ck_assert_uint_eq(t->frees, t->matched + t->other);
		ck_assert_uint_eq(t->other,
				  whole->unmatched + whole->doubled + whole->null);
		ck_assert_uint_eq(t->implicit + map_sum(&acc->any.hidden_gone),
				  whole->implicit);
		for (i = 0; i < NR_SLAB_SUMS; i++)
			sums[i] += (const uint64_t[])SLAB_SUMS(t)[i];
		for (i = 0; i < lives_rows(&acc->any); i++)
			ck_assert_uint_gt(acc->any.rows[i].hit, 0);
		for (i = 0; i < acc->any.addresses.nr; i++)
			addresses += acc->any.addresses.of[i].counts.hit;
		slab_lives_free(acc);
		free(acc);
	}
	for (i = 0; i < NR_SLAB_SUMS; i++)
		ck_assert_uint_eq(sums[i], expected[i]);
	ck_assert_uint_eq(addresses, whole->allocs);
	slab_lives_free(all);
	free(all);
	free(evs);
}
END_TEST

static struct page_lives *pages_of(const struct kmem_event *evs, bool filtered)
{
	struct page_lives *acc = calloc(1, sizeof(*acc));

	ck_assert_ptr_nonnull(acc);
	acc->doubts.skew = 8;
	acc->any.filtered = filtered;
	ck_assert_int_eq(lives_by_address(&acc->any), 0);
	page_lives_events(acc, evs, EVENTS);
	page_lives_finish(acc);
	ck_assert(!acc->any.failed);
	return acc;
}

#define PAGE_SUMS(of)                                                                \
	{                                                                            \
		(of)->requests, (of)->failures, (of)->pages, (of)->failed_pages,     \
			(of)->matched, (of)->split, (of)->freed_pages,               \
			(of)->implicit_pages, (of)->batched_pages, (of)->live_pages, \
			(of)->alloc_freed, (of)->implicit_blocks, (of)->live_blocks, \
			(of)->reordered                                              \
	}
#define NR_PAGE_SUMS 14

START_TEST(page_parts_make_the_whole)
{
	struct kmem_event *evs = make_events(page_event);
	struct page_lives *all = pages_of(evs, false);
	const struct page_totals *whole = &all->totals;
	const uint64_t expected[NR_PAGE_SUMS] = PAGE_SUMS(whole);
	uint64_t sums[NR_PAGE_SUMS] = { 0 }, merged = 0, hits = 0;
	int32_t part;
	size_t i;

	ck_assert(whole->reordered && whole->implicit_pages && whole->batched_pages &&
		  whole->split && whole->merged && whole->failures);
	for (part = 0; part < PARTS; part++) {
		struct page_lives *acc;
		const struct page_totals *t;

		hide(evs, part);
		acc = pages_of(evs, true);
		t = &acc->totals;
		ck_assert_uint_eq(t->frees, t->matched + t->split + t->merged + t->other);
		ck_assert_uint_eq(t->other, whole->unmatched + whole->again);
		ck_assert_uint_eq(t->implicit_pages + map_sum(&acc->any.hidden_gone),
				  whole->implicit_pages);
		merged += t->merged;
		for (i = 0; i < NR_PAGE_SUMS; i++)
			sums[i] += (const uint64_t[])PAGE_SUMS(t)[i];
		for (i = 0; i < lives_rows(&acc->any); i++)
			ck_assert_uint_gt(acc->any.rows[i].hit + acc->any.rows[i].failed,
					  0);
		for (i = 0; i < acc->any.addresses.nr; i++)
			hits += acc->any.addresses.of[i].counts.hit;
		page_lives_free(acc);
		free(acc);
	}
	for (i = 0; i < NR_PAGE_SUMS; i++)
		ck_assert_uint_eq(sums[i], expected[i]);
	/* One event can free blocks of several parts. */
	ck_assert_uint_gt(merged, whole->merged);
	ck_assert_uint_eq(hits, whole->requests - whole->failures);
	page_lives_free(all);
	free(all);
	free(evs);
}
END_TEST

Suite *test_filtered_suite(void)
{
	Suite *s = suite_create("account/filtered");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, slab_parts_make_the_whole);
	tcase_add_test(tc, page_parts_make_the_whole);
	suite_add_tcase(s, tc);
	return s;
}
