// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/proto.h"

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
