// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/constant.h"

#define VALUE_MAX (1LL << 31)
#define DEPTH_MAX 32U

/* @at: what is left of the text; @depth: of parentheses. */
struct expression {
	const char *at;
	unsigned int depth;
};

static bool any(struct expression *e, int64_t *value);

static bool take(struct expression *e, const char *word)
{
	size_t len = strlen(word);

	e->at += strspn(e->at, " ");
	if (strncmp(e->at, word, len) != 0)
		return false;
	e->at += len;
	return true;
}

static bool in_range(int64_t value)
{
	return value <= VALUE_MAX && value >= -VALUE_MAX;
}

static bool number(struct expression *e, int64_t *value)
{
	e->at += strspn(e->at, " ");
	if (*e->at < '0' || *e->at > '9')
		return false;
	for (*value = 0; *e->at >= '0' && *e->at <= '9' && in_range(*value); e->at++)
		*value = *value * 10 + (*e->at - '0');
	return in_range(*value);
}

static bool operand(struct expression *e, int64_t *value)
{
	bool ok;

	while (take(e, "(unsigned int)") || take(e, "(int)"))
		;
	if (!take(e, "("))
		return number(e, value);
	if (e->depth == DEPTH_MAX)
		return false;
	e->depth++;
	ok = any(e, value) && take(e, ")");
	e->depth--;
	return ok;
}

static bool product(struct expression *e, int64_t *value)
{
	bool ok = operand(e, value);
	int64_t other;

	while (ok && take(e, "*")) {
		ok = operand(e, &other);
		if (ok) /* both are at most 2^31 */
			*value *= other;
		ok = ok && in_range(*value);
	}
	return ok;
}

static bool sum(struct expression *e, int64_t *value)
{
	bool ok = product(e, value), plus;
	int64_t other;

	while (ok && ((plus = take(e, "+")) || take(e, "-"))) {
		ok = product(e, &other);
		if (ok)
			*value = plus ? *value + other : *value - other;
		ok = ok && in_range(*value);
	}
	return ok;
}

static bool any(struct expression *e, int64_t *value)
{
	int64_t other, yes, no;

	if (!sum(e, value))
		return false;
	if (take(e, "<")) {
		if (!sum(e, &other))
			return false;
		*value = *value < other;
	}
	if (!take(e, "?"))
		return true;
	/* Limit chains of ?:, which nest like parentheses. */
	if (e->depth == DEPTH_MAX)
		return false;
	e->depth++;
	if (!any(e, &yes) || !take(e, ":") || !any(e, &no))
		return false;
	e->depth--;
	*value = *value ? yes : no;
	return true;
}

bool constant_value(const char *text, int64_t *value)
{
	struct expression e = { .at = text };

	if (!any(&e, value))
		return false;
	e.at += strspn(e.at, " ");
	return *e.at == ',' || !*e.at;
}
