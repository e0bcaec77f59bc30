// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: recording/sample.h, and capture/events/events.h: the filter agrees with the rule.
 * In: addresses and frame numbers made here. Out: checks.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "capture/events/events.h"
#include "recording/sample.h"

Suite *test_sample_suite(void);

/* --- the part of the kernel's filter language that kmemx uses ------------------------------- */

struct field {
	const char *name;
	uint64_t value;
};

struct filter {
	const char *at;
	const struct field *fields; /* the last one has no name */
};

static bool any_of(struct filter *f);

/* Uses few assertions: even a successful one costs a write(), and there are millions of words. */
static void skip(struct filter *f, const char *word)
{
	f->at += strspn(f->at, " ");
	if (strncmp(f->at, word, strlen(word)))
		ck_abort_msg("no '%s' at: %.40s", word, f->at);
	f->at += strlen(word);
}

static bool comes(struct filter *f, const char *word)
{
	f->at += strspn(f->at, " ");
	return !strncmp(f->at, word, strlen(word));
}

static bool test_of(struct filter *f)
{
	const struct field *field = f->fields;
	size_t len = strcspn(f->at, " ");
	uint64_t number;
	char op[3] = { 0 };
	char *end;

	while (field->name && (strncmp(field->name, f->at, len) || field->name[len]))
		field++;
	if (!field->name)
		ck_abort_msg("no such field: %.20s", f->at);
	f->at += len;
	f->at += strspn(f->at, " ");
	memcpy(op, f->at, strcspn(f->at, " ") == 1 ? 1 : 2);
	f->at += strlen(op);
	number = strtoull(f->at, &end, 0);
	f->at = end;
	if (!strcmp(op, "&"))
		return field->value & number;
	if (!strcmp(op, "=="))
		return field->value == number;
	if (!strcmp(op, "!="))
		return field->value != number;
	if (strcmp(op, ">="))
		ck_abort_msg("no such test: %s", op);
	return field->value >= number;
}

static bool one_of(struct filter *f)
{
	bool not = comes(f, "!"), ret;

	if (not )
		skip(f, "!");
	if (!not &&!comes(f, "("))
		return test_of(f);
	skip(f, "(");
	ret = any_of(f);
	skip(f, ")");
	return ret != not ;
}

static bool all_of(struct filter *f)
{
	bool ret = one_of(f);

	while (comes(f, "&&")) {
		skip(f, "&&");
		ret &= one_of(f);
	}
	return ret;
}

static bool any_of(struct filter *f)
{
	bool ret = all_of(f);

	while (comes(f, "||")) {
		skip(f, "||");
		ret |= all_of(f);
	}
	return ret;
}

static bool passes(const struct strbuf *text, const struct field *fields)
{
	struct filter f = { strbuf_text(text), fields };
	bool ret = any_of(&f);

	ck_assert_str_eq(f.at, "");
	return ret;
}

/* --- filters ------------------------------------------------------------------------------- */

static const uint32_t ones[] = { 2, 4, 16, 256 };

#define PAGE 4096U

START_TEST(filter_keeps_what_the_rule_keeps)
{
	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t ptr = 0xffff888000000000 | (hash_u64(i) & 0x7ffffffff8);
		uint64_t pfn = hash_u64(i + 7) & 0xffffff;
		uint64_t order = i % 12;
		const struct field fields[] = {
			{ "ptr", i & 1 ? ptr : ptr & ~UINT64_C(0xfff) },
			{ "pfn", pfn >> order << order },
			{ "order", order },
			{ 0 },
		};
		struct strbuf object = { 0 }, freed = { 0 }, block = { 0 };
		struct sample s;

		sample_init(&s, ones[_i], i, PAGE);
		sample_filter_object(&s, false, &object);
		sample_filter_object(&s, true, &freed);
		sample_filter_block(&s, true, 8, &block);
		/* Leaves room for other conditions: the kernel accepts one page of text. */
		ck_assert_uint_lt(object.size, 2500);
		ck_assert_int_eq(passes(&object, fields),
				 sample_object(&s, fields[0].value) != SAMPLE_OUT);
		ck_assert_int_eq(passes(&freed, fields), passes(&object, fields));
		ck_assert_int_eq(passes(&block, fields),
				 sample_block(&s, fields[1].value, (uint32_t)order) !=
					 SAMPLE_OUT);
		strbuf_free(&object);
		strbuf_free(&freed);
		strbuf_free(&block);
	}
}
END_TEST

