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

/**
 * struct compose_cpu - the pages of one CPU
 * @from: where they come from
 * @offset, @size: in the file
 */
struct compose_cpu {
	const struct writer_part *from;
	uint64_t offset, size;
};

/**
 * struct compose_buffer - a ring buffer
 * @is: its name ("" of the top buffer, the only one that KernelShark shows), clock and page size
 * @cpus: as many as it has parts
 * @table: version 6: the offset of the list of its CPUs
 * @section: the offset of its section, whose header only version 7 has; @first, @end: of its pages
 */
struct compose_buffer {
	struct writer_instance is;
	struct compose_cpu *cpus;
	uint64_t table, section, first, end;
};

/**
 * struct composer - compose_begin() it, unless only the facts are composed
 * @buffers: the top buffer, then the instances; @cpus: of all of them
 * @too_large: a text does not fit its length field
 * @stream: sections are records of a stream; @compressed: they are compressed
 */
struct composer {
	const struct writer_facts *facts;
	struct compose_buffer *buffers;
	struct compose_cpu *cpus;
	size_t nr_buffers, nr_cpus;
	struct strbuf sb;
	bool too_large;
	bool stream, compressed;
};

/* The metadata parts are those of the sections OPTION_HEADER_INFO to OPTION_CMDLINES, in the order
 * that version 6 needs.
 */
#define COMPOSE_PARTS (OPTION_CMDLINES - OPTION_HEADER_INFO + 1)

/* The lowest @size bytes of @v in the byte order of the facts; compose_set_u64() overwrites a
 * placeholder at @at.
 */
void compose_uint(struct composer *c, uint64_t v, unsigned int size);
void compose_set_u64(struct composer *c, size_t at, uint64_t v);
void compose_string(struct composer *c, const char *s);

static inline uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/* Takes the facts and the top buffer's parts, which it borrows. 0; -EINVAL after a message to @log:
 * the format cannot hold these; -ENOMEM. Call compose_end() in any case.
 */
int compose_begin(struct composer *c, const struct writer_facts *facts,
		  const struct writer_part *parts, size_t nr_parts,
		  const struct log *log) __must_check;
void compose_end(struct composer *c);
/* Logs that the format cannot hold the facts. Returns -EINVAL. */
int compose_refuse(const struct log *log);
/* 0; -ENOMEM; -EINVAL: a text is too large. */
int compose_result(const struct composer *c) __must_check;

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
/* Version 7: all options, with the offsets of the metadata sections and the buffers. */
void compose_all_options(struct composer *c, const uint64_t sections[]);

/* The content of a metadata part; nothing for any other @id. */
void compose_part(struct composer *c, uint16_t id);
/* A section's header, and its size once the content is there. */
size_t section_begin(struct composer *c, uint16_t id);
void section_end(struct composer *c, size_t start);
/* A whole section with the content of part @id. Returns where it begins. */
size_t compose_section(struct composer *c, uint16_t id);
/* Writes the header of a section of pages, from @at to @end in @fd, with the byte order and
 * compression of @like. 0 or -errno.
 */
int section_write_header(int fd, const struct composer *like, uint64_t at,
			 uint64_t end) __must_check;

#endif
