// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/bounds/census.h: what the kernel's counts say, read from its texts.
 */
#include <check.h>
#include <string.h>

#include "analysis/bounds/bounds.h"
#include "analysis/bounds/census.h"
#include "opened.h"

/* Counts of slabinfo: a class with 100 live objects should have gained 100, but lacks 10. Free
 * objects that CPUs hold may explain that, if there are enough of them.
 */
START_TEST(likely_by_slabinfo)
{
	static const struct {
		uint64_t slack, untraced, likely;
	} cases[] = { { 9, 3, 90 },   { 10, 3, 97 },  { 10, 9, 91 },
		      { 10, 10, 90 }, { 10, 11, 90 }, { 11, 0, 100 } };
	/* Only a count taken while events were recorded says how many of its objects CPUs held. */
	struct census_cache cache = { .next = UINT32_MAX, .first.held = 50 };
	struct census_class class = { .before = 115,
				      .after = 200,
				      .counted = true,
				      .nr_caches = 1,
				      .live = 100,
				      .old_freed = 3,
				      .old_kfreed = 2 };
	struct census c = { .caches = &cache,
			    .nr_caches = 1,
			    .classes = &class,
			    .nr_classes = 1,
			    .most = true,
			    .least = true };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		class.slack = cases[i].slack;
		ck_assert_uint_eq(census_likely(&c, 0, cases[i].untraced),
				  cases[i].likely);
	}
	ck_assert_uint_eq(census_likely(&c, 1, 0), UINT64_MAX); /* no such class */
	class.counted = false;
	ck_assert_uint_eq(census_likely(&c, 0, 0), UINT64_MAX);
}
END_TEST

/* Exact counts while events were recorded: of 130 + 20 objects, with 2 and 4 changes since, 142 - 3
 * are there: 13 are missing.
 */
START_TEST(likely_by_exact_counts)
{
	static const struct {
		uint64_t held[2], sheaf, untraced, likely;
	} cases[] = { { { 0, 0 }, 0, 0, 117 }, { { 6, 6 }, 0, 5, 117 },
		      { { 6, 7 }, 0, 5, 125 }, { { 13, 0 }, 0, 12, 118 },
		      { { 0, 1 }, 4, 5, 125 }, { { 0, 0 }, 4, 5, 117 } };
	struct census_cache cache = { .next = UINT32_MAX };
	struct census_class class = {
		.exact = true,
		.nr_caches = 1,
		.live = 130,
		.old_freed = 7,
		.old_kfreed = 1,
		.old_outside = 3,
		.allocs_since = 4,
		.frees_since = 2,
		.first = { .objects = 20 },
		.last = { .objects = 130 },
	};
	struct census c = { .caches = &cache,
			    .nr_caches = 1,
			    .nr_sheaves = 3,
			    .classes = &class,
			    .nr_classes = 1,
			    .most = true,
			    .least = true };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cache.first.held = cases[i].held[0];
		cache.last.held = cases[i].held[1];
		cache.last.sheaf = cases[i].sheaf;
		ck_assert_uint_eq(census_likely(&c, 0, cases[i].untraced),
				  cases[i].likely);
	}
	/* At most as many as are in use and were allocated since. */
	class.live = 200;
	class.old_freed = 300;
	ck_assert_uint_eq(census_likely(&c, 0, 0), 130 + 4);
}
END_TEST

/* A count shows what seems to live if a quarter of it is there. */
START_TEST(shown)
{
	struct census_class class = { .counted = true, .live = 100, .after = 35 };
	struct census c = {
		.classes = &class, .nr_classes = 1, .most = true, .least = true
	};

	class.before = 10; /* 75 are missing */
	ck_assert(census_shows(&c, 0));
	class.before = 11;
	ck_assert(!census_shows(&c, 0));
	ck_assert(census_shows(&c, 1));
	c.least = false;
	ck_assert(census_shows(&c, 0));
	class.live = 35;
	ck_assert(!census_contradicts(&c, 0));
	class.live = 36;
	ck_assert(census_contradicts(&c, 0));
	ck_assert(!census_contradicts(&c, 1));
}
END_TEST

