// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/slab_probes.c: objects that are handed to RCU, freed and allocated in bulk.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "account/slab_lives.h"
#include "base/bytes.h"

static struct slab_lives acc;
static uint64_t now; /* time stamp of the next event */
static uint64_t objects[KMEM_OBJECTS_MAX];

static void setup(void)
{
	memset(&acc, 0, sizeof(acc));
	now = 100;
}

static void give(struct kmem_event *ev)
{
	ev->ts = now++;
	slab_lives_events(&acc, ev, 1);
}

static void alloc(uint64_t ptr, uint32_t cache)
{
	struct kmem_event ev = { .type = KMEM_CACHE_ALLOC };

	ev.slab_alloc.ptr = ptr;
	ev.slab_alloc.callsite = 0xa;
	ev.slab_alloc.bytes_req = 60;
	ev.slab_alloc.bytes_alloc = 64;
	ev.slab_alloc.cache = cache;
	give(&ev);
}

static void release(uint64_t ptr, uint32_t cache)
{
	struct kmem_event ev = { .type = KMEM_CACHE_FREE };

	ev.slab_free.ptr = ptr;
	ev.slab_free.cache = cache;
	give(&ev);
}

static void rcu_on(uint16_t cpu, uint64_t ptr)
{
	struct kmem_event ev = { .type = KMEM_FREE_RCU, .cpu = cpu };

	ev.objects.ptr = ptr;
	ev.objects.nr = 1;
	give(&ev);
}

static void rcu(uint64_t ptr)
{
	rcu_on(0, ptr);
}

/* An event of @nr objects, 64 bytes apart from @ptr on, of which it names at most @named. */
static void bulk(enum kmem_event_type type, uint64_t ptr, uint32_t nr, uint32_t named)
{
	struct kmem_event ev = { .type = (uint8_t)type };
	uint32_t i;

	for (i = 0; i < KMEM_OBJECTS_MAX; i++)
		objects[i] = i < nr ? ptr + i * 64ULL : 0xbad;
	ev.objects.callsite = 0xb;
	ev.objects.nr = nr < named ? nr : named;
	ev.objects.unseen = nr - ev.objects.nr;
	ev.objects.ptr = objects[0];
	ev.objects.at = (uint8_t *)objects;
	ev.objects.size = 8;
	ev.objects.big_endian = HOST_BIG_ENDIAN;
	give(&ev);
}

/* Checks the totals, and that allocations and frees add up. */
static void expect(uint64_t allocs, uint64_t matched, uint64_t implicit, uint64_t live)
{
	const struct slab_totals *s = &acc.totals;

	slab_lives_finish(&acc);
	ck_assert(!acc.any.failed);
	ck_assert_uint_eq(s->allocs, allocs);
	ck_assert_uint_eq(s->matched, matched);
	ck_assert_uint_eq(s->implicit, implicit);
	ck_assert_uint_eq(s->live, live);
	ck_assert_uint_eq(s->allocs, s->matched + s->implicit + s->live);
	ck_assert_uint_eq(s->frees, s->matched + s->unmatched + s->doubled + s->null +
					    s->other + s->died);
}

START_TEST(rcu_ends_lives_once)
{
	alloc(0x1000, 1);
	rcu(0x1000);
	release(0x1000, 1); /* its end */
	alloc(0x1040, 1);
	rcu(0x1040);
	alloc(0x1040, 1); /* it had ended */
	rcu(0x1080);	  /* older than the recording */
	release(0x1080, 1);
	alloc(0x10c0, 1);
	rcu(0x10c0);
	rcu(0x10c0); /* twice */
	expect(4, 3, 0, 1);
	ck_assert_uint_eq(acc.totals.rcu, 5);
	ck_assert_uint_eq(acc.totals.died, 2);
	ck_assert_uint_eq(acc.totals.doubled, 1);
	ck_assert_uint_eq(acc.totals.unmatched, 1);
	ck_assert_uint_eq(acc.totals.bytes_freed, 3 * 64);
	slab_lives_free(&acc);
}
END_TEST

START_TEST(dying_is_a_state)
{
	alloc(0x1000, 1);
	alloc(0x1040, 1);
	rcu(0x1000);
	rcu(0x1040);
	slab_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.dying, 2);
	release(0x1000, 1);
	slab_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.dying, 1);
	release(0x1000, 1); /* freed twice after all */
	expect(2, 2, 0, 0);
	ck_assert_uint_eq(acc.totals.doubled, 1);
	slab_lives_free(&acc);
}
END_TEST

