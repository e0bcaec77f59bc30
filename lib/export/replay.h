/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export (internal): rows with their history.
 * In: rows by callchain; all allocations and frees. Out: stored rows; the row and time of each
 * change.
 */
#ifndef KMEMX_EXPORT_REPLAY_H
#define KMEMX_EXPORT_REPLAY_H

#include "analysis/rows_out/export_history.h"
#include "export/export.h"

/* A row: @nr frames from @first on, in the array of all frames; the callsite first, the allocator
 * last.
 */
struct replay_row {
	size_t first, nr;
	uint64_t values[EXPORT_METRICS];
};

/**
 * struct replay - zero-initialise it
 * @rows: rows with different frames; those with equal frames are added up
 * @frames: frames of all rows, as numbers of export_job.frames
 * @stacks: maps a row's frames to its number, from 1 on
 * @by_id: maps export_row.id to an index of @rows; @others: rows of slab objects and of pages
 *	without an id; UINT32_MAX: none
 * @known: the metrics that are known
 */
struct replay {
	struct replay_row *rows;
	size_t nr_rows, rows_capacity;
	uint32_t *frames;
	size_t nr_frames, frames_capacity;
	struct intern stacks;
	struct u64_map by_id;
	uint32_t others[MEMORY_KINDS];
	bool has_others[MEMORY_KINDS];
	bool known[EXPORT_METRICS];
};

/* Stores a row, for exporters whose state begins with struct replay. 0 or -ENOMEM. Call
 * replay_free() in any case.
 */
int replay_add(struct export_job *job, const struct export_row *row) __must_check;
/* The index of the row that @c belongs to; UINT32_MAX: none. */
uint32_t replay_row(const struct replay *r, const struct export_job *job,
		    const struct history_change *c);
void replay_free(struct replay *r);

/**
 * struct replay_clock - times of the history
 * @first: start of the recording; @ns: nanoseconds per unit of the clock
 */
struct replay_clock {
	uint64_t first;
	double ns;
};

struct replay_clock replay_clock(const struct export_job *job);
/* Nanoseconds from the beginning to @ts. */
uint64_t replay_ns(const struct replay_clock *clock, uint64_t ts);

/**
 * struct replay_pieces - blocks that were freed in parts, as separate objects
 * @heads: for each object the index of its first piece + 1; 0: freed as a whole, or live
 * @pieces: bytes that were freed together; @next: the object's next piece, or 0
 *
 * A program that knows only whole allocations gets one per piece.
 */
struct replay_pieces {
	uint32_t *heads;
	struct replay_piece {
		uint64_t bytes;
		uint32_t next;
	} * pieces;
	size_t nr, capacity;
};

/* 0 or -ENOMEM. Call replay_pieces_free() in any case. */
int replay_pieces_init(struct replay_pieces *p,
		       const struct export_history *h) __must_check;
void replay_pieces_free(struct replay_pieces *p);

#endif
