// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the exporters, export/export.h: hostile names, omitted rows, unknown values.
 */
#include <check.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "export/export.h"
#include "export/wire.h"

/* Characters that have a meaning in some format: separators, quotes, line breaks, escapes, invalid
 * UTF-8.
 */
#define EVIL	  "a\"b\\c\nd {} 7\x1b[31m\xff"
#define EVIL_TEXT "a\"b\\c\\x0ad {} 7\\x1b[31m\\xff"

static int collect(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

static int refuse(void *ctx, const char *data, size_t size)
{
	return -ENOSPC;
}

static const struct exporter *find(const char *name)
{
	const struct exporter *e;
	size_t i;

	for (i = 0; (e = exporter_at(i)); i++) {
		if (!strcmp(e->name, name))
			return e;
	}
	ck_abort_msg("no exporter %s", name);
}

static void add_row(struct table *t, const char *stack, uint64_t bytes, bool live)
{
	struct cell *row = table_add_row(t);

	row[0] = cell_text(t, stack);
	row[1] = cell_uint(bytes);
	row[2] = cell_uint(1);
	if (live)
		row[3] = cell_uint(bytes / 2);
	row[4] = cell_text(t, EVIL);
}

static struct report *report_of(const char *first, bool live)
{
	static const struct column columns[] = {
		{ .name = "stack" },	  { .name = "bytes" }, { .name = "hit" },
		{ .name = "bytes_live" }, { .name = "comm" },
	};
	struct report *r = report_new();
	struct table *t = table_new("export", "Slab objects");

	table_add_columns(t, columns, ARRAY_SIZE(columns));
	add_row(t, first, 1000, live);
	add_row(t, "leaf [mod];root", 700, live);
	add_row(t, "other;root", 600, live);
	report_add_table(r, t);
	report_add_banner(r, true, "LOST 3 events\n");
	report_add_fact(r, "lost", cell_uint(3));
	report_add_fact(r, "host", (struct cell){ .type = CELL_TEXT, .s = "=1+1" });
	ck_assert(report_ok(r));
	return r;
}

static struct report *make_report(bool live)
{
	return report_of("leaf [mod];" EVIL ";root", live);
}

static int export_to(const char *name, const struct export_options *opts, bool live,
		     struct strbuf *got)
{
	const struct render_out out = { collect, got };
	struct report *r = make_report(live);
	int ret = export_report(find(name), opts, r, &out);

	report_free(r);
	return ret;
}

static void expect(const char *name, const struct export_options *opts, bool live,
		   const char *want)
{
	struct strbuf got = { 0 };

	ck_assert_int_eq(export_to(name, opts, live, &got), 0);
	ck_assert_str_eq(strbuf_text(&got), want);
	strbuf_free(&got);
}

START_TEST(test_folded)
{
	struct export_options opts = { 0 };

	expect("folded", &opts, true,
	       "slab;root;" EVIL_TEXT ";leaf [mod] 1000\n"
	       "slab;root;leaf [mod] 700\nslab;root;other 600\n");
	opts.rows = 1;
	expect("folded", &opts, true,
	       "slab;root;" EVIL_TEXT ";leaf [mod] 1000\nslab;[other] 1300\n");
	/* 2300 bytes are 2 KiB and a remainder: the first 1000 bytes carry over to the next line.
	 */
	opts = (struct export_options){ .weight = &export_weights[1] };
	ck_assert_str_eq(opts.weight->name, "kib");
	expect("folded", &opts, true, "slab;root;leaf [mod] 1\nslab;root;other 1\n");
}
END_TEST

START_TEST(test_ndjson)
{
	const struct export_options opts = { .rows = 1 };
	struct strbuf got = { 0 };

	ck_assert_int_eq(export_to("ndjson", &opts, false, &got), 0);
	ck_assert_ptr_nonnull(strstr(
		strbuf_text(&got),
		"\"callsite\":\"leaf [mod]\",\"module\":\"mod\",\"stack\":\"leaf [mod];a\\\"b\\\\c\\\\x0ad"
		" {} 7\\\\x1b[31m\\\\xff;root\""));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&got), "\"lost\":3,"));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&got), "\"labels\":\"{}\","));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&got),
				     "\"hit\":1,\"bytes\":1000,\"live\":null,"
				     "\"bytes_live\":null,\"bytes_peak\":null,"
				     "\"bytes_req\":null,\"net_min\":null,"
				     "\"net_max\":null,\"net_estimate\":null,"
				     "\"bytes_charged\":null}\n"));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&got), "\"stack\":\"[other]\""));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&got), "\"hit\":2,\"bytes\":1300,"));
	strbuf_free(&got);
}
END_TEST

