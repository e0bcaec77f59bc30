// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/parts.h: the parts together are the stream, each in its order; if they would not be,
 * no parts are made.
 */
#include "stream_builder.h"

#include <errno.h>

#include "event/parts.h"
#include "often.h"

#define MAX_EVENTS 20000
#define CPU_IDS	   65536
/* Bits of common_flags. */
#define HARDIRQ	   0x08
#define SOFTIRQ	   0x10

struct taken {
	struct kmem_event evs[MAX_EVENTS];
	size_t nr;
	unsigned int part;
	bool ended;
};

static struct taken taken[EVENT_PARTS];

static void take(void *ctx, const struct kmem_event *evs, size_t nr)
{
	struct taken *t = ctx;
	size_t i;

	ck_assert(!t->ended);
	for (i = 0; i < nr; i++) {
		ck_assert_uint_lt(t->nr, MAX_EVENTS);
		t->evs[t->nr++] = evs[i];
	}
}

static void end(void *ctx)
{
	struct taken *t = ctx;

	t->ended = true;
}

static unsigned int nr_rounds;

static int count_round(void *ctx, uint64_t nr_events)
{
	(void)ctx;
	(void)nr_events;
	nr_rounds++;
	return 0;
}

static int run_parts(unsigned int jobs)
{
	struct event_parts how = { .jobs = jobs, .page_shift = 10, .pause = count_round };
	unsigned int i;

	nr_rounds = 0;
	for (i = 0; i < EVENT_PARTS; i++) {
		taken[i] = (struct taken){ .part = i };
		how.parts[i] = (struct event_part){ take, end, &taken[i] };
	}
	return event_parts_run(st, &how);
}

static void open_parts(void)
{
	open_with(&(struct event_stream_options){ .stop_ts = UINT64_MAX, .parts = true });
}

/* The earliest event, over all parts, that was not checked yet. */
static struct kmem_event *next_taken(size_t *at)
{
	struct kmem_event *first = NULL;
	unsigned int i, part = 0;

	for (i = 0; i < EVENT_PARTS; i++) {
		struct kmem_event *e = &taken[i].evs[at[i]];

		if (at[i] < taken[i].nr &&
		    (!first || e->ts < first->ts ||
		     (e->ts == first->ts && e->place < first->place))) {
			first = e;
			part = i;
		}
	}
	at[part] += first != NULL;
	return first;
}

static void expect_same_stack(const struct event_stream *a, uint32_t a_id,
			      const struct event_stream *b, uint32_t b_id)
{
	uint32_t nr_a, nr_b;
	const uint64_t *frames_a = event_stream_stack(a, a_id, &nr_a);
	const uint64_t *frames_b = event_stream_stack(b, b_id, &nr_b);

	ck_assert_uint_eq(nr_a, nr_b);
	ck_assert(!nr_a || !memcmp(frames_a, frames_b, nr_a * sizeof(*frames_a)));
}

static void expect_same(const struct event_stream *one, const struct kmem_event *a,
			const struct kmem_event *b)
{
	ck_assert_uint_eq(a->type, b->type);
	ck_assert_uint_eq(a->ts, b->ts);
	ck_assert_uint_eq(a->cpu, b->cpu);
	if (a->type == KMEM_LOSS) {
		ck_assert_uint_eq(a->loss.count, b->loss.count);
		ck_assert_uint_eq(a->loss.since_ts, b->loss.since_ts);
		return;
	}
	ck_assert_int_eq(a->pid, b->pid);
	expect_same_stack(one, a->stack, st, b->stack);
	if (a->type == KMEM_CACHE_FREE) {
		ck_assert_uint_eq(a->slab_free.ptr, b->slab_free.ptr);
		ck_assert_str_eq(event_stream_cache(one, a->slab_free.cache),
				 event_stream_cache(st, b->slab_free.cache));
	} else {
		ck_assert_uint_eq(a->page_alloc.pfn, b->page_alloc.pfn);
		ck_assert_uint_eq(a->page_alloc.order, b->page_alloc.order);
		ck_assert_uint_eq(a->page_alloc.gfp_flags, b->page_alloc.gfp_flags);
	}
}

/* Compares the parts, merged by time and position, with a stream of the same recording. A loss is
 * once in each part.
 */
