// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/time/over_time.h, compared with a list of all events.
 */
#include "analysis/time/over_time.h"

#include <check.h>
#include <stdlib.h>

enum { EVENTS = 4000, SITES = 5, OBJECTS = 300, FIRST = 1000000 };

/* One slab event. @site: the callsite of its object. */
struct happened {
	uint64_t ts;
	uint32_t site;
	struct over_time_cell what;
};

struct made {
	struct slab_lives slab;
	struct over_time time;
	struct happened all[EVENTS];
	size_t nr;
};

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 12;
}

/* Allocates an object, or frees one that is live. */
static struct kmem_event event_of(struct happened *h, uint32_t *site_of, uint32_t ptr,
				  uint32_t size)
{
	struct kmem_event ev = { .ts = h->ts, .cpu = 0 };

	if (site_of[ptr]) {
		ev.type = KMEM_KFREE;
		ev.slab_free.ptr = 4096 + ptr * 8;
		h->site = site_of[ptr];
		h->what = (struct over_time_cell){ .ended = 64 + h->site };
		site_of[ptr] = 0;
		return ev;
	}
	h->site = site_of[ptr] = 1 + size % SITES;
	ev.type = KMEM_KMALLOC;
	ev.slab_alloc.ptr = 4096 + ptr * 8;
	ev.slab_alloc.callsite = h->site;
	ev.slab_alloc.bytes_req = 32;
	ev.slab_alloc.bytes_alloc = 64 + h->site;
	h->what = (struct over_time_cell){ .hit = 1,
					   .bytes_req = 32,
					   .bytes = 64 + h->site };
	return ev;
}

static void make(struct made *m, size_t limit)
{
	uint32_t site_of[OBJECTS] = { 0 }, seed = 7;
	uint64_t ts = FIRST;

	*m = (struct made){ 0 };
	over_time_init(&m->time, FIRST, FIRST + (uint64_t)EVENTS * 50, OVER_TIME_BINS,
		       limit);
	ck_assert(!over_time_observe(&m->time, &m->slab.any));
	for (m->nr = 0; m->nr < EVENTS; m->nr++) {
		struct happened *h = &m->all[m->nr];
		struct kmem_event ev;

		h->ts = ts;
		/* The clock sometimes steps back or beyond the end. */
		if (m->nr % 97 == 96)
			h->ts -= h->ts - FIRST > 9000 ? 9000 : 0;
		ts += next(&seed) % 101;
		ev = event_of(h, site_of, next(&seed) % OBJECTS, next(&seed));
		slab_lives_events(&m->slab, &ev, 1);
	}
	slab_lives_finish(&m->slab);
	over_time_end(&m->time);
	ck_assert(!m->time.failed && !m->slab.any.failed);
}

/* The sum of the events in @bin of objects of @site. */
static struct over_time_cell sum_of(const struct made *m, uint32_t site, uint32_t bin)
{
	struct over_time_cell sum = { .bin = bin };
	size_t i;

	for (i = 0; i < m->nr; i++) {
		const struct happened *h = &m->all[i];
		uint64_t at = (h->ts - FIRST) / m->time.width;

		if (at >= m->time.nr_bins)
			at = m->time.nr_bins - 1;
		if (h->site != site || at != bin)
			continue;
		sum.hit += h->what.hit;
		sum.bytes_req += h->what.bytes_req;
		sum.bytes += h->what.bytes;
		sum.ended += h->what.ended;
	}
	return sum;
}

static void compare(const struct made *m)
{
	uint32_t bin;
	size_t row;

	ck_assert_uint_eq(lives_rows(&m->slab.any), SITES);
	for (row = 0; row < SITES; row++) {
		uint32_t site = (uint32_t)slab_lives_key(&m->slab, row)->callsite;
		uint32_t nr;
		const struct over_time_cell *c = over_time_cells(&m->time, row, &nr);

		for (bin = 0; bin < m->time.nr_bins; bin++) {
			const struct over_time_cell sum = sum_of(m, site, bin);

			if (!sum.hit && !sum.ended)
				continue;
			ck_assert_uint_gt(nr--, 0);
			ck_assert_uint_eq(c->bin, bin);
			ck_assert_uint_eq(c->hit, sum.hit);
			ck_assert_uint_eq(c->bytes_req, sum.bytes_req);
			ck_assert_uint_eq(c->bytes, sum.bytes);
			ck_assert_uint_eq(c->ended, sum.ended);
			c++;
		}
		ck_assert_uint_eq(nr, 0);
	}
}

static void drop(struct made *m)
{
	over_time_free(&m->time);
	slab_lives_free(&m->slab);
	free(m);
}

START_TEST(sums)
{
	struct made *m = malloc(sizeof(*m));

	make(m, OVER_TIME_CELLS);
	ck_assert_uint_eq(m->time.width, EVENTS * 50 / OVER_TIME_BINS + 1);
	compare(m);
	drop(m);
}
END_TEST

