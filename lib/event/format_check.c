// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: may a format text be handed to libtraceevent?
 * In: a hostile text. Out: yes, or the reason why not; name and ID.
 */
#include "event/formats.h"

#include <ctype.h>

#include "base/number.h"

/* The end of the quoted string that starts at @p, as libtraceevent's tokenizer sees it. */
static const char *skip_quoted(const char *p, const char *end)
{
	char quote = *p++;

	for (; p < end && *p != quote; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
	}
	return p;
}

/* What a character does to the nesting of a format. A table, because a recording's formats have
 * some ten thousand characters.
 */
enum format_char { CHAR_PLAIN, CHAR_QUOTE, CHAR_OPEN, CHAR_CLOSE, CHAR_END, CHAR_OP };

static const uint8_t format_chars[256] = {
	['"'] = CHAR_QUOTE, ['\''] = CHAR_QUOTE, ['('] = CHAR_OPEN,  ['['] = CHAR_OPEN,
	['{'] = CHAR_OPEN,  [')'] = CHAR_CLOSE,	 [']'] = CHAR_CLOSE, ['}'] = CHAR_CLOSE,
	[','] = CHAR_END,   [';'] = CHAR_END,	 ['+'] = CHAR_OP,    ['-'] = CHAR_OP,
	['*'] = CHAR_OP,    ['/'] = CHAR_OP,	 ['%'] = CHAR_OP,    ['<'] = CHAR_OP,
	['>'] = CHAR_OP,    ['='] = CHAR_OP,	 ['!'] = CHAR_OP,    ['&'] = CHAR_OP,
	['|'] = CHAR_OP,    ['^'] = CHAR_OP,	 ['~'] = CHAR_OP,    ['?'] = CHAR_OP,
	[':'] = CHAR_OP,
};

static bool is_text(char c)
{
	return (c >= ' ' && c <= '~') || c == '\n' || c == '\t' || c == '\r';
}

const char *format_check(const char *text, size_t size)
{
	const char *p, *end = text + size;
	unsigned int depth = 0, operators = 0;

	if (size > FORMAT_MAX_SIZE)
		return "it is too long";
	for (p = text; p < end; p++) {
		if (!is_text(*p))
			return "it holds bytes that are not text";
	}
	for (p = text; p < end; p++) {
		enum format_char c = format_chars[(uint8_t)*p];

		if (likely(c == CHAR_PLAIN))
			continue;
		if (c == CHAR_QUOTE) {
			p = skip_quoted(p, end);
			if (p >= end)
				return "a quote is not closed";
		} else if (c == CHAR_OPEN) {
			operators++;
			if (++depth > FORMAT_MAX_NESTING)
				return "its parentheses nest too deeply";
		} else if (c == CHAR_CLOSE) {
			if (!depth--)
				return "its parentheses do not match";
		} else if (c == CHAR_END) {
			operators = 0;
		} else {
			operators++;
		}
		if (operators > FORMAT_MAX_OPERATORS)
			return "an expression is too long";
	}
	return depth ? "its parentheses do not match" : NULL;
}

/* The rest of the line that begins with @key, without leading blanks; NULL if no line does. */
static const char *find_line(const char *text, const char *end, const char *key)
{
	size_t len = strlen(key);

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		if ((size_t)(end - text) > len && !memcmp(text, key, len)) {
			for (text += len; text < end && *text == ' '; text++)
				;
			return text;
		}
		if (!nl ||
		    (*text == 'f' && nl - text >= 7 && !memcmp(text, "format:", 7)))
			break; /* fields and expressions may hold anything */
		text = nl + 1;
	}
	return NULL;
}

bool format_head(const char *text, size_t size, char name[128], uint16_t *id)
{
	const char *end = text + size;
	const char *p = find_line(text, end, "name:");
	uint64_t value;
	size_t len = 0;

	if (!p)
		return false;
	for (; p < end && *p != '\n' && len < 127; p++) {
		if (!isgraph((unsigned char)*p))
			return false;
		name[len++] = *p;
	}
	name[len] = '\0';
	if (!len || p == end || *p != '\n')
		return false;
	p = find_line(text, end, "ID:");
	if (!p || number_read(&p, end, 10, UINT16_MAX, &value))
		return false;
	*id = (uint16_t)value;
	return true;
}