static void expect_stream(void)
{
	const struct event_stream_stats *a, *b = event_stream_stats(st);
	struct event_stream *one;
	size_t at[EVENT_PARTS] = { 0 }, nr = 0;
	unsigned int i;

	ck_assert_int_eq(
		event_stream_open(&one, &rec, fmts,
				  &(struct event_stream_options){ .stop_ts = UINT64_MAX },
				  NULL),
		0);
	while (event_stream_next(one, &ev) == 1) {
		unsigned int times = ev.type == KMEM_LOSS ? EVENT_PARTS : 1;

		if (ev.type != KMEM_LOSS && !kmem_is_slab(ev.type) &&
		    !kmem_is_page(ev.type))
			continue;
		for (nr++; times; times--) {
			const struct kmem_event *other = next_taken(at);

			ck_assert_ptr_nonnull(other);
			expect_same(one, &ev, other);
		}
	}
	ck_assert_ptr_null(next_taken(at));
	ck_assert_uint_gt(nr, 100);
	a = event_stream_stats(one);
	ck_assert_uint_eq(a->nr_events, b->nr_events);
	ck_assert_uint_eq(a->first_ts, b->first_ts);
	ck_assert_uint_eq(a->last_ts, b->last_ts);
	ck_assert_uint_eq(a->nr_pages, b->nr_pages);
	ck_assert_uint_eq(a->nr_stacks_unclaimed, b->nr_stacks_unclaimed);
	ck_assert_uint_eq(event_stream_nr_stacks(one), event_stream_nr_stacks(st));
	for (i = 0; i < CPU_IDS; i++)
		ck_assert_uint_eq(a->by_id[i], b->by_id[i]);
	for (i = 0; i < a->nr_cpus; i++) {
		ck_assert_uint_eq(a->cpus[i].nr_events, b->cpus[i].nr_events);
		ck_assert_uint_eq(a->cpus[i].nr_lost, b->cpus[i].nr_lost);
		ck_assert(taken[i].ended);
	}
	event_stream_close(one);
	close_all();
}

/* Adds @nr pages of one CPU; each event is 0 to @step later than the one before. */
static void add_cpu(unsigned int nr, unsigned int step, unsigned int seed)
{
	uint64_t ts = 1000;

	begin_cpu();
	for (; nr; nr--) {
		unsigned int i;

		begin_page(ts);
		for (i = 0; i < 40; i++) {
			unsigned int r = (unsigned int)rand_r(&seed);

			ts += r % (step + 1);
			if (r & 1024)
				add_alloc(ts, (int32_t)(r % 9), 8ULL * (r >> 12));
			else
				add_free(ts, (int32_t)(r % 9), 64ULL * (r >> 11),
					 r & 2048 ? "dentry" : "a cache of a long name");
			if (r & 4096)
				add_stack(ts, (int32_t)(r % 9), 100 * (r % 7), 4 + r % 3,
					  4);
		}
		if (seed % 5 == 0)
			page_lost(seed % 3);
	}
}

/* Some CPUs of similar density and one with few events; one loop for each number of threads. */
START_TEST(parts_are_the_stream)
{
	setup_for(8, _i & 1);
	add_cpu(60, 3, 1);
	add_cpu(60, 3, 2);
	add_cpu(6, 400, 3);
	add_cpu(50, 0, 4);
	open_parts();
	ck_assert_int_eq(run_parts(2 + (unsigned int)_i), 0);
	expect_stream();
}
END_TEST

/* After the parts were refused, the stream delivers everything. */
static void expect_whole(void)
{
	const struct event_stream_stats *a, *b = event_stream_stats(st);
	struct event_stream *one;
	struct kmem_event other;
	int ret;

	ck_assert_int_eq(
		event_stream_open(&one, &rec, fmts,
				  &(struct event_stream_options){ .stop_ts = UINT64_MAX },
				  NULL),
		0);
	do {
		ret = event_stream_next(one, &other);
		ck_assert_int_eq(event_stream_next(st, &ev), ret);
		if (ret)
			ck_assert_uint_eq(other.ts, ev.ts);
	} while (ret);
	a = event_stream_stats(one);
	ck_assert_uint_eq(a->nr_events, b->nr_events);
	ck_assert_uint_eq(a->nr_backwards, b->nr_backwards);
	ck_assert_uint_eq(a->cpus[0].nr_events, b->cpus[0].nr_events);
	ck_assert_uint_eq(a->cpus[0].nr_gaps, b->cpus[0].nr_gaps);
	event_stream_close(one);
	close_all();
}

