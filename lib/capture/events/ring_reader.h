/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: moves the instance's raw pages into parts, one per CPU.
 * In: per_cpu/cpuN/trace_pipe_raw. Out: parts of whole sub-buffers, each a region of one
 * file or a file of its own.
 */
#ifndef KMEMX_CAPTURE_RING_READER_H
#define KMEMX_CAPTURE_RING_READER_H

#include "base/log.h"
#include "base/new_file.h"
#include "capture/events/instance.h"
#include "recording/cpu_regions.h"
#include "recording/recording.h"
#include "recording/subbuf.h"
#include "recording/wire.h"

/**
 * struct ring_reader_cpu - one CPU's pipe and part
 * @cpu: its number; RECORDING_FREES_CPU and above belong to the instance of frees
 * @name: name of the part's own file, in the recording's directory; NULL: the part is a region
 * @offset: where the part begins in @part_fd
 * @size: bytes in the part, a multiple of the sub-buffer size
 * @room: the largest size of the part
 * @direct: the part bypasses the page cache (O_DIRECT)
 * @absent: it had no ring buffer at the last read: a CPU gets one when it first comes online
 */
struct ring_reader_cpu {
	uint32_t cpu;
	int pipe_fd;
	int part_fd;
	char *name;
	uint64_t offset;
	uint64_t size;
	uint64_t room;
	bool direct;
	bool absent;
};

/**
 * struct ring_reader - all CPUs
 * @subbuf_size: bytes, from the instance's header_page
 * @data_offset: where events begin in a sub-buffer
 * @regions: of the single file that holds all parts; stride 0: each part has its own file
 * @wire: a stream that takes the pages instead of the parts; NULL: none
 * @take, @take_ctx: called with the pages instead; they are not kept. Returns 0, or -errno as for a
 *	failed write; NULL: not called
 * @seen, @seen_ctx: called for each data record that is read, which is valid only during the call;
 *	its result is ignored; NULL: not called
 * @make_room, @room_ctx: called when the disk is full; true: there is more room now; NULL: not
 *	called
 * @discarded: data records that were read but not written because a write failed
 * @read_error: errno of the last failed read; 0: none failed
 * @written, @most: bytes in all parts, and the most that the file size limit allows; @most 0:
 *	unlimited
 * @limit: most bytes to read from each CPU while tracing goes on; 0: all
 * @dir_fd: directory of the parts' files; -1: none
 * @staging: the aligned buffer through which pages pass
 */
struct ring_reader {
	struct ring_reader_cpu *cpus;
	size_t nr_cpus;
	uint32_t subbuf_size;
	uint32_t data_offset;
	unsigned int long_size;
	struct cpu_regions regions;
	struct wire *wire;
	int (*take)(void *ctx, uint32_t cpu, const void *pages, size_t size);
	void *take_ctx;
	int (*seen)(void *ctx, const struct raw_record *rec);
	void *seen_ctx;
	bool (*make_room)(void *ctx);
	void *room_ctx;
	uint64_t discarded;
	int read_error;
	uint64_t written, most;
	uint64_t limit;
	int dir_fd;
	char *staging;
	const struct log *log;
};

#define RING_READER_INIT ((struct ring_reader){ .dir_fd = -1 })

/* Prepares to read sub-buffers as the text of header_page describes them; 0 or -EPROTO. */
int ring_reader_init(struct ring_reader *r, const char *header_page) __must_check;

/* Allocates the buffer for ring_reader_drain(), if the reader was not opened; 0 or -ENOMEM. */
int ring_reader_alloc_staging(struct ring_reader *r) __must_check;

/**
 * ring_reader_open() - open every CPU's pipe and part
 * @r: from ring_reader_init()
 * @prefix: the parts' files are called PREFIX.cpuN; NULL: no files, the caller sets @wire
 * @file: an empty file, in the directory of the parts, that holds all of them where its filesystem
 *	allows it
 *
 * Return: 0; -errno after a LOG_ERROR message. Call ring_reader_close() in any case.
 */
int ring_reader_open(struct ring_reader *r, const struct instance *in, const char *prefix,
		     const struct new_file *file, const struct log *log) __must_check;

/**
 * ring_reader_drain() - read CPU @i's buffer; sets @absent if that CPU was never online
 * @all: read partly filled sub-buffers too, until nothing is left; else stop at the first one that
 *	is being filled, as reading it piecemeal wastes file space
 *
 * Return: 0; -errno of a failed write, after which the part holds whole sub-buffers and
 * @discarded counts the events of the others; -errno of a failed read, with @read_error,
 * after a LOG_ERROR message.
 */
int ring_reader_drain(struct ring_reader *r, size_t i, bool all) __must_check;

/* Calls @take for the data records of the sub-buffers at @p, of which the last may be short, until
 * it returns other than 0.
 */
int ring_reader_records(const struct ring_reader *r, const char *p, size_t size,
			int (*take)(void *ctx, const struct raw_record *rec),
			void *ctx) __must_check;
/* Calls @take for each data record in CPU @i's part, whose data is valid only during the call. 0;
 * what @take returned, if not 0; -errno of reading.
 */
int ring_reader_each(struct ring_reader *r, size_t i,
		     int (*take)(void *ctx, const struct raw_record *rec),
		     void *ctx) __must_check;
/* Counts the data records in CPU @i's part that are older than @before (UINT64_MAX: all). 0 or
 * -errno.
 */
int ring_reader_count(struct ring_reader *r, size_t i, uint64_t before,
		      uint64_t *out) __must_check;

/* Lists the parts that have pages in @parts, which has room for all CPUs. Returns their number. */
size_t ring_reader_parts(const struct ring_reader *r, bool consume,
			 struct writer_part *parts);

/**
 * ring_reader_begin_at() - treat overwritten events as older than the recording, not as lost
 * @ts: receives the time from which the events of all CPUs are complete; 0: nothing is missing
 *
 * Clears the lost-events mark of each part's first sub-buffer. 0 or -errno.
 */
int ring_reader_begin_at(struct ring_reader *r, uint64_t *ts) __must_check;
/* Sets @ts to the time of the last event on any CPU, or to 0 if no event was read. Events of an
 * instance for frees do not count. 0 or -errno.
 */
int ring_reader_end_at(struct ring_reader *r, uint64_t *ts) __must_check;

/* Bytes of CPU @i's part that are missing because another process truncated the file. The part then
 * ends at the end of the file.
 */
uint64_t ring_reader_missing(struct ring_reader *r, size_t i);
/* Switches back to the page cache, as parts are read from now on: O_DIRECT would need aligned
 * buffers.
 */
void ring_reader_end_direct(struct ring_reader *r);
/* Closes the pipes (before the instance can be removed); parts stay open. */
void ring_reader_close_pipes(struct ring_reader *r);
/* Closes everything and removes the parts' files. */
void ring_reader_close(struct ring_reader *r);

#endif
