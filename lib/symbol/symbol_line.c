// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol (internal): one line of kallsyms or System.map.
 * In: untrusted text. Out: its address, type, name and module.
 */
#include "symbol/symbol_line.h"

#include <string.h>

/* The hex number at *@p, moved behind it; false without a digit or beyond 64 bits. */
static bool parse_hex(const char **p, const char *end, uint64_t *value)
{
	/* One more than the value of a hex digit; 0: it is none. */
	static const uint8_t digits[256] = {
		['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
		['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
		['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
	};
	const char *start = *p, *at = start;
	unsigned int digit;
	uint64_t v = 0;

	while (at < end && (digit = digits[(unsigned char)*at])) {
		v = v << 4 | (digit - 1);
		at++;
	}
	*p = at;
	*value = v;
	return at > start && at - start <= 16;
}

/* Length of the text at @p up to a blank, a control character or @end. */
static size_t word_length(const char *p, const char *end)
{
	const uint64_t ones = 0x0101010101010101ULL;
	const char *start = p;
	uint64_t word;

	/* Eight at a time, while none of them is below '!': the borrow of a subtraction shows
	 * the first that is.
	 */
	for (; end - p >= 8; p += 8) {
		memcpy(&word, p, 8);
		if ((word - ones * '!') & ~word & (ones << 7))
			break;
	}
	while (p < end && (unsigned char)*p > ' ')
		p++;
	return (size_t)(p - start);
}

bool symbol_line_parse(struct symbol_line *line, const char *p, const char *end)
{
	if (!parse_hex(&p, end, &line->addr) || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	line->type = p[1];
	line->name = p + 3;
	line->name_len = word_length(line->name, end);
	p = line->name + line->name_len;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	line->module = NULL;
	line->module_len = 0;
	if (p < end && *p == '[') {
		line->module = p + 1;
		line->module_len = word_length(p + 1, end);
		if (line->module_len && line->module[line->module_len - 1] == ']')
			line->module_len--;
	}
	return line->name_len > 0;
}

bool symbol_line_is_text(const struct symbol_line *line)
{
	return !strchr("dDbBrRvVaAgGsScCnN?-", line->type);
}

bool symbol_line_next(struct symbol_line *line, const char **p, const char *end)
{
	while (*p < end) {
		const char *start = *p, *nl = memchr(start, '\n', (size_t)(end - start));
		const char *line_end = nl ? nl : end;

		*p = nl ? nl + 1 : end;
		if (symbol_line_parse(line, start, line_end))
			return true;
	}
	return false;
}
