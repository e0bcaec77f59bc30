// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/wire.h"

/* --- protocol buffers ------------------------------------------------------------------ */

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void proto_varint(struct strbuf *sb, uint64_t value)
{
	uint8_t bytes[10];
	size_t nr = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[nr++] = (uint8_t)(value | 0x80);
	bytes[nr++] = (uint8_t)value;
	strbuf_add(sb, bytes, nr);
}

static void tag(struct strbuf *sb, unsigned int field, enum wire_type type)
{
	proto_varint(sb, field << 3 | type);
}

void proto_uint(struct strbuf *sb, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	tag(sb, field, WIRE_VARINT);
	proto_varint(sb, value);
}

void proto_bytes(struct strbuf *sb, unsigned int field, const void *data, size_t size)
{
	tag(sb, field, WIRE_BYTES);
	proto_varint(sb, size);
	strbuf_add(sb, data, size);
}

void proto_message(struct strbuf *sb, unsigned int field, struct strbuf *message)
{
	sb->failed |= message->failed;
	proto_bytes(sb, field, strbuf_text(message), message->size);
	strbuf_reset(message);
}

/* --- Thrift ---------------------------------------------------------------------------- */

/* Signed numbers in the order 0, -1, 1, -2, ... */
static void zigzag(struct strbuf *sb, int64_t value)
{
	proto_varint(sb, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void byte(struct strbuf *sb, unsigned int value)
{
	const char c = (char)value;

	strbuf_add(sb, &c, 1);
}

static void field_head(struct thrift *t, unsigned int field, enum thrift_type type)
{
	unsigned int *last = &t->last[t->depth];

	byte(t->sb, (field - *last) << 4 | type);
	*last = field;
}

void thrift_i32(struct thrift *t, unsigned int field, int32_t value)
{
	field_head(t, field, THRIFT_I32);
	zigzag(t->sb, value);
}

void thrift_i64(struct thrift *t, unsigned int field, int64_t value)
{
	field_head(t, field, THRIFT_I64);
	zigzag(t->sb, value);
}

void thrift_text(struct thrift *t, unsigned int field, const char *text)
{
	field_head(t, field, THRIFT_BINARY);
	thrift_element_text(t, text);
}

void thrift_list(struct thrift *t, unsigned int field, enum thrift_type type, size_t nr)
{
	field_head(t, field, THRIFT_LIST);
	byte(t->sb, (nr < 15 ? (unsigned int)nr : 15) << 4 | type);
	if (nr >= 15)
		proto_varint(t->sb, nr);
}

void thrift_element_i32(struct thrift *t, int32_t value)
{
	zigzag(t->sb, value);
}

void thrift_element_text(struct thrift *t, const char *text)
{
	size_t size = strlen(text);

	proto_varint(t->sb, size);
	strbuf_add(t->sb, text, size);
}

void thrift_open(struct thrift *t, unsigned int field)
{
	if (field)
		field_head(t, field, THRIFT_STRUCT);
	if (t->depth + 1 < THRIFT_DEPTH_MAX)
		t->depth++;
	t->last[t->depth] = 0;
}

void thrift_close(struct thrift *t)
{
	byte(t->sb, 0);
	if (t->depth)
		t->depth--;
}
