// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/ledger/ledger.h: frees in the wrong order, and of allocations without an event.
 */
#include <check.h>

#include "analysis/ledger/ledger.h"
#include "source_file.h"

struct fixture {
	struct recording *file; /* provides the names of GFP flags */
	struct event_formats *fmts;
	struct recording rec;
	struct analysis_env env;
	struct accounts accounts;
	void *ledger;
	const struct ledger_group *sum; /* of kmalloc-64 */
	uint64_t ts;			/* of the next event */
};

static void set_up(struct fixture *f, struct recording_text *meta, uint32_t nr_meta)
{
	static const struct analysis_options no_options = { 0 };
	static const struct log silent = { 0 };
	struct source src;

	*f = (struct fixture){ .rec = { .meta = meta, .nr_meta = nr_meta } };
	ck_assert(!source_open_file(&src, "data/trixie-amd64-small-stack.v7.dat"));
	ck_assert(!recording_open(&f->file, &src, "fixture", &silent));
	ck_assert(!event_formats_new(&f->fmts, f->file, &silent));
	f->accounts = (struct accounts){ .rec = &f->rec, .page_size = 4096 };
	f->env = (struct analysis_env){ .rec = &f->rec,
					.fmts = f->fmts,
					.accounts = &f->accounts };
	ck_assert_int_eq(analysis_new(&analysis_ledger, &f->env, &no_options, &f->ledger),
			 0);
}

/* An object of kmalloc-64 is allocated or freed by @pid on @cpu. */
static void on_cpu(struct fixture *f, uint8_t type, uint64_t ptr, uint32_t cpu,
		   int32_t pid)
{
	struct kmem_event ev = { .type = type, .ts = f->ts, .cpu = cpu, .pid = pid };

	if (type == KMEM_KMALLOC) {
		ev.slab_alloc.ptr = ptr;
		ev.slab_alloc.bytes_alloc = 64;
	} else {
		ev.slab_free.ptr = ptr;
	}
	slab_lives_events(f->accounts.slab, &ev, 1);
}

static void finish(struct fixture *f)
{
	const struct ledger *l = f->ledger;

	slab_lives_finish(f->accounts.slab);
	ck_assert(!l->failed);
	ck_assert_uint_eq(l->groups.nr, 1);
	ck_assert_uint_eq(l->unknown.count, 0);
	f->sum = l->groups.of;
}

static void tear_down(struct fixture *f)
{
	analysis_free(&analysis_ledger, f->ledger);
	accounts_free(&f->accounts);
	event_formats_free(f->fmts);
	recording_close(f->file);
}

/* A free that precedes the allocation because CPUs' clocks differ is that allocation's free. */
START_TEST(events_in_the_wrong_order)
{
	struct fixture f;

	set_up(&f, NULL, 0);
	f.accounts.slab->skew = 100;
	on_cpu(&f, KMEM_KMALLOC, 0x10200, 0, 5); /* the cache of the page */
	f.ts = 1000;
	on_cpu(&f, KMEM_KFREE, 0x10000, 1, 5); /* counted as that of an older object */
	f.ts = 1010;
	on_cpu(&f, KMEM_KMALLOC, 0x10000, 0, 5);
	f.ts = 5000;
	on_cpu(&f, KMEM_KMALLOC, 0x10000, 0, 5);
	on_cpu(&f, KMEM_KMALLOC, 0x10040, 0, 5);
	on_cpu(&f, KMEM_KFREE, 0x10040, 0, 5);
	f.ts = 6000;
	on_cpu(&f, KMEM_KFREE, 0x10040, 1, 5); /* counted as double */
	f.ts = 6010;
	on_cpu(&f, KMEM_KMALLOC, 0x10040, 0, 5);
	f.ts = 7000;
	on_cpu(&f, KMEM_KMALLOC, 0x10080, 0, 5);
	f.ts = 7010;
	on_cpu(&f, KMEM_KMALLOC, 0x10080, 1, 5); /* counted as an untraced free */
	f.ts = 7020;
	on_cpu(&f, KMEM_KFREE, 0x10080, 0, 5);
	on_cpu(&f, KMEM_KFREE, 0x10080, 2, 5);
	finish(&f);
	ck_assert_int_eq(f.sum->allocs - f.sum->freed - f.sum->implicit, 2);
	ck_assert_uint_eq(f.sum->allocs, 7);
	ck_assert_uint_eq(f.sum->freed, 5);
	ck_assert_uint_eq(f.sum->implicit, 0);
	ck_assert_uint_eq(f.sum->again, 0);
	tear_down(&f);
}
END_TEST

/* Every free lowers the kernel's count, even by a task whose allocations were not recorded. But the
 * recorder frees only what it has itself allocated since it began.
 */
START_TEST(frees_of_unrecorded_allocations)
{
	struct recording_text meta[] = {
		{ .name = (char *)RECORDING_META_RECORDER_PID, .text = (char *)"77" },
		{ .name = (char *)"scope", .text = (char *)"part" },
	};
	struct fixture f;
	int part;

	for (part = 0; part < 2; part++) {
		set_up(&f, meta, part ? 2 : 1);
		on_cpu(&f, KMEM_KMALLOC, 0x10000, 0, 5);
		on_cpu(&f, KMEM_KMALLOC, 0x10040, 0, 5);
		on_cpu(&f, KMEM_KFREE, 0x10040, 0, 77); /* was recorded */
		on_cpu(&f, KMEM_KFREE, 0x10080, 0, 77);
		on_cpu(&f, KMEM_KFREE, 0x100c0, 0, 5);
		on_cpu(&f, KMEM_KFREE, 0x100c0, 0, 5); /* allocated in bulk since */
		finish(&f);
		ck_assert_int_eq(f.sum->allocs - f.sum->freed - f.sum->implicit, 0);
		ck_assert_uint_eq(f.sum->freed, 2);
		ck_assert_uint_eq(f.sum->again, 1);
		tear_down(&f);
	}
}
END_TEST

Suite *test_ledger_frees_suite(void)
{
	Suite *s = suite_create("analysis/ledger_frees");
	TCase *tc = tcase_create("ledger_frees");

	tcase_add_test(tc, events_in_the_wrong_order);
	tcase_add_test(tc, frees_of_unrecorded_allocations);
	suite_add_tcase(s, tc);
	return s;
}