/* The table keeps dying objects for a while, but not forever. */
START_TEST(dying_ends)
{
	uint64_t i;

	alloc(0x1000, 1);
	rcu(0x1000);
	for (i = 0; i < 100000; i++) {
		alloc(0x100000 + i * 64, 1);
		release(0x100000 + i * 64, 1);
	}
	release(0x1000, 1);
	rcu(0x2000);
	alloc(0x3000, 1);
	rcu(0x3000);
	now += 200ULL << 30;
	for (; i < 200000; i++) {
		alloc(0x100000 + i * 64, 1);
		release(0x100000 + i * 64, 1);
	}
	release(0x2000, 1);
	release(0x3000, 1);
	slab_lives_finish(&acc);
	ck_assert_uint_eq(acc.totals.died, 1);
	ck_assert_uint_eq(acc.totals.doubled, 2);
	ck_assert_uint_eq(acc.totals.dying, 0);
	slab_lives_free(&acc);
}
END_TEST

START_TEST(bulk_frees_and_allocates)
{
	alloc(0x1000, 1);
	alloc(0x1040, 1);
	rcu(0x1080);
	bulk(KMEM_FREE_BULK, 0x1000, 4, 64); /* two live ones, a dying and an older one */
	bulk(KMEM_ALLOC_BULK, 0x1000, 3, 64);
	bulk(KMEM_ALLOC_BULK, 0x8000, 0, 64); /* it failed */
	release(0x1000, 1);
	release(0x1040, 1);
	expect(5, 4, 0, 1);
	ck_assert_uint_eq(acc.totals.bulk_frees, 4);
	ck_assert_uint_eq(acc.totals.bulk_allocs, 3);
	ck_assert_uint_eq(acc.totals.died, 1);
	ck_assert_uint_eq(acc.totals.unmatched, 2);
	ck_assert_uint_eq(acc.totals.unseen, 0);
	slab_lives_free(&acc);
}
END_TEST

/* Objects beyond the event's room count only if they may have been live. */
static void count_lives(void *ctx, const struct lives *of, const struct life *lives,
			size_t nr)
{
	*(size_t *)ctx += nr;
}

/* Events in one batch that end and begin as many lives as they can. */
START_TEST(bulk_in_a_full_batch)
{
	enum { LISTED = LIVES_EVENTS - 1 };
	size_t heard = 0;
	struct kmem_event evs[LIVES_EVENTS] = { 0 };

	ck_assert_int_eq(lives_observe(&acc.any, count_lives, &heard), 0);
	for (uint64_t i = 0; i < KMEM_OBJECTS_MAX; i++) {
		alloc(0x100000 + 64 * i, 1);
		objects[i] = 0x100000 + 64 * i;
	}
	for (uint64_t i = 0; i < LISTED; i++) { /* each ends a life, and begins one */
		evs[i].type = KMEM_KMALLOC;
		evs[i].ts = now++;
		evs[i].slab_alloc.ptr = 0x900000;
		evs[i].slab_alloc.bytes_alloc = 64;
	}
	evs[LISTED].type = KMEM_ALLOC_BULK;
	evs[LISTED].ts = now++;
	evs[LISTED].objects.nr = KMEM_OBJECTS_MAX;
	evs[LISTED].objects.at = (uint8_t *)objects;
	evs[LISTED].objects.size = 8;
	evs[LISTED].objects.big_endian = HOST_BIG_ENDIAN;
	slab_lives_events(&acc, evs, LIVES_EVENTS);
	expect(2 * KMEM_OBJECTS_MAX + LISTED, 0, KMEM_OBJECTS_MAX + LISTED - 1,
	       KMEM_OBJECTS_MAX + 1);
	/* All that began, and those that ended. */
	ck_assert_uint_eq(heard, 3 * KMEM_OBJECTS_MAX + 2 * LISTED - 1);
	slab_lives_free(&acc);
}
END_TEST

