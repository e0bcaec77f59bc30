/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): where all memory is, and who owns it: shared by the files of this room.
 * In: the kernel's counters and lists before and after the recording, events. Out: tables.
 */
#ifndef KMEMX_ANALYSIS_BALANCE_H
#define KMEMX_ANALYSIS_BALANCE_H

#include "account/addr_set.h"
#include "account/opening.h"
#include "analysis/balance/memory_lines.h"
#include "base/keyed.h"

/* --- who holds memory, by the kernel's own lists ------------------------------------------ */

/**
 * struct held_row - bytes of one owner after the recording
 * @line: the balance's line that has them; @owner: a function or a slab cache
 * @known_by: what names the owner: "slabinfo", "events", "counter" and so on; "unknown"
 * @before, @change, @nr: for owners in the kernel's lists: bytes before the recording, the change,
 *	and slabs or areas after it
 */
struct held_row {
	const char *line, *owner, *known_by;
	int64_t bytes, before, change;
	uint64_t nr;
};

/* One row for each owner in a line, by "LINE KNOWN_BY OWNER"; zero-initialise it. */
struct held_rows {
	KEYED(struct held_row) rows;
};

/* Adds @row to the row of the same owner. Its @owner is copied, its other texts must outlive @rows.
 * 0 or -ENOMEM.
 */
int held_rows_add(struct held_rows *rows, const struct held_row *row) __must_check;
/* Adds a table of @type with the rows, the largest first; text shows ten. */
void held_rows_report(struct held_rows *rows, const struct table_type *type,
		      struct report *report);
void held_rows_free(struct held_rows *rows);

/* Adds the table to @report, unless the recording of @env has no lists. 0 or -ENOMEM. */
int holders_report(const struct analysis_env *env, struct report *report) __must_check;

/* Adds to @rows what each holder has before and after the recording. 0 or -ENOMEM. */
int holders_read(const struct analysis_env *env, struct held_rows *rows) __must_check;

/* Adds the table "percpu_use", the uses of per-CPU memory, if the recording of @env has both
 * percpu_stats.
 */
void percpu_use_report(const struct analysis_env *env, struct report *report);

extern const struct table_type holders_type, percpu_use_type;

/* --- who owns all memory, each byte once -------------------------------------------------- */

/* What names owners of pages: page_owner; kpageflags, which only has their use; events. */
#define KNOWN_BY_PAGE_OWNER "page_owner"
#define KNOWN_BY_FLAGS	    "kpageflags"
#define KNOWN_BY_EVENTS	    "events"

cell_fn everything_bytes;

/* The columns of such rows, with the help of each. */
#define EVERYTHING_COLUMNS(bytes_help, known_by_help, line_help, owner_help)             \
	{ COLUMN("bytes", "Bytes", UNIT_BYTES, bytes_help, .share = true),               \
	  .fill = everything_bytes },                                                    \
		SHARE_COLUMNS,                                                           \
		{ COLUMN("known_by", "Known by", UNIT_NONE, known_by_help, .drop = 60),  \
		  MEMBER(struct held_row, known_by) },                                   \
		{ COLUMN("line", "Line", UNIT_NONE, line_help, .spell = page_use_title), \
		  MEMBER(struct held_row, line) },                                       \
		{ COLUMN("owner", "Owner", UNIT_NONE, owner_help, .last = true),         \
		  MEMBER(struct held_row, owner) },                                      \
		COLUMNS_END

/* A line of the balance, and what names its owners. */
struct everything_line {
	const char *name, *known_by;
};

/**
 * struct everything - everything_begin() it
 * @one_slab: no list says which caches are reclaimable, so both slab lines are one; @slab: bytes of
 *	the first of them
 * @page_owner: it has what page_owner says after the recording
 */
struct everything {
	const struct analysis_env *env;
	struct held_rows rows;
	struct everything_line lines[20];
	size_t nr_lines;
	bool one_slab, page_owner;
	uint64_t slab;
};

/* Adds the kernel's lists. 0 or -ENOMEM; call everything_free() in any case. */
int everything_begin(struct everything *e, const struct analysis_env *env) __must_check;
/* Adds a row, unless one of the kernel's lists from after the recording names the line's owners. 0
 * or -ENOMEM; @row's texts other than @owner must outlive @e.
 */
int everything_add(struct everything *e, const struct held_row *row) __must_check;
/* Adds the owners of pages by page_owner, if the recording has its sums. 0 or -ENOMEM. */
int everything_page_owner(struct everything *e,
			  const struct page_uses *uses) __must_check;
/* The callsite in page_owner's callchain @names: the first function that the rule does not skip,
 * else the outermost.
 */
void everything_owner(const struct analysis_env *env, const char *names, size_t len,
		      char owner[256]);
/* Adds a row for the part of @line's @bytes that has no row yet. @known_by: "counter" if the line
 * is free memory, which has no owners; else NULL.
 */
int everything_end_line(struct everything *e, const char *line, int64_t bytes,
			const char *known_by) __must_check;
/* Adds the table. @total: MemTotal. */
void everything_report(struct everything *e, int64_t total, struct report *report);
void everything_free(struct everything *e);

extern const struct table_type everything_type;

/* --- pages that were allocated before the recording and freed in it ----------------------- */

/**
 * struct older - zero-initialise it; older_free() at the end
 * @seen: frames with a known use that had an event, times eight
 * @pages: by number of the opening's name: pages whose first event is a free
 * @pages_seen: by the same number: all pages in @seen
 */
struct older {
	const struct analysis_env *env;
	struct opening opening;
	struct addr_set seen;
	uint64_t *pages, *pages_seen;
	bool failed;
};

/* Reads what frames were used for. 0 or -ENOMEM. */
int older_init(struct older *o, const struct analysis_env *env) __must_check;
void older_events(struct older *o, const struct kmem_event *evs, size_t nr);
/* Adds the bytes freed of each use to @bytes; returns their sum. */
uint64_t older_sum(const struct older *o, const struct page_uses *uses,
		   int64_t bytes[USE_NR]);
/* Adds the table if a page with a known use was freed, or @always. 0 or -ENOMEM. */
int older_report(const struct older *o, const struct page_uses *uses, bool always,
		 struct report *report) __must_check;
/* Adds the owners of pages without an event to @all: they are still there. 0 or -ENOMEM. */
int older_left(const struct older *o, const struct page_uses *uses,
	       struct everything *all) __must_check;
void older_free(struct older *o);

extern const struct table_type older_type;

/* --- where the memory of each node is ----------------------------------------------------- */

struct balance_node;

/**
 * struct balance_nodes - zero-initialise it, balance_nodes_read()
 * @nodes: by number, in zoneinfo's order
 * @known: page events explain their lines
 */
struct balance_nodes {
	INDEXED(struct balance_node) nodes;
	bool known;
};

/* Are there several nodes? If there is one, the balance already describes it. */
static inline bool balance_nodes_any(const struct balance_nodes *n)
{
	return n->nodes.nr > 1;
}

/* 0 or -ENOMEM; call balance_nodes_free() in any case. */
int balance_nodes_read(struct balance_nodes *n, const struct recording *rec,
		       uint32_t page_size) __must_check;
/* Notes that @bytes that still live on @node have this use. */
void balance_nodes_explain(struct balance_nodes *n, uint32_t node, enum page_use use,
			   uint64_t bytes);
/* Adds the table to @report. */
void balance_nodes_report(const struct balance_nodes *n, struct report *report);
void balance_nodes_free(struct balance_nodes *n);

extern const struct table_type balance_nodes_type;

#endif
