/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what a row of a report stands for.
 * In: who allocated. Out: one number per row, its columns and cells.
 */
#ifndef KMEMX_ANALYSIS_SUBJECT_H
#define KMEMX_ANALYSIS_SUBJECT_H

#include "account/dimension.h"
#include "account/lives.h"
#include "analysis/analysis.h"
#include "analysis/row/estimate.h"
#include "analysis/row/sites.h"
#include "base/keyed.h"
#include "event/tasks.h"

/**
 * struct subject - who allocated, from an account row
 * @stack: 0: not recorded
 * @dims: in the account's dimensions
 * @order: of pages
 */
struct subject {
	uint64_t callsite;
	uint32_t stack, cache;
	struct dimension_values dims;
	uint32_t order;
	bool kmalloc;
};

/* The subject of account row @row, whose callsite is @callsite. */
static inline struct subject subject_of_row(const struct lives *lives, size_t row,
					    uint64_t callsite)
{
	const bool page = lives->kind->memory == MEMORY_PAGE;
	const struct slab_key *key = page ? NULL : lives_key(lives, row);
	const struct page_key *block = page ? lives_key(lives, row) : NULL;

	return (struct subject){ .callsite = callsite,
				 .stack = lives_stack(lives, row),
				 .cache = key ? key->cache : 0,
				 .dims = *lives_dims(lives, row),
				 .order = block ? block->order : 0,
				 .kmalloc = key && key->kmalloc };
}

/**
 * struct subject_part - one part of what a table's rows stand for
 * @dim: its index in the account's dimensions; -1: none
 * @of_pid: the dimension holds a pid, whose name is used
 * @keys: number n has the key n + 1
 * @by_stack: by callsite, if that matters, and stack: its number in @keys + 1, so that each is
 *	resolved once; 0: not yet
 */
struct subject_part {
	enum subject_kind kind;
	int dim;
	bool of_pid;
	struct intern keys;
	KEYED(uint32_t) by_stack;
};

/**
 * struct subjects - the rows of one table; subjects_init() it
 * @names, @processes: from the accounts, for rows by name, by process; @tasks: for rows by pid
 * @by_program: processes of the same name share a row: DIMENSION_PROGRAM
 * @tuples: with several parts: row n is tuple n + 1 of their numbers
 */
struct subjects {
	const struct analysis_env *env;
	enum subject_kind kind;
	struct sites *sites;
	const struct tasks *names;
	const struct processes *processes;
	struct tasks tasks;
	struct subject_part parts[SUBJECT_PARTS_MAX];
	unsigned int nr_parts;
	bool by_program;
	struct intern tuples;
};

/* Rows that pages can have, and areas, which lie on several nodes. */
#define PAGE_ROWS (ROWS_ALL & ~(ROWS(NONE) | ROWS(CACHE)))
#define AREA_ROWS (PAGE_ROWS & ~ROWS(NODE))

/* Buffer size for the words of a kind. */
#define SUBJECT_WORDS 40

/* The dimensions of slab objects for all tables of @opts. If functions are skipped, rows by
 * callsite, by cache or by several kinds also need the callchain, which determines the callsite.
 * There is no room for a sixth dimension: beside five others, a table by cache has one row
 * [kmalloc].
 */
struct dimensions subjects_slab_dimensions(const struct analysis_options *opts,
					   const struct analysis_env *env);
/* The dimensions of pages, whose rows are by stack anyway. */
struct dimensions subjects_page_dimensions(enum subject_kind kind);
/* The dimensions of the accounts of all kinds of memory. */
void subjects_dimensions(const struct analysis_options *opts,
			 const struct analysis_env *env,
			 struct dimensions of[MEMORY_KINDS]);
/* Which kind of estimate slab allocations by @kind need. */
enum estimate_of subjects_share(enum subject_kind kind);
/* Are rows of @kind by task, and by nothing that depends on the callsite? */
bool subjects_of_tasks(enum subject_kind kind);
/* "callsite", "stack", ...: the option's word for a kind with a single part. */
const char *subjects_word(enum subject_kind kind);
/* The words for the kinds in @rows, a set of ROWS(). Returns how many. */
size_t subjects_of_rows(uint32_t rows, const char *words[SUBJECT_NR]);
/* The word that the option knows for @word: perf and trace-cmd call a thread's number "pid". */
static inline const char *subjects_usual_word(const char *word)
{
	return strcmp(word, "thread") ? word : subjects_word(SUBJECT_PID);
}

/* "callsite" or "comm,callsite", a table's @by. Returns @words. */
const char *subjects_words(enum subject_kind kind, char words[SUBJECT_WORDS]);

/* @sites is borrowed; @dimensions: the account's. 0 or -ENOMEM; always call subjects_free(). */
int subjects_init(struct subjects *s, const struct analysis_env *env,
		  enum subject_kind kind, struct sites *sites,
		  const struct dimensions *dimensions) __must_check;
/* The row of @who: 0, 1, 2, ... in order of appearance; UINT32_MAX: no memory. */
uint32_t subjects_row(struct subjects *s, const struct subject *who);
/* The number of rows. */
uint32_t subjects_count(const struct subjects *s);
/**
 * subjects_of_spent() - the rows of an account by task, in the order of the tasks' first events
 * @keys: keys of the account's rows; @firsts: the numbers of their first events
 * @rows: array of spent->keys.count entries: 0, or UINT32_MAX for a sum that needs no row; receives
 *	the row of each of @spent's other sums
 *
 * Call it before subjects_row(). The account's rows for all tasks together are not included.
 * Return: 0 or -ENOMEM.
 */
int subjects_of_spent(struct subjects *s, const struct intern *keys,
		      const uint64_t *firsts, const struct spent *spent,
		      uint32_t *rows) __must_check;
