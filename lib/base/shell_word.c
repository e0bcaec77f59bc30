// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * base: names quoted for a shell.
 * In: any name. Out: text that a shell reads as that name, whatever it contains.
 */
#include "base/shell_word.h"

#include <string.h>

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
	struct strbuf sb = { 0 };
	bool fits;

	shell_word(&sb, name, strlen(name));
	fits = !sb.failed && sb.size < sizeof(room->text);
	if (fits)
		memcpy(room->text, strbuf_text(&sb), sb.size + 1);
	strbuf_free(&sb);
	return fits ? room->text : name;
}
