// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/slab_lives.h: what observers receive, in what order, and with which allocation.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/accounts.h"
#include "account/slab_lives.h"
#include "base/array.h"

/* An observer that keeps everything. */
struct heard {
	struct life *lives;
	uint64_t *times; /* time of each one's event; 0: without an event */
	size_t nr, capacity, times_capacity, nr_batches, largest;
};

static void hear(void *ctx, const struct lives *of, const struct life *lives, size_t nr)
{
	struct heard *h = ctx;
	size_t i;

	ck_assert_uint_gt(nr, 0);
	ck_assert_int_eq(array_reserve(&h->lives, &h->capacity, h->nr + nr), 0);
	ck_assert_int_eq(array_reserve(&h->times, &h->times_capacity, h->nr + nr), 0);
	for (i = 0; i < nr; i++) {
		h->times[h->nr] = lives[i].event ? lives[i].event->ts : 0;
		h->lives[h->nr++] = lives[i];
	}
	h->nr_batches++;
	if (nr > h->largest)
		h->largest = nr;
}

static void heard_free(struct heard *h)
{
	free(h->lives);
	free(h->times);
}

/* Each event is "a0" or "f1": allocation or free of address @ptr, and the CPU. Events are 5 time
 * units apart. The n-th asks for 10 n bytes.
 */
static size_t make_events(struct kmem_event *evs, const char *events, uint64_t ptr)
{
	size_t nr;

	for (nr = 0; *events; events += 2, nr++) {
		bool allocates = *events == 'a';

		evs[nr] = (struct kmem_event){ .type = allocates ? KMEM_KMALLOC
								 : KMEM_KFREE,
					       .cpu = (uint32_t)(events[1] - '0'),
					       .ts = 100 + 5 * nr };
		if (allocates) {
			evs[nr].slab_alloc.ptr = ptr;
			evs[nr].slab_alloc.callsite = 0xa;
			evs[nr].slab_alloc.bytes_req = 10 * (nr + 1);
			evs[nr].slab_alloc.bytes_alloc = 1000;
		} else {
			evs[nr].slab_free.ptr = ptr;
		}
	}
	return nr;
}

/* Without events, the observer receives nothing. */
START_TEST(nothing_happened)
{
	struct slab_lives *slab;
	struct page_lives *page;
	struct recording rec = { 0 };
	struct accounts a = { .rec = &rec, .page_size = 4096 };
	struct heard heard = { 0 };
	const struct dimensions none = { 0 };

	ck_assert_int_eq(accounts_of_memory(&a, MEMORY_SLAB, &none, &slab), 0);
	ck_assert_int_eq(accounts_of_memory(&a, MEMORY_PAGE, &none, &page), 0);
	ck_assert_int_eq(lives_observe(&slab->any, hear, &heard), 0);
	ck_assert_int_eq(lives_observe(&page->any, hear, &heard), 0);
	accounts_finish(&a);
	ck_assert(!slab->any.failed && !page->any.failed);
	ck_assert_uint_eq(heard.nr_batches, 0);
	ck_assert_uint_eq(lives_rows(&slab->any) + lives_rows(&page->any), 0);
	ck_assert_ptr_null(lives_next(&slab->any, NULL));
	accounts_free(&a);
}
END_TEST

/* What the observer must receive: "B100", "F100", "G100" or "L100" (found late) with the time of
 * the allocation, then a letter for the position of the event ('-': without an event); "c": another
 * CPU; "r": reordered.
 */
