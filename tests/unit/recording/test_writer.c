// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the writer, checked with the reader.
 * In: facts and parts made here. Out: checks of both file versions.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/cpu_cursor.h"
#include "recording/cpu_regions.h"
#include "recording/recording.h"
#include "recording/writer.h"

Suite *test_writer_suite(void);

#define PAGE 4096U

#define TO(f) (&(struct writer_out){ .fd = (f) })

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static struct recording_text text(const char *name, const char *content)
{
	return (struct recording_text){ (char *)name, (char *)content, strlen(content) };
}

static int make_part(unsigned int pages, char fill)
{
	int fd = memfd_create("part", 0);
	char page[PAGE];

	ck_assert_int_ge(fd, 0);
	for (unsigned int i = 0; i < pages; i++) {
		memset(page, fill + (int)i, sizeof(page));
		ck_assert_int_eq(write(fd, page, sizeof(page)), PAGE);
	}
	return fd;
}

/* Facts with all fields set. */
static struct writer_facts some_facts(unsigned int version)
{
	static struct recording_text ftrace[1], events[3], stats[2], meta[2];

	stats[0] = text("cpustat", "CPU: 0\nentries: 5\noverrun: 7\n");
	stats[1] = text("cpustat", "CPU: 3\nentries: 6\noverrun: 0\n");
	ftrace[0] =
		text("ftrace", "name: kernel_stack\nID: 4\nformat:\n\nprint fmt: \"\"\n");
	events[0] = text("kmem", "name: kfree\nID: 500\nformat:\n\nprint fmt: \"\"\n");
	events[1] = text("kmem", "name: kmalloc\nID: 501\nformat:\n\nprint fmt: \"\"\n");
	events[2] = text("sched",
			 "name: sched_switch\nID: 300\nformat:\n\nprint fmt: \"\"\n");
	meta[0] = text("slabinfo.before", "slabinfo - version: 2.1\n");
	meta[1] = text("build_id", "48dc540c");
	return (struct writer_facts){
		.file_version = version,
		.page_size = PAGE,
		.header_page = header_page,
		.header_event = "# compressed entry header\n",
		.ftrace_formats = ftrace,
		.nr_ftrace_formats = 1,
		.event_formats = events,
		.nr_event_formats = 3,
		.kallsyms = "ffffffff81000000 T _stext\n",
		.kallsyms_size = strlen("ffffffff81000000 T _stext\n"),
		.printk_formats = NULL,
		.cmdlines = "1 init\n2 kthreadd\n",
		.uname = "Linux host 6.18.0 x86_64",
		.writer_version = "kmemx 0",
		.trace_clock = "local global [mono]\n",
		.clock = "mono",
		.nr_cpus = 5,
		.cpustats = stats,
		.nr_cpustats = 2,
		.meta = meta,
		.nr_meta = 2,
	};
}

static struct recording *read_back(int fd)
{
	struct recording *rec = NULL;
	struct source src;
	int copy = dup(fd);

	ck_assert_int_eq(source_open_fd(&src, copy), 0);
	ck_assert_int_eq(recording_open(&rec, &src, "test", NULL), 0);
	ck_assert_uint_eq(rec->nr_damaged, 0);
	return rec;
}

static void check_pages(const struct recording *rec, uint32_t cpu, unsigned int pages,
			char fill)
{
	const struct recording_buffer *b = &rec->buffers[0];
	char page[PAGE];

	for (uint32_t i = 0; i < b->nr_cpus; i++) {
		if (b->cpus[i].cpu != cpu)
			continue;
		ck_assert_uint_eq(b->cpus[i].size, (uint64_t)pages * PAGE);
		ck_assert_uint_eq(b->cpus[i].offset % PAGE, 0);
		for (unsigned int p = 0; p < pages; p++) {
			ck_assert_int_eq(source_read(&rec->src, page, PAGE,
						     b->cpus[i].offset + p * PAGE),
					 0);
			ck_assert_int_eq(page[0], (char)(fill + (int)p));
			ck_assert_int_eq(page[PAGE - 1], (char)(fill + (int)p));
		}
		return;
	}
	ck_assert_uint_eq(pages, 0);
}

