/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export (internal): rows with their history.
 * In: rows by callchain; all that began and ended. Out: rows kept, each change's row, its time.
 */
#ifndef KMEMX_EXPORT_REPLAY_H
#define KMEMX_EXPORT_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/export_history.h"
#include "export/export.h"

/* A row: from @first on @nr of all frames, the callsite first, the allocator last. */
struct replay_row {
	size_t first, nr;
	uint64_t values[EXPORT_METRICS];
};

/**
 * struct replay - zero-initialise it
 * @rows: those of different frames; rows of the same frames are added up
 * @frames: of all rows, numbers of export_job.frames
 * @stacks: a row's frames -> its number, from 1 on
 * @by_id: export_row.id -> index of @rows; @others: for those that have none, of slab objects and
 *	of pages; UINT32_MAX: none
 * @known: metrics that a row has
 */
struct replay {
	struct replay_row *rows;
	size_t nr_rows, rows_capacity;
	uint32_t *frames;
	size_t nr_frames, frames_capacity;
	struct intern stacks;
	struct u64_map by_id;
	uint32_t others[2];
	bool has_others[2];
	bool known[EXPORT_METRICS];
};

/* Keeps a row. 0 or -ENOMEM. replay_free() in any case. */
int replay_add(struct replay *r, struct export_job *job,
	       const struct export_row *row) __must_check;
/* The index of the row that @c is of; UINT32_MAX: none. */
uint32_t replay_row(const struct replay *r, const struct export_job *job,
		    const struct history_change *c);
void replay_free(struct replay *r);

/**
 * struct replay_clock - times of the history
 * @first: when the recording begins; @ns: of a unit of the clock
 */
struct replay_clock {
	uint64_t first;
	double ns;
};

struct replay_clock replay_clock(const struct export_job *job);
/* Nanoseconds from the beginning to @ts. */
uint64_t replay_ns(const struct replay_clock *clock, uint64_t ts);

/**
 * struct replay_pieces - blocks that ended in parts, as objects of their own
 * @heads: of each object: its first piece, an index + 1; 0: it ended as a whole, or lives
 * @pieces: bytes that ended together; @next: the next one of the object, or 0
 *
 * A program that knows whole allocations only is shown as many as there were pieces.
 */
struct replay_pieces {
	uint32_t *heads;
	struct replay_piece {
		uint64_t bytes;
		uint32_t next;
	} * pieces;
	size_t nr, capacity;
};

/* 0 or -ENOMEM. replay_pieces_free() in any case. */
int replay_pieces_init(struct replay_pieces *p,
		       const struct export_history *h) __must_check;
void replay_pieces_free(struct replay_pieces *p);

#endif
