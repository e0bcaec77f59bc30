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

/* Three more: where else the debug information is looked for. */
#define DEBUG_PLACE_OPTIONS(places)                                                  \
	{ OPTION_STRING,    0,                                                       \
	  "kernel",	    "TREE",                                                  \
	  &(places).kernel, "debug information: the tree the kernel was built in" }, \
		{ OPTION_STRING,                                                     \
		  0,                                                                 \
		  "symfs",                                                           \
		  "DIR",                                                             \
		  &(places).symfs,                                                   \
		  "debug information: below DIR, the recorded machine's root" },     \
	{                                                                            \
		OPTION_FLAG, 0, "debuginfod", NULL, &(places).debuginfod,            \
			"debug information: else from $DEBUGINFOD_URLS"              \
	}

/* The same in struct @files; of @type all but the last. */
#define DEBUG_PLACE_OPTIONS_OF(type, files)                                      \
	{ type,                                                                  \
	  0,                                                                     \
	  "kernel",                                                              \
	  "TREE",                                                                \
	  &(files).kernel,                                                       \
	  "debug information: the tree the kernel was built in" },               \
		{ type,                                                          \
		  0,                                                             \
		  "symfs",                                                       \
		  "DIR",                                                         \
		  &(files).symfs,                                                \
		  "debug information: below DIR, the recorded machine's root" }, \
	{                                                                        \
		OPTION_FLAG, 0, "debuginfod", NULL, &(files).debuginfod,         \
			"debug information: else from $DEBUGINFOD_URLS"          \
	}

/* At most one of them? GO_ON, or EXIT_USAGE after a message. */
int symbol_files_check(const struct symbol_files *files, const char *command);
/* At most one of --kernel, --symfs and those, and servers that can be asked? The same. */
int debug_places_check(const struct debug_places *places,
		       const struct symbol_files *files, const char *command);
/* Appends what is at a place that study.found names. */
void input_place_text(const struct input *in, const struct debug_place *place,
		      struct strbuf *out);
/* There is no debug information where the user said: the exit code, after a message. */
int input_search_failed(const struct input *in);
/* A file that symbols were to come from was not taken: the exit code, after a message. */
int input_symbols_failed(const struct input *in);

#endif
