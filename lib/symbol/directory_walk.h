/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol (internal): the files below a directory.
 * In: a directory. Out: the files in it and in its subdirectories, each with its path.
 */
#ifndef KMEMX_SYMBOL_DIRECTORY_WALK_H
#define KMEMX_SYMBOL_DIRECTORY_WALK_H

#include "base/strbuf.h"

/* Deeper directories are skipped. */
#define DIRECTORY_WALK_DEPTH 32

/**
 * struct directory_walk - what to do with the entries
 * @path: the directory being read, relative to the start of the walk; the caller may begin with
 *	a path, and frees it
 * @enter: should the walk enter the directory @name in @path?
 * @file: called for an entry @name of the open @directory that is not a directory. A return
 *	value other than 0 ends the walk.
 *
 * Symbolic links are never followed.
 */
struct directory_walk {
	struct strbuf path;
	bool (*enter)(void *ctx, const char *path, const char *name);
	int (*file)(void *ctx, int directory, const char *name);
	void *ctx;
};

/* Walks @fd, an open directory, and closes it. Returns 0, what @file returned, or -ENOMEM.
 * Directories that cannot be read are skipped.
 */
int directory_walk(struct directory_walk *walk, int fd) __must_check;

#endif