START_TEST(unseen_objects)
{
	bulk(KMEM_ALLOC_BULK, 0x10000, 70, 64);
	ck_assert_uint_eq(acc.counted.unseen, 6);
	bulk(KMEM_FREE_BULK, 0x10000, 70, 64);
	ck_assert_uint_eq(acc.counted.unseen, 12);
	bulk(KMEM_FREE_BULK, 0x20000, 70, 64); /* all older */
	ck_assert_uint_eq(acc.counted.unseen, 12);
	bulk(KMEM_FREE_BULK, 0x30000, 10, 0); /* no room */
	ck_assert_uint_eq(acc.counted.unseen, 22);
	expect(64, 64, 0, 0);
	slab_lives_free(&acc);
}
END_TEST

/* Allocates @nr objects from @ptr on, which CPU 3 hands to RCU; CPU 5 hands over others in between.
 */
static void hand_over(uint64_t ptr, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		alloc(ptr + i * 64ULL, 1);
		alloc(ptr + 0x100000 + i * 64ULL, 1);
		rcu_on(3, ptr + i * 64ULL);
		rcu_on(5, ptr + 0x100000 + i * 64ULL);
	}
}

/* RCU frees an array of what one CPU handed over, so the event need not name all objects. */
START_TEST(array_of_rcu)
{
	hand_over(0x10000, 200);
	bulk(KMEM_FREE_BULK, 0x10000 + 130 * 64, 70,
	     32); /* the later array comes first */
	bulk(KMEM_FREE_BULK, 0x10000, 130, 32);
	slab_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.died, 200);
	ck_assert_uint_eq(acc.totals.bulk_frees, 200);
	ck_assert_uint_eq(acc.totals.unseen, 0);
	ck_assert_uint_eq(acc.totals.dying, 200);
	/* An object freed elsewhere ends the array. */
	release(0x110000 + 50 * 64, 1);
	bulk(KMEM_FREE_BULK, 0x110000, 200, 32);
	slab_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.died, 251);
	ck_assert_uint_eq(acc.totals.unseen, 150);
	expect(400, 400, 0, 0);
	slab_lives_free(&acc);
}
END_TEST

/* The first objects of the array may be older than the recording. */
START_TEST(array_of_rcu_begins_before)
{
	hand_over(0x10000, 60);
	bulk(KMEM_FREE_BULK, 0x10000 - 10 * 64, 70, 32);
	slab_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.died, 60);
	ck_assert_uint_eq(acc.totals.unmatched, 10);
	ck_assert_uint_eq(acc.totals.unseen, 0);
	slab_lives_free(&acc);
}
END_TEST

/* If the objects are not in the order they were handed over in, it is not RCU's array. */
START_TEST(array_of_others)
{
	uint32_t i;

	for (i = 0; i < 70; i++)
		alloc(0x10000 + i * 64ULL, 1);
	for (i = 70; i--;)
		rcu_on(3, 0x10000 + i * 64ULL);
	bulk(KMEM_FREE_BULK, 0x10000, 70, 32);
	slab_lives_sum(&acc);
	ck_assert_uint_eq(acc.totals.died, 32);
	ck_assert_uint_eq(acc.totals.dying, 38);
	slab_lives_free(&acc);
}
END_TEST

/* A position in the order is reused after 65,536 objects. */
START_TEST(order_is_bounded)
{
	struct rcu_order order = { 0 };
	uint32_t first, place, next, i;

	ck_assert_int_eq(rcu_order_add(&order, 65535, 1, &first), 0);
	ck_assert_uint_eq(rcu_order_next(&order, first, &next), 0);
	for (i = 2; i <= RCU_ORDER_KEPT + 1; i++)
		ck_assert_int_eq(rcu_order_add(&order, 65535, i, &place), 0);
	ck_assert_uint_eq(place, first);
	ck_assert_uint_eq(rcu_order_next(&order, place + RCU_ORDER_KEPT - 1, &next),
			  RCU_ORDER_KEPT + 1);
	ck_assert_uint_eq(next, first);
	ck_assert_uint_eq(rcu_order_next(&order, place + 1, &next), 3);
	ck_assert_uint_eq(rcu_order_next(&order, 0, &next), 0);
	rcu_order_free(&order);
}
END_TEST

