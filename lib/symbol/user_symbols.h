/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the names of programs' functions in callchains, and their lines in the source.
 * In: frames of programs, and the files that were mapped. Out: lines of kallsyms; lines about
 * source lines.
 */
#ifndef KMEMX_SYMBOL_USER_SYMBOLS_H
#define KMEMX_SYMBOL_USER_SYMBOLS_H

#include "recording/user_maps.h"

/**
 * struct user_symbols_options - where the files are
 * @open: opens a file of the recorded machine, as process @pid sees it, 0: as everyone does: a
 *	descriptor, which the callee closes; or -errno. NULL: none can be opened
 * @containers: @open knows processes
 * @chosen: the user named these files, so one is used if its build ID and inode are unknown
 * @owner: the user who may have written a process's names of functions for perf, beside root and
 *	the user who owns @ctx's process; UINT32_MAX: nobody else
 * @runs_as: is that the user as whom process @pid runs? It may name its own functions. NULL: not
 *	known
 */
struct user_symbols_options {
	int (*open)(void *ctx, const char *path, uint32_t pid);
	void *ctx;
	bool containers, chosen;
	uint32_t owner;
	bool (*runs_as)(uint32_t pid, uint32_t user);
};

/**
 * struct user_texts - what is known about frames; the caller frees both
 * @symbols: lines of kallsyms
 * @lines: "FRAME LINE FUNCTION FILE" for each function at a frame, innermost first, the function
 *	that contains the code last. FRAME is in hex, LINE 0 if it is unknown. FUNCTION is "-" for
 *	the symbol's; FILE may have blanks.
 */
struct user_texts {
	struct strbuf symbols, lines;
};

/**
 * user_symbols() - add the symbols and source lines of all frames that were given out
 *
 * Only files that were mapped are used: the build ID must be the same, or, where it is unknown, the
 * inode. Functions that a process has made itself have the names that it gave them for perf
 * (/tmp/perf-PID.map), if the file belongs to root, to this user, to @owner
 * or to the user of the process. Lines and inlined
 * functions come from debug information (DWARF) in the file or below /usr/lib/debug.
 *
 * Return: 0 or -ENOMEM.
 */
int user_symbols(const struct user_maps *u, const struct user_symbols_options *opts,
		 struct user_texts *out) __must_check;

/* The ELF file of a program or a library. */

struct program;

/**
 * program_open() - read the functions of .symtab, or else those of .dynsym
 * @fd: an open file; @symbols_fd: the file with its symbols, or -1; neither is closed or needed
 *	later
 *
 * A stripped file has no functions, but its addresses are known.
 *
 * Return: 0; -ENOEXEC not an ELF file, or damaged; -ENOMEM.
 */
int program_open(struct program **out, int fd, int symbols_fd) __must_check;
/* The same for what a JIT compiler wrote for perf: lines "START SIZE NAME", the numbers in hex, of
 * which a later one is of a newer function. A file that cannot be read, or has more than 64 MiB,
 * names no functions. 0 or -ENOMEM.
 */
int program_open_jit(struct program **out, int fd) __must_check;
void program_close(struct program *p);

/* The address, as linked, of what is at @offset of the file; @offset if no segment has it. */
uint64_t program_address(const struct program *p, uint64_t offset);
/* The function that contains @address, as linked, or NULL; @start receives its first address. The
 * name belongs to @p.
 */
const char *program_function(const struct program *p, uint64_t address, uint64_t *start);

#endif
