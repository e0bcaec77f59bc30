// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/diff/diff_options.h"

#include "analysis/pass/analyze.h"
#include "analysis/row/subject.h"
#include "base/io.h"
#include "cmd/diff/diff.h"
#include "cmd/input/input.h"
#include "cmd/input/input_symbols.h"
#include "cmd/options/message.h"
#include "cmd/options/options_value.h"

#define ALPHA 0.05

/* The words of --by and --metrics (each list ends in NULL), and the help of these options. */
struct option_lists {
	const char *kinds[SUBJECT_NR + 1], *metrics[DIFF_METRICS_MAX + 1];
	char columns[128];
};

#define SORT_WORDS_MAX 32
_Static_assert(SORT_WORDS_MAX >= DIFF_METRICS_MAX + 3 + SUBJECT_NR, "room for all words");

static const char command_name[] = "diff";

/* What rows can stand for in any analysis of that use: a set of ROWS(). */
static uint32_t rows_of(enum analysis_use use)
{
	const struct analysis *analysis;
	uint32_t rows = 0;

	for (size_t i = 0; (analysis = analysis_at(i)); i++)
		rows |= analysis->use == use ? analysis->rows : 0;
	return rows;
}

/* The words for rows that --by and -s take. */
static void row_words(const char *words[SUBJECT_NR])
{
	subjects_of_rows(rows_of(ANALYSIS_DIFF), words);
}

/* Makes help texts such as "bytes,hit: the first in full". */
static struct option_lists option_lists(const struct comparison_metrics *m)
{
	struct option_lists w = { .columns = "" };
	char list[96];

	row_words(w.kinds);
	for (size_t i = 0; i < m->nr; i++)
		w.metrics[i] = m->items[i].name;
	option_words_join(list, sizeof(list), ",", w.metrics);
	snprintf(w.columns, sizeof(w.columns), "%s: the first in full", list);
	return w;
}

/* All words for -s: changes and figures, then the columns that name rows. */
static void sort_words(const struct diff_args *a, const char *words[SORT_WORDS_MAX])
{
	size_t nr = diff_sort_words(&a->diff, words, SORT_WORDS_MAX - SUBJECT_NR);

	if (a->kernels)
		diff_kernels_row_words(a, words + nr);
	else
		row_words(words + nr);
}

