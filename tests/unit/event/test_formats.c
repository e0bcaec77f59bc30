// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/formats.h.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/formats.h"
#include "format_text.h"

/* libtraceevent 1.7.1 leaks some tokens (a few bytes each) of texts that it cannot parse.
 * tep_alloc() is not suppressed, so that a leaked handle still shows.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:tep_parse_format\n";
}

#define PFN   "\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
#define ORDER "\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n"

static const char page_alloc[] =
	"name: mm_page_alloc\nID: 653\n" FORMAT_COMMON PFN ORDER
	"\tfield:unsigned long gfp_flags;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int migratetype;\toffset:32;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"pfn=0x%lx (order=%d gfp_flags=%s\", REC->pfn != -1UL ? REC->pfn : 0, "
	"REC->order, (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", "
	"{( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | "
	"(( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7)))), \"GFP_KERNEL\"}, "
	"{( unsigned long)(( gfp_t)0x2000u), \"__GFP_NOWARN\"}, {4096, \"__GFP_WRITE\"}, "
	"{ 0, ((void *)0) } ) : \"none\"\n";
static const char page_free[] = "name: mm_page_free\nID: 652\n" FORMAT_COMMON PFN ORDER
				"\nprint fmt: \"order=%d\", REC->order\n";
static const char cache_free[] =
	"name: kmem_cache_free\nID: 7\n" FORMAT_COMMON
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"name=%s\", __get_str(name)\n";
static const char stack[] =
	"name: kernel_stack\nID: 4\n" FORMAT_COMMON
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"
	"\nprint fmt: \"\\t=> %ps\\n\", (void *)REC->caller[0]\n";

static struct recording_text texts[16];
static struct recording rec;
static struct event_formats *fmts;
static int nr_logged;

static void count(void *ctx, enum log_level level, const char *kind, const char *message)
{
	nr_logged++;
}

static void add(const char *system, const char *text)
{
	texts[rec.nr_event_formats++] =
		(struct recording_text){ (char *)system, (char *)text, strlen(text) };
}

static int make(void)
{
	struct log log = { count, NULL };

	return event_formats_new(&fmts, &rec, &log);
}

static void setup(void)
{
	nr_logged = 0;
	fmts = NULL;
	rec = (struct recording){ .layout = { 8, 8, 16 }, .event_formats = texts };
}

static void teardown(void)
{
	event_formats_free(fmts);
}

static void check_field(uint16_t id, int index, int offset, int size)
{
	const struct event_format *fmt = event_formats_find(fmts, id);

	ck_assert_ptr_nonnull(fmt);
	ck_assert_int_eq(fmt->fields[index].offset, offset);
	ck_assert_int_eq(fmt->fields[index].size, size);
}

START_TEST(fields_and_names)
{
	const struct gfp_names *gfp;

	add("kmem", page_alloc);
	add("kmem", page_free);
	add("kmem", cache_free);
	add("sched", "name: sched_switch\nID: 65535\nformat: ((((\n");
	add("ftrace", stack);
	ck_assert_int_eq(make(), 0);
	ck_assert_int_eq(nr_logged, 0);
	ck_assert_uint_eq(fmts->count, 5);
	check_field(653, PAGE_PFN, 8, 8);
	check_field(653, PAGE_ORDER, 16, 4);
	check_field(653, PAGE_GFP, 24, 8);
	check_field(653, PAGE_MIGRATETYPE, 32, 4);
	ck_assert_uint_eq(event_formats_find(fmts, 653)->min_size, 36);
	ck_assert_uint_eq(event_formats_find(fmts, 653)->type, KMEM_PAGE_ALLOC);
	check_field(652, PAGE_GFP, 0, 0);
	check_field(7, SLAB_NAME, 24, 4);
	check_field(4, STACK_SIZE, 8, 4);
	check_field(4, STACK_CALLER, 16, 8);
	ck_assert_uint_eq(event_formats_find(fmts, 4)->min_size, 16);
	ck_assert_uint_eq(event_formats_find(fmts, 65535)->type, KMEM_OTHER);
	ck_assert_str_eq(event_formats_find(fmts, 65535)->name, "sched_switch");
	ck_assert_ptr_null(event_formats_find(fmts, 5));
	ck_assert_ptr_null(event_formats_at(fmts, 5));
	ck_assert_uint_eq(fmts->common.pid_offset, 4);
	gfp = &fmts->gfp;
	ck_assert_uint_eq(gfp->count, 3);
	ck_assert_str_eq(gfp->names[0].name, "GFP_KERNEL");
	ck_assert_uint_eq(gfp->names[0].mask, 0xcc0);
	ck_assert_uint_eq(gfp->names[1].mask, 0x2000);
	ck_assert_uint_eq(gfp->names[2].mask, 0x1000);
}
END_TEST

/* Kernels before 4.1 have a struct page pointer, of four bytes on 32-bit kernels. */
START_TEST(page_pointer_and_small_longs)
{
	rec.layout = (struct page_layout){ 4, 8, 12 };
	add("kmem", "name: mm_page_free\nID: 1\n" FORMAT_COMMON
		    "\tfield:struct page * page;\toffset:8;\tsize:4;\tsigned:0;\n"
		    "\tfield:unsigned int order;\toffset:12;\tsize:4;\tsigned:0;\n"
		    "\nprint fmt: \"order=%d\", REC->order\n");
	ck_assert_int_eq(make(), 0);
	check_field(1, PAGE_PFN, 8, 4);
	ck_assert(event_formats_find(fmts, 1)->page_pointer);
	ck_assert_uint_eq(fmts->gfp.count, 0);
	ck_assert_int_eq(nr_logged, 1); /* no gfp names */
}
END_TEST

