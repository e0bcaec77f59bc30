// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/settings.h"

/* One pass over the text. Names and values are written to @out, which has enough room: no text gets
 * longer, and each NUL takes the place of a character that is left out, or of the file's end.
 */
struct scan {
	const char *p, *end;
	char *out;
	const char *section; /* the latest "[name]"; NULL before the first */
	unsigned int line;
	enum settings_problem problem;
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_character(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

static bool at_end(const struct scan *s)
{
	return s->p == s->end;
}

/* A line ends in "\n", or in "\r\n". */
static bool at_line_end(const struct scan *s)
{
	return at_end(s) || *s->p == '\n' ||
	       (*s->p == '\r' && s->end - s->p > 1 && s->p[1] == '\n');
}

static bool at_comment(const struct scan *s)
{
	return !at_end(s) && (*s->p == '#' || *s->p == ';');
}

static void skip_blanks(struct scan *s)
{
	while (!at_end(s) && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

static void skip_line_end(struct scan *s)
{
	if (!at_end(s) && *s->p == '\r')
		s->p++;
	if (!at_end(s))
		s->p++;
	s->line++;
}

static void skip_comment(struct scan *s)
{
	while (!at_end(s) && *s->p != '\n')
		s->p++;
}

static const char *fail(struct scan *s, enum settings_problem problem)
{
	s->problem = problem;
	return NULL;
}

/* Reads letters, digits and '-', a letter first, as lower case; NULL without such a name. */
static const char *scan_name(struct scan *s, enum settings_problem problem)
{
	char *name = s->out;

	if (at_end(s) || !is_letter(*s->p))
		return fail(s, problem);
	while (!at_end(s) && is_name_character(*s->p)) {
		if (s->out - name == SETTINGS_NAME_MAX)
			return fail(s, problem);
		*s->out++ = (char)(*s->p >= 'A' && *s->p <= 'Z' ? *s->p + 32 : *s->p);
		s->p++;
	}
	*s->out++ = '\0';
	return name;
}

static void scan_section(struct scan *s)
{
	const char *name;

	s->p++;
	skip_blanks(s);
	name = scan_name(s, SETTINGS_BAD_SECTION);
	skip_blanks(s);
	if (!name || at_end(s) || *s->p != ']') {
		s->problem = SETTINGS_BAD_SECTION;
		return;
	}
	s->p++;
	s->section = name;
}

/* Handles the character after a backslash; at the end of a line, the value continues on the next
 * line.
 */
static void scan_escape(struct scan *s)
{
	static const char spelled[] = "\\\"ntb", meant[] = "\\\"\n\t\b";
	const char *at;

	s->p++;
	if (at_line_end(s) && !at_end(s)) {
		skip_line_end(s);
		return;
	}
	at = at_end(s) || !*s->p ? NULL : strchr(spelled, *s->p);
	if (!at) {
		s->problem = SETTINGS_BAD_ESCAPE;
		return;
	}
	*s->out++ = meant[at - spelled];
	s->p++;
}

/* Reads up to the end of the line or a comment, without surrounding spaces. */
static const char *scan_value(struct scan *s)
{
	char *value = s->out, *kept = s->out; /* after the last character that stays */
	bool quoted = false;

	while (!at_line_end(s) && (quoted || !at_comment(s))) {
		unsigned char c = (unsigned char)*s->p;
		bool blank = !quoted && (c == ' ' || c == '\t');
		const char *before = s->out;

		if (c == '"') {
			quoted = !quoted;
			s->p++;
		} else if (c == '\\') {
			scan_escape(s);
		} else if ((c < ' ' && c != '\t') || c == 0x7f) {
			return fail(s, SETTINGS_BAD_CHARACTER);
		} else {
			*s->out++ = (char)c;
			s->p++;
		}
		if (s->problem)
			return NULL;
		if (!blank && (c != '\\' || s->out != before))
			kept = s->out;
	}
	if (quoted)
		return fail(s, SETTINGS_OPEN_QUOTE);
	*kept = '\0';
	s->out = kept + 1;
	return value;
}

static void scan_setting(struct scan *s, struct setting *to)
{
	*to = (struct setting){ .section = s->section, .line = s->line };
	to->name = scan_name(s, SETTINGS_BAD_NAME);
	if (to->name && !at_end(s) && *s->p == '.') {
		s->p++;
		to->section = to->name;
		to->name = scan_name(s, SETTINGS_BAD_NAME);
	}
	if (!to->name)
		return;
	if (!to->section) {
		s->problem = SETTINGS_NO_SECTION;
		return;
	}
	skip_blanks(s);
	if (at_line_end(s) || at_comment(s))
		return;
	if (*s->p != '=') {
		s->problem = SETTINGS_BAD_ASSIGNMENT;
		return;
	}
	s->p++;
	skip_blanks(s);
	to->value = scan_value(s);
}

/* Parses the whole text into @items, which has room for SETTINGS_MAX; returns the number of
 * settings.
 */
static size_t scan_text(struct scan *s, struct setting *items)
{
	size_t nr = 0;

	while (!at_end(s) && !s->problem) {
		skip_blanks(s);
		if (at_comment(s))
			skip_comment(s);
		if (at_line_end(s)) {
			skip_line_end(s);
		} else if (*s->p == '[') {
			scan_section(s);
		} else if (nr == SETTINGS_MAX) {
			s->problem = SETTINGS_TOO_MANY;
		} else {
			scan_setting(s, &items[nr++]);
		}
	}
	return nr;
}

int settings_parse(struct settings *s, const char *text, size_t size,
		   struct settings_error *error)
{
	static const char mark[] = "\xef\xbb\xbf"; /* the byte order mark of UTF-8 */
	struct scan scan = { .p = text, .end = text + size, .line = 1 };

	*s = (struct settings){ 0 };
	*error = (struct settings_error){ SETTINGS_TOO_MANY, 0 };
	if (size > SETTINGS_TEXT_MAX)
		return -EINVAL;
	if (size >= 3 && !memcmp(text, mark, 3))
		scan.p += 3;
	s->texts = scan.out = malloc(size + 2);
	s->items = calloc(SETTINGS_MAX, sizeof(*s->items));
	if (!s->texts || !s->items) {
		settings_free(s);
		return -ENOMEM;
	}
	s->nr = scan_text(&scan, s->items);
	*error = (struct settings_error){ scan.problem, scan.problem ? scan.line : 0 };
	if (!scan.problem)
		return 0;
	settings_free(s);
	return -EINVAL;
}

const struct setting *settings_find(const struct settings *s, const char *section,
				    const char *name)
{
	for (size_t i = s->nr; i; i--) {
		const struct setting *item = &s->items[i - 1];

		if (!strcmp(item->section, section) && !strcmp(item->name, name))
			return item;
	}
	return NULL;
}

void settings_free(struct settings *s)
{
	free(s->items);
	free(s->texts);
	*s = (struct settings){ 0 };
}

/* Copies one word from *@p to *@out; false if a quote is not closed. */
static bool copy_word(const char **p, char **out)
{
	char quote = '\0';

	for (; **p && (quote || (**p != ' ' && **p != '\t')); ++*p) {
		if (quote ? **p == quote : **p == '"' || **p == '\'') {
			quote = quote ? '\0' : **p;
			continue;
		}
		if (**p == '\\' && quote != '\'' && (*p)[1])
			++*p;
		*(*out)++ = **p;
	}
	*(*out)++ = '\0';
	return !quote;
}

int settings_words(const char *value, char ***words, size_t *nr)
{
	size_t size = strlen(value), most = size / 2 + 2;
	char **list = malloc(most * sizeof(*list) + size + 2), *out;

	*words = NULL;
	*nr = 0;
	if (!list)
		return -ENOMEM;
	out = (char *)(list + most);
	for (;;) {
		value += strspn(value, " \t");
		if (!*value)
			break;
		list[*nr] = out;
		if (!copy_word(&value, &out)) {
			free(list);
			*nr = 0;
			return -EINVAL;
		}
		++*nr;
	}
	list[*nr] = NULL;
	*words = list;
	return 0;
}
