// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: checks that a text is JSON: RFC 8259, without duplicate names.
 */
#include "json_check.h"

#include <ctype.h>
#include <string.h>

#define MAX_DEPTH 64

struct text {
	const char *at, *end;
	unsigned int depth;
};

static bool check_value(struct text *t);

static void skip_space(struct text *t)
{
	while (t->at < t->end && strchr(" \t\r\n", *t->at) && *t->at)
		t->at++;
}

static bool take(struct text *t, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(t->end - t->at) < len || memcmp(t->at, word, len))
		return false;
	t->at += len;
	return true;
}

/* Number of bytes after the first one of a UTF-8 character; -1: not a first byte */
static int more_bytes(unsigned char c)
{
	return c < 0x80	  ? 0
	       : c < 0xc2 ? -1
	       : c < 0xe0 ? 1
	       : c < 0xf0 ? 2
	       : c < 0xf5 ? 3
			  : -1;
}

static bool check_utf8(struct text *t)
{
	int more = more_bytes((unsigned char)*t->at);

	for (t->at++; more > 0; more--, t->at++)
		if (t->at >= t->end || ((unsigned char)*t->at & 0xc0) != 0x80)
			return false;
	return !more;
}

static bool check_escape(struct text *t)
{
	int i;

	if (++t->at >= t->end)
		return false;
	if (*t->at != 'u')
		return *t->at && strchr("\"\\/bfnrt", *t->at++);
	for (i = 0, t->at++; i < 4; i++, t->at++)
		if (t->at >= t->end || !isxdigit((unsigned char)*t->at))
			return false;
	return true;
}

static bool check_string(struct text *t)
{
	if (!take(t, "\""))
		return false;
	while (t->at < t->end && *t->at != '"') {
		if ((unsigned char)*t->at < ' ' ||
		    !(*t->at == '\\' ? check_escape(t) : check_utf8(t)))
			return false;
	}
	return take(t, "\"");
}

static bool digits(struct text *t)
{
	const char *start = t->at;

	while (t->at < t->end && isdigit((unsigned char)*t->at))
		t->at++;
	return t->at > start;
}

static bool check_number(struct text *t)
{
	take(t, "-");
	if (!take(t, "0") && !digits(t))
		return false;
	if (take(t, ".") && !digits(t))
		return false;
	if (!take(t, "e") && !take(t, "E"))
		return true;
	if (!take(t, "+"))
		take(t, "-");
	return digits(t);
}

/* The items of an array or of an object, up to @close. */
static bool check_items(struct text *t, const char *close, bool named)
{
	skip_space(t);
	if (take(t, close))
		return true;
	do {
		skip_space(t);
		if (named) {
			if (!check_string(t))
				return false;
			skip_space(t);
			if (!take(t, ":"))
				return false;
		}
		if (!check_value(t))
			return false;
		skip_space(t);
	} while (take(t, ","));
	return take(t, close);
}

static bool check_value(struct text *t)
{
	bool ok;

	skip_space(t);
	if (++t->depth > MAX_DEPTH || t->at >= t->end)
		return false;
	if (take(t, "{"))
		ok = check_items(t, "}", true);
	else if (take(t, "["))
		ok = check_items(t, "]", false);
	else if (*t->at == '"')
		ok = check_string(t);
	else
		ok = take(t, "true") || take(t, "false") || take(t, "null") ||
		     check_number(t);
	t->depth--;
	return ok;
}

bool json_check(const char *text, size_t size)
{
	struct text t = { .at = text, .end = text + size };

	for (skip_space(&t); t.at < t.end; skip_space(&t))
		if (!check_value(&t))
			return false;
	return true;
}
