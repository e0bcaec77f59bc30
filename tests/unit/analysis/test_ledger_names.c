// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/ledger/ledger_caches.c: which cache has objects whose events do not name it.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "analysis/ledger/ledger.h"
#include "source_file.h"

#define NR_META 4

struct fixture {
	struct recording *file; /* provides the events' formats and names */
	struct event_formats *fmts;
	struct event_stream *stream;
	struct symbols *syms;
	struct recording rec;
	struct recording_text meta[NR_META];
	struct analysis_env env;
	struct accounts accounts;
	const char *cache; /* name 1 of the stream */
	void *ledger;
	struct report *report;
	const struct table *table;
};

static const struct log silent = { 0 };

static void set_up(struct fixture *f)
{
	static const char kallsyms[] = "ffffffff81000000 t other\n"
				       "ffffffff81001000 t do_epoll_ctl.part.0\n"
				       "ffffffff81002000 T alloc_vmap_area\n"
				       "ffffffff81003000 T end\n";
	static const struct analysis_options no_options = { 0 };
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct source src;
	struct kmem_event ev;

	*f = (struct fixture){ .rec = { .nr_cpus = 2 } };
	ck_assert(!source_open_file(&src, "data/trixie-amd64-small-stack.v7.dat"));
	ck_assert(!recording_open(&f->file, &src, "fixture", &silent));
	ck_assert(!event_formats_new(&f->fmts, f->file, &silent));
	ck_assert(!event_stream_open(&f->stream, f->file, f->fmts, &opts, &silent));
	while (event_stream_next(f->stream, &ev) > 0)
		;
	f->cache = event_stream_cache(f->stream, 1);
	ck_assert(!symbols_new(&f->syms, kallsyms, strlen(kallsyms), &silent));
	f->rec.meta = f->meta;
	f->accounts = (struct accounts){ .rec = &f->rec, .page_size = 4096 };
	f->env = (struct analysis_env){ .rec = &f->rec,
					.fmts = f->fmts,
					.stream = f->stream,
					.syms = f->syms,
					.log = &silent,
					.accounts = &f->accounts,
					.page_size = 4096 };
	ck_assert_int_eq(analysis_new(&analysis_ledger, &f->env, &no_options, &f->ledger),
			 0);
	f->report = report_new();
	ck_assert_ptr_nonnull(f->report);
}

static void add_meta(struct fixture *f, const char *name, const char *text)
{
	f->meta[f->rec.nr_meta++] = (struct recording_text){ .name = (char *)name,
							     .text = (char *)text,
							     .size = strlen(text) };
}

static void tear_down(struct fixture *f)
{
	analysis_free(&analysis_ledger, f->ledger);
	accounts_free(&f->accounts);
	report_free(f->report);
	symbols_free(f->syms);
	event_stream_close(f->stream);
	event_formats_free(f->fmts);
	recording_close(f->file);
}

static void take(struct fixture *f, const struct kmem_event *ev)
{
	analysis_ledger.observe(f->ledger, ev, 1);
	slab_lives_events(f->accounts.slab, ev, 1);
}

/* @nr objects of @bytes bytes without a name, from @ptr on. */
static void alloc(struct fixture *f, uint64_t ptr, uint64_t nr, uint64_t bytes,
		  uint64_t callsite)
{
	struct kmem_event ev = { .type = KMEM_CACHE_ALLOC };
	uint64_t i;

	for (i = 0; i < nr; i++) {
		ev.slab_alloc.ptr = ptr + i * bytes;
		ev.slab_alloc.bytes_alloc = bytes;
		ev.slab_alloc.callsite = callsite;
		take(f, &ev);
	}
}

static void release_at(struct fixture *f, uint64_t ptr, uint32_t cache, uint64_t callsite)
{
	struct kmem_event ev = { .type = KMEM_CACHE_FREE };

	ev.slab_free.ptr = ptr;
	ev.slab_free.cache = cache;
	ev.slab_free.callsite = callsite;
	take(f, &ev);
}

static void release(struct fixture *f, uint64_t ptr, uint32_t cache)
{
	release_at(f, ptr, cache, 0xffffffff81000f00);
}

static void view(struct fixture *f)
{
	ck_assert(!analysis_ledger.view(f->ledger, f->report));
	ck_assert(report_ok(f->report));
	f->table = f->report->tables[0];
}