START_TEST(releases)
{
	static const struct {
		const char *uname;
		bool since;
	} cases[] = { { "Linux h 6.11.9-amd64 x86_64", false },
		      { "Linux h 6.12.0 x86_64", true },
		      { "Linux h 6.13 x86_64", true },
		      { "Linux h 5.19.0 x86_64", false },
		      { "Linux h 7.0.1 x86_64", true },
		      { "Linux h 6 x86_64", false },
		      { NULL, false } };
	struct recording rec = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		rec.uname = (char *)cases[i].uname;
		ck_assert_int_eq(census_since(&rec, 6, 12), cases[i].since);
	}
}
END_TEST

static struct recording_text meta[] = {
	{ .name = (char *)"slabinfo.before",
	  .text = (char *)"vm_area_struct 90 100 256 16 1 :\nkmalloc-96 5 42 96 42 1 :\n"
			  "kmalloc-cg-96 7 42 96 42 1 :\nbig 1 1 500 99999 1 :\n" },
	{ .name = (char *)"slabinfo.after",
	  .text = (char *)"vm_area_struct 95 100 256 16 1 :\nkmalloc-96 6 42 96 42 1 :\n"
			  "kmalloc-cg-96 9 42 96 42 1 :\nnew 3 4 64 64 1 :\n" },
	{ .name = (char *)"slab_cpu.after",
	  .text = (char *)"vm_area_struct 3 0\nvm_area_struct 2 5\nkmalloc-96 4 2\nabsent 9 9\n"
			  "kmalloc-cg-96 4294967296 1\nnew 1 4294967296\n"
			  "big 4294967295 0\n" },
	{ .name = (char *)"slab_counts.before",
	  .text = (char *)"vm_area_struct 80 2 1 0 11 12 13\nvm_area_struct 1 1 1 0 1 2 3\n"
			  "kmalloc-96 5 1 0 0 20 21 22\nkmalloc-cg-96 6 0 0 0 15 16 30\n" },
	{ .name = (char *)"slab_counts.after",
	  .text = (char *)"vm_area_struct 85 3 2 1 51 52 53\nkmalloc-96 6 4 1 1 54 55 56\n"
			  "kmalloc-cg-96 4611686018427387904 0 0 0 57 58 59\n"
			  "kmalloc-cg-96 8 4294967296 0 0 57 58 59\n"
			  "kmalloc-cg-96 8 0 4294967296 0 57 58 59\n"
			  "kmalloc-cg-96 8 2 1 0 57 58 59\n"
			  "big 5 0 4294967295 0 1 2 3\nnew 3 4294967295 0 0 1 2 3\n" },
	{ .name = (char *)"buddyinfo.after",
	  .text = (char *)"Node 0, zone DMA 1\nNode 1, zone Normal 1\n" },
	{ .name = (char *)"duration_ns", .text = (char *)"400000000" },
	{ .name = (char *)"self", .text = (char *)"task" },
};

/* Sheaves of two CPUs and two nodes. */
enum { SHEAVES = 2 * 3 + 2 * 10 };

struct read {
	struct opened in;
	struct recording rec;
	struct census c;
};

static void set_up(struct read *r)
{
	opened_lends(&r->in, "data/trixie-amd64-small-stack.v7.dat");
	r->rec = *r->in.rec;
	r->rec.meta = meta;
	r->rec.nr_meta = ARRAY_SIZE(meta);
	r->rec.nr_cpus = 2;
	r->rec.nr_cpustats = 0;
	r->in.env.rec = &r->rec;
	r->c = (struct census){ 0 };
	ck_assert_int_eq(census_init(&r->c, &r->in.env), 0);
}

static void tear_down(struct read *r)
{
	census_free(&r->c);
	opened_close(&r->in);
}

static const struct census_class *class_of(const struct read *r, const char *name)
{
	uint32_t of = census_of_name(&r->c, name);

	ck_assert_uint_lt(of, r->c.nr_classes);
	return &r->c.classes[of];
}

/* The number of cache @name in the stream's events. */
static uint32_t number_of(const struct event_stream *stream, const char *name)
{
	uint32_t id = 1;

	while (event_stream_cache(stream, id) &&
	       strcmp(event_stream_cache(stream, id), name) != 0)
		id++;
	ck_assert_ptr_nonnull(event_stream_cache(stream, id));
	return id;
}