/* The fields are usable although the print format is not. */
START_TEST(unreadable_print_format)
{
	add("kmem", "name: mm_page_free\nID: 1\n" FORMAT_COMMON PFN ORDER
		    "\nprint fmt: \"order=%d\", some_function(REC->order, 3) + @\n");
	ck_assert_int_eq(make(), 0);
	ck_assert_uint_eq(event_formats_find(fmts, 1)->type, KMEM_PAGE_FREE);
}
END_TEST

static void check_refused(const char *text, const char *name)
{
	setup();
	add("kmem", text);
	add("kmem", page_alloc);
	ck_assert_msg(make() == 0, "%s", name);
	ck_assert_msg(fmts->nr_failed == 1 && nr_logged == 1, "%s", name);
	ck_assert_uint_eq(event_formats_find(fmts, 653)->type, KMEM_PAGE_ALLOC);
	if (event_formats_find(fmts, 1))
		ck_assert_uint_eq(event_formats_find(fmts, 1)->type, KMEM_OTHER);
	event_formats_free(fmts);
	fmts = NULL;
}

#define FREE "name: mm_page_free\nID: 1\n"

START_TEST(bad_formats_are_refused)
{
	check_refused("", "empty");
	check_refused("name: mm_page_free\n" FORMAT_COMMON, "no ID");
	check_refused("name: mm_page_free\nID: 65536\n" FORMAT_COMMON, "large ID");
	check_refused("name: mm_page_free\nID: -1\n" FORMAT_COMMON, "negative ID");
	check_refused(FREE "format:\n", "no fields");
	check_refused(FREE FORMAT_COMMON ORDER "\nprint fmt: \"\"\n", "no pfn");
	check_refused(FREE "format:\n" PFN ORDER "\nprint fmt: \"\"\n",
		      "no common fields");
	check_refused(FREE FORMAT_COMMON PFN
		      "\tfield:int order;\toffset:65534;\tsize:4;\tsigned:1;\n"
		      "\nprint fmt: \"\"\n",
		      "beyond 64 KiB");
	check_refused(FREE FORMAT_COMMON PFN
		      "\tfield:int order;\toffset:-4;\tsize:4;\tsigned:1;\n"
		      "\nprint fmt: \"\"\n",
		      "negative offset");
	check_refused(FREE FORMAT_COMMON PFN
		      "\tfield:int order;\toffset:4294967304;\tsize:3;\tsigned:1;\n"
		      "\nprint fmt: \"\"\n",
		      "odd size");
	check_refused(FREE FORMAT_COMMON PFN ORDER "\nprint fmt: \"\001\"\n",
		      "control bytes");
	check_refused(FREE FORMAT_COMMON PFN ORDER "\nprint fmt: \"%d, REC->order\n",
		      "open quote");
	check_refused(FREE FORMAT_COMMON PFN ORDER "\nprint fmt: \"\", (REC->order\n",
		      "open paren");
}
END_TEST

/* The caller frees the text. */
static char *repeat(const char *head, const char *what, size_t nr, const char *tail)
{
	struct strbuf sb = { 0 };
	size_t i;

	strbuf_puts(&sb, head);
	for (i = 0; i < nr; i++)
		strbuf_puts(&sb, what);
	strbuf_puts(&sb, tail);
	return strbuf_detach(&sb);
}

#define HEAD FREE FORMAT_COMMON PFN ORDER "\nprint fmt: \"%d\", "

START_TEST(what_would_recurse_is_refused)
{
	static const struct {
		const char *what, *middle_and_end;
	} cases[] = { { "(", "1" },	 { "(int)", "1" }, { "~", "1" },
		      { "-", "1" },	 { "1+", "1" },	   { "1?1:", "1" },
		      { "\")\"(", "1" }, { "{", "1" },	   { "__print_flags(", "1" },
		      { "((1),", "1" },	 { "REC->", "x" }, { "1|", "1" } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = repeat(HEAD, cases[i].what, 10000, cases[i].middle_and_end);

		check_refused(text, cases[i].what);
		free(text);
	}
}
END_TEST