/* Appends what leads to row @row, from the inside out. For rows by stack alone, as in the column:
 * "callsite;its caller;..." or "callsite;[no stack]". For rows by process alone: "program;its
 * parent;...".
 */
void subjects_path(const struct subjects *s, uint32_t row, struct strbuf *out);
void subjects_free(struct subjects *s);

/* Must be the first member of a table row's data. */
struct subject_row {
	const struct subjects *subjects;
	uint32_t index; /* from subjects_row() */
};

/* For the columns below. */
cell_fn subject_callsite, subject_stack, subject_comm, subject_cache, subject_module,
	subject_dir, subject_function, subject_file, subject_line, subject_entry,
	subject_user_function, subject_user_line, subject_pid, subject_process,
	subject_cgroup, subject_tgid, subject_cpu, subject_node, subject_order;

/* The columns for what a row stands for, for use in a table's column types. */

/* Column @name of rows by @which, whose cell is subject_@name. */
#define SUBJECT_COLUMN(name, heading, which, text, ...)                 \
	{                                                               \
		COLUMN(#name, heading, UNIT_NONE, text, ##__VA_ARGS__), \
			.rows = which, .fill = subject_##name           \
	}
/* One that shows a name. */
#define SUBJECT_NAME(...) SUBJECT_COLUMN(__VA_ARGS__, .last = true)
#define SUBJECT_COLUMN_CACHE                                           \
	SUBJECT_NAME(cache, "Cache", ROWS(CACHE),                      \
		     "The slab cache, of kmalloc the one for objects " \
		     "of that size; [unnamed]: no event names it.")
#define SUBJECT_COLUMN_NODE \
	SUBJECT_COLUMN(node, "Node", ROWS(NODE), "The requested memory node; -1: none.")
#define SUBJECT_COLUMN_PAGE_NODE                 \
	SUBJECT_COLUMN(node, "Node", ROWS(NODE), \
		       "The memory node that it is on; -1: not recorded.")
#define SUBJECT_COLUMN_CALLSITE                                          \
	SUBJECT_NAME(callsite, "Callsite", ROWS(CALLSITE) | ROWS(STACK), \
		     "The function that allocated.")
#define SUBJECT_COLUMNS                                                                  \
	SUBJECT_COLUMN_CALLSITE,                                                         \
		SUBJECT_COLUMN(stack, "Callchain", ROWS(STACK),                          \
			       "The callsite and its callers outward, with "             \
			       "semicolons between them.",                               \
			       .below = true),                                           \
		SUBJECT_COLUMN(pid, "PID", ROWS(PID), "The task that ran."),             \
		SUBJECT_NAME(comm, "Command", ROWS(COMM) | ROWS(PID),                    \
			     "The name of that task; <...>: not recorded."),             \
		SUBJECT_COLUMN(tgid, "Process", ROWS(PROCESS),                           \
			       "The number of the process; -1: not recorded."),          \
		SUBJECT_NAME(process, "Program", ROWS(PROCESS),                          \
			     "The name of the process: the last one of its first "       \
			     "thread; [unknown]: not recorded."),                        \
		SUBJECT_NAME(cgroup, "Control group", ROWS(CGROUP),                      \
			     "The control group of the process at that moment; "         \
			     "[interrupt], [kernel threads], [unknown]."),               \
		SUBJECT_COLUMN(cpu, "CPU", ROWS(CPU), "The CPU that allocated."),        \
		SUBJECT_NAME(module, "Module", ROWS(MODULE),                             \
			     "The callsite's module, or [kernel]."),                     \
		SUBJECT_NAME(dir, "Directory", ROWS(DIR),                                \
			     "The directory of the kernel's source that the "            \
			     "callsite is in."),                                         \
		SUBJECT_NAME(function, "Function", ROWS(FUNCTION),                       \
			     "The callsite's function, whatever its file."),             \
		SUBJECT_NAME(file, "File", ROWS(FILE),                                   \
			     "The source file that the callsite is in."),                \
		SUBJECT_NAME(line, "Line", ROWS(LINE),                                   \
			     "The callsite's line in its source file."),                 \
		SUBJECT_NAME(entry, "Entry", ROWS(ENTRY),                                \
			     "How the kernel was entered: a system call, a page fault, " \
			     "an interrupt, a thread of its own; from the callchain."),  \
		SUBJECT_NAME(user_function, "Program's function", ROWS(USER_FUNCTION),   \
			     "The innermost function of the program in the callchain."), \
		SUBJECT_NAME(                                                            \
			user_line, "Program's line", ROWS(USER_LINE),                    \
			"The source line of that function; of a library without "        \
			"lines, that of its caller. The function if no line is known.")

/* slab_columns, page_columns and area_columns of a table that all kinds of memory have:
 * @figures(things, unit), what a row stands for, and finally @last, or @last_of_areas.
 */
#define MEMORY_COLUMNS(figures, last, last_of_areas)         \
	static const struct column_type slab_columns[] = {   \
		figures("objects", UNIT_COUNT),              \
		SUBJECT_COLUMNS,                             \
		SUBJECT_COLUMN_NODE,                         \
		SUBJECT_COLUMN_CACHE,                        \
		last,                                        \
		COLUMNS_END,                                 \
	};                                                   \
	static const struct column_type page_columns[] = {   \
		figures("pages", UNIT_PAGES),                \
		SUBJECT_COLUMNS,                             \
		SUBJECT_COLUMN_PAGE_NODE,                    \
		last,                                        \
		COLUMNS_END,                                 \
	};                                                   \
	static const struct column_type area_columns[] = {   \
		figures("areas or allocations", UNIT_COUNT), \
		SUBJECT_COLUMNS,                             \
		last_of_areas,                               \
		COLUMNS_END,                                 \
	};

#endif