static int parse_options(struct diff_args *a, const struct command *command, int argc,
			 char **argv, int *operands)
{
	const char *sort_keys[SORT_WORDS_MAX + 1] = { NULL };
	const struct option_lists help = option_lists(&a->metrics);
	const struct option_entry options[] = {
		{ OPTION_GROUP, .help = "What to compare" },
		KIND_OPTIONS(a->of, "what was recorded"),
		{ OPTION_FLAG, 0, "caller", NULL, &a->caller, "by callsite (default)" },
		{ OPTION_FLAG, 0, "matrix", NULL, &a->matrix,
		  "page orders and migratetypes (default)" },
		{ OPTION_STRINGS | OPTION_EVERYDAY, 0, "by", "WHAT", &a->by,
		  "callsite, stack, process, cgroup, entry, cache ...", help.kinds },
		DIR_DEPTH_OPTION(a->dir_depth),
		{ OPTION_STRING, 0, "per", "WHAT", &a->per,
		  "divide by: none (default), second, event:NAME, N" },
		SKIP_OPTION(a->choice.skip),
		RAW_NAMES_OPTION(a->choice.raw_names),
		CGROUP_NAMES_OPTION(a->cgroup_names),
		SAMPLE_OPTION(a->choice.unscaled),
		NO_INLINE_OPTION(a->choice.no_inline),
		TIME_OPTION(a->choice.window),
		INSTANCE_OPTION(a->choice.window),
		JOBS_OPTION(&a->jobs),
		FILTER_OPTIONS(a->choice.words),
		{ OPTION_GROUP,
		  .help = "Where names come from (given twice: for the old, then the new side)" },
		SYMBOL_FILE_OPTIONS(OPTION_STRINGS, a->files, "; directories"),
		DEBUG_PLACE_OPTIONS(OPTION_STRINGS, a->files),
		DIR_FILE_OPTIONS(OPTION_STRINGS, &a->files),
		{ OPTION_GROUP, .help = "What to show" },
		{ OPTION_LIST | OPTION_EVERYDAY, 0, "metrics", "LIST", &a->columns,
		  help.columns, help.metrics },
		{ OPTION_LIST, 's', "sort", "KEYS", &a->sort,
		  "sort keys (default: abs), e.g. pct,-delta", sort_keys },
		LINES_OPTION(a->lines),
		{ OPTION_FLAG, 0, "all", NULL, &a->all, "also rows that did not change" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "html", "FILE", &a->page_file,
		  "also write a page for a browser" },
		{ OPTION_GROUP, .help = "When to fail" },
		{ OPTION_STRINGS | OPTION_EVERYDAY, 0, "fail-on", "RULE", &a->fail_on,
		  "exit 1 if a row exceeds it: 'net>+5%&+64K'" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "budget", "FILE", &a->budget,
		  "exit 1 if a rule in FILE is broken" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "max-lost", "N|PCT%",
		  &a->max_lost.text,
		  "exit 125 if a recording lost more (with rules: 1%)" },
		{ OPTION_FLAG, 0, "strict", NULL, &a->strict,
		  "exit 125 if a rule is too uncertain to decide" },
		{ OPTION_GROUP, .help = "How to show it" },
		FORMAT_OPTIONS(a->output),
		OUTPUT_OPTIONS(a->output),
		VERBOSE_OPTION(a->choice.verbose),
		OPTIONS_END,
	};

	sort_words(a, sort_keys);
	return options_parse(command, options, argc, argv, operands);
}

/* "cache" is a separate table; any other word says what the rows of --caller stand for. */
static int parse_by_word(struct diff_args *a, const char *word)
{
	const char *kinds[SUBJECT_NR] = { NULL };
	unsigned int kind = SUBJECT_NONE;

	row_words(kinds);
	if (option_choose("--by", word, kinds, command_name) < 0)
		return EXIT_USAGE;
	while (strcmp(word, subjects_word(++kind)))
		;
	if (kind == SUBJECT_CACHE) {
		a->cache = true;
		return GO_ON;
	}
	a->choice.by = kind == SUBJECT_CALLSITE ? SUBJECT_NONE : kind;
	a->caller = true;
	return GO_ON;
}

/* --by and --cgroup-names. */
static int parse_by(struct diff_args *a)
{
	int whole = option_cgroup_names(a->cgroup_names, command_name);
	int ret = whole < 0 ? EXIT_USAGE : GO_ON;

	a->choice.whole_groups = whole > 0;
	for (size_t i = 0; i < a->by.count && ret == GO_ON; i++)
		ret = parse_by_word(a, a->by.items[i]);
	return ret;
}

static int parse_per(struct diff_args *a)
{
	static const char *const words[] = { "none", "second", "event:NAME", "N", NULL };
	uint64_t number;

	if (!a->per || !strcmp(a->per, "none"))
		return GO_ON;
	if (!strcmp(a->per, "second")) {
		a->choice.per = DIFF_PER_SECOND;
	} else if (!strncmp(a->per, "event:", 6) && a->per[6]) {
		a->choice.per = DIFF_PER_EVENT;
		a->choice.event = a->per + 6;
	} else if (!option_value_uint(a->per, &number) && number) {
		a->choice.per = DIFF_PER_NUMBER;
		a->choice.number = (double)number;
	} else {
		return option_unknown("--per", a->per, words, command_name);
	}
	return GO_ON;
}

