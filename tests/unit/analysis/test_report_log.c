// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/browse/report_log.h, compared with a list of all events.
 */
#include "analysis/browse/report_log.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 3000, SITES = 5, OBJECTS = 200, FIRST = 1000000, LAST = FIRST + 120000 };

struct happened {
	uint64_t offset;
	uint32_t site;
	bool born;
};

struct made {
	struct slab_lives slab;
	struct page_lives page;
	struct report_log log;
	struct happened all[EVENTS];
};

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 12;
}

/* Objects of callsite s have 64 + s bytes, of which 32 were requested. It is row s of the page. */
static void make(struct made *m, size_t limit)
{
	struct lives *const of[MEMORY_KINDS] = { &m->slab.any, &m->page.any };
	uint32_t site_of[OBJECTS] = { 0 }, seed = 7, *rows;
	uint64_t ts = FIRST - 300;

	*m = (struct made){ .log.limit = limit };
	ck_assert(!report_log_observe(&m->log, of, FIRST, LAST));
	for (size_t i = 0; i < EVENTS; i++, ts += next(&seed) % 81) {
		uint32_t ptr = next(&seed) % OBJECTS;
		struct kmem_event ev = { .ts = ts, .type = KMEM_KFREE };
		struct happened *h = &m->all[i];

		h->offset = ts < FIRST ? 0 : (ts > LAST ? LAST : ts) - FIRST;
		h->born = !site_of[ptr];
		h->site = h->born ? 1 + next(&seed) % SITES : site_of[ptr];
		site_of[ptr] = h->born ? h->site : 0;
		if (h->born)
			ev = (struct kmem_event){ .ts = ts,
						  .type = KMEM_KMALLOC,
						  .slab_alloc = {
							  .callsite = h->site,
							  .bytes_req = 32,
							  .bytes_alloc = 64 + h->site } };
		*(h->born ? &ev.slab_alloc.ptr : &ev.slab_free.ptr) = 4096 + ptr * 8;
		slab_lives_events(&m->slab, &ev, 1);
	}
	slab_lives_finish(&m->slab);
	page_lives_finish(&m->page);
	rows = calloc(lives_rows(of[0]), sizeof(*rows));
	for (size_t i = 0; i < lives_rows(of[0]); i++)
		rows[i] = (uint32_t)slab_lives_key(&m->slab, i)->callsite;
	report_log_rows(&m->log, MEMORY_SLAB, rows, lives_rows(of[0]));
	report_log_end(&m->log, SITES + 1);
}

static void drop(struct made *m)
{
	report_log_free(&m->log);
	slab_lives_free(&m->slab);
	page_lives_free(&m->page);
	free(m);
}

/* Compares one bin of a row with the events from @from up to @to. */
static void compare(const struct made *m, const struct web_report *part, uint32_t row,
		    uint32_t bin, const uint64_t times[2])
{
	uint64_t hit = 0, ended = 0, size = 64 + row;
	const struct web_cell none = { 0 }, *cell = &none;

	for (size_t i = 0; i < EVENTS; i++) {
		const struct happened *h = &m->all[i];

		if (h->site != row || h->offset < times[0] || h->offset >= times[1])
			continue;
		hit += h->born;
		ended += h->born ? 0 : size;
	}
	for (size_t i = 0; i < part->rows[row].nr; i++) {
		const struct web_cell *one = &part->cells[part->rows[row].first + i];

		cell = one->bin == bin ? one : cell;
	}
	ck_assert_uint_eq(cell->hit, hit);
	ck_assert_uint_eq(cell->bytes, hit * size);
	ck_assert_uint_eq(cell->bytes_req, hit * 32);
	ck_assert_uint_eq(cell->ended, ended);
}

START_TEST(parts)
{
	struct made *m = malloc(sizeof(*m));
	struct report_piece pieces[REPORT_PART_PIECES];
	struct web_report part = { 0 };
	uint32_t bin = 0;
	int nr = report_pieces_parse(
		"0,1000,1000,1;1000,7,3,90;20000,5000,64,3;119000,1001,9,1", pieces);

	make(m, 0);
	ck_assert_int_eq(nr, 4);
	ck_assert(!report_log_part(&m->log, pieces, (size_t)nr, &part));
	ck_assert_uint_eq(part.nr_rows, SITES + 1);
	ck_assert_uint_eq(part.nr_bins, 1 + 90 * 3 + 3 * 79 + 112);
	for (int i = 0; i < nr; i++) {
		const struct report_piece *p = &pieces[i];

		for (uint64_t at = p->start; at < p->start + p->length * p->nr; bin++) {
			uint64_t left = p->length - (at - p->start) % p->length;
			uint64_t times[2] = { at,
					      at + (left < p->width ? left : p->width) };

			for (uint32_t row = 1; row <= SITES; row++)
				compare(m, &part, row, bin, times);
			at = times[1];
		}
	}
	ck_assert_uint_eq(bin, part.nr_bins);
	web_report_free(&part);
	drop(m);
}
END_TEST

