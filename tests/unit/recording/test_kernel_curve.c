// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: recording/kernel_curve.h: making room for moments, the text of a curve, damaged texts. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "recording/kernel_curve.h"

#define NONE KERNEL_CURVE_NONE

static void add(struct kernel_curve *c, enum kernel_counter from, const char *name,
		uint64_t value)
{
	ck_assert(!kernel_curve_add(c, from, name, strlen(name), value));
}

static uint64_t value_at(const struct kernel_curve *c, enum kernel_counter from,
			 const char *name, unsigned int moment)
{
	const struct kernel_series *series = kernel_curve_find(c, from, name);

	ck_assert_ptr_nonnull(series);
	ck_assert_uint_lt(moment, c->nr);
	return series->at[moment];
}

/* A cache that appears and disappears, one listed twice, and counters that do not change. */
static void fill(struct kernel_curve *c)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		ck_assert(kernel_curve_begin(c, 1000 + i * 50));
		add(c, KERNEL_SLAB, "filp", 70 - i);
		add(c, KERNEL_SLAB, "twice", 1);
		add(c, KERNEL_SLAB, "twice", i);
		add(c, KERNEL_MEMINFO, "filp", 9);
		add(c, KERNEL_VMSTAT, "zero", 0);
		if (i == 2 || i == 3)
			add(c, KERNEL_SLAB, "guest", 5);
	}
}

static const char filled[] = "times +1000+50+50+50+50\n"
			     "s filp +70-1-1-1-1\n"
			     "s twice +1+1+1+1+1\n"
			     "m filp +9=4\n"
			     "v zero =5\n"
			     "s guest .2+5=1.1\n";

START_TEST(text_and_back)
{
	struct kernel_curve c = { 0 }, again = { 0 };
	struct strbuf text = { 0 }, second = { 0 };
	struct kernel_series sum = { { 0 } };

	fill(&c);
	kernel_curve_format(&c, &text);
	ck_assert_str_eq(strbuf_text(&text), filled);
	ck_assert(!kernel_curve_read(&again, filled));
	kernel_curve_format(&again, &second);
	ck_assert_str_eq(strbuf_text(&second), filled);
	ck_assert_uint_eq(again.damaged, 0);
	ck_assert_uint_eq(value_at(&again, KERNEL_SLAB, "twice", 4), 5);
	ck_assert_uint_eq(value_at(&again, KERNEL_SLAB, "guest", 1), NONE);
	ck_assert_uint_eq(value_at(&again, KERNEL_SLAB, "guest", 3), 5);
	ck_assert_uint_eq(value_at(&again, KERNEL_SLAB, "guest", 4), NONE);
	ck_assert_uint_eq(value_at(&again, KERNEL_MEMINFO, "filp", 4), 9);
	ck_assert(kernel_curve_sum(&again, KERNEL_SLAB, "guest", &sum));
	ck_assert(kernel_curve_sum(&again, KERNEL_SLAB, "filp", &sum));
	ck_assert(!kernel_curve_sum(&again, KERNEL_SLAB, "nobody", &sum));
	ck_assert_uint_eq(sum.at[1], 69);
	ck_assert_uint_eq(sum.at[3], 67 + 5);
	ck_assert_ptr_null(kernel_curve_find(&again, KERNEL_BUDDY, "filp"));
	ck_assert_ptr_null(kernel_curve_find(&again, KERNEL_SLAB, ""));
	kernel_curve_free(&c);
	kernel_curve_free(&again);
	strbuf_free(&text);
	strbuf_free(&second);
}
END_TEST

START_TEST(moments_make_room)
{
	struct kernel_curve c = { 0 };
	unsigned int i;

	ck_assert(kernel_curve_begin(&c, 5));
	ck_assert(!kernel_curve_begin(&c, 5));
	ck_assert(!kernel_curve_begin(&c, 4));
	for (i = 1; i < 1000; i++) {
		ck_assert(kernel_curve_begin(&c, 5 + i));
		add(&c, KERNEL_SLAB, "x", 5 + i);
		ck_assert_uint_le(c.nr, KERNEL_CURVE_MOMENTS);
	}
	ck_assert_uint_ge(c.nr, KERNEL_CURVE_MOMENTS / 2);
	ck_assert_uint_eq(c.times[0], 5);
	ck_assert_uint_eq(c.times[c.nr - 1], 1004);
	/* Values stay with their moments. */
	for (i = 1; i < c.nr; i++)
		ck_assert_uint_eq(value_at(&c, KERNEL_SLAB, "x", i), c.times[i]);
	kernel_curve_clip(&c, 400, 900);
	ck_assert_uint_ge(c.times[0], 400);
	ck_assert_uint_le(c.times[c.nr - 1], 900);
	for (i = 0; i < c.nr; i++)
		ck_assert_uint_eq(value_at(&c, KERNEL_SLAB, "x", i), c.times[i]);
	kernel_curve_clip(&c, 2000, 3000);
	ck_assert_uint_eq(c.nr, 0);
	kernel_curve_free(&c);
}
END_TEST

