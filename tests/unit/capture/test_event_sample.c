// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the sampling of capture/events/events.h, in a directory that looks like tracefs.
 * In: files made here. Out: checks.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/compiler.h"
#include "capture/events/events.h"
#include "remove_tree.h"

Suite *test_event_sample_suite(void);

static char top[] = "/tmp/kmemx-sample.XXXXXX";

static const struct log log_nowhere;

static const char slab_format[] =
	"name: kmalloc\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n";
static const char page_format[] =
	"\tfield:unsigned long pfn;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n";
static const char batched_format[] =
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n";
static const char old_format[] =
	"\tfield:struct page * page;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n";

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static void make_event_of(const char *dir, const char *name, const char *format)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/events/kmem/%s", dir, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/events/kmem/%s/format", dir, name);
	put(path, format);
	snprintf(path, sizeof(path), "%s/events/kmem/%s/filter", dir, name);
	put(path, "none\n");
	snprintf(path, sizeof(path), "%s/events/kmem/%s/trigger", dir, name);
	put(path, "");
}

static void make_event(const char *name, const char *format)
{
	make_event_of(top, name, format);
}

/* Makes the directories of an instance's events. */
static void make_events(const char *dir)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/events", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/events/kmem", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void setup(void)
{
	snprintf(top, sizeof(top), "/tmp/kmemx-sample.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	make_events(top);
	ck_assert_int_eq(tracefs_set_tracing_dir(top), 0);
}

static void teardown(void)
{
	remove_tree(top);
}

static const struct instance in = { .lock_fd = -1 };

/* The content of an event's file; the caller frees it. */
static char *text_of(const struct instance *of, const char *name, const char *file)
{
	struct strbuf sb = { 0 };
	char path[100];

	snprintf(path, sizeof(path), "events/kmem/%s/%s", name, file);
	ck_assert_int_eq(instance_read(of, path, &sb), 0);
	strbuf_puts(&sb, "");
	return sb.data ? sb.data : strdup("");
}

#define KMEM(name)                                 \
	{                                          \
		(char *)"kmem", (char *)name, NULL \
	}

static void check_file_of(const struct instance *of, const char *name, const char *file,
			  const char *text)
{
	char *there = text_of(of, name, file);

	ck_assert_str_eq(there, text);
	free(there);
}

static void check_file(const char *name, const char *file, const char *text)
{
	check_file_of(&in, name, file, text);
}

/* Each event is filtered by its own field, in addition to its old filter, in the instance that
 * records it. Events without an object or page keep their filters.
 */
START_TEST(filters)
{
	struct event_name names[] = { KMEM("kmalloc"), KMEM("kfree"),
				      KMEM("mm_page_alloc"), KMEM("mm_page_free_batched"),
				      KMEM("mm_page_alloc_extfrag") };
	struct event_list list = { names, ARRAY_SIZE(names) };
	struct strbuf object = { 0 }, freed = { 0 }, block = { 0 }, batched = { 0 };
	struct instance frees = { .lock_fd = -1 };
	const struct instance both = { .frees = &frees, .lock_fd = -1 };
	char other[64];
	struct sample s;

	snprintf(other, sizeof(other), "%s/frees", top);
	ck_assert_int_eq(mkdir(other, 0700), 0);
	make_events(other);
	make_event_of(other, "kmalloc", slab_format);
	make_event_of(other, "kfree", slab_format);
	make_event_of(other, "mm_page_free_batched", batched_format);
	frees.tracefs = tracefs_instance_alloc(other, NULL);
	ck_assert_ptr_nonnull(frees.tracefs);
	make_event("kmalloc", slab_format);
	make_event("kfree", slab_format);
	make_event("mm_page_alloc", page_format);
	make_event("mm_page_free_batched", batched_format);
	make_event("mm_page_alloc_extfrag", page_format);
	sample_init(&s, 16, 9, 4096);
	sample_filter_object(&s, true, &freed);
	sample_filter_block(&s, true, 4, &block);
	sample_filter_block(&s, false, 8, &batched);
	strbuf_puts(&object, "(common_pid != 7) && (");
	sample_filter_object(&s, false, &object);
	strbuf_puts(&object, ")");
	ck_assert_int_eq(event_set_filter(&names[0], &in, "common_pid != 7"), 0);
	ck_assert_int_eq(events_sample(&list, &both, &s, &log_nowhere), 0);
	check_file("kmalloc", "filter", strbuf_text(&object));
	check_file("mm_page_alloc", "filter", strbuf_text(&block));
	check_file("mm_page_alloc_extfrag", "filter", "none\n");
	check_file("kfree", "filter", "none\n");
	check_file("mm_page_free_batched", "filter", "none\n");
	check_file_of(&frees, "kfree", "filter", strbuf_text(&freed));
	check_file_of(&frees, "mm_page_free_batched", "filter", strbuf_text(&batched));
	check_file_of(&frees, "kmalloc", "filter", "none\n");
	tracefs_instance_free(frees.tracefs);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		free(names[i].filter);
	strbuf_free(&object);
	strbuf_free(&freed);
	strbuf_free(&block);
	strbuf_free(&batched);
}
END_TEST

/* Kernels where a filter reads back empty, or an event has no frame number. */
START_TEST(kernels_that_cannot)
{
	struct event_name kmalloc[] = { KMEM("kmalloc") };
	struct event_name alloc[] = { KMEM("mm_page_alloc") };
	struct event_list slab = { kmalloc, 1 }, page = { alloc, 1 };
	char path[200];
	struct sample s;

	make_event("kmalloc", slab_format);
	make_event("mm_page_alloc", old_format);
	snprintf(path, sizeof(path), "%s/events/kmem/kmalloc/filter", top);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/dev/null", path), 0);
	sample_init(&s, 2, 1, 4096);
	ck_assert_int_eq(events_sample(&slab, &in, &s, &log_nowhere), -EINVAL);
	ck_assert_int_eq(events_sample(&page, &in, &s, &log_nowhere), -ENOTSUP);
	check_file("mm_page_alloc", "filter", "none\n");
	free(kmalloc[0].filter);
	free(alloc[0].filter);
}
END_TEST

/* The trigger includes the event's own filter, as events that are not recorded need no callchain.
 */
START_TEST(stacks)
{
	struct event_name names[] = { KMEM("kmalloc"), KMEM("kfree") };
	struct event_list list = { names, ARRAY_SIZE(names) };
	struct strbuf trigger = { 0 };
	struct sample s;

	make_event("kmalloc", slab_format);
	make_event("kfree", slab_format);
	sample_init(&s, 16, 0, 4096);
	ck_assert_int_eq(event_set_filter(&names[0], &in, "common_pid != 7"), 0);
	ck_assert_int_eq(events_sample_stacks(&list, &in, &s), 0);
	strbuf_puts(&trigger, "stacktrace if (common_pid != 7) && (");
	sample_filter_object(&s, false, &trigger);
	strbuf_puts(&trigger, ")");
	check_file("kmalloc", "trigger", strbuf_text(&trigger));
	check_file("kmalloc", "filter", "common_pid != 7");
	check_file("kfree", "trigger", "");
	strbuf_free(&trigger);
	free(names[0].filter);
}
END_TEST

Suite *test_event_sample_suite(void)
{
	Suite *s = suite_create("event_sample");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, filters);
	tcase_add_test(tc, kernels_that_cannot);
	tcase_add_test(tc, stacks);
	suite_add_tcase(s, tc);
	return s;
}
