/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: a settings file in git's syntax.
 * In: untrusted text. Out: sections, names and values, or the line that is wrong.
 */
#ifndef KMEMX_BASE_SETTINGS_H
#define KMEMX_BASE_SETTINGS_H

#include "base/compiler.h"

#define SETTINGS_TEXT_MAX (64U << 10) /* bytes of a file */
#define SETTINGS_MAX	  1000	      /* settings in a file */
#define SETTINGS_NAME_MAX 63	      /* bytes of a section's or a setting's name */

/**
 * struct setting - one line of the file
 * @section: lower case letters, digits and '-'
 * @name: the same
 * @value: without the quotes around it; NULL: the line has no '='. Its only control characters are
 *	those that the file spells as \n, \t and \b.
 * @line: its number; the first line is 1
 */
struct setting {
	const char *section, *name, *value;
	unsigned int line;
};

/* In the order of the file; zero-initialise it. It owns the texts. */
struct settings {
	struct setting *items;
	size_t nr;
	char *texts;
};

enum settings_problem {
	SETTINGS_OK,
	SETTINGS_BAD_SECTION,	 /* not "[name]" */
	SETTINGS_BAD_NAME,	 /* not "name" or "section.name" */
	SETTINGS_NO_SECTION,	 /* a name without a section, before the first "[name]" */
	SETTINGS_BAD_ASSIGNMENT, /* no '=' after the name */
	SETTINGS_OPEN_QUOTE,	 /* a quote that is not closed in its line */
	SETTINGS_BAD_ESCAPE,	 /* a backslash before none of \ " n t b */
	SETTINGS_BAD_CHARACTER,	 /* a control character */
	SETTINGS_TOO_MANY, /* more than SETTINGS_MAX, or a text over SETTINGS_TEXT_MAX */
};

/* The first problem in a text, and its line. */
struct settings_error {
	enum settings_problem problem;
	unsigned int line;
};

/**
 * settings_parse() - read the text of a settings file
 * @text: any bytes; need not end in a NUL
 *
 * Sections "[stat]" contain lines "sort = bytes"; "stat.sort = bytes" may be anywhere. A name alone
 * has no value. '#' and ';' begin a comment; quotes keep these and spaces; a backslash at the end
 * continues a line. Names are case-insensitive.
 *
 * Return: 0; -EINVAL with @error set; -ENOMEM. @s is empty after an error.
 */
int settings_parse(struct settings *s, const char *text, size_t size,
		   struct settings_error *error) __must_check;

/* The last setting of this name, which takes effect; NULL if not set. */
const struct setting *settings_find(const struct settings *s, const char *section,
				    const char *name);

void settings_free(struct settings *s);

/**
 * settings_words() - split a value into words like a shell
 * @words: receives an array that ends in NULL; the caller frees it, which frees the words, too
 * @nr: receives their number
 *
 * Spaces and tabs separate words; single and double quotes keep them; except in single quotes, a
 * backslash takes the next character literally. Nothing is expanded.
 *
 * Return: 0; -EINVAL if a quote is not closed; -ENOMEM.
 */
int settings_words(const char *value, char ***words, size_t *nr) __must_check;

#endif
