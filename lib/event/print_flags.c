// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/print_flags.h"

#include <ctype.h>

#define MAX_DEPTH 64

/* A cursor over the text; @bad: it is no constant expression. */
struct expr {
	const char *p, *end;
	bool bad;
	unsigned int depth;
};

static uint64_t expr_or(struct expr *e);

static char expr_peek(struct expr *e)
{
	while (e->p < e->end && isspace((unsigned char)*e->p))
		e->p++;
	return e->p < e->end ? *e->p : '\0';
}

static bool expr_accept(struct expr *e, const char *token)
{
	size_t len = strlen(token);

	expr_peek(e);
	if ((size_t)(e->end - e->p) < len || memcmp(e->p, token, len))
		return false;
	e->p += len;
	return true;
}

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A decimal or hexadecimal number with any of the suffixes u, U, l, L. */
static uint64_t expr_number(struct expr *e)
{
	unsigned int base = 10;
	uint64_t value = 0;

	if (expr_accept(e, "0x") || expr_accept(e, "0X"))
		base = 16;
	if (e->p >= e->end || !isxdigit((unsigned char)*e->p))
		e->bad = true;
	for (; e->p < e->end && isxdigit((unsigned char)*e->p); e->p++) {
		unsigned int digit = isdigit((unsigned char)*e->p)
					     ? (unsigned int)(*e->p - '0')
					     : (unsigned int)(tolower(*e->p) - 'a') + 10;

		e->bad |= digit >= base || __builtin_mul_overflow(value, base, &value) ||
			  __builtin_add_overflow(value, digit, &value);
	}
	while (e->p < e->end && strchr("uUlL", *e->p))
		e->p++;
	return value;
}

/* After "(": skips "unsigned long)" and the like. False, and nothing is skipped, if it is no cast.
 */
static bool expr_cast(struct expr *e)
{
	const char *p;

	if (!isalpha((unsigned char)expr_peek(e)) && expr_peek(e) != '_')
		return false;
	for (p = e->p; p < e->end && (word_char(*p) || *p == ' ' || *p == '*'); p++)
		;
	if (p >= e->end || *p != ')')
		return false;
	e->p = p + 1;
	return true;
}

static uint64_t expr_unary(struct expr *e)
{
	uint64_t value = 0;

	if (e->bad || e->depth >= MAX_DEPTH) {
		e->bad = true;
		return 0;
	}
	e->depth++;
	if (expr_accept(e, "~")) {
		value = ~expr_unary(e);
	} else if (expr_accept(e, "-")) {
		value = -expr_unary(e);
	} else if (expr_accept(e, "(")) {
		if (expr_cast(e)) {
			value = expr_unary(e);
		} else {
			value = expr_or(e);
			e->bad |= !expr_accept(e, ")");
		}
	} else {
		value = expr_number(e);
	}
	e->depth--;
	return value;
}

static uint64_t expr_sum(struct expr *e)
{
	uint64_t value = expr_unary(e);

	while (!e->bad) {
		if (expr_accept(e, "+"))
			value += expr_unary(e);
		else if (expr_accept(e, "-"))
			value -= expr_unary(e);
		else
			break;
	}
	return value;
}

static uint64_t expr_shift(struct expr *e)
{
	uint64_t value = expr_sum(e);

	while (!e->bad) {
		bool left = expr_accept(e, "<<");
		uint64_t by;

		if (!left && !expr_accept(e, ">>"))
			break;
		by = expr_sum(e);
		if (by > 63)
			e->bad = true;
		else
			value = left ? value << by : value >> by;
	}
	return value;
}

static uint64_t expr_and(struct expr *e)
{
	uint64_t value = expr_shift(e);

	while (!e->bad && expr_accept(e, "&"))
		value &= expr_shift(e);
	return value;
}

static uint64_t expr_xor(struct expr *e)
{
	uint64_t value = expr_and(e);

	while (!e->bad && expr_accept(e, "^"))
		value ^= expr_and(e);
	return value;
}

static uint64_t expr_or(struct expr *e)
{
	uint64_t value = expr_xor(e);

	while (!e->bad && expr_accept(e, "|"))
		value |= expr_xor(e);
	return value;
}

/* The position after the comma that ends an argument; skips parentheses and strings. */
static const char *skip_argument(const char *p, const char *end)
{
	unsigned int depth = 0;
	bool quoted = false;

	for (; p < end; p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (*p == '(')
			depth++;
		else if (*p == ')' && !depth--)
			return NULL;
		else if (*p == ',' && !depth)
			return p + 1;
	}
	return NULL;
}

/* Where the pairs of the __print_flags() of @field begin; NULL if there is none. */
static const char *find_pairs(const char *text, const char *end, const char *field)
{
	static const char call[] = "__print_flags(", start[] = "\nprint fmt:";
	const char *p = memmem(text, (size_t)(end - text), start, strlen(start));

	while (p) {
		const char *arg, *stop, *at;

		p = memmem(p, (size_t)(end - p), call, strlen(call));
		if (!p)
			break;
		p += strlen(call);
		arg = p;
		stop = skip_argument(arg, end);
		at = stop ? memmem(arg, (size_t)(stop - arg), field, strlen(field))
			  : NULL;
		if (at && !word_char(at[-1]) && !word_char(at[strlen(field)]))
			return skip_argument(stop, end); /* after the delimiter */
	}
	return NULL;
}

/* Reads `"NAME" }`; false if the text differs. */
static bool read_name(struct expr *e, char *name, size_t size)
{
	size_t len = 0;

	if (!expr_accept(e, "\""))
		return false;
	for (; e->p < e->end && *e->p != '"'; e->p++) {
		if (!isprint((unsigned char)*e->p) || len + 1 >= size)
			return false;
		name[len++] = *e->p;
	}
	name[len] = '\0';
	return len && expr_accept(e, "\"") && expr_accept(e, "}");
}

int print_flags_parse(const char *text, size_t size, const char *field,
		      int (*pair)(void *ctx, uint64_t mask, const char *name), void *ctx)
{
	const char *end = text + size;
	struct expr e = { .p = find_pairs(text, end, field), .end = end };
	int count = 0;

	while (e.p && expr_accept(&e, "{")) {
		const char *second = skip_argument(e.p, end);
		char name[64];
		uint64_t mask;

		e.bad = false;
		mask = expr_or(&e);
		if (!second)
			break;
		if (expr_peek(&e) != ',')
			e.bad = true; /* more than a constant */
		e.p = second;
		if (!read_name(&e, name, sizeof(name)))
			break;
		if (!e.bad && mask) {
			int ret = pair(ctx, mask, name);

			if (ret < 0)
				return ret;
			count++;
		}
		if (!expr_accept(&e, ","))
			break;
	}
	return count;
}