static int add_column(struct diff_args *a, const char *name)
{
	const struct comparison_metrics *m = &a->metrics;
	const char *names[DIFF_METRICS_MAX + 1] = { NULL };
	struct diff_options *o = &a->diff;
	int column;

	for (size_t i = 0; i < m->nr; i++)
		names[i] = m->items[i].name;
	column = option_choose("--metrics", name, names, command_name);
	if (column < 0)
		return EXIT_USAGE;
	if (ANY(k, o->nr_shown, o->shown[k] == (size_t)column))
		return message_fail(EXIT_USAGE, command_name,
				    "--metrics: '%s' is given twice", name);
	o->shown[o->nr_shown++] = (size_t)column;
	return GO_ON;
}

static int parse_columns(struct diff_args *a)
{
	char *list __auto_mem = a->columns ? strdup(a->columns) : NULL, *p = list;
	int ret = GO_ON;

	for (size_t i = 0; !a->columns && i < a->metrics.nr; i++) {
		if (a->metrics.usual[i])
			a->diff.shown[a->diff.nr_shown++] = i;
	}
	if (a->columns && !list)
		return message_no_memory(command_name);
	while (p && ret == GO_ON)
		ret = add_column(a, text_next_word(&p));
	return ret;
}

/* Appends the column of a sort key: GO_ON, or EXIT_USAGE after a message. */
static int add_key(const struct diff_args *a, const struct sort_key *key,
		   struct strbuf *text)
{
	const char *words[SORT_WORDS_MAX + 1] = { NULL };

	sort_words(a, words);
	if (option_choose("sort key", key->name, words, command_name) < 0)
		return EXIT_USAGE;
	strbuf_puts(text, text->size ? "," : "");
	strbuf_puts(text, key->direction == SORT_ASCENDING    ? "+"
			  : key->direction == SORT_DESCENDING ? "-"
							      : "");
	/* The other words are names of columns. */
	if (!diff_sort_column(&a->diff, key->name, text))
		strbuf_puts(text, key->name);
	return GO_ON;
}

static int parse_sort(struct diff_args *a)
{
	const char *words[SORT_WORDS_MAX + 1] = { NULL };
	struct strbuf __auto_free text = { 0 };
	int err = sort_keys_parse(&a->asked, a->sort ? a->sort : "abs"), ret = GO_ON;

	sort_words(a, words);
	if (err == -EINVAL || err == -E2BIG)
		return option_unknown("sort key", a->sort, words, command_name);
	for (size_t i = 0; !err && i < a->asked.nr && ret == GO_ON; i++)
		ret = add_key(a, &a->asked.keys[i], &text);
	if (!err && ret == GO_ON)
		err = sort_keys_parse(&a->keys, strbuf_text(&text));
	for (size_t i = 0; !err && ret == GO_ON && i < a->keys.nr; i++)
		a->keys.keys[i].said = a->asked.keys[i].name;
	if (!err)
		return ret;
	return message_fail(EXIT_FAILED, command_name, "%s", strerror(-err));
}

bool diff_args_compares(const struct diff_args *a, const struct analysis *analysis)
{
	for (int i = 0; i < MEMORY_KINDS; i++)
		if (analysis->needs == analysis_memory((enum memory)i))
			return a->of[i];
	return false;
}

/* Page tables, such as the matrix of orders, are shown whenever pages are compared. */
bool diff_args_shows(const struct diff_args *a, const struct analysis *analysis)
{
	const struct diff_choice *c = &a->choice;

	if (!diff_args_compares(a, analysis))
		return false;
	if (analysis->use == ANALYSIS_RULES)
		return diff_args_dirs(a) && a->budget &&
		       (c->by != SUBJECT_DIR || c->dir_depth);
	if (analysis->use != ANALYSIS_DIFF)
		return false;
	if (analysis->rows & ROWS(CACHE))
		return a->cache || a->budget;
	return analysis->needs & NEEDS_PAGE || a->caller;
}

