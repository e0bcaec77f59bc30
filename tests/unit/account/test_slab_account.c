// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/slab_lives.h: everything that can happen to an object, and that the sums agree.
 */
#include <check.h>
#include <stdlib.h>

#include "account/slab_lives.h"

static uint64_t now; /* time stamp of the next event */

static void alloc(struct slab_lives *acc, uint64_t ptr, uint64_t callsite, uint64_t req,
		  uint64_t size)
{
	struct kmem_event ev = { .type = KMEM_KMALLOC, .cpu = 0, .ts = now };

	ev.slab_alloc.ptr = ptr;
	ev.slab_alloc.callsite = callsite;
	ev.slab_alloc.bytes_req = req;
	ev.slab_alloc.bytes_alloc = size;
	slab_lives_events(acc, &ev, 1);
}

static void release(struct slab_lives *acc, uint64_t ptr, uint32_t cpu)
{
	struct kmem_event ev = { .type = KMEM_KFREE, .cpu = cpu, .ts = now };

	ev.slab_free.ptr = ptr;
	slab_lives_events(acc, &ev, 1);
}

static void check_identities(struct slab_lives *acc)
{
	const struct slab_totals *s = &acc->totals;

	slab_lives_sum(acc);
	ck_assert(!acc->any.failed);
	ck_assert_uint_eq(s->allocs, s->matched + s->implicit + s->live);
	ck_assert_uint_eq(s->bytes_alloc,
			  s->bytes_freed + s->bytes_implicit + s->live_alloc);
	ck_assert_uint_eq(s->frees,
			  s->matched + s->unmatched + s->doubled + s->null + s->other);
}

START_TEST(each_fate_has_its_counter)
{
	struct slab_lives acc = { 0 };

	ck_assert_int_eq(lives_by_address(&acc.any), 0);
	alloc(&acc, 0x1000, 0xa, 50, 64);
	release(&acc, 0x1000, 0); /* matched */
	release(&acc, 0x1000, 0); /* double */
	release(&acc, 0x1000, 0); /* double again: adds no freed bytes */
	alloc(&acc, 0x1000, 0xa, 50, 64);
	release(&acc, 0x1000, 1); /* matched on another CPU */
	release(&acc, 0x2000, 0); /* unmatched */
	release(&acc, 0, 0);	  /* kfree(NULL) */
	release(&acc, 16, 0);	  /* kfree(ZERO_SIZE_PTR) */
	alloc(&acc, 0x3000, 0xb, 100, 128);
	alloc(&acc, 0x3000, 0xa, 60, 64); /* the free of the first one was not seen */
	alloc(&acc, 0, 0xa, 60, 64);	  /* failed */
	alloc(&acc, 0x4000, 0xa, 1ULL << 40, 1ULL << 40);

	slab_lives_finish(&acc);
	ck_assert(!acc.any.failed);
	ck_assert_uint_eq(acc.totals.allocs, 4);
	ck_assert_uint_eq(acc.totals.matched, 2);
	ck_assert_uint_eq(acc.totals.doubled, 2);
	ck_assert_uint_eq(acc.totals.unmatched, 1);
	ck_assert_uint_eq(acc.totals.null, 2);
	ck_assert_uint_eq(acc.totals.implicit, 1);
	ck_assert_uint_eq(acc.totals.bytes_implicit, 128);
	ck_assert_uint_eq(acc.totals.failed, 1);
	ck_assert_uint_eq(acc.totals.implausible, 1);
	ck_assert_uint_eq(acc.totals.bytes_freed, 128);
	ck_assert_uint_eq(acc.totals.pingpong, 1);
	ck_assert_uint_eq(acc.totals.live_alloc, 64);
	check_identities(&acc);

	ck_assert_uint_eq(lives_rows(&acc.any), 2);
	ck_assert_uint_eq(slab_lives_key(&acc, 0)->callsite, 0xa);
	ck_assert_uint_eq(acc.any.rows[0].hit, 3);
	ck_assert_uint_eq(acc.any.rows[0].live, 1);
	ck_assert_uint_eq(acc.any.rows[0].pingpong, 1);
	ck_assert_uint_eq(acc.any.rows[1].implicit, 1);
	ck_assert_uint_eq(acc.any.rows[1].live, 0);
	ck_assert_uint_eq(acc.any.addresses.nr, 2);
	ck_assert_uint_eq(acc.any.addresses.of[0].counts.hit, 2);
	ck_assert_uint_eq(acc.any.addresses.of[1].counts.live_alloc, 64);
	slab_lives_free(&acc);
}
END_TEST

