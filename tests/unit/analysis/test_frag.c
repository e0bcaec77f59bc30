// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/kernel/frag.h: which allocations fell back, and what was live in their
 * pageblocks.
 */
#include <check.h>
#include <string.h>

#include "analysis/filter/alloc_filter.h"
#include "analysis/kernel/frag.h"
#include "base/compiler.h"
#include "cells.h"
#include "opened.h"

/* Its pageblocks are of order 9, as the event's format says. */
#define FILE_PATH "data/pressure-bookworm-amd64.v7.dat"

struct fixture {
	struct opened in;
	struct analysis_options opts;
	const struct analysis *analysis;
	void *self;
};

static void set_up(struct fixture *f)
{
	*f = (struct fixture){ .analysis = analysis_find("frag") };
	opened_open(&f->in, FILE_PATH);
	ck_assert_int_eq(analysis_new(f->analysis, &f->in.env, &f->opts, &f->self), 0);
}

static void tear_down(struct fixture *f)
{
	analysis_free(f->analysis, f->self);
	opened_close(&f->in);
}

/* Task @pid on CPU 0 takes a block of MOVABLE memory for UNMOVABLE pages. */
static struct kmem_event extfrag(uint64_t ts, int32_t pid, uint64_t pfn, int32_t order)
{
	return (struct kmem_event){ .ts = ts,
				    .type = KMEM_PAGE_ALLOC_EXTFRAG,
				    .pid = pid,
				    .extfrag = { .pfn = pfn,
						 .fallback_order = order,
						 .alloc_migratetype = 0,
						 .fallback_migratetype = 1 } };
}

static struct kmem_event alloc(uint64_t ts, int32_t pid, uint64_t pfn, uint32_t order)
{
	return (struct kmem_event){
		.ts = ts,
		.type = KMEM_PAGE_ALLOC,
		.pid = pid,
		.page_alloc = { .pfn = pfn, .order = order, .migratetype = 0 }
	};
}

static struct kmem_event page_free(uint64_t ts, uint64_t pfn, uint32_t order)
{
	return (struct kmem_event){ .ts = ts,
				    .type = KMEM_PAGE_FREE,
				    .page_free = { .pfn = pfn, .order = order } };
}

static void view(struct fixture *f)
{
	ck_assert(!f->analysis->view(f->self, f->in.report));
	ck_assert(report_ok(f->in.report));
}

static const struct table *table(const struct fixture *f, const char *name)
{
	return report_table(f->in.report, name);
}

START_TEST(how_long)
{
	struct kmem_event foreign = alloc(1350, 7, 0x2310, 0);
	struct kmem_event large = alloc(1360, 7, 0x2200, 9);
	struct kmem_event evs[] = {
		alloc(900, 7, 0x2201, 0), /* before the first fallback */
		extfrag(1000, 7, 0x2240, 4),
		alloc(1010, 7, 0x2240, 0),
		alloc(1020, 8, 0x2248, 2),
		alloc(1030, 8, 0x2400, 0), /* another pageblock */
		page_free(1100, 0x2240, 0),
		page_free(1110, 0x2240, 0), /* not live any more */
		page_free(1200, 0x2200, 8), /* a larger block, which contains all of it */
		alloc(1300, 9, 0x23ff, 0),
		foreign,
		large,
		page_free(1400, 0x2180, 8), /* ends within the pageblock ... */
		page_free(1450, 0x2300, 8), /* ... and this frees the rest */
		alloc(1500, 9, 0x2200, 0),
		alloc(1600, 9, 0x2200, 0), /* its free was not seen */
		page_free(1700, 0x2200, 0),
	};
	const struct table *t;
	struct fixture f;

	evs[9].page_alloc.migratetype = 1; /* MOVABLE pages belong here */
	set_up(&f);
	f.analysis->observe(f.self, evs, ARRAY_SIZE(evs));
	view(&f);
	t = table(&f, "frag_block");
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->nr_rows, 1);
	ck_assert_uint_eq(cell(t, 0, "pfn")->u, 0x2200);
	ck_assert_uint_eq(cell(t, 0, "hit")->u, 1);
	ck_assert_uint_eq(cell(t, 0, "pages")->u, 1 + 4 + 1 + 1 + 1);
	ck_assert_uint_eq(cell(t, 0, "live")->u, 0);
	ck_assert_uint_eq(cell(t, 0, "first")->u, 1000);
	ck_assert_str_eq(cell(t, 0, "from")->s, "MOVABLE");
	ck_assert_str_eq(cell(t, 0, "to")->s, "UNMOVABLE");
	ck_assert_uint_eq(cell(t, 0, "time")->u, 190 + 150 + 100 + 100);
	t = table(&f, "frag");
	ck_assert_uint_eq(summary(t, "fallbacks"), 1);
	ck_assert_uint_eq(summary(t, "fragmenting"), 1);
	ck_assert_str_eq(cell(t, 0, "fragmenting")->s, "yes");
	ck_assert_str_eq(cell(t, 0, "change_ownership")->s, "no");
	ck_assert_uint_eq(cell(t, 0, "pages")->u, 16);
	tear_down(&f);
}
END_TEST

