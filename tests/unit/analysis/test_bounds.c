// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/bounds/bounds.h: what is certain, and why the rest is not.
 */
#include <check.h>

#include "analysis/bounds/bounds.h"

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
	net_range_prove(&r, 10, 75); /* the surest are live, the others gone */
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

Suite *test_bounds_suite(void)
{
	Suite *s = suite_create("analysis/bounds");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_range_has_its_reasons);
	tcase_add_test(tc, a_proof_takes_from_both_ends);
	tcase_add_test(tc, statistics_tell_of_more_than_the_gaps);
	tcase_add_test(tc, what_a_flight_recorder_overwrites_is_no_loss);
	suite_add_tcase(s, tc);
	return s;
}
