/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording (internal): the metadata of a recording, as bytes.
 * In: the writer's facts. Out: the parts that trace.dat 6, 7 and kmemx streams share.
 */
#ifndef KMEMX_RECORDING_COMPOSE_H
#define KMEMX_RECORDING_COMPOSE_H

#include "base/strbuf.h"
#include "recording/wire.h"
#include "recording/writer.h"

/* The composition: @offsets is where the table of the CPUs' offsets and sizes must be
 * filled in once the metadata's length is known; each CPU's pages begin at a multiple of
 * @align.
 */
struct composer {
	const struct writer_facts *facts;
	const struct writer_part *parts;
	size_t nr_parts;
	const struct writer_instance
		*instance; /* whose parts they are; NULL: the top instance */
	uint32_t align;
	struct strbuf sb;
	size_t offsets;
	size_t *tables; /* the same for each instance */
	bool too_large; /* a text does not fit its length field */
};

/* A metadata part: its section in version 7 and in streams, and how it is composed. */
struct compose_section {
	uint16_t id;
	void (*compose)(struct composer *c);
};

#define NR_COMPOSE_SECTIONS 6
/* In the order that version 6 needs. */
extern const struct compose_section compose_sections[NR_COMPOSE_SECTIONS];

/* Numbers of this machine's byte order. */
void put_u16(struct strbuf *sb, uint16_t v);
void put_u32(struct strbuf *sb, uint32_t v);
void put_u64(struct strbuf *sb, uint64_t v);
/* Overwrites a placeholder at @at. */
void set_u64(struct strbuf *sb, size_t at, uint64_t v);

/* The same in the byte order of the facts. */
void compose_u16(struct composer *c, uint16_t v);
void compose_u32(struct composer *c, uint32_t v);
void compose_u64(struct composer *c, uint64_t v);
void compose_set_u64(struct composer *c, size_t at, uint64_t v);
void compose_string(struct composer *c, const char *s);
/* An option that is a place in the file. */
void compose_offset_option(struct composer *c, uint16_t id, uint64_t offset);
void put_option(struct composer *c, uint16_t id, const void *data, size_t size);

static inline uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/* Can the format hold these? 0 or -EINVAL. */
int compose_check(const struct writer_facts *facts, const struct writer_part *parts,
		  size_t nr_parts) __must_check;

/* The start of trace.dat, up to the size of a sub-buffer. */
void compose_magic(struct composer *c);
/* Version 7: the compression's name and version; returns where the offset of the options
 * must be filled in.
 */
size_t compose_compression(struct composer *c, const char *name, const char *version);
/* Byte order, size of long, sub-buffer size: what follows the version. */
void compose_machine(struct composer *c);
/* Statistics, clock, uname, writer, CPU count and metadata items, without an end mark. */
void compose_options(struct composer *c);
/* Version 7: the buffer and its CPUs, with the parts' sizes; where its section and each CPU
 * begin is filled in later, by the two below.
 */
void compose_buffer_option(struct composer *c);
void compose_set_buffer(struct composer *c, uint64_t section);
void compose_set_cpu(struct composer *c, size_t i, uint64_t offset);

/* A section's header, and its size once the content is there. */
size_t section_begin(struct composer *c, uint16_t id);
void section_end(struct composer *c, size_t start);

#endif