static void check_facts(const struct recording *rec, unsigned int version)
{
	const struct writer_facts f = some_facts(version);

	ck_assert_uint_eq(rec->file_version, version);
	ck_assert_uint_eq(rec->page_size, PAGE);
	ck_assert_uint_eq(rec->nr_cpus, 5);
	ck_assert_str_eq(rec->header_page, header_page);
	ck_assert_uint_eq(rec->nr_ftrace_formats, 1);
	ck_assert_str_eq(rec->ftrace_formats[0].text, f.ftrace_formats[0].text);
	ck_assert_uint_eq(rec->nr_event_formats, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_str_eq(rec->event_formats[i].name, f.event_formats[i].name);
		ck_assert_str_eq(rec->event_formats[i].text, f.event_formats[i].text);
	}
	ck_assert_str_eq(rec->kallsyms, f.kallsyms);
	ck_assert_str_eq(rec->cmdlines, f.cmdlines);
	ck_assert_str_eq(rec->uname, f.uname);
	ck_assert_str_eq(rec->writer_version, f.writer_version);
	ck_assert_str_eq(recording_clock(rec, 0), "mono");
	ck_assert_uint_eq(rec->nr_cpustats, 2);
	ck_assert_uint_eq(rec->cpustats[0].overrun, 7);
	ck_assert_uint_eq(rec->cpustats[1].cpu, 3);
	ck_assert_str_eq(recording_meta(rec, "build_id")->text, "48dc540c");
	ck_assert_str_eq(recording_meta(rec, "slabinfo.before")->text,
			 "slabinfo - version: 2.1\n");
	ck_assert_ptr_null(recording_meta(rec, "slabinfo.after"));
	ck_assert_uint_eq(rec->nr_buffers, 1);
	ck_assert_str_eq(rec->buffers[0].name, "");
}

/* _i: bit 0 chooses the version, bit 1 whether parts are consumed. */
START_TEST(test_read_back)
{
	unsigned int version = _i & 1 ? 6 : 7;
	bool consume = _i & 2;
	struct writer_facts facts = some_facts(version);
	/* More than two chunks, so that consuming takes several steps. */
	const unsigned int big = 2 * WRITER_CHUNK / PAGE + 3;
	struct writer_part parts[] = {
		{ 0, make_part(3, 'a'), 3 * PAGE, consume, 0 },
		{ 3, make_part(big, 'k'), (uint64_t)big * PAGE, consume, 0 },
	};
	int fd = memfd_create("recording", 0);
	struct writer_out out = { .fd = fd };
	struct recording *rec;
	struct stat st;

	ck_assert_int_eq(writer_write(&out, &facts, parts, 2), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(out.bytes, st.st_size);
	rec = read_back(fd);
	check_facts(rec, version);
	check_pages(rec, 0, 3, 'a');
	check_pages(rec, 1, 0, 0);
	check_pages(rec, 3, big, 'k');
	recording_close(rec);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(fstat(parts[i].fd, &st), 0);
		ck_assert_uint_eq(st.st_size, consume ? 0 : parts[i].size);
		close(parts[i].fd);
	}
	close(fd);
}
END_TEST

START_TEST(test_no_events)
{
	struct writer_facts facts = some_facts(_i & 1 ? 6 : 7);
	int fd = memfd_create("recording", 0);
	struct recording *rec;

	ck_assert_int_eq(writer_write(TO(fd), &facts, NULL, 0), 0);
	rec = read_back(fd);
	check_facts(rec, facts.file_version);
	recording_close(rec);
	close(fd);
}
END_TEST

/* A minimal system: no symbols, no statistics, no metadata. */
START_TEST(test_few_facts)
{
	struct writer_facts facts = { .file_version = _i & 1 ? 6 : 7,
				      .page_size = 65536,
				      .header_page = header_page,
				      .clock = "local",
				      .nr_cpus = 1 };
	int fd = memfd_create("recording", 0);
	struct recording *rec;

	ck_assert_int_eq(writer_write(TO(fd), &facts, NULL, 0), 0);
	rec = read_back(fd);
	ck_assert_uint_eq(rec->page_size, 65536);
	ck_assert_uint_eq(rec->nr_event_formats, 0);
	ck_assert_uint_eq(rec->kallsyms_size, 0);
	recording_close(rec);
	close(fd);
}
END_TEST

