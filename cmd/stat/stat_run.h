/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: runs kmemx stat and all other commands that show tables of one recording.
 * In: the parsed options of a command. Out: a report, or a message and an exit code.
 */
#ifndef KMEMX_CMD_STAT_RUN_H
#define KMEMX_CMD_STAT_RUN_H

#include "analysis/row/subject.h"
#include "cmd/input/input.h"
#include "cmd/input/input_dirs.h"
#include "cmd/input/input_symbols.h"
#include "cmd/options/filter_words.h"
#include "cmd/options/lost_limit.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/stat/stat_analyses.h"
#include "report/table.h"

#define STAT_ORDERS_MAX 16

/* The words that these options of a command take (each list ends in NULL), and the help made from
 * them.
 */
struct stat_words {
	const char *kinds[SUBJECT_NR], *orders[STAT_ORDERS_MAX + 1];
	char by[192], order_by[128];
};

void stat_words(struct stat_words *words, const char *command);

/* Can the analyses asked for be filtered like this? Sets @a->foreign to the events that lack a
 * field of the filter. GO_ON, or EXIT_USAGE after a message.
 */
int stat_filter_check(const struct filter_words *w, struct stat_analyses *a,
		      const char *command);

/* Zero-initialise it; the option table points at the values. @usual: --tree comes from a setting;
 * @usual_limits: one of the others does. Settings are for every run and need not apply to this one.
 */
struct stat_tree {
	const char *roots; /* "": the default */
	uint64_t depth, min_share;
	bool usual, usual_limits;
};

/* clang-format off */
#define STAT_TREE_OPTIONS(o) \
	{ OPTION_OPTIONAL, 0, "tree", "caller|callee|process", &(o).roots, \
	  "as a tree of callchains, or of processes", stat_tree_words }, \
	{ OPTION_POSITIVE, 0, "depth", "N", &(o).depth, "levels of that tree" }, \
	{ OPTION_PERCENT, 0, "min-share", "PCT", &(o).min_share, \
	  "add up its functions below this % of the bytes" }
/* clang-format on */

/* The words of --tree, ending in NULL. */
extern const char *const stat_tree_words[];
/* Sets @usual and @usual_limits. */
void stat_tree_settings(struct stat_tree *o, int argc, char *const *argv);
/* Sets the options of @analyses, whose kind of rows must be set already. GO_ON, or EXIT_USAGE after
 * a message.
 */
int stat_tree_check(const struct stat_tree *o, struct stat_analyses *analyses,
		    const char *command);

/**
 * struct stat_options - the option table of the command points at these
 * @study: what to open. With @sources, directories are always needed; else its files are opened if
 *	rows are by directory
 * @no_default: there is no default recording
 * @usual_sort: @sort is a setting: ignore it for tables without such columns
 * @intervals: for a sample, show intervals although the figures are not scaled
 */
struct stat_options {
	struct study_options study;
	const char *sort, *cgroup_names;
	bool usual_sort, no_default;
	uint64_t dir_depth;
	struct option_strings skip;
	bool raw_ip, raw_names, sites, columns, unscaled, intervals;
	struct stat_analyses analyses;
	const char *by_word, *order_by;
	struct stat_tree tree;
	struct filter_words filter;
	struct lost_limit max_lost;
	uint64_t lines, jobs;
	unsigned int verbose;
	struct output_options output;
};

/* Parses the words of --by and --order-by into the options of the analyses. GO_ON, or EXIT_USAGE
 * after a message.
 */
int stat_choice_check(struct stat_options *o, const char *command);

/**
 * struct stat_run - zero-initialise it, set @command
 * @command: its name, for messages
 * @write: writes the report instead of @opts.output. Called with @write_arg. Returns an exit code,
 *	after a message if it is not EXIT_OK. May be NULL
 * @seen: the types of events that occurred
 * @prepare: called after the options were checked, before the recording is opened. Returns GO_ON,
 *	or the exit code to end with. May be NULL
 * @finish: the same for the tables, before they are sorted and cut
 * @estimates: figures are estimated from a sample
 *
 * The other fields are what is open; stat_run_free() closes it.
 */
