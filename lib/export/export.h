/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export: a report's rows in the formats of other programs.
 * In: tables of the analysis "export". Out: bytes handed to a function.
 */
#ifndef KMEMX_EXPORT_EXPORT_H
#define KMEMX_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/outbuf.h"
#include "export/origin.h"
#include "report/render.h"

struct export_history;

/* What is known of a row, as columns of the tables. */
enum export_metric {
	EXPORT_HIT,
	EXPORT_BYTES,
	EXPORT_LIVE,
	EXPORT_BYTES_LIVE,
	EXPORT_BYTES_PEAK,
	EXPORT_BYTES_REQ,
	EXPORT_NET_MIN,
	EXPORT_NET_MAX,
	EXPORT_METRICS
};

/* Names of the columns, by enum export_metric. */
extern const char *const export_metrics[EXPORT_METRICS];

/* The weights of formats that have room for one: a metric, divided by @unit. */
struct export_weight {
	const char *name;
	enum export_metric metric;
	uint64_t unit;
};

/* All of them, the default first; the last one has no name. */
extern const struct export_weight export_weights[];

/**
 * struct export_pairs - callchains of two recordings, exported one after the other
 * @stacks: their texts; number n has @values[n - 1]: of the first, and of the second
 * @second: it is the second's turn
 */
struct export_pairs {
	struct intern stacks;
	struct export_pair {
		uint64_t of[2];
	} * values;
	size_t capacity;
	bool second;
};

void export_pairs_free(struct export_pairs *pairs);

/**
 * struct export_options - zero: the defaults
 * @weight: NULL: the default
 * @rows: only this many rows of each table, and one row for all others; 0: all
 * @clock_ns: the times in the report's facts are nanoseconds
 * @origin: of the recording; NULL: not known
 * @pairs: of exporters that compare: where the rows go; those of the second write them
 * @history: all that began and ended, for exporters that need it; NULL: not known
 */
struct export_options {
	const struct export_weight *weight;
	uint64_t rows;
	bool clock_ns;
	const struct export_origin *origin;
	struct export_pairs *pairs;
	const struct export_history *history;
};

/* More about a row than its callchain: @text, or where that is NULL @number. */
struct export_label {
	const char *name, *text;
	int64_t number;
};

#define EXPORT_LABELS_MAX 5

#define EXPORT_OTHERS UINT32_MAX

/**
 * struct export_row - what one callchain allocated
 * @allocator: "slab" or "page"; @pages: it is the latter
 * @frames, @nr_frames: numbers of export_job.frames, the callsite first
 * @id: history_row() of the changes that it is of; EXPORT_OTHERS: of all that no other row is of
 * @values: by enum export_metric, where @known
 */
struct export_row {
	const char *allocator;
	bool pages;
	uint32_t id;
	const uint32_t *frames;
	size_t nr_frames;
	uint64_t values[EXPORT_METRICS];
	bool known[EXPORT_METRICS];
	struct export_label labels[EXPORT_LABELS_MAX];
	size_t nr_labels;
};

/**
 * struct export_job - an export under way
 * @frames: the names of all frames so far, safe to show: "function" or "function [module]"
 * @to: where the output goes; @out: the same with a buffer, flushed after end()
 * @state: the exporter's, zeroed
 */
struct export_job {
	const struct report *report;
	const struct export_options *opts;
	struct intern frames;
	const struct render_out *to;
	struct outbuf out;
	void *state;
};

/* What an exporter needs of the rows: a row for each of these. */
enum export_rows { EXPORT_BY_CALLSITE, EXPORT_BY_STACK, EXPORT_BY_ALL };

/**
 * struct exporter - a format: one of these in a file of its own, a line in exporters.c
 *
 * @name: of --format; @help: what it is; @opened_by: programs that read it
 * @by: what the rows are to be by
 * @rows: what export_options.rows is where the user gives none
 * @pairs: it can compare two recordings: export_options.pairs
 * @timed: it needs the history
 * @weighs: it has one number for each row: export_options.weight
 * @binary: not for a terminal
 * @lacks: what of kmemx version --build-options it needs and this build has not; NULL: nothing
 * @suffix: of file names for --into; NULL: --into is not for this format
 * @state_size: of export_job.state
 * @begin, @end: write what comes before and after the rows; @begin may be NULL
 * @row: takes a row, whose pointers are valid during the call
 * @free: what @state points at; may be NULL; called in any case
 *
 * They return 0; -ENOMEM; -ENOTSUP if the build lacks what they need; an error of the output.
 */
struct exporter {
	const char *name, *help, *opened_by, *suffix, *lacks;
	enum export_rows by;
	uint64_t rows;
	bool weighs, pairs, binary, timed;
	size_t state_size;
	int (*begin)(struct export_job *job);
	int (*row)(struct export_job *job, const struct export_row *row);
	int (*end)(struct export_job *job);
	void (*free)(void *state);
};

/* The exporter number @i; NULL: there are no more. */
const struct exporter *exporter_at(size_t i);

/**
 * export_report() - write a report in the format of another program
 * @report: its tables "export" and "export_page" are written, sorted as they are
 *
 * Return: 0; -ENOMEM; -ENOTSUP; the error of @to.
 */
int export_report(const struct exporter *exporter, const struct export_options *opts,
		  const struct report *report, const struct render_out *to) __must_check;

/* --- for exporters ----------------------------------------------------------------------- */

/* The fact @name of the recording; NULL: it is not known. */
const struct cell *export_fact(const struct export_job *job, const char *name);
/* The name of a frame of a row. */
const char *export_frame(const struct export_job *job, uint32_t frame);
/* Length of the function's name in @frame, without " [module]". */
size_t export_frame_function(const char *frame);
/* The weight of a row; 0 where the metric is not known. */
uint64_t export_weight_of(const struct export_job *job, const struct export_row *row);
/* Appends what the user must know of the recording, as the report's banner says it: a line each,
 * with @lead in front, and a line break behind. Of the names in it only safe text is left.
 */
void export_banner(const struct export_job *job, const char *lead, struct strbuf *out);

#endif