START_TEST(test_refuses)
{
	struct writer_facts facts = some_facts(7);
	struct writer_part parts[] = { { 0, -1, PAGE, false, 0 },
				       { 0, -1, PAGE, false, 0 } };
	int fd = memfd_create("recording", 0);

	ck_assert_int_eq(writer_write(TO(fd), &facts, parts, 2), -EINVAL);
	parts[0].size = 100;
	ck_assert_int_eq(writer_write(TO(fd), &facts, parts, 1), -EINVAL);
	parts[0] = (struct writer_part){ 5, -1, PAGE, false, 0 };
	ck_assert_int_eq(writer_write(TO(fd), &facts, parts, 1), -EINVAL);
	facts.file_version = 5;
	ck_assert_int_eq(writer_write(TO(fd), &facts, NULL, 0), -EINVAL);
	close(fd);
}
END_TEST

/* Errors of copies and writes are returned. */
START_TEST(test_errors)
{
	struct writer_facts facts = some_facts(7);
	struct writer_part part = { 0, -1, PAGE, false, 0 };
	int fd = memfd_create("recording", MFD_ALLOW_SEALING);

	ck_assert_int_eq(writer_write(TO(fd), &facts, &part, 1), -EBADF);
	part.fd = make_part(1, 'x'); /* shorter than it claims */
	part.size = 2 * PAGE;
	ck_assert_int_eq(writer_write(TO(fd), &facts, &part, 1), -ENODATA);
	close(part.fd);
	close(fd);
	fd = open("/dev/full", O_RDWR);
	if (fd >= 0) {
		ck_assert_int_eq(writer_write(TO(fd), &facts, NULL, 0), -ENOSPC);
		close(fd);
	}
}
END_TEST

/* Opens an unnamed file on this disk, because not every filesystem can have regions. */
static int disk_file(void)
{
	char name[] = "./regions.XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0)
		fd = memfd_create("recording", 0);
	else
		unlink(name);
	ck_assert_int_ge(fd, 0);
	return fd;
}

/* Makes a part of @pages pages of @fill at @offset of @fd. */
static struct writer_part region_part(int fd, uint32_t cpu, uint64_t offset,
				      unsigned int pages, char fill)
{
	char page[PAGE];

	for (unsigned int i = 0; i < pages; i++) {
		memset(page, fill + (int)i, sizeof(page));
		ck_assert_int_eq(pwrite(fd, page, PAGE, (off_t)(offset + i * PAGE)),
				 PAGE);
	}
	return (struct writer_part){ cpu, fd, (uint64_t)pages * PAGE, false, offset };
}

