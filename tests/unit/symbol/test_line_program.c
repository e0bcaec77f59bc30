// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: line tables of DWARF 2 to 5, symbol/line_program.c.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "symbol/line_program.h"

/* A table under construction. */
struct maker {
	uint8_t bytes[512];
	size_t size;
	bool big_endian;
};

static void put(struct maker *m, uint64_t value, unsigned int size)
{
	unsigned int i;

	ck_assert_uint_le(m->size + size, sizeof(m->bytes));
	for (i = 0; i < size; i++) {
		unsigned int shift = 8 * (m->big_endian ? size - 1 - i : i);

		m->bytes[m->size++] = (uint8_t)(shift < 64 ? value >> shift : 0);
	}
}

static void put_text(struct maker *m, const char *text)
{
	while (*text)
		put(m, (uint8_t)*text++, 1);
	put(m, 0, 1);
}

/* Stores the number of bytes after the field at @at in that field. */
static void put_length(struct maker *m, size_t at, unsigned int size)
{
	struct maker field = { .big_endian = m->big_endian };

	put(&field, m->size - at - size, size);
	memcpy(m->bytes + at, field.bytes, size);
}

static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };

static void put_fields(struct maker *m, unsigned int version, uint8_t min_instruction)
{
	size_t i;

	put(m, min_instruction, 1);
	if (version >= 4)
		put(m, 1, 1); /* maximum operations per instruction */
	put(m, 1, 1);	      /* default_is_stmt */
	put(m, (uint8_t)-5, 1);
	put(m, 14, 1);
	put(m, sizeof(operands) + 1, 1);
	for (i = 0; i < sizeof(operands); i++)
		put(m, operands[i], 1);
}

/* Directories "", "fs", "/usr"; files "main.c", "fs/a.c", "/usr/b.h": 1, 2, 3. */
static void put_old_lists(struct maker *m)
{
	static const char *const files[] = { "main.c", "a.c", "b.h" };
	uint8_t i;

	put_text(m, "fs");
	put_text(m, "/usr");
	put(m, 0, 1);
	for (i = 0; i < 3; i++) {
		put_text(m, files[i]);
		put(m, i, 1);
		put(m, 0x80, 1); /* two bytes of mtime */
		put(m, 1, 1);
		put(m, 0, 1);
	}
	put(m, 0, 1);
}

/* The same for DWARF 5, numbered from 0, with paths of all forms and files with checksums. */
static void put_lists(struct maker *m, unsigned int offset_size)
{
	put(m, 1, 1);
	put(m, 1, 1);
	put(m, 0x1f, 1); /* line_strp */
	put(m, 3, 1);
	put(m, 0, offset_size);
	put(m, 5, offset_size);
	put(m, 8, offset_size);
	put(m, 3, 1);
	put(m, 1, 1);
	put(m, 0x08, 1); /* string */
	put(m, 2, 1);
	put(m, 0x0b, 1); /* data1 */
	put(m, 5, 1);
	put(m, 0x1e, 1); /* data16 */
	put(m, 3, 1);
	put_text(m, "main.c");
	put(m, 0, 17);
	put_text(m, "a.c");
	put(m, 1, 1);
	put(m, 0, 16);
	put_text(m, "b.h");
	put(m, 2, 1);
	put(m, 0, 16);
}

static const char line_str[] = "/src\0fs\0/usr";

/* Rows: 1000 file 1 line 10; 1004 file 2 line 7; 1004 line 8; 1010 line 9; ends at 1020. Then line
 * 100 from 2000 to 2010, with each opcode that advances the address.
 */
static void put_program(struct maker *m, unsigned int address_size)
{
	put(m, 0, 1);
	put(m, 1 + address_size, 1);
	put(m, 2, 1); /* set_address */
	put(m, 0x1000, address_size);
	put(m, 3, 1);
	put(m, 9, 1); /* advance_line */
	put(m, 1, 1); /* copy */
	put(m, 4, 1);
	put(m, 2, 1); /* set_file */
	put(m, 3, 1);
	put(m, 0x80 - 4, 1);		  /* advance_line by -4 */
	put(m, 13 + 4 * 14 + (5 + 1), 1); /* special: 4 bytes, a line */
	put(m, 13 + (5 + 1), 1);	  /* special: a line */
	put(m, 2, 1);
	put(m, 12, 1); /* advance_pc */
	put(m, 5, 1);
	put(m, 3, 1); /* set_column */
	put(m, 12, 1);
	put(m, 0x85, 1); /* set_isa, of two bytes */
	put(m, 1, 1);
	put(m, 13 + (5 + 1), 1); /* special: a line */
	put(m, 9, 1);
	put(m, 0x10, 2); /* fixed_advance_pc */
	put(m, 0, 1);
	put(m, 1, 1);
	put(m, 1, 1); /* end_sequence */
	put(m, 0, 1);
	put(m, 1 + address_size, 1);
	put(m, 2, 1);
	put(m, 0x2000, address_size);
	put(m, 3, 1);
	put(m, 0x80 | 99, 1);
	put(m, 0, 1);
	put(m, 1, 1);
	put(m, 8, 1); /* const_add_pc: (255 - 13) / 14 = 17 */
	put(m, 6, 1);
	put(m, 0, 1);
	put(m, 1, 1);
	put(m, 1, 1);
}

