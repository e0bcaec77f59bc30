// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: query/parquet.c: rows are read back as they were exported; other and damaged files are
 * refused.
 */
#include <check.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "export/export.h"
#include "export/wire.h"
#include "often.h"
#include "query/ndjson.h"

Suite *test_parquet_suite(void);

/* Appends all values of a row. */
static int note(void *ctx, const struct query_row *row)
{
	struct strbuf *seen = ctx;

	for (unsigned int i = 0; i < EXPORT_FIELDS; i++) {
		const struct export_value *v = &row->of[i];

		if (!v->known)
			continue;
		strbuf_printf(seen, "%s=", export_fields[i].name);
		if (export_fields[i].number)
			strbuf_printf(seen, "%llu", (unsigned long long)v->number);
		else
			strbuf_add(seen, v->text, v->size);
		strbuf_puts(seen, " ");
	}
	strbuf_puts(seen, "\n");
	return 0;
}

static int read_bytes(const struct strbuf *content, struct strbuf *seen,
		      struct ndjson_file *file)
{
	int ret;

	*file = (struct ndjson_file){ .fd = memfd_create("rows", 0),
				      .row = note,
				      .ctx = seen };
	ck_assert_int_ge(file->fd, 0);
	ck_assert_int_eq(write(file->fd, strbuf_text(content), content->size),
			 (ssize_t)content->size);
	ck_assert_int_eq(lseek(file->fd, 0, SEEK_SET), 0);
	strbuf_reset(seen);
	ret = ndjson_file_read(file);
	ck_assert_int_eq(ret == -EINVAL, file->line.wrong != NULL);
	ndjson_line_free(&file->line);
	close(file->fd);
	return ret;
}

static void expect_wrong(const struct strbuf *content, const char *text)
{
	struct strbuf seen = { 0 };
	struct ndjson_file file;

	ck_assert_int_eq(read_bytes(content, &seen, &file), -EINVAL);
	ck_assert_ptr_nonnull(strstr(file.line.wrong, text));
	strbuf_free(&seen);
}

