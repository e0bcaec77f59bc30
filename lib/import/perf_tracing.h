/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the tracing data of a perf.data file: the kernel's event formats.
 * In: the section as in the file. Out: texts for a recording, and properties of its records.
 *
 * Format: tools/perf/util/trace-event-info.c of the kernel. It equals the beginning of a trace.dat
 * file of version 6, but with another version number.
 */
#ifndef KMEMX_IMPORT_PERF_TRACING_H
#define KMEMX_IMPORT_PERF_TRACING_H

#include "import/perf_file.h"
#include "base/log.h"
#include "recording/recording.h"
#include "recording/writer.h"

/* The largest section: a system's formats have 1 to 8 MB, and perf stores only the chosen ones. */
#define PERF_TRACING_MAX (64U << 20)
/* The most frames of a stack; perf's own limit is 127 unless root raises it. */
#define PERF_MAX_FRAMES	 256U

/**
 * struct perf_tracing - zero-initialise it
 * @subbuf_size: size of a sub-buffer as header_page describes it
 * @page_size: page size of the recorded machine's user space
 * @common_size: bytes of the common fields at the start of every event
 * @known: a bit for each event that has a format
 * @has_kmem: one of these is a kmem event
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
 * @data: borrowed from the caller
 * @texts: receives the formats (one for stacks is added), printk formats and command lines
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
 * perf_tracing_stack() - make a stack record, as ftrace writes it after an event
 * @s: its raw data is the event's record, whose common fields are copied, at least common_size
 *	bytes; its chain has perf's marks
 * @out: has room for perf_tracing_stack_max() bytes
 * @nr_user: receives how many frames at the end are user-space frames
 *
 * 32-bit recordings have no room for user-space frames. Return: the record's size; 0 without kernel
 * frames.
 */
size_t perf_tracing_stack(const struct perf_tracing *t, const struct perf_sample *s,
			  uint8_t *out, uint32_t *nr_user);
/* How many frames a stack record of @size bytes has. */
uint32_t perf_tracing_stack_frames(const struct perf_tracing *t, size_t size);
/* Makes @stack end after the first @count frames. Return: the record's size. */
size_t perf_tracing_stack_end(const struct perf_tracing *t, uint8_t *stack,
			      uint32_t count);
size_t perf_tracing_stack_max(const struct perf_tracing *t);

#endif
