// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/stat/sizes.c: ranges and classes; its sums equal those of the slab report; what a
 * separate cache would save.
 */
#include <check.h>
#include <string.h>

#include "cells.h"
#include "opened.h"

enum { EVENTS_MAX = 200 };

/* A recording with events made by the test. */
struct fixture {
	struct opened in;
	struct kmem_event evs[EVENTS_MAX];
	size_t nr;
};

static void set_up(struct fixture *f, const char *path)
{
	*f = (struct fixture){ 0 };
	opened_open(&f->in, path);
}

static void tear_down(struct fixture *f)
{
	opened_close(&f->in);
}

/* --- sums ------------------------------------------------------------------------------- */

static const char *const files[] = {
	"data/bookworm-amd64-small-stack.v7.dat",
	"data/trixie-amd64-small-stack.v7.dat",
	"data/bookworm-amd64-small-overflow.v7.dat",
	"data/bookworm-s390x-small-stack.v7.dat",
	"data/bookworm-armhf-small-plain.v6.dat",
	"data/bullseye-amd64-small-stack.v6.dat",
	"data/boot-bookworm-amd64.v7.dat",
	"data/pressure-bookworm-amd64.v7.dat",
	"data/variants-amd64-instance.v6.dat",
};

struct sum {
	uint64_t hit, req, alloc;
};

/* Sums the rows whose @by column says @name, or all rows if it is NULL. */
static struct sum sum_of(const struct table *t, const char *by, const char *name)
{
	struct sum sum = { 0 };
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		if (name && strcmp(cell(t, i, by)->s, name) != 0)
			continue;
		sum.hit += cell(t, i, "hit")->u;
		sum.req += cell(t, i, "bytes_req")->u;
		sum.alloc += cell(t, i, "bytes")->u;
	}
	return sum;
}

static void ck_equal(const struct sum *a, const struct sum *b)
{
	ck_assert_uint_eq(a->hit, b->hit);
	ck_assert_uint_eq(a->req, b->req);
	ck_assert_uint_eq(a->alloc, b->alloc);
}

/* Checks that @sizes splits every row of the slab table @slab, and has no other rows. */
static void check_table(const struct table *sizes, const struct table *slab)
{
	struct sum all = sum_of(sizes, NULL, NULL), wanted = sum_of(slab, NULL, NULL);
	size_t i;

	ck_assert_str_eq(sizes->name, "sizes");
	ck_assert_str_eq(sizes->by, slab->by);
	ck_equal(&all, &wanted);
	for (i = 0; i < slab->nr_rows; i++) {
		const char *name = cell(slab, i, slab->by)->s;
		struct sum part = sum_of(sizes, slab->by, name);

		wanted = sum_of(slab, slab->by, name);
		ck_assert_uint_gt(part.hit, 0);
		ck_equal(&part, &wanted);
	}
	for (i = 0; i < sizes->nr_rows; i++) {
		uint64_t hit = cell(sizes, i, "hit")->u;
		uint64_t req = cell(sizes, i, "bytes_req")->u;
		uint64_t bytes = cell(sizes, i, "bytes")->u;

		ck_assert_uint_ge(req, hit * cell(sizes, i, "size_min")->u);
		ck_assert_uint_le(req, hit * cell(sizes, i, "size_max")->u);
		ck_assert_uint_eq(bytes, hit * cell(sizes, i, "object")->u);
		ck_assert_uint_eq(cell(sizes, i, "waste")->u, bytes - req);
	}
}

START_TEST(test_sums)
{
	const struct analysis *const chosen[] = { analysis_find("slab"),
						  analysis_find("sizes") };
	const struct analysis_options opts = { .by_caller = true, .by_cache = true };
	const struct analysis_set set = { .analyses = chosen, .nr = 2, .opts = &opts };
	struct fixture f;

	set_up(&f, files[_i]);
	ck_assert(!analyze_run(&f.in.env, &set, f.in.stream, f.in.report, NULL));
	ck_assert_uint_eq(f.in.report->nr_tables, 4);
	check_table(f.in.report->tables[2], f.in.report->tables[0]);
	check_table(f.in.report->tables[3], f.in.report->tables[1]);
	ck_assert_uint_eq(summary(f.in.report->tables[2], "bytes_requested"),
			  summary(f.in.report->tables[0], "bytes_requested"));
	ck_assert_uint_eq(summary(f.in.report->tables[2], "bytes_allocated"),
			  summary(f.in.report->tables[0], "bytes_allocated"));
	ck_assert_uint_eq(summary(f.in.report->tables[2], "bytes_wasted"),
			  summary(f.in.report->tables[0], "bytes_wasted"));
	ck_assert_uint_eq(summary(f.in.report->tables[2], "allocs"),
			  summary(f.in.report->tables[0], "allocs"));
	tear_down(&f);
}
END_TEST