/* Fallbacks that do not fragment have no pageblock. Claims are counted, and so are invalid numbers.
 */
START_TEST(which)
{
	struct kmem_event evs[] = {
		extfrag(1, 1, 0x2240, 9),	  extfrag(2, 1, 0x4000, 10),
		extfrag(3, 1, UINT64_MAX - 1, 8), extfrag(4, 1, KMEM_NO_PFN, 8),
		extfrag(5, 1, 0x6000, -7),	  extfrag(6, 1, 0x6001, INT32_MAX),
		page_free(7, UINT64_MAX - 1, 31), page_free(8, UINT64_MAX - 1, 3),
		alloc(9, 1, UINT64_MAX - 1, 1),	  alloc(9, 1, UINT64_MAX - 1, 31)
	};
	const struct table *t;
	struct fixture f;
	size_t i, hit = 0;

	evs[0].extfrag.change_ownership = 1;
	evs[4].extfrag.alloc_migratetype = -3;
	set_up(&f);
	f.analysis->observe(f.self, evs, ARRAY_SIZE(evs));
	view(&f);
	t = table(&f, "frag");
	for (i = 0; i < t->nr_rows; i++)
		hit += cell(t, i, "hit")->u;
	ck_assert_uint_eq(hit, 6);
	ck_assert_uint_eq(summary(t, "claims"), 1);
	ck_assert_uint_eq(summary(t, "fragmenting"), 3);
	t = table(&f, "frag_block");
	ck_assert_uint_eq(t->nr_rows, 1);
	ck_assert_uint_eq(cell(t, 0, "pages")->u, 2);
	tear_down(&f);
}
END_TEST

/* With a filter, only fallbacks whose allocation passes it count. */
START_TEST(whose)
{
	struct kmem_event loss = { .ts = 50, .type = KMEM_LOSS };
	struct kmem_event evs[] = {
		extfrag(10, 1, 0x2240, 4), extfrag(11, 2, 0x2340, 4),
		alloc(12, 2, 0x2340, 0),   alloc(13, 1, 0x2240, 0),
		extfrag(20, 3, 0x2440, 4), alloc(21, 3, 0x2440, 1),
		extfrag(30, 4, 0x2640, 4), alloc(31, 4, 0x2640, 0),
		extfrag(40, 5, 0x2840, 4), loss,
		alloc(51, 5, 0x2840, 0),
	};
	struct alloc_filter filter = { 0 };
	const struct table *t;
	struct fixture f;

	evs[2].hidden = true;
	evs[7].flags = 16; /* in a softirq that interrupted the task */
	set_up(&f);
	f.in.env.filter = &filter;
	f.opts.by = SUBJECT_PID;
	f.analysis->observe(f.self, evs, ARRAY_SIZE(evs));
	view(&f);
	t = table(&f, "frag");
	ck_assert_uint_eq(t->nr_rows, 1);
	ck_assert_int_eq(cell(t, 0, "pid")->i, 1);
	/* The allocations after fallbacks 3, 4 and 5 are not, or may not be, the ones that fell
	 * back.
	 */
	ck_assert_ptr_nonnull(
		strstr(t->notes[1], "3 fallbacks whose allocation was not found"));
	t = table(&f, "frag_block");
	ck_assert_uint_eq(t->nr_rows, 1);
	ck_assert_uint_eq(cell(t, 0, "pfn")->u, 0x2200);
	ck_assert_uint_eq(cell(t, 0, "hit")->u, 1);
	tear_down(&f);
}
END_TEST

