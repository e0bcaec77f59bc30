// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/kernel/percpu_cross.c: what one CPU allocated and another freed.
 */
#include "made_events.h"

static const struct analysis_options of_slab = { .needs = NEEDS_SLAB };
static const struct analysis_options of_pages = { .needs = NEEDS_PAGE };

/* An object of 64 bytes that @from allocates, and @to frees at callsite @freer. */
static void object(struct fixture *f, uint32_t from, uint32_t to, uint64_t freer)
{
	struct kmem_event *ev = event(f, KMEM_KMALLOC, 0, 0);
	uint64_t ptr = 0x1000 * f->nr;

	ev->cpu = from;
	ev->slab_alloc.ptr = ptr;
	ev->slab_alloc.callsite = 0xca11;
	ev->slab_alloc.bytes_req = ev->slab_alloc.bytes_alloc = 64;
	ev = event(f, KMEM_KFREE, 0, 0);
	ev->cpu = to;
	ev->slab_free.ptr = ptr;
	ev->slab_free.callsite = freer;
}

static void page(struct fixture *f, uint8_t type, uint32_t cpu, uint64_t pfn,
		 uint32_t order)
{
	event(f, type, pfn, order)->cpu = cpu;
}

static const struct table *find(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->nr_tables; i++)
		if (!strcmp(report->tables[i]->name, name))
			return report->tables[i];
	ck_abort_msg("no table %s", name);
}

static void check_row(const struct table *t, const char *count, const uint64_t want[4])
{
	for (size_t row = 0; row < t->nr_rows; row++) {
		if (cell(t, row, "alloc_cpu")->u != want[0] ||
		    cell(t, row, "free_cpu")->u != want[1])
			continue;
		ck_assert_uint_eq(cell(t, row, count)->u, want[2]);
		ck_assert_uint_eq(cell(t, row, "bytes")->u, want[3]);
		return;
	}
	ck_abort_msg("no row");
}

static const char *freed_by(const struct table *t, uint64_t from, uint64_t to)
{
	for (size_t row = 0; row < t->nr_rows; row++)
		if (cell(t, row, "alloc_cpu")->u == from &&
		    cell(t, row, "free_cpu")->u == to)
			return cell(t, row, "freed_by")->s;
	ck_abort_msg("no row");
}

static void check_summary(const struct table *t, const uint64_t want[4], bool bound)
{
	static const char *const names[] = { "freed", "freed_here", "freed_elsewhere",
					     "freed_unknown" };

	ck_assert_uint_eq(t->nr_summary, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		ck_assert_str_eq(t->summary[i].name, names[i]);
		ck_assert_uint_eq(t->summary[i].value.u, want[i]);
		ck_assert_int_eq(t->summary[i].bound, bound);
	}
}

/* A row names the callsite that freed the most; if several did, the first of them. */
START_TEST(objects)
{
	const struct report *report;
	const struct table *t;
	struct fixture f;

	set_up(&f);
	f.in.env.raw_ip = true;
	object(&f, 0, 1, 0xf1);
	object(&f, 0, 1, 0xf2);
	object(&f, 0, 1, 0xf2);
	object(&f, 0, 1, 0xf3);
	object(&f, 0, 2, 0xf1);
	object(&f, 3, 4, 0xf2);
	object(&f, 3, 4, 0xf1);
	object(&f, 3, 4, 0xf1);
	object(&f, 3, 4, 0xf2);
	object(&f, 5, 5, 0xf1);
	object(&f, 5, 5, 0xf1);
	report = report_of(&f, "percpu_cross", &of_slab);
	t = find(report, "percpu_slab");
	ck_assert_uint_eq(t->nr_rows, 3);
	check_row(t, "objects", (const uint64_t[]){ 0, 1, 4, 4 * 64 });
	check_row(t, "objects", (const uint64_t[]){ 0, 2, 1, 64 });
	check_row(t, "objects", (const uint64_t[]){ 3, 4, 4, 4 * 64 });
	ck_assert_str_eq(freed_by(t, 0, 1), "0xf2");
	ck_assert_str_eq(freed_by(t, 0, 2), "0xf1");
	ck_assert_str_eq(freed_by(t, 3, 4), "0xf2");
	ck_assert_str_eq(t->summary_title, "SUMMARY (CPUs of slab objects)");
	check_summary(t, (const uint64_t[]){ 11, 2, 9, 0 }, false);
	t = find(report, "percpu_slab_matrix");
	ck_assert_uint_eq(t->nr_rows, 4);
	check_row(t, "objects", (const uint64_t[]){ 0, 1, 4, 4 * 64 });
	check_row(t, "objects", (const uint64_t[]){ 5, 5, 2, 2 * 64 });
	tear_down(&f);
}
END_TEST

