// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/bounds/bounds.h and census.h: what is certain, and why other things are not.
 */
#include <check.h>

#include "analysis/bounds/bounds.h"
#include "analysis/bounds/census.h"

START_TEST(a_range_has_its_reasons)
{
	struct bounds b = { 0 };
	struct net_range r, sum = { 0 };

	r = bounds_net(&b, 0xa, 100, 100);
	ck_assert_uint_eq(r.seen, 100); /* this proves nothing */
	ck_assert_uint_eq(r.min, 0);
	ck_assert_str_eq(net_range_reason(&r), "seen");
	r = bounds_net(&b, 0xa, 100, 30);
	ck_assert_uint_eq(r.seen, 30);
	ck_assert_str_eq(net_range_reason(&r), "lost,seen");
	net_range_add(&sum, &r, 1);

	ck_assert_int_eq(bounds_suspect(&b, 0xa), 0);
	r = bounds_net(&b, 0xa, 100, 100);
	ck_assert_uint_eq(r.seen, 0);
	ck_assert_str_eq(net_range_reason(&r), "implicit");
	net_range_add(&sum, &r, 1);
	ck_assert_str_eq(net_range_reason(&sum), "lost,implicit,seen");
	ck_assert_uint_eq(sum.net, 200);
	ck_assert_uint_eq(sum.net, sum.seen + sum.lost + sum.implicit);
	r = bounds_net(&b, 0xb, 100, 100); /* another callsite is not affected */
	ck_assert_uint_eq(r.seen, 100);

	b.unplaced = true; /* losses without a time affect all objects */
	r = bounds_net(&b, 0xb, 100, 100);
	ck_assert_uint_eq(r.seen, 0);
	ck_assert_uint_eq(r.lost, 100);
	bounds_free(&b);
}
END_TEST

static void check_parts(const struct net_range *r, uint64_t min, uint64_t seen,
			uint64_t implicit, uint64_t lost, uint64_t gone)
{
	ck_assert_uint_eq(r->min, min);
	ck_assert_uint_eq(r->seen, seen);
	ck_assert_uint_eq(r->implicit, implicit);
	ck_assert_uint_eq(r->lost, lost);
	ck_assert_uint_eq(r->gone, gone);
	ck_assert_uint_eq(r->net, min + seen + implicit + lost + gone);
	ck_assert_uint_eq(net_range_max(r), r->net - gone);
}

START_TEST(a_proof_takes_from_both_ends)
{
	const struct net_range parts = {
		.net = 100, .seen = 50, .implicit = 30, .lost = 20
	};
	struct net_range r = parts;

	net_range_prove(&r, 0, 100);
	check_parts(&r, 0, 50, 30, 20, 0);
	net_range_prove(&r, 10, 75); /* the surest ones live, the others are gone */
	check_parts(&r, 10, 40, 5, 20, 25);
	r = parts;
	net_range_prove(&r, 90, 95);
	check_parts(&r, 90, 0, 0, 5, 5);
	ck_assert_str_eq(net_range_reason(&r), "lost,implicit");
	r = parts;
	net_range_prove(&r, 60, 30); /* contradictory counts prove less */
	check_parts(&r, 30, 0, 0, 0, 70);
	ck_assert_str_eq(net_range_reason(&r), "implicit"); /* net is not live */
	r = parts;
	net_range_prove(&r, 200, 300);
	check_parts(&r, 100, 0, 0, 0, 0);
	ck_assert_ptr_null(net_range_reason(&r));
}
END_TEST

/* If every end has an event, objects seen live are live, unless the kernel's count contradicts it.
 */
START_TEST(events_prove_what_lives)
{
	struct bounds b = { .all_ends = true };
	struct net_range r = bounds_net(&b, 0xa, 100, 70), counted = r;

	check_parts(&r, 70, 0, 0, 30, 0);
	net_range_prove(&counted, 10, 100);
	check_parts(&counted, 70, 0, 0, 30, 0);
	counted = r;
	net_range_prove(&counted, 80, 90);
	check_parts(&counted, 80, 0, 0, 10, 10);
	counted = r;
	net_range_prove(&counted, 0, 60);
	check_parts(&counted, 60, 0, 0, 0, 40);
	ck_assert_int_eq(bounds_suspect(&b, 0xa), 0);
	r = bounds_net(&b, 0xa, 100, 70);
	check_parts(&r, 0, 0, 70, 30, 0);
	bounds_free(&b);
}
END_TEST

