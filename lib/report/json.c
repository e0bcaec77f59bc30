// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: writes JSON piece by piece, so that memory does not grow with the output.
 * In: keys and values in document order. Out: JSON text handed to a function.
 */
#include "report/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_SIZE 32768

struct json json_begin(const struct render_out *out)
{
	return (struct json){ .out = out };
}

static void json_flush(struct json *j)
{
	if (!j->err && j->sb.failed)
		j->err = -ENOMEM;
	if (!j->err && j->sb.size)
		j->err = j->out->write(j->out->ctx, j->sb.data, j->sb.size);
	strbuf_reset(&j->sb);
}

static void json_separate(struct json *j)
{
	unsigned int i;

	if (j->sb.size >= FLUSH_SIZE)
		json_flush(j);
	if (j->comma)
		strbuf_puts(&j->sb, ",");
	if (j->line_break) {
		strbuf_puts(&j->sb, "\n");
		for (i = 0; i < j->depth; i++)
			strbuf_puts(&j->sb, "  ");
	} else if (j->comma) {
		strbuf_puts(&j->sb, " ");
	}
	j->comma = false;
	j->line_break = false;
}

void json_open(struct json *j, char bracket)
{
	json_separate(j);
	strbuf_add(&j->sb, &bracket, 1);
	j->depth++;
}

void json_close(struct json *j, char bracket)
{
	if (j->depth)
		j->depth--;
	j->comma = false;
	json_separate(j);
	strbuf_add(&j->sb, &bracket, 1);
	j->comma = true;
}

void json_line(struct json *j)
{
	j->line_break = true;
}

/* Length of the UTF-8 sequence at @s: shortest form, no surrogates, at most U+10FFFF; 0 if
 * it is none. The NUL at the end fails every comparison with a continuation byte.
 */
static size_t utf8_length(const unsigned char *s)
{
	size_t len, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

void json_quote(struct strbuf *sb, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len;

	strbuf_puts(sb, "\"");
	for (; *s; s += len ? len : 1) {
		len = utf8_length(s);
		if (!len)
			strbuf_puts(sb, "\\ufffd");
		else if (*s == '"' || *s == '\\')
			strbuf_printf(sb, "\\%c", *s);
		else if (*s == '\n')
			strbuf_puts(sb, "\\n");
		else if (*s == '\t')
			strbuf_puts(sb, "\\t");
		else if (*s < 0x20 || *s == 0x7f)
			strbuf_printf(sb, "\\u%04x", *s);
		else
			strbuf_add(sb, s, len);
	}
	strbuf_puts(sb, "\"");
}

void json_key(struct json *j, const char *key)
{
	json_separate(j);
	json_quote(&j->sb, key);
	strbuf_puts(&j->sb, ": ");
}

void json_string(struct json *j, const char *s)
{
	if (!s) {
		json_null(j);
		return;
	}
	json_separate(j);
	json_quote(&j->sb, s);
	j->comma = true;
}

void json_uint(struct json *j, uint64_t u)
{
	json_separate(j);
	strbuf_printf(&j->sb, "%" PRIu64, u);
	j->comma = true;
}

void json_int(struct json *j, int64_t i)
{
	json_separate(j);
	strbuf_printf(&j->sb, "%" PRId64, i);
	j->comma = true;
}

bool real_format(struct strbuf *sb, double f)
{
	char text[32];
	int digits;
	char *p;

	if (!isfinite(f))
		return false;
	for (digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, f);
		if (strtod(text, NULL) == f)
			break;
	}
	p = strchr(text, ',');
	if (p)
		*p = '.';
	strbuf_puts(sb, text);
	return true;
}

void json_real(struct json *j, double f)
{
	json_separate(j);
	if (!real_format(&j->sb, f))
		strbuf_puts(&j->sb, "null");
	j->comma = true;
}

void json_null(struct json *j)
{
	json_separate(j);
	strbuf_puts(&j->sb, "null");
	j->comma = true;
}

void json_cell(struct json *j, const struct cell *cell)
{
	char address[24];

	switch (cell->type) {
	case CELL_UINT:
		json_uint(j, cell->u);
		break;
	case CELL_INT:
		json_int(j, cell->i);
		break;
	case CELL_REAL:
		json_real(j, cell->f);
		break;
	case CELL_ADDRESS:
		snprintf(address, sizeof(address), "0x%" PRIx64, cell->u);
		json_string(j, address);
		break;
	case CELL_TEXT:
		json_string(j, cell->s);
		break;
	case CELL_NONE:
		json_null(j);
		break;
	}
}

int json_end(struct json *j)
{
	strbuf_puts(&j->sb, "\n");
	json_flush(j);
	strbuf_free(&j->sb);
	return j->err;
}