/* Caches that events cannot tell apart are one class, with the sums of all. */
START_TEST(classes_of_the_texts)
{
	const struct census_class *class;
	struct read r;

	set_up(&r);
	ck_assert(r.c.most && r.c.least);
	ck_assert_uint_eq(r.c.duration_ns, 400000000);
	ck_assert_uint_eq(r.c.nr_sheaves, SHEAVES);
	ck_assert_uint_eq(r.c.nr_caches, 5);
	ck_assert_uint_eq(r.c.nr_classes, 4);
	class = class_of(&r, "kmalloc-96");
	ck_assert_ptr_eq(class, class_of(&r, "kmalloc-cg-96"));
	ck_assert_uint_eq(census_of_kmalloc(&r.c, 96),
			  census_of_name(&r.c, "kmalloc-96"));
	ck_assert_uint_eq(census_of_kmalloc(&r.c, 256), UINT32_MAX);
	ck_assert_uint_eq(census_of_name(&r.c, "absent"), UINT32_MAX);
	ck_assert_uint_eq(census_of_name(&r.c, NULL), UINT32_MAX);
	ck_assert_uint_eq(class->nr_caches, 2);
	ck_assert_uint_eq(class->before, 5 + 7);
	ck_assert_uint_eq(class->after, 6 + 9);
	ck_assert_uint_eq(class->per_slab, 42);
	class = class_of(&r, "new"); /* of the second text only */
	ck_assert_uint_eq(class->before, 0);
	ck_assert_uint_eq(class->after, 3);
	ck_assert_uint_eq(class_of(&r, "big")->per_slab, 32767);
	tear_down(&r);
}
END_TEST

/* What CPUs hold: the largest number that the texts give for a cache; without any, it is derived
 * from the size.
 */
START_TEST(slack_of_the_texts)
{
	const struct slabinfo_line of_96 = { .size = 96, .per_slab = 42 };
	const struct slabinfo_line of_new = { .size = 64, .per_slab = 64 };
	struct read r;

	set_up(&r);
	ck_assert_uint_eq(class_of(&r, "vm_area_struct")->slack, 3 * 16 + 5 * SHEAVES);
	ck_assert_uint_eq(class_of(&r, "kmalloc-96")->slack,
			  4 * 42 + 2 * SHEAVES + census_slack(&of_96, &r.rec) +
				  cache_sheaf_capacity(&r.rec, "kmalloc-cg-96") *
					  SHEAVES);
	ck_assert_uint_eq(class_of(&r, "new")->slack,
			  census_slack(&of_new, &r.rec) +
				  cache_sheaf_capacity(&r.rec, "new") * SHEAVES);
	ck_assert_uint_eq(class_of(&r, "big")->slack, UINT32_MAX * 32767ULL);
	tear_down(&r);
}
END_TEST

/* A repeated line, or one with more than any cache has, is damage. */
START_TEST(counts_of_the_texts)
{
	const struct census_class *class;
	struct read r;

	set_up(&r);
	class = class_of(&r, "vm_area_struct");
	ck_assert_uint_eq(class->first.caches, 1);
	ck_assert_uint_eq(class->first.objects, 80);
	ck_assert_uint_eq(class->first.begin, 11);
	ck_assert_uint_eq(class->first.end, 13);
	ck_assert_uint_eq(class->last.objects, 85);
	ck_assert_uint_eq(class->held, 3 * 16); /* shrunk: sheaves are empty */
	ck_assert_uint_eq(class->refill, 2 * SHEAVES);
	class = class_of(&r, "kmalloc-96");
	ck_assert_uint_eq(class->first.caches, 2);
	ck_assert_uint_eq(class->first.objects, 5 + 6);
	ck_assert_uint_eq(class->first.begin, 15);
	ck_assert_uint_eq(class->first.end, 30);
	ck_assert_uint_eq(class->last.caches, 2);
	ck_assert_uint_eq(class->last.objects, 6 + 8);
	ck_assert_uint_eq(class->last.begin, 54);
	ck_assert_uint_eq(class->last.end, 59);
	ck_assert_uint_eq(class->held + class->refill, (4 + 2) * 42 + 2 * SHEAVES);
	/* The largest valid count. */
	ck_assert_uint_eq(class_of(&r, "big")->last.caches, 1);
	ck_assert_uint_eq(class_of(&r, "new")->last.caches, 1);
	tear_down(&r);
}
END_TEST

