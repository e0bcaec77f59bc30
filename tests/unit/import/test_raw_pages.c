// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: import/raw_pages.h, directories copied from boards.
 * In: directories made here, of both byte orders and word sizes. Out: recordings read back.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_trace_dat.h"
#include "event/stream.h"
#include "import/raw_pages.h"
#include "remove_tree.h"

Suite *test_raw_pages_suite(void);

#define PAGE 4096U

static char dir[64];
static unsigned int nr_messages;

static void put_file(const char *name, const void *data, size_t size)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *p = strchr(path + strlen(dir) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
}

static void put_text(const char *name, const char *text)
{
	put_file(name, text, strlen(text));
}

static void setup(void)
{
	snprintf(dir, sizeof(dir), "/tmp/kmemx-raw-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	nr_messages = 0;
}

static void teardown(void)
{
	remove_tree(dir);
}

static void count(void *ctx, enum log_level level, const char *kind, const char *message)
{
	nr_messages++;
}

static const struct log counting = { count, NULL };

static int open_part(void *ctx, uint32_t cpu)
{
	return memfd_create("part", 0);
}

/* Makes @nr kfree events with pointers from @first on. */
static struct strbuf pages_of(bool big, unsigned int long_size, uint32_t first,
			      unsigned int nr)
{
	struct page_build p = { .big_endian = big,
				.long_size = long_size,
				.page_size = PAGE };

	page_start(&p, 1000);
	for (uint32_t i = 0; i < nr; i++) {
		unsigned int words = 2 + 2 * long_size / 4;

		page_head(&p, words, 10);
		put_uint(&p.bytes, 600, 2, big);
		put_uint(&p.bytes, 0, 2, big);
		put_uint(&p.bytes, 77, 4, big);
		put_uint(&p.bytes, 0xc0001000, long_size, big);
		put_uint(&p.bytes, first + i, long_size, big);
	}
	page_end(&p, 0, 0);
	return p.bytes;
}

static void put_description(unsigned int long_size)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n",
		 long_size, 8 + long_size, PAGE - 8 - long_size);
	put_text("events/header_page", text);
	put_text("events/header_event", "# compressed entry header\n");
	snprintf(
		text, sizeof(text),
		"name: kfree\nID: 600\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned long call_site;\toffset:8;\tsize:%u;\tsigned:0;\n"
		"\tfield:const void * ptr;\toffset:%u;\tsize:%u;\tsigned:0;\n\n"
		"print fmt: \"call_site=%%pS ptr=%%p\", (void *)REC->call_site, REC->ptr\n",
		long_size, 8 + long_size, long_size);
	put_text("events/kmem/kfree/format", text);
	put_text("events/kmem/enable", "1\n");
	put_text("kallsyms", "c0001000 T free_it\n");
	put_text("saved_cmdlines", "77 cat\n");
	put_text("trace_clock", "local global [mono]\n");
	put_text("uname", "Linux board 6.1.0-armmp #1 SMP Debian armv7l GNU/Linux\n");
}

/* Imports the directory; frees what a failed import made. */
static int import(struct imported *out)
{
	const struct recording_import_options opts = { .open_part = open_part };
	int ret = raw_pages_import(out, dir, &opts, &counting);

	if (ret)
		imported_free(out);
	return ret;
}

/* Writes and reads back; returns the number of kfree events and the sum of their pointers. */
static struct recording *again(const struct imported *made, uint64_t *nr, uint64_t *sum)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct event_formats *fmts = NULL;
	struct event_stream *stream = NULL;
	struct recording *rec = NULL;
	int fd = memfd_create("recording", 0);
	struct kmem_event ev;
	struct source src;

	ck_assert_int_eq(writer_write(&(struct writer_out){ .fd = fd }, &made->facts,
				      made->parts, made->nr_parts),
			 0);
	ck_assert_int_eq(source_open_fd(&src, fd), 0);
	ck_assert_int_eq(recording_open(&rec, &src, "imported", NULL), 0);
	ck_assert_uint_eq(rec->nr_damaged, 0);
	ck_assert_int_eq(event_formats_new(&fmts, rec, NULL), 0);
	ck_assert_int_eq(event_stream_open(&stream, rec, fmts, &opts, NULL), 0);
	*nr = *sum = 0;
	while (event_stream_next(stream, &ev) > 0) {
		ck_assert_int_eq(ev.type, KMEM_KFREE);
		ck_assert_uint_eq(ev.slab_free.callsite, 0xc0001000);
		ck_assert_int_eq(ev.pid, 77);
		(*nr)++;
		*sum += ev.slab_free.ptr;
	}
	ck_assert_uint_eq(event_stream_stats(stream)->nr_bad_pages, 0);
	event_stream_close(stream);
	event_formats_free(fmts);
	return rec;
}

