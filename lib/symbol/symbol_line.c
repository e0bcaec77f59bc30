// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol (internal): one line of kallsyms or System.map.
 * In: untrusted text. Out: its address, type, name and module; the part of a name that is the same
 * in other builds.
 */
#include "symbol/symbols.h"

#include <endian.h>

#include "base/number.h"

/* Parses eight hex digits in parallel; false if one is not a digit. */
static bool parse_hex8(const char *p, uint32_t *value)
{
	const uint64_t ones = 0x0101010101010101ULL, high = ones << 7;
	uint64_t text, letter, digit;

	memcpy(&text, p, 8);
	text = le64toh(text); /* the first digit is the lowest byte */
	letter = (text >> 6 & ones) * 0x20;
	text |= letter; /* to lower case; digits stay */
	letter >>= 5;
	/* Subtracts '0'; letters, 0x31 to 0x36 above '0', also lose 0x27. */
	digit = text - ones * '0' - letter * 0x27;
	/* A byte that was not a digit is over 15 now, or was over 127 before. */
	if ((text & high) || ((digit + ones * 0x70) & high) || (digit & high))
		return false;
	/* Letters are over 9, digits are not: this excludes ':' to '?' and '`'. */
	if (((digit + ones * 0x76) >> 7 & ones) != letter)
		return false;
	digit = (digit << 4 | digit >> 8) & 0x00ff00ff00ff00ffULL;
	digit = (digit << 8 | digit >> 16) & 0x0000ffff0000ffffULL;
	*value = (uint32_t)(digit << 16 | digit >> 32);
	return true;
}

/* Parses the address at *@p and moves *@p after it. Nearly all have sixteen or eight digits. */
static bool parse_address(const char **p, const char *end, uint64_t *value)
{
	uint32_t upper = 0, lower;

	for (int digits = 16; digits > 0; digits -= 8) {
		if (end - *p > digits && (*p)[digits] == ' ' &&
		    (digits == 8 || parse_hex8(*p, &upper)) &&
		    parse_hex8(*p + digits - 8, &lower)) {
			*value = (uint64_t)upper << 32 | lower;
			*p += digits;
			return true;
		}
		upper = 0;
	}
	return !number_read(p, end, 16, UINT64_MAX, value);
}

/* Length of the text at @p up to a blank, a control character or @end. */
static size_t word_length(const char *p, const char *end)
{
	const uint64_t ones = 0x0101010101010101ULL;
	const char *start = p;
	uint64_t word, below;

	/* Eight bytes at a time: the borrow of a subtraction marks the first byte below '!'. */
	for (; end - p >= 8; p += 8) {
		memcpy(&word, p, 8);
		word = le64toh(word);
		below = (word - ones * '!') & ~word & (ones << 7);
		if (below)
			return (size_t)(p - start) +
			       (unsigned int)__builtin_ctzll(below) / 8;
	}
	while (p < end && (unsigned char)*p > ' ')
		p++;
	return (size_t)(p - start);
}

/* Parses the optional module after the name at *@p, and moves *@p after it. */
static void parse_module(struct symbol_line *line, const char **p, const char *end)
{
	const char *at = *p;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (at < end && *at == '[') {
		line->module = at + 1;
		line->module_len = word_length(at + 1, end);
		at += 1 + line->module_len;
		if (line->module_len && line->module[line->module_len - 1] == ']')
			line->module_len--;
	}
	*p = at;
}

/* Parses the line at *@p, which is not empty, and moves *@p in it. False if it is not a symbol
 * line.
 */
static bool parse_line(struct symbol_line *line, const char **p, const char *end)
{
	const char *at = *p;
	bool known = parse_address(&at, end, &line->addr);

	*p = at;
	if (!known || end - at < 4 || at[0] != ' ' || at[1] == '\n' || at[2] != ' ')
		return false;
	line->type = at[1];
	line->name = at + 3;
	line->name_len = word_length(line->name, end);
	line->module = NULL;
	line->module_len = 0;
	*p = line->name + line->name_len;
	if (*p < end && **p != '\n')
		parse_module(line, p, end);
	return line->name_len > 0;
}

int symbol_line_read(struct symbol_line *line, const char **p, const char *end)
{
	const char *at = *p, *nl;
	bool good;

	while (at < end && *at == '\n')
		at++;
	if (at >= end) {
		*p = at;
		return 0;
	}
	good = parse_line(line, &at, end);
	if (at < end && *at != '\n') {
		nl = memchr(at, '\n', (size_t)(end - at));
		at = nl ? nl : end;
	}
	*p = at < end ? at + 1 : at;
	return good ? 1 : -EBADMSG;
}

bool symbol_line_is_text(const struct symbol_line *line)
{
	static const bool other[256] = {
		['d'] = true,  ['D'] = true, ['b'] = true, ['B'] = true, ['r'] = true,
		['R'] = true,  ['v'] = true, ['V'] = true, ['a'] = true, ['A'] = true,
		['g'] = true,  ['G'] = true, ['s'] = true, ['S'] = true, ['c'] = true,
		['C'] = true,  ['n'] = true, ['N'] = true, ['?'] = true, ['-'] = true,
		['\0'] = true,
	};

	return !other[(unsigned char)line->type];
}

bool symbol_line_next(struct symbol_line *line, const char **p, const char *end)
{
	int ret;

	do {
		ret = symbol_line_read(line, p, end);
	} while (ret < 0);
	return ret;
}

void symbol_line_add(struct strbuf *out, const struct symbol_line *line, uint64_t offset)
{
	strbuf_printf(out, "%016" PRIx64 " %c %.*s", line->addr + offset, line->type,
		      (int)line->name_len, line->name);
	if (line->module_len)
		strbuf_printf(out, "\t[%.*s]", (int)line->module_len, line->module);
	strbuf_puts(out, "\n");
}

size_t symbol_plain_length(const char *name)
{
	static const char *const suffixes[] = { ".isra", ".constprop", ".part",
						".cold", ".llvm",      ".lto_priv" };
	static const char noprof[] = "_noprof";
	const size_t noprof_size = sizeof(noprof) - 1;
	size_t len = strlen(name), i;
	const char *p = strchr(name + (*name == '.'), '.');

	for (i = 0; p && i < ARRAY_SIZE(suffixes); i++) {
		if (!strncmp(p, suffixes[i], strlen(suffixes[i])))
			len = (size_t)(p - name);
	}
	if (len > noprof_size && !memcmp(name + len - noprof_size, noprof, noprof_size))
		len -= noprof_size;
	return len;
}

bool symbol_plain(const char *name, char *plain, size_t size)
{
	size_t len = symbol_plain_length(name), copied = len < size ? len : size - 1;

	memcpy(plain, name, copied);
	plain[copied] = '\0';
	return copied == len;
}

bool symbol_matches(const char *name, const char *pattern)
{
	size_t len = strcspn(pattern, "*");

	return !strncmp(name, pattern, len) && (pattern[len] || !name[len]);
}
