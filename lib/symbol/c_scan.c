// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: the functions that a kernel source file defines, and the objects that a Makefile builds.
 * In: untrusted text. Out: names.
 */
#include "symbol/source_tree.h"

/* No name in kallsyms is longer. */
#define NAME_MAX_SIZE 511

struct word {
	const char *text;
	size_t size;
};

/**
 * struct scanner - position and state of a scan
 * @line: first byte of the current line
 * @braces, @parens: how many are open
 * @name: the word before the declaration's parentheses; @argument: the first word in them
 * @last: the previous word outside parentheses
 * @words: words since the parentheses closed; 2 or more: the parentheses were an attribute's
 * @value: an '=' was found, so an initialiser follows
 */
struct scanner {
	const char *p, *end, *line;
	unsigned int braces, parens;
	struct word name, argument, last;
	unsigned int words;
	bool value;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9');
}

static void skip_comment(struct scanner *s)
{
	const char *at = memmem(s->p, (size_t)(s->end - s->p), "*/", 2);

	s->p = at ? at + 2 : s->end;
}

/* The end of the line at @p, including its continuation lines. */
static const char *line_end(const char *p, const char *end)
{
	const char *start = p, *newline;

	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		size_t len = (size_t)(newline - start);

		if (len && start[len - 1] == '\r')
			len--;
		if (!len || start[len - 1] != '\\')
			return newline;
		p = newline + 1;
	}
	return end;
}

/* Skips a string or a character constant; both end with their line at the latest. */
static void skip_quoted(struct scanner *s, char quote)
{
	for (s->p++; s->p < s->end && *s->p != '\n'; s->p++) {
		if (*s->p == quote) {
			s->p++;
			return;
		}
		if (*s->p == '\\' && s->p + 1 < s->end)
			s->p++;
	}
}

/* Resets the state for the next declaration. */
static void start_over(struct scanner *s)
{
	s->parens = 0;
	s->name = s->argument = s->last = (struct word){ 0 };
	s->words = 0;
	s->value = false;
}

static bool begins(const struct word *w, const char *prefix)
{
	size_t size = strlen(prefix);

	return w->size > size && !memcmp(w->text, prefix, size);
}

static bool in_capitals(const struct word *w)
{
	return !ANY(i, w->size, w->text[i] >= 'a' && w->text[i] <= 'z');
}

static int report(const struct scanner *s, c_scan_name *found, void *ctx)
{
	const struct word *w = &s->name;
	const char *prefix = "";

	if (!w->size || s->value)
		return 0;
	if (in_capitals(w)) {
		if (begins(w, "SYSCALL_DEFINE"))
			prefix = "sys_";
		else if (begins(w, "COMPAT_SYSCALL_DEFINE"))
			prefix = "compat_sys_";
		w = &s->argument;
	}
	if (!w->size || w->size > NAME_MAX_SIZE)
		return 0;
	return found(ctx, prefix, w->text, w->size);
}

static void take_word(struct scanner *s)
{
	struct word w = { s->p, 0 };

	while (s->p < s->end && is_word(*s->p))
		s->p++;
	w.size = (size_t)(s->p - w.text);
	if (s->braces)
		return;
	if (s->parens) {
		if (!s->argument.size && s->parens == 1)
			s->argument = w;
		return;
	}
	s->last = w;
	if (s->words < 2)
		s->words++;
}

/* "__printf(1, 2) int f(int x) __releases(x)" defines f: type and name follow a leading attribute,
 * but only one word, its name, precedes the parentheses of a trailing one.
 */
static void open_paren(struct scanner *s)
{
	static const char attribute[] = "__attribute__";

	if (!s->braces && !s->parens && s->last.size && (!s->name.size || s->words > 1) &&
	    (s->last.size != sizeof(attribute) - 1 ||
	     memcmp(s->last.text, attribute, s->last.size))) {
		s->name = s->last;
		s->argument = (struct word){ 0 };
	}
	s->parens++;
}

static void close_paren(struct scanner *s)
{
	if (s->parens)
		s->parens--;
	if (!s->parens)
		s->words = 0;
}

static int take_sign(struct scanner *s, c_scan_name *found, void *ctx)
{
	bool first = s->p == s->line;
	char c = *s->p++;
	int ret = 0;

	switch (c) {
	case '{':
		/* A '{' in the first column begins a function. Resets the counts, because #if and
		 * #else may both have opened a brace.
		 */
		if (first)
			s->braces = s->parens = 0;
		if (!s->braces && !s->parens)
			ret = report(s, found, ctx);
		s->braces++;
		break;
	case '}':
		s->braces = first || !s->braces ? 0 : s->braces - 1;
		if (!s->braces)
			start_over(s);
		break;
	case '(':
		open_paren(s);
		break;
	case ')':
		close_paren(s);
		break;
	case '*':
		if (!s->braces && !s->parens && s->words < 2)
			s->words++;
		break;
	case '=':
		s->value |= !s->braces && !s->parens;
		break;
	case ';':
		if (!s->braces)
			start_over(s);
		break;
	default:
		break;
	}
	return ret;
}

int c_scan_functions(const char *text, size_t size, c_scan_name *found, void *ctx)
{
	struct scanner s = { .p = text, .end = text + size, .line = text };
	bool blank = true; /* only blanks in this line so far */
	int ret = 0;

	while (s.p < s.end && !ret) {
		char c = *s.p, next = s.p + 1 < s.end ? s.p[1] : '\0';

		if (c == '\n') {
			s.line = ++s.p;
			blank = true;
		} else if (c == ' ' || c == '\t') {
			s.p++;
		} else if (c == '/' && next == '*') {
			s.p += 2;
			skip_comment(&s);
		} else if (c == '/' && next == '/') {
			const char *newline = memchr(s.p, '\n', (size_t)(s.end - s.p));

			s.p = newline ? newline : s.end;
		} else if (c == '#' && blank) {
			s.p = line_end(s.p, s.end);
		} else {
			blank = false;
			if (c == '"' || c == '\'')
				skip_quoted(&s, c);
			else if (is_word(c))
				take_word(&s);
			else
				ret = take_sign(&s, found, ctx);
		}
	}
	return ret;
}

/* Finds the words that end in ".o" on a line's right side. */
static int scan_objects(const char *p, const char *end, c_scan_name *found, void *ctx)
{
	int ret = 0;

	while (p < end && !ret) {
		const char *word;
		size_t size;

		while (p < end && strchr(" \t\\\n\r", *p))
			p++;
		for (word = p; p < end && !strchr(" \t\\\n\r", *p);)
			p++;
		size = (size_t)(p - word);
		if (size && *word == '#')
			return 0;
		if (size > 2 && size <= NAME_MAX_SIZE && !memcmp(p - 2, ".o", 2) &&
		    !memchr(word, '/', size))
			ret = found(ctx, "", word, size - 2);
	}
	return ret;
}

int c_scan_objects(const char *text, size_t size, c_scan_name *found, void *ctx)
{
	const char *p = text, *end = text + size;
	int ret = 0;

	while (p < end && !ret) {
		const char *stop = line_end(p, end), *is;

		if (stop - p > 4 && !memcmp(p, "obj-", 4)) {
			is = memchr(p, '=', (size_t)(stop - p));
			if (is)
				ret = scan_objects(is + 1, stop, found, ctx);
		}
		p = stop < end ? stop + 1 : end;
	}
	return ret;
}