/* Byte orders and word sizes. */
START_TEST(boards_of_all_kinds)
{
	bool big = _i & 1;
	unsigned int long_size = _i & 2 ? 8 : 4;
	struct strbuf one = pages_of(big, long_size, 100, 5);
	struct strbuf two = pages_of(big, long_size, 200, 3);
	struct imported made = { 0 };
	struct recording *rec;
	uint64_t nr, sum;

	put_description(long_size);
	put_file("per_cpu/cpu0/trace_pipe_raw", one.data, one.size);
	put_text("per_cpu/cpu0/stats", "entries: 5\noverrun: 9\n");
	put_file("per_cpu/cpu10/trace_pipe_raw", two.data, two.size);
	put_file("per_cpu/cpu2/trace_pipe_raw", "", 0);
	ck_assert_int_eq(import(&made), 0);
	rec = again(&made, &nr, &sum);
	ck_assert_uint_eq(nr, 8);
	ck_assert_uint_eq(sum, 5 * 100 + 10 + 3 * 200 + 3);
	ck_assert_int_eq(rec->big_endian, big);
	ck_assert_uint_eq(rec->user_long_size, long_size);
	ck_assert_uint_eq(rec->layout.long_size, long_size);
	ck_assert_uint_eq(rec->nr_cpus, 11);
	ck_assert_uint_eq(rec->nr_cpustats, 1);
	ck_assert_uint_eq(rec->cpustats[0].overrun, 9);
	ck_assert_str_eq(recording_clock(rec, 0), "mono");
	ck_assert_str_eq(recording_release(rec).text, "6.1.0-armmp");
	ck_assert_str_eq(recording_machine(rec).text, "armv7l");
	recording_close(rec);
	imported_free(&made);
	strbuf_free(&one);
	strbuf_free(&two);
}
END_TEST

START_TEST(flat_files_too)
{
	struct strbuf one = pages_of(false, 8, 100, 5);
	struct imported made = { 0 };
	uint64_t nr, sum;

	put_description(8);
	put_file("cpu3.raw", one.data, one.size);
	put_text("cpu3.stats", "entries: 5\noverrun: 9\n");
	put_text("cpu3.raw.bak", "this is none");
	ck_assert_int_eq(import(&made), 0);
	recording_close(again(&made, &nr, &sum));
	ck_assert_uint_eq(nr, 5);
	ck_assert_uint_eq(nr_messages, 0);
	imported_free(&made);
	strbuf_free(&one);
}
END_TEST

/* The second page is truncated after @i bytes: the events before that are kept. */
START_TEST(a_last_page_that_is_cut)
{
	struct strbuf one = pages_of(_i & 1, 8, 100, 5);
	struct strbuf two = pages_of(_i & 1, 8, 200, 3);
	uint32_t cut = (uint32_t)_i * 4;
	struct imported made = { 0 };
	uint64_t nr, sum, whole = cut < 16 ? 0 : (cut - 16) / 28;

	strbuf_add(&one, two.data, cut);
	put_description(8);
	put_file("cpu0.raw", one.data, one.size);
	ck_assert_int_eq(import(&made), 0);
	ck_assert_uint_eq(nr_messages, cut != 0);
	if (cut < 16 || (cut - 16) % 28 == 0) {
		recording_close(again(&made, &nr, &sum));
		ck_assert_uint_eq(nr, 5 + (whole < 3 ? whole : 3));
	}
	imported_free(&made);
	strbuf_free(&one);
	strbuf_free(&two);
}
END_TEST

START_TEST(what_is_missing_is_said)
{
	struct strbuf one = pages_of(false, 8, 100, 5);
	struct imported made = { 0 };

	ck_assert_int_eq(import(&made), -ENOENT); /* without header_page */
	put_text("events/header_page", "nonsense\n");
	ck_assert_int_eq(import(&made), -EBADMSG);
	put_description(8);
	ck_assert_int_eq(import(&made), -ENODATA); /* without pages */
	put_file("cpu0.raw", "", 0);
	ck_assert_int_eq(import(&made), -ENODATA);
	put_file("cpu0.raw", one.data, one.size);
	ck_assert_uint_eq(nr_messages, 4);
	put_text("events/kmem/kfree/format", "");
	ck_assert_int_eq(import(&made), -ENOENT); /* without formats */
	ck_assert_uint_eq(nr_messages, 5);
	strbuf_free(&one);
}
END_TEST

Suite *test_raw_pages_suite(void)
{
	Suite *s = suite_create("import/raw_pages");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, boards_of_all_kinds, 0, 4);
	tcase_add_test(tc, flat_files_too);
	tcase_add_loop_test(tc, a_last_page_that_is_cut, 0, 30);
	tcase_add_test(tc, what_is_missing_is_said);
	suite_add_tcase(s, tc);
	return s;
}