static void make(struct maker *m, unsigned int version, unsigned int offset_size,
		 unsigned int address_size)
{
	size_t start, header;

	if (offset_size == 8)
		put(m, UINT32_MAX, 4);
	start = m->size;
	put(m, 0, offset_size);
	put(m, version, 2);
	if (version == 5) {
		put(m, address_size, 1);
		put(m, 0, 1);
	}
	header = m->size;
	put(m, 0, offset_size);
	put_fields(m, version, 1);
	if (version == 5)
		put_lists(m, offset_size);
	else
		put_old_lists(m);
	put_length(m, header, offset_size);
	put_program(m, address_size);
	put_length(m, start, offset_size);
}

static struct line_sections sections_of(const struct maker *m, unsigned int address_size)
{
	return (struct line_sections){
		.line = { m->bytes, m->size },
		.line_str = { (const uint8_t *)line_str, sizeof(line_str) },
		.big_endian = m->big_endian,
		.address_size = (uint8_t)address_size,
	};
}

static const struct form {
	unsigned int version, offset_size, address_size;
	bool big_endian;
} forms[] = {
	{ 2, 4, 4, true },  { 2, 4, 4, false }, { 3, 4, 8, false }, { 4, 4, 8, true },
	{ 4, 8, 8, false }, { 5, 4, 8, false }, { 5, 8, 8, true },
};

static void check_row(const struct line_table *t, uint64_t addr, uint64_t file,
		      uint32_t line)
{
	struct line_row row;

	ck_assert_msg(line_table_find(t, addr, &row) == 1, "%#lx", (unsigned long)addr);
	ck_assert_uint_eq(row.file, file);
	ck_assert_uint_eq(row.line, line);
}

START_TEST(addresses_have_lines)
{
	const struct form *form = &forms[_i];
	struct maker m = { .big_endian = form->big_endian };
	struct line_sections sections;
	struct line_table t;
	struct line_row row;

	make(&m, form->version, form->offset_size, form->address_size);
	sections = sections_of(&m, form->address_size);
	ck_assert_int_eq(line_table_open(&t, &sections, 0), 0);
	check_row(&t, 0x1000, 1, 10);
	check_row(&t, 0x1003, 1, 10);
	check_row(&t, 0x1004, 2, 8); /* the second of two rows */
	check_row(&t, 0x100f, 2, 8);
	check_row(&t, 0x1010, 2, 9);
	check_row(&t, 0x101f, 2, 9);
	check_row(&t, 0x2000, 1, 100);
	check_row(&t, 0x2010, 1, 100);
	ck_assert_int_eq(line_table_find(&t, 0xfff, &row), 0);
	ck_assert_int_eq(line_table_find(&t, 0x1020, &row), 0);
	ck_assert_int_eq(line_table_find(&t, 0x1fff, &row), 0);
	ck_assert_int_eq(line_table_find(&t, 0x2011, &row), 0);
	ck_assert_int_eq(line_table_find(&t, UINT64_MAX, &row), 0);
}
END_TEST

static void check_file(const struct line_table *t, uint64_t number, const char *dir,
		       const char *name)
{
	struct line_file file;

	ck_assert_int_eq(line_table_file(t, number, &file), 1);
	ck_assert_str_eq(file.name, name);
	ck_assert_pstr_eq(file.dir, dir);
}

