// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: import/line_source.h.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/line_source.h"

Suite *test_line_source_suite(void);

/* "one\ntwo\nthree\n", by gzip -n. */
static const uint8_t gzipped[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xcb, 0xcf,
	0x4b, 0xe5, 0x2a, 0x29, 0xcf, 0xe7, 0x2a, 0xc9, 0x28, 0x4a, 0x4d, 0xe5,
	0x02, 0x00, 0xb6, 0xd5, 0xe6, 0x25, 0x0e, 0x00, 0x00, 0x00,
};

static void expect(struct line_source *ls, const char *text)
{
	char *line;
	size_t size;

	ck_assert_int_eq(line_source_next(ls, &line, &size), 1);
	ck_assert_str_eq(line, text);
	ck_assert_uint_eq(size, strlen(text));
}

static void expect_end(struct line_source *ls)
{
	char *line;
	size_t size;

	ck_assert_int_eq(line_source_next(ls, &line, &size), 0);
	ck_assert_int_eq(line_source_next(ls, &line, &size), 0);
	line_source_close(ls);
}

/* A file with that content. */
static int file_of(const void *data, size_t size)
{
	int fd = memfd_create("text", 0);

	ck_assert_int_eq(pwrite(fd, data, size, 0), (ssize_t)size);
	return fd;
}

static struct line_source *of_memory(const void *data, size_t size)
{
	struct line_source *ls = NULL;

	ck_assert_int_eq(
		line_source_open_fd(&ls, file_of(data, size), UNPACK_ZLIB, false), 0);
	return ls;
}

START_TEST(lines_with_and_without_an_end)
{
	static const char text[] = "a\n\nb\r\nlast";
	struct line_source *ls = of_memory(text, sizeof(text) - 1);
	const char *data;
	size_t size;

	ck_assert_int_eq(line_source_peek(ls, &data, &size), 0);
	ck_assert_uint_eq(size, sizeof(text) - 1);
	ck_assert_int_eq(memcmp(data, text, size), 0);
	expect(ls, "a");
	expect(ls, "");
	expect(ls, "b");
	expect(ls, "last");
	ck_assert_uint_eq(line_source_bytes(ls), sizeof(text) - 1);
	expect_end(ls);
}
END_TEST

START_TEST(nothing_at_all)
{
	expect_end(of_memory("", 0));
	expect_end(of_memory(NULL, 0));
}
END_TEST

START_TEST(a_line_that_is_too_long_is_cut)
{
	size_t size = 3 * (size_t)LINE_SOURCE_WINDOW;
	char *text = malloc(size), *line;
	struct line_source *ls;

	memset(text, 'x', size);
	memcpy(text + size - 6, "\nnext\n", 6);
	ls = of_memory(text, size);
	ck_assert_int_eq(line_source_next(ls, &line, &size), 1);
	ck_assert_uint_eq(size, LINE_SOURCE_WINDOW);
	expect(ls, "next");
	expect_end(ls);
	free(text);
}
END_TEST

START_TEST(a_text_larger_than_the_window)
{
	struct line_source *ls = NULL;
	int fds[2], nr = 0, ret;
	char *line;
	size_t size;

	ck_assert_int_eq(pipe(fds), 0);
	if (!fork()) {
		for (int i = 0; i < 300000; i++)
			if (dprintf(fds[1], "line %d\n", i) < 0)
				_exit(1);
		_exit(0);
	}
	close(fds[1]);
	ck_assert_int_eq(line_source_open_fd(&ls, fds[0], UNPACK_ZLIB, false), 0);
	while ((ret = line_source_next(ls, &line, &size)) > 0) {
		char want[32];

		snprintf(want, sizeof(want), "line %d", nr++);
		if (strcmp(line, want) != 0) /* an assertion each would take seconds */
			ck_abort_msg("%s, not %s", line, want);
	}
	ck_assert_int_eq(ret, 0);
	ck_assert_int_eq(nr, 300000);
	line_source_close(ls);
}
END_TEST

/* Bytes that this process has read so far, and its read(2) calls. */
static void work(uint64_t *bytes, uint64_t *calls)
{
	FILE *io = fopen("/proc/self/io", "r");
	char name[32];
	uint64_t value;

	ck_assert_ptr_nonnull(io);
	while (fscanf(io, "%31s %" SCNu64, name, &value) == 2) {
		if (!strcmp(name, "rchar:"))
			*bytes = value;
		else if (!strcmp(name, "syscr:"))
			*calls = value;
	}
	fclose(io);
}

