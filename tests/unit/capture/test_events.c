// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: capture/events/events.h: the choice of events, in a directory that looks like tracefs.
 * In: files made here. Out: checks.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "capture/events/events.h"
#include "remove_tree.h"

Suite *test_events_suite(void);

static char top[] = "/tmp/kmemx-events.XXXXXX";
static const struct log log_nowhere;
static struct instance in = { .lock_fd = -1 };

static void make(const char *path)
{
	char whole[200];

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	ck_assert_int_eq(mkdir(whole, 0700), 0);
}

static void make_event(const char *path)
{
	char whole[200];
	FILE *f;

	make(path);
	snprintf(whole, sizeof(whole), "%s/%s/enable", top, path);
	f = fopen(whole, "w");
	ck_assert_ptr_nonnull(f);
	fclose(f);
}

static void setup(void)
{
	snprintf(top, sizeof(top), "/tmp/kmemx-events.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	make("events");
	make("events/kmem");
	make_event("events/kmem/kmalloc");
	make_event("events/kmem/mm_page_alloc");
	in.tracefs = tracefs_instance_alloc(top, NULL);
	ck_assert_ptr_nonnull(in.tracefs);
}

static void teardown(void)
{
	tracefs_instance_free(in.tracefs);
	remove_tree(top);
}

/* @choice must select the events in @wanted, "SYSTEM:EVENT ...". */
static void expect(const struct event_choice *choice, const char *wanted)
{
	struct event_list list;
	char text[300] = "";
	size_t i, used = 0;

	ck_assert_int_eq(events_select(&list, &in, choice, &log_nowhere), 0);
	for (i = 0; i < list.count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s:%s",
					 i ? " " : "", list.items[i].system,
					 list.items[i].name);
	ck_assert_str_eq(text, wanted);
	events_free(&list);
}

/* Events of allocation tags, if they exist, are recorded for the whole system, as they must add up
 * to the kernel's counts.
 */
START_TEST(alloc_tags)
{
	struct event_choice all = { .slab = true, .page = true };
	const struct event_choice slab = { .slab = true };

	expect(&all, "kmem:kmalloc kmem:mm_page_alloc");
	make("events/alloc_tag");
	make_event("events/alloc_tag/alloc_tag_hit");
	make_event("events/alloc_tag/alloc_tag_mem_freed");
	make_event("events/alloc_tag/another");
	expect(&all, "kmem:kmalloc kmem:mm_page_alloc alloc_tag:alloc_tag_hit "
		     "alloc_tag:alloc_tag_mem_freed");
	expect(&slab, "kmem:kmalloc");
	all.one_in = 16;
	expect(&all, "kmem:kmalloc kmem:mm_page_alloc");
}
END_TEST

Suite *test_events_suite(void)
{
	Suite *s = suite_create("capture/events");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, alloc_tags);
	suite_add_tcase(s, tc);
	return s;
}