/* The first free that names a cache tells which cache the callsite allocates from. */
START_TEST(cache_is_learnt)
{
	const struct slab_key *key;

	alloc(0x1000, 7);
	bulk(KMEM_ALLOC_BULK, 0x2000, 2, 64);
	release(0x2000, 7);
	bulk(KMEM_ALLOC_BULK, 0x3000, 2, 64);
	expect(5, 1, 0, 4);
	ck_assert_uint_eq(lives_rows(&acc.any), 3);
	key = slab_lives_key(&acc, 1);
	ck_assert_uint_eq(key->cache, 0);
	ck_assert_uint_eq(acc.any.rows[1].live_alloc, 0);
	key = slab_lives_key(&acc, 2);
	ck_assert_uint_eq(key->callsite, 0xb);
	ck_assert_uint_eq(key->cache, 7);
	ck_assert_uint_eq(acc.any.rows[2].live_alloc, 128);
	ck_assert_uint_eq(acc.any.rows[2].live_req, 120);
	slab_lives_free(&acc);
}
END_TEST

/* If allocations name no cache, frees of objects of known size do. */
START_TEST(size_is_learnt)
{
	bulk(KMEM_ALLOC_BULK, 0x2000, 2, 64);
	release(0x2000, 7);
	bulk(KMEM_ALLOC_BULK, 0x3000, 1, 64);
	alloc(0x1000, 0);
	alloc(0x1040, 8);
	release(0x1040, 7);
	bulk(KMEM_ALLOC_BULK, 0x4000, 1, 64);
	release(0x1000, 7);
	bulk(KMEM_ALLOC_BULK, 0x5000, 2, 64);
	ck_assert_uint_eq(acc.unsized_sites, 0);
	slab_lives_finish(&acc);
	ck_assert_uint_eq(acc.totals.bytes_alloc, 4 * 64);
	slab_lives_free(&acc);
}
END_TEST

/* Objects that a sample leaves out are left out here, too. */
START_TEST(sample_is_kept)
{
	sample_init(&acc.sample, 16, 1, 4096);
	bulk(KMEM_ALLOC_BULK, 0x10000, 64, 64);
	bulk(KMEM_FREE_BULK, 0x10000, 64, 64);
	slab_lives_finish(&acc);
	ck_assert_uint_lt(acc.totals.allocs, 64);
	ck_assert_uint_eq(acc.totals.allocs, acc.totals.matched);
	slab_lives_free(&acc);
}
END_TEST

static void keep_event(void *ctx, const struct lives *of, const struct life *life,
		       size_t nr)
{
	unsigned int *types = ctx;

	for (; nr; nr--, life++)
		types[life->event->type]++;
}

/* Observers see the event itself, not the parts it was split into. */
START_TEST(observers_see_the_event)
{
	unsigned int types[KMEM_NR_TYPES] = { 0 };

	ck_assert_int_eq(lives_observe(&acc.any, keep_event, types), 0);
	bulk(KMEM_ALLOC_BULK, 0x1000, 64, 64);
	bulk(KMEM_ALLOC_BULK, 0x1000, 64, 64); /* over live ones: two lives per object */
	rcu(0x1000);
	bulk(KMEM_FREE_BULK, 0x1000, 64, 64);
	expect(128, 64, 64, 0);
	ck_assert_uint_eq(types[KMEM_ALLOC_BULK], 192);
	ck_assert_uint_eq(types[KMEM_FREE_RCU], 1);
	ck_assert_uint_eq(types[KMEM_FREE_BULK], 63);
	slab_lives_free(&acc);
}
END_TEST

Suite *test_slab_probes_suite(void)
{
	Suite *s = suite_create("account/slab_probes");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, rcu_ends_lives_once);
	tcase_add_test(tc, dying_is_a_state);
	tcase_add_test(tc, dying_ends);
	tcase_add_test(tc, bulk_frees_and_allocates);
	tcase_add_test(tc, bulk_in_a_full_batch);
	tcase_add_test(tc, unseen_objects);
	tcase_add_test(tc, array_of_rcu);
	tcase_add_test(tc, array_of_rcu_begins_before);
	tcase_add_test(tc, array_of_others);
	tcase_add_test(tc, order_is_bounded);
	tcase_add_test(tc, cache_is_learnt);
	tcase_add_test(tc, size_is_learnt);
	tcase_add_test(tc, sample_is_kept);
	tcase_add_test(tc, observers_see_the_event);
	suite_add_tcase(s, tc);
	return s;
}
