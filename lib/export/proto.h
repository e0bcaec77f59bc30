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

#include <stdint.h>

#include "base/strbuf.h"

/* Seven bits a byte, the lowest first. */
void proto_varint(struct strbuf *sb, uint64_t value);
/* Field @field; 0 is what a missing one means, and is left out. */
void proto_uint(struct strbuf *sb, unsigned int field, uint64_t value);
/* A text, a message or packed numbers; an empty one too. */
void proto_bytes(struct strbuf *sb, unsigned int field, const void *data, size_t size);
/* The message @message as @field; then it is empty. */
void proto_message(struct strbuf *sb, unsigned int field, struct strbuf *message);

#endif
