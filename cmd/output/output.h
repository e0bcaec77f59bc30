/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: how a report reaches the user, and the progress line shown meanwhile.
 * In: a report and the options about form. Out: stdout, through a pager on a terminal; one line on
 * stderr, if that is a terminal.
 */
#ifndef KMEMX_CMD_OUTPUT_H
#define KMEMX_CMD_OUTPUT_H

#include "cmd/options/options.h"
#include "report/render.h"
#include "report/table.h"

/**
 * struct output_options - options about form; zero-initialise it and point an option table at its
 * fields
 * @json, @csv: the format; text if neither
 * @csv_dir: tables as files in this directory; NULL: the report goes to stdout
 * @wide: show all columns of tables, however narrow the terminal is
 * @summary: on: all lines of the summary; off: none; text only
 * @verbose: all notes, and all lines of the summary unless @summary is set
 * @clock_time: show times by the recording's clock, even on a terminal
 * @color: auto, always, never; NULL: auto
 */
struct output_options {
	bool json, csv;
	const char *csv_dir;
	bool human, wide, no_pager, verbose, clock_time;
	enum option_switch summary;
	const char *color;
};

/* clang-format off */
/* For a command whose reports have a summary in text. */
#define SUMMARY_OPTION(output) \
	{ OPTION_SWITCH, 0, "summary", NULL, &(output).summary, \
	  "all lines of the summary; --no-summary: none" }
/* For a command whose reports have points in time. */
#define CLOCK_TIME_OPTION(output) \
	{ OPTION_FLAG, 0, "clock-time", NULL, &(output).clock_time, \
	  "moments by the recording's clock, not from its start" }
#define PAGER_OPTION(flag) \
	{ OPTION_FLAG, 0, "no-pager", NULL, &(flag), "do not use a pager" }
/* @lines is a uint64_t. 0 if not given: one screen on a terminal, else all rows. */
#define LINES_OPTION(lines) \
	{ OPTION_ROWS | OPTION_EVERYDAY, 'l', "lines", "N|all", &(lines), \
	  "N rows of each table, or all" }
/* The format of a struct output_options. */
#define FORMAT_OPTIONS(output) \
	{ OPTION_FLAG | OPTION_CHOICE | OPTION_EVERYDAY, 0, "json", NULL, \
	  &(output).json, "JSON" }, \
	{ OPTION_FLAG | OPTION_CHOICE | OPTION_EVERYDAY, 0, "csv", NULL, \
	  &(output).csv, "CSV" }, \
	{ OPTION_STRING | OPTION_CHOICE, 0, "csv-dir", "DIR", &(output).csv_dir, \
	  "CSV: a file for each table in a new directory" }
/* Its other options. */
#define OUTPUT_OPTIONS(output) \
	{ OPTION_FLAG | OPTION_CHOICE, 0, "human", NULL, &(output).human, \
	  "KiB and MiB instead of exact bytes" }, \
	{ OPTION_FLAG | OPTION_EVERYDAY, 0, "wide", NULL, &(output).wide, \
	  "all columns, however narrow the terminal is" }, \
	{ OPTION_STRING, 0, "color", "WHEN", &(output).color, \
	  "auto, always, never", output_colors }, \
	PAGER_OPTION((output).no_pager)
/* clang-format on */

/* The words of --color, ending in NULL. */
extern const char *const output_colors[];

/* GO_ON if the options can be used together and --csv-dir can be written to; else an exit code
 * after a message.
 */
int output_check(const struct output_options *opts, const char *command);
/**
 * output_write() - write a document to stdout
 * @fn: writes it; called with @arg
 * @pager: a pager may be used (on a terminal, for text)
 *
 * Return: EXIT_OK, also if writing to stdout fails, which the dispatcher checks; EXIT_FAILED after
 * a message if the document fails.
 */
typedef int (*output_fn)(const struct render_out *out, const void *arg);
int output_write(const char *command, output_fn fn, const void *arg, bool pager);
/* Renders @r in the form that the options choose. @text renders text; usually it is render_text().
 * EXIT_OK, or EXIT_FAILED after a message.
 */
int output_report(const struct output_options *opts, const char *command,
		  const struct report *r, render_fn text);
/* Is @name, which has no slash, a program in the PATH? */
bool program_in_path(const char *name);
/* Keeps the first @lines rows of @t. If @lines is 0, only text leaves out rows that do not fit on
 * the screen.
 */
void row_limit_apply(uint64_t lines, struct table *t);

/* Events between two updates of the progress line. */
#define PROGRESS_INTERVAL 500000

/* Progress on stderr, if that is a terminal and the work takes over a second. */
struct progress {
	const char *what;
	bool shown, off;
	uint64_t start_ns, last_ns;
};

/* @what: the work, such as "decoding". */
void progress_start(struct progress *p, const char *what);
/* @done of @total (in any unit; @total 0: unknown), and @events so far. */
void progress_show(struct progress *p, uint64_t done, uint64_t total, uint64_t events);
/* Removes the line. */
void progress_end(struct progress *p);

/* Can the tables be written to @path: is it an empty directory, or can it be created? GO_ON, or
 * EXIT_FAILED after a message.
 */
int csv_dir_check(const char *path, const char *command);
/**
 * csv_dir_write() - write the tables of @r to @path
 *
 * Creates the directory if it does not exist; new_file_open_dir() says which links it follows. A
 * table is NAME.csv, or NAME-BY.csv if several are called NAME. The files get their names when all
 * are complete: a failure leaves no file, and no directory that did not exist before.
 *
 * Return: EXIT_OK after a line that names the directory; EXIT_FAILED after a message.
 */
int csv_dir_write(const char *path, const struct report *r, const char *command);

#endif
