// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: streams: whole, truncated and damaged.
 * In: streams that the sender writes here. Out: what the reader gets.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/recording.h"
#include "recording/wire.h"

Suite *test_wire_suite(void);

#define PAGE 4096U

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static char early_name[] = "slabinfo.before", early_text[] = "before";
static char late_name[] = "slabinfo.after", late_text[] = "after";
static char system_name[] = "kmem", format_text[] = "name: kfree\nID: 500\nformat:\n";

struct stream {
	uint8_t *data;
	size_t size;
	size_t starts; /* offset of the first record with pages */
};

static void send_pages(struct wire *w, uint32_t cpu, unsigned int pages, char fill)
{
	char *data = malloc((size_t)pages * PAGE);

	for (unsigned int i = 0; i < pages; i++)
		memset(data + (size_t)i * PAGE, fill + (int)i, PAGE);
	ck_assert_int_eq(wire_pages(w, cpu, data, (size_t)pages * PAGE), 0);
	free(data);
}

/* CPU 2 has the pages a b c d, CPU 0 the pages m n, sent in turns. */
static struct stream make_stream(bool late_symbols)
{
	char stats_text[] = "CPU: 0\nentries: 5\noverrun: 7\n";
	const struct recording_text stats[] = { { .text = stats_text } };
	struct recording_text event = { system_name, format_text, strlen(format_text) };
	struct recording_text meta[] = { { early_name, early_text, strlen(early_text) },
					 { late_name, late_text, strlen(late_text) } };
	static const char symbols[] = "ffffffff81000000 T _stext\n";
	struct writer_facts facts = { .page_size = PAGE,
				      .header_page = header_page,
				      .header_event = "# entry\n",
				      .event_formats = &event,
				      .nr_event_formats = 1,
				      .kallsyms = symbols,
				      .kallsyms_size = late_symbols ? 0 : 26,
				      .cmdlines = "1 init\n",
				      .uname = "Linux host 6.18.0 x86_64",
				      .writer_version = "kmemx 0",
				      .trace_clock = "local global [mono]\n",
				      .nr_cpus = 3,
				      .meta = meta,
				      .nr_meta = 1 };
	struct wire w = { .fd = memfd_create("stream", 0) };
	struct stream s = { 0 };

	ck_assert_int_eq(wire_start(&w, &facts), 0);
	s.starts = (size_t)w.bytes;
	send_pages(&w, 2, 1, 'a');
	send_pages(&w, 0, 2, 'm');
	send_pages(&w, 2, 3, 'b');
	facts.cmdlines = "1 init\n7 late\n";
	facts.cpustats = stats;
	facts.nr_cpustats = 1;
	facts.nr_meta = 2;
	facts.kallsyms_size = strlen(symbols);
	ck_assert_int_eq(wire_finish(&w, &facts), 0);
	s.size = (size_t)w.bytes;
	s.data = malloc(s.size);
	ck_assert_int_eq(pread(w.fd, s.data, s.size, 0), (ssize_t)s.size);
	close(w.fd);
	return s;
}

static int open_stream(struct recording **rec, const uint8_t *data, size_t size)
{
	struct source src;

	source_open_memory(&src, data, size);
	return recording_open(rec, &src, "stream", NULL);
}

/* The pages of the CPU at @index must be filled with @fills. */
static void check_cpu(const struct recording *rec, uint32_t index, uint32_t cpu,
		      const char *fills)
{
	const struct recording_cpu *c = &rec->buffers[0].cpus[index];
	uint8_t page[PAGE];

	ck_assert_uint_lt(index, rec->buffers[0].nr_cpus);
	ck_assert_uint_eq(c->cpu, cpu);
	ck_assert_uint_eq(c->size, strlen(fills) * PAGE);
	for (size_t i = 0; fills[i]; i++) {
		ck_assert_int_eq(source_read(&rec->src, page, PAGE, c->offset + i * PAGE),
				 0);
		ck_assert_int_eq(page[0], fills[i]);
		ck_assert_int_eq(page[PAGE - 1], fills[i]);
	}
}

