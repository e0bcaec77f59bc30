// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: query/ndjson.h: lines as kmemx export writes them, and other lines.
 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "query/ndjson.h"

Suite *test_ndjson_suite(void);

#define NEEDED \
	"\"recording_id\":\"1\",\"allocator\":\"slab\",\"callsite\":\"f\",\"stack\":\"f\""

static unsigned int field(const char *name)
{
	unsigned int i;

	for (i = 0; i < EXPORT_FIELDS; i++) {
		if (!strcmp(export_fields[i].name, name))
			return i;
	}
	ck_abort_msg("no field %s", name);
}

static int read_text(struct ndjson_line *line, const char *text)
{
	/* A copy of exactly this size, so that a sanitizer sees reads beyond its end. */
	size_t size = strlen(text);
	char *copy = malloc(size ? size : 1);
	int ret;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, text, size);
	ret = ndjson_line_read(line, copy, size);
	/* Texts without escapes point into the line, so only texts with escapes stay valid. */
	free(copy);
	return ret;
}

static void expect_text(const char *json, const char *wanted, size_t size)
{
	struct ndjson_line line = { 0 };
	struct strbuf text = { 0 };
	const struct export_value *v = &line.row.of[field("comm")];

	strbuf_printf(&text, "{\"comm\":\"%s\"," NEEDED "}", json);
	ck_assert_int_eq(ndjson_line_read(&line, text.data, text.size), 0);
	ck_assert(v->known);
	ck_assert_uint_eq(v->size, size);
	ck_assert_mem_eq(v->text, wanted, size);
	ndjson_line_free(&line);
	strbuf_free(&text);
}

