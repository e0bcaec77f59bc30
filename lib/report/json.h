/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: writes JSON piece by piece, so that memory does not grow with the output.
 * In: keys and values in document order. Out: JSON text handed to a function.
 */
#ifndef KMEMX_REPORT_JSON_H
#define KMEMX_REPORT_JSON_H

#include "base/strbuf.h"
#include "report/render.h"

/**
 * struct json - a document being written
 * @err: the first failure; later calls do nothing
 * @comma: the next item needs a comma before it
 */
struct json {
	const struct render_out *out;
	struct strbuf sb;
	int err;
	bool comma;
	bool line_break;
	unsigned int depth;
};

struct json json_begin(const struct render_out *out);
void json_open(struct json *j, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);
/* The next item or closing bracket starts a line of its own, indented by depth. */
void json_line(struct json *j);
void json_key(struct json *j, const char *key);
/* Bytes that are not UTF-8 become U+FFFD; NULL becomes null. */
void json_string(struct json *j, const char *s);
void json_uint(struct json *j, uint64_t u);
void json_int(struct json *j, int64_t i);
void json_real(struct json *j, double f); /* shortest form that reads back the same */
void json_null(struct json *j);
void json_cell(struct json *j, const struct cell *cell);
/* Splits @text at '|' into an array of strings, empty for "". */
void json_list(struct json *j, const char *text);
/* The same for digits, as an array of numbers. */
void json_counts(struct json *j, const char *text);
/* A member of an object: its key, then its value. */
static inline void json_key_open(struct json *j, const char *key, char bracket)
{
	json_key(j, key);
	json_open(j, bracket);
}

static inline void json_key_uint(struct json *j, const char *key, uint64_t u)
{
	json_key(j, key);
	json_uint(j, u);
}

static inline void json_key_string(struct json *j, const char *key, const char *s)
{
	json_key(j, key);
	json_string(j, s);
}

/* Writes the rest and frees. Return: 0; -ENOMEM; the write function's error. */
int json_end(struct json *j) __must_check;

/* Appends @text as a JSON string, as json_string() writes one. */
void json_quote(struct strbuf *sb, const char *text);
/* Appends what json_list() writes. */
void json_quote_list(struct strbuf *sb, const char *text);
/* Appends @f in the shortest form that reads back the same, with a decimal point in any locale. For
 * NaN and infinities it appends nothing and returns false.
 */
bool real_format(struct strbuf *sb, double f);

#endif