/* The symbols are at the beginning or, if room was short, at the end. */
START_TEST(test_whole)
{
	struct stream s = make_stream(_i);
	uint8_t both[2 * PAGE];
	struct recording *rec;

	ck_assert_int_eq(open_stream(&rec, s.data, s.size), 0);
	ck_assert_uint_eq(rec->nr_damaged, 0);
	ck_assert(rec->stream);
	ck_assert_uint_eq(rec->file_bytes, s.size);
	ck_assert_uint_eq(rec->nr_buffers, 1);
	ck_assert_str_eq(rec->buffers[0].clock, "mono");
	ck_assert_uint_eq(rec->nr_cpus, 3);
	check_cpu(rec, 0, 0, "mn");
	check_cpu(rec, 1, 2, "abcd");
	/* A read across the boundary of two records. */
	ck_assert_int_eq(source_read(&rec->src, both, sizeof(both),
				     rec->buffers[0].cpus[1].offset + PAGE / 2),
			 0);
	ck_assert_int_eq(both[0], 'a');
	ck_assert_int_eq(both[PAGE / 2], 'b');
	ck_assert_int_eq(both[2 * PAGE - 1], 'c');
	ck_assert_str_eq(rec->cmdlines, "1 init\n7 late\n");
	ck_assert_str_eq(recording_meta(rec, early_name)->text, early_text);
	ck_assert_str_eq(recording_meta(rec, late_name)->text, late_text);
	ck_assert_uint_eq(rec->nr_meta, 2);
	ck_assert_uint_eq(rec->nr_cpustats, 1);
	ck_assert_uint_eq(rec->cpustats[0].overrun, 7);
	ck_assert_str_eq(rec->event_formats[0].text, format_text);
	ck_assert_str_eq(rec->kallsyms, "ffffffff81000000 T _stext\n");
	recording_close(rec);
	free(s.data);
}
END_TEST

/* Truncated anywhere, all whole sub-buffers that arrived are readable, and a message says that the
 * stream is truncated.
 */
START_TEST(test_cut)
{
	struct stream s = make_stream(false);

	for (size_t size = 0; size < s.size; size++) {
		uint8_t *copy = malloc(size ? size : 1);
		struct recording *rec;
		uint64_t pages = 0;
		int err;

		memcpy(copy, s.data, size);
		err = open_stream(&rec, copy, size);
		if (err) {
			ck_assert_uint_lt(size, s.starts);
			ck_assert(err == -EPROTO || err == -EBADMSG);
			free(copy);
			continue;
		}
		ck_assert_uint_ge(rec->nr_damaged, 1);
		for (uint32_t i = 0; i < rec->buffers[0].nr_cpus; i++)
			pages += rec->buffers[0].cpus[i].size / PAGE;
		/* Six pages after three record headers. */
		if (size >= s.starts + 6 * PAGE + 3 * WIRE_RECORD_SIZE)
			ck_assert_uint_eq(pages, 6);
		else if (size >= s.starts + WIRE_RECORD_SIZE + PAGE)
			ck_assert_uint_ge(pages + 1, (size - s.starts) / PAGE);
		recording_close(rec);
		free(copy);
	}
	free(s.data);
}
END_TEST

/* Changes any byte of the metadata: no crash, no read out of bounds (ASan). */
START_TEST(test_damaged)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	struct stream s = make_stream(false);
	uint8_t page[PAGE];

	for (size_t at = 0; at < s.size; at += at < s.starts + 32 ? 1 : 61) {
		struct recording *rec;
		uint8_t flip = flips[at % 3];

		s.data[at] ^= flip;
		if (!open_stream(&rec, s.data, s.size)) {
			for (uint32_t i = 0; i < rec->buffers[0].nr_cpus; i++)
				ck_assert_int_eq(
					source_read(&rec->src, page, sizeof(page) - 1,
						    rec->buffers[0].cpus[i].offset),
					0);
			recording_close(rec);
		}
		s.data[at] ^= flip;
	}
	free(s.data);
}
END_TEST

/* The writer reports that the reader is gone or the disk full. */
START_TEST(test_write_errors)
{
	struct wire w = { .fd = open("/dev/full", O_WRONLY | O_CLOEXEC) };
	char page[PAGE] = { 0 };

	ck_assert_int_ge(w.fd, 0);
	ck_assert_int_eq(wire_pages(&w, 0, page, sizeof(page)), -ENOSPC);
	close(w.fd);
}
END_TEST

Suite *test_wire_suite(void)
{
	Suite *s = suite_create("recording/wire");
	TCase *tc = tcase_create("wire");

	tcase_add_loop_test(tc, test_whole, 0, 2);
	tcase_add_test(tc, test_cut);
	tcase_add_test(tc, test_damaged);
	tcase_add_test(tc, test_write_errors);
	suite_add_tcase(s, tc);
	return s;
}
