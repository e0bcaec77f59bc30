/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: which symbols a report uses.
 * In: the user's files, and why one of them does not fit. Out: a message.
 */
#ifndef KMEMX_CMD_INPUT_SYMBOLS_H
#define KMEMX_CMD_INPUT_SYMBOLS_H

#include "input.h"

/* The three options, for an option table; their values are of that @type, in a struct @files.
 * @also: what else vmlinux is for, "" or "; ...".
 */
#define SYMBOL_FILE_OPTIONS(type, files, also)                    \
	{ type,                                                   \
	  0,                                                      \
	  "kallsyms",                                             \
	  "FILE",                                                 \
	  &(files).kallsyms,                                      \
	  "symbols, instead of the recording's" },                \
		{ type,                                           \
		  0,                                              \
		  "system-map",                                   \
		  "FILE",                                         \
		  &(files).system_map,                            \
		  "the same, from a System.map" },                \
	{                                                         \
		type, 0, "vmlinux", "FILE", &(files).vmlinux,     \
			"the same, from a kernel's ELF file" also \
	}

/* At most one of them? GO_ON, or EXIT_USAGE after a message. */
int symbol_files_check(const struct symbol_files *files, const char *command);
/* A file that symbols were to come from was not taken: the exit code, after a message. */
int input_symbols_failed(const struct input *in);

#endif
