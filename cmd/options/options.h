/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the typed option table.
 * In: argv and a table. Out: values in the caller's variables, -h text, usage errors with
 * a suggestion.
 */
#ifndef KMEMX_CMD_OPTIONS_H
#define KMEMX_CMD_OPTIONS_H

#include "base/strbuf.h"
#include "cmd/options/command.h"

enum option_type {
	OPTION_END,
	OPTION_GROUP,  /* a heading in -h: only @help */
	OPTION_TABLE,  /* replaced by the entries of another table: only @value */
	OPTION_FLAG,   /* bool: set to true; --no-NAME sets false */
	OPTION_SWITCH, /* enum option_switch: on; --no-NAME: off */
	OPTION_COUNT,  /* unsigned int: one more each time (-v) */
	OPTION_STRING, /* const char * */
	OPTION_LIST, /* the same; words separated by commas, each perhaps after a + or - */
	OPTION_OPTIONAL, /* the same; --NAME=VALUE, or --NAME alone: ""; --no-NAME: NULL */
	OPTION_STRINGS,	 /* struct option_strings: each use appends */
	OPTION_UINT,	 /* uint64_t */
	OPTION_POSITIVE,	  /* uint64_t, not 0, which means not given */
	OPTION_ROWS,		  /* the same; "all": OPTION_ROWS_ALL */
	OPTION_SIZE,		  /* uint64_t bytes; takes K, M, G suffixes */
	OPTION_POSITIVE_SIZE,	  /* the same, not 0 */
	OPTION_PERCENT,		  /* uint64_t millionths; takes 2, 0.5, 10% */
	OPTION_DURATION,	  /* uint64_t ns; takes 2, 1.5s, 500ms, 10m */
	OPTION_POSITIVE_DURATION, /* the same, not 0 */
	OPTION_HELP,		  /* -h, --help: prints the help text and ends with 0 */
	OPTION_TYPES = 0xff,
	/* Marks, combined with a type by "|": */
	OPTION_CHOICE =
		0x100, /* a flag or string that excludes the others with this mark */
	OPTION_EVERYDAY = 0x200, /* -h shows it, if @short_help says so */
};

#define OPTION_ROWS_ALL UINT64_MAX

/* The value of a flag whose default is neither on nor off. Zero-initialise it. */
enum option_switch { SWITCH_UNSET, SWITCH_ON, SWITCH_OFF };

struct option_strings {
	const char **items; /* pointers into argv; the caller calls free(items) */
	size_t count;
};

struct option_entry {
	enum option_type type;
	char short_name;  /* 0: none */
	const char *name; /* "file" */
	const char *arg;  /* "FILE", "KEYS"; "auto|never": one of these; NULL for flags */
	void *value;
	const char *help; /* one line */
	const char *const
		*words; /* its values, ending in NULL; NULL: @arg says what they are */
	/* Set by options_parse(): the marks of @type, and whether the value is from a setting. */
	unsigned int marks;
	bool from_file;
};

/* Options that several commands have. */
/* clang-format off */
/* @of: flags by enum memory; @usual: the kinds without these options. */
#define KIND_OPTIONS(of, usual) \
	{ OPTION_FLAG | OPTION_EVERYDAY, 0, "slab", NULL, &(of)[MEMORY_SLAB], \
	  "slab objects (default: " usual ")" }, \
	{ OPTION_FLAG | OPTION_EVERYDAY, 0, "page", NULL, &(of)[MEMORY_PAGE], \
	  "pages" }, \
	{ OPTION_FLAG, 0, "vmalloc", NULL, &(of)[MEMORY_VMALLOC], \
	  "areas of vmalloc" }, \
	{ OPTION_FLAG, 0, "percpu-memory", NULL, &(of)[MEMORY_PERCPU], \
	  "per-CPU memory" }
#define VERBOSE_OPTION(count) \
	{ OPTION_COUNT, 'v', "verbose", NULL, &(count), "more messages" }
#define QUIET_OPTION(flag) \
	{ OPTION_FLAG, 'q', "quiet", NULL, &(flag), "print errors only" }
#define RAW_IP_OPTION(flag) \
	{ OPTION_FLAG, 0, "raw-ip", NULL, &(flag), "addresses instead of functions" }
#define SAMPLE_OPTION(flag) \
	{ OPTION_FLAG, 0, "unscaled", NULL, &(flag), \
	  "for a sample: its own figures, not estimates" }
#define RAW_NAMES_OPTION(flag) \
	{ OPTION_FLAG, 0, "raw-names", NULL, &(flag), \
	  "functions with the compiler's name suffixes" }
