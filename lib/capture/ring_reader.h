/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: moves the instance's raw pages into parts, one a CPU.
 * In: per_cpu/cpuN/trace_pipe_raw. Out: parts of whole sub-buffers, each a region of one
 * file or a file of its own.
 */
#ifndef KMEMX_CAPTURE_RING_READER_H
#define KMEMX_CAPTURE_RING_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "capture/instance.h"
#include "recording/recording.h"
#include "recording/cpu_regions.h"
#include "recording/wire.h"

/**
 * struct ring_reader_cpu - one CPU's pipe and part
 * @cpu: its number; from RECORDING_FREES_CPU on, in the instance of frees
 * @name: of the part's own file, in the recording's directory; NULL: it is a region
 * @offset: where the part begins in @part_fd
 * @size: bytes in the part, a multiple of the sub-buffer size
 * @room: the most that it may become
 * @direct: the part is written past the page cache (O_DIRECT)
 * @absent: it had no ring buffer when it was last read: a CPU gets one when it is first online
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
 * @regions: of the one file that holds all parts; stride 0: each has a file of its own
 * @wire: where pages go instead of into parts; NULL: into parts
 * @take, @take_ctx: called with pages instead, which are gone afterwards; 0, or -errno as of a
 *	write; NULL: not
 * @make_room, @room_ctx: called when the disk is full; true: there is more room now; NULL: not
 * @discarded: data records that were read but not written, as a write failed
 * @read_error: errno of the last read that failed, 0: none did
 * @written, @most: bytes in all parts, and what a limit of file sizes allows; @most 0: all
 * @limit: what is read of each CPU if that is not stopped, in bytes; 0: all there is
 * @dir_fd: where files of parts are, -1: nowhere
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

/* Geometry of the instance's sub-buffers. */
struct ring_reader_layout {
	uint32_t subbuf_size;
	uint32_t data_offset;
	unsigned int long_size;
};

/* Reads it from the text of header_page; 0 or -EPROTO. */
int ring_reader_parse_layout(const char *header_page,
			     struct ring_reader_layout *out) __must_check;

/**
 * struct ring_reader_output - where parts go
 * @prefix: files of parts are called PREFIX.cpuN; NULL: there are none, the caller sets
 *	@wire of the reader
 * @dir_fd: the directory that they are in
 * @fd: an empty file that holds all parts where its filesystem allows it
 */
struct ring_reader_output {
	const char *prefix;
	int dir_fd;
	int fd;
};

/* The buffer that ring_reader_drain() needs, for a reader that was not opened; 0 or -ENOMEM. */
int ring_reader_alloc_staging(struct ring_reader *r) __must_check;

/**
 * ring_reader_open() - open every CPU's pipe and part
 *
 * Return: 0; -errno after an LOG_ERROR message. ring_reader_close() in any case.
 */
int ring_reader_open(struct ring_reader *r, const struct instance *in,
		     const struct ring_reader_layout *layout,
		     const struct ring_reader_output *output,
		     const struct log *log) __must_check;

/**
 * ring_reader_drain() - read what CPU @i has; nothing, and @absent, if that never was online
 * @all: also sub-buffers that are not full, until nothing is left; else the reader stops
 *	at the first one that is being filled, as reading it piecemeal wastes file space
 *
 * Return: 0; -errno of a failed write, after which the part holds whole sub-buffers and
 * @discarded counts the events of the others; -errno of a failed read, with @read_error,
 * after an LOG_ERROR message.
 */
int ring_reader_drain(struct ring_reader *r, size_t i, bool all) __must_check;

/* Counts the data records in CPU @i's part whose time is before @before (UINT64_MAX: all). 0 or
 * -errno.
 */
int ring_reader_count(struct ring_reader *r, size_t i, uint64_t before,
		      uint64_t *out) __must_check;

/**
 * ring_reader_begin_at() - what buffers overwrote before they were read is no loss but the past
 * @ts: receives the time from which on all events of all CPUs are there; 0: all are
 *
 * Takes the mark of a loss off each part's first sub-buffer. 0 or -errno.
 */
int ring_reader_begin_at(struct ring_reader *r, uint64_t *ts) __must_check;

/* Bytes of CPU @i's part that are no longer there, as another process has cut the file. The
 * part ends where the file does.
 */
uint64_t ring_reader_missing(struct ring_reader *r, size_t i);
/* From now on parts are read, through the page cache: O_DIRECT would need aligned buffers. */
void ring_reader_end_direct(struct ring_reader *r);
/* Closes the pipes (before the instance can be removed); parts stay open. */
void ring_reader_close_pipes(struct ring_reader *r);
/* Closes everything and removes the files of parts. */
void ring_reader_close(struct ring_reader *r);

#endif
