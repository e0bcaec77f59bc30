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

/**
 * struct replay_ids - which row a change belongs to; zero-initialise it
 * @by_id: maps export_row.id to the index of a row; @others: by enum memory, index + 1 of the row
 *	with EXPORT_OTHERS; 0: none
 */
struct replay_ids {
	struct u64_map by_id;
	uint32_t others[MEMORY_KINDS];
};

/* Adds @row, whose index is @index. 0 or -ENOMEM. */
int replay_ids_add(struct replay_ids *ids, const struct export_row *row,
		   uint32_t index) __must_check;
/* The index of the row that @c belongs to; UINT32_MAX: none. */
uint32_t replay_ids_find(const struct replay_ids *ids, const struct export_job *job,
			 const struct history_change *c);

/* A row: its frames, as numbers of export_job.frames; the callsite first, the allocator last. */
struct replay_row {
	const uint32_t *frames;
	size_t nr;
	uint64_t values[EXPORT_METRICS];
};

/**
 * struct replay - zero-initialise it
 * @rows: by frames; rows with equal frames are added up
 * @frames: room for the frames of one row
 * @known: the metrics that are known
 */
struct replay {
	KEYED(struct replay_row) rows;
	uint32_t *frames;
	size_t capacity;
	struct replay_ids ids;
	bool known[EXPORT_METRICS];
};

/* Stores a row, for exporters whose state begins with struct replay. Call replay_free() in any
 * case.
 */
void replay_add(struct export_job *job, const struct export_row *row);
/* @state: begins with struct replay. */
void replay_free(void *state);

/**
 * struct replay_clock - times of the history
 * @first: start of the recording; @ns: nanoseconds per tick of the clock; 1 if that is unknown
 */
struct replay_clock {
	uint64_t first;
	double ns;
};

struct replay_clock replay_clock(const struct export_job *job);
/* Nanoseconds from the beginning to @ts. */
uint64_t replay_ns(const struct replay_clock *clock, uint64_t ts);

/**
 * struct replay_change - a change, or a part of one
 * @bytes: of the part; @piece: its number, from 0 on
 * @row: of struct replay; UINT32_MAX: none
 */
struct replay_change {
	const struct history_change *of;
	uint64_t ns, bytes;
	uint32_t row, piece;
};

typedef void (*replay_put)(struct export_job *job, const struct replay_change *change);

/* Calls @put with each change until it fails, for exporters whose state begins with struct replay.
 * An allocation that was freed in parts is passed as several, because other programs know only
 * whole allocations.
 */
void replay_changes(struct export_job *job, replay_put put);

#endif