/* Adds @nr pages of one CPU. Callchains are often on another page than their event, with records of
 * other tasks and of interrupts between them, empty pages and losses.
 */
static void add_torn_cpu(unsigned int nr, unsigned int seed)
{
	uint64_t ts = 1000;
	bool lost = false;

	begin_cpu();
	for (; nr; nr--) {
		unsigned int r = (unsigned int)rand_r(&seed), i;

		begin_page(ts);
		for (i = r % 50; i; i--) {
			r = (unsigned int)rand_r(&seed);
			ts += r % 3;
			flags = r & 64 ? 0 : r & 128 ? HARDIRQ : SOFTIRQ;
			r /= 256;
			if (r % 5 == 0)
				add_alloc(ts, r % 64 == 0, 8ULL * (r >> 6));
			else if (r % 5 < 3)
				add_free(ts, r % 64 == 0, 64ULL * (r >> 6), "dentry");
			else
				add_stack(ts, r % 64 == 0, 100 * (r % 701), 4 + r % 3, 4);
		}
		lost = !lost && r % 7 == 0;
		if (lost)
			page_lost(r % 3);
	}
	flags = 0;
}

/* All threads scan one CPU, or the larger one of two. */
START_TEST(a_cpu_of_many_stretches_is_the_stream)
{
	setup_for(_i & 2 ? 4 : 8, _i & 1);
	add_torn_cpu(900, 5 + (unsigned int)_i);
	if (_i & 4)
		add_torn_cpu(90, 6);
	open_parts();
	ck_assert_int_eq(run_parts(2 + 2 * (unsigned int)_i), 0);
	expect_stream();
}
END_TEST

/* Each page begins with a callchain. It belongs to the last page's event, or to none if it comes
 * after a loss, is of another task, or is of a context that the event interrupted.
 */
START_TEST(callchains_of_nobody_stay_so)
{
	unsigned int seed = 77 + (unsigned int)_i, i, k;
	uint64_t ts = 1000;

	setup();
	begin_cpu();
	for (i = 0; i < 900; i++) {
		unsigned int r = (unsigned int)rand_r(&seed);
		int32_t pid = r % 8 == 0;

		if (r & 64) {
			begin_page(ts);
			page_lost(3);
		}
		begin_page(ts);
		flags = r & 128 ? HARDIRQ : 0;
		add_stack(++ts, pid, 100 + i, 4, 4);
		for (k = 0; k < 25; k++)
			add_free(++ts, pid, 64ULL * (r >> 6) + 999 * k, "dentry");
		flags = r & 256 ? HARDIRQ : 0;
		add_alloc(++ts, pid, 8ULL * (r >> 9));
	}
	flags = 0;
	open_parts();
	ck_assert_int_eq(run_parts(8), 0);
	expect_stream();
}
END_TEST

/* Adds an event, @nr pages of an interrupt, and the event's callchain. */
static void add_interrupted(unsigned int nr)
{
	add_cpu(600, 3, 1);
	begin_page(100000);
	add_alloc(100000, 7, 8);
	flags = HARDIRQ;
	for (; nr; nr--) {
		begin_page(100000);
		add_free(100000, 7, 64, "dentry");
	}
	flags = 0;
	begin_page(100001);
	add_stack(100001, 7, 4711, 4, 4);
	add_cpu(600, 3, 2);
	open_parts();
}

START_TEST(a_callchain_many_stretches_later_is_found)
{
	setup();
	add_interrupted(100);
	ck_assert_int_eq(run_parts(8), 0);
	expect_stream();
}
END_TEST

/* A stream in one order may not wait that long for the callchain. */
START_TEST(a_callchain_too_many_pages_later_is_refused)
{
	setup();
	add_interrupted(600);
	ck_assert_int_eq(run_parts(8), -EAGAIN);
	expect_whole();
}
END_TEST

