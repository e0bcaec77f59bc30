// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: finds the files of a killed recorder and makes a recording of them.
 * In: unfinished files made here. Out: checks of names, of the layout and of the result.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "capture/events/leftover.h"
#include "capture/file/recover.h"
#include "capture/file/unfinished.h"
#include "recording/wire.h"
#include "source_file.h"

Suite *test_recover_suite(void);

#define PAGE  4096U
#define TOKEN "0123456789abcdef"

static char directory[] = "./recover.XXXXXX";

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static void make_directory(void)
{
	snprintf(directory, sizeof(directory), "./recover.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
}

/* Returns the number of files in the directory; with @remove deletes them and the directory. */
static int each_file(bool remove)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	int nr = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		nr++;
		if (remove)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	closedir(dir);
	if (remove)
		rmdir(directory);
	return nr;
}

static int nr_files(void)
{
	return each_file(false);
}

static void remove_directory(void)
{
	each_file(true);
}

static char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static int create(const char *name)
{
	int fd = open(path_of(name), O_RDWR | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static void put_pages(int fd, uint64_t offset, unsigned int nr)
{
	uint8_t page[PAGE];

	for (unsigned int i = 0; i < nr; i++) {
		const uint64_t head[] = { 5000 + i, PAGE - 16 };

		memset(page, (int)i + 1, sizeof(page));
		memcpy(page, head, sizeof(head));
		ck_assert_int_eq(io_pwrite_all(fd, page, PAGE, offset + i * PAGE), 0);
	}
}

/* Writes the beginning of an unfinished file with the layout of @r. */
static void put_head(int fd, const struct ring_reader *r)
{
	struct recording_text meta[] = { { (char *)"cmdline", (char *)"kmemx record",
					   12 } };
	struct writer_facts facts = { .file_version = 7,
				      .page_size = PAGE,
				      .header_page = header_page,
				      .header_event = "",
				      .kallsyms = "ffffffff81000000 T _stext\n",
				      .kallsyms_size = 26,
				      .uname = "Linux host 6.18.0 x86_64",
				      .cmdlines = "1 init\n",
				      .trace_clock = "local [mono]\n",
				      .clock = "mono",
				      .nr_cpus = 4 };
	struct wire w = { .fd = fd };

	ck_assert_int_eq(unfinished_write(&w, &facts, r), 0);
	facts.meta = meta;
	facts.nr_meta = 1;
	ck_assert_int_eq(unfinished_add(&w, &facts), 0);
}

static struct recording *recover(const char *tmp, int expected)
{
	char *output = strdup(path_of("r.dat"));
	struct recover_result result;
	struct recording *rec = NULL;
	struct leftover l;
	struct source src;

	ck_assert_int_eq(leftover_open(&l, path_of(tmp)), 0);
	ck_assert_str_eq(l.path, output);
	ck_assert_str_eq(l.token, TOKEN);
	ck_assert(leftover_has_pages(&l));
	ck_assert_int_eq(recover_run(&l, output, &result, NULL), expected);
	leftover_close(&l);
	if (!expected) {
		ck_assert(!result.buffers_read);
		ck_assert_int_eq(source_open_file(&src, output), 0);
		ck_assert_int_eq(recording_open(&rec, &src, "test", NULL), 0);
	}
	free(output);
	return rec;
}

static void check_recording(const struct recording *rec)
{
	const struct recording_buffer *b = &rec->buffers[0];

	ck_assert_uint_eq(rec->nr_damaged, 0);
	ck_assert_uint_eq(rec->file_version, 7);
	ck_assert_uint_eq(rec->nr_cpus, 4);
	ck_assert_str_eq(rec->kallsyms, "ffffffff81000000 T _stext\n");
	ck_assert_str_eq(recording_clock(rec, 0), "mono");
	ck_assert_str_eq(recording_meta(rec, "cmdline")->text, "kmemx record");
	ck_assert_ptr_null(recording_meta(rec, UNFINISHED_LAYOUT));
	ck_assert_ptr_nonnull(
		strstr(recording_meta(rec, "recovered")->text, "was killed"));
	ck_assert_uint_eq(b->nr_cpus, 2);
	ck_assert_uint_eq(b->cpus[0].cpu, 1);
	ck_assert_uint_eq(b->cpus[0].size, 3 * PAGE);
	ck_assert_uint_eq(b->cpus[1].cpu, 3);
	ck_assert_uint_eq(b->cpus[1].size, 7 * PAGE);
}

START_TEST(test_files)
{
	const struct ring_reader r = { .nr_cpus = 2,
				       .cpus = (struct ring_reader_cpu[]){
					       { .cpu = 1 }, { .cpu = 3 } } };
	int tmp = create(".r.dat." TOKEN ".tmp"), one = create(".r.dat." TOKEN ".cpu1"),
	    three = create(".r.dat." TOKEN ".cpu3"),
	    none = create(".r.dat." TOKEN ".cpu2");
	struct recording *rec;

	put_head(tmp, &r);
	put_pages(one, 0, 3);
	put_pages(three, 0, 7);
	/* Truncated within a sub-buffer; the sub-buffer before that was never written. */
	ck_assert_int_eq(io_pwrite_all(one, "", 1, 4 * PAGE), 0);
	close(tmp);
	close(one);
	close(three);
	close(none);
	rec = recover(".r.dat." TOKEN ".tmp", 0);
	check_recording(rec);
	recording_close(rec);
	ck_assert_int_eq(nr_files(), 1);
}
END_TEST

/* Recorders leave the files in a directory of their own. */
START_TEST(test_directory)
{
	const struct ring_reader r = { .nr_cpus = 2,
				       .cpus = (struct ring_reader_cpu[]){
					       { .cpu = 1 }, { .cpu = 3 } } };
	static const char in[] = ".r.dat." TOKEN ".tmp/recording.";
	struct recording *rec;
	struct leftover l;
	char name[64];
	int fds[3];

	ck_assert_int_eq(mkdir(path_of(".r.dat." TOKEN ".tmp"), 0700), 0);
	ck_assert(leftover_is_named(path_of(".r.dat." TOKEN ".tmp")));
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		snprintf(name, sizeof(name), "%s%s", in,
			 ((const char *[]){ "tmp", "cpu1", "cpu3" })[i]);
		fds[i] = create(name);
	}
	put_head(fds[0], &r);
	put_pages(fds[1], 0, 3);
	put_pages(fds[2], 0, 7);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
	rec = recover(".r.dat." TOKEN ".tmp", 0);
	check_recording(rec);
	recording_close(rec);
	ck_assert_int_eq(nr_files(), 1);
	/* The recorder was killed before it created a file. */
	ck_assert_int_eq(mkdir(path_of(".r.dat." TOKEN ".tmp"), 0700), 0);
	ck_assert_int_eq(leftover_open(&l, path_of(".r.dat." TOKEN ".tmp")), 0);
	ck_assert(!leftover_has_pages(&l));
	ck_assert_int_eq(leftover_remove(&l), 0);
	leftover_close(&l);
	ck_assert_int_eq(nr_files(), 1);
}
END_TEST

START_TEST(test_regions)
{
	struct ring_reader r = { .nr_cpus = 3,
				 .cpus = (struct ring_reader_cpu[]){
					 { .cpu = 1 }, { .cpu = 2 }, { .cpu = 3 } } };
	int tmp = create(".r.dat." TOKEN ".tmp");
	struct recording *rec;

	if (cpu_regions_probe(tmp, 3, PAGE, &r.regions)) {
		close(tmp);
		return;
	}
	put_head(tmp, &r);
	put_pages(tmp, cpu_regions_start(&r.regions, 0), 3);
	put_pages(tmp, cpu_regions_start(&r.regions, 2), 7);
	ck_assert_int_eq(io_pwrite_all(tmp, "torn", 4,
				       cpu_regions_start(&r.regions, 2) + 7 * PAGE),
			 0);
	close(tmp);
	rec = recover(".r.dat." TOKEN ".tmp", 0);
	check_recording(rec);
	recording_close(rec);
	ck_assert_int_eq(nr_files(), 1);
}
END_TEST

/* Unusable files stay where they are. */
START_TEST(test_unusable)
{
	static const char *const layouts[] = { "",
					       "1 2",
					       "1 0 4096",
					       "1 0 4096 7 7",
					       "1 9223372036854775807 4096 1 2",
					       "9223372036854775807 0 4096 1",
					       "1 0 4096 99999",
					       "x",
					       "1 0 4096 1x" };
	struct recording_text item = { .name = (char *)UNFINISHED_LAYOUT };
	struct recording rec = { .meta = &item, .nr_meta = 1 };
	struct unfinished_layout layout;
	int tmp = create(".r.dat." TOKEN ".tmp"), part = create(".r.dat." TOKEN ".cpu1");

	put_pages(part, 0, 1);
	close(part);
	recover(".r.dat." TOKEN ".tmp", -EPROTO);
	ck_assert_int_eq(nr_files(), 2);
	put_pages(tmp, 0, 3); /* not the beginning of a file */
	recover(".r.dat." TOKEN ".tmp", -EPROTO);
	close(tmp);
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		item.text = (char *)layouts[i];
		item.size = strlen(layouts[i]);
		ck_assert_int_eq(unfinished_read_layout(&rec, &layout), -EBADMSG);
	}
	rec.nr_meta = 0;
	ck_assert_int_eq(unfinished_read_layout(&rec, &layout), -ENOENT);
}
END_TEST

