// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/ledger/ledger.h: all ways in which an object can count for a cache.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "analysis/ledger/ledger.h"
#include "render_widths.h"
#include "source_file.h"

#define NR_META 8

struct fixture {
	struct recording *file; /* provides the events' formats and names */
	struct event_formats *fmts;
	struct event_stream *stream;
	struct recording rec; /* the ledger reads its snapshots */
	struct recording_text meta[NR_META];
	struct analysis_env env;
	struct accounts accounts;
	const char *cache; /* name 1 of the stream */
	void *ledger;
	struct report *report;
	uint64_t ts; /* of the next event */
};

static const struct log silent = { 0 };
static const struct analysis_options no_options = { 0 };

static void create(struct fixture *f)
{
	f->accounts = (struct accounts){ .rec = &f->rec, .page_size = 4096 };
	ck_assert_int_eq(analysis_new(&analysis_ledger, &f->env, &no_options, &f->ledger),
			 0);
}

static void take(struct fixture *f, const struct kmem_event *ev)
{
	analysis_ledger.observe(f->ledger, ev, 1);
	slab_lives_events(f->accounts.slab, ev, 1);
}

static void set_up(struct fixture *f)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct source src;
	struct kmem_event ev;

	*f = (struct fixture){ 0 };
	ck_assert(!source_open_file(&src, "data/trixie-amd64-small-stack.v7.dat"));
	ck_assert(!recording_open(&f->file, &src, "fixture", &silent));
	ck_assert(!event_formats_new(&f->fmts, f->file, &silent));
	ck_assert(!event_stream_open(&f->stream, f->file, f->fmts, &opts, &silent));
	while (event_stream_next(f->stream, &ev) > 0)
		;
	f->cache = event_stream_cache(f->stream, 1);
	ck_assert_ptr_nonnull(f->cache);
	f->rec.meta = f->meta;
	f->rec.nr_cpus = 2;
	f->env = (struct analysis_env){ .rec = &f->rec,
					.fmts = f->fmts,
					.stream = f->stream,
					.log = &silent,
					.accounts = &f->accounts,
					.page_size = 4096 };
	create(f);
	f->report = report_new();
	ck_assert_ptr_nonnull(f->report);
}

static void add_meta(struct fixture *f, const char *name, const char *text)
{
	ck_assert_uint_lt(f->rec.nr_meta, NR_META);
	f->meta[f->rec.nr_meta++] = (struct recording_text){ .name = (char *)name,
							     .text = (char *)text,
							     .size = strlen(text) };
}

static void tear_down(struct fixture *f)
{
	analysis_free(&analysis_ledger, f->ledger);
	accounts_free(&f->accounts);
	report_free(f->report);
	event_stream_close(f->stream);
	event_formats_free(f->fmts);
	recording_close(f->file);
}

static void alloc(struct fixture *f, uint64_t ptr, uint64_t size, uint32_t cache,
		  uint64_t gfp)
{
	struct kmem_event ev = { .type = size ? KMEM_KMALLOC : KMEM_CACHE_ALLOC,
				 .ts = f->ts };

	ev.slab_alloc.ptr = ptr;
	ev.slab_alloc.bytes_alloc = size ? size : 192;
	ev.slab_alloc.cache = cache;
	ev.slab_alloc.gfp_flags = gfp;
	ev.slab_alloc.callsite = 0xca11;
	take(f, &ev);
}

static void release(struct fixture *f, uint64_t ptr, uint32_t cache)
{
	struct kmem_event ev = { .type = cache ? KMEM_CACHE_FREE : KMEM_KFREE,
				 .ts = f->ts };

	ev.slab_free.ptr = ptr;
	ev.slab_free.cache = cache;
	take(f, &ev);
}

static void page(struct fixture *f, uint8_t type, uint64_t pfn, uint32_t order)
{
	struct kmem_event ev = { .type = type, .ts = f->ts };

	if (type == KMEM_PAGE_ALLOC) {
		ev.page_alloc.pfn = pfn;
		ev.page_alloc.order = order;
	} else {
		ev.page_free.pfn = pfn;
		ev.page_free.order = order;
	}
	take(f, &ev);
}