/* Frees of objects whose allocations were left out do not change the account. */
START_TEST(frees_of_what_was_left_out_change_nothing)
{
	static const uint64_t skews[] = { 0, 10000 };
	size_t i;
	int k;

	for (i = 0; i < 2; i++) {
		struct slab_lives acc = { .any.scope.part = true, .skew = skews[i] };

		for (k = 0; k < 1000; k++)
			release(&acc, 0x100000 + (uint64_t)k * 64, 0); /* other objects */
		if (!acc.skew)
			ck_assert_uint_eq(acc.any.live.count, 0);
		alloc(&acc, 0x1000, 0xa, 50, 64);
		alloc(&acc, 0x2000, 0xa, 50, 64);
		release(&acc, 0x1000, 1); /* by any task */
		release(&acc, 0x1000, 1); /* another task has allocated it since */
		release(&acc, 0x1000, 0);
		slab_lives_finish(&acc);
		ck_assert_uint_eq(acc.totals.matched, 1);
		ck_assert_uint_eq(acc.totals.live, 1);
		ck_assert_uint_eq(acc.totals.other, 1002);
		ck_assert_uint_eq(acc.totals.unmatched + acc.totals.doubled, 0);
		check_identities(&acc);
		slab_lives_free(&acc);
	}
}
END_TEST

/* The recorder's own objects are left out, but not those of interrupts that interrupt it. */
START_TEST(the_recorders_own_frees_are_not_unmatched)
{
	struct slab_lives acc = { .any.scope.self = 42 };
	struct kmem_event ev = { .type = KMEM_KFREE, .pid = 42 };

	ev.slab_free.ptr = 0x1000;
	slab_lives_events(&acc, &ev, 1);
	slab_lives_events(&acc, &ev, 1);
	ev.flags = 16; /* in a softirq */
	ev.slab_free.ptr = 0x2000;
	slab_lives_events(&acc, &ev, 1);
	alloc(&acc, 0x3000, 0xa, 50, 64);
	ev.flags = 0;
	ev.slab_free.ptr = 0x3000; /* not its own object, though it frees it */
	slab_lives_events(&acc, &ev, 1);
	slab_lives_finish(&acc);
	ck_assert_uint_eq(acc.totals.other, 2);
	ck_assert_uint_eq(acc.totals.unmatched, 1);
	ck_assert_uint_eq(acc.totals.matched, 1);
	check_identities(&acc);
	slab_lives_free(&acc);
}
END_TEST

START_TEST(identities_hold_on_noise)
{
	struct slab_lives acc = { 0 };
	uint32_t seed = 7;
	uint64_t sum = 0;
	size_t row;
	int i;

	for (i = 0; i < 300000; i++) {
		uint64_t ptr = ((seed = seed * 1103515245 + 12345) >> 9 & 1023) << 4;

		if (seed >> 31)
			alloc(&acc, ptr, seed >> 28, ptr / 2, ptr);
		else
			release(&acc, ptr, seed >> 30 & 1);
	}
	slab_lives_finish(&acc);
	check_identities(&acc);
	for (row = 0; row < lives_rows(&acc.any); row++)
		sum += acc.any.rows[row].live_alloc;
	ck_assert_uint_eq(sum, acc.totals.live_alloc);
	slab_lives_free(&acc);
}
END_TEST

/* With many more addresses than live objects, freed ones must leave the table of live objects. */
START_TEST(freed_addresses_are_remembered_in_little_memory)
{
	enum { ADDRESSES = 1 << 18, LIVE = 20000 };
	struct slab_lives acc = { 0 };
	uint8_t *was = calloc(ADDRESSES, 1); /* 0 unknown, 1 live, 2 freed */
	static uint32_t live[LIVE];
	uint64_t doubled = 0, unmatched = 0, implicit = 0;
	uint32_t seed = 3, nr_live = 0;
	int i;

	for (i = 0; i < 2000000; i++, now++) {
		uint32_t key = (seed = seed * 1103515245 + 12345) >> 8 & (ADDRESSES - 1);

		if (nr_live < LIVE) {
			implicit += was[key] == 1;
			alloc(&acc, 0x100000 + key * 4ULL, 1, 8, 8);
			was[key] = 1;
			live[nr_live++] = key;
			continue;
		}
		if (seed >> 30)
			key = live[--nr_live];
		doubled += was[key] == 2;
		unmatched += was[key] == 0;
		release(&acc, 0x100000 + key * 4ULL, 0);
		was[key] = 2;
	}
	slab_lives_finish(&acc);
	check_identities(&acc);
	ck_assert_uint_gt(doubled, 0);
	ck_assert_uint_gt(unmatched, 0);
	ck_assert_uint_eq(acc.totals.doubled, doubled);
	ck_assert_uint_eq(acc.totals.unmatched, unmatched);
	ck_assert_uint_eq(acc.totals.implicit, implicit);
	ck_assert_uint_le(acc.any.live.capacity, 4 * LIVE);
	/* Objects are four bytes apart: two groups for each page of 4 KiB. */
	ck_assert_uint_le(acc.freed.groups.nr, ADDRESSES * 4 / 4096 * 2);
	slab_lives_free(&acc);
	free(was);
}
END_TEST