/* Pages of a block may be freed on several CPUs. After a loss, all figures are bounds. */
START_TEST(pages)
{
	const struct report *report;
	const struct table *t;
	struct fixture f;

	set_up(&f);
	page(&f, KMEM_PAGE_ALLOC, 0, 0x100, 2);
	page(&f, KMEM_PAGE_FREE, 1, 0x100, 1);
	page(&f, KMEM_PAGE_FREE, 0, 0x102, 0);
	page(&f, KMEM_PAGE_FREE, 2, 0x103, 0);
	page(&f, KMEM_PAGE_ALLOC, 1, 0x200, 0); /* stays */
	event(&f, KMEM_LOSS, 0, 0);
	report = report_of(&f, "percpu_cross", &of_pages);
	t = find(report, "percpu_page");
	ck_assert_uint_eq(t->nr_rows, 2);
	check_row(t, "pages", (const uint64_t[]){ 0, 1, 2, 2 * MADE_PAGE });
	check_row(t, "pages", (const uint64_t[]){ 0, 2, 1, MADE_PAGE });
	ck_assert_str_eq(t->summary_title, "SUMMARY (CPUs of pages)");
	check_summary(t, (const uint64_t[]){ 4, 1, 3, 0 }, true);
	ck_assert(table_find_column((struct table *)t, "freed_by")->hidden);
	tear_down(&f);
}
END_TEST

/* The clocks of CPUs differ: an object whose allocation comes after its free was freed on another
 * CPU, but is in no row.
 */
START_TEST(out_of_order)
{
	const struct table *t;
	struct kmem_event *ev;
	struct fixture f;

	set_up(&f);
	object(&f, 0, 1, 0xf1);
	ev = event(&f, KMEM_KFREE, 0, 0);
	ev->cpu = 1;
	ev->slab_free.ptr = 0x9000;
	ev->ts = 100000;
	ev = event(&f, KMEM_KMALLOC, 0, 0);
	ev->ts = 100500;
	ev->slab_alloc.ptr = 0x9000;
	ev->slab_alloc.bytes_req = ev->slab_alloc.bytes_alloc = 64;
	/* Here the next allocation shows it. */
	ev = event(&f, KMEM_KFREE, 0, 0);
	ev->cpu = 1;
	ev->slab_free.ptr = 0xa000;
	ev->ts = 200000;
	for (uint64_t i = 1; i <= 2; i++) {
		ev = event(&f, KMEM_KMALLOC, 0, 0);
		ev->ts = 200000 + 400 * i;
		ev->slab_alloc.ptr = 0xa000;
		ev->slab_alloc.bytes_req = ev->slab_alloc.bytes_alloc = 64;
	}
	event(&f, KMEM_KFREE, 0, 0)->slab_free.ptr = 0xa000;
	f.evs[f.nr - 1].ts = 300000;
	t = find(report_of(&f, "percpu_cross", &of_slab), "percpu_slab");
	ck_assert_uint_eq(t->nr_rows, 1);
	check_summary(t, (const uint64_t[]){ 4, 1, 3, 2 }, false);
	tear_down(&f);
}
END_TEST

Suite *test_percpu_cross_suite(void);

Suite *test_percpu_cross_suite(void)
{
	Suite *s = suite_create("analysis/percpu_cross");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, objects);
	tcase_add_test(tc, pages);
	tcase_add_test(tc, out_of_order);
	suite_add_tcase(s, tc);
	return s;
}
