// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json.h"

#include <math.h>

#include "base/safe_text.h"

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
	if (j->sb.size >= FLUSH_SIZE)
		json_flush(j);
	if (j->comma)
		strbuf_puts(&j->sb, ",");
	if (j->line_break) {
		strbuf_puts(&j->sb, "\n");
		for (unsigned int i = 0; i < j->depth; i++)
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

/* Writes "\u001b"; code points above U+FFFF as two surrogates. */
static void quote_code_point(struct strbuf *sb, uint32_t c)
{
	if (c > 0xffff) {
		strbuf_printf(sb, "\\u%04x", 0xd7c0 + (c >> 10));
		c = 0xdc00 | (c & 0x3ff);
	}
	strbuf_printf(sb, "\\u%04x", c);
}

static void quote(struct strbuf *sb, const char *text, size_t size)
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
	quote(sb, text, strlen(text));
}

void json_quote_list(struct strbuf *sb, const char *text)
{
	const char *separator = "";
	size_t len;

	strbuf_puts(sb, "[");
	for (; *text; text += len + (text[len] == '|')) {
		len = strcspn(text, "|");
		strbuf_puts(sb, separator);
		quote(sb, text, len);
		separator = ", ";
	}
	strbuf_puts(sb, "]");
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
	char *p;

	if (!isfinite(f))
		return false;
	for (int digits = 6; digits <= 17; digits++) {
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