/* The number of bins shrinks, but sums stay exact. */
START_TEST(bounded)
{
	static const size_t limits[] = { 1, SITES, 40, 300, 900 };
	struct made *m = malloc(sizeof(*m));

	make(m, limits[_i]);
	ck_assert_uint_lt(m->time.nr_bins, OVER_TIME_BINS);
	ck_assert_uint_ge(m->time.nr_bins, 1);
	ck_assert_uint_le(m->time.nr_cells, limits[_i] < SITES ? SITES : limits[_i]);
	compare(m);
	drop(m);
}
END_TEST

START_TEST(marks)
{
	const struct kmem_event evs[] = {
		{ .type = KMEM_LOSS, .ts = 5, .loss.count = 7 },
		{ .type = KMEM_LOSS, .ts = 5, .loss.count = KMEM_LOSS_UNKNOWN },
		{ .type = KMEM_PAGE_ALLOC, .ts = 256, .page_alloc.pfn = KMEM_NO_PFN },
		{ .type = KMEM_PAGE_ALLOC, .ts = 256, .page_alloc.pfn = 1 },
		{ .type = KMEM_KMALLOC, .ts = 9999 },
		{ .type = KMEM_KMALLOC, .ts = 9999, .hidden = true },
		{ .type = KMEM_KFREE, .ts = 9999 },
	};
	struct over_time t;

	over_time_init(&t, 1, 2 * OVER_TIME_BINS, OVER_TIME_BINS, OVER_TIME_CELLS);
	over_time_events(&t, evs, ARRAY_SIZE(evs));
	ck_assert_uint_eq(t.width, 2);
	ck_assert_uint_eq(t.marks[2].lost, 7);
	ck_assert_uint_eq(t.marks[2].gaps, 1);
	ck_assert_uint_eq(t.marks[127].failed, 1);
	ck_assert_uint_eq(t.marks[OVER_TIME_BINS - 1].failed, 1);
	over_time_free(&t);
}
END_TEST

/* Bins are no finer than the clock, and none lies beyond the end. */
START_TEST(coarse)
{
	static const struct {
		uint64_t span, width;
		uint32_t bins, coarser;
	} of[] = { { 0, 1, 1, 1 },	  { 4, 1, 5, 5 },
		   { 100, 1, 101, 51 },	  { 2047, 1, 2048, 64 },
		   { 2048, 2, 1025, 33 }, { 4095, 2, 2048, 64 },
		   { 4096, 3, 1366, 43 }, { 999999999, 488282, 2048, 64 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		struct over_time t;

		over_time_init(&t, 7, 7 + of[i].span, OVER_TIME_BINS, 100);
		ck_assert_uint_eq(t.width, of[i].width);
		ck_assert_uint_eq(t.nr_bins, of[i].bins);
		over_time_init(&t, 7, 7 + of[i].span, 64, 100);
		ck_assert_uint_eq(t.nr_bins, of[i].coarser);
		ck_assert_uint_gt(t.nr_bins * t.width, of[i].span);
		ck_assert_uint_le((t.nr_bins - 1) * t.width, of[i].span);
	}
}
END_TEST

/* However often a clock runs back and forth, there are at most twice as many cells as sums. */
START_TEST(back_and_forth)
{
	const struct over_time_cell *c;
	struct over_time t;
	uint32_t nr;

	over_time_init_parts(&t, 0, 9, 10);
	for (uint64_t i = 0; i < 1000; i++)
		over_time_add(&t, i / 3 % 2, i % 5,
			      &(struct over_time_cell){ .hit = 1, .bytes = i });
	ck_assert_uint_le(t.nr_cells, 32);
	over_time_end(&t);
	for (size_t row = 0; row < 2; row++) {
		c = over_time_cells(&t, row, &nr);
		ck_assert_uint_eq(nr, 5);
		for (uint32_t bin = 0; bin < nr; bin++, c++) {
			uint64_t hit = 0, bytes = 0;

			for (uint64_t i = bin; i < 1000; i += 5) {
				hit += i / 3 % 2 == row;
				bytes += i / 3 % 2 == row ? i : 0;
			}
			ck_assert_uint_eq(c->bin, bin);
			ck_assert_uint_eq(c->hit, hit);
			ck_assert_uint_eq(c->bytes, bytes);
		}
	}
	over_time_free(&t);
}
END_TEST

Suite *test_over_time_suite(void);
Suite *test_over_time_suite(void)
{
	Suite *s = suite_create("analysis/over_time");
	TCase *tc = tcase_create("core");

	tcase_add_test(tc, sums);
	tcase_add_loop_test(tc, bounded, 0, 5);
	tcase_add_test(tc, marks);
	tcase_add_test(tc, coarse);
	tcase_add_test(tc, back_and_forth);
	suite_add_tcase(s, tc);
	return s;
}
