// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/browse/report_rows.h: bins and stays when a page has too many.
 */
#include "analysis/browse/report_rows.h"

#include <stdlib.h>

#include "made_events.h"

/* Objects of 64 bytes, allocated at @callsite. */
static void objects(struct fixture *f, uint64_t callsite, unsigned int nr)
{
	for (; nr; nr--) {
		struct kmem_event *ev = event(f, KMEM_KMALLOC, 0, 0);

		ev->slab_alloc.ptr = 0x1000 * f->nr;
		ev->slab_alloc.callsite = callsite;
		ev->slab_alloc.bytes_req = ev->slab_alloc.bytes_alloc = 64;
	}
}

/* Callsites of one function are one row with everything they allocated, even if another row is
 * heavier than one of them.
 */
START_TEST(rows_of_functions)
{
	static const char kallsyms[] = "1000 T f\n2000 T g\n3000 T end\n";
	struct web_report w = { 0 };
	const struct report_options own = { .web = &w };
	const struct analysis_options opts = { .own = &own };
	uint64_t hits[2] = { 0 };
	struct symbols *syms;
	struct fixture f;

	set_up(&f);
	ck_assert(!symbols_new(&syms, kallsyms, strlen(kallsyms), NULL));
	f.in.env.syms = syms;
	objects(&f, 0x1010, 7);
	objects(&f, 0x2010, 5);
	objects(&f, 0x1020, 2);
	objects(&f, 0x1030, 6);
	(void)report_of(&f, "report", &opts);
	ck_assert_uint_eq(w.nr_rows, 2);
	for (size_t row = 0; row < w.nr_rows; row++) {
		const char *name = intern_get(&w.names, w.rows[row].callsite, NULL);
		uint64_t ended = 0, bytes = 0;

		for (size_t i = w.rows[row].first; i < w.rows[row].first + w.rows[row].nr;
		     i++) {
			hits[*name == 'g'] += w.cells[i].hit;
			bytes += w.cells[i].bytes;
			ended += w.cells[i].ended;
		}
		ck_assert_uint_eq(bytes, w.rows[row].peak);
		ck_assert_uint_eq(ended, 0);
		ck_assert_uint_eq(w.rows[row].most, bytes);
	}
	ck_assert_uint_eq(hits[0], 7 + 2 + 6);
	ck_assert_uint_eq(hits[1], 5);
	web_report_free(&w);
	symbols_free(syms);
	tear_down(&f);
}
END_TEST

static void check_cells(const struct web_report *w, const struct web_cell *want,
			size_t nr)
{
	ck_assert_uint_eq(w->nr_cells, nr);
	for (size_t i = 0; i < nr; i++) {
		ck_assert_uint_eq(w->cells[i].bin, want[i].bin);
		ck_assert_uint_eq(w->cells[i].hit, want[i].hit);
		ck_assert_uint_eq(w->cells[i].bytes_req, want[i].bytes_req);
		ck_assert_uint_eq(w->cells[i].bytes, want[i].bytes);
		ck_assert_uint_eq(w->cells[i].ended, want[i].ended);
	}
}

/* Two bins become one with the sums of both. Each row is merged separately. */
START_TEST(halved)
{
	struct web_row rows[] = { { .first = 0, .nr = 3 },
				  { .first = 3, .nr = 0 },
				  { .first = 3, .nr = 2 } };
	struct web_cell cells[] = { { 0, 1, 20, 300, 4000 },
				    { 1, 2, 30, 400, 5000 },
				    { 4, 3, 40, 500, 6000 },
				    { 2, 4, 50, 600, 7000 },
				    { 3, 5, 60, 700, 8000 } };
	static const struct web_cell once[] = { { 0, 3, 50, 700, 9000 },
						{ 2, 3, 40, 500, 6000 },
						{ 1, 9, 110, 1300, 15000 } };
	static const struct web_cell twice[] = { { 0, 3, 50, 700, 9000 },
						 { 1, 3, 40, 500, 6000 },
						 { 0, 9, 110, 1300, 15000 } };
	struct web_mark marks[] = { { 1, 10, 100 },
				    { 2, 20, 200 },
				    { 3, 30, 300 },
				    { 4, 40, 400 },
				    { 5, 50, 500 } };
	struct web_report w = { .rows = rows,
				.nr_rows = ARRAY_SIZE(rows),
				.cells = cells,
				.nr_cells = ARRAY_SIZE(cells),
				.marks = marks,
				.nr_bins = ARRAY_SIZE(marks),
				.width = 7 };

	report_rows_halve(&w);
	check_cells(&w, once, ARRAY_SIZE(once));
	ck_assert_uint_eq(rows[0].first, 0);
	ck_assert_uint_eq(rows[0].nr, 2);
	ck_assert_uint_eq(rows[1].nr, 0);
	ck_assert_uint_eq(rows[2].first, 2);
	ck_assert_uint_eq(rows[2].nr, 1);
	ck_assert_uint_eq(w.nr_bins, 3);
	ck_assert_uint_eq(w.width, 14);
	for (uint32_t i = 0; i < w.nr_bins; i++) {
		static const uint64_t lost[] = { 1 + 2, 3 + 4, 5 };

		ck_assert_uint_eq(marks[i].lost, lost[i]);
		ck_assert_uint_eq(marks[i].gaps, 10 * lost[i]);
		ck_assert_uint_eq(marks[i].failed, 100 * lost[i]);
	}
	report_rows_halve(&w);
	check_cells(&w, twice, ARRAY_SIZE(twice));
	ck_assert_uint_eq(w.nr_bins, 2);
	ck_assert_uint_eq(w.width, 28);
}
END_TEST