/* Is the analysis' table needed: shown, checked against rules, or only for the page? */
static bool wants(const struct diff_args *a, const struct analysis *analysis)
{
	if (diff_args_shows(a, analysis))
		return true;
	if (!a->page_file)
		return false;
	if (analysis->use == ANALYSIS_DIFF_PAGE && !analysis->rows)
		return true;
	return (analysis->use == ANALYSIS_DIFF_PAGE || analysis->use == ANALYSIS_DIFF) &&
	       diff_args_compares(a, analysis);
}

static int check_page(const struct diff_args *a)
{
	if (!a->page_file || strcmp(a->page_file, "-"))
		return GO_ON;
	return message_fail(EXIT_USAGE, command_name,
			    "--html -: the tables go to standard output\n  Give a file");
}

/* A filter on a field that events of one kind lack excludes those events: are any left? */
static int check_filter(const struct diff_args *a)
{
	const char *slab, *page;

	if (filter_words_foreign(&a->choice.words, &slab, &page, command_name) != GO_ON)
		return EXIT_USAGE;
	if ((slab && (a->of[MEMORY_SLAB] || a->cache)) ||
	    (page && (a->of[MEMORY_PAGE] || a->matrix)))
		return message_fail(
			EXIT_USAGE, command_name,
			"%s does not apply to %s: %s events do not have this field\n  Leave out one of the two",
			slab ? slab : page,
			slab ? a->of[MEMORY_SLAB] ? "--slab" : "--by cache"
			: a->of[MEMORY_PAGE] ? "--page"
					     : "--matrix",
			slab ? "slab" : "page");
	return GO_ON;
}

/* Sets the defaults. */
static void complete(struct diff_args *a)
{
	const struct analysis *analysis;
	const char *no_slab, *no_page;
	const bool any = ANY(i, MEMORY_KINDS, a->of[i]);

	filter_words_foreign(&a->choice.words, &no_slab, &no_page, command_name);
	if (!a->caller && !a->cache && !a->matrix) {
		a->caller = true;
		a->matrix = true;
	}
	if (!any) {
		a->of[MEMORY_VMALLOC] = a->of[MEMORY_PERCPU] =
			a->caller && !no_slab && !no_page;
		a->of[MEMORY_SLAB] = (a->caller || a->cache) && !no_slab;
		a->of[MEMORY_PAGE] = (a->caller || a->matrix) && !no_page;
	}
	a->choice.dir_depth = input_dirs_depth(a->dir_depth);
	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		if (wants(a, analysis))
			a->choice.analyses[a->choice.nr++] = analysis;
	}
}

/* Sets the metrics, tables and words that rules and options can name. */
static void learn_words(struct diff_args *a)
{
	const struct analysis *analysis;
	size_t nr = 0;

	if (a->kernels)
		nr = diff_kernels_learn(a);
	else
		comparison_metrics(&a->metrics);
	for (size_t i = 0; !a->kernels && (analysis = analysis_at(i)); i++) {
		if (analysis->use == ANALYSIS_DIFF)
			a->tables[nr++] = analysis->tables[0]->name;
	}
	a->words = (struct gate_words){ a->metrics.items, a->metrics.nr, a->tables, nr };
	a->rules.words = &a->words;
	a->diff.metrics = a->metrics.items;
	a->diff.nr_metrics = a->metrics.nr;
	a->diff.count = a->metrics.count;
	a->diff.largest = a->metrics.largest;
	a->diff.alpha = ALPHA;
	a->diff.all = a->all;
}

/* --- rules ------------------------------------------------------------------------------ */

static int read_budget(struct diff_args *a, struct strbuf *text)
{
	int err = text_file_read(text, a->budget, IO_FILE_OR_PIPE);

	if (err)
		return message_fail(EXIT_USAGE, command_name,
				    "cannot read the budget %s: %s", a->budget,
				    io_strerror(err));
	/* Rules after a NUL would be ignored. */
	if (strlen(strbuf_text(text)) == text->size)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command_name,
		"%s: not a text file\n  Example of a line: 'kmalloc-64 waste < 10%%'; see kmemx-diff(1)",
		a->budget);
}