/* A complete file that only lacks its name must not be deleted as empty. */
START_TEST(test_stages)
{
	static const struct {
		const char *text;
		size_t size;
		bool pages;
	} stages[] = {
		{ "", 0, false },
		{ WIRE_MAGIC, WIRE_MAGIC_SIZE, false },
		{ "\x17\x08\x44tracing7\0 and more", 21, true },
	};
	struct leftover l;

	for (size_t i = 0; i < ARRAY_SIZE(stages); i++) {
		int fd = create(".r.dat." TOKEN ".tmp");

		ck_assert_int_eq(io_pwrite_all(fd, stages[i].text, stages[i].size, 0), 0);
		/* The file as a killed cpu_regions_probe() leaves it. */
		ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
		close(fd);
		ck_assert_int_eq(leftover_open(&l, path_of(".r.dat." TOKEN ".tmp")), 0);
		ck_assert_int_eq(leftover_has_pages(&l), stages[i].pages);
		leftover_close(&l);
	}
}
END_TEST

START_TEST(test_names)
{
	static const char *const others[] = { "r.dat.12.tmp",
					      ".tmp",
					      ".r.dat.tmp",
					      ".12.tmp",
					      ".r.dat.12.tmp",
					      ".r.dat.0123456789abcdeg.tmp",
					      ".r.dat.0123456789ABCDEF.tmp",
					      ".r.dat.00123456789abcdef.tmp",
					      ".0123456789abcdef.tmp",
					      ".r.dat." TOKEN ".tmp2" };
	struct leftover l, again;
	char **tmps;
	size_t nr;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		close(create(others[i]));
		ck_assert_int_eq(leftover_open(&l, path_of(others[i])), -EINVAL);
		leftover_close(&l);
	}
	close(create(".r.dat." TOKEN ".tmp"));
	close(create(".other.0000000000000007.tmp"));
	ck_assert_int_eq(leftovers_find(directory, NULL, &tmps, &nr), 0);
	ck_assert_uint_eq(nr, 2);
	leftovers_free(tmps, nr);
	ck_assert_int_eq(leftovers_find(directory, "r.dat", &tmps, &nr), 0);
	ck_assert_uint_eq(nr, 1);
	ck_assert_int_eq(leftover_open(&l, tmps[0]), 0);
	leftovers_free(tmps, nr);
	/* Only one process at a time can have it open. */
	ck_assert_int_eq(leftover_open(&again, path_of(".r.dat." TOKEN ".tmp")), -EBUSY);
	leftover_close(&again);
	ck_assert(!leftover_has_pages(&l));
	ck_assert_int_eq(leftover_remove(&l), 0);
	leftover_close(&l);
	ck_assert_int_eq(leftover_open(&l, path_of(".r.dat." TOKEN ".tmp")), -ENOENT);
	leftover_close(&l);
	ck_assert_int_eq(leftovers_find("./missing", NULL, &tmps, &nr), -ENOENT);
}
END_TEST

Suite *test_recover_suite(void)
{
	Suite *s = suite_create("capture/recover");
	TCase *tc = tcase_create("recover");

	tcase_add_checked_fixture(tc, make_directory, remove_directory);
	tcase_add_test(tc, test_files);
	tcase_add_test(tc, test_directory);
	tcase_add_test(tc, test_regions);
	tcase_add_test(tc, test_unusable);
	tcase_add_test(tc, test_names);
	tcase_add_test(tc, test_stages);
	suite_add_tcase(s, tc);
	return s;
}
