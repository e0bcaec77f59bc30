// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/page_lives.h: what observers receive, in what order, and with which allocation.
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

static void end_pages(struct model *m, const struct life *life)
{
	bool last = life->flags & LIFE_LAST, reordered = life->flags & LIFE_REORDERED;
	struct watched *w = &m->watched[life->at];

	ck_assert_uint_gt(life->nr, 0);
	ck_assert_uint_le(life->nr, w->left);
	ck_assert_uint_eq(life->begin, w->begin);
	w->implicit |= life->what == LIFE_GONE;
	w->left -= life->nr;
	m->live -= life->nr;
	ck_assert_int_eq(last, !w->left);
	if (last)
		ck_assert_int_eq((life->flags & LIFE_IMPLICIT) != 0, w->implicit);
	ck_assert_int_eq((life->flags & LIFE_OTHER_CPU) != 0,
			 reordered ||
				 (life->event && life->event->type == KMEM_PAGE_FREE &&
				  life->event->cpu != w->cpu));
	m->ended += last;
	m->reordered += reordered;
	*(life->what == LIFE_GONE ? &m->gone : &m->freed) += life->nr;
}

static void hear(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;
	struct model *m = ctx;

	ck_assert_uint_gt(nr, 0);
	if (nr > m->largest)
		m->largest = nr;
	for (; life < end; life++) {
		switch (life->what) {
		case LIFE_BORN:
			ck_assert_uint_eq(life->begin, m->times ? life->event->ts : 0);
			m->live += life->nr;
			m->requests++;
			ck_assert_uint_eq(m->watched[life->at].left, 0);
			m->watched[life->at] =
				(struct watched){ life->begin, life->nr, life->event->cpu,
						  false };
			break;
		case LIFE_REFUSED:
			m->refused++;
			break;
		case LIFE_FOUND:
			m->found += life->nr;
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
	l->any.live.times = _i;
	l->doubts.skew = 8;
	ck_assert_int_eq(lives_observe(&l->any, hear, &m), 0);
	for (i = 0; i < EVENTS; i++)
		random_event(&evs[i], &seed, i + 1);
	for (i = 0; i < EVENTS; i += some) {
		some = 1 + i % 1500;
		if (some > EVENTS - i)
			some = EVENTS - i;
		page_lives_events(l, evs + i, some);
	}
	page_lives_finish(l);
	ck_assert(!l->any.failed);
	ck_assert_uint_le(m.largest, 2 * LIVES_EVENTS);
	ck_assert(m.freed && m.gone && m.refused && m.reordered && m.found);
	while ((e = lives_next(&l->any, e))) {
		uint64_t first = l->any.kind->first(&l->any, e);

		live += 1ULL << e->order;
		m.watched[first].left -= 1ULL << e->order;
		ck_assert_uint_eq(live_begin(&l->any.live, e), m.watched[first].begin);
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
	l->any.live.times = true;
	ck_assert_int_eq(lives_observe(&l->any, hear, &m), 0);
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
	ck_assert_uint_le(m.largest, 2 * LIVES_EVENTS);
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