/* --- ranges and classes ----------------------------------------------------------------- */

static const char slabinfo[] =
	"slabinfo - version: 2.1\n"
	"# name <active_objs> <num_objs> <objsize> ...\n"
	"kmalloc-rnd-01-64 1 1 64 64 1 : tunables 0 0 0 : slabdata 1 1 0\n"
	"kmalloc-64 1 1 64 64 1 : tunables 0 0 0 : slabdata 1 1 0\n"
	"kmalloc-cg-96 1 1 96 42 1 : tunables 0 0 0 : slabdata 1 1 0\n"
	"memdup_user-8 1 1 8 512 1 : tunables 0 0 0 : slabdata 1 1 0\n"
	"dentry 1 1 192 21 1 : tunables 0 0 0 : slabdata 1 1 0\n";

/* Allocations in a function without a name, each at its own address. */
static void alloc(struct fixture *f, uint8_t type, uint64_t req, uint64_t bytes)
{
	struct kmem_event *ev = &f->evs[f->nr++];

	*ev = (struct kmem_event){ .type = type, .ts = f->nr };
	ev->slab_alloc.ptr = 0x1000 + f->nr * 0x100;
	ev->slab_alloc.callsite = 0xca11;
	ev->slab_alloc.bytes_req = req;
	ev->slab_alloc.bytes_alloc = bytes;
}

/* Frees the object of event @nr. */
static void free_of(struct fixture *f, size_t nr)
{
	struct kmem_event *ev = &f->evs[f->nr++];

	*ev = (struct kmem_event){ .type = KMEM_KFREE, .ts = f->nr };
	ev->slab_free.ptr = f->evs[nr].slab_alloc.ptr;
}

static const struct table *sizes_of(struct fixture *f)
{
	const struct analysis *chosen = analysis_find("sizes");
	const struct analysis_options opts = { 0 };
	const struct analysis_set set = {
		.analyses = &chosen, .nr = 1, .opts = &opts, .unseen = true
	};
	struct analyses *all;

	f->in.env.raw_ip = true;
	ck_assert_uint_le(f->nr, EVENTS_MAX);
	ck_assert(!analyses_new(&all, &f->in.env, &set));
	analyses_observe(all, f->evs, f->nr);
	ck_assert(!analyses_view(all, f->in.report));
	analyses_free(all);
	ck_assert_uint_eq(f->in.report->nr_tables, 1);
	return f->in.report->tables[0];
}

/* The class in the row with objects of @bytes from @min to @max and @hits hits. */
static const char *class_of(const struct table *t, uint64_t bytes, uint64_t min,
			    uint64_t max, uint64_t hits)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		if (cell(t, i, "object")->u != bytes || cell(t, i, "size_max")->u != max)
			continue;
		ck_assert_uint_eq(cell(t, i, "size_min")->u, min);
		ck_assert_uint_eq(cell(t, i, "hit")->u, hits);
		return cell(t, i, "class")->type == CELL_TEXT ? cell(t, i, "class")->s
							      : NULL;
	}
	ck_abort_msg("no row");
	return NULL;
}

START_TEST(test_classes)
{
	struct recording_text meta = { .name = (char *)"slabinfo.after",
				       .text = (char *)slabinfo,
				       .size = strlen(slabinfo) };
	const struct table *t;
	struct recording rec;
	struct fixture f;

	set_up(&f, files[0]);
	rec = *f.in.rec;
	rec.meta = &meta;
	rec.nr_meta = 1;
	f.in.env.rec = &rec;
	alloc(&f, KMEM_KMALLOC, 0, 8);
	alloc(&f, KMEM_KMALLOC, 1, 8);
	alloc(&f, KMEM_KMALLOC, 2, 8);
	alloc(&f, KMEM_KMALLOC, 33, 64);
	alloc(&f, KMEM_KMALLOC_NODE, 64, 64);
	alloc(&f, KMEM_KMALLOC, 65, 96);
	alloc(&f, KMEM_CACHE_ALLOC, 64, 64); /* the event does not name the cache */
	alloc(&f, KMEM_KMALLOC, 1ULL << 32, 1ULL << 32); /* damaged */
	free_of(&f, 3);
	t = sizes_of(&f);
	ck_assert_uint_eq(t->nr_rows, 5);
	ck_assert_ptr_null(class_of(t, 8, 0, 1, 2)); /* slabinfo lacks this class */
	ck_assert_ptr_null(class_of(t, 8, 2, 2, 1));
	ck_assert_ptr_null(class_of(t, 96, 65, 128, 1)); /* only of another type */
	ck_assert_str_eq(class_of(t, 64, 33, 64, 2), "kmalloc-64");
	ck_assert_uint_eq(summary(t, "allocs"), 7);
	tear_down(&f);
}
END_TEST

