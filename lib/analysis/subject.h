/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what a row of a report stands for.
 * In: who allocated. Out: one number per row, its columns and cells.
 */
#ifndef KMEMX_ANALYSIS_SUBJECT_H
#define KMEMX_ANALYSIS_SUBJECT_H

#include "analysis/analysis.h"
#include "account/dimension.h"
#include "account/spent.h"
#include "analysis/sites.h"
#include "event/tasks.h"

/**
 * struct subject - who allocated, as an account's row says
 * @stack: 0: none was recorded
 * @dims: in the account's dimensions
 */
struct subject {
	uint64_t callsite;
	uint32_t stack, cache;
	struct dimension_values dims;
	bool kmalloc;
};

/**
 * struct subject_part - what rows of one table stand for, by one word of it
 * @dim: its place in the account's dimensions; -1: it has none
 * @of_pid: a name is that of the pid that stands there
 * @keys: number n has the key n + 1
 * @stacks: pairs of a callsite and a stack; @by_stack: such a pair's number -> its number in
 *	    @keys, so that each is looked at once
 */
struct subject_part {
	enum subject_kind kind;
	int dim;
	bool of_pid;
	struct intern keys;
	struct intern stacks;
	struct u64_map by_stack;
};

/**
 * struct subjects - the rows of one table; subjects_init() it
 * @names: the accounts', where rows are by name; @tasks: where they are by pid
 * @tuples: of several parts: row number n is the tuple n + 1 of their numbers
 */
struct subjects {
	const struct analysis_env *env;
	enum subject_kind kind;
	struct sites *sites;
	const struct tasks *names;
	struct tasks tasks;
	struct subject_part parts[SUBJECT_PARTS_MAX];
	unsigned int nr_parts;
	struct intern tuples;
};

/* What page events can be by: they name neither a cache nor a node. */
#define PAGE_ROWS (ROWS_ALL & ~(ROWS(NONE) | ROWS(CACHE) | ROWS(NODE)))

/* Room for the words of a kind. */
#define SUBJECT_WORDS 40

/* What an account must keep apart for rows of @kind. */
struct dimensions subjects_dimensions(enum subject_kind kind);
/* The same of slab objects for all tables of @opts: where functions are skipped, and nothing else
 * or several things are asked for, the callchain says what the callsite is. For a fourth dimension
 * there is no room: beside three others, a table by cache has one row [kmalloc].
 */
struct dimensions subjects_slab_dimensions(const struct analysis_options *opts,
					   const struct analysis_env *env);
/* The same of pages, whose rows are by stack as it is. */
struct dimensions subjects_page_dimensions(enum subject_kind kind);
/* Are rows of @kind by task, and by nothing that the callsite decides? */
bool subjects_of_tasks(enum subject_kind kind);
/* "callsite", "stack", ...: the option's word of a kind that is not combined. */
const char *subjects_word(enum subject_kind kind);
/* "callsite" or "comm,callsite", a table's @by: returns @words. */
const char *subjects_words(enum subject_kind kind, char words[SUBJECT_WORDS]);

/* @sites is borrowed; @dimensions: the account's. 0 or -ENOMEM; to be freed in any case. */
int subjects_init(struct subjects *s, const struct analysis_env *env,
		  enum subject_kind kind, struct sites *sites,
		  const struct dimensions *dimensions) __must_check;
/* The row of @who: 0, 1, 2, ... as they come; UINT32_MAX if memory ran out. */
uint32_t subjects_row(struct subjects *s, const struct subject *who);
/* How many rows there are. */
uint32_t subjects_count(const struct subjects *s);
/**
 * subjects_of_spent() - the rows of an account by task, in the order of the tasks' first events
 * @keys: of the account's rows; @firsts: their first events
 * @rows: an array of spent->keys.count; becomes the row of each of @spent's sums
 *
 * To be called first. The account's rows of all tasks are none of these. Return: 0 or -ENOMEM.
 */
int subjects_of_spent(struct subjects *s, const struct intern *keys,
		      const struct event_place *firsts, const struct spent *spent,
		      uint32_t *rows) __must_check;
/* Appends the callchain that row @row of those by stack alone stands for, as the column has it:
 * "callsite;its caller;..." or "callsite;[no stack]".
 */
void subjects_callchain(const struct subjects *s, uint32_t row, struct strbuf *out);
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
struct cell subject_cache(const void *row, struct table *t);
struct cell subject_module(const void *row, struct table *t);
struct cell subject_dir(const void *row, struct table *t);
struct cell subject_function(const void *row, struct table *t);
struct cell subject_file(const void *row, struct table *t);
struct cell subject_line(const void *row, struct table *t);
struct cell subject_pid(const void *row, struct table *t);
struct cell subject_cpu(const void *row, struct table *t);
struct cell subject_node(const void *row, struct table *t);

/* The columns that say what a row stands for, to stand among a table's column types. */
#define SUBJECT_COLUMN_CACHE                                                          \
	{                                                                             \
		.column = { .name = "cache",                                          \
			    .title = "Cache",                                         \
			    .last = true,                                             \
			    .help = "The slab cache, of kmalloc the one for objects " \
				    "of that size; [unnamed]: no event names it." },  \
		.rows = ROWS(CACHE), .fill = subject_cache                            \
	}
#define SUBJECT_COLUMN_NODE                                                   \
	{                                                                     \
		.column = { .name = "node",                                   \
			    .title = "Node",                                  \
			    .help = "The requested memory node; -1: none." }, \
		.rows = ROWS(NODE), .fill = subject_node                      \
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
		  .fill = subject_pid },                                               \
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
		  .fill = subject_cpu },                                               \
		{ .column = { .name = "module",                                        \
			      .title = "Module",                                       \
			      .last = true,                                            \
			      .help = "The callsite's module, or [kernel]." },         \
		  .rows = ROWS(MODULE),                                                \
		  .fill = subject_module },                                            \
		{ .column = { .name = "dir",                                           \
			      .title = "Directory",                                    \
			      .last = true,                                            \
			      .help = "The directory of the kernel's source that the " \
				      "callsite is in." },                             \
		  .rows = ROWS(DIR),                                                   \
		  .fill = subject_dir },                                               \
		{ .column = { .name = "function",                                      \
			      .title = "Function",                                     \
			      .last = true,                                            \
			      .help = "The callsite's function, whatever its file." }, \
		  .rows = ROWS(FUNCTION),                                              \
		  .fill = subject_function },                                          \
		{ .column = { .name = "file",                                          \
			      .title = "File",                                         \
			      .last = true,                                            \
			      .help = "The source file that the callsite is in." },    \
		  .rows = ROWS(FILE),                                                  \
		  .fill = subject_file },                                              \
	{                                                                              \
		.column = { .name = "line",                                            \
			    .title = "Line",                                           \
			    .last = true,                                              \
			    .help = "The callsite's line in its source file." },       \
		.rows = ROWS(LINE), .fill = subject_line                               \
	}

#endif
