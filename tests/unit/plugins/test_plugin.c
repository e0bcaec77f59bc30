// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: plugins/plugin_kmemx.c, called as libtraceevent calls it. tests/cli/plugin.test tests it
 * with trace-cmd report.
 */
#include <check.h>
#include <endian.h>
#include <stdint.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "format_text.h"

int TEP_PLUGIN_LOADER(struct tep_handle *tep);
int TEP_PLUGIN_UNLOADER(struct tep_handle *tep);

/* mm_page_alloc of Linux 3.16 (page pointers) and of 6.1, with fewer flags. */
static const char old_format[] =
	"name: mm_page_alloc\nID: 1\n" FORMAT_COMMON
	"\tfield:struct page * page;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:gfp_t gfp_flags;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:int migratetype;\toffset:24;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"order=%d gfp_flags=%s\", REC->order, (REC->gfp_flags) ? "
	"__print_flags(REC->gfp_flags, \"|\", {(unsigned long)((( gfp_t)0x10u)), "
	"\"GFP_WAIT\"}, {(unsigned long)(( gfp_t)0x20u), \"GFP_HIGH\"} ) : \"GFP_NOWAIT\"\n";
static const char new_format[] =
	"name: mm_page_alloc\nID: 1\n" FORMAT_COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long gfp_flags;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int migratetype;\toffset:32;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"order=%d gfp_flags=%s\", REC->order, (REC->gfp_flags) ? "
	"__print_flags(REC->gfp_flags, \"|\", {(unsigned long)(((( gfp_t)0x400u)) | "
	"(( gfp_t)0x800u)), \"__GFP_RECLAIM\"} ) : \"none\"\n";
static const char cache_format[] =
	"name: kmem_cache_free\nID: 2\n" FORMAT_COMMON
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"call_site=%pS\", (void *)REC->call_site\n";

static struct tep_handle *tep;
static struct trace_seq seq;

static void setup(void)
{
	tep_set_loglevel(TEP_LOG_NONE);
	tep = tep_alloc();
	ck_assert_ptr_nonnull(tep);
	tep_set_long_size(tep, 8);
	trace_seq_init(&seq);
	ck_assert_int_eq(TEP_PLUGIN_LOADER(tep), 0);
}

static void teardown(void)
{
	TEP_PLUGIN_UNLOADER(tep);
	tep_free(tep);
	trace_seq_destroy(&seq);
}

/* The text of an event whose record consists of these words. The first is the event's ID; a 64-bit
 * number has its lower half first.
 */
static const char *shown(const char *format, const char *system, const uint32_t *words,
			 size_t size)
{
	uint32_t data[16];
	struct tep_record record = { .data = data, .size = (int)size };
	struct tep_event *event = NULL;

	for (size_t i = 0; 4 * i < size; i++)
		data[i] = htole32(words[i]);

	if (format)
		tep_parse_event(tep, format, strlen(format), system);
	trace_seq_reset(&seq);
	event = tep_find_event_by_record(tep, &record);
	ck_assert_ptr_nonnull(event);
	tep_print_event(tep, &seq, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	return seq.buffer;
}

/* Before Linux 4.4, 2 was MOVABLE; the page pointer is 0 if there is no page. */
START_TEST(old_kernel)
{
	uint32_t record[] = { 1, 0, 0xb6da0000, 0xffffea00, 3, 0x30, 2 };

	ck_assert_str_eq(shown(old_format, "kmem", record, sizeof(record)),
			 "page=0xffffea00b6da0000 order=3 gfp_flags=GFP_WAIT|GFP_HIGH "
			 "migratetype=MOVABLE");
	record[2] = 0;
	record[3] = 0;
	record[5] = 0;
	ck_assert_str_eq(shown(NULL, "kmem", record, sizeof(record)),
			 "page=none order=3 gfp_flags=none migratetype=MOVABLE");
}
END_TEST

START_TEST(new_kernel)
{
	uint32_t record[] = { 1, 0, 0xffffffff, 0xffffffff, 9, 0, 0x10000c00, 0, 1 };

	ck_assert_str_eq(shown(new_format, "kmem", record, sizeof(record)),
			 "pfn=none order=9 gfp_flags=__GFP_RECLAIM|0x10000000 "
			 "migratetype=MOVABLE");
	record[2] = 0;
	record[3] = 0;
	record[8] = 7;
	ck_assert_str_eq(
		shown(NULL, "kmem", record, sizeof(record)),
		"pfn=0x0 order=9 gfp_flags=__GFP_RECLAIM|0x10000000 migratetype=7");
	record[8] = (uint32_t)-1;
	ck_assert_str_eq(
		shown(NULL, "kmem", record, sizeof(record)),
		"pfn=0x0 order=9 gfp_flags=__GFP_RECLAIM|0x10000000 migratetype=-1");
}
END_TEST

/* Fields, and strings that a field refers to, are not read beyond the record. */
START_TEST(cut_short)
{
	uint32_t page[] = { 1, 0, 0x1234, 0, 2 };
	uint32_t cache[] = { 2, 0, 0x1000, 0, 0, 0, 8 << 16 | 28, 0x64616564, 0x78 };

	ck_assert_str_eq(shown(new_format, "kmem", page, sizeof(page)),
			 "pfn=0x1234 order=2 gfp_flags=? migratetype=?");
	ck_assert_str_eq(shown(cache_format, "kmem", cache, sizeof(cache)),
			 "call_site=0x1000 ptr=(nil) name=deadx");
	ck_assert_str_eq(shown(NULL, "kmem", cache, sizeof(cache) - 1),
			 "call_site=0x1000 ptr=(nil) name=?");
	cache[6] = 0xffffffff;
	ck_assert_str_eq(shown(NULL, "kmem", cache, sizeof(cache)),
			 "call_site=0x1000 ptr=(nil) name=?");
	ck_assert_str_eq(shown(NULL, "kmem", cache, 26),
			 "call_site=0x1000 ptr=(nil) name=?");
}
END_TEST

/* An event of that name in another system is not one of kmem's. */
START_TEST(other_system)
{
	uint32_t record[] = { 2, 0, 0x1000, 0, 0, 0, 0 };

	ck_assert_ptr_null(
		strstr(shown(cache_format, "mine", record, sizeof(record)), "ptr="));
}
END_TEST

/* libtraceevent does this for the plugin directory that it loads last. */
START_TEST(loaded_twice)
{
	uint32_t record[] = { 1, 0, 0x1234, 0, 2, 0, 0xc00, 0, 0 };

	ck_assert_int_eq(TEP_PLUGIN_LOADER(tep), 0);
	ck_assert_str_eq(shown(new_format, "kmem", record, sizeof(record)),
			 "pfn=0x1234 order=2 gfp_flags=__GFP_RECLAIM "
			 "migratetype=UNMOVABLE");
	ck_assert_int_eq(TEP_PLUGIN_UNLOADER(tep), 0);
	ck_assert_int_eq(TEP_PLUGIN_UNLOADER(tep), 0);
	ck_assert_ptr_null(strstr(shown(NULL, "kmem", record, sizeof(record)), "pfn="));
}
END_TEST

Suite *test_plugin_suite(void);
Suite *test_plugin_suite(void)
{
	Suite *suite = suite_create("plugins/kmemx");
	TCase *tc = tcase_create("plugin");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, old_kernel);
	tcase_add_test(tc, new_kernel);
	tcase_add_test(tc, cut_short);
	tcase_add_test(tc, other_system);
	tcase_add_test(tc, loaded_twice);
	suite_add_tcase(suite, tc);
	return suite;
}