/* The cell in @column of the row of @cache; none if there is no such row. */
static struct cell cell(const struct fixture *f, const char *cache, const char *column)
{
	int name = table_column(f->table, "cache"), c = table_column(f->table, column);
	size_t row;

	for (row = 0; row < f->table->nr_rows; row++) {
		const struct cell *cells = &f->table->cells[row * f->table->nr_columns];

		if (!strcmp(cells[name].s, cache))
			return cells[c];
	}
	return (struct cell){ .type = CELL_NONE };
}

static uint64_t summary(const struct fixture *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->table->nr_summary; i++)
		if (!strcmp(f->table->summary[i].name, name))
			return f->table->summary[i].value.u;
	ck_abort_msg("no %s in the summary", name);
	return 0;
}

START_TEST(sizes_and_functions_say_the_cache)
{
	static const char before[] = "inode_cache 100 130 632 13 2 :\n"
				     "kmalloc-64 0 64 64 64 1 :\n"
				     "pid 100 128 128 32 1 :\n"
				     "kernfs_node_cache 32 32 128 32 1 :\n"
				     "vmap_area 100 112 72 56 1 :\n"
				     "nsproxy 56 56 72 56 1 :\n"
				     "unused 0 0 632 56 1 :\n";
	static const char after[] = "inode_cache 107 130 632 13 2 :\n"
				    "kmalloc-64 0 64 64 64 1 :\n"
				    "pid 105 128 128 32 1 :\n"
				    "kernfs_node_cache 32 32 128 32 1 :\n"
				    "vmap_area 103 112 72 56 1 :\n"
				    "nsproxy 56 56 72 56 1 :\n"
				    "unused 0 0 632 56 1 :\n";
	struct fixture f;

	set_up(&f);
	add_meta(&f, "slabinfo.before", before);
	add_meta(&f, "slabinfo.after", after);
	add_meta(&f, "slab_aliases", "pid :0000128\neventpoll_epi :0000128\n");
	alloc(&f, 0x10000, 7, 632, 0xffffffff81000010);
	alloc(&f, 0x20000, 5, 128, 0xffffffff81001010);
	alloc(&f, 0x30000, 3, 72, 0xffffffff81002010);
	/* A size other than that of the known function's cache, and one that only a kmalloc cache
	 * has.
	 */
	alloc(&f, 0x40000, 1, 72, 0xffffffff81001010);
	alloc(&f, 0x50000, 2, 64, 0xffffffff81002010);
	view(&f);
	ck_assert_int_eq(cell(&f, "inode_cache", "trace").i, 7);
	ck_assert_int_eq(cell(&f, "pid", "trace").i, 5);
	ck_assert_int_eq(cell(&f, "vmap_area", "trace").i, 3);
	ck_assert_str_eq(cell(&f, "vmap_area", "why").s, "-");
	ck_assert_uint_eq(f.table->nr_notes, 1);
	ck_assert_str_eq(
		f.table->notes[0],
		"Objects of vmap_area are freed in batches, when many have gathered: until then it grows.");
	ck_assert_uint_eq(summary(&f, "allocs_nameless"), 3);
	ck_assert_uint_eq(summary(&f, "objects_unexplained"), 0);
	tear_down(&f);
}
END_TEST

START_TEST(what_has_no_name_is_not_said_to_have_no_event)
{
	struct fixture f;

	set_up(&f);
	add_meta(
		&f, "slabinfo.before",
		"one 900 900 8192 1 2 :\ntwo 10 10 8192 1 2 :\nthree 10 10 4096 1 1 :\n");
	add_meta(
		&f, "slabinfo.after",
		"one 948 948 8192 1 2 :\ntwo 10 10 8192 1 2 :\nthree 90 90 4096 1 1 :\n");
	alloc(&f, 0x100000, 48, 8192, 0xffffffff81000010);
	release(&f, 0x100000, 0);
	view(&f);
	ck_assert_str_eq(cell(&f, "one", "why").s, "events of this cache have no name");
	ck_assert_str_eq(cell(&f, "three", "why").s,
			 "no event: in bulk, or the recorder's own");
	ck_assert_uint_eq(summary(&f, "allocs_nameless"), 48);
	ck_assert_uint_eq(summary(&f, "nameless_net"), 47);
	tear_down(&f);
}
END_TEST