static int collect(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

static const struct exporter *parquet_exporter(void)
{
	const struct exporter *e;

	for (size_t i = 0; (e = exporter_at(i)); i++) {
		if (!strcmp(e->name, "parquet"))
			return e;
	}
	ck_abort_msg("no exporter");
}

static struct report *report_of_rows(int nr)
{
	static const struct column columns[] = {
		{ .name = "stack" },	  { .name = "bytes" }, { .name = "hit" },
		{ .name = "bytes_live" }, { .name = "comm" },  { .name = "order" },
	};
	struct report *r = report_new();
	struct table *t = table_new("export", "Pages");

	table_add_columns(t, columns, ARRAY_SIZE(columns));
	for (int i = 0; i < nr; i++) {
		struct cell *cells = table_add_row(t);

		cells[0] = cell_text(t, i % 3 ? "leaf [mod];a\tb;root" : "\xc3\xbc;root");
		cells[1] = cell_uint(i ? (uint64_t)i * 4096 : UINT64_MAX);
		cells[2] = cell_uint((uint64_t)i + 1);
		if (i % 5)
			cells[3] = cell_uint((uint64_t)i);
		if (i % 2)
			cells[4] = cell_text(t, "a task");
		if (i % 7)
			cells[5] = cell_uint((uint64_t)i % 4);
	}
	report_add_table(r, t);
	report_add_fact(r, "host", (struct cell){ .type = CELL_TEXT, .s = "web" });
	ck_assert(report_ok(r));
	return r;
}

/* Rows of a report are the same after a round trip through a file. */
START_TEST(round_trip)
{
	static const int nrs[] = { 0, 1, 7, 8, 9, 1000 };
	const struct export_options opts = { 0 };
	struct strbuf content = { 0 }, direct = { 0 }, seen = { 0 };
	const struct render_out out = { collect, &content };
	struct report *r = report_of_rows(nrs[_i]);
	struct ndjson_file file;
	size_t nr_lines = 0;

	ck_assert_int_eq(export_report(parquet_exporter(), &opts, r, &out), 0);
	ck_assert_int_eq(query_exported(&opts, r, note, &direct), 0);
	ck_assert_int_eq(read_bytes(&content, &seen, &file), 0);
	ck_assert(file.is_parquet);
	ck_assert_str_eq(strbuf_text(&seen), strbuf_text(&direct));
	for (size_t i = 0; i < seen.size; i++)
		nr_lines += seen.data[i] == '\n';
	ck_assert_uint_eq(nr_lines, (size_t)nrs[_i]);
	report_free(r);
	strbuf_free(&content);
	strbuf_free(&direct);
	strbuf_free(&seen);
}
END_TEST

#define COLUMNS 6

/**
 * struct made - a file made here, without compression
 * @codec, @encoding, @type, @page_nr: values for the column callsite, kmemx's or others
 * @repeated: its repetition type
 * @text: of one of its values
 */
struct made {
	int codec, encoding, type, repeated, page_nr;
	const char *text;
};

static void put_u32(struct strbuf *sb, uint32_t value)
{
	value = htole32(value);
	strbuf_add(sb, &value, sizeof(value));
}

static void put_text(struct strbuf *sb, const char *text)
{
	put_u32(sb, (uint32_t)strlen(text));
	strbuf_puts(sb, text);
}

static void put_number(struct strbuf *sb, uint64_t value)
{
	value = htole64(value);
	strbuf_add(sb, &value, sizeof(value));
}

/* Appends a page with @values. Returns its place. */
static int64_t put_page(struct strbuf *file, bool dictionary, const struct strbuf *values,
			int nr, int encoding)
{
	struct thrift t = { .sb = file };
	int64_t at = (int64_t)file->size;

	thrift_open(&t, 0);
	thrift_i32(&t, 1, dictionary ? 2 : 0);
	thrift_i32(&t, 2, (int32_t)values->size);
	thrift_i32(&t, 3, (int32_t)values->size);
	thrift_open(&t, dictionary ? 7 : 5);
	thrift_i32(&t, 1, nr);
	thrift_i32(&t, 2, encoding);
	thrift_close(&t);
	thrift_close(&t);
	strbuf_add(file, strbuf_text(values), values->size);
	return at;
}

/* Writes four rows. The column hit has no value in the second and third: a run of one, then packed
 * bits. The recording's ID and an unknown column of another type have a dictionary.
 */
static void put_column(struct strbuf *file, const struct made *m, size_t i, int64_t *data,
		       int64_t *dictionary)
{
	struct strbuf page = { 0 };

	*dictionary = 0;
	if (i == 0) {
		put_text(&page, "0123");
		*dictionary = put_page(file, true, &page, 1, 0);
		strbuf_reset(&page);
		strbuf_add(&page, "\1\10\0", 3);
	} else if (i == 4) {
		put_u32(&page, 4);
		strbuf_add(&page, "\2\1\3\4", 4);
		put_number(&page, 5);
		put_number(&page, UINT64_MAX);
	} else {
		for (int row = 0; row < 4; row++)
			put_text(&page, i == 1	   ? "slab"
					: i == 3   ? "f;g"
					: row == 2 ? m->text
						   : "f");
	}
	*data = put_page(file, false, &page, i == 2 ? m->page_nr : 4,
			 i == 0	  ? 8
			 : i == 2 ? m->encoding
				  : 0);
	strbuf_free(&page);
}

static void put_group(struct strbuf *file, const struct made *m, struct thrift *t)
{
	int64_t data[COLUMNS], dictionary[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		put_column(file, m, i, &data[i], &dictionary[i]);
	thrift_open(t, 0);
	thrift_list(t, 1, THRIFT_STRUCT, COLUMNS);
	for (size_t i = 0; i < COLUMNS; i++) {
		thrift_open(t, 0);
		thrift_open(t, 3);
		thrift_i32(t, 1, i == 2 ? m->type : i == 4 ? 2 : 6);
		thrift_i32(t, 4, i == 2 ? m->codec : 0);
		thrift_i64(t, 9, data[i]);
		if (dictionary[i])
			thrift_i64(t, 11, dictionary[i]);
		thrift_close(t);
		thrift_close(t);
	}
	thrift_i64(t, 3, 4);
	thrift_close(t);
}

static void make(struct strbuf *file, const struct made *m)
{
	static const char *const names[COLUMNS] = { "recording_id", "allocator",
						    "callsite",	    "stack",
						    "hit",	    "what" };
	struct strbuf groups = { 0 }, footer = { 0 };
	struct thrift of_groups = { .sb = &groups }, t = { .sb = &footer };

	strbuf_reset(file);
	strbuf_puts(file, PARQUET_MAGIC);
	put_group(file, m, &of_groups);
	put_group(file, m, &of_groups);
	thrift_open(&t, 0);
	thrift_list(&t, 2, THRIFT_STRUCT, COLUMNS + 1);
	thrift_open(&t, 0);
	thrift_text(&t, 4, "schema");
	thrift_i32(&t, 5, COLUMNS);
	thrift_close(&t);
	for (size_t i = 0; i < COLUMNS; i++) {
		thrift_open(&t, 0);
		thrift_i32(&t, 1, i == 4 ? 2 : 6);
		thrift_i32(&t, 3, i == 2 ? m->repeated : i == 4);
		thrift_text(&t, 4, names[i]);
		thrift_close(&t);
	}
	thrift_list(&t, 4, THRIFT_STRUCT, 2);
	strbuf_add(&footer, strbuf_text(&groups), groups.size);
	thrift_close(&t);
	put_u32(&footer, (uint32_t)footer.size);
	strbuf_puts(&footer, PARQUET_MAGIC);
	strbuf_add(file, strbuf_text(&footer), footer.size);
	strbuf_free(&groups);
	strbuf_free(&footer);
}

static const struct made plain = { .type = 6, .page_nr = 4, .text = "f" };

START_TEST(by_hand)
{
	static const char four[] =
		"recording_id=0123 allocator=slab callsite=f stack=f;g hit=5 \n"
		"recording_id=0123 allocator=slab callsite=f stack=f;g \n"
		"recording_id=0123 allocator=slab callsite=f stack=f;g \n"
		"recording_id=0123 allocator=slab callsite=f stack=f;g hit=18446744073709551615 \n";
	struct strbuf content = { 0 }, seen = { 0 };
	struct ndjson_file file;

	make(&content, &plain);
	ck_assert_int_eq(read_bytes(&content, &seen, &file), 0);
	ck_assert_uint_eq(seen.size, 2 * strlen(four));
	ck_assert(!strncmp(strbuf_text(&seen), four, strlen(four)));
	ck_assert_str_eq(strbuf_text(&seen) + strlen(four), four);
	strbuf_free(&content);
	strbuf_free(&seen);
}
END_TEST

/* Features that only other programs use are refused by name. */
START_TEST(refused)
{
	static const struct {
		struct made made;
		const char *wrong;
	} all[] = {
		{ { 1, 0, 6, 0, 4, "f" }, "cannot unpack" },
		{ { 6, 0, 6, 0, 4, "f" }, "" },
		{ { 0, 2, 6, 0, 4, "f" }, "as kmemx writes it" },
		{ { 0, 5, 6, 0, 4, "f" }, "as kmemx writes it" },
		{ { 0, 0, 2, 0, 4, "f" }, "as kmemx writes it" },
		{ { 0, 0, 6, 2, 4, "f" }, "as kmemx writes it" },
		{ { 0, 0, 6, 0, 3, "f" }, "as kmemx writes it" },
		{ { 0, 0, 6, 1, 4, "f" }, "damaged" }, /* it has no levels */
	};
	struct strbuf content = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		make(&content, &all[i].made);
		expect_wrong(&content, all[i].wrong);
	}
	strbuf_reset(&content);
	strbuf_puts(&content, PARQUET_MAGIC);
	expect_wrong(&content, "too early");
	strbuf_puts(&content, "....\1\0\0\0" PARQUET_MAGIC);
	expect_wrong(&content, "");
	strbuf_free(&content);
}
END_TEST

/* Reads a file with each byte changed in turn, or truncated: rows or an error, never a crash.
 * Without LONG=1, changes each byte only once, and truncates only at every fourth. Restores
 * @content.
 */
static void damage(struct strbuf *content)
{
	struct strbuf seen = { 0 };
	struct ndjson_file file;
	size_t size = content->size, nr_wrong = 0;
	size_t nr = (long_tests() ? 4 : 1) * size, less = long_tests() ? 1 : 4;
	int ret;

	for (size_t i = 0; i < nr; i++) {
		static const unsigned char with[] = { 0xff, 0x01, 0x80, 0x0c };
		char *at = &content->data[i % size], old = *at;

		*at = (char)(*at ^ with[i / size]);
		ret = read_bytes(content, &seen, &file);
		ck_assert(!ret || ret == -EINVAL);
		nr_wrong += ret != 0;
		*at = old;
	}
	ck_assert_uint_gt(nr_wrong, nr / 4);
	for (; content->size > less; content->size -= less) {
		ret = read_bytes(content, &seen, &file);
		ck_assert(content->size == size ? !ret : ret == -EINVAL);
		if (content->size <= 2 * PARQUET_MAGIC_SIZE)
			break;
	}
	content->size = size;
	strbuf_free(&seen);
}

START_TEST(damaged)
{
	struct strbuf content = { 0 };
	const struct render_out out = { collect, &content };
	struct report *r = report_of_rows(9);

	make(&content, &plain);
	damage(&content);
	strbuf_reset(&content);
	ck_assert_int_eq(
		export_report(parquet_exporter(), &(struct export_options){ 0 }, r, &out),
		0);
	damage(&content);
	report_free(r);
	strbuf_free(&content);
}
END_TEST

/* A pipe cannot be read from its end. */
START_TEST(pipes)
{
	struct strbuf content = { 0 };
	struct ndjson_file file = { .row = note };
	int ends[2];

	make(&content, &plain);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], strbuf_text(&content), content.size),
			 (ssize_t)content.size);
	close(ends[1]);
	file.fd = ends[0];
	ck_assert_int_eq(ndjson_file_read(&file), -EINVAL);
	ck_assert_ptr_nonnull(strstr(file.line.wrong, "pipe"));
	ndjson_line_free(&file.line);
	close(ends[0]);
	strbuf_free(&content);
}
END_TEST

Suite *test_parquet_suite(void)
{
	Suite *s = suite_create("query/parquet");
	TCase *tc = tcase_create("core");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, round_trip, 0, 6);
	tcase_add_test(tc, by_hand);
	tcase_add_test(tc, refused);
	tcase_add_test(tc, damaged);
	tcase_add_test(tc, pipes);
	suite_add_tcase(s, tc);
	return s;
}