START_TEST(test_csv)
{
	const struct export_origin origin = { .id = "0123456789abcdef",
					      .start = 5,
					      .day = "1970-01-01",
					      .labels = (char *)"{\"a\":\"b\"}",
					      .balance = (char *)"{\"free\":[1,2]}" };
	const struct export_options opts = { .origin = &origin };
	struct strbuf got = { 0 };

	ck_assert_int_eq(export_to("csv", &opts, true, &got), 0);
	ck_assert_ptr_eq(strstr(strbuf_text(&got), "recording_id,host,"),
			 strbuf_text(&got));
	/* Text that a spreadsheet would run is quoted as text; the rest follows RFC 4180. */
	ck_assert_ptr_nonnull(strstr(
		strbuf_text(&got),
		"\n0123456789abcdef,\"'=1+1\",,,,1970-01-01,5,,,,,3,,,,,,,,,,,,"
		"\"{\"\"a\"\":\"\"b\"\"}\",\"{\"\"free\"\":[1,2]}\",slab,leaf [mod],mod,"
		"\"leaf [mod];a\"\"b"));
	/* Only the first row has the balance. */
	ck_assert_ptr_nonnull(strstr(strbuf_text(&got),
				     "\"{\"\"a\"\":\"\"b\"\"}\",,slab,leaf [mod],mod,"
				     "leaf [mod];root,"));
	ck_assert_ptr_nonnull(strstr(strbuf_text(&got), ",,,,1,1000,,500,,,,,,\n"));
	strbuf_free(&got);
}
END_TEST

/* One row group of three rows; tests/reference/exports.py checks its pages. */
START_TEST(test_parquet)
{
	const struct export_options opts = { 0 };
	struct strbuf got = { 0 };
	uint32_t size;

	ck_assert_int_eq(export_to("parquet", &opts, true, &got), 0);
	ck_assert_uint_gt(got.size, 12);
	ck_assert_mem_eq(got.data, "PAR1", 4);
	ck_assert_mem_eq(got.data + got.size - 4, "PAR1", 4);
	memcpy(&size, got.data + got.size - 8, sizeof(size));
	size = le32toh(size);
	ck_assert_uint_lt(size, got.size - 12);
	/* Version 1, and a schema of a root and the columns. */
	ck_assert_mem_eq(got.data + got.size - 8 - size,
			 "\x15\x02\x19\xfc\x31\x48\x06schema", 13);
	ck_assert_ptr_nonnull(memmem(got.data, got.size, "LOST 3 events", 13));
	strbuf_free(&got);
}
END_TEST

/* A field's number is relative to the one before; numbers may be negative. */
START_TEST(test_thrift)
{
	struct strbuf sb = { 0 };
	struct thrift t = { .sb = &sb };

	thrift_open(&t, 0);
	thrift_i32(&t, 1, -1);
	thrift_i64(&t, 4, 300);
	thrift_open(&t, 5);
	thrift_text(&t, 2, "ab");
	thrift_close(&t);
	thrift_list(&t, 6, THRIFT_I32, 2);
	thrift_element_i32(&t, 1);
	thrift_element_i32(&t, INT32_MIN);
	thrift_list(&t, 7, THRIFT_STRUCT, 15);
	thrift_close(&t);
	ck_assert_uint_eq(sb.size, 23);
	ck_assert_mem_eq(sb.data,
			 "\x15\x01\x36\xd8\x04\x1c\x28\x02"
			 "ab\x00\x19\x25\x02\xff\xff\xff\xff\x0f\x19\xfc\x0f\x00",
			 sb.size);
	strbuf_free(&sb);
}
END_TEST

START_TEST(test_openmetrics)
{
	const struct export_options opts = { .rows = 1 };
	struct strbuf got = { 0 };
	struct report *r = report_of(EVIL ";root", true);
	const struct render_out out = { collect, &got };
	const char *text;

	ck_assert_int_eq(export_report(find("openmetrics"), &opts, r, &out), 0);
	text = strbuf_text(&got);
	ck_assert_ptr_nonnull(strstr(text, "\nkmemx_alloc_bytes_total{allocator=\"slab\","
					   "callsite=\"a\\\"b\\\\c\\\\x0ad {} "
					   "7\\\\x1b[31m\\\\xff\"} 1000\n"));
	ck_assert_ptr_nonnull(strstr(text, "callsite=\"[other]\"} 1300\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nkmemx_lost_events 3\n"));
	ck_assert_str_eq(text + got.size - 6, "# EOF\n");
	strbuf_free(&got);
	report_free(r);
}
END_TEST

START_TEST(test_speedscope)
{
	const struct export_options opts = { 0 };
	struct strbuf got = { 0 };
	const char *text;

	ck_assert_int_eq(export_to("speedscope", &opts, true, &got), 0);
	text = strbuf_text(&got);
	ck_assert_ptr_nonnull(strstr(
		text, "{\"name\":\"a\\\"b\\\\c\\\\x0ad {} 7\\\\x1b[31m\\\\xff\"}"));
	/* Frames are numbered in order of appearance, the callsite first and the allocator's last.
	 */
	ck_assert_ptr_nonnull(strstr(text,
				     "\"samples\":[[3,2,1,0],\n[3,2,0],\n[3,2,4]],\n"
				     "\"weights\":[1000,700,600],\n\"endValue\":2300}"));
	ck_assert_ptr_null(strstr(text, "peak"));
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"LOST 3 events\\\\x0a\""));
	strbuf_free(&got);
}
END_TEST

