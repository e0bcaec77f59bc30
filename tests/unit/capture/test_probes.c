// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: capture/events/probes.h: the definitions for kernels and machines; setting and removing
 * them in a directory that looks like tracefs.
 * In: files made here. Out: checks.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "capture/events/probes.h"
#include "remove_tree.h"

Suite *test_probes_suite(void);

static struct probe all[PROBES];

/* Expects a probe of @kind on @function with @args; @function NULL: not possible. */
static void expect(enum probe_kind kind, const char *function, const char *args)
{
	ck_assert_str_eq(all[kind].function, function);
	ck_assert_str_eq(all[kind].args, args ? args : "");
	ck_assert_int_eq(!args, *all[kind].why != '\0');
}

START_TEST(definitions)
{
	probes_define(all, "7.2.13+deb14-cloud-amd64", "x86_64", PROBE_ARGS_NUMBER);
	expect(PROBE_RCU_FREE, "kvfree_call_rcu", "head=$arg1:x64 ptr=$arg2:x64");
	expect(PROBE_ALLOC_BULK, "kmem_cache_alloc_bulk_noprof",
	       "nr=$arg3:u64 p=+0($arg4):x64[32] ret=$retval:s32");
	expect(PROBE_FREE_BULK, "kmem_cache_free_bulk",
	       "s=$arg1:x64 nr=$arg2:u64 p=+0($arg3):x64[32]");
	probes_define(all, "6.9.0", "aarch64", PROBE_ARGS_NUMBER);
	expect(PROBE_ALLOC_BULK, "kmem_cache_alloc_bulk",
	       "nr=$arg3:u64 p=+0($arg4):x64[32] ret=$retval:s32");
	ck_assert_str_eq(all[PROBE_ALLOC_BULK].other, "kmem_cache_alloc_bulk_noprof");
	ck_assert_str_eq(all[PROBE_ALLOC_BULK].entry, "");
	probes_define(all, "6.2.0", "x86_64", PROBE_ARGS_NUMBER);
	expect(PROBE_RCU_FREE, "kvfree_call_rcu", "head=$arg1:x64 ptr=$arg2:x64");
	expect(PROBE_ALLOC_BULK, "kmem_cache_alloc_bulk",
	       "nr=$nr:u64 p=+0($p):x64[32] ret=$ret:s32 call_site=$ip:x64");
	ck_assert_str_eq(all[PROBE_ALLOC_BULK].entry,
			 "nr=$arg3:u64 p=$arg4:x64 stack=$stack:x64");
	probes_define(all, "5.14.0", "x86_64", PROBE_ARGS_NUMBER);
	expect(PROBE_ALLOC_BULK, "kmem_cache_alloc_bulk", NULL);
	probes_define(all, "5.10.0-32-amd64", "x86_64", PROBE_ARGS_NUMBER);
	expect(PROBE_RCU_FREE, "kvfree_call_rcu", "head=$arg1:x64 func=$arg2:x64");
	probes_define(all, "5.8", "x86_64", PROBE_ARGS_NUMBER);
	expect(PROBE_RCU_FREE, "kfree_call_rcu", "head=$arg1:x64 func=$arg2:x64");
}
END_TEST

/* Pointers of 32 bits, arguments in registers; no probes on other machines. */
START_TEST(machines)
{
	static const struct {
		const char *machine, *args, *array;
	} known[] = {
		{ "x86_64", "s=%di:x64 nr=%si:u64 p=+0(%dx):x64[32]", "p=%cx:x64 " },
		{ "i686", "s=%ax:x64 nr=%dx:u64 p=+0(%cx):x32[32]", "p=$stack1:x64 " },
		{ "aarch64", "s=%x0:x64 nr=%x1:u64 p=+0(%x2):x64[32]", "p=%x3:x64 " },
		{ "armv7l", "s=%r0:x64 nr=%r1:u64 p=+0(%r2):x32[32]", "p=%r3:x64 " },
		{ "riscv64", "s=%a0:x64 nr=%a1:u64 p=+0(%a2):x64[32]", "p=%a3:x64 " },
		{ "s390x", "s=%r2:x64 nr=%r3:u64 p=+0(%r4):x64[32]", "p=%r5:x64 " },
		{ "ppc64le", "s=%r3:x64 nr=%r4:u64 p=+0(%r5):x64[32]", "p=%r6:x64 " },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		probes_define(all, "6.12.0", known[i].machine, PROBE_ARGS_REGISTER);
		expect(PROBE_FREE_BULK, "kmem_cache_free_bulk", known[i].args);
		/* When the function returns, the registers have other contents. */
		ck_assert_ptr_nonnull(
			strstr(all[PROBE_ALLOC_BULK].entry, known[i].array));
	}
	probes_define(all, "6.12.0", "armv7l", PROBE_ARGS_NUMBER);
	expect(PROBE_ALLOC_BULK, "kmem_cache_alloc_bulk_noprof",
	       "nr=$arg3:u64 p=+0($arg4):x32[32] ret=$retval:s32");
	probes_define(all, "6.12.0", "ia64", PROBE_ARGS_REGISTER);
	for (i = 0; i < PROBES; i++)
		ck_assert(!*all[i].args && *all[i].why);
}
END_TEST

