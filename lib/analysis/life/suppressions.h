/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: known leaks that the user does not want to see.
 * In: a file in LeakSanitizer's format. Out: does it match a function, module or cache?
 */
#ifndef KMEMX_ANALYSIS_SUPPRESSIONS_H
#define KMEMX_ANALYSIS_SUPPRESSIONS_H

#include "base/compiler.h"

#define SUPPRESSIONS_TEXT_MAX (1U << 20) /* bytes of a file */
#define SUPPRESSIONS_MAX      1000	 /* lines of all files, without comments */

/* Zero-initialise it. @patterns: the text after "leak:" in each line. */
struct suppressions {
	char **patterns;
	size_t nr;
};

/**
 * suppressions_parse() - add the lines of a file
 * @text: any @size bytes
 * @line: receives the number of the invalid line, from 1
 *
 * A line is "leak:PATTERN"; empty lines and those that begin with '#' are ignored. A pattern
 * matches any part of a name; ^ is its beginning, $ its end, * any characters.
 *
 * Return: 0; -EINVAL with @line; -E2BIG: more than SUPPRESSIONS_MAX; -ENOMEM.
 */
int suppressions_parse(struct suppressions *s, const char *text, size_t size,
		       unsigned int *line) __must_check;
/* The number, from 0, of the first line that matches @name; -1: none does, or @name is NULL. */
int suppressions_find(const struct suppressions *s, const char *name);
void suppressions_free(struct suppressions *s);

#endif