START_TEST(check_knows_quotes)
{
	static const char *const good[] = { "\"(((\"", "'('",  "\"\\\"(\"",
					    "",	       "a, b", "(a) [b] {c}" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		ck_assert_msg(!format_check(good[i], strlen(good[i])), "%s", good[i]);
	ck_assert_ptr_nonnull(format_check("a\0b", 3));
	ck_assert_ptr_nonnull(format_check("\"a", 2));
	ck_assert_ptr_nonnull(format_check("\"a\\\"", 4));
	ck_assert_ptr_nonnull(format_check(")", 1));
	ck_assert_ptr_nonnull(format_check("caf\xe9", 4));
}
END_TEST

START_TEST(first_of_an_id_wins)
{
	add("kmem", page_alloc);
	add("kmem", "name: mm_page_free\nID: 653\n" FORMAT_COMMON PFN ORDER);
	ck_assert_int_eq(make(), 0);
	ck_assert_uint_eq(fmts->nr_failed, 1);
	ck_assert_uint_eq(fmts->count, 1);
	ck_assert_str_eq(event_formats_find(fmts, 653)->name, "mm_page_alloc");
}
END_TEST

START_TEST(no_kmem_format_at_all)
{
	ck_assert_int_eq(make(), -ENODATA);
	ck_assert_ptr_null(fmts);
	add("sched", "name: sched_switch\nID: 3\nformat:\n");
	ck_assert_int_eq(make(), -ENODATA);
}
END_TEST

/* Truncates every format at each byte, and damages each byte. */
START_TEST(damaged_texts)
{
	char text[sizeof(page_alloc)];
	size_t i;

	for (i = 0; i < sizeof(text) - 1; i++) {
		setup();
		memcpy(text, page_alloc, sizeof(text));
		text[i] = '\0';
		add("kmem", text);
		(void)!make();
		event_formats_free(fmts);
		setup();
		memcpy(text, page_alloc, sizeof(text));
		text[i] = "()\"',;:{}-+[]\n01?"[i % 17];
		add("kmem", text);
		(void)!make();
		event_formats_free(fmts);
	}
	fmts = NULL;
}
END_TEST

#define ALLOCS (1U << KMEM_PAGE_ALLOC)
#define FREES  (1U << KMEM_PAGE_FREE)

static enum recorded recorded_with(const char *item, uint32_t types)
{
	struct recording_text meta = { (char *)RECORDING_META_EVENTS, (char *)item,
				       item ? strlen(item) : 0 };

	rec.meta = &meta;
	rec.nr_meta = item != NULL;
	return recorded_types(&rec, fmts, types);
}

START_TEST(what_was_recorded)
{
	add("kmem", page_alloc);
	add("kmem", page_free);
	ck_assert_int_eq(make(), 0);
	ck_assert_int_eq(recorded_with(NULL, ALLOCS), RECORDED_UNKNOWN);
	ck_assert_int_eq(recorded_with("", ALLOCS), RECORDED_NO);
	ck_assert_int_eq(recorded_with("kmem:mm_page_alloc", ALLOCS), RECORDED_YES);
	ck_assert_int_eq(recorded_with("kmem:mm_page_alloc", FREES), RECORDED_NO);
	ck_assert_int_eq(recorded_with("kmem:mm_page_alloc", FREES | ALLOCS),
			 RECORDED_YES);
	ck_assert_int_eq(recorded_with("a:b  kmem:mm_page_free\n", FREES), RECORDED_YES);
	ck_assert_int_eq(recorded_with("kmem:mm_page_free_batched mm_page_free", FREES),
			 RECORDED_NO);
	ck_assert_int_eq(recorded_with("xkmem:mm_page_free vm:mm_page_free  ", FREES),
			 RECORDED_NO);
	ck_assert_int_eq(recorded_with("kmem:kmalloc", 1U << KMEM_KMALLOC), RECORDED_NO);
}
END_TEST

Suite *test_formats_suite(void)
{
	Suite *s = suite_create("event/formats");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, fields_and_names);
	tcase_add_test(tc, page_pointer_and_small_longs);
	tcase_add_test(tc, unreadable_print_format);
	tcase_add_test(tc, bad_formats_are_refused);
	tcase_add_test(tc, what_would_recurse_is_refused);
	tcase_add_test(tc, check_knows_quotes);
	tcase_add_test(tc, first_of_an_id_wins);
	tcase_add_test(tc, no_kmem_format_at_all);
	tcase_add_test(tc, damaged_texts);
	tcase_add_test(tc, what_was_recorded);
	suite_add_tcase(s, tc);
	return s;
}