static void event_at(struct slab_lives *acc, bool allocates, uint64_t ptr, uint32_t cpu,
		     uint64_t ts)
{
	struct kmem_event ev = { .cpu = cpu, .ts = ts };

	ev.type = allocates ? KMEM_KMALLOC : KMEM_KFREE;
	if (allocates) {
		ev.slab_alloc.ptr = ptr;
		ev.slab_alloc.bytes_req = 50;
		ev.slab_alloc.bytes_alloc = 64;
	} else {
		ev.slab_free.ptr = ptr;
		ev.slab_free.callsite = 0xf0 + cpu;
	}
	slab_lives_events(acc, &ev, 1);
}

/* Free-only rows must add up to the totals. */
static void check_free_only(const struct slab_lives *acc)
{
	uint64_t unmatched = 0, doubled = 0;
	size_t i;

	for (i = 0; i < acc->free_only.nr; i++) {
		unmatched += acc->free_only.of[i].unmatched;
		doubled += acc->free_only.of[i].doubled;
	}
	ck_assert_uint_eq(unmatched, acc->totals.unmatched);
	ck_assert_uint_eq(doubled, acc->totals.doubled);
}

/* Each event is "a0" or "f1": allocation or free, and the CPU. Events are 5 time units apart. */
static struct slab_lives *play(const char *events, uint64_t skew)
{
	struct slab_lives *acc = calloc(1, sizeof(*acc));
	uint64_t ts = 100;

	ck_assert_ptr_nonnull(acc);
	acc->skew = skew;
	ck_assert_int_eq(lives_by_address(&acc->any), 0);
	for (; *events; events += 2, ts += 5)
		event_at(acc, *events == 'a', 0x1000, (uint32_t)(events[1] - '0'), ts);
	slab_lives_finish(acc);
	check_identities(acc);
	return acc;
}

