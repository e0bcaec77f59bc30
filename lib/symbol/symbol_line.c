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
	const char *start = *p;
	uint64_t v = 0;

	for (; *p < end; (*p)++) {
		unsigned int c = (unsigned char)**p, digit = c - '0';

		if (digit > 9) {
			digit = (c | 0x20) - 'a';
			if (digit > 5)
				break;
			digit += 10;
		}
		v = v << 4 | digit;
	}
	*value = v;
	return *p > start && *p - start <= 16;
}

/* Length of the text at @p up to a blank, a control character or @end. */
static size_t word_length(const char *p, const char *end)
{
	const char *start = p;

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
