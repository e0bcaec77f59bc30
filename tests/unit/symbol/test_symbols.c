// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: symbol/symbols.h.
 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbols.h"

static struct symbols *make(const char *text)
{
	struct symbols *syms;

	ck_assert_int_eq(symbols_new(&syms, text, strlen(text), NULL), 0);
	return syms;
}

static void check_at(const struct symbols *syms, uint64_t addr, const char *expected)
{
	struct strbuf sb = { 0 };

	symbols_format(syms, addr, &sb);
	ck_assert_str_eq(strbuf_text(&sb), expected);
	strbuf_free(&sb);
}

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 T startup_64\n"
			       "ffffffff81001000 t helper.isra.0\n"
			       "ffffffff81001800 D some_data\n"
			       "ffffffff81002000 T __do_work\n"
			       "ffffffff81002000 T do_work\n"
			       "ffffffff81002000 W weak_work\n"
			       "ffffffff81003000 t last\n"
			       "ffffffffa0002000 t ext4_second\t[ext4]\n"
			       "ffffffffa0001000 t ext4_first\t[ext4]\n"
			       "ffffffff80ff0000 t low_module\t[low]\n";

START_TEST(finds_what_holds_an_address)
{
	struct symbols *syms = make(kallsyms);
	struct symbol sym;

	ck_assert_uint_eq(symbols_count(syms), 7);
	check_at(syms, 0xffffffff81000000, "startup_64+0x0");
	check_at(syms, 0xffffffff81001fff, "helper.isra.0+0xfff");
	check_at(syms, 0xffffffff81002123, "do_work+0x123");
	check_at(syms, 0xffffffffa0001001, "ext4_first+0x1 [ext4]");
	check_at(syms, 0xffffffffa0002ff0, "ext4_second+0xff0 [ext4]");
	check_at(syms, 0xffffffff80ff0004, "low_module+0x4 [low]");
	ck_assert_int_eq(symbols_find(syms, 0xffffffff81002000, &sym), 1);
	ck_assert_uint_eq(sym.addr, 0xffffffff81002000);
	ck_assert_uint_eq(sym.size, 0x1000);
	ck_assert_ptr_null(sym.module);
	ck_assert_int_eq(symbols_find(syms, 0xffffffffa0002000, &sym), 1);
	ck_assert_uint_eq(sym.size, 0);
	symbols_free(syms);
}
END_TEST

START_TEST(outside_there_is_none)
{
	struct symbols *syms = make(kallsyms);
	struct symbol sym;

	ck_assert_int_eq(symbols_find(syms, 0, &sym), 0);
	ck_assert_int_eq(symbols_find(syms, 0xffffffff80feffff, &sym), 0);
	/* After the kernel's last function, before the modules. */
	ck_assert_int_eq(symbols_find(syms, 0xffffffff81003000 + (1 << 20), &sym), 1);
	ck_assert_int_eq(symbols_find(syms, 0xffffffff81003001 + (1 << 20), &sym), 0);
	ck_assert_int_eq(symbols_find(syms, UINT64_MAX, &sym), 0);
	check_at(syms, 0x1234, "0x1234");
	symbols_free(syms);
}
END_TEST

START_TEST(system_map_of_32_bits)
{
	struct symbols *syms = make("c0008000 T stext\nc0008100 t do_one\n"
				    "c0100000 A absolute\nc0200000 B bss");

	ck_assert_uint_eq(symbols_count(syms), 2);
	check_at(syms, 0xc0008104, "do_one+0x4");
	symbols_free(syms);
	syms = make("c0200000 B bss\nc0100000 d data\n"); /* only data symbols */
	ck_assert_uint_eq(symbols_count(syms), 2);
	check_at(syms, 0xc0100004, "data+0x4");
	symbols_free(syms);
}
END_TEST

START_TEST(hidden_addresses)
{
	struct symbols *syms = make("0000000000000000 T _stext\n"
				    "0000000000000000 t x\t[m]\n");

	ck_assert(symbols_hidden(syms));
	ck_assert_uint_eq(symbols_count(syms), 0);
	check_at(syms, 0, "0x0");
	symbols_free(syms);
	syms = make("");
	ck_assert(!symbols_hidden(syms));
	symbols_free(syms);
	ck_assert_int_eq(symbols_new(&syms, NULL, 0, NULL), 0);
	ck_assert_uint_eq(symbols_count(syms), 0);
	check_at(syms, 5, "0x5");
	symbols_free(syms);
	symbols_free(NULL);
}
END_TEST

static void remember(void *ctx, enum log_level level, const char *kind,
		     const char *message)
{
	snprintf(ctx, 128, "%d %s", level, message);
}

