// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: directories of the kernel's source, as the user names them.
 * In: words. Out: does a directory belong to one of them?
 */
#include "analysis/row/dir_words.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int dir_words_add(struct dir_words *words, const char *word)
{
	size_t len = strlen(word);
	char *copy;

	while (len && word[len - 1] == '/')
		len--;
	if (!len || *word == '/' || *word == '-')
		return -EINVAL;
	if (array_reserve(&words->items, &words->capacity, words->nr + 1,
			  sizeof(*words->items)))
		return -ENOMEM;
	copy = strndup(word, len);
	if (!copy)
		return -ENOMEM;
	words->items[words->nr++] = copy;
	return 0;
}

bool dir_words_has(const struct dir_words *words, const char *dir)
{
	size_t i;

	for (i = 0; i < words->nr; i++) {
		size_t len = strlen(words->items[i]);

		if (!strncmp(words->items[i], dir, len) && (!dir[len] || dir[len] == '/'))
			return true;
		if (!fnmatch(words->items[i], dir, 0))
			return true;
	}
	return false;
}

void dir_words_free(struct dir_words *words)
{
	size_t i;

	for (i = 0; i < words->nr; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct dir_words){ 0 };
}
