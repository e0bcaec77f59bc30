// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/thrift_read.h"

/* Types that only other programs write. */
enum { TYPE_TRUE = 1, TYPE_FALSE = 2, TYPE_BYTE = 3, TYPE_I16 = 4, TYPE_DOUBLE = 7 };

static size_t left(const struct thrift_bytes *t)
{
	return (size_t)(t->end - t->p);
}

static void fail(struct thrift_bytes *t)
{
	t->bad = true;
	t->p = t->end;
}

static unsigned int byte(struct thrift_bytes *t)
{
	if (!left(t)) {
		fail(t);
		return 0;
	}
	return *t->p++;
}

uint64_t thrift_read_varint(struct thrift_bytes *t)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		unsigned int c = byte(t);

		if (shift == 63 && c > 1)
			break;
		value |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return t->bad ? 0 : value;
	}
	fail(t);
	return 0;
}

int64_t thrift_read_number(struct thrift_bytes *t)
{
	uint64_t value = thrift_read_varint(t);

	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

const char *thrift_read_text(struct thrift_bytes *t, size_t *size)
{
	uint64_t length = thrift_read_varint(t);
	const uint8_t *text = t->p;

	if (length > left(t)) {
		fail(t);
		length = 0;
	}
	*size = (size_t)length;
	t->p += length;
	return (const char *)text;
}

/* The head of a list: its number of elements; sets their type. */
static size_t list(struct thrift_bytes *t, unsigned int *type)
{
	unsigned int head = byte(t);
	uint64_t nr = head >> 4 == 15 ? thrift_read_varint(t) : head >> 4;

	*type = head & 15;
	if (nr > left(t)) {
		fail(t);
		return 0;
	}
	return (size_t)nr;
}

size_t thrift_read_list(struct thrift_bytes *t, enum thrift_type type)
{
	unsigned int found;
	size_t nr = list(t, &found);

	if (!nr || found == type)
		return nr;
	fail(t);
	return 0;
}

bool thrift_read_field(struct thrift_bytes *t, struct thrift_field *field)
{
	unsigned int head = byte(t);

	if (!head || t->bad)
		return false;
	field->type = head & 15;
	if (head >> 4)
		field->number += head >> 4;
	else
		field->number = thrift_read_number(t);
	/* Numbers have 16 bits. */
	if (field->number < INT16_MIN || field->number > INT16_MAX)
		fail(t);
	return !t->bad;
}

bool thrift_is(const struct thrift_field *field, int64_t number, enum thrift_type type)
{
	return field->number == number && field->type == type;
}

static void skip(struct thrift_bytes *t, unsigned int type, unsigned int depth);

/* Skips the elements of a list. A truth value takes a byte there. */
static void skip_list(struct thrift_bytes *t, unsigned int depth)
{
	unsigned int type;
	size_t nr = list(t, &type);

	for (; nr && !t->bad; nr--)
		skip(t, type == TYPE_TRUE || type == TYPE_FALSE ? TYPE_BYTE : type,
		     depth);
}

static void skip(struct thrift_bytes *t, unsigned int type, unsigned int depth)
{
	struct thrift_field field = { 0 };
	size_t size;

	if (!depth) {
		fail(t);
		return;
	}
	switch (type) {
	case TYPE_TRUE:
	case TYPE_FALSE:
		break;
	case TYPE_BYTE:
		byte(t);
		break;
	case TYPE_I16:
	case THRIFT_I32:
	case THRIFT_I64:
		thrift_read_varint(t);
		break;
	case TYPE_DOUBLE:
		for (int i = 0; i < 8; i++)
			byte(t);
		break;
	case THRIFT_BINARY:
		thrift_read_text(t, &size);
		break;
	case THRIFT_LIST:
		skip_list(t, depth - 1);
		break;
	case THRIFT_STRUCT:
		while (thrift_read_field(t, &field))
			skip(t, field.type, depth - 1);
		break;
	default:
		fail(t);
	}
}

void thrift_skip(struct thrift_bytes *t, unsigned int type)
{
	skip(t, type, THRIFT_DEPTH_MAX);
}