/* The cell in column @column of the row with @name in its @key column. */
static struct cell cell(const struct fixture *f, const char *table, const char *key,
			const char *name, const char *column)
{
	size_t i, row;

	for (i = 0; i < f->report->nr_tables; i++) {
		const struct table *t = f->report->tables[i];
		int k = table_column(t, key), c = table_column(t, column);

		if (strcmp(t->name, table))
			continue;
		ck_assert_int_ge(k, 0);
		ck_assert_int_ge(c, 0);
		for (row = 0; row < t->nr_rows; row++) {
			const struct cell *cells = &t->cells[row * t->nr_columns];

			if (!strcmp(cells[k].s, name))
				return cells[c];
		}
	}
	ck_abort_msg("no row %s in %s", name, table);
	return (struct cell){ 0 };
}

static void expect(const struct fixture *f, const char *name, int64_t trace,
		   int64_t kernel)
{
	ck_assert_int_eq(cell(f, "ledger", "cache", name, "trace").i, trace);
	ck_assert_int_eq(cell(f, "ledger", "cache", name, "kernel").i, kernel);
	ck_assert_int_eq(cell(f, "ledger", "cache", name, "unexplained").i,
			 kernel - trace);
}

START_TEST(every_way_into_a_cache)
{
	struct fixture f;
	char before[512], after[512];

	set_up(&f);
	snprintf(before, sizeof(before),
		 "kmalloc-64 10 64 64 64 1 :\nkmalloc-cg-64 10 64 64 64 1 :\n"
		 "memdup_user-64 3 64 64 64 1 :\n%s 10 21 192 21 1 :\n",
		 f.cache);
	snprintf(after, sizeof(after),
		 "kmalloc-64 11 64 64 64 1 :\nkmalloc-cg-64 9 64 64 64 1 :\n"
		 "memdup_user-64 5 64 64 64 1 :\n%s 12 21 192 21 1 :\n",
		 f.cache);
	add_meta(&f, "slabinfo.before", before);
	add_meta(&f, "slabinfo.after", after);
	ck_assert(ledger_possible(&f.rec));

	alloc(&f, 0x10000, 64, 0, 0); /* stays live */
	alloc(&f, 0x10040, 64, 0, 0);
	release(&f, 0x10040, 0);      /* both events seen */
	alloc(&f, 0x10040, 64, 0, 0); /* its free was not seen; allocated again */
	alloc(&f, 0x10040, 64, 0, 0);
	release(&f, 0x10040, 0);
	release(&f, 0x10040, 0); /* its bulk allocation was not seen: no change */
	release(&f, 0, 0);
	release(&f, 16, 0);
	alloc(&f, 0, 64, 0, 0);		     /* failed */
	alloc(&f, 0x20000, 64, 0, 0x400000); /* charged to a memory cgroup */
	release(&f, 0x20080, 0);	     /* older: its page tells the cache */
	release(&f, 0x20080, 0);
	alloc(&f, 0x30000, 0, 1, 0);
	release(&f, 0x31000, 1);     /* allocated before; the free names its cache */
	alloc(&f, 0x32000, 0, 0, 0); /* no name until its free gives it */
	alloc(&f, 0x32100, 0, 0, 0);
	release(&f, 0x32000, 1);
	release(&f, 0x900000, 0);	   /* the cache is unknown */
	alloc(&f, 0x1000000, 65536, 0, 0); /* large */
	alloc(&f, 0x1000000, 65536, 0, 0); /* the same again */

	ck_assert(!analysis_ledger.view(f.ledger, f.report));
	ck_assert(report_ok(f.report));
	ck_assert_uint_eq(f.report->nr_tables, 1); /* no page event, no page ledger */
	expect(&f, "kmalloc-64+1", 1, 3);
	expect(&f, "kmalloc-cg-64", 0, -1);
	expect(&f, f.cache, 1, 2);
	ck_assert_uint_eq(cell(&f, "ledger", "cache", "kmalloc-64+1", "implicit").u, 1);
	ck_assert(cell(&f, "ledger", "cache", f.cache, "explained").f == 50.0);
	ck_widths(f.report, "ledger", "cache");
	ck_assert_str_eq(f.report->tables[0]->summary[5].name, "frees_unknown");
	ck_assert_uint_eq(f.report->tables[0]->summary[5].value.u, 1);
	ck_assert_int_eq(f.report->tables[0]->summary[6].value.i, 1);
	tear_down(&f);
}
END_TEST

/* A free of an unknown object belongs to the slab in which others were seen. A slab has one, two or
 * more pages, and begins at a multiple of their number.
 */
