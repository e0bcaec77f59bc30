// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: analysis/browse/moments.h: ends of tasks, OOM kills and marks for a page. */
#include <check.h>
#include <string.h>

#include "analysis/browse/report_rows.h"
#include "base/compiler.h"
#include "format_text.h"

#define PRINT "\nprint fmt: \"\"\n"

enum { ID_ALLOC = 1, ID_VICTIM = 2, ID_PRINT = 5, ID_MARK_OF_OTHERS = 6 };

static const char *const systems[] = { "kmem", "oom", "other", "ftrace" };
static const char *const formats[] = {
	"name: mm_page_alloc\nID: 1\n" FORMAT_COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long gfp_flags;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int migratetype;\toffset:32;\tsize:4;\tsigned:1;\n" PRINT,
	"name: mark_victim\nID: 2\n" FORMAT_COMMON
	"\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n" PRINT,
	"name: print\nID: 6\n" FORMAT_COMMON
	"\tfield:char buf[];\toffset:8;\tsize:0;\tsigned:0;\n" PRINT,
	"name: print\nID: 5\n" FORMAT_COMMON
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n" PRINT,
};

struct fixture {
	struct recording_text texts[4];
	struct recording rec;
	struct event_formats *fmts;
	struct moments moments;
	uint64_t ts;
};

static void set_up(struct fixture *f, bool big_endian)
{
	struct analysis_env env = { .rec = &f->rec };
	size_t i;

	*f = (struct fixture){ .rec = { .big_endian = big_endian,
					.page_size = 4096,
					.cmdlines = (char *)"7 make\n8 cc1\n" } };
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		f->texts[i] =
			(struct recording_text){ (char *)systems[i], (char *)formats[i],
						 strlen(formats[i]) };
	f->rec.layout.long_size = 8;
	f->rec.event_formats = f->texts;
	f->rec.nr_event_formats = 3;
	f->rec.ftrace_formats = f->texts + 3;
	f->rec.nr_ftrace_formats = 1;
	ck_assert_int_eq(event_formats_new(&f->fmts, &f->rec, NULL), 0);
	env.fmts = f->fmts;
	ck_assert_int_eq(moments_init(&f->moments, &env), 0);
}

static void take(struct fixture *f, uint8_t type, uint16_t id, int32_t pid,
		 const void *data, uint32_t size)
{
	const struct kmem_event ev = { .ts = ++f->ts,
				       .type = type,
				       .id = id,
				       .pid = pid,
				       .data = data,
				       .size = size };

	moments_events(&f->moments, &ev, 1);
}

static void tear_down(struct fixture *f)
{
	ck_assert(!f->moments.failed);
	moments_free(&f->moments);
	event_formats_free(f->fmts);
}

static void check_event(const struct web_report *w, size_t i, uint64_t ts, uint8_t kind,
			const char *text)
{
	ck_assert_uint_lt(i, w->nr_events);
	ck_assert_uint_eq(w->events[i].ts, ts);
	ck_assert_uint_eq(w->events[i].kind, kind);
	ck_assert_str_eq(intern_get(&w->names, w->events[i].name, NULL), text);
}

static void all_kinds(bool big_endian)
{
	uint8_t victim[12] = { 0 }, mark[24] = { 0 };
	struct web_report w = { 0 };
	struct fixture f;

	set_up(&f, big_endian);
	victim[big_endian ? 11 : 8] = 8;
	memcpy(mark + 16, "ab c \n\0x", 8);
	take(&f, KMEM_TASK_EXIT, 3, 7, victim, 8);
	take(&f, KMEM_PAGE_ALLOC, ID_ALLOC, 7, victim, 12);
	take(&f, KMEM_OTHER, ID_VICTIM, 7, victim, sizeof(victim));
	take(&f, KMEM_OTHER, ID_PRINT, 7, mark, sizeof(mark));
	/* Text up to the end of the record; none; shorter records; a print of another system. */
	memcpy(mark + 16, "whole", 5);
	take(&f, KMEM_OTHER, ID_PRINT, 7, mark, 21);
	take(&f, KMEM_OTHER, ID_PRINT, 7, mark, 16);
	take(&f, KMEM_OTHER, ID_PRINT, 7, mark, 8);
	take(&f, KMEM_OTHER, ID_VICTIM, 7, victim, 11);
	take(&f, KMEM_OTHER, ID_MARK_OF_OTHERS, 7, mark, sizeof(mark));
	take(&f, KMEM_TASK_EXIT, 3, 9, victim, 8);
	ck_assert_int_eq(report_moments_fill(&w, &f.moments, f.rec.cmdlines), 0);
	ck_assert_uint_eq(w.nr_events, 7);
	check_event(&w, 0, 1, 0, "make (7)");
	check_event(&w, 1, 3, 1, "cc1 (8)");
	check_event(&w, 2, 4, 2, "ab c");
	check_event(&w, 3, 5, 2, "whole");
	check_event(&w, 4, 6, 2, "");
	check_event(&w, 5, 7, 2, "");
	check_event(&w, 6, 10, 0, "<...> (9)");
	web_report_free(&w);
	tear_down(&f);
}

START_TEST(little_endian)
{
	all_kinds(false);
}
END_TEST

START_TEST(big_endian)
{
	all_kinds(true);
}
END_TEST

/* Many ends of tasks do not hide a mark, and those that are left out are counted. */
START_TEST(too_many)
{
	static const uint8_t mark[24] = { [16] = 'm' };
	struct web_report w = { 0 };
	struct fixture f;
	unsigned int i;

	set_up(&f, false);
	for (i = 0; i < MOMENTS_MAX + 5; i++)
		take(&f, KMEM_TASK_EXIT, 3, 7, mark, 8);
	take(&f, KMEM_OTHER, ID_PRINT, 7, mark, sizeof(mark));
	ck_assert_int_eq(report_moments_fill(&w, &f.moments, NULL), 0);
	ck_assert_uint_eq(w.nr_events, MOMENTS_MAX + 1);
	check_event(&w, MOMENTS_MAX, MOMENTS_MAX + 6, 2, "m");
	ck_assert_uint_eq(w.left_out[0], 5);
	ck_assert_uint_eq(w.left_out[1] + w.left_out[2], 0);
	web_report_free(&w);
	tear_down(&f);
}
END_TEST

Suite *test_moments_suite(void);

Suite *test_moments_suite(void)
{
	Suite *s = suite_create("moments");
	TCase *tc = tcase_create("moments");

	tcase_add_test(tc, little_endian);
	tcase_add_test(tc, big_endian);
	tcase_add_test(tc, too_many);
	suite_add_tcase(s, tc);
	return s;
}