START_TEST(test_join)
{
	struct writer_facts facts = some_facts(_i & 1 ? 6 : 7);
	int fd = disk_file();
	struct writer_part parts[2];
	struct cpu_regions r;
	struct recording *rec;
	struct writer_out out = { .fd = fd };
	struct stat st;

	if (cpu_regions_probe(fd, 3, PAGE, &r)) {
		close(fd);
		return; /* test_no_regions() covers this case */
	}
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	parts[0] = region_part(fd, 0, cpu_regions_start(&r, 0), 3, 'a');
	/* The CPU in between is empty; an incomplete page follows the last whole one. */
	parts[1] = region_part(fd, 3, cpu_regions_start(&r, 2), 5, 'k');
	ck_assert_int_eq(pwrite(fd, "torn", 4, (off_t)(parts[1].offset + 5 * PAGE)), 4);
	ck_assert_int_eq(writer_join(&out, &facts, parts, 2, r.block), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(out.bytes, st.st_size);
	ck_assert_uint_lt(out.bytes, 64 * PAGE);
	rec = read_back(fd);
	check_facts(rec, facts.file_version);
	check_pages(rec, 0, 3, 'a');
	check_pages(rec, 1, 0, 0);
	check_pages(rec, 3, 5, 'k');
	recording_close(rec);
	close(fd);
}
END_TEST

START_TEST(test_join_no_events)
{
	struct writer_facts facts = some_facts(_i & 1 ? 6 : 7);
	int fd = disk_file();
	struct recording *rec;

	ck_assert_int_eq(writer_join(TO(fd), &facts, NULL, 0, PAGE), 0);
	rec = read_back(fd);
	check_facts(rec, facts.file_version);
	recording_close(rec);
	close(fd);
}
END_TEST

/* Parts that overlap the metadata or each other are refused. */
START_TEST(test_join_refuses)
{
	struct writer_facts facts = some_facts(7);
	int fd = memfd_create("recording", 0);
	struct writer_part parts[] = { { 0, -1, 2 * PAGE, false, 16 * PAGE },
				       { 1, -1, PAGE, false, 17 * PAGE } };

	ck_assert_int_eq(writer_join(TO(fd), &facts, parts, 2, PAGE), -EINVAL);
	parts[1].offset = 18 * PAGE + 1;
	ck_assert_int_eq(writer_join(TO(fd), &facts, parts, 2, PAGE), -EINVAL);
	parts[0].offset = 0;
	ck_assert_int_eq(writer_join(TO(fd), &facts, parts, 1, PAGE), -EFBIG);
	close(fd);
}
END_TEST

/* Files in memory cannot have regions, and no file has room for a million CPUs. */
START_TEST(test_no_regions)
{
	struct cpu_regions r;
	struct stat st;
	int fd = memfd_create("recording", 0);

	ck_assert_int_eq(cpu_regions_probe(fd, 2, PAGE, &r), -EOPNOTSUPP);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	ck_assert_int_eq(cpu_regions_take_out(fd, PAGE, PAGE), 0);
	ck_assert_int_eq(cpu_regions_take_out(fd, PAGE, 0), -EINVAL);
	close(fd);
	fd = disk_file();
	ck_assert_int_eq(cpu_regions_probe(fd, 1000000, PAGE, &r), -EOPNOTSUPP);
	ck_assert_int_eq(cpu_regions_probe(fd, 0, PAGE, &r), -EOPNOTSUPP);
	close(fd);
}
END_TEST

/* Valid sub-buffers: full pages, each a microsecond after the previous one. */
static struct writer_part real_part(int fd, uint32_t cpu, uint64_t offset,
				    unsigned int pages)
{
	uint8_t page[PAGE];

	for (unsigned int i = 0; i < pages; i++) {
		const uint64_t head[] = { 1000 * i, PAGE - 16 };

		for (size_t at = 0; at < PAGE; at++)
			page[at] = (uint8_t)(at * at / 7 + i * 31 + cpu);
		memcpy(page, head, sizeof(head));
		ck_assert_int_eq(pwrite(fd, page, PAGE, (off_t)(offset + i * PAGE)),
				 PAGE);
	}
	return (struct writer_part){ cpu, fd, (uint64_t)pages * PAGE, false, offset };
}

/* Checks that every byte of every page is that of @part. */
static void check_cursor(const struct recording *rec, uint32_t buffer, uint32_t index,
			 const struct writer_part *part)
{
	struct cpu_cursor *cur;
	struct subbuf sb;
	uint8_t page[PAGE];

	ck_assert_uint_eq(rec->buffers[buffer].cpus[index].cpu, part->cpu);
	ck_assert_int_eq(cpu_cursor_open(&cur, rec, buffer, index, NULL), 0);
	for (uint64_t at = 0; at < part->size; at += PAGE) {
		ck_assert_int_eq(cpu_cursor_next(cur, &sb), 1);
		ck_assert_int_eq(pread(part->fd, page, PAGE, (off_t)(part->offset + at)),
				 PAGE);
		ck_assert_uint_eq(sb.size, PAGE - 16);
		ck_assert_mem_eq(sb.data, page + 16, PAGE - 16);
	}
	ck_assert_int_eq(cpu_cursor_next(cur, &sb), 0);
	cpu_cursor_close(cur);
}

static void check_chunks(const struct recording *rec, uint32_t index, uint32_t nr)
{
	uint8_t count[4];

	ck_assert_int_eq(source_read(&rec->src, count, sizeof(count),
				     rec->buffers[0].cpus[index].offset),
			 0);
	ck_assert_uint_eq(get_u32(count, HOST_BIG_ENDIAN), nr);
}

/* Full chunks and a partial one; a CPU with one page, and one with less than a chunk. */
START_TEST(test_compress)
{
	struct writer_facts facts = some_facts(7);
	int from = memfd_create("regions", 0), fd = memfd_create("recording", 0);
	const struct writer_part parts[] = { real_part(from, 0, 4096, 600),
					     real_part(from, 2, 16 << 20, 1),
					     real_part(from, 4, 32 << 20, 20) };
	struct writer_out out = { .fd = fd };
	struct recording *rec;
	struct stat st;

	if (!writer_can_compress()) {
		ck_assert_int_eq(writer_compress(TO(fd), &facts, parts, 3), -ENOTSUP);
		return;
	}
	ck_assert_int_eq(writer_compress(&out, &facts, parts, 3), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(out.bytes, st.st_size);
	ck_assert_uint_lt(out.bytes, 600 * PAGE);
	rec = read_back(fd);
	check_facts(rec, 7);
	ck_assert_int_eq(rec->compression, COMPRESSION_ZSTD);
	ck_assert(rec->buffers[0].compressed);
	ck_assert_uint_eq(rec->buffers[0].nr_cpus, 3);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(rec->buffers[0].cpus[i].offset % PAGE, 0);
		check_cursor(rec, 0, i, &parts[i]);
	}
	check_chunks(rec, 0, 19);
	check_chunks(rec, 1, 1);
	check_chunks(rec, 2, 1);
	recording_close(rec);
	close(from);
	close(fd);
}
END_TEST

#define MANY 300

/* Readers hold a chunk of each CPU, so more CPUs have smaller chunks. */
START_TEST(test_compress_many)
{
	struct writer_facts facts = some_facts(7);
	int from = memfd_create("regions", 0), fd = memfd_create("recording", 0);
	struct writer_part parts[MANY];
	struct recording *rec;

	if (!writer_can_compress())
		return;
	facts.nr_cpus = MANY;
	for (uint32_t i = 0; i < MANY; i++)
		parts[i] = real_part(from, i, (uint64_t)i << 20, 9);
	ck_assert_int_eq(writer_compress(TO(fd), &facts, parts, MANY), 0);
	rec = read_back(fd);
	ck_assert_uint_eq(rec->buffers[0].nr_cpus, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		check_cursor(rec, 0, i, &parts[i]);
		check_chunks(rec, i, 3);
	}
	recording_close(rec);
	close(from);
	close(fd);
}
END_TEST

enum way { WAY_WRITE, WAY_JOIN, WAY_COMPRESS, NR_WAYS };

static int write_in(enum way way, int fd, const struct writer_facts *facts,
		    const struct writer_part *parts, size_t nr, uint32_t block)
{
	if (way == WAY_COMPRESS)
		return writer_compress(TO(fd), facts, parts, nr);
	if (way == WAY_JOIN)
		return writer_join(TO(fd), facts, parts, nr, block);
	return writer_write(TO(fd), facts, parts, nr);
}

/* Frees have their own ring buffer, in each way of writing; either buffer may be empty. */
START_TEST(test_frees)
{
	const enum way way = (enum way)(_i % NR_WAYS);
	struct writer_facts facts = some_facts(_i / NR_WAYS & 1 ? 6 : 7);
	const bool top = _i / (NR_WAYS * 2) != 1, frees = _i / (NR_WAYS * 2) != 2;
	int fd = disk_file(), from = way == WAY_JOIN ? fd : memfd_create("parts", 0);
	struct writer_part parts[4], kept[4];
	struct cpu_regions r = { 4096, 4 << 20, PAGE };
	struct writer_instance in;
	struct recording *rec;
	size_t nr = 0, nr_top;

	if ((way == WAY_JOIN && cpu_regions_probe(fd, 4, PAGE, &r)) ||
	    (way == WAY_COMPRESS && (facts.file_version == 6 || !writer_can_compress())))
		goto out;
	for (uint32_t i = 0; i < 4; i++)
		if (i < 2 ? top : frees) {
			parts[nr] = real_part(from, i % 2 * 3, cpu_regions_start(&r, i),
					      3 + 10 * i);
			parts[nr++].cpu += i < 2 ? 0 : RECORDING_FREES_CPU;
		}
	nr_top = writer_take_frees(&facts, parts, nr, &in);
	ck_assert_uint_eq(nr_top, top ? 2 : 0);
	ck_assert_uint_eq(facts.nr_instances, frees);
	/* Copies for comparison: joining moves the pages. */
	for (uint32_t i = 0; i < nr; i++) {
		int copy = memfd_create("kept", 0);

		kept[i] = real_part(copy, parts[i].cpu, 0,
				    (unsigned int)(parts[i].size / PAGE));
	}
	ck_assert_int_eq(write_in(way, fd, &facts, parts, nr_top, r.block), 0);
	rec = read_back(fd);
	ck_assert_uint_eq(rec->file_version, facts.file_version);
	ck_assert_uint_eq(rec->nr_buffers, 1U + frees);
	if (frees)
		ck_assert_str_eq(rec->buffers[1].name, RECORDING_FREES);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t buffer = i >= nr_top;
		uint32_t index = 0;

		while (index < rec->buffers[buffer].nr_cpus &&
		       rec->buffers[buffer].cpus[index].cpu != kept[i].cpu)
			index++;
		ck_assert_uint_lt(index, rec->buffers[buffer].nr_cpus);
		check_cursor(rec, buffer, index, &kept[i]);
		close(kept[i].fd);
	}
	recording_close(rec);
out:
	if (from != fd)
		close(from);
	close(fd);
}
END_TEST