START_TEST(pages_of_a_slab)
{
	static const struct {
		unsigned int pages; /* of a slab */
		uint64_t page;
		bool same; /* the same cache as the object in page 0x103 */
	} cases[] = { { 1, 0x103, true },  { 1, 0x102, false }, { 2, 0x102, true },
		      { 2, 0x104, false }, { 2, 0x101, false }, { 4, 0x100, true },
		      { 4, 0x0ff, false }, { 4, 0x104, false }, { 8, 0x107, true },
		      { 8, 0x108, false }, { 8, 0x0ff, false } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;
		char text[64];

		set_up(&f);
		snprintf(text, sizeof(text), "kmalloc-64 10 64 64 64 %u :\n",
			 cases[i].pages);
		add_meta(&f, "slabinfo.before", text);
		add_meta(&f, "slabinfo.after", text);
		alloc(&f, 0x103000, 64, 0, 0);
		alloc(&f, 0x103040, 64, 0, 0);
		release(&f, cases[i].page << 12 | 0x80, 0);
		ck_assert(!analysis_ledger.view(f.ledger, f.report));
		expect(&f, "kmalloc-64", cases[i].same ? 1 : 2, 0);
		tear_down(&f);
	}
}
END_TEST

static struct cell text_of(const struct fixture *f, const char *name, const char *column)
{
	return cell(f, "ledger", "cache", name, column);
}

/* Messages: no flag says that they are charged, but they come from charged caches. */
START_TEST(caches_that_stand_for_each_other)
{
	static const char before[] = "msg_msg-256 0 0 256 16 1 :\n"
				     "kmalloc-cg-256 80 80 256 16 1 :\n"
				     "kmalloc-256 800 800 256 16 1 :\n"
				     "msg_msg-64 0 0 64 64 1 :\n"
				     "kmalloc-cg-64 5 64 64 64 1 :\n"
				     "kmalloc-64 5 64 64 64 1 :\n";
	static const char after[] = "msg_msg-256 1008 1008 256 16 1 :\n"
				    "kmalloc-cg-256 80 80 256 16 1 :\n"
				    "kmalloc-256 796 800 256 16 1 :\n"
				    "msg_msg-64 0 0 64 64 1 :\n"
				    "kmalloc-cg-64 6 64 64 64 1 :\n"
				    "kmalloc-64 5 64 64 64 1 :\n";
	const struct table *t;
	struct fixture f;
	uint64_t i;

	set_up(&f);
	add_meta(&f, "slabinfo.before", before);
	add_meta(&f, "slabinfo.after", after);
	for (i = 0; i < 1000; i++)
		alloc(&f, 0x100000 + 256 * i, 256, 0, 0);
	alloc(&f, 0x200000, 256, 0, 0x400000);
	release(&f, 0x200000, 0);
	alloc(&f, 0x300000, 64, 0, 0x400000);
	ck_assert(!analysis_ledger.view(f.ledger, f.report));
	t = f.report->tables[0];
	ck_assert_uint_eq(t->nr_rows, 2);
	expect(&f, "kmalloc-256+2", 1000, 1004);
	ck_assert_str_eq(text_of(&f, "kmalloc-256+2", "caches").s,
			 "msg_msg-256 kmalloc-cg-256 kmalloc-256");
	ck_assert(text_of(&f, "kmalloc-256+2", "explained").f > 99.5);
	ck_assert_int_eq(
		strncmp(text_of(&f, "kmalloc-256+2", "why").s, "active_objs", 11), 0);
	/* If the cache for messages has no slab, the flags decide. */
	expect(&f, "kmalloc-cg-64+1", 1, 1);
	ck_assert_str_eq(text_of(&f, "kmalloc-cg-64+1", "why").s, "-");
	ck_assert_str_eq(text_of(&f, "kmalloc-cg-64+1", "caches").s,
			 "msg_msg-64 kmalloc-cg-64");
	ck_assert_str_eq(t->summary[1].name, "objects_unexplained");
	ck_assert_uint_eq(t->summary[1].value.u, 4);
	tear_down(&f);
}
END_TEST

/* The ledger reads the times of the counts when it is created. */
static void again(struct fixture *f)
{
	analysis_free(&analysis_ledger, f->ledger);
	accounts_free(&f->accounts);
	create(f);
}

