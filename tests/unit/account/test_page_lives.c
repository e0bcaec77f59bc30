// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/page_lives.h: what observers get, in which order, and with which allocation.
 */
#include <check.h>
#include <stdlib.h>

#include "account/page_lives.h"

enum { PAGES = 1 << 14, EVENTS = 200000 };

/* The request whose first page is at a frame, as the observer saw it. */
struct watched {
	uint64_t begin, left;
	uint32_t cpu;
	bool implicit;
};

/* Sums of all that the observer saw. */
struct model {
	struct watched *watched; /* by first frame */
	uint64_t live, freed, gone, found, refused, requests, ended, reordered;
	size_t largest;
	bool times;
};

static void end_pages(struct model *m, const struct page_life *life)
{
	struct watched *w = &m->watched[life->pfn];

	ck_assert_uint_gt(life->pages, 0);
	ck_assert_uint_le(life->pages, w->left);
	ck_assert_uint_eq(life->begin, w->begin);
	w->implicit |= life->what == PAGE_GONE;
	w->left -= life->pages;
	m->live -= life->pages;
	ck_assert_int_eq(life->last, !w->left);
	if (life->last)
		ck_assert_int_eq(life->implicit, w->implicit);
	ck_assert_int_eq(life->other_cpu,
			 life->reordered ||
				 (life->event && life->event->type == KMEM_PAGE_FREE &&
				  life->event->cpu != w->cpu));
	m->ended += life->last;
	m->reordered += life->reordered;
	*(life->what == PAGE_GONE ? &m->gone : &m->freed) += life->pages;
}

static void hear(void *ctx, const struct page_life *life, size_t nr)
{
	const struct page_life *end = life + nr;
	struct model *m = ctx;

	ck_assert_uint_gt(nr, 0);
	if (nr > m->largest)
		m->largest = nr;
	for (; life < end; life++) {
		switch (life->what) {
		case PAGE_BORN:
			ck_assert_uint_eq(life->begin, m->times ? life->event->ts : 0);
			m->live += life->pages;
			m->requests++;
			ck_assert_uint_eq(m->watched[life->pfn].left, 0);
			m->watched[life->pfn] =
				(struct watched){ life->begin, life->pages,
						  life->event->cpu, false };
			break;
		case PAGE_REFUSED:
			m->refused++;
			break;
		case PAGE_FOUND:
			m->found += life->pages;
			break;
		default:
			end_pages(m, life);
		}
	}
}

/* Requests of eight pages that are freed whole, freed in part, or replaced by others. */
static void random_event(struct kmem_event *ev, uint32_t *seed, uint64_t ts)
{
	uint32_t r = *seed = *seed * 1103515245 + 12345, order = r >> 28 & 3;
	uint64_t pfn = (r >> 8 & (PAGES - 1)) & ~7ULL;

	*ev = (struct kmem_event){ .cpu = r >> 26 & 1, .ts = ts };
	switch (r >> 22 & 7) {
	case 0:
	case 1:
	case 2:
		ev->type = KMEM_PAGE_ALLOC;
		ev->page_alloc.order = 3;
		ev->page_alloc.gfp_flags = order;
		ev->page_alloc.pfn = r >> 20 & 3 ? pfn : KMEM_NO_PFN;
		break;
	case 3:
		ev->type = KMEM_PAGE_FREE_BATCHED;
		ev->page_free.pfn = pfn + order;
		break;
	case 4:
		ev->type = KMEM_KFREE; /* not a page event */
		break;
	default:
		ev->type = KMEM_PAGE_FREE;
		ev->page_free.order = r >> 20 & 1 ? 3 : order;
		ev->page_free.pfn = pfn;
	}
}

/* Every page of every request ends at most once, and the last one is marked as the last. */
START_TEST(pages_end_once)
{
	struct kmem_event *evs = calloc(EVENTS, sizeof(*evs));
	struct page_lives *l = calloc(1, sizeof(*l));
	struct model m = { .watched = calloc(PAGES, sizeof(*m.watched)), .times = _i };
	const struct live_entry *e = NULL;
	uint64_t live = 0;
	uint32_t seed = 11;
	size_t i, some;

	ck_assert(evs && l && m.watched);
	l->blocks.times = _i;
	l->doubts.skew = 8;
	ck_assert_int_eq(page_lives_observe(l, hear, &m), 0);
	for (i = 0; i < EVENTS; i++)
		random_event(&evs[i], &seed, i + 1);
	for (i = 0; i < EVENTS; i += some) {
		some = 1 + i % 1500;
		if (some > EVENTS - i)
			some = EVENTS - i;
		page_lives_events(l, evs + i, some);
	}
	page_lives_finish(l);
	ck_assert(!l->failed);
	ck_assert_uint_le(m.largest, 2 * PAGE_LIVES_EVENTS);
	ck_assert(m.freed && m.gone && m.refused && m.reordered && m.found);
	while ((e = page_lives_next(l, e))) {
		uint64_t first = page_lives_first(l, e);

		live += 1ULL << e->order;
		m.watched[first].left -= 1ULL << e->order;
		ck_assert_uint_eq(live_begin(&l->blocks, e), m.watched[first].begin);
	}
	ck_assert_uint_eq(live, m.live);
	for (i = 0; i < PAGES; i++)
		ck_assert_uint_eq(m.watched[i].left, 0);
	page_lives_free(l);
	free(m.watched);
	free(l);
	free(evs);
}
END_TEST

/* One event can end more allocations than a batch holds. */
START_TEST(one_event_ends_many_lives)
{
	struct page_lives *l = calloc(1, sizeof(*l));
	struct model m = { .watched = calloc(PAGES, sizeof(*m.watched)), .times = true };
	struct kmem_event ev = { .type = KMEM_PAGE_ALLOC };
	uint64_t pfn;

	ck_assert(l && m.watched);
	l->blocks.times = true;
	ck_assert_int_eq(page_lives_observe(l, hear, &m), 0);
	for (pfn = 0; pfn < PAGES; pfn++) {
		ev.ts = 1000 + pfn;
		ev.page_alloc.pfn = pfn;
		page_lives_events(l, &ev, 1);
	}
	ck_assert_uint_eq(m.live, PAGES);
	ev = (struct kmem_event){ .type = KMEM_PAGE_FREE, .ts = 1000000 };
	ev.page_free.order = 14;
	page_lives_events(l, &ev, 1);
	ck_assert_uint_eq(m.live, 0);
	ck_assert_uint_eq(m.ended, PAGES);
	ck_assert_uint_eq(m.freed, PAGES);
	ck_assert_uint_le(m.largest, 2 * PAGE_LIVES_EVENTS);
	page_lives_free(l);
	free(m.watched);
	free(l);
}
END_TEST

Suite *test_page_lives_suite(void)
{
	Suite *s = suite_create("account/page_lives");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, pages_end_once, 0, 2);
	tcase_add_test(tc, one_event_ends_many_lives);
	suite_add_tcase(s, tc);
	return s;
}
