// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/pass/relay.h: every task gets every event, in order.
 */
#include <check.h>

#include "analysis/pass/relay.h"

/* @inside: threads inside the task; not atomic, as there should only be one. */
struct sums {
	uint64_t next, disorder;
	unsigned int inside;
};

static void take(void *ctx, struct kmem_event *evs, size_t nr)
{
	struct sums *sums = ctx;
	size_t i;

	sums->disorder += sums->inside++ != 0;
	for (i = 0; i < nr; i++)
		sums->disorder += evs[i].ts != sums->next++;
	sums->inside--;
}

/* The other tasks get ahead of this one, and the pushing thread must help. */
static void take_slowly(void *ctx, struct kmem_event *evs, size_t nr)
{
	struct sums *sums = ctx;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		take(ctx, evs, nr);
		sums->next -= nr;
	}
	take(ctx, evs, nr);
}

/* With fewer threads than tasks, equally many, and more. */
START_TEST(every_task_gets_every_event_in_order)
{
	struct sums sums[3] = { 0 };
	const struct relay_task tasks[3] = { { take, &sums[0] },
					     { take_slowly, &sums[1] },
					     { take, &sums[2] } };
	struct relay *relay;
	uint64_t ts = 0;
	size_t i, batch;

	ck_assert_int_eq(relay_start(&relay, tasks, 3, (unsigned int)_i), 0);
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

static void take_objects(void *ctx, struct kmem_event *evs, size_t nr)
{
	uint64_t *sum = ctx;

	for (; nr; nr--, evs++)
		*sum += kmem_object(evs, 1);
}

/* Objects listed by probe events stay valid longer than their records. */
START_TEST(objects_are_kept)
{
	uint64_t sum = 0, words[2], batch, i;
	const struct relay_task task = { take_objects, &sum };
	struct relay *relay;

	ck_assert_int_eq(relay_start(&relay, &task, 1, 1), 0);
	for (batch = 0; batch < 40; batch++) {
		struct kmem_event *evs = relay_room(relay);

		for (i = 0; i < RELAY_BATCH; i++) {
			words[1] = i;
			evs[i] = (struct kmem_event){ .type = KMEM_FREE_BULK };
			evs[i].objects.nr = 2;
			evs[i].objects.size = 8;
			evs[i].objects.at = (uint8_t *)words;
			evs[i].objects.big_endian = HOST_BIG_ENDIAN;
			ck_assert_int_eq(relay_keep(relay, evs + i, 1), 0);
		}
		relay_push(relay, RELAY_BATCH);
	}
	relay_finish(relay);
	ck_assert_uint_eq(sum, 40ULL * RELAY_BATCH * (RELAY_BATCH - 1) / 2);
}
END_TEST

START_TEST(nothing_pushed_ends_at_once)
{
	struct sums sums = { 0 };
	const struct relay_task task = { take, &sums };
	struct relay *relay;

	ck_assert_int_eq(relay_start(&relay, &task, 1, 1), 0);
	relay_finish(relay);
	ck_assert_uint_eq(sums.next, 0);
}
END_TEST

Suite *test_relay_suite(void)
{
	Suite *s = suite_create("analysis/relay");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, every_task_gets_every_event_in_order, 1, 5);
	tcase_add_test(tc, objects_are_kept);
	tcase_add_test(tc, nothing_pushed_ends_at_once);
	suite_add_tcase(s, tc);
	return s;
}