START_TEST(failures_are_kept_and_frees_of_null_are_not)
{
	const struct field null[] = { { "ptr", 0 }, { 0 } };
	const struct field failed64[] = { { "pfn", UINT64_MAX }, { "order", 0 }, { 0 } };
	const struct field failed32[] = { { "pfn", UINT32_MAX }, { "order", 0 }, { 0 } };
	struct strbuf object = { 0 }, freed = { 0 }, block64 = { 0 }, block32 = { 0 };
	struct sample s;

	sample_init(&s, 16, 3, PAGE);
	sample_filter_object(&s, false, &object);
	sample_filter_object(&s, true, &freed);
	sample_filter_block(&s, true, 8, &block64);
	sample_filter_block(&s, false, 4, &block32);
	ck_assert(passes(&object, null));
	ck_assert(!passes(&freed, null));
	ck_assert(passes(&block64, failed64));
	ck_assert(passes(&block32, failed32));
	ck_assert_uint_eq(sample_object(&s, 0), SAMPLE_CERTAIN);
	ck_assert_uint_eq(sample_block(&s, UINT64_MAX, 0), SAMPLE_CERTAIN);
	strbuf_free(&object);
	strbuf_free(&freed);
	strbuf_free(&block64);
	strbuf_free(&block32);
}
END_TEST

/* --- the rule ------------------------------------------------------------------------------ */

/* Every sample contains the same share of the possible places of objects of a size, or of blocks of
 * an order, whatever their alignment. From 64 KiB on, all are recorded.
 */
START_TEST(no_alignment_is_favoured)
{
	const uint64_t memory = UINT64_C(1) << 32;
	uint64_t size = UINT64_C(32) << _i;
	uint64_t parts[16] = { 0 }, blocks[16] = { 0 };
	struct sample s;

	sample_init(&s, 16, 0, PAGE);
	for (uint64_t at = 0; at < memory; at += size < PAGE ? PAGE : size) {
		uint64_t ptr = 0xffff888000000000 + at + (size < PAGE ? size : 0);

		if (sample_object(&s, ptr) != SAMPLE_CERTAIN)
			parts[sample_part(&s, ptr >> s.object_shift)]++;
		blocks[sample_part(&s, at / PAGE >> s.block_shift)]++;
	}
	for (unsigned int p = 1; p < 16; p++) {
		ck_assert_uint_eq(parts[p], parts[0]);
		if (size <= 32768)
			ck_assert_uint_eq(blocks[p], blocks[0]);
	}
	ck_assert_int_eq(parts[0] > 0, size <= 32768);
}
END_TEST

/* A slab of up to eight pages lies in one unit, the same as its block of pages. */
START_TEST(whole_slabs_are_in_one_unit)
{
	struct sample s;

	sample_init(&s, 16, 5, PAGE);
	for (uint64_t base = 0x100008000; base < 0x110000000; base += 0x318000) {
		uint64_t unit = sample_object(&s, base + 64);
		uint64_t block = sample_block(&s, base / PAGE, 0);

		for (uint64_t at = 64; at < 8 * PAGE; at += 192)
			ck_assert_uint_eq(sample_object(&s, base + at), unit);
		for (uint64_t page = 0; page < 8; page++)
			ck_assert_uint_eq(sample_block(&s, base / PAGE + page, 0), block);
		ck_assert_uint_eq(block, unit);
	}
}
END_TEST

START_TEST(rule_as_text)
{
	static const char *const bad[] = {
		"",
		"16",
		"1/16",
		"1/3 phase=0 object=15 block=3 certain=16,4",
		"1/0 phase=0 object=15 block=3 certain=16,4",
		"1/512 phase=0 object=15 block=3 certain=16,4",
		"1/16 phase=16 object=15 block=3 certain=16,4",
		"1/16 phase=-1 object=15 block=3 certain=16,4",
		"1/16 phase=1 object=64 block=3 certain=16,4",
		"1/16 phase=1 object=15 block=64 certain=16,4",
		"1/16 phase=1 object=15 block=3 certain=64,4",
		"1/16 phase=1 object=15 block=3 certain=16,64",
		"1/16 phase=1 object=15 block=3 certain=16",
		"1/16 phase=1 object=15 block=3 certain=16,4 more",
		"1/99999999999999999999 phase=1 object=15 block=3 certain=16,4",
	};
	struct sample s, read;
	struct strbuf text = { 0 };

	sample_init(&s, 64, 1000, 65536);
	sample_format(&s, &text);
	ck_assert_str_eq(strbuf_text(&text),
			 "1/64 phase=40 object=19 block=3 certain=20,4");
	ck_assert_int_eq(sample_parse(&read, strbuf_text(&text)), 0);
	ck_assert_mem_eq(&read, &s, sizeof(s));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(sample_parse(&read, bad[i]) == -EINVAL, "%s", bad[i]);
	strbuf_free(&text);
}
END_TEST

Suite *test_sample_suite(void)
{
	Suite *s = suite_create("sample");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, filter_keeps_what_the_rule_keeps, 0,
			    (int)ARRAY_SIZE(ones));
	tcase_add_test(tc, failures_are_kept_and_frees_of_null_are_not);
	tcase_add_loop_test(tc, no_alignment_is_favoured, 0, 16);
	tcase_add_test(tc, whole_slabs_are_in_one_unit);
	tcase_add_test(tc, rule_as_text);
	suite_add_tcase(s, tc);
	return s;
}