static void check_stays(const struct web_report *w, const struct web_stay *want,
			size_t nr)
{
	ck_assert_uint_eq(w->nr_stays, nr);
	for (size_t i = 0; i < nr; i++) {
		ck_assert_uint_eq(w->stays[i].row, want[i].row);
		ck_assert_uint_eq(w->stays[i].begin, want[i].begin);
		ck_assert_uint_eq(w->stays[i].end, want[i].end);
		ck_assert_uint_eq(w->stays[i].bytes, want[i].bytes);
	}
}

/* Stays are ordered by row, begin and end; equal ones are merged. Their bins are at least as long
 * as the page's.
 */
START_TEST(stays_in_order)
{
	static const struct web_stay made[] = { { 2, 4, 5, 1 },	 { 1, 6, 7, 2 },
						{ 1, 4, 9, 4 },	 { 2, 4, 5, 8 },
						{ 1, 4, 8, 16 }, { 1, 5, 9, 32 } };
	static const struct web_stay same[] = { { 1, 4, 8, 16 },
						{ 1, 4, 9, 4 },
						{ 1, 5, 9, 32 },
						{ 1, 6, 7, 2 },
						{ 2, 4, 5, 9 } };
	static const struct web_stay longer[] = { { 1, 2, 4, 52 },
						  { 1, 3, 3, 2 },
						  { 2, 2, 2, 9 } };
	struct web_stay stays[ARRAY_SIZE(made)];
	struct web_report w = {
		.stays = stays, .nr_stays = ARRAY_SIZE(made), .nr_bins = 10, .width = 3
	};

	memcpy(stays, made, sizeof(made));
	ck_assert(!report_stays_end(&w, 3));
	check_stays(&w, same, ARRAY_SIZE(same));
	ck_assert_uint_eq(w.stay_bins, 1);

	memcpy(stays, made, sizeof(made));
	w.nr_stays = ARRAY_SIZE(made);
	w.width = 6;
	ck_assert(!report_stays_end(&w, 3));
	check_stays(&w, longer, ARRAY_SIZE(longer));
	ck_assert_uint_eq(w.stay_bins, 1);
}
END_TEST

/* The number of stays on a page is limited: beyond the limit their bins become longer than the
 * page's.
 */
START_TEST(stays_are_limited)
{
	static const struct {
		uint32_t nr, bins;
		size_t left;
	} cases[] = { { WEB_REPORT_STAYS, 1, WEB_REPORT_STAYS },
		      { WEB_REPORT_STAYS + 1, 2, WEB_REPORT_STAYS / 2 + 1 } };

	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		struct web_report w = { .nr_stays = cases[k].nr,
					.nr_bins = OVER_TIME_BINS,
					.width = 5 };
		uint64_t bytes = 0;

		w.stays = malloc(cases[k].nr * sizeof(*w.stays));
		for (uint32_t i = 0; i < cases[k].nr; i++) {
			const uint16_t bin = i % OVER_TIME_BINS;

			w.stays[i] = (struct web_stay){ i / OVER_TIME_BINS, bin, bin, 1 };
		}
		ck_assert(!report_stays_end(&w, 5));
		ck_assert_uint_eq(w.nr_stays, cases[k].left);
		ck_assert_uint_eq(w.stay_bins, cases[k].bins);
		for (size_t i = 0; i < w.nr_stays; i++)
			bytes += w.stays[i].bytes;
		ck_assert_uint_eq(bytes, cases[k].nr);
		free(w.stays);
	}
}
END_TEST

Suite *test_report_rows_suite(void);
Suite *test_report_rows_suite(void)
{
	Suite *s = suite_create("analysis/report_rows");
	TCase *tc = tcase_create("core");

	tcase_add_test(tc, rows_of_functions);
	tcase_add_test(tc, halved);
	tcase_add_test(tc, stays_in_order);
	tcase_add_test(tc, stays_are_limited);
	suite_add_tcase(s, tc);
	return s;
}
