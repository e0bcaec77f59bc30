// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/ledger/alloc_tags.h: events with the posted formats, and damaged events.
 */
#include <check.h>
#include <string.h>

#include "analysis/ledger/alloc_tags.h"
#include "format_text.h"

Suite *test_alloc_tags_suite(void);

#define PRINT "\nprint fmt: \"\"\n"

/* Formats of a 64-bit kernel; FREED is from a later posting, with ptr instead of ref. */
static const char hit_64[] =
	"name: alloc_tag_hit\nID: 1\n" FORMAT_COMMON
	"\tfield:void * tag;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] modname;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] filename;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] function;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:int lineno;\toffset:28;\tsize:4;\tsigned:1;\n" PRINT;
static const char alloced_64[] =
	"name: alloc_tag_mem_alloced\nID: 2\n" FORMAT_COMMON
	"\tfield:void * ref;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:void * tag;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t bytes;\toffset:24;\tsize:8;\tsigned:0;\n" PRINT;
static const char freed_64[] =
	"name: alloc_tag_mem_freed\nID: 3\n" FORMAT_COMMON
	"\tfield:void * ptr;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:void * tag;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t bytes;\toffset:24;\tsize:8;\tsigned:0;\n" PRINT;
static const char alloced_32[] =
	"name: alloc_tag_mem_alloced\nID: 2\n" FORMAT_COMMON
	"\tfield:void * ptr;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:void * tag;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:size_t bytes;\toffset:16;\tsize:4;\tsigned:0;\n" PRINT;

static struct recording_text texts[8];
static struct recording rec;
static struct alloc_tags tags;
static uint8_t data[512];

static void add_text(const char *system, const char *text)
{
	texts[rec.nr_event_formats++] = (struct recording_text){ .name = (char *)system,
								 .text = (char *)text,
								 .size = strlen(text) };
}

static void set_up(void)
{
	rec = (struct recording){ .event_formats = texts };
	tags = (struct alloc_tags){ 0 };
	add_text("alloc_tag", hit_64);
	add_text("kmem", alloced_64); /* another event system */
	add_text("alloc_tag", alloced_64);
	add_text("alloc_tag", freed_64);
	ck_assert(!alloc_tags_init(&tags, &rec));
	ck_assert_uint_eq(tags.nr_formats, 3);
}

static void tear_down(void)
{
	alloc_tags_free(&tags);
}

static void put(uint32_t at, uint64_t value, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		data[at + i] =
			(uint8_t)(value >> 8 * (rec.big_endian ? size - 1 - i : i));
}

static void give(uint16_t id, uint32_t size)
{
	const struct kmem_event ev = {
		.type = KMEM_OTHER, .id = id, .data = data, .size = size
	};

	alloc_tags_event(&tags, &ev);
}

/* @id: 2: alloced, 3: freed */
static void mem(uint16_t id, uint64_t tag, uint64_t bytes)
{
	put(16, tag, 8);
	put(24, bytes, 8);
	give(id, 32);
}

static uint32_t put_string(uint32_t field, uint32_t at, const char *text)
{
	uint32_t size = (uint32_t)strlen(text) + 1;

	memcpy(data + at, text, size);
	put(field, size << 16 | at, 4);
	return at + size;
}

static void hit(uint64_t tag, const char *module, const char *file, const char *function)
{
	uint32_t at = put_string(16, 32, module);

	at = put_string(20, at, file);
	at = put_string(24, at, function);
	put(8, tag, 8);
	put(28, 136, 4);
	give(1, at);
}

static const char *text(uint32_t id)
{
	return intern_get(&tags.texts, id, NULL);
}

