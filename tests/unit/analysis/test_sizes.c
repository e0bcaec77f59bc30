// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/sizes.c: ranges and classes, and that its sums are those of the slab report.
 */
#include <check.h>
#include <string.h>

#include "analysis/registry.h"

static const struct log silent = { 0 };

/* What every test needs of a recording. */
struct fixture {
	struct recording *rec;
	struct event_formats *fmts;
	struct symbols *syms;
	struct callsite_rule *rule;
	struct event_stream *stream;
	struct migratetypes types;
	struct analysis_env env;
	struct report *report;
};

static void set_up(struct fixture *f, const char *path)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct source src;

	*f = (struct fixture){ .report = report_new() };
	ck_assert(!source_open_file(&src, path));
	ck_assert(!recording_open(&f->rec, &src, path, &silent));
	ck_assert(!event_formats_new(&f->fmts, f->rec, &silent));
	ck_assert(!symbols_new(&f->syms, f->rec->kallsyms, f->rec->kallsyms_size, NULL));
	ck_assert(!callsite_rule_new(&f->rule, NULL, 0, NULL));
	ck_assert(!event_stream_open(&f->stream, f->rec, f->fmts, &opts, &silent));
	migratetypes_init(&f->types, NULL, "6.1");
	f->env = (struct analysis_env){ .rec = f->rec,
					.fmts = f->fmts,
					.stream = f->stream,
					.syms = f->syms,
					.rule = f->rule,
					.migratetypes = &f->types,
					.log = &silent,
					.page_size = recording_kernel_page_size(f->rec) };
}

static void tear_down(struct fixture *f)
{
	report_free(f->report);
	event_stream_close(f->stream);
	callsite_rule_free(f->rule);
	symbols_free(f->syms);
	event_formats_free(f->fmts);
	recording_close(f->rec);
}

static const struct cell *cell(const struct table *t, size_t row, const char *name)
{
	int column = table_column(t, name);

	ck_assert_int_ge(column, 0);
	return &t->cells[row * t->nr_columns + (size_t)column];
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

/* The table's numbers; of rows whose @by says @name, or of all with NULL. */
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

static uint64_t summary(const struct table *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->nr_summary && strcmp(t->summary[i].name, name) != 0; i++)
		;
	ck_assert_uint_lt(i, t->nr_summary);
	return t->summary[i].value.u;
}

/* Every row of the slab table @slab is split up in @sizes, and nothing else is there. */
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
	ck_assert(!analyze_run(&f.env, &set, f.stream, f.report, NULL));
	ck_assert_uint_eq(f.report->nr_tables, 4);
	check_table(f.report->tables[2], f.report->tables[0]);
	check_table(f.report->tables[3], f.report->tables[1]);
	ck_assert_uint_eq(summary(f.report->tables[2], "bytes_requested"),
			  summary(f.report->tables[0], "bytes_requested"));
	ck_assert_uint_eq(summary(f.report->tables[2], "bytes_allocated"),
			  summary(f.report->tables[0], "bytes_allocated"));
	ck_assert_uint_eq(summary(f.report->tables[2], "bytes_wasted"),
			  summary(f.report->tables[0], "bytes_wasted"));
	ck_assert_uint_eq(summary(f.report->tables[2], "allocs"),
			  summary(f.report->tables[0], "allocs"));
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
	"dentry 1 1 192 21 1 : tunables 0 0 0 : slabdata 1 1 0\n";

static void alloc(void *self, uint8_t type, uint64_t req, uint64_t bytes)
{
	const struct analysis *sizes = analysis_find("sizes");
	struct kmem_event ev = { .type = type };

	ev.slab_alloc.ptr = 0x1000;
	ev.slab_alloc.callsite = 0xca11;
	ev.slab_alloc.bytes_req = req;
	ev.slab_alloc.bytes_alloc = bytes;
	sizes->observe(self, &ev, 1);
}

/* The class of the row with objects of @bytes from @min to @max, hit @hits times. */
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
	const struct analysis *sizes = analysis_find("sizes");
	const struct analysis_options opts = { 0 };
	struct recording_text meta = { .name = (char *)"slabinfo.after",
				       .text = (char *)slabinfo,
				       .size = strlen(slabinfo) };
	struct recording rec = { .meta = &meta, .nr_meta = 1 };
	const struct table *t;
	struct fixture f;
	void *self;

	set_up(&f, files[0]);
	f.env.rec = &rec;
	f.env.raw_ip = true;
	self = sizes->create(&f.env, &opts);
	ck_assert_ptr_nonnull(self);
	alloc(self, KMEM_KMALLOC, 0, 8);
	alloc(self, KMEM_KMALLOC, 1, 8);
	alloc(self, KMEM_KMALLOC, 2, 8);
	alloc(self, KMEM_KMALLOC, 33, 64);
	alloc(self, KMEM_KMALLOC_NODE, 64, 64);
	alloc(self, KMEM_KMALLOC, 65, 96);
	alloc(self, KMEM_CACHE_ALLOC, 64,
	      64); /* of a cache that the event does not name */
	alloc(self, KMEM_KMALLOC, 1ULL << 32, 1ULL << 32); /* damage */
	alloc(self, KMEM_KFREE, 64, 64);
	ck_assert(!sizes->view(self, f.report));
	t = f.report->tables[0];
	ck_assert_uint_eq(t->nr_rows, 5);
	ck_assert_ptr_null(class_of(t, 8, 0, 1, 2)); /* slabinfo has no such class */
	ck_assert_ptr_null(class_of(t, 8, 2, 2, 1));
	ck_assert_ptr_null(class_of(t, 96, 65, 128, 1)); /* only one of another type */
	ck_assert_str_eq(class_of(t, 64, 33, 64, 2), "kmalloc-64");
	ck_assert_uint_eq(summary(t, "allocs"), 7);
	sizes->destroy(self);
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
	suite_add_tcase(s, tc);
	return s;
}
