/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export: a report's rows in the formats of other programs.
 * In: tables of the analysis "export". Out: bytes passed to a function.
 */
#ifndef KMEMX_EXPORT_EXPORT_H
#define KMEMX_EXPORT_EXPORT_H

#include "account/lives.h"
#include "base/keyed.h"
#include "base/outbuf.h"
#include "export/origin.h"
#include "report/compressed.h"

struct export_history;

/* The figures of a row, as columns of the tables. */
enum export_metric {
	EXPORT_HIT,
	EXPORT_BYTES,
	EXPORT_LIVE,
	EXPORT_BYTES_LIVE,
	EXPORT_BYTES_PEAK,
	EXPORT_BYTES_REQ,
	EXPORT_NET_MIN,
	EXPORT_NET_MAX,
	EXPORT_NET_ESTIMATE,
	EXPORT_BYTES_CHARGED,
	EXPORT_METRICS
};

/* The weight for formats with one number per row: a metric, divided by @unit. */
struct export_weight {
	const char *name;
	enum export_metric metric;
	uint64_t unit;
};

/* All weights, the default first; the last one has no name. */
extern const struct export_weight export_weights[];

/* Values of a callchain in the first and the second recording. */
struct export_pair {
	uint64_t of[2];
};

/**
 * struct export_pairs - callchains of two recordings, which are exported one after the other
 * @stacks: by their texts
 * @second: the second one is being exported
 */
struct export_pairs {
	KEYED(struct export_pair) stacks;
	bool second;
};

void export_pairs_free(struct export_pairs *pairs);

/**
 * struct export_options - zero: the defaults
 * @weight: NULL: the default
 * @rows: only this many rows of each table, and one row for the rest; 0: all
 * @clock_ns: the times in the report's facts are nanoseconds
 * @origin: of the recording; NULL: unknown
 * @pairs: for exporters that compare: collects the rows; exporting the second recording writes them
 * @history: all allocations and frees, for exporters that need them; NULL: unknown
 */
struct export_options {
	const struct export_weight *weight;
	uint64_t rows;
	bool clock_ns;
	const struct export_origin *origin;
	struct export_pairs *pairs;
	const struct export_history *history;
};

/* A property of a row besides its callchain: @text, or if that is NULL, @number; @field: its index
 * in export_fields.
 */
struct export_label {
	unsigned int field;
	const char *name, *text;
	int64_t number;
};

#define EXPORT_LABELS_MAX 8

#define EXPORT_OTHERS UINT32_MAX

/**
 * struct export_row - what one callchain allocated
 * @allocator: memory_words() of @memory
 * @frames, @nr_frames: numbers of export_job.frames, the callsite first
 * @id: history_row() of its changes; EXPORT_OTHERS: it has all changes that belong to no other row
 * @values: by enum export_metric, if @known
 */
struct export_row {
	const char *allocator;
	enum memory memory;
	uint32_t id;
	const uint32_t *frames;
	size_t nr_frames;
	uint64_t values[EXPORT_METRICS];
	bool known[EXPORT_METRICS];
	struct export_label labels[EXPORT_LABELS_MAX];
	size_t nr_labels;
};

/**
 * struct export_job - an export in progress
 * @frames: names of all frames so far, safe to show: "function" or "function [module]"
 * @to: the output; @out: a buffer for it before compression, flushed after end(); its error is the
 *	export's
 * @text: scratch space of export_json_text()
 * @state: the exporter's, zeroed
 */
struct export_job {
	const struct report *report;
	const struct export_options *opts;
	struct intern frames;
	const struct render_out *to;
	struct outbuf out;
	struct strbuf text;
	void *state;
};

/* How an exporter needs the rows to be grouped. */
enum export_rows { EXPORT_BY_CALLSITE, EXPORT_BY_STACK, EXPORT_BY_ALL };

/**
 * struct exporter - a format; each has a line in exporters.c
 *
 * @name: name for --format; @help: description; @opened_by: programs that read it
 * @by: grouping of the rows
 * @rows: default of export_options.rows
 * @pairs: it can compare two recordings: export_options.pairs
 * @timed: it needs the history
 * @weighs: it has one number for each row: export_options.weight
 * @estimates: live figures are the best estimate, not what was seen
 * @binary: not for a terminal
 * @compression: of the output
 * @lacks: the option of kmemx version --build-options that it needs but this build lacks; NULL:
 *	none
 * @suffix: suffix of file names for --into; NULL: the format does not support --into
 * @state_size: of export_job.state
 * @begin, @end: write the parts before and after the rows; may be NULL
 * @row: takes a row, whose pointers are valid during the call
 * @free: frees what @state refers to; may be NULL; always called
 *
 * A callback that fails calls export_fail(). After that, only @free is called.
 */
struct exporter {
	const char *name, *help, *opened_by, *suffix, *lacks;
	enum export_rows by;
	uint64_t rows;
	bool weighs, pairs, binary, timed, estimates;
	enum compressed_format compression;
	size_t state_size;
	void (*begin)(struct export_job *job);
	void (*row)(struct export_job *job, const struct export_row *row);
	void (*end)(struct export_job *job);
	void (*free)(void *state);
};

/* Exporter number @i; NULL: no more. */
const struct exporter *exporter_at(size_t i);
/* The names of all exporters, ending with NULL. */
extern const char *const exporter_names[];

/**
 * export_report() - write a report in the format of another program
 * @report: its tables of rows ("export", "export_page", ...) are written in their order
 * @to: its write() may be NULL for an exporter that writes nothing
 *
 * Return: 0; -ENOMEM; -ENOTSUP if the build lacks what the format needs; the error of @to.
 */
int export_report(const struct exporter *exporter, const struct export_options *opts,
		  const struct report *report, const struct render_out *to) __must_check;

/* --- for exporters ----------------------------------------------------------------------- */

/* Makes @err the result of export_report(), unless something failed before. 0 changes nothing. */
static inline void export_fail(struct export_job *job, int err)
{
	if (!job->out.err)
		job->out.err = err;
}

/* The fact @name of the recording; NULL: unknown. */
const struct cell *export_fact(const struct export_job *job, const char *name);
/* The name of a frame of a row. */
const char *export_frame(const struct export_job *job, uint32_t frame);
/* Length of the function's name in @frame, without " [module]". */
size_t export_frame_function(const char *frame);
/* Are moments known in nanoseconds, from @report's clock or from its duration? */
bool export_knows_time(const struct report *report, const struct export_options *opts);
/* Appends the report's banner, which is what the user must know about the recording: one item per
 * line, after @lead. Makes names in it safe.
 */
void export_banner(const struct export_job *job, const char *lead, struct strbuf *out);
/* Writes formatted text; slower than the functions of struct outbuf. */
void export_put(struct export_job *job, const char *fmt, ...) __printf_fmt(2, 3);
/* Writes @text as JSON. */
void export_json_text(struct export_job *job, const char *text);
/* Writes the names of all frames as JSON, each after @first or @next and before @end. */
void export_json_frames(struct export_job *job, const char *first, const char *next,
			const char *end);
/* Writes export_banner() as one JSON string, with @between instead of line breaks. */
void export_json_banner(struct export_job *job, char between);

#endif
