/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: the renderers.
 * In: a report. Out: text, JSON or CSV handed piece by piece to a function.
 */
#ifndef KMEMX_REPORT_RENDER_H
#define KMEMX_REPORT_RENDER_H

#include "report/table.h"

/* Receives output. Returns 0; -errno ends the rendering. */
struct render_out {
	int (*write)(void *ctx, const char *data, size_t size);
	void *ctx;
};

/* Bytes that renderers collect before they write them. */
#define RENDER_PIECE 32768

/* Writes the content of @sb, unless there was an error @err, and empties it. Returns @err; -ENOMEM
 * if @sb has failed; the write function's error.
 */
static inline int __must_check render_flush(struct strbuf *sb,
					    const struct render_out *out, int err)
{
	if (!err && sb->failed)
		err = -ENOMEM;
	if (!err && sb->size)
		err = out->write(out->ctx, sb->data, sb->size);
	strbuf_reset(sb);
	return err;
}

/* A write function that appends to the struct strbuf @ctx. */
static inline int render_append(void *ctx, const char *data, size_t size)
{
	struct strbuf *sb = ctx;

	strbuf_add(sb, data, size);
	return sb->failed ? -ENOMEM : 0;
}

/* Summary lines in text: the most important ones (see enum summary_rank), all, none. */
enum summary_view { SUMMARY_SHORT, SUMMARY_ALL, SUMMARY_NONE };

/* Maximum number of notes under a table by default; warnings are always shown. */
#define NOTES_SHORT 3

/**
 * struct render_options - options of the text renderer
 * @width: columns of the terminal; 0: unlimited (a pipe)
 * @wide: show all columns of a table, whatever the width
 * @color: ANSI colours
 * @human: KiB, MiB, s, ms instead of exact bytes and ns
 * @terminal: for people: s, ms instead of exact ns
 * @since_start, @start: for people: moments are relative to @start, a clock reading in ns
 * @utf8: the reader understands UTF-8
 * @summary: which lines of the summaries
 * @all_notes: show all notes; else all warnings, and other notes up to NOTES_SHORT in total
 */
struct render_options {
	unsigned int width;
	bool wide;
	bool color;
	bool human, terminal, since_start;
	uint64_t start;
	bool utf8;
	enum summary_view summary;
	bool all_notes;
};

/* Should @cell be rounded? If so, makes a moment relative to the start. */
bool render_rounds(const struct render_options *opts, enum column_unit unit,
		   struct cell *cell);

/* A renderer. @opts applies to text only. Return: 0; -ENOMEM; the write function's error. */
typedef int (*render_fn)(const struct report *r, const struct render_options *opts,
			 const struct render_out *out);

/* "bytes", "none": the unit's name in JSON. */
const char *column_unit_name(enum column_unit unit);
int render_text(const struct report *r, const struct render_options *opts,
		const struct render_out *out) __must_check;
/* {"schema_version": 2, "recording": {facts}, "notes": [...], "reports": [...]}:
 * Documentation/json.md
 */
int render_json(const struct report *r, const struct render_options *opts,
		const struct render_out *out) __must_check;
/* Fields are quoted as in RFC 4180, lines end in LF. Several tables each have a header, with an
 * empty line before it, and a first column "table" with their name in every row. Summaries are only
 * in JSON.
 */
int render_csv(const struct report *r, const struct render_options *opts,
	       const struct render_out *out) __must_check;
/* Appends @text, which is safe to show, quoted where RFC 4180 requires it. Puts a ' before what a
 * spreadsheet would run as a formula.
 */
void csv_quote(struct strbuf *sb, const char *text);

/* How a table appears in JSON that is one object. */
enum json_shape {
	JSON_ROWS,	 /* an array of objects, one per line */
	JSON_MAP,	 /* of two columns: an object, first to second, one per line */
	JSON_TEXTS,	 /* of one column: an array, one per line */
	JSON_TEXTS_LINE, /* the same in one line */
};

/**
 * struct json_layout - the keys of JSON that is one object, in order
 * @facts: names of facts, ending with NULL; absent facts are null
 * @tables: the last one has no name; absent tables are empty
 */
struct json_layout {
	const char *const *facts;
	const struct json_table {
		enum json_shape shape;
		const char *name;
	} * tables;
};

#endif