START_TEST(order_within_the_skew)
{
	static const struct {
		const char *events;
		uint64_t skew, live, unmatched, doubled, implicit, reordered;
	} cases[] = {
		{ "a0f1", 10, 0, 0, 0, 0, 0 },
		/* A free comes before its allocation on another CPU. */
		{ "f1a0", 10, 0, 0, 0, 0, 1 },
		{ "f1a0", 4, 1, 1, 0, 0, 0 },  /* too far apart */
		{ "f0a0", 10, 1, 1, 0, 0, 0 }, /* events of one CPU are in order */
		/* That free was of an older object: this object has a free of its own. */
		{ "f1a0f1", 10, 0, 1, 0, 0, 0 },
		{ "f1a0f1a0", 10, 0, 0, 0, 0, 1 },
		{ "f1a0a0f0", 10, 0, 0, 0, 0, 1 },
		{ "a0f0f1a0", 10, 0, 0, 0, 0, 1 },
		/* The next allocation comes before the last free. */
		{ "a0a1f0f1", 10, 0, 0, 0, 0, 1 },
		{ "a0a1f0f1", 4, 0, 0, 1, 1, 0 },
		{ "a0a1f1f1", 10, 0, 0, 1, 1, 0 },
		{ "a0a1f0", 10, 0, 0, 0, 1, 0 }, /* a bulk free is possible */
		{ "a0a1f0a0f0f0", 10, 0, 0, 1, 1, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slab_lives *acc = play(cases[i].events, cases[i].skew);
		const struct slab_totals *s = &acc->totals;

		ck_assert_msg(s->live == cases[i].live &&
				      s->unmatched == cases[i].unmatched &&
				      s->doubled == cases[i].doubled &&
				      s->implicit == cases[i].implicit &&
				      s->reordered == cases[i].reordered,
			      "case %zu, %s", i, cases[i].events);
		ck_assert_uint_eq(acc->any.addresses.of[0].counts.live, s->live);
		check_free_only(acc);
		ck_assert_uint_eq(acc->any.addresses.of[0].counts.pingpong, s->pingpong);
		ck_assert_uint_eq(acc->any.addresses.of[0].counts.implicit, s->implicit);
		slab_lives_free(acc);
		free(acc);
	}
}
END_TEST

static void lose(struct slab_lives *acc, uint64_t ts, uint64_t since_ts)
{
	struct kmem_event ev = { .type = KMEM_LOSS, .ts = ts };

	ev.loss.count = 3;
	ev.loss.since_ts = since_ts;
	slab_lives_events(acc, &ev, 1);
}

START_TEST(only_what_came_after_the_last_gap_is_sure)
{
	struct slab_lives acc = { 0 };

	ck_assert_int_eq(lives_by_address(&acc.any), 0);
	alloc(&acc, 0x1000, 0xa, 50, 64);
	lose(&acc, 20, 10);
	alloc(&acc, 0x2000, 0xa, 50, 64);
	alloc(&acc, 0x3000, 0xb, 50, 96);
	alloc(&acc, 0x4000, 0xb, 50, 96);
	release(&acc, 0x4000, 0);
	slab_lives_finish(&acc);
	ck_assert_uint_eq(acc.any.rows[0].live_alloc, 128);
	ck_assert_uint_eq(acc.any.rows[0].sure_alloc, 64);
	ck_assert_uint_eq(acc.any.rows[0].sure, 1);
	ck_assert_uint_eq(acc.any.rows[1].sure_alloc, 96);
	ck_assert_uint_eq(acc.any.addresses.of[0].counts.sure_alloc, 0);
	ck_assert_uint_eq(acc.any.addresses.of[1].counts.sure_alloc, 64);
	check_identities(&acc);
	slab_lives_free(&acc);
}
END_TEST

START_TEST(a_gap_without_an_end_leaves_nothing_sure)
{
	struct slab_lives acc = { 0 };

	lose(&acc, 20, 20); /* the last event of its CPU */
	alloc(&acc, 0x1000, 0xa, 50, 64);
	slab_lives_finish(&acc);
	ck_assert_uint_eq(acc.any.rows[0].live_alloc, 64);
	ck_assert_uint_eq(acc.any.rows[0].sure_alloc, 0);
	slab_lives_free(&acc);
}
END_TEST

/* Tasks allocate in turn at one callsite. */
START_TEST(each_of_many_tasks_has_its_row)
{
	enum { TASKS = 5000, ROUNDS = 3 };
	struct slab_lives acc = { .any.dimensions.of[0] = DIMENSION_PID };
	struct kmem_event ev = { .type = KMEM_KMALLOC };

	ev.slab_alloc.callsite = 5;
	ev.slab_alloc.bytes_req = ev.slab_alloc.bytes_alloc = 8;
	for (uint32_t i = 0; i < ROUNDS * TASKS; i++) {
		ev.pid = 1 + (int32_t)(i % TASKS);
		ev.slab_alloc.ptr = 0x1000 + 8 * i;
		slab_lives_events(&acc, &ev, 1);
	}
	slab_lives_sum(&acc);
	ck_assert_uint_eq(lives_rows(&acc.any), TASKS);
	for (uint32_t i = 0; i < TASKS; i++) {
		ck_assert_uint_eq(slab_lives_key(&acc, i)->dims.of[0], i + 1);
		ck_assert_uint_eq(acc.any.rows[i].hit, ROUNDS);
	}
	slab_lives_free(&acc);
}
END_TEST

/* A dimension tells rows apart wherever it is; the values of the dimensions before it are 0. */
START_TEST(a_dimension_tells_rows_apart)
{
	const int at = _i;
	static const struct {
		enum dimension dimension;
		uint32_t first, second;
	} cases[] = {
		{ DIMENSION_NONE, 0, 0 },
		{ DIMENSION_PID, 100, 200 },
		{ DIMENSION_CPU, 1, 2 },
		{ DIMENSION_STACK, 11, 12 },
		{ DIMENSION_NODE, 0, (uint32_t)-1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slab_lives acc = { 0 };
		struct kmem_event a = { .type = KMEM_CACHE_ALLOC,
					.pid = 100,
					.cpu = 1,
					.stack = 11,
					.slab_alloc = { .ptr = 0x1000, .callsite = 5 } };
		struct kmem_event b = {
			.type = KMEM_CACHE_ALLOC,
			.pid = 200,
			.cpu = 2,
			.stack = 12,
			.slab_alloc = { .ptr = 0x2000, .callsite = 5, .node = -1 }
		};

		for (int before = 0; before < at; before++)
			acc.any.dimensions.of[before] = DIMENSION_GFP;
		acc.any.dimensions.of[at] = cases[i].dimension;
		slab_lives_events(&acc, &a, 1);
		slab_lives_events(&acc, &b, 1);
		release(&acc, 0x2000, 7); /* counts for the allocating row */
		slab_lives_sum(&acc);
		ck_assert_uint_eq(lives_rows(&acc.any), cases[i].dimension ? 2 : 1);
		ck_assert_uint_eq(slab_lives_key(&acc, 0)->dims.of[at], cases[i].first);
		ck_assert_uint_eq(
			slab_lives_key(&acc, lives_rows(&acc.any) - 1)->dims.of[at],
			cases[i].second);
		ck_assert_uint_eq(acc.any.rows[0].live, 1);
		ck_assert_uint_eq(acc.any.rows[lives_rows(&acc.any) - 1].pingpong, 1);
		slab_lives_free(&acc);
	}
}
END_TEST

START_TEST(sizes_tell_kmalloc_objects_apart)
{
	struct slab_lives acc = { .any.dimensions.of[0] = DIMENSION_KMALLOC };
	struct kmem_event ev = { .type = KMEM_CACHE_ALLOC,
				 .slab_alloc = { .callsite = 0xa } };

	alloc(&acc, 0x1000, 0xa, 50, 64);
	alloc(&acc, 0x2000, 0xa, 60, 64);
	alloc(&acc, 0x3000, 0xa, 90, 96);
	/* An object not from kmalloc() belongs to the cache that the event names. */
	ev.slab_alloc.ptr = 0x4000;
	ev.slab_alloc.bytes_alloc = 64;
	slab_lives_events(&acc, &ev, 1);
	ev.slab_alloc.ptr = 0x5000;
	ev.slab_alloc.bytes_alloc = 96;
	slab_lives_events(&acc, &ev, 1);
	release(&acc, 0x3000, 7);
	slab_lives_finish(&acc);
	ck_assert_uint_eq(lives_rows(&acc.any), 3);
	ck_assert_uint_eq(slab_lives_key(&acc, 0)->dims.of[0], 64);
	ck_assert_uint_eq(acc.any.rows[0].hit, 2);
	ck_assert_uint_eq(slab_lives_key(&acc, 1)->dims.of[0], 96);
	ck_assert_uint_eq(acc.any.rows[1].live, 0);
	ck_assert_uint_eq(slab_lives_key(&acc, 2)->dims.of[0], 0);
	ck_assert_uint_eq(acc.any.rows[2].live_alloc, 160);
	check_identities(&acc);
	slab_lives_free(&acc);
}
END_TEST

START_TEST(large_kmallocs_are_counted)
{
	struct slab_lives acc = { .large_bytes = 8192 };
	struct kmem_event ev = { .type = KMEM_CACHE_ALLOC };

	alloc(&acc, 0x10000, 0xa, 8000, 8192);
	alloc(&acc, 0x20000, 0xa, 8200, 12288);
	ev.slab_alloc.ptr = 0x30000; /* a cache may have objects of any size */
	ev.slab_alloc.bytes_alloc = 16384;
	slab_lives_events(&acc, &ev, 1);
	slab_lives_finish(&acc);
	ck_assert_uint_eq(acc.totals.large, 1);
	ck_assert_uint_eq(acc.totals.bytes_large, 12288);
	check_identities(&acc);
	slab_lives_free(&acc);
}
END_TEST

Suite *test_slab_account_suite(void)
{
	Suite *s = suite_create("account/slab_account");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, each_fate_has_its_counter);
	tcase_add_test(tc, frees_of_what_was_left_out_change_nothing);
	tcase_add_test(tc, the_recorders_own_frees_are_not_unmatched);
	tcase_add_test(tc, identities_hold_on_noise);
	tcase_add_test(tc, freed_addresses_are_remembered_in_little_memory);
	tcase_add_test(tc, order_within_the_skew);
	tcase_add_test(tc, only_what_came_after_the_last_gap_is_sure);
	tcase_add_test(tc, a_gap_without_an_end_leaves_nothing_sure);
	tcase_add_test(tc, each_of_many_tasks_has_its_row);
	tcase_add_loop_test(tc, a_dimension_tells_rows_apart, 0, DIMENSIONS_MAX);
	tcase_add_test(tc, sizes_tell_kmalloc_objects_apart);
	tcase_add_test(tc, large_kmallocs_are_counted);
	suite_add_tcase(s, tc);
	return s;
}