START_TEST(counts_by_place)
{
	hit(0xa0, "(null)", "fs/file_table.c", "alloc_empty_file");
	mem(2, 0xa0, 192);
	mem(2, 0xa0, 192);
	mem(3, 0xa0, 192);
	hit(0xa0, "(null)", "fs/other.c", "another"); /* has a name already */
	mem(3, 0xb0, 64);			      /* allocated before the recording */
	hit(0xb0, "sunrpc", "net/a.c", "rpc_new");
	hit(0, "", "", "nowhere");
	ck_assert_uint_eq(tags.tags.nr, 3);
	ck_assert_str_eq(text(tags.tags.of[0].function), "alloc_empty_file");
	ck_assert_str_eq(text(tags.tags.of[0].place), "fs/file_table.c:136");
	ck_assert_int_eq(tags.tags.of[0].bytes, 192);
	ck_assert_int_eq(tags.tags.of[0].nr, 1);
	ck_assert_str_eq(text(tags.tags.of[1].function), "rpc_new [sunrpc]");
	ck_assert_int_eq(tags.tags.of[1].bytes, -64);
	ck_assert_int_eq(tags.tags.of[1].nr, -1);
	ck_assert_str_eq(text(tags.tags.of[2].function), "nowhere");
	ck_assert_uint_eq(tags.tags.of[2].place, 0);
	ck_assert_uint_eq(tags.bad, 0);
}
END_TEST

START_TEST(damage)
{
	static char name[400];
	struct kmem_event ev = { .type = KMEM_KFREE, .id = 2 };

	alloc_tags_event(&tags, &ev); /* without data */
	put(16, 0xa0, 8);
	put(24, 64, 8);
	give(2, 31); /* truncated */
	ck_assert_uint_eq(tags.bad, 1);
	mem(2, 0xa0, 1ULL << 60);
	ck_assert_uint_eq(tags.bad, 2);
	ck_assert_uint_eq(tags.tags.nr, 0);
	mem(9, 0xa0, 64); /* not one of these events */
	ck_assert_uint_eq(tags.tags.nr, 0);
	/* The texts lie outside of the event: the tag has no name. */
	put(8, 0xa0, 8);
	put(16, 0xffffffff, 4);
	put(20, 500U << 16 | 20, 4);
	put(24, 4U << 16 | 40, 4);
	give(1, 40);
	ck_assert_uint_eq(tags.tags.nr, 1);
	ck_assert_uint_eq(tags.tags.of[0].function, 0);
	ck_assert_uint_eq(tags.tags.of[0].place, 0);
	/* A name without an end is truncated. */
	memset(name, 'x', sizeof(name) - 1);
	hit(0xa0, "m", "f", name);
	ck_assert_uint_eq(strlen(text(tags.tags.of[0].function)), 256 + strlen(" [m]"));
	/* Sums wrap around without an error. */
	for (int i = 0; i < 70000; i++)
		mem(2, 0xa0, 1ULL << 48);
	ck_assert(!tags.failed);
}
END_TEST

START_TEST(other_machines)
{
	static const char no_tag[] =
		"name: alloc_tag_mem_freed\nID: 3\n" FORMAT_COMMON
		"\tfield:size_t bytes;\toffset:8;\tsize:8;\tsigned:0;\n" PRINT;

	alloc_tags_free(&tags);
	rec = (struct recording){ .event_formats = texts, .big_endian = true };
	add_text("alloc_tag", alloced_32);
	add_text("alloc_tag", no_tag);
	ck_assert(!alloc_tags_init(&tags, &rec));
	ck_assert_uint_eq(tags.nr_formats, 1);
	put(12, 0xc1000040, 4);
	put(16, 96, 4);
	give(2, 20);
	ck_assert_uint_eq(tags.tags.nr, 1);
	ck_assert_int_eq(tags.tags.of[0].bytes, 96);
}
END_TEST

Suite *test_alloc_tags_suite(void)
{
	Suite *s = suite_create("analysis/alloc_tags");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, counts_by_place);
	tcase_add_test(tc, damage);
	tcase_add_test(tc, other_machines);
	suite_add_tcase(s, tc);
	return s;
}
