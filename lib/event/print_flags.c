// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/print_flags.h"

#include <ctype.h>

#include "base/number.h"

#define MAX_DEPTH 64

#define SMALL_MAX (1LL << 31)

/* A cursor over the text; @bad: it is no constant expression; @small: unary operators, and numbers
 * beyond SMALL_MAX, are not allowed.
 */
struct expr {
	const char *p, *end;
	bool bad, small;
	unsigned int depth;
};

static uint64_t expr_any(struct expr *e);

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

/* Returns @value; sets @e->bad if it is too large. */
static uint64_t expr_checked(struct expr *e, uint64_t value)
{
	e->bad |= e->small && ((int64_t)value > SMALL_MAX || (int64_t)value < -SMALL_MAX);
	return value;
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
	if (number_read(&e->p, e->end, base, UINT64_MAX, &value) ||
	    (e->p < e->end && isxdigit((unsigned char)*e->p)))
		e->bad = true;
	while (e->p < e->end && strchr("uUlL", *e->p))
		e->p++;
	return expr_checked(e, value);
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
	if (!e->small && expr_accept(e, "~")) {
		value = ~expr_unary(e);
	} else if (!e->small && expr_accept(e, "-")) {
		value = -expr_unary(e);
	} else if (expr_accept(e, "(")) {
		if (expr_cast(e)) {
			value = expr_unary(e);
		} else {
			value = expr_any(e);
			e->bad |= !expr_accept(e, ")");
		}
	} else {
		value = expr_number(e);
	}
	e->depth--;
	return value;
}

/* Of two operators that begin alike, the longer comes first. A higher @level binds more tightly. */
static const struct {
	const char *word;
	char op;
	unsigned int level;
} operators[] = {
	{ "<<", 'l', 5 }, { ">>", 'r', 5 }, { "<", '<', 4 },
	{ "|", '|', 1 },  { "^", '^', 2 },  { "&", '&', 3 },
	{ "+", '+', 6 },  { "-", '-', 6 },  { "*", '*', 7 },
};

static uint64_t apply(struct expr *e, char op, uint64_t a, uint64_t b)
{
	switch (op) {
	case '|':
		return a | b;
	case '^':
		return a ^ b;
	case '&':
		return a & b;
	case '<':
		return (int64_t)a < (int64_t)b;
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	default:
		e->bad |= b > 63;
		return op == 'l' ? a << (b & 63) : a >> (b & 63);
	}
}

/* Evaluates an operand, and the operators of at least @level that follow it. */
static uint64_t expr_binary(struct expr *e, unsigned int level)
{
	uint64_t value = expr_unary(e);
	char next = expr_peek(e);
	size_t i = 0;

	while (!e->bad && i < ARRAY_SIZE(operators)) {
		if (next != *operators[i].word || operators[i].level < level ||
		    !expr_accept(e, operators[i].word)) {
			i++;
			continue;
		}
		value = apply(e, operators[i].op, value,
			      expr_binary(e, operators[i].level + 1));
		expr_checked(e, value);
		next = expr_peek(e);
		i = 0;
	}
	return value;
}

static uint64_t expr_any(struct expr *e)
{
	uint64_t value = expr_binary(e, 0), yes, no;

	if (e->bad || !expr_accept(e, "?"))
		return value;
	/* Chains of ?: nest like parentheses. */
	e->depth++;
	yes = expr_any(e);
	e->bad |= !expr_accept(e, ":");
	no = e->bad ? 0 : expr_any(e);
	e->depth--;
	return value ? yes : no;
}

bool constant_value(const char *text, int64_t *value)
{
	struct expr e = { .p = text, .end = text + strlen(text), .small = true };

	*value = (int64_t)expr_any(&e);
	return !e.bad && (expr_peek(&e) == ',' || e.p == e.end);
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
		mask = expr_any(&e);
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