/* RCU frees objects without an event, and others get their addresses: the size tells them apart. */
START_TEST(a_foreign_name_moves_no_callsite)
{
	struct fixture f;
	char before[256], after[256];

	set_up(&f);
	snprintf(before, sizeof(before), "%s 10 16 4096 8 8 :\npid 0 0 128 32 1 :\n",
		 f.cache);
	snprintf(after, sizeof(after), "%s 10 16 4096 8 8 :\npid 99 128 128 32 1 :\n",
		 f.cache);
	add_meta(&f, "slabinfo.before", before);
	add_meta(&f, "slabinfo.after", after);
	alloc(&f, 0x100000, 100, 128, 0xffffffff81000010);
	release(&f, 0x100000, 1);
	view(&f);
	ck_assert_int_eq(cell(&f, "pid", "trace").i, 99);
	ck_assert_uint_eq(cell(&f, "pid", "implicit").u, 1);
	ck_assert_uint_eq(cell(&f, "pid", "freed").u, 0);
	/* Nothing changed there: no row. */
	ck_assert_int_eq(cell(&f, f.cache, "trace").type, CELL_NONE);
	tear_down(&f);
}
END_TEST

/* Frees of a callsite's objects name two caches: the majority is right. */
START_TEST(most_names_count)
{
	for (uint32_t most = 1; most <= 2; most++) {
		char text[256];
		struct fixture f;
		const char *name;

		set_up(&f);
		name = event_stream_cache(f.stream, most);
		snprintf(text, sizeof(text), "%s 10 16 128 32 1 :\n%s 10 16 128 32 1 :\n",
			 f.cache, event_stream_cache(f.stream, 2));
		add_meta(&f, "slabinfo.before", text);
		add_meta(&f, "slabinfo.after", text);
		alloc(&f, 0x100000, 100, 128, 0xffffffff81000010);
		alloc(&f, 0x200000, 10, 256, 0xffffffff81000020);
		release(&f, 0x100000, most);
		release(&f, 0x100080, 3 - most);
		release(&f, 0x100100, most);
		release(&f, 0x200000, 3 - most); /* of another callsite */
		view(&f);
		ck_assert_int_eq(cell(&f, name, "trace").i, 97);
		tear_down(&f);
	}
}
END_TEST

/* No name, and no known object in the same slab; but the freeing callsite frees objects of one
 * cache only.
 */
START_TEST(who_frees_says_the_cache)
{
	struct fixture f;

	set_up(&f);
	add_meta(&f, "slabinfo.before", "one 9 10 8192 1 2 :\ntwo 9 10 4096 1 2 :\n");
	add_meta(&f, "slabinfo.after", "one 6 10 8192 1 2 :\ntwo 8 10 4096 1 2 :\n");
	alloc(&f, 0x100000, 2, 8192, 0xffffffff81000010);
	alloc(&f, 0x200000, 1, 4096, 0xffffffff81000020);
	release_at(&f, 0x100000, 0, 0xffffffff81000100);
	release_at(&f, 0x102000, 0, 0xffffffff81000200);
	release_at(&f, 0x200000, 0, 0xffffffff81000200); /* frees any object */
	release_at(&f, 0x800000, 0, 0xffffffff81000100);
	release_at(&f, 0x810000, 0, 0xffffffff81000100);
	release_at(&f, 0x820000, 0, 0xffffffff81000100);
	release_at(&f, 0x830000, 0, 0xffffffff81000200);
	release_at(&f, 0x840000, 0, 0xffffffff81000300);
	view(&f);
	ck_assert_int_eq(cell(&f, "one", "trace").i, -3);
	ck_assert_int_eq(cell(&f, "two", "trace").i, 0);
	ck_assert_uint_eq(summary(&f, "frees_unknown"), 2);
	tear_down(&f);
}
END_TEST

Suite *test_ledger_names_suite(void)
{
	Suite *s = suite_create("analysis/ledger_names");
	TCase *tc = tcase_create("names");

	tcase_add_test(tc, sizes_and_functions_say_the_cache);
	tcase_add_test(tc, what_has_no_name_is_not_said_to_have_no_event);
	tcase_add_test(tc, a_foreign_name_moves_no_callsite);
	tcase_add_test(tc, most_names_count);
	tcase_add_test(tc, who_frees_says_the_cache);
	suite_add_tcase(s, tc);
	return s;
}
