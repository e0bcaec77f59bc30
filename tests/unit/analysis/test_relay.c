// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/pass/relay.h: every reader gets every event, in order.
 */
#include <check.h>

#include "analysis/pass/relay.h"

struct sums {
	uint64_t next, disorder;
};

static void take(void *ctx, const struct kmem_event *evs, size_t nr)
{
	struct sums *sums = ctx;
	size_t i;

	for (i = 0; i < nr; i++)
		sums->disorder += evs[i].ts != sums->next++;
}

START_TEST(every_reader_gets_every_event_in_order)
{
	struct sums sums[3] = { 0 };
	const struct relay_reader readers[3] = { { take, &sums[0] },
						 { take, &sums[1] },
						 { take, &sums[2] } };
	struct relay *relay;
	uint64_t ts = 0;
	size_t i, batch;

	ck_assert_int_eq(relay_start(&relay, readers, 3), 0);
	for (batch = 0; batch < 500; batch++) {
		struct kmem_event *evs = relay_room(relay);
		size_t nr = batch % 7 ? RELAY_BATCH : batch % RELAY_BATCH;

		for (i = 0; i < nr; i++)
			evs[i].ts = ts++;
		relay_push(relay, nr);
	}
	relay_finish(relay);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(sums[i].next, ts);
		ck_assert_uint_eq(sums[i].disorder, 0);
	}
}
END_TEST

START_TEST(nothing_pushed_ends_at_once)
{
	struct sums sums = { 0 };
	const struct relay_reader reader = { take, &sums };
	struct relay *relay;

	ck_assert_int_eq(relay_start(&relay, &reader, 1), 0);
	relay_finish(relay);
	ck_assert_uint_eq(sums.next, 0);
}
END_TEST

Suite *test_relay_suite(void)
{
	Suite *s = suite_create("analysis/relay");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, every_reader_gets_every_event_in_order);
	tcase_add_test(tc, nothing_pushed_ends_at_once);
	suite_add_tcase(s, tc);
	return s;
}
