/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the tracing data of a perf.data file: how the kernel writes its events.
 * In: the section as perf has it. Out: texts for a recording, and what its records need.
 *
 * Format: tools/perf/util/trace-event-info.c of the kernel. It is the beginning of a
 * trace.dat of version 6, with another number for its version.
 */
#ifndef KMEMX_IMPORT_PERF_TRACING_H
#define KMEMX_IMPORT_PERF_TRACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "recording/recording.h"
#include "recording/system_texts.h"

/* A section is not larger: a system's formats have 1 to 8 MB, and perf keeps the chosen ones. */
#define PERF_TRACING_MAX (64U << 20)
/* A stack gets no more frames; perf's own limit is 127 unless root raises it. */
#define PERF_MAX_FRAMES	 256U

/**
 * struct perf_tracing - zero-initialise it
 * @subbuf_size: of the ring buffer that header_page describes
 * @page_size: of the recorded machine's user space
 * @common_size: bytes that all events have at their start
 * @known: a bit for each event that has a format
 * @has_kmem: one of these is of the system kmem
 */
struct perf_tracing {
	struct page_layout layout;
	uint32_t subbuf_size, page_size;
	uint32_t common_size;
	bool big_endian, has_kmem;
	uint8_t known[65536 / 8];
};

/**
 * perf_tracing_read() - take over the tracing data
 * @data: stays the caller's
 * @texts: receives the formats, with one for stacks, printk formats and command lines
 *
 * Return: 0; -EBADMSG after a message to @log; -ENOMEM.
 */
int perf_tracing_read(struct perf_tracing *t, const void *data, size_t size,
		      struct system_texts *texts, const struct log *log) __must_check;

static inline bool perf_tracing_knows(const struct perf_tracing *t, uint16_t id)
{
	return t->known[id / 8] >> id % 8 & 1;
}

/**
 * perf_tracing_stack() - make a stack's record, as ftrace has it behind an event
 * @event: the event's record: the common fields are its own; at least common_size bytes
 * @chain: @nr words of @t's byte order: a callchain of perf's, with its marks
 * @out: has room for perf_tracing_stack_max() bytes
 *
 * Frames are the kernel's. Return: the record's size; 0 if there is none of these.
 */
size_t perf_tracing_stack(const struct perf_tracing *t, const uint8_t *event,
			  const uint8_t *chain, uint64_t nr, uint8_t *out);
size_t perf_tracing_stack_max(const struct perf_tracing *t);

#endif