/* How many of @nr fallbacks get the allocation @ev of task 1. */
static uint64_t fallbacks_of(unsigned int nr, const struct kmem_event *ev)
{
	struct alloc_filter filter = { 0 };
	uint64_t hit = 0;
	struct fixture f;

	set_up(&f);
	f.in.env.filter = &filter;
	for (unsigned int i = 0; i < nr; i++) {
		struct kmem_event fallback = extfrag(10 + i, 1, 0x2240, 4);

		f.analysis->observe(f.self, &fallback, 1);
	}
	f.analysis->observe(f.self, ev, 1);
	view(&f);
	if (table(&f, "frag"))
		for (size_t i = 0; i < table(&f, "frag")->nr_rows; i++)
			hit += cell(table(&f, "frag"), i, "hit")->u;
	tear_down(&f);
	return hit;
}

/* An allocation with another task, CPU, buffer, context, order or type does not match a fallback. A
 * CPU's fallbacks wait for their allocations until too many wait.
 */
START_TEST(waiting)
{
	const struct kmem_event its = alloc(1000, 1, 0x2240, 0);
	struct kmem_event others[] = { its, its, its, its, its, its };

	others[0].pid = 2;
	others[1].cpu = 1;
	others[2].buffer = 1;
	others[3].flags = 8;
	others[4].page_alloc.order = 1;
	others[5].page_alloc.migratetype = 1;
	ck_assert_uint_eq(fallbacks_of(1, &its), 1);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		ck_assert_uint_eq(fallbacks_of(1, &others[i]), 0);
	ck_assert_uint_eq(fallbacks_of(FRAG_WAITING_MAX, &its), FRAG_WAITING_MAX);
	ck_assert_uint_eq(fallbacks_of(FRAG_WAITING_MAX + 1, &its), 1);
}
END_TEST

/* compact_stall is missing in the first snapshot. */
static void counters(const struct fixture *f)
{
	const struct table *t = table(f, "frag_vmstat");

	ck_assert_uint_eq(t->nr_rows, 3);
	ck_assert_str_eq(cell(t, 0, "counter")->s, "allocstall");
	ck_assert_uint_eq(cell(t, 0, "before")->u, 5);
	ck_assert_uint_eq(cell(t, 0, "after")->u, 12);
	ck_assert_uint_eq(cell(t, 0, "growth")->u, 7);
	ck_assert_str_eq(cell(t, 1, "counter")->s, "compact_fail");
	ck_assert_uint_eq(cell(t, 1, "growth")->u, 0);
	ck_assert_str_eq(cell(t, 2, "counter")->s, "thp_fault_fallback");
	ck_assert_uint_eq(cell(t, 2, "growth")->u, 10);
}

