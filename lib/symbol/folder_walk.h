/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol (internal): the files below a directory.
 * In: a directory. Out: its files and those of its directories, with the path of each.
 */
#ifndef KMEMX_SYMBOL_FOLDER_WALK_H
#define KMEMX_SYMBOL_FOLDER_WALK_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/strbuf.h"

/* Directories deeper than this are left out. */
#define FOLDER_WALK_DEPTH 32

/**
 * struct folder_walk - who wants to know
 * @path: of the directory whose entries come, below the one that was asked for; the caller may
 *	begin with a path, and frees it
 * @enter: is directory @name, in @path, to be looked into?
 * @file: @name in the open @folder may be a file, it is no directory. Not 0 ends the walk.
 *
 * Symbolic links are never followed.
 */
struct folder_walk {
	struct strbuf path;
	bool (*enter)(void *ctx, const char *path, const char *name);
	int (*file)(void *ctx, int folder, const char *name);
	void *ctx;
};

/* Takes @fd, an open directory. 0; what @file said; -ENOMEM. What cannot be read is left out. */
int folder_walk(struct folder_walk *walk, int fd) __must_check;

#endif