/* Parses --fail-on and --budget. */
static int parse_rules(struct diff_args *a)
{
	struct strbuf __auto_free error = { 0 }, text = { 0 };
	int err = 0, ret = GO_ON;

	for (size_t i = 0; i < a->fail_on.count && !err; i++) {
		err = gate_add(&a->rules, a->fail_on.items[i], &error);
		if (err)
			message_error(
				command_name,
				"--fail-on '%s': %s\n  Example: 'net>+5%%&+64K' or 'page.bytes>+1M'; see kmemx-diff(1)",
				a->fail_on.items[i],
				err == -EINVAL ? strbuf_text(&error) : strerror(-err));
	}
	if (!err && a->budget)
		ret = read_budget(a, &text);
	if (!err && ret == GO_ON && a->budget) {
		err = gate_add_budget(&a->rules, strbuf_text(&text), &error);
		if (err)
			message_error(
				command_name,
				"%s: %s\n  Example of a line: 'kmalloc-64 waste < 10%%'; see kmemx-diff(1)",
				a->budget,
				err == -EINVAL ? strbuf_text(&error) : strerror(-err));
	}
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : ret;
}

/* Rules imply a limit of lost events: with more losses they are not reliable. */
static int parse_max_lost(struct diff_args *a)
{
	a->max_lost.implied = a->rules.nr && !a->max_lost.text;
	if (a->max_lost.implied)
		a->max_lost.text = LOST_LIMIT_GATE;
	return lost_limit_parse(&a->max_lost, command_name);
}

/* Finds the files to read the recordings with, once their paths are known. */
static int find_files(struct diff_args *a)
{
	int ret = diff_files_search(a);

	ret = ret ?: diff_files_check(a);
	if (ret == GO_ON)
		complete(a);
	return ret;
}

int diff_args_parse(struct diff_args *a, const struct command *command, int argc,
		    char **argv)
{
	int ret, operands, separator = 0, nr_new;

	for (separator = 1; separator < argc && strcmp(argv[separator], "--");
	     separator++)
		;
	nr_new = separator < argc ? argc - 1 - separator : -1;
	learn_words(a);
	ret = parse_options(a, command, argc, argv, &operands);
	a->output.verbose = a->choice.verbose != 0;
	ret = ret ?: output_check(&a->output, command_name);
	ret = ret ?: diff_kernels_detect(a, argv + operands, argc - operands);
	learn_words(a);
	ret = ret ?: (a->kernels ? diff_kernels_check(a)
				 : filter_words_deep(&a->choice.words, &a->choice.skip,
						     command_name) ?:
				   parse_by(a) ?: check_page(a) ?: check_filter(a) ?:
				   parse_per(a));
	ret = ret ?: parse_columns(a);
	ret = ret ?: parse_sort(a);
	ret = ret ?: parse_rules(a);
	ret = ret ?: diff_files_parse(a);
	/* Once all rules are known. */
	ret = ret ?: (a->kernels ? diff_kernels_rules(a)
				 : diff_files_check_early(a) ?:
				   input_window_check(&a->choice.window, command_name) ?:
				   parse_max_lost(a));
	if (ret == GO_ON)
		ret = diff_paths_init(&a->paths, argv + operands, argc - operands,
				      nr_new < 0 ? -1 : argc - operands - nr_new);
	return ret == GO_ON && !a->kernels ? find_files(a) : ret;
}

void diff_args_free(struct diff_args *a)
{
	diff_paths_free(&a->paths);
	gate_free(&a->rules);
	sort_keys_free(&a->keys);
	free(a->by.items);
	sort_keys_free(&a->asked);
	free(a->fail_on.items);
	free(a->choice.skip.items);
	filter_words_free(&a->choice.words);
	diff_files_free(a);
}