/* Adds an event of an object of @kind at each of @times. */
static void add_events(struct slab_edges *edges, struct slab_edge_kind kind,
		       const uint64_t *times, size_t nr)
{
	static const enum slab_edge_what whats[] = { SLAB_EDGE_ALLOC, SLAB_EDGE_FREE,
						     SLAB_EDGE_FREE_OLD };

	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < ARRAY_SIZE(whats); k++)
			edges->events[edges->nr++] =
				(struct slab_edge){ times[i], kind, whats[k] };
}

/* Events during the two counts, before the end of the first and after the start of the last. */
START_TEST(events_next_to_counts)
{
	static const uint64_t times[] = { 10, 12, 13, 14, 50, 51, 52, 53, 54 };
	struct slab_edge events[3 * ARRAY_SIZE(times)];
	struct slab_edges edges = { .events = events };
	const struct census_class *class;
	struct read r;

	set_up(&r);
	add_events(&edges,
		   (struct slab_edge_kind){
			   .cache = number_of(r.in.stream, "vm_area_struct") },
		   times, ARRAY_SIZE(times));
	census_add_edges(&r.c, &edges, r.in.stream);
	class = class_of(&r, "vm_area_struct");
	ck_assert(class->exact);
	ck_assert_uint_eq(class->first.events, 3 * 2); /* 12 and 13 */
	ck_assert_uint_eq(class->last.events, 3 * 2);
	ck_assert_uint_eq(class->since_shrunk, 3 * 3);
	ck_assert_uint_eq(class->allocs_since, 4);
	ck_assert_uint_eq(class->frees_since, 4);
	ck_assert_uint_eq(class->old_outside, 3 + 4);
	class = class_of(&r, "kmalloc-96");
	ck_assert(class->exact); /* 30 is before 54 */
	ck_assert_uint_eq(class->first.events + class->last.events, 0);
	ck_assert_uint_eq(class->allocs_since + class->frees_since, 0);
	ck_assert(!class_of(&r, "new")->exact);
	tear_down(&r);
}
END_TEST

/* An event counts for all classes that its object may belong to. */
START_TEST(events_of_unknown_caches)
{
	static const struct {
		struct slab_edge_kind kind;
		uint64_t area, kmalloc; /* frees of each class since the last count */
	} cases[] = { { { .bytes = 96 }, 0, 1 },	{ { .bytes = 64 }, 0, 0 },
		      { { .nameless = 96 }, 0, 1 },	{ { .nameless = 256 }, 1, 0 },
		      { { .nameless = 8 }, 0, 0 },	{ { 0 }, 1, 1 },
		      { { .cache = UINT32_MAX }, 0, 0 } };
	static const uint64_t time = 99;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slab_edge events[3];
		struct slab_edges edges = { .events = events };
		struct read r;

		set_up(&r);
		add_events(&edges, cases[i].kind, &time, 1);
		census_add_edges(&r.c, &edges, r.in.stream);
		ck_assert_uint_eq(class_of(&r, "vm_area_struct")->frees_since,
				  cases[i].area);
		ck_assert_uint_eq(class_of(&r, "kmalloc-96")->frees_since,
				  cases[i].kmalloc);
		/* An old object counts as such only if the event names the cache. */
		ck_assert_uint_eq(class_of(&r, "kmalloc-96")->old_outside, 0);
		tear_down(&r);
	}
}
END_TEST

START_TEST(too_many_events)
{
	struct slab_edges edges = { .incomplete = true };
	struct read r;

	set_up(&r);
	census_add_edges(&r.c, &edges, r.in.stream);
	ck_assert(!class_of(&r, "vm_area_struct")->exact);
	edges.incomplete = false;
	edges.nr = 100000000 / r.c.nr_caches + 1;
	census_add_edges(&r.c, &edges, r.in.stream);
	ck_assert(!class_of(&r, "vm_area_struct")->exact);
	tear_down(&r);
}
END_TEST

Suite *test_census_suite(void);
Suite *test_census_suite(void)
{
	Suite *s = suite_create("analysis/census");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, likely_by_slabinfo);
	tcase_add_test(tc, likely_by_exact_counts);
	tcase_add_test(tc, shown);
	tcase_add_test(tc, releases);
	tcase_add_test(tc, classes_of_the_texts);
	tcase_add_test(tc, slack_of_the_texts);
	tcase_add_test(tc, counts_of_the_texts);
	tcase_add_test(tc, events_next_to_counts);
	tcase_add_test(tc, events_of_unknown_caches);
	tcase_add_test(tc, too_many_events);
	suite_add_tcase(s, tc);
	return s;
}