START_TEST(test_compress_errors)
{
	struct writer_facts facts = some_facts(6);
	struct writer_part part = { 0, make_part(1, 'x'), 2 * PAGE, false, 0 };
	int fd = memfd_create("recording", 0);

	if (!writer_can_compress())
		return;
	ck_assert_int_eq(writer_compress(TO(fd), &facts, NULL, 0), -EINVAL);
	facts.file_version = 7;
	ck_assert_int_eq(writer_compress(TO(fd), &facts, &part, 1), -ENODATA);
	part.size = 100;
	ck_assert_int_eq(writer_compress(TO(fd), &facts, &part, 1), -EINVAL);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(writer_compress(TO(fd), &facts, NULL, 0), 0);
	recording_close(read_back(fd));
	close(part.fd);
	close(fd);
	fd = open("/dev/full", O_RDWR);
	if (fd >= 0) {
		ck_assert_int_eq(writer_compress(TO(fd), &facts, NULL, 0), -ENOSPC);
		close(fd);
	}
}
END_TEST

Suite *test_writer_suite(void)
{
	Suite *s = suite_create("recording/writer");
	TCase *tc = tcase_create("writer");

	tcase_add_loop_test(tc, test_read_back, 0, 4);
	tcase_add_loop_test(tc, test_no_events, 0, 2);
	tcase_add_loop_test(tc, test_few_facts, 0, 2);
	tcase_add_test(tc, test_refuses);
	tcase_add_test(tc, test_errors);
	tcase_add_loop_test(tc, test_join, 0, 2);
	tcase_add_loop_test(tc, test_join_no_events, 0, 2);
	tcase_add_test(tc, test_join_refuses);
	tcase_add_test(tc, test_no_regions);
	tcase_add_loop_test(tc, test_frees, 0, NR_WAYS * 6);
	tcase_add_test(tc, test_compress);
	tcase_add_test(tc, test_compress_many);
	tcase_add_test(tc, test_compress_errors);
	suite_add_tcase(s, tc);
	return s;
}
