// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json.h"

#include <math.h>

#include "base/safe_text.h"

struct json json_begin(const struct render_out *out)
{
	return (struct json){ .out = out };
}

static void json_flush(struct json *j)
{
	j->err = render_flush(&j->sb, j->out, j->err);
}

static void json_line(struct json *j)
{
	strbuf_puts(&j->sb, "\n");
	strbuf_fill(&j->sb, ' ', 2UL * j->depth);
}

static void json_separate(struct json *j)
{
	if (j->sb.size >= RENDER_PIECE)
		json_flush(j);
	if (j->comma)
		strbuf_puts(&j->sb, ",");
	if (!j->keyed && j->lines >> j->depth & 1)
		json_line(j);
	else if (j->comma)
		strbuf_puts(&j->sb, " ");
	j->comma = j->keyed = false;
}

void json_open(struct json *j, char bracket)
{
	json_separate(j);
	strbuf_add(&j->sb, &bracket, 1);
	j->lines &= ~(1U << ++j->depth);
}

void json_open_lines(struct json *j, char bracket)
{
	json_open(j, bracket);
	j->lines |= 1U << j->depth;
}

void json_close(struct json *j, char bracket)
{
	if (j->lines >> j->depth-- & 1)
		json_line(j);
	strbuf_add(&j->sb, &bracket, 1);
	j->comma = true;
}

/* Writes "\u001b"; code points above U+FFFF as two surrogates. */
static void quote_code_point(struct strbuf *sb, uint32_t c)
{
	if (c > 0xffff) {
		strbuf_printf(sb, "\\u%04x", 0xd7c0 + (c >> 10));
		c = 0xdc00 | (c & 0x3ff);
	}
	strbuf_printf(sb, "\\u%04x", c);
}

void json_quote_size(struct strbuf *sb, const char *text, size_t size)
{
	const char *end = text + size;
	size_t len;
	uint32_t c;

	strbuf_puts(sb, "\"");
	for (; text < end; text += len ? len : 1) {
		len = safe_text_char(text, (size_t)(end - text), &c);
		if (!len)
			strbuf_puts(sb, "\\ufffd");
		else if (c == '"' || c == '\\')
			strbuf_printf(sb, "\\%c", (int)c);
		else if (c == '\n')
			strbuf_puts(sb, "\\n");
		else if (c == '\t')
			strbuf_puts(sb, "\\t");
		else if (!safe_text_is(c))
			quote_code_point(sb, c);
		else
			strbuf_add(sb, text, len);
	}
	strbuf_puts(sb, "\"");
}

void json_quote(struct strbuf *sb, const char *text)
{
	json_quote_size(sb, text, strlen(text));
}

void json_quote_list(struct strbuf *sb, const char *text)
{
	const char *separator = "";
	size_t len;

	strbuf_puts(sb, "[");
	for (; *text; text += len + (text[len] == '|')) {
		len = strcspn(text, "|");
		strbuf_puts(sb, separator);
		json_quote_size(sb, text, len);
		separator = ", ";
	}
	strbuf_puts(sb, "]");
}

void json_key(struct json *j, const char *key)
{
	json_separate(j);
	json_quote(&j->sb, key);
	strbuf_puts(&j->sb, ": ");
	j->keyed = true;
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

void json_list(struct json *j, const char *text)
{
	json_separate(j);
	json_quote_list(&j->sb, text);
	j->comma = true;
}

void json_counts(struct json *j, const char *text)
{
	json_separate(j);
	strbuf_puts(&j->sb, "[");
	for (; *text; text++) {
		if (*text == '|')
			strbuf_puts(&j->sb, ", ");
		else
			strbuf_add(&j->sb, text, 1);
	}
	strbuf_puts(&j->sb, "]");
	j->comma = true;
}

/* 2^53: a double has all whole numbers up to it. */
#define WHOLE_MAX 9007199254740992.0

bool real_format(struct strbuf *sb, double f)
{
	char text[32];

	if (!isfinite(f))
		return false;
	if (fabs(f) <= WHOLE_MAX && f == floor(f)) {
		strbuf_printf(sb, "%.0f", f);
		return true;
	}
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, f);
		if (strtod(text, NULL) == f)
			break;
	}
	strbuf_puts(sb, text);
	return true;
}

bool cell_exact(struct strbuf *sb, const struct cell *cell)
{
	if (cell->type == CELL_UINT)
		strbuf_printf(sb, "%" PRIu64, cell->u);
	else if (cell->type == CELL_INT)
		strbuf_printf(sb, "%" PRId64, cell->i);
	else if (cell->type == CELL_ADDRESS)
		strbuf_printf(sb, "0x%" PRIx64, cell->u);
	else
		return cell->type == CELL_REAL && real_format(sb, cell->f);
	return true;
}

void json_cell(struct json *j, const struct cell *cell)
{
	const char *quote = cell->type == CELL_ADDRESS ? "\"" : "";

	if (cell->type == CELL_TEXT) {
		json_string(j, cell->s);
		return;
	}
	json_separate(j);
	strbuf_puts(&j->sb, quote);
	if (!cell_exact(&j->sb, cell))
		strbuf_puts(&j->sb, "null");
	strbuf_puts(&j->sb, quote);
	j->comma = true;
}

int json_end(struct json *j)
{
	strbuf_puts(&j->sb, "\n");
	json_flush(j);
	strbuf_free(&j->sb);
	return j->err;
}