#define CGROUP_NAMES_OPTION(word) \
	{ OPTION_STRING, 0, "cgroup-names", "short|full", &(word), \
	  "containers' IDs with 12 digits (default), or in full" }
#define NO_INLINE_OPTION(flag) \
	{ OPTION_FLAG, 0, "no-inline", NULL, &(flag), "ignore inlined functions" }
/* @list: a struct option_strings */
#define SKIP_OPTION(list) \
	{ OPTION_STRINGS, 0, "skip-func", "REGEX", &(list), \
	  "skip these too, or wrappers; may be repeated" }
/* The last entries of every command's table. */
#define OPTIONS_END \
	{ OPTION_HELP, 'h', "help", NULL, NULL, "show this help" }, \
	{ OPTION_END }
/* clang-format on */

/* Settings of the user's file precede the arguments. Each is three words: this, "FILE:LINE", and
 * "NAME=VALUE" or "NAME".
 */
#define OPTIONS_SETTING "--setting"
/* As the only argument after settings: check them all, and their words. */
#define OPTIONS_CHECK	"--check-settings"

/**
 * options_parse() - read argv by the table
 *
 * Options may be anywhere before "--" (unless stop_at_operand). Long options take "--name=value" or
 * "--name value" and may be abbreviated if that is unique; short ones bundle. An unknown option is
 * a usage error that names the nearest one. Operands are moved to the end, in order; @operands
 * receives the index of the first. "--list-options" alone prints the table for shell completion.
 *
 * Settings come first. An option on the command line replaces its setting, even one whose uses
 * otherwise add up. An unknown setting gives a message, a bad value a usage error.
 *
 * Return: GO_ON; EXIT_DONE after -h, --list-options and OPTIONS_CHECK; EXIT_USAGE or EXIT_FAILED
 * after a message.
 */
int options_parse(const struct command *command, const struct option_entry *options,
		  int argc, char **argv, int *operands);

/* Is @value, a text that options_parse() stored, from a setting? A setting is a default for every
 * run: it is no error if it does not apply to this one.
 */
bool options_is_setting(int argc, char *const *argv, const char *value);
/* Is there a setting of the option @name? */
bool options_have_setting(int argc, char *const *argv, const char *name);

/* Appends "kmemx COMMAND ...", quoted for a shell, with settings as options. @without: long name of an
 * option with a value that is left out; NULL: none. Call it before options_parse().
 */
void options_command_line(struct strbuf *sb, int argc, char *const *argv,
			  const char *without);

/* Prints the text of -h, or of --help-all (@all), for a table without OPTION_TABLE. @brief: -h does
 * not show all options.
 */
void options_help(const struct command *command, const struct option_entry *options,
		  bool brief, bool all, FILE *out);

/* Prints the text of --list-options, which completion/ reads. A line per option: its names
 * ("-i,--input"), its value or "-" (after "=" if the value must follow one), and its help,
 * separated by tabs. Words are "a|b|c", a list of words is ",a|b|c".
 */
void options_list(const struct option_entry *options, bool help_all, FILE *out);

/* The candidate nearest to @word by edit distance, or NULL if none is near. The candidates are
 * string pointers at offset @at in each of the @count items of @size bytes at @items; NULL ones are
 * skipped.
 */
const char *options_nearest_at(const char *word, const void *items, size_t count,
			       size_t size, size_t at);
#define options_nearest(word, candidates, count) \
	options_nearest_at(word, candidates, count, sizeof(*(candidates)), 0)
/* The same for the member @member of @items. */
#define OPTIONS_NEAREST_OF(word, items, count, member)           \
	options_nearest_at(word, items, count, sizeof(*(items)), \
			   offsetof(__typeof__(*(items)), member))

/* Checks @value, which a setting of @command gives to @opt. GO_ON if it is one of the option's
 * words, or if the option takes any text; else EXIT_USAGE after a message. @origin: "FILE:LINE".
 */
int option_words_check(const struct command *command, const struct option_entry *opt,
		       const char *origin, const char *value);

/* Joins @words, which end in NULL, with @separator into @to, as far as they fit. */
void option_words_join(char *to, size_t size, const char *separator,
		       const char *const *words);
/* Says that @word, the value of @option, is not one of @words, which end in NULL, and lists them.
 * EXIT_USAGE.
 */
int option_unknown(const char *option, const char *word, const char *const *words,
		   const char *command);
/* Index of @word, the value of @option, in @words, which end in NULL; -1 after a message that lists
 * them.
 */
int option_choose(const char *option, const char *word, const char *const *words,
		  const char *command);
/* The value of --cgroup-names: 1 "full"; 0 "short", or NULL; -1 after a message. */
int option_cgroup_names(const char *word, const char *command);

#endif
