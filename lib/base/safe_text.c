// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/safe_text.h"

/* Characters that are escaped, sorted: Unicode's control and format characters (Cc, Cf), its line
 * and paragraph separators, Default_Ignorable_Code_Point, private use, noncharacters.
 */
static const struct {
	uint32_t first, last;
} unsafe[] = {
	{ 0x0, 0x1f },		 { 0x7f, 0x9f },       { 0xad, 0xad },
	{ 0x34f, 0x34f },	 { 0x600, 0x605 },     { 0x61c, 0x61c },
	{ 0x6dd, 0x6dd },	 { 0x70f, 0x70f },     { 0x890, 0x891 },
	{ 0x8e2, 0x8e2 },	 { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },
	{ 0x180b, 0x180f },	 { 0x200b, 0x200f },   { 0x2028, 0x202e },
	{ 0x2060, 0x206f },	 { 0x3164, 0x3164 },   { 0xd800, 0xf8ff },
	{ 0xfdd0, 0xfdef },	 { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },	 { 0xfff0, 0xfffb },   { 0xfffe, 0xffff },
	{ 0x110bd, 0x110bd },	 { 0x110cd, 0x110cd }, { 0x13430, 0x1343f },
	{ 0x1bca0, 0x1bca3 },	 { 0x1d173, 0x1d17a }, { 0x1fffe, 0x1ffff },
	{ 0x2fffe, 0x2ffff },	 { 0x3fffe, 0x3ffff }, { 0x4fffe, 0x4ffff },
	{ 0x5fffe, 0x5ffff },	 { 0x6fffe, 0x6ffff }, { 0x7fffe, 0x7ffff },
	{ 0x8fffe, 0x8ffff },	 { 0x9fffe, 0x9ffff }, { 0xafffe, 0xaffff },
	{ 0xbfffe, 0xbffff },	 { 0xcfffe, 0xcffff }, { 0xdfffe, 0xdffff },
	{ 0xe0000, UINT32_MAX },
};

bool safe_text_is(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(unsafe) && c >= unsafe[i].first; i++) {
		if (c <= unsafe[i].last)
			return false;
	}
	return true;
}

size_t safe_text_char(const char *text, size_t size, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)text;
	size_t len;

	if (!size)
		return 0;
	*c = *p;
	if (*p < 0x80)
		return 1;
	if (*p < 0xc2 || *p > 0xf4)
		return 0;
	len = *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	if (len > size)
		return 0;
	*c = *p & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	if (*c < least[len] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return len;
}

/* Length of the plain ASCII at the start of @text: usually the whole name. */
static size_t plain_length(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if (text[i] < ' ' || text[i] > '~' || text[i] == '\\')
			break;
	}
	return i;
}

/* Does @text begin with a character that needs no escape? Its length, else 0. */
static size_t safe_length(const char *text, size_t size)
{
	uint32_t c;
	size_t len = safe_text_char(text, size, &c);

	return len && safe_text_is(c) ? len : 0;
}

/* Would a backslash before @text look like part of an escape? */
static bool misleads(const char *text, size_t size)
{
	return size && (*text == 'x' || *text == '\\' || !safe_length(text, size));
}

void safe_text_add(struct strbuf *sb, const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		size_t left = (size_t)(end - text), len = plain_length(text, left), i;
		uint32_t c;

		if (!len)
			len = safe_length(text, left);
		strbuf_add(sb, text, len);
		if (len && text[len - 1] == '\\' && misleads(text + len, left - len))
			strbuf_puts(sb, "\\");
		text += len;
		if (len)
			continue;
		len = safe_text_char(text, left, &c);
		for (i = 0; i < (len ? len : 1); i++)
			strbuf_printf(sb, "\\x%02x", (unsigned char)text[i]);
		text += i;
	}
}

void safe_text_puts(struct strbuf *sb, const char *text)
{
	safe_text_add(sb, text, strlen(text));
}

/* Replaces the line breaks of a format while its arguments are filled in: a control character that
 * occurs in no argument.
 */
#define FIRST_MARK 0x01
#define LAST_MARK  0x08

static size_t count_of(const char *text, char c)
{
	size_t nr = 0;

	while ((text = strchr(text, c)))
		text++, nr++;
	return nr;
}

/* Formats @fmt, with its line breaks replaced by @mark: allocated, NULL if memory ran out. */
static char *fill_in(const char *fmt, char mark, va_list args)
{
	const int err = errno; /* %m stands for it */
	char *marked __auto_mem = strdup(fmt), *text = NULL, *p;
	va_list again;

	for (p = marked; p && *p; p++)
		*p = *p == '\n' ? mark : *p;
	va_copy(again, args);
	errno = err;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* @fmt but for its line breaks */
	if (marked && vasprintf(&text, marked, again) < 0)
		text = NULL;
#pragma GCC diagnostic pop
	va_end(again);
	errno = err;
	return text;
}

void safe_text_vprintf(struct strbuf *sb, const char *fmt, va_list args)
{
	size_t nr = count_of(fmt, '\n'), size;
	char mark = FIRST_MARK, *text = fill_in(fmt, mark, args), *p;

	while (text && mark <= LAST_MARK && count_of(text, mark) != nr) {
		free(text);
		text = fill_in(fmt, ++mark, args);
	}
	if (!text) {
		sb->failed = true;
		return;
	}
	if (mark > LAST_MARK) /* all marks occur in arguments: trust no line break */
		mark = '\0';
	for (p = text; *p; p += size + !!p[size]) {
		size = strcspn(p, (char[]){ mark, '\0' });
		safe_text_add(sb, p, size);
		if (p[size])
			strbuf_puts(sb, "\n");
	}
	free(text);
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("_./+:,@%-", c));
}

void shell_word(struct strbuf *sb, const char *text, size_t size)
{
	bool plain = size != 0;

	for (size_t i = 0; i < size && plain; i++)
		plain = is_plain(text[i]);
	if (plain) {
		strbuf_add(sb, text, size);
		return;
	}
	strbuf_puts(sb, "'");
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\'')
			strbuf_puts(sb, "'\\''");
		else
			strbuf_add(sb, &text[i], 1);
	}
	strbuf_puts(sb, "'");
}

const char *shell_name(struct shell_name *room, const char *name)
{
	struct strbuf __auto_free sb = { 0 };
	bool fits;

	shell_word(&sb, name, strlen(name));
	fits = !sb.failed && sb.size < sizeof(room->text);
	if (fits)
		memcpy(room->text, strbuf_text(&sb), sb.size + 1);
	return fits ? room->text : name;
}