START_TEST(unreadable_lines_are_counted)
{
	static const char text[] =
		"garbage\n\n1000 T good\n10000000000000000 T too_big\n"
		"2000\n2000 T\n2000 T \n2000  x\n3000 T also_good\t[m\n"
		"4000 T n [m]";
	char message[128] = "";
	struct log log = { remember, message };
	struct symbols *syms;

	ck_assert_int_eq(symbols_new(&syms, text, sizeof(text) - 1, &log), 0);
	ck_assert_uint_eq(symbols_count(syms), 3);
	ck_assert_str_eq(message, "1 6 of 9 symbol lines cannot be read; skipped");
	check_at(syms, 0x1000, "good+0x0");
	check_at(syms, 0x3000, "also_good+0x0 [m]");
	check_at(syms, 0x4000, "n+0x0 [m]");
	symbols_free(syms);
}
END_TEST

/* Random bytes: only the sanitizers check the result. */
START_TEST(random_bytes)
{
	static const char alphabet[] = "0123456789abcdef Tt[]\t\n\n\n d_.";
	char text[512];
	unsigned int seed, state;
	size_t i;

	for (seed = 1; seed < 2000; seed++) {
		struct symbols *syms;
		struct symbol sym;

		state = seed * 2654435761U;
		for (i = 0; i < sizeof(text); i++) {
			state = state * 1664525 + 1013904223;
			text[i] = alphabet[(state >> 16) % (sizeof(alphabet) - 1)];
		}
		ck_assert_int_eq(symbols_new(&syms, text, seed % sizeof(text), NULL), 0);
		ck_assert_uint_le(symbols_count(syms), sizeof(text));
		if (symbols_find(syms, state, &sym))
			ck_assert_uint_le(sym.addr, state);
		symbols_free(syms);
	}
}
END_TEST

START_TEST(every_symbol_of_a_large_map)
{
	struct strbuf sb = { 0 };
	struct symbols *syms;
	struct symbol sym;
	char name[32];
	uint64_t i;

	for (i = 0; i < 20000; i++) /* the last quarter is unsorted, as modules may be */
		strbuf_printf(&sb, "%016" PRIx64 " t f%" PRIu64 "\n",
			      0xffff800000000000 +
				      (i < 15000 ? i : 15000 + (i * 7919) % 5000) * 64,
			      i);
	ck_assert_int_eq(symbols_new(&syms, sb.data, sb.size, NULL), 0);
	strbuf_free(&sb);
	ck_assert_uint_eq(symbols_count(syms), 20000);
	for (i = 0; i < 20000; i++) {
		uint64_t place = i < 15000 ? i : 15000 + (i * 7919) % 5000;

		ck_assert_int_eq(
			symbols_find(syms, 0xffff800000000000 + place * 64 + 63, &sym),
			1);
		snprintf(name, sizeof(name), "f%" PRIu64, i);
		ck_assert_str_eq(sym.name, name);
		ck_assert_uint_eq(sym.size, place == 19999 ? 0 : 64);
	}
	symbols_free(syms);
}
END_TEST

/* Sixteen digits are read eight at a time, fewer one by one. Both ways must accept the same digits.
 */
START_TEST(every_byte_as_a_digit)
{
	char text[] = "0123456789aBcDeF T name\n", byte[2] = "";
	const char *p, *end = text + sizeof(text) - 1;
	struct symbol_line line;
	unsigned int at, value;

	for (at = 0; at < 16; at++) {
		const char was = text[at];

		for (value = 0; value < 256; value++) {
			bool digit =
				value && strchr("0123456789abcdefABCDEF", (int)value);

			if (value == ' ') /* ends the address: the rest may be valid */
				continue;
			text[at] = byte[0] = (char)value;
			p = text;
			if (value == '\n') /* two lines; the first is invalid */
				ck_assert_int_eq(symbol_line_read(&line, &p, end),
						 at ? -EBADMSG : 1);
			else
				ck_assert_int_eq(symbol_line_read(&line, &p, end),
						 digit ? 1 : -EBADMSG);
			if (!digit)
				continue;
			ck_assert_uint_eq(line.addr >> (60 - 4 * at) & 15,
					  strtoul(byte, NULL, 16));
			ck_assert(p == end);
		}
		text[at] = was;
	}
	p = text;
	ck_assert_int_eq(symbol_line_read(&line, &p, end), 1);
	ck_assert_uint_eq(line.addr, 0x0123456789abcdef);
}
END_TEST

START_TEST(taken_text_is_freed)
{
	char *text = strdup("1000 T one\n2000 t two\t[mod]");
	struct symbols *syms;

	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(symbols_take(&syms, text, strlen(text), NULL), 0);
	check_at(syms, 0x1004, "one+0x4");
	check_at(syms, 0x2000, "two+0x0 [mod]");
	symbols_free(syms);
}
END_TEST

Suite *test_symbols_suite(void)
{
	Suite *s = suite_create("symbol/symbols");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, finds_what_holds_an_address);
	tcase_add_test(tc, outside_there_is_none);
	tcase_add_test(tc, system_map_of_32_bits);
	tcase_add_test(tc, hidden_addresses);
	tcase_add_test(tc, unreadable_lines_are_counted);
	tcase_add_test(tc, random_bytes);
	tcase_add_test(tc, every_symbol_of_a_large_map);
	tcase_add_test(tc, every_byte_as_a_digit);
	tcase_add_test(tc, taken_text_is_freed);
	suite_add_tcase(s, tc);
	return s;
}