START_TEST(statistics_tell_of_more_than_the_gaps)
{
	struct recording_cpustat stats[2] = { { .overrun = 5, .commit_overrun = 1 },
					      { .dropped_events = 4 } };
	struct event_stream_cpu cpus[2] = { { .nr_lost = 3 }, { .nr_lost = 2 } };
	struct recording rec = { .cpustats = stats, .nr_cpustats = 2 };
	struct event_stream_stats s = { .cpus = cpus, .nr_cpus = 2 };

	ck_assert_uint_eq(bounds_dropped(&rec, &s), 5);
	cpus[0].nr_lost = 9;
	ck_assert_uint_eq(bounds_dropped(&rec, &s), 0);
}
END_TEST

START_TEST(what_a_flight_recorder_overwrites_is_no_loss)
{
	char name[] = RECORDING_META_FLIGHT, cause[] = "oom";
	struct recording_text meta = { name, cause, 3 };
	struct recording_cpustat stats[] = { { .overrun = 500, .commit_overrun = 1 },
					     { .overrun = 7, .dropped_events = 4 } };
	struct recording rec = {
		.cpustats = stats, .nr_cpustats = 2, .meta = &meta, .nr_meta = 1
	};
	struct event_stream_stats s = { 0 };

	ck_assert_uint_eq(bounds_dropped(&rec, &s), 5);
	rec.nr_meta = 0;
	ck_assert_uint_eq(bounds_dropped(&rec, &s), 512);
}
END_TEST

START_TEST(a_row_of_a_sample_counts_as_often_as_it_stands_for)
{
	const struct net_range part = {
		.net = 150, .min = 50, .seen = 40, .implicit = 30, .lost = 20, .gone = 10
	};
	struct net_range sum = { 0 };

	net_range_add(&sum, &part, 1);
	net_range_add(&sum, &part, 4);
	check_parts(&sum, 250, 200, 150, 100, 50);
}
END_TEST

START_TEST(lost_events_have_a_number_or_none)
{
	struct recording_cpustat stats[] = { { .commit_overrun = 4,
					       .dropped_events = 2 } };
	struct event_stream_cpu cpus[2] = { { .nr_lost = 3 }, { .nr_lost = 1 } };
	struct recording rec = { .cpustats = stats, .nr_cpustats = 1 };
	struct event_stream_stats s = { .cpus = cpus, .nr_cpus = 2 };
	uint64_t lost;

	/* The statistics have two more than the gaps. */
	ck_assert(bounds_lost(&rec, &s, &lost));
	ck_assert_uint_eq(lost, 6);
	s.nr_undecodable = 1;
	ck_assert(!bounds_lost(&rec, &s, &lost));
	s.nr_undecodable = 0;
	s.nr_bad_pages = 1;
	ck_assert(!bounds_lost(&rec, &s, &lost));
	s.nr_bad_pages = 0;
	cpus[0].nr_unknown = 1; /* the other CPU's count does not help */
	ck_assert(!bounds_lost(&rec, &s, &lost));
}
END_TEST

static void check_census(const struct census *c, uint64_t nr, uint64_t min, uint64_t max)
{
	struct census_range r = census_range(c, 0, nr);

	ck_assert_uint_eq(r.min, min);
	ck_assert_uint_eq(r.max, max);
}

/* 1000 - 40 objects from before the recording were not freed. After it 1500 are in use, of which at
 * most 24 are free. At most 16 were allocated without an event, and as many as 8 of these 400 ms
 * have events.
 */