#ifdef HAVE_ZLIB
static void unpack(const struct strbuf *packed, struct strbuf *out)
{
	z_stream z = { .next_in = (unsigned char *)packed->data,
		       .avail_in = (unsigned int)packed->size };
	char part[4096];
	int ret;

	ck_assert_int_eq(inflateInit2(&z, 15 + 16), Z_OK);
	do {
		z.next_out = (unsigned char *)part;
		z.avail_out = sizeof(part);
		ret = inflate(&z, Z_NO_FLUSH);
		strbuf_add(out, part, sizeof(part) - z.avail_out);
	} while (ret == Z_OK);
	ck_assert_int_eq(ret, Z_STREAM_END);
	inflateEnd(&z);
}

START_TEST(test_pprof)
{
	const struct export_origin origin = { .build_id = "c0ffee" };
	const struct export_options opts = { .origin = &origin };
	struct strbuf packed = { 0 }, got = { 0 };
	/* Locations 1, 2, 3; 1 allocation, 1000 bytes, 500 live. */
	static const char sample[] = "\x0a\x03\x01\x02\x03\x12\x05\x01\xe8\x07\xf4\x03";

	ck_assert_int_eq(export_to("pprof", &opts, true, &packed), 0);
	unpack(&packed, &got);
	ck_assert_ptr_nonnull(memmem(got.data, got.size, sample, sizeof(sample) - 1));
	/* The strings: field 6, a length, the text. */
	ck_assert_ptr_nonnull(memmem(got.data, got.size, "\x32\x04leaf", 6));
	ck_assert_ptr_nonnull(memmem(got.data, got.size, "\x32\x05[mod]", 7));
	ck_assert_ptr_nonnull(memmem(got.data, got.size,
				     "\x32\x06"
				     "c0ffee",
				     8));
	ck_assert_ptr_nonnull(memmem(got.data, got.size, EVIL_TEXT, strlen(EVIL_TEXT)));
	ck_assert_ptr_null(memmem(got.data, got.size, EVIL, strlen(EVIL)));
	ck_assert_ptr_null(memmem(got.data, got.size, "peak_space", 10));
	strbuf_free(&packed);
	strbuf_free(&got);
}
END_TEST
#endif

START_TEST(test_proto)
{
	struct strbuf sb = { 0 }, inner = { 0 };

	proto_uint(&sb, 1, 150);
	proto_uint(&sb, 2, 0);
	proto_uint(&sb, 16, UINT64_MAX);
	proto_uint(&inner, 1, 1);
	proto_message(&sb, 3, &inner);
	ck_assert_uint_eq(inner.size, 0);
	ck_assert_uint_eq(sb.size, 3 + 2 + 10 + 4);
	ck_assert_mem_eq(sb.data,
			 "\x08\x96\x01\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
			 "\x1a\x02\x08\x01",
			 sb.size);
	strbuf_free(&sb);
	strbuf_free(&inner);
}
END_TEST

/* Exports without tables, without rows, and without space on the disk. */
START_TEST(test_all)
{
	const struct exporter *e = exporter_at((size_t)_i);
	const struct export_options opts = { 0 };
	struct strbuf got = { 0 };
	const struct render_out out = { collect, &got }, full = { refuse, NULL };
	struct report *none = report_new(), *some = make_report(false);

	if (e) {
		ck_assert(*e->name && *e->help && *e->opened_by);
		int ret = export_report(e, &opts, none, &out);

		/* Formats that need a library fail without it. */
		ck_assert(!ret || (e->binary && ret == -ENOTSUP));
		if (!ret)
			ck_assert_int_eq(export_report(e, &opts, some, &full), -ENOSPC);
	}
	strbuf_free(&got);
	report_free(none);
	report_free(some);
}
END_TEST

Suite *test_export_suite(void);

Suite *test_export_suite(void)
{
	Suite *s = suite_create("export");
	TCase *t = tcase_create("formats");

	tcase_add_test(t, test_folded);
	tcase_add_test(t, test_ndjson);
	tcase_add_test(t, test_csv);
	tcase_add_test(t, test_parquet);
	tcase_add_test(t, test_thrift);
	tcase_add_test(t, test_openmetrics);
	tcase_add_test(t, test_speedscope);
#ifdef HAVE_ZLIB
	tcase_add_test(t, test_pprof);
#endif
	tcase_add_test(t, test_proto);
	tcase_add_loop_test(t, test_all, 0, 16);
	suite_add_tcase(s, t);
	return s;
}
