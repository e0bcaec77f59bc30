/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: directories of the kernel's source, as the user names them.
 * In: words. Out: does a directory belong to one of them?
 */
#ifndef KMEMX_ANALYSIS_DIR_WORDS_H
#define KMEMX_ANALYSIS_DIR_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/* Zero-initialise it. */
struct dir_words {
	char **items;
	size_t nr, capacity;
};

/* "fs/ext4", including its subdirectories; * and ? are wildcards. 0; -EINVAL: it cannot be a
 * directory of the source; -ENOMEM.
 */
int dir_words_add(struct dir_words *words, const char *word) __must_check;
bool dir_words_has(const struct dir_words *words, const char *dir);
void dir_words_free(struct dir_words *words);

#endif