/* Intervals of time, and memory before and after, from the recording's texts. */
START_TEST(facts)
{
	struct recording_text items[] = {
		{ .name = (char *)"pagetypeinfo.before",
		  .text = (char *)"Page block order: 10\n" },
		{ .name = (char *)"zoneinfo.before",
		  .text = (char *)"Node 0, zone DMA\n min 100\nNode 1, zone Normal\n min 28\n" },
		{ .name = (char *)"buddyinfo.before",
		  .text = (char *)"Node 0, zone DMA 4 2 1\nNode 1, zone Normal 1 0 0 5\n" },
		{ .name = (char *)"buddyinfo.after",
		  .text = (char *)"Node 0, zone DMA 7 0 0\n" },
		{ .name = (char *)"vmstat.before",
		  .text = (char *)"allocstall_dma 2\nallocstall_normal 3\ncompact_fail 9\n"
				  "thp_fault_fallback 7\nthp_fault_fallback_charge 6\n" },
		{ .name = (char *)"vmstat.after",
		  .text = (char *)"allocstall_dma 2\nallocstall_normal 10\ncompact_fail 9\n"
				  "compact_stall 1\nthp_fault_fallback 17\n"
				  "thp_fault_fallback_charge 8\n" },
	};
	struct kmem_event evs[] = { extfrag(100, 1, 0x2240, 9),
				    extfrag(199, 1, 0x2250, 9),
				    extfrag(150, 1, 0x2260, 9) };
	struct recording_text *meta;
	const struct table *t;
	struct fixture f;
	size_t nr_meta;

	set_up(&f);
	analysis_free(f.analysis, f.self);
	meta = f.in.rec->meta;
	nr_meta = f.in.rec->nr_meta;
	f.in.rec->meta = items;
	f.in.rec->nr_meta = ARRAY_SIZE(items);
	f.in.env.first_ts = 100;
	f.in.env.last_ts = 199;
	f.opts.bins = 4;
	ck_assert_int_eq(analysis_new(f.analysis, &f.in.env, &f.opts, &f.self), 0);
	f.analysis->observe(f.self, evs, ARRAY_SIZE(evs));
	view(&f);
	t = table(&f, "frag");
	ck_assert_str_eq(cell(t, 0, "over_time")->s, "1|0|1|1");
	ck_assert_str_eq(cell(t, 0, "fragmenting")->s, "yes"); /* of order 10 */
	ck_assert_uint_eq(summary(t, "min_free_kbytes"), 512);
	ck_assert_uint_eq(summary(t, "min_free_kbytes_next"), 512 + 3 * 4096 * 2);
	counters(&f);
	t = table(&f, "frag_free");
	ck_assert_uint_eq(t->nr_rows, 3);
	ck_assert_str_eq(cell(t, 1, "zone")->s, "Normal");
	ck_assert_str_eq(cell(t, 1, "when")->s, "before");
	ck_assert_uint_eq(cell(t, 1, "order_3")->u, 5);
	ck_assert_uint_eq(cell(t, 2, "order_0")->u, 7);
	ck_assert_int_eq(cell(t, 2, "order_3")->type, CELL_NONE);
	ck_assert(cell(t, 0, "unusable")->f == 100.0);
	f.in.rec->meta = meta;
	f.in.rec->nr_meta = nr_meta;
	tear_down(&f);
}
END_TEST

/* The recorded min_free_kbytes takes precedence over the sum of the zones. */
START_TEST(setting)
{
	struct recording_text items[] = {
		{ .name = (char *)"pagetypeinfo.before",
		  .text = (char *)"Page block order: 9\n" },
		{ .name = (char *)"zoneinfo.before",
		  .text = (char *)"Node 0, zone DMA\n min 100\n" },
		{ .name = (char *)"min_free_kbytes.before", .text = (char *)"4097\n" },
		{ .name = (char *)"min_free_kbytes.after", .text = (char *)"8193\n" },
		{ .name = (char *)"meminfo.before",
		  .text = (char *)"MemTotal:      286720 kB\nMemFree: 1 kB\n" },
	};
	struct kmem_event evs[] = { extfrag(100, 1, 0x2240, 4) };
	struct recording_text *meta;
	const struct table *t;
	struct fixture f;
	size_t nr_meta;

	set_up(&f);
	meta = f.in.rec->meta;
	nr_meta = f.in.rec->nr_meta;
	f.in.rec->meta = items;
	f.in.rec->nr_meta = ARRAY_SIZE(items);
	f.analysis->observe(f.self, evs, ARRAY_SIZE(evs));
	view(&f);
	t = table(&f, "frag");
	ck_assert_uint_eq(summary(t, "min_free_kbytes"), 8193);
	ck_assert_uint_eq(summary(t, "min_free_kbytes_next"), 8193 + 3 * 2048);
	ck_assert_ptr_nonnull(strstr(t->notes[1], "8193 + 3 x 2048 KiB"));
	ck_assert_ptr_nonnull(strstr(t->notes[2], "it was 4097 before"));
	/* 14337 of 286720 kB are a little more than 5 percent. */
	ck_assert_ptr_nonnull(strstr(t->notes[3], "more than 1/20 of memory"));
	f.in.rec->meta = meta;
	f.in.rec->nr_meta = nr_meta;
	tear_down(&f);
}
END_TEST

Suite *test_frag_suite(void)
{
	Suite *s = suite_create("analysis/frag");
	TCase *tc = tcase_create("frag");

	tcase_add_test(tc, how_long);
	tcase_add_test(tc, which);
	tcase_add_test(tc, whose);
	tcase_add_test(tc, waiting);
	tcase_add_test(tc, facts);
	tcase_add_test(tc, setting);
	suite_add_tcase(s, tc);
	return s;
}
