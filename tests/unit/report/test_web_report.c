// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: report/web/web_report.h, and the packing of its data.
 */
#include "base/bytes.h"
#include "report/web/web_report.h"

#include <check.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "report/compressed.h"

static int collect(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

static int refuse(void *ctx, const char *data, size_t size)
{
	return -ENOSPC;
}

static int digit(char c)
{
	const char *digits =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	ck_assert_ptr_nonnull(at);
	return (int)(at - digits);
}

/* Unpacks the text and adds a NUL; the caller frees it. @nr: number of bytes. */
static char *unpacked(const char *text, size_t size, size_t *nr)
{
	unsigned char *bytes = calloc(1, size + 1);
	size_t i;

	*nr = 0;
	ck_assert_uint_eq(size % 4, 0);
	for (i = 0; i < size; i += 4) {
		int filled = text[i + 2] == '=' ? 2 : text[i + 3] == '=' ? 1 : 0;
		int bits = digit(text[i]) << 18 | digit(text[i + 1]) << 12;

		bits |= (filled < 2 ? digit(text[i + 2]) << 6 : 0) |
			(filled < 1 ? digit(text[i + 3]) : 0);
		bytes[(*nr)++] = (unsigned char)(bits >> 16);
		if (filled < 2)
			bytes[(*nr)++] = (unsigned char)(bits >> 8);
		if (filled < 1)
			bytes[(*nr)++] = (unsigned char)bits;
	}
#ifdef HAVE_ZLIB
	uLongf room = 8 << 20;
	char *out = calloc(1, room);

	ck_assert_int_eq(uncompress((Bytef *)out, &room, bytes, *nr), Z_OK);
	*nr = room;
	free(bytes);
	return out;
#else
	return (char *)bytes;
#endif
}

/* Data of any size, packed in pieces of any size, must be unchanged after unpacking. */
START_TEST(packs)
{
	static const size_t sizes[] = { 0,   1,	    2,	   3,	  4,	  5,
					100, 12287, 12288, 12289, 3000000 };
	size_t size = sizes[_i], i, part = 1, nr;
	struct strbuf got = { 0 };
	const struct render_out out = { collect, &got };
	char *text = calloc(1, size + 1), *back;
	struct packed p;
	uint32_t seed = 3;

	for (i = 0; i < size; i++) {
		seed = seed * 1103515245 + 12345;
		text[i] = (char)('!' + (seed >> 16) % 60);
	}
	ck_assert(!packed_init(&p, &out));
	for (i = 0; i < size; i += part, part = part * 3 + 1) {
		if (part > size - i)
			part = size - i;
		ck_assert(!packed_write(&p, text + i, part));
	}
	ck_assert(!packed_end(&p));
	ck_assert(!strchr(strbuf_text(&got), '<'));
	back = unpacked(strbuf_text(&got), got.size, &nr);
	ck_assert_uint_eq(nr, size);
	ck_assert_str_eq(back, text);
	strbuf_free(&got);
	free(text);
	free(back);
}
END_TEST

START_TEST(pack_fails)
{
	const struct render_out out = { refuse, NULL };
	struct packed p;

	ck_assert(!packed_init(&p, &out));
	/* The error may come later, as data is buffered. */
	if (packed_write(&p, "{}", 2))
		ck_assert_int_eq(p.err, -ENOSPC);
	ck_assert_int_eq(packed_end(&p), -ENOSPC);
}
END_TEST

/* Two rows of two bins; their names are markup. */
static void fill(struct web_report *w)
{
	const char *evil = "</script><img src=x onerror=alert(1)>";
	const struct web_cell cells[] = { { 0, 2, 60, 64, 32 },
					  { 1, 1, 30, 32, 0 },
					  { 1, 1, 4096, 4096, 4096 } };
	struct strbuf folded = { 0 };

	*w = (struct web_report){
		.first = 1ULL << 60, .width = 5, .nr_bins = 2, .ns = true
	};
	strbuf_printf(&folded, "%s;caller", evil);
	w->rows = calloc(2, sizeof(*w->rows));
	w->nr_rows = 2;
	w->rows[0] = (struct web_row){ .node = web_report_chain(w, strbuf_text(&folded)),
				       .callsite = web_report_name(w, evil),
				       .nr = 2 };
	w->rows[1] = (struct web_row){ .kind = WEB_PAGE,
				       .node = web_report_chain(w, "\"&'\n"),
				       .callsite = web_report_name(w, "\"&'\n"),
				       .first = 2,
				       .nr = 1 };
	w->cells = calloc(3, sizeof(*w->cells));
	memcpy(w->cells, cells, sizeof(cells));
	w->nr_cells = 3;
	w->marks = calloc(2, sizeof(*w->marks));
	w->marks[1] = (struct web_mark){ 7, 1, 2 };
	strbuf_free(&folded);
	ck_assert(!w->failed);
}

static size_t count(const char *text, const char *word)
{
	size_t nr = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		nr++;
	return nr;
}

/* The content of an element of the page; the caller frees it. */
static char *element(const char *page, const char *id, size_t *nr)
{
	const char *data = strchr(strstr(page, id), '>') + 1;

	return unpacked(data, strcspn(data, "<"), nr);
}

/* The kernel's counts of the cache with name 1, at two moments. */
static void fill_curve(struct web_report *w)
{
	w->nr_moments = 2;
	w->moments = calloc(2, sizeof(*w->moments));
	w->counts = calloc(2, sizeof(*w->counts));
	w->curves = calloc(1, sizeof(*w->curves));
	ck_assert(w->moments && w->counts && w->curves);
	w->moments[0] = 1152921504606846976;
	w->moments[1] = 1152921504606847000;
	w->counts[0] = 5;
	w->counts[1] = 7;
	w->curves[w->nr_curves++] = (struct web_curve){ 1, 64 };
	w->lines = calloc(1, sizeof(*w->lines));
	ck_assert_ptr_nonnull(w->lines);
	w->lines[w->nr_lines++] =
		(struct web_line){ 1, calloc(2, sizeof(*w->lines->bytes)) };
	w->lines[0].bytes[1] = -4096;
}

START_TEST(page)
{
	const struct web_report_options o = { "<b>.dat", "<i>summary", "-i '<b>.dat'",
					      NULL };
	struct report *report = report_new();
	struct strbuf got = { 0 };
	const struct render_out out = { collect, &got };
	struct web_report w;
	char *json, *columns;
	size_t nr;

	fill(&w);
	fill_curve(&w);
	report_add_banner(report, true, "LOST <u>");
	ck_assert(!web_report_html(&w, report, &o, &out));
	ck_assert_uint_eq(count(got.data, "<script"), 3);
	ck_assert_uint_eq(count(got.data, "</script>"), 3);
	ck_assert_uint_eq(count(got.data, "<img") + count(got.data, "<b>") +
				  count(got.data, "<i>") + count(got.data, "<u>"),
			  0);
	ck_assert_uint_eq(count(got.data, "LOST &lt;u&gt;"), 1);
	json = element(got.data, "id=\"data\"", &nr);
	ck_assert_uint_eq(count(json, "</script><img src=x onerror=alert(1)>"), 1);
	ck_assert_ptr_nonnull(strstr(json, "\"first\": \"1152921504606846976\""));
	ck_assert_ptr_nonnull(strstr(
		json, "\"moments\": [\"1152921504606846976\", \"1152921504606847000\"]"));
	ck_assert_ptr_nonnull(strstr(json, "\"curves\": [[1, 64, 5, 7]]"));
	ck_assert_ptr_nonnull(strstr(json, "\"lines\": [[1, 0, -4096]]"));
	columns = element(got.data, "id=\"columns\"", &nr);
	ck_assert_uint_eq(nr % 8, 0);
	free(json);
	free(columns);
	strbuf_free(&got);
	web_report_free(&w);
	report_free(report);
}
END_TEST

/* The values of column @which, in little endian. */
static const char *column(const struct strbuf *sb, int which, uint32_t nr,
			  enum web_figure type)
{
	static const unsigned char sizes[] = { 1, 2, 4, 1, 2, 4, 8 };
	const char *at = sb->data;
	uint32_t head[2];

	for (;; at += 8 + (head[0] * sizes[head[1]] + 7U) / 8 * 8) {
		ck_assert(at + 8 <= sb->data + sb->size);
		memcpy(head, at, 8);
		head[0] = le32toh(head[0]);
		head[1] = le32toh(head[1]);
		if (!which--)
			break;
	}
	ck_assert_uint_eq(head[0], nr);
	ck_assert_uint_eq(head[1], type);
	return at + 8;
}

enum {
	ROW_PEAK = 7,
	ROW_UNLIKELY = 11,
	ROW_PROCESS,
	ROW_COMM,
	ROW_CGROUP,
	ROW_ENTRY,
	ROW_LINE,
	ROW_UNIT,
	CELL_BIN,
	CELL_HIT,
	CELL_BYTES,
	CELL_WASTE,
	CELL_NET,
	MARK_BIN,
	MARK_LOST,
	MARK_GAPS,
	MARK_FAILED,
	STAY_ROW,
	STAY_BEGIN,
	STAY_BINS,
	STAY_BYTES,
	NODE_UP,
	NAME_DIR = 37
};

START_TEST(columns)
{
	struct strbuf got = { 0 };
	const struct render_out out = { collect, &got };
	const struct render_out no = { refuse, NULL };
	struct web_report w;
	const char *net;
	double peak[2];

	fill(&w);
	w.rows[1].peak = 1ULL << 40;
	w.rows[1].most = 40;
	w.rows[1].likely = 30;
	w.cells[0].ended = 600;
	w.nr_stays = 2;
	w.stays = calloc(2, sizeof(*w.stays));
	ck_assert_ptr_nonnull(w.stays);
	w.stays[0] = (struct web_stay){ 1, 5, 7, 600 };
	w.stays[1] = (struct web_stay){ 1, 6, 6, 8 };
	ck_assert(!web_columns_write(&w, false, &out));
	for (int i = 0; i < 2; i++) {
		uint64_t bits = get_u64(
			(const uint8_t *)column(&got, ROW_PEAK, 2, WEB_F64) + 8 * i,
			false);

		memcpy(&peak[i], &bits, sizeof(bits));
	}
	ck_assert(peak[0] == 0 && peak[1] == 1ULL << 40);
	ck_assert_mem_eq(column(&got, ROW_UNLIKELY, 2, WEB_U8), "\0\12", 2);
	ck_assert_mem_eq(column(&got, ROW_UNIT, 2, WEB_U16), "\x20\0\0\x10", 4);
	ck_assert_mem_eq(column(&got, CELL_BIN, 3, WEB_U8), "\0\1\1", 3);
	ck_assert_mem_eq(column(&got, CELL_HIT, 3, WEB_U8), "\2\1\1", 3);
	column(&got, CELL_BYTES, 0, WEB_U8); /* all have the row's unit */
	ck_assert_mem_eq(column(&got, CELL_WASTE, 3, WEB_U8), "\4\2\0", 3);
	net = column(&got, CELL_NET, 3, WEB_S16);
	ck_assert_mem_eq(net, "\xe8\xfd\40\0\0\0", 6); /* 64 - 600, 32, 0 */
	ck_assert_mem_eq(column(&got, MARK_BIN, 1, WEB_U8), "\1", 1);
	ck_assert_mem_eq(column(&got, MARK_LOST, 1, WEB_U8), "\7", 1);
	ck_assert_mem_eq(column(&got, MARK_GAPS, 1, WEB_U8), "\1", 1);
	ck_assert_mem_eq(column(&got, MARK_FAILED, 1, WEB_U8), "\2", 1);
	ck_assert_mem_eq(column(&got, STAY_ROW, 2, WEB_U8), "\1\0", 2);
	ck_assert_mem_eq(column(&got, STAY_BEGIN, 2, WEB_U8), "\5\6", 2);
	ck_assert_mem_eq(column(&got, STAY_BINS, 2, WEB_U8), "\2\0", 2);
	ck_assert_mem_eq(column(&got, STAY_BYTES, 2, WEB_U16), "\x58\2\10\0", 4);
	ck_assert_mem_eq(column(&got, NODE_UP, 3, WEB_U8), "\0\1\0", 3);
	column(&got, NAME_DIR, 0, WEB_U8); /* unknown */
	ck_assert_int_eq(web_columns_write(&w, false, &no), -ENOSPC);
	got.size = 0;
	w.dir_of = calloc(w.names.count + 1UL, sizeof(*w.dir_of));
	w.dir_of[2] = 7;
	ck_assert(!web_columns_write(&w, false, &out));
	ck_assert_uint_eq(w.names.count, 3);
	ck_assert_mem_eq(column(&got, NAME_DIR, 3, WEB_U8), "\0\7\0", 3);
	strbuf_free(&got);
	web_report_free(&w);
}
END_TEST

START_TEST(page_fails)
{
	const struct web_report_options o = { "f", "s", "-i f", NULL };
	struct report *report = report_new();
	const struct render_out out = { refuse, NULL };
	struct web_report w;

	fill(&w);
	ck_assert_int_eq(web_report_html(&w, report, &o, &out), -ENOSPC);
	w.failed = true;
	ck_assert_int_eq(web_report_html(&w, report, &o, &out), -ENOMEM);
	web_report_free(&w);
	report_free(report);
}
END_TEST

/* Callchains share common frames. */
START_TEST(chains)
{
	struct web_report w = { 0 };
	uint32_t abc = web_report_chain(&w, "a;b;c"), abd = web_report_chain(&w, "a;b;d");

	ck_assert_uint_eq(w.nr_nodes, 4);
	ck_assert_uint_eq(w.nodes[abc].up, w.nodes[abd].up);
	ck_assert_uint_eq(web_report_chain(&w, "a;b;c"), abc);
	ck_assert_uint_eq(web_report_chain(&w, "a"), 0);
	ck_assert_uint_eq(w.nodes[0].up, UINT32_MAX);
	ck_assert_uint_eq(w.nodes[web_report_chain(&w, "b")].name,
			  w.nodes[w.nodes[abc].up].name);
	ck_assert(!w.failed);
	web_report_free(&w);
}
END_TEST

Suite *test_web_report_suite(void);
Suite *test_web_report_suite(void)
{
	Suite *s = suite_create("report/web_report");
	TCase *tc = tcase_create("core");

	tcase_add_loop_test(tc, packs, 0, 11);
	tcase_add_test(tc, pack_fails);
	tcase_add_test(tc, page);
	tcase_add_test(tc, columns);
	tcase_add_test(tc, page_fails);
	tcase_add_test(tc, chains);
	suite_add_tcase(s, tc);
	return s;
}