START_TEST(groups)
{
	ck_assert(probes_is_group("kmemx_1234"));
	ck_assert(!probes_is_group("kmemx_"));
	ck_assert(!probes_is_group("kmemx_12x"));
	ck_assert(!probes_is_group("kmemx_mine"));
	ck_assert(!probes_is_group("kprobes"));
}
END_TEST

/* --- a directory that looks like tracefs ------------------------------------------------- */

static char top[] = "/tmp/kmemx-probes.XXXXXX";
static const struct log log_nowhere;

static void make(const char *path)
{
	char whole[200];

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	ck_assert_int_eq(mkdir(whole, 0700), 0);
}

static void write_file(const char *path, const char *text)
{
	char whole[200];
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	f = fopen(whole, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* Does @path begin with @text? */
static bool begins(const char *path, const char *text)
{
	char whole[200], content[400] = "";
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	f = fopen(whole, "r");
	ck_assert_ptr_nonnull(f);
	if (!fread(content, 1, sizeof(content) - 1, f))
		content[0] = '\0';
	fclose(f);
	return !strncmp(content, text, strlen(text));
}

static void setup(void)
{
	snprintf(top, sizeof(top), "/tmp/kmemx-probes.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	make("events");
	make("instances");
	write_file("dynamic_events", "");
	write_file("kprobe_events", "");
	ck_assert_int_eq(tracefs_set_tracing_dir(top), 0);
}

static void teardown(void)
{
	tracefs_set_tracing_dir(NULL);
	remove_tree(top);
}

/* Returns the events of the list as text, and the item's text in @item. */
static void set(enum probes_wish wish, bool some, char events[300], char item[600])
{
	const struct probes_choice choice = { 77, wish, some };
	struct event_list list = { 0 };
	struct probes probes = { 0 };
	struct strbuf text = { 0 };
	size_t i, used = 0;

	*events = '\0';
	probes_format(&probes, &text);
	ck_assert_uint_eq(text.size, 0);
	ck_assert_int_eq(probes_set(&probes, &list, &choice, &log_nowhere), 0);
	for (i = 0; i < list.count; i++)
		used += (size_t)snprintf(events + used, 300 - used, "%s:%s ",
					 list.items[i].system, list.items[i].name);
	probes_format(&probes, &text);
	snprintf(item, 600, "%s", strbuf_text(&text));
	strbuf_free(&text);
	events_free(&list);
	probes_remove(&probes, &log_nowhere);
	probes_remove(&probes, &log_nowhere);
}

/* This machine's kernel decides which probes are set, but one exists everywhere. */
START_TEST(setting)
{
	char events[300], item[600];

	set(PROBES_IF_POSSIBLE, true, events, item);
	ck_assert_ptr_nonnull(strstr(events, "kmemx_77:rcu_free kmemx_77:free_bulk "));
	ck_assert_ptr_nonnull(strstr(item, "only some allocations are recorded\n"));
	ck_assert_ptr_nonnull(strstr(item, "free_bulk kmem_cache_free_bulk set\n"));
	set(PROBES_NONE, false, events, item);
	ck_assert_str_eq(events, "");
	ck_assert_ptr_nonnull(strstr(item, "not wanted (--no-probes)\n"));
	make("events/kmemx_77");
	set(PROBES_IF_POSSIBLE, false, events, item);
	ck_assert_str_eq(events, "");
	ck_assert_ptr_nonnull(strstr(item, "a killed recorder's"));
}
END_TEST

START_TEST(no_kprobes)
{
	char events[300], item[600], path[200];

	snprintf(path, sizeof(path), "%s/kprobe_events", top);
	ck_assert_int_eq(remove(path), 0);
	set(PROBES_ASKED, false, events, item);
	ck_assert_str_eq(events, "");
	ck_assert_ptr_nonnull(strstr(item, "this kernel has no kprobes"));
}
END_TEST

/* A killed recorder's probes are removed, others are not. */
START_TEST(leftover)
{
	write_file("dynamic_events", "p:mine/rcu_free kvfree_call_rcu head=%di:x64\n");
	probes_sweep(&log_nowhere);
	ck_assert(begins("dynamic_events", "p:mine"));
	write_file("dynamic_events",
		   "p:mine/rcu_free kvfree_call_rcu head=%di:x64\n"
		   "r10:kmemx_12/alloc_bulk kmem_cache_alloc_bulk ret=$retval:s32\n"
		   "p:kmemx_mine/rcu_free kvfree_call_rcu head=%di:x64\n");
	probes_sweep(&log_nowhere);
	ck_assert(begins("dynamic_events", "-:kmemx_12/alloc_bulk"));
}
END_TEST

Suite *test_probes_suite(void)
{
	Suite *s = suite_create("capture/probes");
	TCase *tc = tcase_create("definitions");

	tcase_add_test(tc, definitions);
	tcase_add_test(tc, machines);
	tcase_add_test(tc, groups);
	suite_add_tcase(s, tc);
	tc = tcase_create("tracefs");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, setting);
	tcase_add_test(tc, no_kprobes);
	tcase_add_test(tc, leftover);
	suite_add_tcase(s, tc);
	return s;
}