/* A file of 10 TiB: a text at the start, two in the middle, and holes between and within lines. */
START_TEST(holes_are_not_read)
{
	static const char middle[] = "middle\n", rest[] = "of a line\nlast";
	const off_t half = (off_t)5 << 40, page = 1 << 16;
	uint64_t bytes = 0, calls = 0, bytes_before = 0, calls_before = 0;
	int fd = memfd_create("holes", 0);
	struct line_source *ls = NULL;
	char *line;
	size_t size;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 2 * half), 0);
	ck_assert_int_eq(pwrite(fd, "first\nbegins", 12, 0), 12);
	ck_assert_int_eq(pwrite(fd, rest, strlen(rest), half), (int)strlen(rest));
	ck_assert_int_eq(pwrite(fd, middle, strlen(middle), half + page + 100),
			 (int)strlen(middle));
	work(&bytes_before, &calls_before);
	ck_assert_int_eq(line_source_open_fd(&ls, fd, UNPACK_ZLIB, false), 0);
	expect(ls, "first");
	/* The rest of a text's last page is NUL bytes. */
	ck_assert_int_eq(line_source_next(ls, &line, &size), 1);
	ck_assert_str_eq(line, "begins");
	expect(ls, "of a line");
	ck_assert_int_eq(line_source_next(ls, &line, &size), 1);
	ck_assert_str_eq(line, "last");
	expect(ls, "middle");
	expect(ls, "");
	ck_assert_int_eq(line_source_next(ls, &line, &size), 0);
	ck_assert_uint_eq(line_source_bytes(ls), 2 * (uint64_t)half);
	work(&bytes, &calls);
	ck_assert_uint_lt(bytes - bytes_before, 4 << 20);
	ck_assert_uint_lt(calls - calls_before, 100);
	line_source_close(ls);
}
END_TEST

START_TEST(files_without_holes)
{
	struct line_source *ls = NULL;
	int fd = open("/proc/self/status", O_RDONLY);
	char *line;
	size_t size;

	/* stat() gives size 0. */
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(line_source_open_fd(&ls, fd, UNPACK_ZLIB, false), 0);
	ck_assert_int_eq(line_source_next(ls, &line, &size), 1);
	ck_assert_int_eq(strncmp(line, "Name:", 5), 0);
	line_source_close(ls);
	/* stat() gives size 4096. */
	fd = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY);
	if (fd < 0)
		return;
	ck_assert_int_eq(line_source_open_fd(&ls, fd, UNPACK_ZLIB, false), 0);
	ck_assert_int_eq(line_source_next(ls, &line, &size), 1);
	ck_assert_ptr_nonnull(strstr(line, "always"));
	ck_assert_int_eq(line_source_next(ls, &line, &size), 0);
	line_source_close(ls);
}
END_TEST

#ifdef HAVE_ZLIB
START_TEST(gzip)
{
	uint8_t twice[2 * sizeof(gzipped)];
	struct line_source *ls = of_memory(gzipped, sizeof(gzipped));

	expect(ls, "one");
	expect(ls, "two");
	expect(ls, "three");
	ck_assert(!line_source_cut_short(ls));
	expect_end(ls);
	/* Two gzip members in a row are one text. */
	memcpy(twice, gzipped, sizeof(gzipped));
	memcpy(twice + sizeof(gzipped), gzipped, sizeof(gzipped));
	ls = of_memory(twice, sizeof(twice));
	for (int i = 0; i < 2; i++) {
		expect(ls, "one");
		expect(ls, "two");
		expect(ls, "three");
	}
	expect_end(ls);
}
END_TEST

START_TEST(gzip_that_is_cut_or_damaged)
{
	uint8_t bad[sizeof(gzipped)];
	struct line_source *ls = of_memory(gzipped, sizeof(gzipped) - 12);
	char *line;
	size_t size;
	int ret;

	while ((ret = line_source_next(ls, &line, &size)) > 0)
		;
	ck_assert_int_eq(ret, 0);
	ck_assert(line_source_cut_short(ls));
	line_source_close(ls);
	memcpy(bad, gzipped, sizeof(bad));
	bad[10] = 0xff;
	ls = of_memory(bad, sizeof(bad));
	ck_assert_int_eq(line_source_next(ls, &line, &size), -EBADMSG);
	line_source_close(ls);
}
END_TEST
#else
START_TEST(gzip)
{
	struct line_source *ls = NULL;

	ck_assert_int_eq(line_source_open_fd(&ls, file_of(gzipped, sizeof(gzipped))),
			 -ENOTSUP);
}
END_TEST

START_TEST(gzip_that_is_cut_or_damaged)
{
}
END_TEST
#endif

Suite *test_line_source_suite(void)
{
	Suite *s = suite_create("import/line_source");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, lines_with_and_without_an_end);
	tcase_add_test(tc, nothing_at_all);
	tcase_add_test(tc, a_line_that_is_too_long_is_cut);
	tcase_add_test(tc, a_text_larger_than_the_window);
	tcase_add_test(tc, holes_are_not_read);
	tcase_add_test(tc, files_without_holes);
	tcase_add_test(tc, gzip);
	tcase_add_test(tc, gzip_that_is_cut_or_damaged);
	suite_add_tcase(s, tc);
	return s;
}