START_TEST(files_have_paths)
{
	const struct form *form = &forms[_i];
	struct maker m = { .big_endian = form->big_endian };
	unsigned int first = form->version < 5;
	struct line_sections sections;
	struct line_file file;
	struct line_table t;

	make(&m, form->version, form->offset_size, form->address_size);
	sections = sections_of(&m, form->address_size);
	ck_assert_int_eq(line_table_open(&t, &sections, 0), 0);
	check_file(&t, first, NULL, "main.c");
	check_file(&t, first + 1, "fs", "a.c");
	check_file(&t, first + 2, "/usr", "b.h");
	ck_assert_int_eq(line_table_file(&t, first + 3, &file), 0);
	ck_assert_int_eq(line_table_file(&t, UINT64_MAX, &file), 0);
	if (first)
		ck_assert_int_eq(line_table_file(&t, 0, &file), 0);
}
END_TEST

/* Truncated and changed tables are read or refused, without sanitizer findings. */
START_TEST(damaged_tables_are_refused)
{
	const struct form *form = &forms[_i];
	struct maker m = { .big_endian = form->big_endian };
	struct line_sections sections;
	struct line_table t;
	struct line_file file;
	struct line_row row;
	unsigned int flip;
	size_t i;

	make(&m, form->version, form->offset_size, form->address_size);
	for (i = 0; i < m.size; i++) {
		uint8_t *cut = malloc(i + 1);

		ck_assert_ptr_nonnull(cut);
		memcpy(cut, m.bytes, i);
		sections = sections_of(&m, form->address_size);
		sections.line = (struct line_bytes){ cut, i };
		ck_assert_int_eq(line_table_open(&t, &sections, 0), -EBADMSG);
		free(cut);
	}
	for (i = 0; i < m.size; i++) {
		for (flip = 1; flip < 256; flip += 17) {
			m.bytes[i] ^= (uint8_t)flip;
			sections = sections_of(&m, form->address_size);
			if (!line_table_open(&t, &sections, 0)) {
				(void)!line_table_find(&t, 0x101f, &row);
				(void)!line_table_file(&t, 2, &file);
			}
			m.bytes[i] ^= (uint8_t)flip;
		}
	}
	sections = sections_of(&m, form->address_size);
	ck_assert_int_eq(line_table_open(&t, &sections, m.size), -EBADMSG);
	ck_assert_int_eq(line_table_open(&t, &sections, UINT64_MAX), -EBADMSG);
}
END_TEST

/* 2^63 empty entries. */
START_TEST(lists_without_content_are_refused)
{
	struct maker m = { .size = 0 };
	struct line_sections sections;
	struct line_table t;
	unsigned int i;

	put(&m, 0, 4);
	put(&m, 5, 2);
	put(&m, 8, 1);
	put(&m, 0, 1);
	put(&m, 0, 4);
	put_fields(&m, 5, 1);
	put(&m, 0, 1);
	for (i = 0; i < 9; i++)
		put(&m, 0xff, 1);
	put(&m, 0, 1);
	put_length(&m, 8, 4);
	put_length(&m, 0, 4);
	sections = sections_of(&m, 8);
	ck_assert_int_eq(line_table_open(&t, &sections, 0), -EBADMSG);
}
END_TEST

START_TEST(later_versions_are_not_known)
{
	struct maker m = { .size = 0 };
	struct line_sections sections;
	struct line_table t;

	make(&m, 4, 4, 8);
	m.bytes[4] = 6;
	sections = sections_of(&m, 8);
	ck_assert_int_eq(line_table_open(&t, &sections, 0), -EOPNOTSUPP);
}
END_TEST

/* aarch64's instructions have four bytes. */
START_TEST(addresses_count_in_instructions)
{
	struct maker m = { .size = 0 };
	struct line_sections sections;
	struct line_table t;

	make(&m, 4, 4, 8);
	m.bytes[10] = 4;
	sections = sections_of(&m, 8);
	ck_assert_int_eq(line_table_open(&t, &sections, 0), 0);
	check_row(&t, 0x100f, 1, 10);
	check_row(&t, 0x1010, 2, 8);
	check_row(&t, 0x2043, 1, 100);
}
END_TEST

Suite *test_line_program_suite(void);
Suite *test_line_program_suite(void)
{
	Suite *s = suite_create("symbol/line_program");
	TCase *tc = tcase_create("line_program");
	const int nr = sizeof(forms) / sizeof(forms[0]);

	tcase_add_loop_test(tc, addresses_have_lines, 0, nr);
	tcase_add_loop_test(tc, files_have_paths, 0, nr);
	tcase_add_loop_test(tc, damaged_tables_are_refused, 0, nr);
	tcase_add_test(tc, lists_without_content_are_refused);
	tcase_add_test(tc, later_versions_are_not_known);
	tcase_add_test(tc, addresses_count_in_instructions);
	suite_add_tcase(s, tc);
	return s;
}
