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
 * @comma: the next item needs a comma before it; @keyed: it is the value of a key
 * @lines: one bit per depth: items have their own lines, indented by depth
 */
struct json {
	const struct render_out *out;
	struct strbuf sb;
	int err;
	bool comma, keyed;
	unsigned int depth, lines;
};

struct json json_begin(const struct render_out *out);
void json_open(struct json *j, char bracket); /* '{' or '[' */
/* The same, but each item and the closing bracket get their own line. */
void json_open_lines(struct json *j, char bracket);
void json_close(struct json *j, char bracket);
void json_key(struct json *j, const char *key);
/* Bytes that are not UTF-8 become U+FFFD; NULL becomes null. */
void json_string(struct json *j, const char *s);
/* Writes a fraction in its shortest form that reads back the same; null for no value. */
void json_cell(struct json *j, const struct cell *cell);
static inline void json_uint(struct json *j, uint64_t u)
{
	json_cell(j, &(struct cell){ .type = CELL_UINT, .u = u });
}

static inline void json_int(struct json *j, int64_t i)
{
	json_cell(j, &(struct cell){ .type = CELL_INT, .i = i });
}

static inline void json_real(struct json *j, double f)
{
	json_cell(j, &(struct cell){ .type = CELL_REAL, .f = f });
}

static inline void json_null(struct json *j)
{
	json_cell(j, &(struct cell){ .type = CELL_NONE });
}

/* Splits @text at '|' into an array of strings, empty for "". */
void json_list(struct json *j, const char *text);
/* The same for digits, as an array of numbers. */
void json_counts(struct json *j, const char *text);
/* An array: @put, an expression, writes item @i, for each number @i below @nr. */
#define JSON_ARRAY(j, i, nr, put)                 \
	({                                        \
		json_open(j, '[');                \
		for (size_t i = 0; i < (nr); i++) \
			put;                      \
		json_close(j, ']');               \
	})
/* A member of an object: its key, then its value. */
#define JSON_KEY_ARRAY(j, key, i, nr, put) (json_key(j, key), JSON_ARRAY(j, i, nr, put))
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
/* The same for the @size bytes at @text. */
void json_quote_size(struct strbuf *sb, const char *text, size_t size);
/* Appends what json_list() writes. */
void json_quote_list(struct strbuf *sb, const char *text);
/* Appends @f in the shortest form that reads back the same; a whole number up to 2^53 has all its
 * digits. For NaN and infinities it appends nothing and returns false.
 */
bool real_format(struct strbuf *sb, double f);
/* Appends the exact number, or the address as "0x1f". False: the cell has none. */
bool cell_exact(struct strbuf *sb, const struct cell *cell);

#endif
