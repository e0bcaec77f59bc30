// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: reads all fields of a format text, event/fields.c.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "event/fields.h"

static struct raw_field *fields;
static size_t nr;

static void parse(const char *text)
{
	free(fields);
	ck_assert_int_eq(fields_parse(text, strlen(text), &fields, &nr), 0);
}

static void expect(size_t i, const char *name, enum field_kind kind,
		   enum field_place place)
{
	ck_assert_uint_lt(i, nr);
	ck_assert_str_eq(fields[i].name, name);
	ck_assert_int_eq(fields[i].kind, kind);
	ck_assert_int_eq(fields[i].place, place);
}

#define AT(o, s) ";\toffset:" #o ";\tsize:" #s ";\tsigned:0;\n"

START_TEST(kinds)
{
	parse("name: x\nID: 7\nformat:\n"
	      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	      "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	      "\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	      "\tfield:size_t bytes_req;\toffset:24;\tsize:8;\tsigned:0;\n"
	      "\tfield:int node;\toffset:32;\tsize:4;\tsigned:1;\n"
	      "\tfield:bool accounted;\toffset:36;\tsize:1;\tsigned:0;\n"
	      "\tfield:char comm[16];\toffset:37;\tsize:16;\tsigned:0;\n"
	      "\tfield:__u8 saddr[4];\toffset:56;\tsize:4;\tsigned:0;\n"
	      "\tfield:__data_loc char[] name;\toffset:60;\tsize:4;\tsigned:0;\n"
	      "\tfield:__rel_loc unsigned long[] list;\toffset:64;\tsize:4;\tsigned:0;\n"
	      "\tfield:unsigned long long big;\toffset:72;\tsize:8;\tsigned:0;\n"
	      "\tfield:unsigned char buf[3];\toffset:80;\tsize:3;\tsigned:0;\n"
	      "\nprint fmt: \"\", REC->x\n"
	      "\tfield:int not_one;\toffset:84;\tsize:4;\tsigned:0;\n");
	ck_assert_uint_eq(nr, 11);
	expect(0, "call_site", FIELD_ADDRESS, FIELD_HERE);
	expect(1, "ptr", FIELD_ADDRESS, FIELD_HERE);
	expect(2, "bytes_req", FIELD_UINT, FIELD_HERE);
	expect(3, "node", FIELD_INT, FIELD_HERE);
	expect(4, "accounted", FIELD_BOOL, FIELD_HERE);
	expect(5, "comm", FIELD_TEXT, FIELD_HERE);
	expect(6, "saddr", FIELD_BYTES, FIELD_HERE);
	expect(7, "name", FIELD_TEXT, FIELD_DATA_LOC);
	expect(8, "list", FIELD_BYTES, FIELD_REL_LOC);
	expect(9, "big", FIELD_UINT, FIELD_HERE);
	expect(10, "buf", FIELD_BYTES, FIELD_HERE);
	ck_assert_uint_eq(fields[3].offset, 32);
	ck_assert_uint_eq(fields[5].size, 16);
}
END_TEST

START_TEST(hostile_lines)
{
	parse("\tfield:int a;\toffset:65535;\tsize:4;\tsigned:0;\n"
	      "\tfield:int b;\toffset:4294967295;\tsize:4;\tsigned:0;\n"
	      "\tfield:int c;\toffset:-1;\tsize:4;\tsigned:0;\n"
	      "\tfield:int d;\toffset:8\n"
	      "\tfield:;\toffset:8;\tsize:4;\tsigned:0;\n"
	      "\tfield:__data_loc char[] e" AT(8, 8) "\tfield:int f" AT(8, 3) "field:");
	ck_assert_uint_eq(nr, 1);
	expect(0, "f", FIELD_BYTES, FIELD_HERE);
	parse("");
	ck_assert_uint_eq(nr, 0);
}
END_TEST

START_TEST(many_and_long)
{
	struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < 2 * FIELD_MAX_NUMBER; i++)
		strbuf_printf(&text, "\tfield:int a%zu" AT(8, 4), i);
	parse(strbuf_text(&text));
	ck_assert_uint_eq(nr, FIELD_MAX_NUMBER);
	strbuf_reset(&text);
	strbuf_puts(&text, "\tfield:int ");
	for (i = 0; i < 64; i++)
		strbuf_puts(&text, "a");
	strbuf_puts(&text, AT(8, 4));
	parse(strbuf_text(&text));
	ck_assert_uint_eq(nr, 0);
	strbuf_free(&text);
}
END_TEST

static void teardown(void)
{
	free(fields);
	fields = NULL;
}

Suite *test_fields_suite(void)
{
	Suite *s = suite_create("event/fields");
	TCase *tc = tcase_create("fields");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, kinds);
	tcase_add_test(tc, hostile_lines);
	tcase_add_test(tc, many_and_long);
	suite_add_tcase(s, tc);
	return s;
}
