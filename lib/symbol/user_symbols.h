/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the names and source lines of user functions in callchains.
 * In: user frames, and the files that were mapped. Out: kallsyms lines, and a text with the source
 * lines.
 */
#ifndef KMEMX_SYMBOL_USER_SYMBOLS_H
#define KMEMX_SYMBOL_USER_SYMBOLS_H

#include "recording/user_maps.h"

/**
 * struct user_symbols_options - where the files are
 * @open: opens a file of the recorded machine as process @pid sees it (0: any process); returns a
 *	descriptor, which user_symbols() closes, or -errno. NULL: no file can be opened
 * @containers: @open supports a @pid
 * @chosen: the user named these files, so they are used even if build ID and inode are unknown
 * @owner: a user whose perf maps are trusted besides those of root and of this process's user;
 *	UINT32_MAX: none
 * @runs_as: does process @pid run as @user? Then @user may name its functions. NULL: unknown
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
 * @symbols: kallsyms lines
 * @lines: "FRAME LINE FUNCTION FILE" for each function at a frame, innermost first, the function
 *	that contains the code last. FRAME is in hex, LINE 0 if it is unknown. FUNCTION is "-" to
 *	take the symbol's name; FILE may have blanks.
 */
struct user_texts {
	struct strbuf symbols, lines;
};

/**
 * user_symbols() - add the symbols and source lines of all frames in use
 *
 * Only files that were mapped are used: the build ID must be the same, or, where it is unknown, the
 * inode. Functions that a process generated (JIT) are named by its perf map (/tmp/perf-PID.map), if
 * that file belongs to root, this user, @owner or the user of the process. Lines and inlined
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
/* The same for a JIT compiler's perf map: lines "START SIZE NAME", numbers in hex; later lines are
 * newer functions. A file that is unreadable or larger than 64 MiB gives no functions. 0 or
 * -ENOMEM.
 */
int program_open_jit(struct program **out, int fd) __must_check;
void program_close(struct program *p);

/* The address, as linked, of the byte at @offset in the file; @offset if no segment contains it. */
uint64_t program_address(const struct program *p, uint64_t offset);
/* The function that contains @address, as linked, or NULL; @start receives its first address. The
 * name belongs to @p.
 */
const char *program_function(const struct program *p, uint64_t address, uint64_t *start);

#endif
