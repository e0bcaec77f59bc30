// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: joins distant regions into a recording, and completes a join that was killed at any point.
 * In: a file with regions. Out: checks that completing any partial result gives the same file.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/new_file.h"
#include "recording/cpu_regions.h"

Suite *test_join_plan_suite(void);

#define BLOCK	 4096U
#define NR_PARTS 3U
#define METADATA (5 * BLOCK)

static struct cpu_regions regions;
static struct join_range ranges[NR_PARTS];
static char metadata[METADATA];
static struct join_plan plan = { metadata, sizeof(metadata), ranges, NR_PARTS };

/* Part i has i + 1 blocks of the letter 'a' + i. */
static uint64_t part_end(size_t i)
{
	return cpu_regions_start(&regions, i) + (i + 1) * BLOCK;
}

/* Makes a file like one being recorded; -1 if this filesystem cannot. */
static int make_file(void)
{
	int dir = open(".", O_RDONLY | O_DIRECTORY), fd = new_file_unnamed(dir, false);
	char block[BLOCK];

	close(dir);
	ck_assert_int_ge(fd, 0);
	if (cpu_regions_probe(fd, NR_PARTS, BLOCK, &regions) || regions.block > BLOCK) {
		close(fd);
		return -1;
	}
	memset(metadata, 'm', sizeof(metadata));
	for (size_t i = 0; i < NR_PARTS; i++) {
		memset(block, 'a' + (int)i, sizeof(block));
		for (size_t k = 0; k <= i; k++)
			ck_assert_int_eq(
				io_pwrite_all(fd, block, BLOCK,
					      cpu_regions_start(&regions, i) + k * BLOCK),
				0);
		/* From the last part to the first. */
		ranges[NR_PARTS - 1 - i] =
			(struct join_range){ i ? part_end(i - 1) : METADATA,
					     cpu_regions_start(&regions, i) };
	}
	ck_assert_int_eq(ftruncate(fd, (off_t)part_end(NR_PARTS - 1)), 0);
	ck_assert_int_eq(io_pwrite_all(fd, "head", 4, 0), 0);
	return fd;
}

static void check_joined(int fd)
{
	static const char parts[] = "mmmmmabbccc";
	char block[BLOCK];
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, (off_t)(strlen(parts) * BLOCK));
	for (size_t i = 0; parts[i]; i++) {
		ck_assert_int_eq(io_pread_all(fd, block, BLOCK, i * BLOCK), 0);
		for (size_t k = 0; k < BLOCK; k++)
			ck_assert_int_eq(block[k], parts[i]);
	}
}

START_TEST(test_all)
{
	int fd = make_file();

	if (fd < 0)
		return;
	ck_assert_int_eq(join_plan_resume(fd), 0);
	ck_assert_int_eq(join_plan_write(fd, &plan), 0);
	ck_assert_int_eq(join_plan_run(fd, &plan), 0);
	check_joined(fd);
	ck_assert_int_eq(join_plan_resume(fd), 0);
	close(fd);
}
END_TEST

/* Killed after some ranges, or within the metadata. */
START_TEST(test_killed)
{
	for (size_t step = 0; step < NR_PARTS; step++) {
		int fd = make_file();

		if (fd < 0)
			return;
		ck_assert_int_eq(join_plan_write(fd, &plan), 0);
		ck_assert_int_eq(
			io_pwrite_all(fd, metadata, step ? METADATA : BLOCK + 7, 0), 0);
		for (size_t i = 0; i < step; i++)
			ck_assert_int_eq(
				cpu_regions_take_out(fd, ranges[i].from, ranges[i].to),
				0);
		ck_assert_int_eq(join_plan_resume(fd), 1);
		check_joined(fd);
		ck_assert_int_eq(join_plan_resume(fd), 0);
		close(fd);
	}
}
END_TEST

/* Files with another size or an invalid plan are left alone. */
START_TEST(test_damaged)
{
	/* cpu_regions.c puts the plan there. */
	const uint64_t at = CPU_REGIONS_FIRST / 2 - (4U << 20);
	static const char *const texts[] = { "",
					     "x",
					     "1 1 1",
					     "1 1 1 2 1 .",
					     "99 1 99999999999 .",
					     "18446744073709551616 1 1 0 1 .",
					     "10000 1 1 0 9999999 .",
					     "10000 1 1 0 4096 4096 ." };
	char magic[32], c;
	int fd = make_file();
	size_t size = 0;

	if (fd < 0)
		return;
	ck_assert_int_eq(join_plan_write(fd, &plan), 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)part_end(NR_PARTS - 1) - 1), 0);
	ck_assert_int_eq(join_plan_resume(fd), -EBADMSG);
	ck_assert_int_eq(io_pread_all(fd, magic, sizeof(magic), at), 0);
	while (magic[size] != '\n')
		size++;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		ck_assert_int_eq(
			io_pwrite_all(fd, texts[i], strlen(texts[i]) + 1, at + size + 1),
			0);
		ck_assert_int_eq(join_plan_resume(fd), -EBADMSG);
	}
	ck_assert_int_eq(io_pread_all(fd, &c, 1, 0), 0);
	ck_assert_int_eq(c, 'h');
	ck_assert_int_eq(io_pwrite_all(fd, "", 1, at), 0);
	ck_assert_int_eq(join_plan_resume(fd), 0);
	close(fd);
}
END_TEST

Suite *test_join_plan_suite(void)
{
	Suite *s = suite_create("recording/join_plan");
	TCase *tc = tcase_create("join_plan");

	tcase_add_test(tc, test_all);
	tcase_add_test(tc, test_killed);
	tcase_add_test(tc, test_damaged);
	suite_add_tcase(s, tc);
	return s;
}
