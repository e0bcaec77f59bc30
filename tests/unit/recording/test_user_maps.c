// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: which files processes had mapped, and the user frames that follow from that.
 */
#include <check.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/user_maps.h"

#define FRAME(file, offset) (USER_FRAME | (uint64_t)(file) << 48 | (offset))

static struct user_maps maps;

static void setup(void)
{
	maps = (struct user_maps){ 0 };
}

static void teardown(void)
{
	user_maps_free(&maps);
}

static const char proc[] =
	"55d000000000-55d000001000 r--p 00000000 fe:00 99   /bin/prog\n"
	"55d000001000-55d000002000 r-xp 00001000 fe:00 99   /bin/prog\n"
	"7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
	"7f1000000000-7f1000001000 r-xp 00003000 fe:00 7    /lib/a b.so (deleted)\n"
	"nonsense\n"
	"7f2-7f1 r-xp 0 0:0 0\n"
	"7fff00000000-7fff00001000 r-xp 00000000 00:00 0    [vdso]";

START_TEST(maps_of_proc)
{
	ck_assert_int_eq(user_maps_add_proc(&maps, 7, proc), 0);
	ck_assert_uint_eq(user_maps_frame(&maps, 7, 5, 0x55d000001010), FRAME(1, 0x1010));
	/* Data is not code, nor is what lies behind a mapping. */
	ck_assert_uint_eq(user_maps_frame(&maps, 7, 5, 0x55d000000010), USER_FRAME);
	ck_assert_uint_eq(user_maps_frame(&maps, 7, 5, 0x55d000002000), USER_FRAME);
	ck_assert_uint_eq(user_maps_frame(&maps, 8, 5, 0x55d000001010), USER_FRAME);
	ck_assert_uint_eq(user_maps_frame(&maps, 7, 5, 0x7f1000000001), FRAME(3, 0x3001));
	ck_assert_str_eq(intern_get(&maps.files.keys, 3, NULL), "/lib/a b.so");
	ck_assert_uint_eq(user_maps_frame(&maps, 7, 5, 0x7fff00000fff), FRAME(4, 0xfff));
	/* Code that the process generated (JIT) has the process's file, and its own address. */
	ck_assert_uint_eq(user_maps_frame(&maps, 7, 5, 0x7f0000000010),
			  FRAME(5, 0x7f0000000010));
	ck_assert_str_eq(intern_get(&maps.files.keys, 5, NULL), "/tmp/perf-7.map");
	ck_assert_uint_eq(maps.files.of[0].inode, 99);
}
END_TEST

/* Two containers have libraries with the same path. Their frames differ, even after they are read
 * back.
 */
START_TEST(files_of_containers)
{
	static const char *const libraries[] = {
		"1000-2000 r-xp 00000000 00:30 7 /lib/c.so\n",
		"1000-2000 r-xp 00000000 00:31 7 /lib/c.so\n",
		"1000-2000 r-xp 00000000 00:30 7 /lib/c.so\n",
	};
	struct user_maps again = { 0 };
	struct strbuf text = { 0 };
	uint64_t frames[3];
	uint32_t pids[2];

	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_int_eq(user_maps_add_proc(&maps, 10 + i, libraries[i]), 0);
		frames[i] = user_maps_frame(&maps, 10 + i, 1, 0x1010);
	}
	ck_assert_uint_ne(frames[0], frames[1]);
	ck_assert_uint_eq(frames[0], frames[2]);
	for (uint32_t i = 1; i <= 2; i++)
		ck_assert_str_eq(intern_get(&maps.files.keys, i, NULL), "/lib/c.so");
	ck_assert_uint_eq(user_maps_users(&maps, USER_FRAME_FILE(frames[0]), pids, 2), 2);
	ck_assert_uint_eq(pids[0], 12);
	ck_assert_uint_eq(pids[1], 10);
	ck_assert_uint_eq(user_maps_users(&maps, USER_FRAME_FILE(frames[1]), pids, 2), 1);
	ck_assert_uint_eq(pids[0], 11);

	user_maps_format(&maps, &text);
	ck_assert_int_eq(user_maps_parse(&again, strbuf_text(&text)), 0);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(user_maps_frame(&again, 10 + i, 1, 0x1010), frames[i]);
	user_maps_free(&again);
	strbuf_free(&text);
}
END_TEST

static void put(uint8_t *p, uint64_t value, size_t size)
{
	memcpy(p, &value, size); /* tests run on machines of both byte orders */
}

static void add_record(uint32_t type, uint16_t misc, uint64_t time, const uint64_t *words,
		       size_t nr)
{
	uint8_t data[64] = { 0 };
	struct perf_record rec = {
		.type = type, .misc = misc, .data = data, .size = (uint32_t)nr * 4
	};
	static const uint16_t one = 1;

	rec.big_endian = !*(const uint8_t *)&one;
	for (size_t i = 0; i < nr; i++) {
		const uint32_t word = (uint32_t)words[i];

		memcpy(data + 4 * i, &word, 4);
	}
	ck_assert_int_eq(user_maps_record(&maps, &rec, time), 0);
}

