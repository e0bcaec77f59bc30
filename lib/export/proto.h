/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export (internal): protocol buffers, as far as pprof needs them.
 * In: numbers, bytes, their field numbers. Out: the encoding, appended to a buffer.
 *
 * https://protobuf.dev/programming-guides/encoding/: a field is a varint of its number and type,
 * then its value; a message is a field whose value is bytes.
 */
#ifndef KMEMX_EXPORT_PROTO_H
#define KMEMX_EXPORT_PROTO_H

#include "base/strbuf.h"

/* Seven bits per byte, the lowest first. */
void proto_varint(struct strbuf *sb, uint64_t value);
/* Writes field @field. 0 is omitted: it is the default of a missing field. */
void proto_uint(struct strbuf *sb, unsigned int field, uint64_t value);
/* Writes a text, a message or packed numbers, even if empty. */
void proto_bytes(struct strbuf *sb, unsigned int field, const void *data, size_t size);
/* Writes the message @message as @field, and empties it. */
void proto_message(struct strbuf *sb, unsigned int field, struct strbuf *message);

#endif
