/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: which symbols a report uses, and where to get those that are missing.
 * In: the user's files, and why one of them does not fit; an open study. Out: a message.
 */
#ifndef KMEMX_CMD_INPUT_SYMBOLS_H
#define KMEMX_CMD_INPUT_SYMBOLS_H

#include "cmd/input/input.h"

/* clang-format off */
/* Three entries of an option table. Their values have that @type and are in struct @files. @also:
 * what else vmlinux is used for, "" or "; ...".
 */
#define SYMBOL_FILE_OPTIONS(type, files, also) \
	{ type, 0, "kallsyms", "FILE", &(files).kallsyms, \
	  "symbols, instead of the recording's" }, \
	{ type, 0, "system-map", "FILE", &(files).system_map, \
	  "the same, from a System.map" }, \
	{ type, 0, "vmlinux", "FILE", &(files).vmlinux, \
	  "the same, from a kernel's ELF file" also }
/* Three more: where else to look for debug information. All but the last have that @type. */
#define DEBUG_PLACE_OPTIONS(type, places) \
	{ type, 0, "kernel", "TREE", &(places).kernel, \
	  "debug information: the tree the kernel was built in" }, \
	{ type, 0, "symfs", "DIR", &(places).symfs, \
	  "debug information: below DIR, the recorded machine's root" }, \
	{ OPTION_FLAG, 0, "debuginfod", NULL, &(places).debuginfod, \
	  "debug information: else from $DEBUGINFOD_URLS" }
/* clang-format on */

/* The first of these three options that was given, such as "--kernel", or NULL. */
const char *debug_places_option(const struct debug_places *places);
/* Is at most one of them given? GO_ON, or EXIT_USAGE after a message. */
int symbol_files_check(const struct symbol_files *files, const char *command);
/* Is at most one of --kernel, --symfs and the symbol files given, and can servers be asked if
 * --debuginfod is? GO_ON, or EXIT_USAGE after a message.
 */
int debug_places_check(const struct debug_places *places,
		       const struct symbol_files *files, const char *command);
/* For a run that uses no debug information: refuses @places if the user gave any. GO_ON, or
 * EXIT_USAGE after a message.
 */
int debug_places_unused(const struct debug_places *places, const char *command);
/* Appends what is at @place, which is one of study.found. */
void input_place_text(const struct input *in, const struct debug_place *place,
		      struct strbuf *out);
/* Says that there is no debug information where the user named it. Returns the exit code. */
int input_search_failed(const struct input *in);
/* Says why a file with symbols was refused. Returns the exit code. */
int input_symbols_failed(const struct input *in);

#define INPUT_HINTS 4

/* Fills in one line each about where to get missing debug information, made safe for a terminal;
 * some stay empty. Call strbuf_free() on each.
 */
void input_hints(const struct input *in, struct strbuf hints[INPUT_HINTS]);
/* Says that @what needs debug information, where kmemx looked for it, and what provides it. @dirs:
 * a source tree would do, too. Returns EXIT_USAGE.
 */
int input_hints_missing(const struct input *in, const char *what, bool dirs);

#endif
