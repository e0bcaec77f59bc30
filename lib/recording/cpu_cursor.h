/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the sub-buffers of one CPU, one after the other.
 * In: a recording, a buffer, a CPU. Out: checked sub-buffers in file order.
 */
#ifndef KMEMX_RECORDING_CPU_CURSOR_H
#define KMEMX_RECORDING_CPU_CURSOR_H

#include "recording/block_reader.h"
#include "recording/recording.h"
#include "recording/subbuf.h"

struct cpu_cursor;
struct read_ahead;

/**
 * cpu_cursor_open() - start reading one CPU's pages
 * @cpu_index: index into rec->buffers[buffer].cpus
 * @ahead: reads and decompresses the next block on its thread; NULL: blocks are read when needed
 *
 * Reads ahead in blocks sized so that all CPUs of the buffer together stay within a fixed
 * amount of memory (never whole CPUs; compressed chunks are decompressed one at a time,
 * a chunk that claims to be larger than BLOCK_MAX_CHUNK is refused).
 *
 * Return: 0 or -ENOMEM; @rec and @ahead must outlive the cursor.
 */
int cpu_cursor_open(struct cpu_cursor **out, const struct recording *rec, uint32_t buffer,
		    uint32_t cpu_index, struct read_ahead *ahead) __must_check;

/**
 * cpu_cursor_next() - the next sub-buffer
 *
 * The data of a sub-buffer stays valid until the second following call: a caller may hold
 * the current and the previous one.
 *
 * Return: 1 and @sb; 0 at the end; -EBADMSG if a part is damaged (logged; the next call continues
 * at the next page or chunk); -E2BIG if little compressed data becomes too many events; -E2BIG,
 * -EIO and -ENOMEM end the walk.
 */
int cpu_cursor_next(struct cpu_cursor *cur, struct subbuf *sb) __must_check;
void cpu_cursor_close(struct cpu_cursor *cur);

/* Stops logging damage: another walk logs it. */
void cpu_cursor_quiet(struct cpu_cursor *cur);
/**
 * struct cpu_growth - compressed bytes of a CPU, and what they became
 * @pages: whole sub-buffers; @events: what these hold
 */
struct cpu_growth {
	uint64_t packed, pages, events;
};

/**
 * cpu_cursor_cut() - cut the next sub-buffers off a cursor
 * @bytes: at least this many, uncompressed
 * @out: for cpu_cursor_go() of another cursor
 *
 * Return: 1; 0 at the end; -EAGAIN if what comes next is known only by reading it.
 */
int cpu_cursor_cut(struct cpu_cursor *cur, uint64_t bytes,
		   struct block_range *out) __must_check;
/* Is nothing left to be cut off? */
bool cpu_cursor_ended(const struct cpu_cursor *cur);
/* Continues with @range, which was cut off @from, a cursor of any CPU of the recording. @cur then
 * logs no damage (see cpu_cursor_damaged()) and does not read ahead on a thread.
 */
void cpu_cursor_go(struct cpu_cursor *cur, const struct cpu_cursor *from,
		   const struct block_range *range);
/* After cpu_cursor_go(): was there any damage, or a sub-buffer that was never written? */
bool cpu_cursor_damaged(const struct cpu_cursor *cur);
/* After cpu_cursor_go(): how much the range grew. Too much growth is not refused then. */
struct cpu_growth cpu_cursor_growth(const struct cpu_cursor *cur);
/* With @nr_cpus CPUs, may @packed compressed bytes of one CPU grow to @to? */
bool cpu_growth_ok(const struct cpu_growth *to, uint64_t packed, uint32_t nr_cpus);
/* Continues with the @size bytes of sub-buffers at @pages, which the caller keeps until the next
 * call. Only for a CPU without pages in the file, without reading ahead, and after everything fed
 * before was read.
 */
void cpu_cursor_feed(struct cpu_cursor *cur, const void *pages, size_t size);
/* Continues with the last few sub-buffers; call it before anything was read. */
void cpu_cursor_skip_to_tail(struct cpu_cursor *cur);

#endif