START_TEST(marks)
{
	const struct kmem_event evs[] = {
		{ .type = KMEM_LOSS, .ts = 5, .loss.count = 7 },
		{ .type = KMEM_LOSS, .ts = 5, .loss.count = KMEM_LOSS_UNKNOWN },
		{ .type = KMEM_PAGE_ALLOC, .ts = 8, .page_alloc.pfn = KMEM_NO_PFN },
		{ .type = KMEM_PAGE_ALLOC, .ts = 8, .page_alloc.pfn = 1 },
		{ .type = KMEM_KMALLOC, .ts = 9 },
		{ .type = KMEM_KMALLOC, .ts = 9, .hidden = true },
	};
	const struct report_piece piece = { 2, 4, 1, 2, 4 };
	struct report_log log = { .last = 100 };
	struct web_report part = { 0 };

	report_log_events(&log, evs, ARRAY_SIZE(evs));
	report_log_end(&log, 1);
	ck_assert(!report_log_part(&log, &piece, 1, &part));
	ck_assert_uint_eq(part.marks[3].lost, 7);
	ck_assert_uint_eq(part.marks[3].gaps, 1);
	ck_assert_uint_eq(part.marks[6].failed, 1);
	ck_assert_uint_eq(part.marks[7].failed, 1);
	ck_assert_uint_eq(part.nr_cells, 0);
	web_report_free(&part);
	report_log_free(&log);
}
END_TEST

/* With too many changes, the log is empty rather than partial. */
START_TEST(full)
{
	struct made *m = malloc(sizeof(*m));
	const struct report_piece piece = { 0, 1000, 1000, 1, 1 };
	struct web_report part = { 0 };

	make(m, EVENTS - 1);
	ck_assert(m->log.full);
	ck_assert_ptr_null(m->log.changes);
	ck_assert_int_eq(report_log_part(&m->log, &piece, 1, &part), -ENODATA);
	web_report_free(&part);
	drop(m);
}
END_TEST

START_TEST(bad)
{
	static const char *const texts[] = {
		"",
		"1",
		"1,2,1",
		"1,2,1,",
		"1,2,1,1,",
		"1,2,1,1;2,1,1,1",
		"1,2,0,1",
		"1,2,3,1",
		"1,2,1,0",
		"-1,2,1,1",
		" 1,2,1,1",
		"1,2,1,1 ",
		"a",
		"1,2,1,1;;",
		"1,1,1,8193",
		"1,8193,1,1",
		"1,2,1,4097",
		"9223372036854775807,1,1,1",
		"0,9223372036854775807,1,1",
		"99999999999999999999,1,1,1",
		"0,4611686018427387904,4611686018427387904,2",
	};
	struct report_piece pieces[REPORT_PART_PIECES];
	char many[16 * (REPORT_PART_PIECES + 1)] = "";

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		ck_assert_msg(report_pieces_parse(texts[i], pieces) == -EINVAL, "%s",
			      texts[i]);
	ck_assert_int_eq(report_pieces_parse(
				 "0,9223372036854775807,9223372036854775807,1", pieces),
			 1);
	for (unsigned int i = 0; i < REPORT_PART_PIECES; i++)
		snprintf(many + strlen(many), 16, "%u,1,1,1;", i);
	ck_assert_int_eq(report_pieces_parse(many, pieces), (int)REPORT_PART_PIECES);
	snprintf(many + strlen(many), 16, "99,1,1,1");
	ck_assert_int_eq(report_pieces_parse(many, pieces), -EINVAL);
}
END_TEST

Suite *test_report_log_suite(void);
Suite *test_report_log_suite(void)
{
	Suite *s = suite_create("analysis/report_log");
	TCase *tc = tcase_create("core");

	tcase_add_test(tc, parts);
	tcase_add_test(tc, marks);
	tcase_add_test(tc, full);
	tcase_add_test(tc, bad);
	suite_add_tcase(s, tc);
	return s;
}