/* Caches counted from 1000 to 1200 ns and from 9000 to 9200 ns; slabinfo has different numbers. */
static void set_up_counts(struct fixture *f, char text[4][512])
{
	set_up(f);
	f->rec.uname = (char *)"Linux host 6.18.1 x86_64";
	snprintf(text[0], 512,
		 "%s 500 525 192 21 1 :\nkmalloc-64 50 64 64 64 1 :\n"
		 "kmalloc-cg-64 5 64 64 64 1 :\nkmalloc-8 5 512 8 512 1 :\n"
		 "kmalloc-16 0 0 16 256 1 :\n",
		 f->cache);
	snprintf(text[1], 512,
		 "%s 700 735 192 21 1 :\nkmalloc-64 60 64 64 64 1 :\n"
		 "kmalloc-cg-64 6 64 64 64 1 :\nkmalloc-8 5 512 8 512 1 :\n"
		 "kmalloc-16 256 256 16 256 1 :\n",
		 f->cache);
	snprintf(text[2], 512,
		 "%s 100 0 0 1 1000 1100 1200\nkmalloc-64 40 0 32 1 1000 1100 1200\n"
		 "kmalloc-8 5 1 0 1 1000 1100 1200\nno line\n"
		 "kmalloc-16 0 0 0 1 1000 1100 1200\n",
		 f->cache);
	snprintf(
		text[3], 512,
		"%s 103 0 0 1 9000 9100 9200\nkmalloc-64 60 0 32 1 9000 9100 9200\n"
		"kmalloc-8 517 2 0 1 9000 9100 9200\nkmalloc-16 0 0 0 1 9000 9100 9200\n",
		f->cache);
	add_meta(f, "slabinfo.before", text[0]);
	add_meta(f, "slabinfo.after", text[1]);
	add_meta(f, "slab_counts.before", text[2]);
	add_meta(f, "slab_counts.after", text[3]);
}

/* Loses events, then makes the report again. */
static void lose_and_view(struct fixture *f)
{
	const struct kmem_event ev = { .type = KMEM_LOSS, .ts = f->ts };

	take(f, &ev);
	report_free(f->report);
	f->report = report_new();
	ck_assert_ptr_nonnull(f->report);
	ck_assert(!analysis_ledger.view(f->ledger, f->report));
}

/* The same after a loss, which comes first among the reasons. */
static void expect_lossy(struct fixture *f)
{
	lose_and_view(f);
	ck_assert_str_eq(text_of(f, f->cache, "why").s,
			 "events were lost; 2 events while it was counted");
	ck_assert_str_eq(
		text_of(f, "kmalloc-64", "why").s,
		"events were lost; 1 freed without an event (bulk, kfree_rcu); sheaves hold up to 512");
	ck_assert_str_eq(text_of(f, "kmalloc-cg-64", "why").s, "-");
}

START_TEST(counts_instead_of_slabinfo)
{
	struct fixture f;
	char text[4][512];

	set_up_counts(&f, text);
	again(&f);
	f.ts = 1099; /* before the first count */
	alloc(&f, 0x10000, 0, 1, 0);
	release(&f, 0x20000, 1);
	f.ts = 1150; /* during the first count */
	alloc(&f, 0x10100, 0, 1, 0);
	f.ts = 1201;
	alloc(&f, 0x10200, 0, 1, 0);
	alloc(&f, 0x10300, 0, 1, 0);
	alloc(&f, 0x10400, 0, 1, 0);
	release(&f, 0x10000, 1); /* was counted */
	release(&f, 0x20100, 1);
	alloc(&f, 0x30000, 64, 0, 0);
	alloc(&f, 0x30000, 64, 0, 0); /* its free was not seen */
	alloc(&f, 0x40000, 64, 0, 0x400000);
	alloc(&f, 0x50000, 16, 0, 0);
	release(&f, 0x50000, 0);
	f.ts = 9099;
	alloc(&f, 0x10500, 0, 1, 0);
	f.ts = 9100;
	release(&f, 0x10500, 1);
	f.ts = 9201; /* after the last count */
	release(&f, 0x10200, 1);
	alloc(&f, 0x10300, 0, 1, 0);
	release(&f, 0x30100, 0);
	ck_assert(!analysis_ledger.view(f.ledger, f.report));
	expect(&f, f.cache, 2, 3);
	ck_assert_uint_eq(text_of(&f, f.cache, "allocs").u, 4);
	ck_assert_uint_eq(text_of(&f, f.cache, "freed").u, 2);
	ck_assert_uint_eq(text_of(&f, f.cache, "implicit").u, 0);
	ck_assert_str_eq(text_of(&f, f.cache, "source").s, "count");
	ck_assert_str_eq(text_of(&f, f.cache, "why").s, "2 events while it was counted");
	expect(&f, "kmalloc-64", 1, 20);
	ck_assert_str_eq(
		text_of(&f, "kmalloc-64", "why").s,
		"1 freed without an event (bulk, kfree_rcu); sheaves hold up to 512");
	/* These were not counted: their numbers come from slabinfo and from all events. */
	expect(&f, "kmalloc-cg-64", 1, 1);
	ck_assert_str_eq(text_of(&f, "kmalloc-cg-64", "source").s, "slabinfo");
	/* It was empty when counted, whatever slabinfo says later. */
	expect(&f, "kmalloc-16", 0, 0);
	ck_assert_str_eq(text_of(&f, "kmalloc-16", "source").s, "count");
	expect(&f, "kmalloc-8", 0, 512);
	ck_assert_uint_eq(text_of(&f, "kmalloc-8", "slack").u, 1024);
	ck_assert_str_eq(text_of(&f, "kmalloc-8", "why").s,
			 "CPUs held up to 1024 free ones");
	ck_widths(f.report, "ledger", "cache");
	expect_lossy(&f);
	tear_down(&f);
}
END_TEST

