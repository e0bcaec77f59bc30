// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/probe_list.h"

#define SET "set"

void probe_list_add(struct strbuf *out, const char *name, const char *function,
		    const char *why)
{
	strbuf_printf(out, "%s %s %s\n", name, function, why ? why : SET);
}

/* Copies the word at *@text and moves behind it and its blank; false: there is no word. */
static bool take_word(const char **text, char *word, size_t size)
{
	size_t len = strcspn(*text, " \n");

	snprintf(word, size, "%.*s", (int)(len < size ? len : size - 1), *text);
	*text += len + ((*text)[len] == ' ');
	return len;
}

bool probe_list_next(const char **text, struct probe_line *line)
{
	bool whole = false;

	while (**text && !whole) {
		size_t len;

		whole = take_word(text, line->name, sizeof(line->name)) &&
			take_word(text, line->function, sizeof(line->function));
		len = strcspn(*text, "\n");
		whole &= len != 0;
		line->set = len == strlen(SET) && !strncmp(*text, SET, len);
		snprintf(line->why, sizeof(line->why), "%.*s",
			 line->set ? 0 : (int)(len < INT16_MAX ? len : INT16_MAX), *text);
		*text += len + ((*text)[len] == '\n');
	}
	return whole;
}