struct stat_run {
	const char *command;
	int (*write)(const struct stat_run *st, void *arg);
	void *write_arg;
	struct stat_options opts;
	struct sort_keys keys;
	struct input in;
	struct report *report;
	struct alloc_filter filter;
	uint32_t seen, missing_frees; /* see analysis_missing_frees() */
	int (*prepare)(struct stat_run *st);
	int (*finish)(struct stat_run *st);
	bool estimates;
};

/* Sorts and cuts the tables of @st->report by the options. GO_ON, or an exit code after a message.
 */
int stat_run_sort(struct stat_run *st);
/* Shows what @st->opts ask for. Returns an exit code, after a message if it is not EXIT_OK. */
int stat_run(struct stat_run *st);
void stat_run_free(struct stat_run *st);

/* Parts of an option table, in the order of use; @o points to the struct stat_options. A command's
 * own options go before STAT_SORT_OPTION().
 */
/* clang-format off */
#define STAT_INPUT_OPTIONS(o) \
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" }, \
	INPUT_OPTION(&(o)->study.path), \
	TIME_OPTION((o)->study.window), \
	INSTANCE_OPTION((o)->study.window)
#define STAT_SYMBOL_OPTIONS(o) SYMBOL_FILE_OPTIONS(OPTION_STRING, (o)->study.symbols, "")
#define STAT_DIR_OPTIONS(o) \
	DEBUG_PLACE_OPTIONS(OPTION_STRING, (o)->study.places), \
	DIR_FILE_OPTIONS(OPTION_STRING, &(o)->study.dirs)
/* Ends the group "What to read" and begins "What to show". */
#define STAT_JOBS_OPTIONS(o) \
	JOBS_OPTION(&(o)->jobs), \
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to show" }
/* The events of the kinds of memory that these options chose; 0 if none was chosen, which means
 * all.
 */
uint32_t stat_kinds_needed(const bool of[MEMORY_KINDS]);
/* @help: the option's help; @words: the words it takes. */
#define STAT_BY_OPTIONS(o, help, words) \
	{ OPTION_LIST | OPTION_EVERYDAY, 0, "by", "WHAT", &(o)->by_word, help, \
	  words }, \
	DIR_DEPTH_OPTION((o)->dir_depth)
/* @help: the option's help; @keys: the keys it takes. */
#define STAT_SORT_OPTION(o, help, keys) \
	{ OPTION_LIST | OPTION_EVERYDAY, 's', "sort", "KEYS", &(o)->sort, help, keys }
#define STAT_ROW_OPTIONS(o) \
	LINES_OPTION((o)->lines), \
	MAX_LOST_OPTION((o)->max_lost)
#define STAT_FORM_GROUP { OPTION_GROUP, 0, NULL, NULL, NULL, "How to show it" }
#define STAT_SITE_OPTIONS(o) \
	{ OPTION_FLAG, 0, "sites", NULL, &(o)->sites, \
	  "a row per address in a function: function+0x1f" }, \
	RAW_IP_OPTION((o)->raw_ip), \
	RAW_NAMES_OPTION((o)->raw_names), \
	CGROUP_NAMES_OPTION((o)->cgroup_names), \
	NO_INLINE_OPTION((o)->study.no_inline), \
	SKIP_OPTION((o)->skip), \
	{ OPTION_COUNT, 'v', "verbose", NULL, &(o)->verbose, \
	  "full summary, skipped functions; more messages" }
/* The last entries. */
#define STAT_OUTPUT_OPTIONS(o) \
	OUTPUT_OPTIONS((o)->output), \
	{ OPTION_FLAG, 0, "columns", NULL, &(o)->columns, \
	  "list the columns of all tables and their meaning" }, \
	OPTIONS_END
/* clang-format on */

/**
 * stat_options_parse() - parse argv, whose only operand is the recording
 * @options: their values are in @o or the command's own
 *
 * Asks for the analyses of @command; kmemx stat asks for its own by options.
 *
 * Return: GO_ON, or the exit code after a message or what options_parse() prints.
 */
int stat_options_parse(struct stat_options *o, const struct command *command,
		       const struct option_entry *options, int argc, char **argv);

/* Is @col a number that is shown by default? The table can be sorted by these columns.
 */
bool stat_account_shows(const struct column_type *col);

/* A renderer of that one table, for scripts that read trace_analyze's text. */
int stat_account_render(const struct report *r, const struct render_options *opts,
			const struct render_out *out) __must_check;

#endif
