// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/life/suppressions.h"

#include "base/array.h"

static const char lead[] = "leak:";

/* Adds the line of @size bytes at @text, without spaces around it. */
static int add_line(struct suppressions *s, const char *text, size_t size)
{
	char *pattern;

	if (!size || *text == '#')
		return 0;
	if (size <= strlen(lead) || memcmp(text, lead, strlen(lead)) != 0 ||
	    memchr(text, '\0', size))
		return -EINVAL;
	if (s->nr == SUPPRESSIONS_MAX)
		return -E2BIG;
	if (array_grow(&s->patterns, s->nr))
		return -ENOMEM;
	pattern = strndup(text + strlen(lead), size - strlen(lead));
	if (!pattern)
		return -ENOMEM;
	s->patterns[s->nr++] = pattern;
	return 0;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

int suppressions_parse(struct suppressions *s, const char *text, size_t size,
		       unsigned int *line)
{
	const char *end = text + size;
	int ret = 0;

	for (*line = 1; text < end && !ret; ++*line) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		const char *next = stop ? stop + 1 : end;

		if (!stop)
			stop = end;
		while (text < stop && is_space(*text))
			text++;
		while (stop > text && is_space(stop[-1]))
			stop--;
		ret = add_line(s, text, (size_t)(stop - text));
		text = next;
		if (ret)
			break;
	}
	return ret;
}

/* Does @name contain the parts of @pattern between its stars, in order? Taking the first match of
 * each leaves the most for the others.
 */
static bool fits(const char *pattern, const char *name)
{
	bool here = *pattern == '^';

	pattern += here;
	for (;;) {
		size_t size = strcspn(pattern, "*");
		bool last = !pattern[size];
		bool to_end = last && size && pattern[size - 1] == '$';

		if (to_end) {
			size_t left = strlen(name);

			size--;
			if (left < size || (here && left != size))
				return false;
			return !strncmp(name + left - size, pattern, size);
		}
		while (strncmp(name, pattern, size) != 0) {
			if (here || !*name++)
				return false;
		}
		if (last)
			return true;
		name += size;
		pattern += size + 1;
		here = false;
	}
}

int suppressions_find(const struct suppressions *s, const char *name)
{
	for (size_t i = 0; name && i < s->nr; i++) {
		if (fits(s->patterns[i], name))
			return (int)i;
	}
	return -1;
}

void suppressions_free(struct suppressions *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->patterns[i]);
	free(s->patterns);
	*s = (struct suppressions){ 0 };
}
