/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: removes a scratch directory with everything in it.
 */
#ifndef KMEMX_TESTS_REMOVE_TREE_H
#define KMEMX_TESTS_REMOVE_TREE_H

#include <check.h>
#include <ftw.h>
#include <stdio.h>

static inline int remove_one(const char *path, const struct stat *st, int type,
			     struct FTW *ftw)
{
	return remove(path);
}

static inline void remove_tree(const char *dir)
{
	ck_assert_int_eq(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

#endif
