/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the names of programs' functions in callchains.
 * In: frames of programs, and the files that were mapped. Out: lines of kallsyms.
 */
#ifndef KMEMX_SYMBOL_USER_SYMBOLS_H
#define KMEMX_SYMBOL_USER_SYMBOLS_H

#include "recording/user_maps.h"

/**
 * struct user_symbols_options - where the files are
 * @open: opens a file of the recorded machine: a descriptor, which the callee closes; or -errno.
 *	NULL: none can be opened
 * @chosen: the user named these files, so one is used if its build ID and inode are unknown
 * @owner: the user who may have written a process's names of functions for perf, beside root and
 *	the user who owns @ctx's process; UINT32_MAX: nobody else
 */
struct user_symbols_options {
	int (*open)(void *ctx, const char *path);
	void *ctx;
	bool chosen;
	uint32_t owner;
};

/**
 * user_symbols() - add the symbols of all frames that were given out to @out, as lines of kallsyms
 *
 * Only files that were mapped are used: the build ID must be the same, or, where it is unknown, the
 * inode. Functions that a process has made itself have the names that it gave them for perf
 * (/tmp/perf-PID.map), if the file belongs to root, to this user or to @owner.
 *
 * Return: 0 or -ENOMEM.
 */
int user_symbols(const struct user_maps *u, const struct user_symbols_options *opts,
		 struct strbuf *out) __must_check;

#endif
