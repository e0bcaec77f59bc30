// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording (internal): finds the CPUs in a version 7 data section whose description is missing
 * with the file's end.
 * In: the section's range. Out: a buffer with CPUs numbered in the order of their data.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recording/trace_dat.h"

static uint64_t align_up(uint64_t v, uint64_t to)
{
	return v > UINT64_MAX - to ? UINT64_MAX : (v + to - 1) / to * to;
}

/* Compressed data contains the number of chunks and their sizes. */
static uint64_t end_of_chunks(struct trace_dat *td, uint64_t start, uint64_t end)
{
	struct reader r;
	uint32_t chunks;

	reader_init(&r, &td->rec->src, start, end, td->rec->big_endian);
	chunks = reader_u32(&r);
	if (!chunks)
		return end;
	while (chunks-- && !r.err) {
		uint32_t size = reader_u32(&r);

		/* The writer did not store the size: the chunk's reader finds its end. */
		if (!size)
			return end;
		reader_skip(&r, 4ULL + size);
	}
	return r.err ? end : r.pos;
}

/* The first page from @at on that is not all hole; a last partial page, or @end. */
static uint64_t skip_hole(const struct source *src, uint64_t at, uint64_t end,
			  uint32_t page_size)
{
	uint64_t data = source_next_data(src, at);

	if (data > end)
		data = end;
	return data > at ? at + (data - at) / page_size * page_size : at;
}

/* A CPU's pages ascend in time: the next CPU begins where it goes back. */
static uint64_t end_of_pages(struct trace_dat *td, uint64_t start, uint64_t end)
{
	struct recording *rec = td->rec;
	uint64_t at, ts, last = 0;
	uint8_t head[8];

	for (at = start; end - at >= rec->page_size; at += rec->page_size) {
		if (source_read(&rec->src, head, sizeof(head), at))
			return at;
		ts = get_u64(head, rec->big_endian);
		/* Time 0 may also be a hole of any size, where nothing was written. */
		if (ts < last ||
		    (!ts && skip_hole(&rec->src, at, end, rec->page_size) > at))
			return at;
		last = ts;
	}
	return end;
}

char *trace_dat_chosen_clock(const char *list)
{
	const char *open = list ? strchr(list, '[') : NULL;
	const char *close = open ? strchr(open, ']') : NULL;

	return close ? strndup(open + 1, (size_t)(close - open) - 1) : strdup("");
}

int trace_dat_search_cpus(struct trace_dat *td, uint64_t start, uint64_t end,
			  bool compressed)
{
	struct recording *rec = td->rec;
	struct recording_cpu cpu = { 0 };
	char *name, *clock;
	int err;

	if (end > rec->src.size)
		end = rec->src.size;
	clock = trace_dat_chosen_clock(rec->trace_clock);
	name = strdup(rec->nr_buffers ? "recovered" : "");
	if (!name || !clock) {
		free(name);
		free(clock);
		return -ENOMEM;
	}
	err = trace_dat_add_buffer(td, name, clock, rec->page_size);
	if (err)
		return err;
	rec->buffers[rec->nr_buffers - 1].compressed = compressed;
	for (cpu.offset = align_up(start, rec->page_size);
	     !err && cpu.offset < end && cpu.cpu < TRACE_DAT_MAX_CPUS; cpu.cpu++) {
		uint64_t stop;

		cpu.offset = skip_hole(&rec->src, cpu.offset, end, rec->page_size);
		stop = compressed ? end_of_chunks(td, cpu.offset, end)
				  : end_of_pages(td, cpu.offset, end);
		if (stop <= cpu.offset)
			break;
		cpu.size = stop - cpu.offset;
		cpu.cut = stop == end; /* CPUs after it may be missing completely */
		err = trace_dat_add_cpu(td, &cpu, 0);
		cpu.offset = compressed ? align_up(stop, rec->page_size) : stop;
	}
	log_msg(rec->log, LOG_WARN,
		"%s: the description of the data at offset %" PRIu64
		" is missing; its %" PRIu32
		" CPUs are numbered in their order in the file",
		rec->path, start, rec->buffers[rec->nr_buffers - 1].nr_cpus);
	return err;
}