START_TEST(a_lost_event_is_one_object_in_slabinfo)
{
	struct census_class class = {
		.before = 1000,
		.after = 1500,
		.slack = 24,
		.counted = true,
		.allocs = 60,
		.live = 520,
		.old_freed = 40,
	};
	struct census c = { .classes = &class,
			    .nr_classes = 1,
			    .most = true,
			    .least = true,
			    .duration_ns = 400000000 };

	check_census(&c, 520, 1500 + 40 - 1000 - 24 - 16 - 100 / 50, 520);
	c.lost = 7;
	check_census(&c, 520, 1500 + 40 - 1000 - 24 - 16 - 100 / 50 - 7, 520);
	check_census(&c, 30, 1, 30); /* the other 490 may be those that live */
	class.live = 1600;
	check_census(&c, 1600, 491, 1500);
	ck_assert(census_contradicts(&c, 0));
	class.live = 1500;
	ck_assert(!census_contradicts(&c, 0));
	class.live = 400; /* fewer than it gained: others were allocated unseen */
	check_census(&c, 400, 0, 400);
}
END_TEST

/* A lost event during a count can be that of a slab, with all of its objects. */
START_TEST(a_lost_event_is_a_slab_in_a_count)
{
	struct census_class class = {
		.exact = true,
		.per_slab = 8,
		.held = 5,
		.refill = 60,
		.allocs = 50,
		.live = 900,
		.allocs_since = 11,
		.frees_since = 3,
		.old_freed = 9,
		.old_outside = 2,
		.first = { .objects = 100, .events = 1 },
		.last = { .objects = 1100, .events = 2 },
	};
	struct census c = {
		.classes = &class, .nr_classes = 1, .most = true, .least = true
	};
	const uint64_t sure = 1100 + 9 - 2 - 100 - 8 * (1 + 2) - 5 - 3 - 16;

	class.live = sure + 1;
	check_census(&c, sure + 1, sure, sure + 1);
	c.lost = 1; /* and a CPU may have refilled what shrinking emptied */
	check_census(&c, sure + 1, sure - 2 * 8 - 60 - 1, sure + 1);
	c.lost = 0;
	class.since_shrunk = 1;
	check_census(&c, sure + 1, sure - 60, sure + 1);
	class.since_shrunk = 0;
	class.live = 2000;
	check_census(&c, 2000, sure, 1100 + 2 * 8 + 11);
	c.lost = 3;
	class.held = class.refill = 0;
	check_census(&c, 2000, sure + 5 - 2 * 3 * 8 - 3, 1100 + (2 + 3) * 8 + 11);
	class.tasks = c.recorder_apart = true; /* none appears without an event */
	check_census(&c, 2000, sure + 5 - 2 * 3 * 8 - 3 + 16, 1100 + (2 + 3) * 8 + 11);
}
END_TEST

START_TEST(frees_of_freed_objects_prove_nothing)
{
	struct census_class class = { .before = 10,
				      .after = 500,
				      .counted = true,
				      .allocs = 100,
				      .live = 480,
				      .doubled = 17 };
	struct census c = { .classes = &class,
			    .nr_classes = 1,
			    .most = true,
			    .least = true,
			    .duration_ns = 400000000 };

	/* 16, and one in a hundred allocations, may be by chance. */
	check_census(&c, 480, 500 - 10 - 16 - 2, 480);
	class.doubled++;
	check_census(&c, 480, 0, 480);
	class.doubled--;
	class.unseen = true;
	check_census(&c, 480, 0, 480);
}
END_TEST

Suite *test_bounds_suite(void)
{
	Suite *s = suite_create("analysis/bounds");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_range_has_its_reasons);
	tcase_add_test(tc, a_proof_takes_from_both_ends);
	tcase_add_test(tc, events_prove_what_lives);
	tcase_add_test(tc, statistics_tell_of_more_than_the_gaps);
	tcase_add_test(tc, what_a_flight_recorder_overwrites_is_no_loss);
	tcase_add_test(tc, a_row_of_a_sample_counts_as_often_as_it_stands_for);
	tcase_add_test(tc, lost_events_have_a_number_or_none);
	tcase_add_test(tc, a_lost_event_is_one_object_in_slabinfo);
	tcase_add_test(tc, a_lost_event_is_a_slab_in_a_count);
	tcase_add_test(tc, frees_of_freed_objects_prove_nothing);
	suite_add_tcase(s, tc);
	return s;
}
