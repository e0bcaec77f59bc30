// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/thrift_read.h"

/* Types that only other programs write. */
enum { TYPE_TRUE = 1, TYPE_FALSE = 2, TYPE_BYTE = 3, TYPE_I16 = 4, TYPE_DOUBLE = 7 };

/* A field of a structure; zero-initialise it before the first one. */
struct field {
	int64_t number;
	unsigned int type;
};

static unsigned int byte(struct byte_reader *r)
{
	return (unsigned int)byte_reader_uint(r, 1);
}

uint64_t thrift_read_varint(struct byte_reader *r)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		unsigned int c = byte(r);

		if (shift == 63 && c > 1)
			break;
		value |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return r->failed ? 0 : value;
	}
	r->failed = true;
	return 0;
}

static int64_t read_number(struct byte_reader *r)
{
	uint64_t value = thrift_read_varint(r);

	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

/* Reads the head of a list. Returns the number of elements, of a byte or more; sets their type. */
static size_t read_list(struct byte_reader *r, unsigned int *type)
{
	unsigned int head = byte(r);
	uint64_t nr = head >> 4 == 15 ? thrift_read_varint(r) : head >> 4;

	*type = head & 15;
	r->failed |= nr > byte_reader_left(r);
	return r->failed ? 0 : (size_t)nr;
}

/* Reads the head of a structure's next field, whose value follows. False: end of the structure. */
static bool read_field(struct byte_reader *r, struct field *f)
{
	unsigned int head = byte(r);

	if (!head)
		return false;
	f->type = head & 15;
	if (head >> 4)
		f->number += head >> 4;
	else
		f->number = read_number(r);
	/* Field numbers have 16 bits. */
	r->failed |= f->number < INT16_MIN || f->number > INT16_MAX;
	return !r->failed;
}

static void skip(struct byte_reader *r, unsigned int type, unsigned int depth);

/* Skips the elements of a list. A truth value takes a byte there. */
static void skip_list(struct byte_reader *r, unsigned int depth)
{
	unsigned int type;
	size_t nr = read_list(r, &type);

	for (; nr && !r->failed; nr--)
		skip(r, type == TYPE_TRUE || type == TYPE_FALSE ? TYPE_BYTE : type,
		     depth);
}

static void skip(struct byte_reader *r, unsigned int type, unsigned int depth)
{
	struct field field = { 0 };

	if (!depth) {
		r->failed = true;
		return;
	}
	switch (type) {
	case TYPE_TRUE:
	case TYPE_FALSE:
		break;
	case TYPE_BYTE:
		byte(r);
		break;
	case TYPE_I16:
	case THRIFT_I32:
	case THRIFT_I64:
		thrift_read_varint(r);
		break;
	case TYPE_DOUBLE:
		byte_reader_skip(r, 8);
		break;
	case THRIFT_BINARY:
		byte_reader_skip(r, thrift_read_varint(r));
		break;
	case THRIFT_LIST:
		skip_list(r, depth - 1);
		break;
	case THRIFT_STRUCT:
		while (read_field(r, &field))
			skip(r, field.type, depth - 1);
		break;
	default:
		r->failed = true;
	}
}

/* Reads a list of structures. */
static int read_each(struct byte_reader *r, const struct thrift_member *m, void *to)
{
	unsigned int type;
	size_t nr = read_list(r, &type);
	int ret = 0;

	r->failed |= nr && type != THRIFT_STRUCT;
	for (size_t i = 0; i < nr && !r->failed && !ret; i++)
		ret = m->each(to, r, i, nr);
	return ret;
}

static int read_member(struct byte_reader *r, const struct thrift_member *m, void *to)
{
	struct thrift_string *string = to;

	switch (m->type) {
	case THRIFT_STRUCT:
		return thrift_read(r, m->inside, to);
	case THRIFT_LIST:
		return read_each(r, m, to);
	case THRIFT_BINARY:
		string->size = thrift_read_varint(r);
		string->text = (const char *)byte_reader_skip(r, string->size);
		return 0;
	default:
		*(int64_t *)to = read_number(r);
		return 0;
	}
}

int thrift_read(struct byte_reader *r, const struct thrift_member *members, void *to)
{
	struct field f = { 0 };
	int ret = 0;

	while (!ret && read_field(r, &f)) {
		const struct thrift_member *m = members;

		while (m->number && m->number != f.number)
			m++;
		if (m->number && m->type == (f.type == THRIFT_I32 ? THRIFT_I64 : f.type))
			ret = read_member(r, m, (uint8_t *)to + m->offset);
		else
			skip(r, f.type, THRIFT_DEPTH_MAX);
	}
	return ret;
}
