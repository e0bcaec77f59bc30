// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A field's line is "\tfield:unsigned long ptr;\toffset:8;\tsize:8;\tsigned:0;": written by
 * f_show() of the kernel's kernel/trace/trace_events.c.
 */
#include "event/fields.h"

#include <ctype.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/number.h"

/* Finds the text between @key and the next ';' of a line. False: there is none. */
static bool value_of(const char *line, size_t size, const char *key, const char **value,
		     size_t *value_size)
{
	const char *p = memmem(line, size, key, strlen(key));
	const char *end;

	if (!p)
		return false;
	p += strlen(key);
	end = memchr(p, ';', size - (size_t)(p - line));
	if (!end)
		return false;
	*value = p;
	*value_size = (size_t)(end - p);
	return true;
}

static bool number_of(const char *line, size_t size, const char *key, uint32_t *number)
{
	const char *p, *end;
	size_t len;
	uint64_t n;

	if (!value_of(line, size, key, &p, &len) || len > 9)
		return false;
	end = p + len;
	if (number_read(&p, end, 10, UINT32_MAX, &n) || p < end)
		return false;
	*number = (uint32_t)n;
	return true;
}

static bool has_word(const char *type, size_t size, const char *word)
{
	size_t len = strlen(word);
	const char *p = type, *end = type + size;

	while ((p = memmem(p, (size_t)(end - p), word, len))) {
		if ((p == type || !isalnum((unsigned char)p[-1])) &&
		    (p + len == end || !isalnum((unsigned char)p[len])))
			return true;
		p += len;
	}
	return false;
}

/* Is the array's element a character? "char", not "unsigned char". */
static bool is_text(const char *type, size_t size)
{
	return has_word(type, size, "char") && !has_word(type, size, "unsigned") &&
	       !memchr(type, '*', size);
}

/* Reads the declaration "TYPE NAME", "TYPE NAME[N]" or "__data_loc TYPE[] NAME" of a field. */
static bool take_declaration(struct raw_field *f, const char *decl, size_t size,
			     bool is_signed)
{
	const char *bracket = memchr(decl, '[', size);
	size_t end = size, start;

	if (has_word(decl, size, "__rel_loc"))
		f->place = FIELD_REL_LOC;
	else if (has_word(decl, size, "__data_loc"))
		f->place = FIELD_DATA_LOC;
	if (bracket && f->place == FIELD_HERE)
		end = (size_t)(bracket - decl);
	while (end && isspace((unsigned char)decl[end - 1]))
		end--;
	for (start = end; start && (isalnum((unsigned char)decl[start - 1]) ||
				    decl[start - 1] == '_');)
		start--;
	if (start == end || end - start >= sizeof(f->name))
		return false;
	memcpy(f->name, decl + start, end - start);
	f->name[end - start] = '\0';
	if (bracket || f->place != FIELD_HERE)
		f->kind = is_text(decl, start) ? FIELD_TEXT : FIELD_BYTES;
	else if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		f->kind = FIELD_BYTES;
	else if (memchr(decl, '*', start))
		f->kind = FIELD_ADDRESS;
	else if (has_word(decl, start, "bool"))
		f->kind = FIELD_BOOL;
	else if (is_signed)
		f->kind = FIELD_INT;
	else if (has_word(decl, start, "unsigned long") &&
		 !has_word(decl, start, "unsigned long long"))
		f->kind = FIELD_ADDRESS;
	else
		f->kind = FIELD_UINT;
	return true;
}

static bool parse_line(struct raw_field *f, const char *line, size_t size)
{
	uint32_t is_signed = 0;
	const char *decl;
	size_t decl_size;

	*f = (struct raw_field){ .place = FIELD_HERE };
	if (!value_of(line, size, "field:", &decl, &decl_size) ||
	    !number_of(line, size, "offset:", &f->offset) ||
	    !number_of(line, size, "size:", &f->size))
		return false;
	(void)number_of(line, size, "signed:", &is_signed); /* none before 2.6.32 */
	if (!take_declaration(f, decl, decl_size, is_signed != 0))
		return false;
	return strncmp(f->name, "common_", 7) != 0 &&
	       range_ok(f->offset, f->size, FIELD_RECORD_MAX) &&
	       (f->place == FIELD_HERE || f->size == 4);
}

int fields_parse(const char *text, size_t size, struct raw_field **fields, size_t *nr)
{
	const char *end = text + size, *line, *next;
	struct raw_field *list = NULL, f;

	*fields = NULL;
	*nr = 0;
	for (line = text; line < end && *nr < FIELD_MAX_NUMBER; line = next) {
		const char *nl = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((nl ? nl : end) - line);

		next = nl ? nl + 1 : end;
		if (len >= 10 && !memcmp(line, "print fmt:", 10))
			break;
		if (!parse_line(&f, line, len))
			continue;
		if (ARRAY_ADD(list, *nr, f)) {
			free(list);
			*nr = 0;
			return -ENOMEM;
		}
	}
	*fields = list;
	return 0;
}

bool field_content(const struct raw_field *f, const uint8_t *record, uint32_t size,
		   bool big_endian, struct field_content *content)
{
	uint32_t offset = f->offset, len = f->size, word;

	if (unlikely(!range_ok(offset, len, size)))
		return false;
	if (f->place != FIELD_HERE) {
		word = get_u32(record + offset, big_endian);
		offset = (f->place == FIELD_REL_LOC ? offset + 4 : 0) + (word & 0xffff);
		len = word >> 16;
		if (!range_ok(offset, len, size))
			return false;
	}
	*content = (struct field_content){ record + offset, len };
	return true;
}

const struct raw_field *field_named(const struct raw_field *fields, size_t nr,
				    const char *name)
{
	return FIND(field, fields, nr, !strcmp(field->name, name));
}