START_TEST(texts)
{
	expect_text("bash", "bash", 4);
	expect_text("", "", 0);
	expect_text("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8);
	expect_text("\\u0041\\u00e9\\u20AC\\ud83d\\ude00",
		    "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10);
	/* Half surrogate pairs, and NUL. */
	expect_text("\\ud83d", "\xef\xbf\xbd", 3);
	expect_text("\\ude00x", "\xef\xbf\xbdx", 4);
	expect_text("\\ud83d\\u0041",
		    "\xef\xbf\xbd"
		    "A",
		    4);
	expect_text("\\u0000", "\xef\xbf\xbd", 3);
	expect_text("\x1b[31m\xff", "\x1b[31m\xff", 6);
}
END_TEST

static void expect_number(const char *json, uint64_t wanted)
{
	struct ndjson_line line = { 0 };
	struct strbuf text = { 0 };
	const struct export_value *v = &line.row.of[field("hit")];

	strbuf_printf(&text, "{" NEEDED ",\"hit\":%s}", json);
	ck_assert_int_eq(ndjson_line_read(&line, text.data, text.size), 0);
	ck_assert(v->known);
	ck_assert_uint_eq(v->number, wanted);
	ndjson_line_free(&line);
	strbuf_free(&text);
}

START_TEST(numbers)
{
	expect_number("0", 0);
	expect_number(" 12 ", 12);
	expect_number("\"12\"", 12);
	expect_number("18446744073709551615", UINT64_MAX);
}
END_TEST

START_TEST(any_order)
{
	struct ndjson_line line = { 0 };
	unsigned int i, nr_known = 0;

	ck_assert_int_eq(
		read_text(
			&line,
			" { \"stack\" : \"a;b\" , \"dt\":{\"a\":[1,{\"}\":\"]\\\"\"}],\"b\":1.5e3},"
			"\"callsite\":\"a\",\"x\":true,\"allocator\":\"page\",\"host\":null,"
			"\"hit\":1,\"hit\":2,\"recording_id\":\"7\"} "),
		0);
	for (i = 0; i < EXPORT_FIELDS; i++)
		nr_known += line.row.of[i].known;
	ck_assert_uint_eq(nr_known, 5);
	ck_assert_uint_eq(line.row.of[field("hit")].number, 2);
	ndjson_line_free(&line);
}
END_TEST

static const struct {
	const char *text;
	size_t at;
} bad[] = {
	{ "", 0 },
	{ "[]", 0 },
	{ "{", 1 },
	{ "{}", 0 },
	{ "{" NEEDED, sizeof(NEEDED) },
	{ "{" NEEDED ",}", sizeof(NEEDED) + 1 },
	{ "{" NEEDED "} {", sizeof(NEEDED) + 2 },
	{ "{\"a\"", 4 },
	{ "{\"a\":", 5 },
	{ "{\"a\":1", 6 },
	{ "{\"hit\":", 7 },
	{ "{\"hit\":}", 7 },
	{ "{\"hit\":-1}", 9 },
	{ "{\"hit\":1e3}", 10 },
	{ "{\"hit\":\"\"}", 9 },
	{ "{\"hit\":\"1", 8 },
	{ "{\"hit\":18446744073709551616}", 27 },
	{ "{\"hit\":nul}", 10 },
	{ "{\"comm\":1}", 8 },
	{ "{\"comm\":\"\\", 9 },
	{ "{\"comm\":\"\\\"", 9 },
	{ "{\"comm\":\"\\u123\"}", 15 },
	{ "{\"comm\":\"\\u12g4\"}", 16 },
	{ "{\"comm\":\"\\a\"}", 12 },
	{ "{\"\\z\":1}", 5 },
};

START_TEST(mistakes)
{
	struct ndjson_line line = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ck_assert_msg(read_text(&line, bad[i].text) == -EINVAL, "%s",
			      bad[i].text);
		ck_assert_ptr_nonnull(line.wrong);
		ck_assert_msg(line.at == bad[i].at, "%s: at %zu: %s", bad[i].text,
			      line.at, line.wrong);
	}
	ck_assert_int_eq(ndjson_line_read(&line, "{\"comm\":\"a\0b\"}", 14), -EINVAL);
	ck_assert_int_eq(ndjson_line_read(&line, "{\"comm\":\"\\n\0b\"}", 15), -EINVAL);
	ck_assert_str_eq(line.wrong, "the string has a NUL byte");
	ndjson_line_free(&line);
}
END_TEST

START_TEST(depth)
{
	struct ndjson_line line = { 0 };
	struct strbuf text = { 0 };

	strbuf_puts(&text, "{" NEEDED ",\"x\":");
	strbuf_fill(&text, '[', NDJSON_DEPTH_MAX);
	strbuf_fill(&text, ']', NDJSON_DEPTH_MAX);
	strbuf_puts(&text, "}");
	ck_assert_int_eq(read_text(&line, strbuf_text(&text)), 0);
	strbuf_reset(&text);
	strbuf_puts(&text, "{" NEEDED ",\"x\":");
	strbuf_fill(&text, '{', NDJSON_DEPTH_MAX + 1);
	ck_assert_int_eq(read_text(&line, strbuf_text(&text)), -EINVAL);
	ndjson_line_free(&line);
	strbuf_free(&text);
}
END_TEST

/* Notes the callsites of a file's rows, in order. */
static int note(void *ctx, const struct query_row *row)
{
	const struct export_value *v = &row->of[FIELD_CALLSITE];

	strbuf_add(ctx, v->text, v->size);
	strbuf_puts(ctx, ",");
	return v->size == 4 && !memcmp(v->text, "stop", 4) ? -ECANCELED : 0;
}

static int read_file(const struct strbuf *content, struct strbuf *seen, uint64_t *line)
{
	struct ndjson_file file = { .fd = memfd_create("rows", 0),
				    .row = note,
				    .ctx = seen };
	int ret;

	ck_assert_int_ge(file.fd, 0);
	ck_assert_int_eq(write(file.fd, strbuf_text(content), content->size),
			 (ssize_t)content->size);
	lseek(file.fd, 0, SEEK_SET);
	strbuf_reset(seen);
	ret = ndjson_file_read(&file);
	*line = file.number;
	ndjson_line_free(&file.line);
	close(file.fd);
	return ret;
}

#define ROW(callsite)                                                             \
	"{\"recording_id\":\"1\",\"allocator\":\"slab\",\"callsite\":\"" callsite \
	"\",\"stack\":\"f\""

START_TEST(files)
{
	struct strbuf content = { 0 }, seen = { 0 };
	uint64_t line;

	ck_assert_int_eq(read_file(&content, &seen, &line), 0);
	ck_assert_str_eq(strbuf_text(&seen), "");
	/* The last line may lack its line break. */
	strbuf_puts(&content, "\n" ROW("a") "}\r\n \t\n" ROW("b") "}");
	ck_assert_int_eq(read_file(&content, &seen, &line), 0);
	ck_assert_str_eq(strbuf_text(&seen), "a,b,");
	strbuf_puts(&content, "\n{}\n" ROW("c") "}\n");
	ck_assert_int_eq(read_file(&content, &seen, &line), -EINVAL);
	ck_assert_str_eq(strbuf_text(&seen), "a,b,");
	ck_assert_uint_eq(line, 5);
	strbuf_reset(&content);
	strbuf_puts(&content, ROW("stop") "}\n" ROW("c") "}\n");
	ck_assert_int_eq(read_file(&content, &seen, &line), -ECANCELED);
	ck_assert_str_eq(strbuf_text(&seen), "stop,");
	strbuf_free(&content);
	strbuf_free(&seen);
}
END_TEST

/* Lines up to the longest allowed, across read blocks; and one that is too long. */
START_TEST(long_lines)
{
	struct strbuf content = { 0 }, seen = { 0 };
	const size_t rest = strlen(ROW("a") ",\"x\":\"\"}");
	uint64_t line;
	int i;

	for (i = 0; i < 5; i++) {
		strbuf_puts(&content, ROW("a") ",\"x\":\"");
		strbuf_fill(&content, 'x', NDJSON_LINE_MAX - rest);
		strbuf_puts(&content, "\"}\n");
	}
	ck_assert_int_eq(read_file(&content, &seen, &line), 0);
	ck_assert_str_eq(strbuf_text(&seen), "a,a,a,a,a,");
	strbuf_puts(&content, ROW("b") ",\"x\":\"");
	strbuf_fill(&content, 'x', NDJSON_LINE_MAX - rest + 1);
	strbuf_puts(&content, "\"}");
	ck_assert_int_eq(read_file(&content, &seen, &line), -EINVAL);
	ck_assert_uint_eq(line, 6);
	/* A line without an end is not read to the end of the file. */
	strbuf_fill(&content, 'x', 4 * NDJSON_LINE_MAX);
	ck_assert_int_eq(read_file(&content, &seen, &line), -EINVAL);
	ck_assert_uint_eq(line, 6);
	strbuf_free(&content);
	strbuf_free(&seen);
}
END_TEST

/* Adds a line with the recording's columns first, as kmemx writes them. @escaped: the labels in
 * JSON.
 */
static void put_line(struct strbuf *line, const char *escaped, uint64_t start,
		     const char *rest)
{
	strbuf_reset(line);
	strbuf_puts(line, "{");
	for (unsigned int i = 0; i < EXPORT_FIELDS_SAME; i++) {
		strbuf_printf(line, "\"%s\":", export_fields[i].name);
		if (export_fields[i].number)
			strbuf_printf(line, "%llu,", (unsigned long long)start + i);
		else if (i == FIELD_LABELS)
			strbuf_printf(line, "\"%s\",", escaped);
		else
			strbuf_printf(line, i % 5 ? "\"%u\"," : "null,", i);
	}
	strbuf_puts(line, "\"recording_id\":\"1\",\"stack\":\"f\"");
	strbuf_puts(line, rest);
}

static void expect_same(const struct query_row *a, const struct query_row *b)
{
	for (unsigned int i = 0; i < EXPORT_FIELDS; i++) {
		ck_assert_int_eq(a->of[i].known, b->of[i].known);
		ck_assert_uint_eq(a->of[i].number, b->of[i].number);
		ck_assert_uint_eq(a->of[i].size, b->of[i].size);
		ck_assert(!a->of[i].size ||
			  !memcmp(a->of[i].text, b->of[i].text, a->of[i].size));
	}
}

/* How a line is read does not depend on earlier lines, even with the same beginning. */
START_TEST(beginnings)
{
	static const char *const escapes[] = { "{\\\"a\\\":1}", "{\\\"a\\\":2}", "" };
	static const char *const rests[] = {
		",\"allocator\":\"slab\",\"callsite\":\"\\u0061\"}",
		",\"allocator\":\"page\",\"callsite\":\"b\",\"hit\":1,\"host\":\"\\n\"}",
		",\"allocator\":\"page\",\"callsite\":\"b\",\"labels\":null}",
		",\"allocator\":\"page\"}",
		"}",
		"",
	};
	struct ndjson_line all = { 0 };
	struct strbuf line = { 0 };

	for (unsigned int i = 0; i < 400; i++) {
		struct ndjson_line one = { 0 };
		int ret;

		put_line(&line, escapes[i / 7 % 3], i / 50, rests[i / 2 % 6]);
		ret = ndjson_line_read(&one, strbuf_text(&line), line.size);
		ck_assert_int_eq(ndjson_line_read(&all, strbuf_text(&line), line.size),
				 ret);
		if (ret) {
			ck_assert_str_eq(all.wrong, one.wrong);
			ck_assert_uint_eq(all.at, one.at);
		} else {
			expect_same(&all.row, &one.row);
		}
		ndjson_line_free(&one);
	}
	ndjson_line_free(&all);
	strbuf_free(&line);
}
END_TEST

Suite *test_ndjson_suite(void)
{
	Suite *s = suite_create("query/ndjson");
	TCase *tc = tcase_create("core");

	tcase_add_test(tc, texts);
	tcase_add_test(tc, numbers);
	tcase_add_test(tc, any_order);
	tcase_add_test(tc, mistakes);
	tcase_add_test(tc, depth);
	tcase_add_test(tc, beginnings);
	tcase_add_test(tc, files);
	tcase_add_test(tc, long_lines);
	suite_add_tcase(s, tc);
	return s;
}