/* --- a separate cache ------------------------------------------------------------------- */

/* 100 objects of 90 to 96 bytes are allocated in kmalloc-128, and 84 of them are live at once. By
 * SLUB's rule a page holds 42 objects of 96 bytes and a tail of 64: 84 x (128 - 96) - 2 x 64. The
 * size of the largest request counts, not the usual one.
 */
START_TEST(test_own_cache)
{
	const struct table *t;
	struct fixture f;
	size_t i;

	set_up(&f, files[0]);
	for (i = 0; i < 84; i++)
		alloc(&f, KMEM_KMALLOC, i == 50 ? 96 : 90, 128);
	for (i = 0; i < 16; i++)
		free_of(&f, i);
	for (i = 0; i < 16; i++)
		alloc(&f, KMEM_KMALLOC, 90, 128);
	for (i = 16; i < 84; i++)
		free_of(&f, i);
	t = sizes_of(&f);
	ck_assert_uint_eq(t->nr_rows, 1);
	ck_assert_uint_eq(cell(t, 0, "hit")->u, 100);
	ck_assert_uint_eq(cell(t, 0, "live_most")->u, 84);
	ck_assert_uint_eq(cell(t, 0, "own_object")->u, 96);
	ck_assert_uint_eq(cell(t, 0, "own_saves")->u, 84 * 32 - 2 * 64);
	tear_down(&f);
}
END_TEST

/* Objects that have a cache, come from the page allocator, or fit their class. */
START_TEST(test_no_own_cache)
{
	const struct table *t;
	struct fixture f;
	size_t i;

	set_up(&f, files[0]);
	for (i = 0; i < 50; i++) {
		alloc(&f, KMEM_CACHE_ALLOC, 60, 64);
		alloc(&f, KMEM_KMALLOC, 9000, 16384);
		alloc(&f, KMEM_KMALLOC, 256, 256);
	}
	t = sizes_of(&f);
	ck_assert_uint_eq(t->nr_rows, 3);
	for (i = 0; i < 3; i++) {
		const struct cell *saves = cell(t, i, "own_saves");

		ck_assert_uint_eq(cell(t, i, "live_most")->u, 50);
		if (cell(t, i, "object")->u == 256)
			ck_assert_uint_eq(saves->u, 0);
		else
			ck_assert_int_eq(saves->type, CELL_NONE);
	}
	tear_down(&f);
}
END_TEST

/* If tasks' frees were left out, the number of live objects is unknown. */
START_TEST(test_lacking_frees)
{
	struct recording_text meta = { .name = (char *)RECORDING_META_SCOPE,
				       .text = (char *)"pid",
				       .size = 3 };
	const struct table *t;
	struct recording rec;
	struct fixture f;

	set_up(&f, files[0]);
	rec = *f.in.rec;
	rec.meta = &meta;
	rec.nr_meta = 1;
	f.in.env.rec = &rec;
	ck_assert(recording_lacks_frees(&rec));
	alloc(&f, KMEM_KMALLOC, 33, 64);
	t = sizes_of(&f);
	ck_assert_uint_eq(t->nr_rows, 1);
	ck_assert_uint_eq(cell(t, 0, "hit")->u, 1);
	ck_assert_int_eq(cell(t, 0, "live_most")->type, CELL_NONE);
	ck_assert_int_eq(cell(t, 0, "own_saves")->type, CELL_NONE);
	tear_down(&f);
}
END_TEST

Suite *test_sizes_suite(void);

Suite *test_sizes_suite(void)
{
	Suite *s = suite_create("analysis/sizes");
	TCase *tc = tcase_create("sizes");

	tcase_add_loop_test(tc, test_sums, 0, ARRAY_SIZE(files));
	tcase_add_test(tc, test_classes);
	tcase_add_test(tc, test_own_cache);
	tcase_add_test(tc, test_no_own_cache);
	tcase_add_test(tc, test_lacking_frees);
	suite_add_tcase(s, tc);
	return s;
}
