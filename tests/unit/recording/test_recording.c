// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: recording/recording.h on files built in memory.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "build_trace_dat.h"
#include "recording/time_span.h"

static void keep_last(void *ctx, enum log_level level, const char *kind,
		      const char *message)
{
	snprintf(ctx, 512, "%s", message);
}

/* @message receives the last log message. */
static int open_bytes(struct recording **rec, const struct strbuf *file, char *message)
{
	static struct log log;
	struct source src;
	int err;

	message[0] = 0;
	log = (struct log){ keep_last, message };
	source_open_memory(&src, file->data, file->size);
	err = recording_open(rec, &src, "memory", &log);
	ck_assert_ptr_null(src.ops);
	return err;
}

/* Two buffers; CPU 0 of the top one is empty. */
static struct file_build two_buffers(int i, struct strbuf *pages)
{
	struct file_build b = { .version = i & 4 ? 6 : 7,
				.big_endian = i & 1,
				.long_size = i & 2 ? 4 : 8,
				.page_size = 4096,
				.nr_buffers = 2,
				.meta_name = "pagetypeinfo.before",
				.meta_text = "Page block order: 9\n" };
	struct page_build p = { .big_endian = b.big_endian,
				.long_size = b.long_size,
				.page_size = 4096 };
	int n;

	for (n = 0; n < 3; n++) {
		page_start(&p, 50 + 100 * n);
		page_event(&p, 1, 2, 7);
		page_end(&p, 0, 0);
		pages[n] = p.bytes;
		p.bytes = (struct strbuf){ 0 };
	}
	b.buffers[0].name = "";
	b.buffers[0].nr_cpus = 2;
	b.buffers[0].pages[1] = &pages[0];
	b.buffers[1].name = "slab";
	b.buffers[1].nr_cpus = 2;
	b.buffers[1].pages[0] = &pages[1];
	b.buffers[1].pages[1] = &pages[2];
	return b;
}

static void free_all(struct strbuf *file, struct strbuf *pages)
{
	int n;

	strbuf_free(file);
	for (n = 0; n < 3; n++)
		strbuf_free(&pages[n]);
}

START_TEST(everything_the_file_says)
{
	struct strbuf pages[3], file;
	struct file_build b = two_buffers(_i, pages);
	struct recording *rec;
	char message[512];
	uint64_t first, last;

	file = build_file(&b);
	ck_assert_int_eq(open_bytes(&rec, &file, message), 0);
	ck_assert_str_eq(message, "");
	ck_assert_uint_eq(rec->nr_damaged, 0);
	ck_assert_uint_eq(rec->file_version, b.version);
	ck_assert_uint_eq(rec->big_endian, b.big_endian);
	ck_assert_uint_eq(rec->layout.long_size, b.long_size);
	ck_assert_uint_eq(rec->layout.data_offset, 8 + b.long_size);
	ck_assert_uint_eq(rec->nr_cpus, 2);
	ck_assert_uint_eq(rec->nr_event_formats, 1);
	ck_assert_str_eq(rec->event_formats[0].name, "kmem");
	ck_assert_str_eq(rec->event_formats[0].text, "name: kfree\n");
	ck_assert_ptr_null(rec->kallsyms);
	ck_assert_ptr_null(rec->cmdlines);
	ck_assert_str_eq(recording_release(rec).text, "6.1.0-test");
	ck_assert_str_eq(recording_machine(rec).text, "riscv64");
	ck_assert_uint_eq(rec->nr_meta, 1);
	ck_assert_str_eq(recording_meta(rec, "pagetypeinfo.before")->text,
			 "Page block order: 9\n");
	ck_assert_ptr_null(recording_meta(rec, "pagetypeinfo.after"));

	ck_assert_uint_eq(rec->nr_buffers, 2);
	ck_assert_str_eq(rec->buffers[0].name, "");
	ck_assert_uint_eq(rec->buffers[0].nr_cpus, 1);
	ck_assert_uint_eq(rec->buffers[0].cpus[0].cpu, 1);
	ck_assert_str_eq(rec->buffers[1].name, "slab");
	ck_assert_uint_eq(rec->buffers[1].nr_cpus, 2);
	ck_assert_str_eq(recording_clock(rec, 1), "mono");
	ck_assert_str_eq(recording_clock(rec, 2), "");
	ck_assert_int_eq(recording_time_span(rec, 1, &first, &last), 0);
	ck_assert_uint_eq(first, 151);
	ck_assert_uint_eq(last, 251);

	ck_assert_uint_eq(rec->nr_cpustats, 2);
	ck_assert_uint_eq(rec->cpustats[0].buffer, 0);
	ck_assert_uint_eq(rec->cpustats[1].buffer, 1);
	ck_assert_uint_eq(rec->cpustats[1].cpu, 1);
	ck_assert_uint_eq(rec->cpustats[1].entries, 5);
	ck_assert_uint_eq(rec->cpustats[1].overrun, 6);
	ck_assert_uint_eq(rec->cpustats[1].commit_overrun, 7);
	ck_assert_uint_eq(rec->cpustats[1].bytes, 8);
	ck_assert_uint_eq(rec->cpustats[1].dropped_events, 9);
	ck_assert_uint_eq(rec->cpustats[1].read_events, 10);
	recording_close(rec);
	free_all(&file, pages);
}
END_TEST

