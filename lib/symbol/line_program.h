/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the source file and line that an address was compiled from.
 * In: the line table of a unit (DWARF 2 to 5). Out: a line, and the parts of a file's path.
 *
 * Keeps nothing of a table. libdw would keep many times its size, and copies every path.
 */
#ifndef KMEMX_SYMBOL_LINE_PROGRAM_H
#define KMEMX_SYMBOL_LINE_PROGRAM_H

#include "base/compiler.h"

/* Bytes of a file, borrowed; @data may be NULL with size 0. */
struct line_bytes {
	const uint8_t *data;
	size_t size;
};

/**
 * struct line_sections - where line tables and their texts are
 * @line: .debug_line; @line_str: .debug_line_str; @str: .debug_str
 * @address_size: 4 or 8, for tables without that field (before DWARF 5)
 */
struct line_sections {
	struct line_bytes line, line_str, str;
	bool big_endian;
	uint8_t address_size;
};

/**
 * struct line_table - a table's header; borrows from its sections
 * @nr_dirs, @nr_files: number of entries in each list
 * @first: number of the first entry of each: 0 from DWARF 5 on, 1 before
 */
struct line_table {
	const struct line_sections *sections;
	struct line_bytes program;
	uint16_t version;
	uint8_t offset_size, address_size;
	uint8_t min_instruction, max_operations;
	int8_t line_base;
	uint8_t line_range, opcode_base;
	const uint8_t *operands; /* of the standard opcodes from 1 on */
	struct line_bytes dirs, files, dir_forms, file_forms;
	uint64_t nr_dirs, nr_files;
	uint8_t first;
};

/**
 * line_table_open() - read a table's header
 * @at: its offset in .debug_line
 *
 * Return: 0; -EBADMSG it is damaged; -EOPNOTSUPP unknown version or form.
 */
int line_table_open(struct line_table *table, const struct line_sections *sections,
		    uint64_t at) __must_check;

/* A row; @file is a number for line_table_file(). */
struct line_row {
	uint64_t file;
	uint32_t line;
};

/**
 * line_table_find() - find the row that contains an address
 *
 * Takes time in proportion to the table's size. Return: 1 and @row; 0 no row contains it; -EBADMSG.
 */
int line_table_find(const struct line_table *table, uint64_t addr,
		    struct line_row *row) __must_check;

/**
 * struct line_file - the parts of a file's path; texts are owned by the sections
 * @dir: NULL: the compiler's working directory
 */
struct line_file {
	const char *dir, *name;
};

/**
 * line_table_file() - the path of a file of the table
 *
 * Return: 1; 0 no file has that number; -EBADMSG; -EOPNOTSUPP.
 */
int line_table_file(const struct line_table *table, uint64_t file,
		    struct line_file *out) __must_check;

#endif
