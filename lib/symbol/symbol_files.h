/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: a table of symbols from the user's files, if they fit a recording.
 * In: kallsyms, a System.map or a vmlinux, and what is known of the recording. Out: the table
 * and where it is from, or why the file does not fit.
 */
#ifndef KMEMX_SYMBOL_SYMBOL_FILES_H
#define KMEMX_SYMBOL_SYMBOL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "symbol/fit.h"
#include "symbol/symbols.h"

/* At most one is set: where symbols are to come from instead of the recording. */
struct symbol_files {
	const char *kallsyms, *system_map, *vmlinux;
};

bool symbol_files_any(const struct symbol_files *files);

enum symbol_kind {
	SYMBOLS_RECORDED,
	SYMBOLS_KALLSYMS,
	SYMBOLS_SYSTEM_MAP,
	SYMBOLS_VMLINUX,
};

/**
 * struct symbol_origin - where the symbols in use are from
 * @path: NULL for the recording's own
 * @offset: what was added to the file's addresses (KASLR)
 * @build_id_equal: both sides have a build id, and they are equal
 */
struct symbol_origin {
	enum symbol_kind kind;
	const char *path;
	uint64_t offset;
	bool build_id_equal;
};

/* So many distinct callsites are looked at. */
#define SYMBOL_SITES_MAX 512

struct symbol_sites {
	uint64_t addrs[SYMBOL_SITES_MAX];
	size_t nr;
};

/**
 * struct symbol_target - what symbols are to fit: a recording
 * @name: of the recording, for what is logged; @log: where that goes
 * @own: its own symbols; may be empty
 * @build_id: of its kernel, in hex, @build_id_len characters; 0: not known
 * @never_moved: no kernel of this machine is moved at boot
 * @callsites: fills in distinct callsites; called at most once, if nothing else decides
 */
struct symbol_target {
	const char *name;
	const struct log *log;
	struct symbol_text own;
	const char *build_id;
	size_t build_id_len;
	bool is_64, big_endian, never_moved;
	int (*callsites)(void *ctx, struct symbol_sites *sites);
	void *ctx;
};

enum symbol_problem {
	SYMBOLS_NO_MEMORY,	 /* for the table */
	SYMBOLS_UNREADABLE,	 /* the file */
	SYMBOLS_NO_ELF,		 /* not an ELF file, or damaged */
	SYMBOLS_STRIPPED,	 /* an ELF file without symbols */
	SYMBOLS_OTHER_MACHINE,	 /* of another kernel: @is_64 and @big_endian differ */
	SYMBOLS_OTHER_BUILD,	 /* @build_id differs */
	SYMBOLS_OTHER_NAMES,	 /* functions that both know are elsewhere: @fit */
	SYMBOLS_OTHER_CALLSITES, /* too few callsites are in its functions: @fit */
	SYMBOLS_NO_PLACE,	 /* nothing says where the kernel was loaded */
	SYMBOLS_NO_CALLSITES,	 /* the target's callsites cannot be had */
};

/**
 * struct symbol_failure - why a file was not taken
 * @err: the negative errno behind it
 * @kind, @path: of the file
 * @fit: how many were looked at, and how many agree
 * @is_64, @big_endian, @build_id: the file's, where they differ
 */
struct symbol_failure {
	enum symbol_problem problem;
	int err;
	enum symbol_kind kind;
	const char *path;
	struct symbol_fit fit;
	bool is_64, big_endian;
	char build_id[129];
};

/**
 * symbol_files_open() - read the file that @files name, place it, and make a table of it
 * @files: one of them is set; the path is kept in @origin
 *
 * Names that both sides know decide where the kernel was loaded; without any, code before
 * callsites does. A file is refused that contradicts the recording. A build id that differs
 * refuses it at once.
 *
 * Return: 0 and the table, which is the caller's; else -errno, and @failure says why: -EXDEV
 * it is of another kernel, -ENODATA it cannot be placed or has no symbols, -ENOEXEC, -ENOMEM,
 * the error of the file or of @target's callsites. The table may be there then, too.
 */
int symbol_files_open(struct symbols **out, struct symbol_origin *origin,
		      const struct symbol_files *files,
		      const struct symbol_target *target,
		      struct symbol_failure *failure) __must_check;

#endif
