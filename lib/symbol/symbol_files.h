/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: makes a symbol table from the user's files if they fit a recording.
 * In: kallsyms, a System.map or a vmlinux, and data of the recording. Out: the table and its
 * origin, or why the file does not fit.
 */
#ifndef KMEMX_SYMBOL_SYMBOL_FILES_H
#define KMEMX_SYMBOL_SYMBOL_FILES_H

#include "base/log.h"
#include "symbol/fit.h"
#include "symbol/symbols.h"

/* The file to use instead of the recording's symbols; at most one is set. */
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
 * struct symbol_origin - the origin of the symbols in use
 * @path: NULL for the recording's own
 * @offset: KASLR offset, added to the file's addresses
 * @build_id_equal: both sides have a build ID, and they are equal
 */
struct symbol_origin {
	enum symbol_kind kind;
	const char *path;
	uint64_t offset;
	bool build_id_equal;
};

/* At most this many distinct callsites are tested. */
#define SYMBOL_SITES_MAX 512

struct symbol_sites {
	uint64_t addrs[SYMBOL_SITES_MAX];
	size_t nr;
};

/**
 * struct symbol_target - the recording that symbols must fit
 * @name: of the recording, for log messages; @log: their destination
 * @own: its own symbols; may be empty
 * @build_id: of its kernel, in hex; "": unknown
 * @never_moved: kernels of this machine are never relocated at boot
 * @callsites: fills in distinct callsites; called at most once, only if nothing else decides
 */
struct symbol_target {
	const char *name;
	const struct log *log;
	struct symbol_text own;
	const char *build_id;
	bool is_64, big_endian, never_moved;
	int (*callsites)(void *ctx, struct symbol_sites *sites);
	void *ctx;
};

enum symbol_problem {
	SYMBOLS_NO_MEMORY,	 /* for the table */
	SYMBOLS_UNREADABLE,	 /* the file */
	SYMBOLS_NO_ELF,		 /* not an ELF file, or damaged */
	SYMBOLS_STRIPPED,	 /* an ELF file without symbols */
	SYMBOLS_OTHER_MACHINE,	 /* word size or byte order differ: @is_64, @big_endian */
	SYMBOLS_OTHER_BUILD,	 /* @build_id differs */
	SYMBOLS_OTHER_NAMES,	 /* common functions have other addresses: @fit */
	SYMBOLS_OTHER_CALLSITES, /* too few callsites are in its functions: @fit */
	SYMBOLS_NO_PLACE,	 /* nothing tells where the kernel was loaded */
	SYMBOLS_NO_CALLSITES,	 /* the target's callsites could not be read */
};

/**
 * struct symbol_failure - why a file was refused
 * @err: the underlying negative errno
 * @kind, @path: of the file
 * @fit: how many were tested, and how many agree
 * @is_64, @big_endian, @build_id: the file's, if they differ
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
 * symbol_files_open() - read the given file, find its offset, and make a table
 * @files: one of them is set; the path is kept in @origin
 *
 * Common names decide where the kernel was loaded; without any, the code before callsites does. A
 * file that contradicts the recording is refused; one with another build ID is refused at once.
 *
 * Return: 0 and the table, which the caller owns; else -errno, with the reason in @failure: -EXDEV
 * another kernel's file, -ENODATA its offset cannot be found or it has no symbols, -ENOEXEC,
 * -ENOMEM, errors of the file or of @target's callsites. A table made before the failure is also
 * the caller's.
 */
int symbol_files_open(struct symbols **out, struct symbol_origin *origin,
		      const struct symbol_files *files,
		      const struct symbol_target *target,
		      struct symbol_failure *failure) __must_check;

#endif
