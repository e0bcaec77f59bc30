/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the sub-buffers of one CPU, one after the other.
 * In: a recording, a buffer, a CPU. Out: checked sub-buffers in file order.
 */
#ifndef KMEMX_RECORDING_CPU_CURSOR_H
#define KMEMX_RECORDING_CPU_CURSOR_H

#include "recording/recording.h"
#include "recording/subbuf.h"

struct cpu_cursor;
struct read_ahead;

/* A compressed chunk may claim at most this many bytes, compressed or not. */
#define CHUNK_MAX (64U << 20)

/**
 * cpu_cursor_open() - start reading one CPU's pages
 * @cpu_index: index into rec->buffers[buffer].cpus
 * @ahead: reads and decompresses the next block on its thread; NULL: blocks are read when needed
 *
 * Reads ahead in blocks sized so that all CPUs of the buffer together stay within a fixed
 * amount of memory (never whole CPUs; compressed chunks are decompressed one at a time,
 * a chunk that claims to be larger than CHUNK_MAX is refused).
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
/* Continues with the @size bytes of sub-buffers at @pages, which the caller keeps until the next
 * call. Only for a CPU without pages in the file, without reading ahead, and after everything fed
 * before was read.
 */
void cpu_cursor_feed(struct cpu_cursor *cur, const void *pages, size_t size);
/* Continues with the last few sub-buffers; call it before anything was read. */
void cpu_cursor_skip_to_tail(struct cpu_cursor *cur);

#endif