START_TEST(a_block_in_two_parts_is_refused)
{
	uint8_t *p;

	setup();
	add_cpu(3, 3, 1);
	begin_page(100000);
	p = begin_record(100000, ID_ALLOC, 1, 40);
	put(p + 8, 1 << 11, 8);
	put(p + 16, 11, 4);
	open_parts();
	ck_assert_int_eq(run_parts(2), -EAGAIN);
	expect_whole();
}
END_TEST

START_TEST(time_that_runs_backwards_is_refused)
{
	setup();
	add_cpu(3, 3, 1);
	begin_page(500);
	add_free(500, 1, 64, "dentry");
	open_parts();
	ck_assert_int_eq(run_parts(3), -EAGAIN);
	expect_whole();
}
END_TEST

/* A CPU of 600 pages, one of which is damaged in one of three ways. */
START_TEST(damage_in_a_stretch_is_refused)
{
	setup();
	add_cpu(300, 3, 1);
	begin_page(100000);
	add_free(100000, 1, 64, "dentry");
	if (_i == 0)
		put(out - 40, 28, 4); /* longer than the rest of the page */
	else if (_i == 1)
		set_commit(PAGE);
	else
		memset(file + (nr_pages - 1) * PAGE, 0, PAGE); /* never written */
	cpus[0].size += 299 * PAGE;
	memcpy(file + nr_pages * PAGE, file, 299 * PAGE);
	for (; nr_pages < 600; nr_pages++)
		put(file + nr_pages * PAGE, 100000 + nr_pages * 1000, 8);
	open_parts();
	ck_assert_int_eq(run_parts(6), -EAGAIN);
	expect_whole();
}
END_TEST

START_TEST(a_stream_that_was_begun_is_refused)
{
	setup();
	add_cpu(3, 3, 1);
	open_parts();
	ck_assert_int_eq(event_stream_next(st, &ev), 1);
	ck_assert_int_eq(run_parts(3), -EAGAIN);
	close_all();
}
END_TEST

#define LARGE_EVENTS 10000
#define LARGE_PAGES  32

/* Adds CPUs of @nr large sub-buffers each. */
static void add_large_cpus(unsigned int nr_cpus, unsigned int nr)
{
	buffer.page_size = LARGE_PAGES * PAGE;
	for (; nr_cpus; nr_cpus--) {
		unsigned int i, k;

		begin_cpu();
		for (i = 0; i < nr; i++) {
			begin_page(1000 + (uint64_t)i * LARGE_EVENTS);
			for (k = 0; k < LARGE_EVENTS; k++)
				begin_record(page_ts + 1, ID_UNKNOWN, 1, 8);
			nr_pages += LARGE_PAGES - 1;
			cpus[buffer.nr_cpus - 1].size += (LARGE_PAGES - 1) * PAGE;
		}
	}
}

/* Each round copies what waits: one round for each sub-buffer would spend most of its time on that.
 */
START_TEST(many_sub_buffers_are_taken_in_a_round)
{
	setup();
	add_large_cpus(4, 12);
	open_parts();
	ck_assert_int_eq(run_parts(2), 0);
	ck_assert_uint_eq(event_stream_stats(st)->nr_events, 48 * LARGE_EVENTS);
	ck_assert_uint_lt(nr_rounds, 24);
	close_all();
}
END_TEST

Suite *test_parts_suite(void)
{
	Suite *s = suite_create("event/parts");
	TCase *tc = tcase_create("parts");

	tcase_add_loop_test(tc, parts_are_the_stream, 0, long_tests() ? 4 : 2);
	tcase_add_loop_test(tc, a_cpu_of_many_stretches_is_the_stream, 0,
			    long_tests() ? 8 : 2);
	tcase_add_loop_test(tc, callchains_of_nobody_stay_so, 0, 4);
	tcase_add_test(tc, a_callchain_many_stretches_later_is_found);
	tcase_add_test(tc, a_callchain_too_many_pages_later_is_refused);
	tcase_add_test(tc, many_sub_buffers_are_taken_in_a_round);
	tcase_add_test(tc, a_block_in_two_parts_is_refused);
	tcase_add_test(tc, time_that_runs_backwards_is_refused);
	tcase_add_loop_test(tc, damage_in_a_stretch_is_refused, 0, 3);
	tcase_add_test(tc, a_stream_that_was_begun_is_refused);
	suite_add_tcase(s, tc);
	return s;
}