START_TEST(each_life_is_handed_over)
{
	static const struct {
		const char *events, *lives;
	} cases[] = {
		{ "a0f0", "B100a F100b" },
		{ "a0f1", "B100a F100bc" },
		{ "f0f0", "" },
		{ "a0a0f0", "B100a G100b B105b F105c" },
		{ "f1a0a0", "B105b F105ccr B110c" },
		/* The free came first, and nothing else ended the object. */
		{ "f1a0", "B105b F105-cr" },
		/* The free comes last. */
		{ "a0a1f0f1", "B100a G100b B105b F105cc L100dcr" },
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slab_lives *l = calloc(1, sizeof(*l));
		struct heard h = { 0 };
		struct kmem_event evs[8];
		char text[128] = "";
		size_t nr = make_events(evs, cases[i].events, 0x1000), at = 0;

		ck_assert_ptr_nonnull(l);
		l->skew = 10;
		l->any.live.times = true;
		ck_assert_int_eq(lives_observe(&l->any, hear, &h), 0);
		slab_lives_events(l, evs, nr);
		slab_lives_finish(l);
		ck_assert(!l->any.failed);
		for (k = 0; k < h.nr; k++) {
			const struct life *life = &h.lives[k];

			at += (size_t)snprintf(
				text + at, sizeof(text) - at, "%s%c%u%c%s%s",
				k ? " " : "", "BFGL"[life->what], (unsigned)life -> begin,
				h.times[k] ? 'a' + (int)(h.times[k] - 100) / 5 : '-',
				life->flags &LIFE_OTHER_CPU ? "c" : "",
				life->flags &LIFE_REORDERED ? "r" : "");
			ck_assert_uint_eq(life->at, 0x1000);
			ck_assert_uint_eq(life->bytes_req, 2 * (life->begin - 95));
			ck_assert_uint_eq(life->bytes, 1000);
			ck_assert_uint_eq(slab_lives_key(l, life->row)->callsite, 0xa);
		}
		ck_assert_str_eq(text, cases[i].lives);
		slab_lives_free(l);
		heard_free(&h);
		free(l);
	}
}
END_TEST

enum { PTRS = 4096, EVENTS = 300000 };

/* What the observer saw of one address. */
struct watched {
	bool lives, gone;
	struct life born, went;
};

static void check_life(struct watched *w, const struct life *life, uint64_t ts,
		       bool times)
{
	const struct life *born = life->what == LIFE_FOUND ? &w->went : &w->born;

	if (life->what == LIFE_BORN) {
		ck_assert(!w->lives);
		ck_assert_uint_eq(life->begin, times ? ts : 0);
		w->lives = true;
		w->born = *life;
		return;
	}
	ck_assert(life->what == LIFE_FOUND ? w->gone : w->lives);
	ck_assert_uint_eq(life->begin, born->begin);
	ck_assert_uint_eq(life->bytes_req, born->bytes_req);
	ck_assert_uint_eq(life->bytes, born->bytes);
	ck_assert_uint_eq(life->row, born->row);
	ck_assert_uint_eq(life->cpu, born->cpu);
	if (life->what == LIFE_FOUND) {
		w->gone = false;
		return;
	}
	if (life->what == LIFE_GONE) {
		w->went = w->born;
		w->gone = true;
	}
	w->lives = false;
}

static void random_event(struct kmem_event *ev, uint32_t *seed, uint64_t ts)
{
	uint32_t r = *seed = *seed * 1103515245 + 12345;
	uint64_t ptr = 0x100000 + (r >> 8 & (PTRS - 1)) * 64ULL;

	*ev = (struct kmem_event){ .type = r >> 30 ? KMEM_KFREE : KMEM_CACHE_ALLOC,
				   .cpu = r >> 21 & 3,
				   .pid = (int32_t)(r >> 23 & 7),
				   .ts = ts };
	if (r >> 28 & 1)
		ev->type = KMEM_PAGE_ALLOC; /* not a slab event */
	if (ev->type == KMEM_CACHE_ALLOC) {
		ev->slab_alloc.ptr = ptr;
		ev->slab_alloc.callsite = r >> 25 & 7;
		ev->slab_alloc.bytes_req = 1 + (r >> 4 & 63);
		ev->slab_alloc.bytes_alloc = 64;
	} else if (ev->type == KMEM_KFREE) {
		ev->slab_free.ptr = ptr;
	}
}

