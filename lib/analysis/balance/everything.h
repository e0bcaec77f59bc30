/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: who owns all memory, each byte once.
 * In: the balance's lines, the kernel's lists, and what events explain. Out: table "everything".
 */
#ifndef KMEMX_ANALYSIS_EVERYTHING_H
#define KMEMX_ANALYSIS_EVERYTHING_H

#include "analysis/balance/page_use.h"
#include "base/keyed.h"

/* What names owners of pages: the kernel's lists, only the use in flags, and events. */
#define KNOWN_BY_PAGE_OWNER "page_owner"
#define KNOWN_BY_FLAGS	    "kpageflags"
#define KNOWN_BY_EVENTS	    "events"

/**
 * struct everything_row - bytes of one owner after the recording
 * @line: the balance's line that has them; @owner: a function or a slab cache
 * @known_by: what names the owner: "slabinfo", "events", "counter" and so on; "unknown"
 */
struct everything_row {
	const char *line, *owner, *known_by;
	int64_t bytes;
};

/* One row for each owner in a line, by "LINE KNOWN_BY OWNER"; zero-initialise it. */
struct everything_rows {
	KEYED(struct everything_row) rows;
};

/* Adds @row to the row of the same owner. Its @owner is copied, its other texts must outlive @rows.
 * 0 or -ENOMEM.
 */
int everything_rows_add(struct everything_rows *rows,
			const struct everything_row *row) __must_check;
void everything_rows_free(struct everything_rows *rows);

struct cell everything_bytes(const void *row, struct table *t);

/* The columns of such rows, with the help of each. */
#define EVERYTHING_COLUMNS(bytes_help, known_by_help, line_help, owner_help)             \
	{ COLUMN("bytes", "Bytes", UNIT_BYTES, bytes_help, .share = true),               \
	  .fill = everything_bytes },                                                    \
		SHARE_COLUMNS,                                                           \
		{ COLUMN("known_by", "Known by", UNIT_NONE, known_by_help,               \
			 .leaves = 60),                                                  \
		  MEMBER(struct everything_row, known_by) },                             \
		{ COLUMN("line", "Line", UNIT_NONE, line_help, .spell = page_use_title), \
		  MEMBER(struct everything_row, line) },                                 \
		{ COLUMN("owner", "Owner", UNIT_NONE, owner_help, .last = true),         \
		  MEMBER(struct everything_row, owner) },                                \
		COLUMNS_END

/* A line of the balance, and what names its owners. */
struct everything_line {
	const char *name, *known_by;
};

/**
 * struct everything - everything_begin() it
 * @one_slab: no list says which caches are reclaimable; @slab: bytes of the first of these lines
 * @page_owner: it has what page_owner says after the recording
 */
struct everything {
	const struct analysis_env *env;
	struct everything_rows rows;
	struct everything_line lines[20];
	size_t nr_lines;
	bool one_slab, page_owner;
	uint64_t slab;
};

/* Adds the kernel's lists. 0 or -ENOMEM; call everything_free() in any case. */
int everything_begin(struct everything *e, const struct analysis_env *env) __must_check;
/* Adds a row, unless one of the kernel's lists of after the recording has the line's owners. 0 or
 * -ENOMEM; @row's texts other than @owner must outlive @e.
 */
int everything_add(struct everything *e, const struct everything_row *row) __must_check;
/* Adds the owners of pages by page_owner, if the recording has its sums. 0 or -ENOMEM. */
int everything_page_owner(struct everything *e,
			  const struct page_uses *uses) __must_check;
/* The callsite in page_owner's callchain @names: the first function that the rule does not skip,
 * else the outermost.
 */
void everything_owner(const struct analysis_env *env, const char *names, size_t len,
		      char owner[256]);
/* Adds what of @bytes, those of the whole @line, has no row. @known_by: "counter": the line has no
 * owners, and is free.
 */
int everything_end_line(struct everything *e, const char *line, int64_t bytes,
			const char *known_by) __must_check;
/* Adds the table. @total: MemTotal. */
void everything_report(struct everything *e, int64_t total, struct report *report);
void everything_free(struct everything *e);

extern const struct table_type everything_type;

#endif