/* Adds a mapping of one page of /bin/NAME at @start. */
static void add_mmap(uint32_t pid, uint64_t time, uint64_t start, const char *name)
{
	uint8_t data[64 + 16] = { 0 };
	struct perf_record rec = { .type = PERF_RECORD_MMAP2,
				   .misc = PERF_RECORD_MISC_USER | 1U << 14,
				   .data = data,
				   .size = sizeof(data) };
	static const uint16_t one = 1;
	const uint32_t process = pid;

	rec.big_endian = !*(const uint8_t *)&one;
	memcpy(data, &process, 4);
	put(data + 8, start, 8);
	put(data + 16, 0x1000, 8);
	data[32] = 2;
	data[36] = 0xab;
	data[37] = 0x0c;
	snprintf((char *)data + 64, 16, "/bin/%s", name);
	ck_assert_int_eq(user_maps_record(&maps, &rec, time), 0);
}

static void forks_and_execs(struct user_maps *u)
{
	ck_assert_uint_eq(user_maps_frame(u, 7, 10, 0x5010), FRAME(1, 0x10));
	ck_assert_uint_eq(user_maps_frame(u, 7, 9, 0x5010), USER_FRAME);
	/* The child has its parent's mappings until it executes another program. */
	ck_assert_uint_eq(user_maps_frame(u, 8, 25, 0x5010), FRAME(1, 0x10));
	ck_assert_uint_eq(user_maps_frame(u, 8, 31, 0x5010), USER_FRAME);
	ck_assert_uint_eq(user_maps_frame(u, 8, 33, 0x5010), FRAME(2, 0x10));
	/* Asked again: recent results are valid for their time only. */
	ck_assert_uint_eq(user_maps_frame(u, 8, 40, 0x5010), FRAME(2, 0x10));
	ck_assert_uint_eq(user_maps_frame(u, 8, 25, 0x5010), FRAME(1, 0x10));
	ck_assert_str_eq(u->files.of[0].id, "ab0c");
}

START_TEST(maps_of_the_kernels_records)
{
	struct user_maps again = { 0 };
	struct strbuf text = { 0 };

	add_mmap(7, 10, 0x5000, "one");
	add_record(PERF_RECORD_FORK, 0, 20, (uint64_t[]){ 8, 7, 8, 7 }, 4);
	add_record(PERF_RECORD_FORK, 0, 21, (uint64_t[]){ 7, 7, 9, 7 }, 4); /* thread */
	add_record(PERF_RECORD_FORK, 0, 22, (uint64_t[]){ 7 }, 1);
	add_record(PERF_RECORD_COMM, 1U << 13, 30, (uint64_t[]){ 8, 8, 0 }, 3);
	add_record(PERF_RECORD_COMM, 0, 34, (uint64_t[]){ 8, 8, 0 }, 3); /* no exec */
	add_mmap(8, 32, 0x5000, "two");
	add_mmap(99, 32, 0x5000, "new\nline"); /* its frames are never asked for */
	forks_and_execs(&maps);
	user_maps_format(&maps, &text);
	ck_assert_str_eq(strbuf_text(&text),
			 "file ab0c 0 /bin/one\nfile ab0c 0 /bin/two\nfile ab0c 0 ?3\n"
			 "process 7\nmap a 5000 5fff 0 1\n"
			 "process 8\nfork 14 7\nexec 1e\nmap 20 5000 5fff 0 2\n");
	ck_assert_int_eq(user_maps_parse(&again, strbuf_text(&text)), 0);
	forks_and_execs(&again);
	user_maps_free(&again);
	strbuf_free(&text);
}
END_TEST

START_TEST(maps_that_do_not_parse)
{
	/* A missing file; a process that forked from itself; lines without content. */
	ck_assert_int_eq(
		user_maps_parse(&maps, "map 0 0 ff 0 1\nfile x\nfile - 0 /a\nprocess 3\n"
				       "map 0 0 ff 0 2\nmap 0 0 ff 0 ffffffff\nmap 1\n"
				       "fork 0 3\n\n\x01\nprocess\nexec\nfork 0"),
		0);
	ck_assert_uint_eq(user_maps_frame(&maps, 3, 1, 0x10), USER_FRAME);
	ck_assert_uint_eq(maps.files.keys.count, 1);
}
END_TEST

Suite *test_user_maps_suite(void)
{
	Suite *s = suite_create("user_maps");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, maps_of_proc);
	tcase_add_test(tc, files_of_containers);
	tcase_add_test(tc, maps_of_the_kernels_records);
	tcase_add_test(tc, maps_that_do_not_parse);
	suite_add_tcase(s, tc);
	return s;
}