/* Every end has its allocation, whatever the sizes of the batches, with and without times. */
START_TEST(lives_begin_before_they_end)
{
	struct kmem_event *evs = calloc(EVENTS, sizeof(*evs));
	struct watched *watched = calloc(PTRS, sizeof(*watched));
	struct slab_lives *l = calloc(1, sizeof(*l));
	const struct live_entry *e = NULL;
	uint64_t nr[LIFE_REFUSED] = { 0 };
	struct heard h = { 0 };
	uint32_t seed = 5;
	size_t i, some;

	ck_assert(evs && watched && l);
	l->any.live.times = _i & 1;
	l->skew = 8;
	l->any.dimensions.of[0] = _i & 2 ? DIMENSION_PID : DIMENSION_NONE;
	ck_assert_int_eq(lives_observe(&l->any, hear, &h), 0);
	for (i = 0; i < EVENTS; i++)
		random_event(&evs[i], &seed, i + 1);
	for (i = 0; i < EVENTS; i += some) {
		some = 1 + i % 1500;
		if (some > EVENTS - i)
			some = EVENTS - i;
		slab_lives_events(l, evs + i, some);
	}
	slab_lives_finish(l);
	ck_assert(!l->any.failed);
	ck_assert_uint_le(h.largest, 2 * LIVES_EVENTS);
	ck_assert_uint_gt(h.nr_batches, EVENTS / 1500);
	for (i = 0; i < h.nr; i++) {
		nr[h.lives[i].what]++;
		ck_assert(!i || !h.times[i] || h.times[i - 1] <= h.times[i]);
		check_life(&watched[(h.lives[i].at - 0x100000) / 64], &h.lives[i],
			   h.times[i], _i & 1);
	}
	for (i = 0; i < LIFE_REFUSED; i++)
		ck_assert_uint_gt(nr[i], 0);
	while ((e = lives_next(&l->any, e))) {
		struct watched *w = &watched[(e->key - 0x100000) / 64];

		ck_assert(w->lives);
		ck_assert_uint_eq(live_begin(&l->any.live, e), w->born.begin);
		w->lives = false;
	}
	for (i = 0; i < PTRS; i++)
		ck_assert(!watched[i].lives);
	slab_lives_free(l);
	heard_free(&h);
	free(l);
	free(watched);
	free(evs);
}
END_TEST

/* All users share one account, whose rows are fine enough for all of them. */
START_TEST(accounts_are_made_once)
{
	const struct dimensions none = { 0 }, stack = { .of = { DIMENSION_STACK } },
				cpu = { .of = { DIMENSION_CPU } },
				two = { .of = { DIMENSION_PID, DIMENSION_STACK } },
				more = { .of = { DIMENSION_CPU, DIMENSION_NODE,
						 DIMENSION_COMM, DIMENSION_CGROUP } };
	const struct recording rec = { 0 };
	struct accounts a = { .rec = &rec, .page_size = 4096 };
	struct slab_lives *slab, *same;
	struct page_lives *page, *same_page;

	ck_assert_int_eq(accounts_of_memory(&a, MEMORY_SLAB, &none, &slab), 0);
	ck_assert_int_eq(accounts_of_memory(&a, MEMORY_PAGE, &cpu, &page), 0);
	ck_assert_int_eq(accounts_of_memory(&a, MEMORY_SLAB, &stack, &same), 0);
	ck_assert_ptr_eq(same, slab);
	ck_assert_int_eq(accounts_of_memory(&a, MEMORY_SLAB, &none, &same), 0);
	ck_assert_ptr_eq(same, slab);
	ck_assert_int_eq(slab->any.dimensions.of[0], DIMENSION_STACK);
	ck_assert_int_eq(accounts_of_memory(&a, MEMORY_SLAB, &two, &same), 0);
	ck_assert_ptr_eq(same, slab);
	ck_assert_int_eq(slab->any.dimensions.of[0], DIMENSION_STACK);
	ck_assert_int_eq(slab->any.dimensions.of[1], DIMENSION_PID);
	ck_assert_int_eq(slab->any.dimensions.of[2], DIMENSION_NONE);
	/* The limit is reached: one more fails. */
	ck_assert_int_eq(accounts_of_memory(&a, MEMORY_SLAB, &more, &same), -EOVERFLOW);
	ck_assert_ptr_null(same);
	ck_assert_int_eq(slab->any.dimensions.of[2], DIMENSION_NONE);
	ck_assert_int_eq(accounts_of_memory(&a, MEMORY_SLAB, &cpu, &same), 0);
	ck_assert_ptr_eq(same, slab);
	ck_assert_int_eq(accounts_of_memory(&a, MEMORY_PAGE, &cpu, &same_page), 0);
	ck_assert_ptr_eq(same_page, page);
	ck_assert_int_eq(page->any.dimensions.of[1], DIMENSION_NONE);
	ck_assert_uint_eq(slab->large_bytes, 8192);
	accounts_finish(&a);
	ck_assert(!slab->any.failed && !page->any.failed);
	accounts_free(&a);
}
END_TEST

Suite *test_slab_lives_suite(void)
{
	Suite *s = suite_create("account/slab_lives");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, nothing_happened);
	tcase_add_test(tc, each_life_is_handed_over);
	tcase_add_loop_test(tc, lives_begin_before_they_end, 0, 4);
	tcase_add_test(tc, accounts_are_made_once);
	suite_add_tcase(s, tc);
	return s;
}