/* No times, too many, or not ascending ones: no curve. */
START_TEST(bad_times)
{
	static const char *const texts[] = {
		"",
		"\n",
		"time +1\n",
		"times \n",
		"times =1=1\n",
		"times +1=1\n",
		"times +5-1\n",
		"times +5.1\n",
		"times +5 +6\n",
		("times +1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1"
		 "+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1\n"),
		"times +9223372036854775808\n",
		"times +99999999999999999999999\n",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct kernel_curve c = { 0 };

		ck_assert_msg(kernel_curve_read(&c, texts[i]) == -EBADMSG, "'%s'",
			      texts[i]);
		kernel_curve_free(&c);
	}
}
END_TEST

/* A part made by a version that did not know curves has the whole recording's curve. */
START_TEST(curve_of_a_part)
{
	char curve[] = RECORDING_META_CURVE, part[] = RECORDING_META_PART;
	char text[] = "times +10+10+10\ns x +1+1+1\n", times[] = "15,99";
	struct recording_text meta[] = { { curve, text, sizeof(text) - 1 },
					 { part, times, sizeof(times) - 1 } };
	const struct recording rec = { .meta = meta, .nr_meta = 2 };
	const struct recording none = { 0 };
	struct kernel_curve c = { 0 };

	ck_assert(!kernel_curve_of(&c, &rec));
	ck_assert_uint_eq(c.nr, 2);
	ck_assert_uint_eq(value_at(&c, KERNEL_SLAB, "x", 0), 2);
	kernel_curve_free(&c);
	memcpy(times, "31", 2);
	ck_assert_int_eq(kernel_curve_of(&c, &rec), -ENOENT);
	kernel_curve_free(&c);
	ck_assert_int_eq(kernel_curve_of(&c, &none), -ENOENT);
	kernel_curve_free(&c);
}
END_TEST

/* Damaged lines are counted; the others are read. The last line may lack its line break. */
START_TEST(bad_lines)
{
	static const char text[] = "times +1+1+1\n"
				   "s short +1+1\n"
				   "s long +1+1+1+1\n"
				   "s run +1=99999999999\n"
				   "s below +1-2+1\n"
				   "s large +281474976710657=2\n"
				   "s good +1+2=1\n"
				   "s good +7=2\n"
				   "x good +1=2\n"
				   "s  +1=2\n"
				   "s bare\n"
				   "\n"
				   "s\n"
				   "s mark *3\n"
				   "s digits +\n"
				   "b pages +281474976710656=2";
	struct kernel_curve c = { 0 };

	ck_assert(!kernel_curve_read(&c, text));
	ck_assert_uint_eq(c.damaged, 13);
	ck_assert_uint_eq(c.series.nr, 2);
	ck_assert_uint_eq(value_at(&c, KERNEL_SLAB, "good", 2), 3);
	ck_assert_uint_eq(value_at(&c, KERNEL_BUDDY, "pages", 0), KERNEL_CURVE_MAX);
	kernel_curve_free(&c);
}
END_TEST

/* A text of a million counters takes no more memory than KERNEL_CURVE_SERIES of them. */
START_TEST(many_counters)
{
	struct kernel_curve c = { 0 };
	struct strbuf text = { 0 };
	unsigned int i;

	strbuf_puts(&text, "times +1\n");
	for (i = 0; i < 100000; i++)
		strbuf_printf(&text, "s c%u +1\n", i);
	ck_assert(!kernel_curve_read(&c, strbuf_text(&text)));
	ck_assert_uint_eq(c.series.nr, KERNEL_CURVE_SERIES);
	ck_assert_uint_eq(c.damaged, 100000 - KERNEL_CURVE_SERIES);
	strbuf_free(&text);
	kernel_curve_free(&c);
}
END_TEST

Suite *test_kernel_curve_suite(void)
{
	Suite *s = suite_create("recording/kernel_curve");
	TCase *tc = tcase_create("kernel_curve");

	tcase_add_test(tc, text_and_back);
	tcase_add_test(tc, moments_make_room);
	tcase_add_test(tc, bad_times);
	tcase_add_test(tc, bad_lines);
	tcase_add_test(tc, curve_of_a_part);
	tcase_add_test(tc, many_counters);
	suite_add_tcase(s, tc);
	return s;
}
