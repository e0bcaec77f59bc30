/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what a row of a report stands for.
 * In: who allocated. Out: one number per row, its columns and cells.
 */
#ifndef KMEMX_ANALYSIS_SUBJECT_H
#define KMEMX_ANALYSIS_SUBJECT_H

#include "analysis/analysis.h"
#include "account/dimension.h"
#include "analysis/sites.h"
#include "analysis/tasks.h"

/**
 * struct subject - who allocated, as an account's row says
 * @stack: 0: none was recorded
 * @dim: of subjects_dimension()
 */
struct subject {
	uint64_t callsite;
	uint32_t stack, dim, cache;
	bool kmalloc;
};

/**
 * struct subjects - the rows of one table; subjects_init() it
 * @keys: row number n has the key n + 1
 * @stacks: pairs of a callsite and a stack; @by_stack: such a pair's number -> its row, so
 *	    that each is looked at once
 */
struct subjects {
	const struct analysis_env *env;
	enum subject_kind kind;
	struct sites *sites;
	struct tasks tasks;
	struct intern keys;
	struct intern stacks;
	struct u64_map by_stack;
};

/* What an account must keep apart for rows of @kind. */
enum dimension subjects_dimension(enum subject_kind kind);
/* "callsite", "stack", ...: the option's word, and a table's @by. */
const char *subjects_word(enum subject_kind kind);

/* @sites is borrowed. 0 or -ENOMEM; to be freed in any case. */
int subjects_init(struct subjects *s, const struct analysis_env *env,
		  enum subject_kind kind, struct sites *sites) __must_check;
/* The row of @who: 0, 1, 2, ... as they come; UINT32_MAX if memory ran out. */
uint32_t subjects_row(struct subjects *s, const struct subject *who);
void subjects_free(struct subjects *s);

/* What such a row is made from: the first member of what a table's rows are made from. */
struct subject_row {
	const struct subjects *subjects;
	uint32_t index; /* of subjects_row() */
};

/* (for the columns below) */
struct cell subject_callsite(const void *row, struct table *t);
struct cell subject_stack(const void *row, struct table *t);
struct cell subject_comm(const void *row, struct table *t);
struct cell subject_text(const void *row, struct table *t);
struct cell subject_int(const void *row, struct table *t);
struct cell subject_uint(const void *row, struct table *t);

/* The columns that say what a row stands for, to stand among a table's column types. */
#define SUBJECT_COLUMN_CACHE                                                            \
	{                                                                               \
		.column = { .name = "cache",                                            \
			    .title = "Cache",                                           \
			    .last = true,                                               \
			    .help = "The slab cache; [kmalloc]: kmalloc events, which " \
				    "name none; [unnamed]: nor do this kernel's." },    \
		.rows = ROWS(CACHE), .fill = subject_text                               \
	}
#define SUBJECT_COLUMN_NODE                                                   \
	{                                                                     \
		.column = { .name = "node",                                   \
			    .title = "Node",                                  \
			    .help = "The requested memory node; -1: none." }, \
		.rows = ROWS(NODE), .fill = subject_int                       \
	}
#define SUBJECT_COLUMN_CALLSITE                                                \
	{                                                                      \
		.column = { .name = "callsite",                                \
			    .title = "Callsite",                               \
			    .last = true,                                      \
			    .help = "The function that allocated." },          \
		.rows = ROWS(CALLSITE) | ROWS(STACK), .fill = subject_callsite \
	}
#define SUBJECT_COLUMNS                                                                \
	SUBJECT_COLUMN_CALLSITE,                                                       \
		{ .column = { .name = "stack",                                         \
			      .title = "Callchain",                                    \
			      .below = true,                                           \
			      .help = "The callsite and its callers outward, with "    \
				      "semicolons between them." },                    \
		  .rows = ROWS(STACK),                                                 \
		  .fill = subject_stack },                                             \
		{ .column = { .name = "pid",                                           \
			      .title = "PID",                                          \
			      .help = "The task that ran." },                          \
		  .rows = ROWS(PID),                                                   \
		  .fill = subject_int },                                               \
		{ .column = { .name = "comm",                                          \
			      .title = "Command",                                      \
			      .last = true,                                            \
			      .help = "The name of that task; <...>: not recorded." }, \
		  .rows = ROWS(COMM) | ROWS(PID),                                      \
		  .fill = subject_comm },                                              \
		{ .column = { .name = "cpu",                                           \
			      .title = "CPU",                                          \
			      .help = "The CPU that allocated." },                     \
		  .rows = ROWS(CPU),                                                   \
		  .fill = subject_uint },                                              \
		{ .column = { .name = "module",                                        \
			      .title = "Module",                                       \
			      .last = true,                                            \
			      .help = "The callsite's module, or [kernel]." },         \
		  .rows = ROWS(MODULE),                                                \
		  .fill = subject_text },                                              \
	{                                                                              \
		.column = { .name = "dir",                                             \
			    .title = "Directory",                                      \
			    .last = true,                                              \
			    .help = "The directory of the kernel's source that the "   \
				    "callsite is in." },                               \
		.rows = ROWS(DIR), .fill = subject_text                                \
	}

#endif