/* Two caches that events cannot tell apart: both must be counted, but it does not matter when an
 * empty one was.
 */
START_TEST(counts_of_two_caches)
{
	static const struct {
		const char *first, *last, *source; /* of memdup_user-64 */
		int64_t kernel;
	} cases[] = {
		{ "memdup_user-64 3 0 0 1 1000 1100 1200\n",
		  "memdup_user-64 5 0 0 1 9000 9100 9200\n", "count", 20 + 2 },
		{ "", "memdup_user-64 5 0 0 1 9000 9100 9200\n", "slabinfo", 10 },
		{ "memdup_user-64 3 0 0 1 1000 1100 1200\n", "", "slabinfo", 10 },
		{ "", "", "slabinfo", 10 },
		/* Empty at both times, and counted later and earlier than the other. */
		{ "memdup_user-64 0 0 0 1 4000 4100 4200\n",
		  "memdup_user-64 0 0 0 1 6000 6100 6200\n", "count", 20 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char first[256], last[256];
		struct fixture f;

		set_up(&f);
		f.rec.uname = (char *)"Linux host 6.18.1 x86_64";
		snprintf(first, sizeof(first), "kmalloc-64 40 0 0 1 1000 1100 1200\n%s",
			 cases[i].first);
		snprintf(last, sizeof(last), "kmalloc-64 60 0 0 1 9000 9100 9200\n%s",
			 cases[i].last);
		add_meta(&f, "slabinfo.before",
			 "kmalloc-64 50 64 64 64 1 :\nmemdup_user-64 9 64 64 64 1 :\n");
		add_meta(&f, "slabinfo.after",
			 "kmalloc-64 60 64 64 64 1 :\nmemdup_user-64 9 64 64 64 1 :\n");
		add_meta(&f, "slab_counts.before", first);
		add_meta(&f, "slab_counts.after", last);
		again(&f);
		f.ts = 3000;
		alloc(&f, 0x10000, 64, 0, 0);
		f.ts = 8000;
		alloc(&f, 0x10040, 64, 0, 0);
		ck_assert(!analysis_ledger.view(f.ledger, f.report));
		expect(&f, "kmalloc-64+1", 2, cases[i].kernel);
		ck_assert_str_eq(text_of(&f, "kmalloc-64+1", "source").s,
				 cases[i].source);
		tear_down(&f);
	}
}
END_TEST

/* Objects are allocated at 1 s with events, and at 41 s without: the row says when, and the steps
 * what.
 */
START_TEST(steps_of_the_curve)
{
	static const char step[] = "ledger_step";
	char text[2][128], curve[512];
	struct fixture f;
	unsigned int i;

	set_up(&f);
	f.rec.uname = (char *)"Linux host 6.18.1 x86_64";
	snprintf(text[0], sizeof(text[0]), "%s 10 525 8192 1 2 :\n", f.cache);
	snprintf(text[1], sizeof(text[1]), "%s 510 525 8192 1 2 :\n", f.cache);
	/* Moments at 0.5, 10.5, ... 90.5 s; 100 objects more at the second, 400 at the sixth. */
	snprintf(curve, sizeof(curve),
		 "times +500000000+10000000000+10000000000+10000000000+10000000000"
		 "+10000000000+10000000000+10000000000+10000000000+10000000000\n"
		 "s %s +10+100=3+400=4\nm MemFree +8=9\nv pgalloc +1+64=8\n",
		 f.cache);
	add_meta(&f, "slabinfo.before", text[0]);
	add_meta(&f, "slabinfo.after", text[1]);
	add_meta(&f, RECORDING_META_CURVE, curve);
	f.env.first_ts = 500000000;
	again(&f);
	for (i = 0; i < 100; i++) {
		f.ts = 1000000000 + i;
		alloc(&f, 0x10000 + i * 64, 0, 1, 0);
	}
	page(&f, KMEM_PAGE_ALLOC, 64, 3);
	f.ts = 45000000000;
	page(&f, KMEM_PAGE_FREE, 64, 2);
	page(&f, KMEM_PAGE_ALLOC, 64, 1);
	f.ts = 95000000000; /* after the last moment */
	alloc(&f, 0x90000, 0, 1, 0);
	ck_assert(!analysis_ledger.view(f.ledger, f.report));
	expect(&f, f.cache, 101, 500);
	ck_assert_str_eq(
		text_of(&f, f.cache, "why").s,
		"no event: in bulk, or the recorder's own; +400 from +40.00 s to +50.00 s");
	ck_assert_int_eq(text_of(&f, f.cache, "burst").i, 400);
	ck_assert_uint_eq(text_of(&f, f.cache, "burst_from").u, 40500000000);
	ck_assert_uint_eq(text_of(&f, f.cache, "burst_to").u, 50500000000);
	ck_assert_str_eq(text_of(&f, f.cache, "kernel_at").s,
			 "10|110|110|110|110|510|510|510|510|510");
	ck_assert_str_eq(text_of(&f, f.cache, "trace_at").s,
			 "10|110|110|110|110|110|110|110|110|110");
	/* The step with the most unexplained bytes comes first. */
	ck_assert_str_eq(f.report->tables[1]->name, step);
	ck_assert_uint_eq(f.report->tables[1]->nr_rows, 9);
	ck_assert_int_eq(cell(&f, step, "cache", f.cache, "most").i, 400);
	ck_assert_uint_eq(cell(&f, step, "cache", f.cache, "unexplained").u, 400);
	ck_assert_uint_eq(cell(&f, step, "cache", f.cache, "from_ts").u, 40500000000);
	ck_assert_uint_eq(cell(&f, step, "cache", f.cache, "mem_free").u, 8192);
	ck_assert_int_eq(cell(&f, step, "cache", f.cache, "pgalloc").i, 0);
	ck_assert_int_eq(cell(&f, step, "cache", f.cache, "pgfree").type, CELL_NONE);
	ck_assert_uint_eq(cell(&f, step, "cache", f.cache, "pages_allocated").u, 2);
	ck_assert_uint_eq(cell(&f, step, "cache", f.cache, "pages_freed").u, 4);
	tear_down(&f);
}
END_TEST

/* The counts cannot be used: falls back on slabinfo. */
START_TEST(counts_of_no_use)
{
	struct fixture f;
	char text[4][512];

	set_up_counts(&f, text);
	/* In this kernel each memory cgroup had its own caches, which sysfs does not add up. */
	f.rec.uname = (char *)"Linux host 5.8.1 x86_64";
	again(&f);
	f.ts = 1099;
	alloc(&f, 0x10000, 0, 1, 0);
	ck_assert(!analysis_ledger.view(f.ledger, f.report));
	expect(&f, f.cache, 1, 200);
	ck_assert_str_eq(text_of(&f, f.cache, "source").s, "slabinfo");
	report_free(f.report);
	f.report = report_new();
	/* The two counts overlap in time. */
	f.rec.uname = (char *)"Linux host 6.18.1 x86_64";
	snprintf(text[3], 512, "%s 103 0 0 1 900 1100 1200\n", f.cache);
	f.meta[3].size = strlen(text[3]);
	again(&f);
	alloc(&f, 0x10000, 0, 1, 0);
	ck_assert(!analysis_ledger.view(f.ledger, f.report));
	expect(&f, f.cache, 1, 200);
	tear_down(&f);
}
END_TEST

/* The report's note about tasks, or NULL. */
static const char *tasks_note(const struct fixture *f)
{
	const struct table *t = f->report->tables[0];
	size_t i;

	for (i = 0; i < t->nr_notes; i++)
		if (strstr(t->notes[i], " ran, "))
			return t->notes[i];
	return NULL;
}

static void view_again(struct fixture *f)
{
	report_free(f->report);
	f->report = report_new();
	ck_assert_ptr_nonnull(f->report);
	ck_assert(!analysis_ledger.view(f->ledger, f->report));
	ck_assert(report_ok(f->report));
}

/* Task @pid allocates an object of 64 bytes, which stays live, with @flags. */
static void alloc_by(struct fixture *f, int32_t pid, uint8_t flags, uint64_t ptr)
{
	struct kmem_event ev = { .type = KMEM_KMALLOC, .pid = pid, .flags = flags };

	ev.slab_alloc.ptr = ptr;
	ev.slab_alloc.bytes_alloc = 64;
	take(f, &ev);
}

/* Tasks 1 to 3 and 9 ran, and only task 2 has an event of its own. More of kmalloc-64 is missing
 * than of kmalloc-96.
 */
static void set_up_tasks(struct fixture *f)
{
	uint64_t i;

	set_up(f);
	add_meta(f, "slabinfo.before",
		 "kmalloc-64 10 64 64 64 0 :\nkmalloc-96 10 64 96 42 0 :\n"
		 "kmalloc-128 10 32 128 32 0 :\n");
	add_meta(f, "slabinfo.after",
		 "kmalloc-64 9000 64 64 64 0 :\nkmalloc-96 5000 64 96 42 0 :\n"
		 "kmalloc-128 41 32 128 32 0 :\n");
	add_meta(f, "tasks_ran",
		 "1 2000000\n2 5000000\n3 40000000\n9 1000\nbad\n4\n0 7\n"
		 "3 1\n99999999999 5\n5 0\n6 99999999999999999999\n");
	f->rec.cmdlines = (char *)"1 init\n2 seen\n3 worker\n";
	again(f);
	alloc_by(f, 3, 0x10, 0x1000); /* a softirq */
	alloc_by(f, 2, 0x10, 0x1040);
	alloc_by(f, 1, 0x08, 0x1080);
	for (i = 0; i < 40; i++)
		alloc_by(f, 2, i % 2 ? 0x80 : 0, 0x10000 + 64 * i);
	view_again(f);
}

START_TEST(tasks_without_events_are_named)
{
	struct fixture f;
	const struct table *t;

	set_up_tasks(&f);
	ck_assert_pstr_eq(
		tasks_note(&f),
		"3 tasks ran, 42 ms together, and have no slab or page event: worker (3), init (1), <...> (9). What they allocated may be a part of the difference of kmalloc-64, kmalloc-96.");
	t = f.report->tables[0];
	ck_assert_str_eq(t->summary[9].name, "tasks_unseen");
	ck_assert_uint_eq(t->summary[9].value.u, 3);
	ck_assert_uint_eq(t->summary[10].value.u, 42001000);
	alloc_by(&f, 3, 0, 0x20000);
	alloc_by(&f, 9, 0, 0x20040);
	view_again(&f);
	ck_assert_pstr_eq(
		tasks_note(&f),
		"1 task ran, 2 ms, and has no slab or page event: init (1). What it allocated may be a part of the difference of kmalloc-64, kmalloc-96.");
	alloc_by(&f, 1, 0, 0x20080);
	view_again(&f);
	ck_assert_pstr_eq(tasks_note(&f), NULL);
	ck_assert_uint_eq(f.report->tables[0]->nr_summary, 9);
	tear_down(&f);
}
END_TEST

/* If there may be another cause, or nothing is missing, no task is named. */
START_TEST(tasks_are_not_blamed_without_evidence)
{
	struct fixture f;

	set_up_tasks(&f);
	lose_and_view(&f);
	ck_assert_pstr_eq(tasks_note(&f), NULL);
	tear_down(&f);
	set_up_tasks(&f);
	f.rec.cut_short = (char *)"the disk was full";
	view_again(&f);
	ck_assert_pstr_eq(tasks_note(&f), NULL);
	f.rec.cut_short = NULL;
	f.meta[1].text =
		(char *)"kmalloc-64 80 64 64 64 0 :\nkmalloc-96 10 64 96 42 0 :\n";
	view_again(&f);
	ck_assert_pstr_eq(tasks_note(&f), NULL);
	tear_down(&f);
	set_up_tasks(&f);
	add_meta(&f, "scope", "part");
	again(&f);
	alloc_by(&f, 2, 0, 0x10000);
	view_again(&f);
	ck_assert_pstr_eq(tasks_note(&f), NULL);
	tear_down(&f);
}
END_TEST

START_TEST(pages)
{
	struct fixture f;

	set_up(&f);
	add_meta(&f, "vmstat.before",
		 "nr_free_pages 100\npgalloc_dma 5\npgalloc_normal 10\npgfree 20\n");
	add_meta(&f, "vmstat.after",
		 "nr_free_pages 95\npgalloc_dma 5\npgalloc_normal 20\npgfree 22\n");
	add_meta(&f, "buddyinfo.before", "Node 0, zone Normal 90 0\n");
	add_meta(&f, "buddyinfo.after", "Node 0, zone Normal 80 0\n");
	add_meta(&f, "zoneinfo.before", "count: 10\n");
	add_meta(&f, "zoneinfo.after", "count: 13\n");
	page(&f, KMEM_PAGE_ALLOC, 8, 3);
	page(&f, KMEM_PAGE_ALLOC, KMEM_NO_PFN, 9); /* failed */
	page(&f, KMEM_PAGE_FREE, 8, 0);
	page(&f, KMEM_PAGE_FREE, 8, 60); /* damaged */

	ck_assert(!analysis_ledger.view(f.ledger, f.report));
	ck_assert_uint_eq(f.report->nr_tables, 1);
	ck_assert_int_eq(
		cell(&f, "ledger_page", "what", "allocated (pgalloc_*)", "trace").i, 8);
	ck_assert_int_eq(
		cell(&f, "ledger_page", "what", "allocated (pgalloc_*)", "kernel").i, 10);
	ck_assert_int_eq(
		cell(&f, "ledger_page", "what", "freed (pgfree)", "unexplained").i, 1);
	ck_assert_int_eq(
		cell(&f, "ledger_page", "what", "net (buddyinfo, zoneinfo)", "kernel").i,
		7);
	ck_assert(
		cell(&f, "ledger_page", "what", "net (buddyinfo, zoneinfo)", "explained")
			.f == 100.0);
	ck_assert_int_eq(
		cell(&f, "ledger_page", "what", "net (nr_free_pages)", "kernel").i, 5);
	tear_down(&f);
}
END_TEST

START_TEST(without_snapshots)
{
	struct fixture f;

	set_up(&f);
	add_meta(&f, "slabinfo.before", "");
	ck_assert(!ledger_possible(&f.rec));
	alloc(&f, 0x10000, 64, 0, 0);
	ck_assert(!analysis_ledger.view(f.ledger, f.report));
	ck_assert_uint_eq(f.report->nr_tables, 0);
	/* The snapshots are damaged: only the numbers from events remain. */
	add_meta(&f, "slabinfo.after", "\x01\n : : :\nkmalloc-64 1 1 64 0 0\n");
	ck_assert(!analysis_ledger.view(f.ledger, f.report));
	ck_assert_uint_eq(f.report->nr_tables, 1);
	expect(&f, "kmalloc-64", 1, 1);
	tear_down(&f);
}
END_TEST

Suite *test_ledger_suite(void)
{
	Suite *s = suite_create("analysis/ledger");
	TCase *tc = tcase_create("ledger");

	tcase_add_test(tc, every_way_into_a_cache);
	tcase_add_test(tc, pages_of_a_slab);
	tcase_add_test(tc, caches_that_stand_for_each_other);
	tcase_add_test(tc, counts_instead_of_slabinfo);
	tcase_add_test(tc, counts_of_two_caches);
	tcase_add_test(tc, steps_of_the_curve);
	tcase_add_test(tc, counts_of_no_use);
	tcase_add_test(tc, tasks_without_events_are_named);
	tcase_add_test(tc, tasks_are_not_blamed_without_evidence);
	tcase_add_test(tc, pages);
	tcase_add_test(tc, without_snapshots);
	suite_add_tcase(s, tc);
	return s;
}