START_TEST(claims_are_bounded)
{
	struct strbuf pages[3], file;
	struct file_build b = two_buffers(_i, pages);
	struct recording *rec;
	char message[512];
	int err;

	/* More CPUs than the bytes can describe. */
	b.claim_cpus = UINT32_MAX;
	file = build_file(&b);
	err = open_bytes(&rec, &file, message);
	ck_assert_str_ne(message, "");
	ck_assert_int_eq(err, 0);
	ck_assert_uint_ge(rec->nr_damaged, 1);
	ck_assert_uint_eq(rec->nr_buffers, 2);
	ck_assert_uint_eq(rec->buffers[1].nr_cpus, 2);
	ck_assert_uint_eq(rec->nr_cpus, 2);
	recording_close(rec);
	strbuf_free(&file);

	/* Data larger than the file is clipped once, not for each CPU. */
	b.claim_cpus = 0;
	b.claim_cpu_size = 1ULL << 60;
	file = build_file(&b);
	ck_assert_int_eq(open_bytes(&rec, &file, message), 0);
	ck_assert_uint_ge(rec->nr_damaged, 2);
	ck_assert_uint_le(rec->buffers[0].cpus[0].offset + rec->buffers[0].cpus[0].size,
			  file.size);
	recording_close(rec);
	free_all(&file, pages);
}
END_TEST

START_TEST(options_in_a_circle_end)
{
	struct strbuf pages[3], file;
	struct file_build b = two_buffers(0, pages);
	struct recording *rec;
	char message[512];

	b.options_loop = true;
	file = build_file(&b);
	ck_assert_int_eq(open_bytes(&rec, &file, message), 0);
	ck_assert_uint_eq(rec->nr_damaged, 1);
	ck_assert_uint_eq(rec->nr_buffers, 2);
	ck_assert_ptr_nonnull(strstr(message, "loop"));
	recording_close(rec);
	free_all(&file, pages);
}
END_TEST

static void refuse(const struct strbuf *file, int want, const char *says)
{
	struct recording *rec;
	char message[512];

	ck_assert_int_eq(open_bytes(&rec, file, message), want);
	ck_assert_ptr_null(rec);
	ck_assert_msg(strstr(message, says), "'%s' lacks '%s'", message, says);
}

START_TEST(what_is_not_read_is_said)
{
	struct strbuf pages[3], file, other = { 0 };
	struct file_build b = two_buffers(4, pages);

	b.tag = "latency  ";
	file = build_file(&b);
	refuse(&file, -ENOTSUP, "latency");
	strbuf_free(&file);

	b = (struct file_build){ .version = 7, .long_size = 8, .page_size = 4096 };
	b.compression = "lz77";
	file = build_file(&b);
	refuse(&file, -ENOTSUP, "lz77");
	strbuf_free(&file);

	b.compression = NULL;
	file = build_file(&b);
	refuse(&file, -EBADMSG, "no ring buffer");
	strbuf_free(&file);

	b.version = 8;
	file = build_file(&b);
	refuse(&file, -ENOTSUP, "version 8");

	strbuf_puts(&other, "not a recording at all");
	refuse(&other, -EPROTO, "not a trace.dat file");
	strbuf_reset(&other);
	refuse(&other, -EPROTO, "not a trace.dat file");
	strbuf_free(&other);
	free_all(&file, pages);
}
END_TEST

START_TEST(clocks)
{
	ck_assert(recording_clock_is_ns("local"));
	ck_assert(recording_clock_is_ns("mono_raw"));
	ck_assert(!recording_clock_is_ns("counter"));
	ck_assert(!recording_clock_is_ns("uptime"));
	ck_assert(!recording_clock_is_ns("x86-tsc"));
}
END_TEST

Suite *test_recording_suite(void)
{
	Suite *s = suite_create("recording/recording");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, everything_the_file_says, 0, 8);
	tcase_add_loop_test(tc, claims_are_bounded, 0, 8);
	tcase_add_test(tc, options_in_a_circle_end);
	tcase_add_test(tc, what_is_not_read_is_said);
	tcase_add_test(tc, clocks);
	suite_add_tcase(s, tc);
	return s;
}
