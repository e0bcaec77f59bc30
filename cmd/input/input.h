/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the study that commands open to read a recording.
 * In: options. Out: an open study, or a message and an exit code.
 */
#ifndef KMEMX_CMD_INPUT_H
#define KMEMX_CMD_INPUT_H

#include <signal.h>

#include "analysis/pass/analyze.h"
#include "cmd/options/message.h"
#include "cmd/output/output.h"
#include "study/study.h"

#define INPUT_DEFAULT "kmemx.dat"
/* clang-format off */
#define INPUT_OPTION(path) \
	{ OPTION_STRING | OPTION_EVERYDAY, 'i', "input", "FILE", path, \
	  "recording (default " INPUT_DEFAULT "; -: standard input)" }
#define JOBS_OPTION(jobs) \
	{ OPTION_POSITIVE, 0, "jobs", "N", jobs, \
	  "threads (default: one for each CPU here)" }
/* Options that select a part of the recording, in a struct window. */
#define TIME_OPTION(window) \
	{ OPTION_STRING | OPTION_EVERYDAY, 0, "time", "START,STOP", &(window).time, \
	  "only this time: seconds, +1s from the start, 10%" }
#define INSTANCE_OPTION(window) \
	{ OPTION_STRING, 0, "instance", "NAME", &(window).instance, \
	  "only the ring buffer of this name" }
/* clang-format on */

/* A file being fetched from a server. @before: the signal mask before signals were held. */
struct fetching {
	struct progress progress;
	sigset_t before;
};

/* An open study of a command, its messages, and the file it fetches from a server. */
struct input {
	const char *command;
	struct message_log log_state;
	struct fetching fetching;
	struct study study;
};

/* Parses the options; then sets @path to -i FILE or the only operand. GO_ON, or an exit code. */
int input_parse(const struct command *command, const struct option_entry *options,
		int argc, char **argv, const char **path);
/* Sets @path to -i FILE or the only operand. GO_ON, or EXIT_USAGE after a message. */
int input_path(const char *command, int argc, char **argv, int operands,
	       const char **path);
/* Parses @w->time before a file is opened. GO_ON, or EXIT_USAGE after a message. */
int input_window_check(struct window *w, const char *command) __must_check;
/* The same for @o->window. Can the files with symbols and the places of debug information be used
 * together?
 */
int input_study_check(struct study_options *o, const char *command) __must_check;
/* The number of threads: @given from JOBS_OPTION(); if that is 0, one per CPU that this process may
 * run on.
 */
unsigned int input_jobs(uint64_t given);
/**
 * input_open() - open a study for @command
 * @opts: tmpdir and log are set here
 * @verbose: for message_log
 *
 * Return: GO_ON, or the exit code after a message. Call input_close() in any case. @in must not be
 * moved.
 */
int input_open(struct input *in, const struct study_options *opts, const char *command,
	       unsigned int verbose) __must_check;
/* input_open() without a message about a failure: input_failed() prints it. The study's messages go
 * to @messages, which must outlive it. 0 or a negative errno.
 */
int input_open_quietly(struct input *in, const struct study_options *opts,
		       const char *command, unsigned int verbose,
		       struct strbuf *messages) __must_check;
/* Callbacks for a debug server that update @fetching, which must outlive the server. */
struct debug_fetching input_fetching(struct fetching *fetching);
/* study_read(): GO_ON, or the exit code after a message. */
int input_read(struct input *in, const struct event_stream_options *how) __must_check;
/**
 * input_analyze() - run analyses over the study's events, with a progress line
 * @env: from study_env()
 *
 * Return: GO_ON with their tables in @report, or the exit code after a message.
 */
int input_analyze(struct input *in, const struct analysis_env *env,
		  const struct analysis_set *set, struct report *report) __must_check;
void input_close(struct input *in);
/* Does the recording have what rows by @by need, such as processes or control groups? GO_ON, or
 * EXIT_FAILED after a message to the study's log.
 */
int input_processes_known(const struct input *in, enum subject_kind by) __must_check;

/* input_failed.c: these print a message and return the exit code. */
/* A call to @in's study failed. */
int input_failed(const struct input *in);
/* There is no such ring buffer. */
int input_no_instance(const struct input *in, const char *instance);
/* A stream returned @err. */
int input_stream_failed(const struct input *in, int err);

/* Says what the file is, judging by its name and first bytes. False, without a message, if unknown
 * or "-".
 */
bool input_kind_tell(const char *command, const char *path);

/* The same for a directory, judging by the names in it. Always prints a message. */
void input_directory_tell(const char *command, const char *path);

/* Says that a file or directory was written by perf and is not @wanted, such as "a command". False,
 * without a message, if perf did not write it.
 */
bool input_perf_tell(const char *command, const char *path, const char *wanted);

/* Says that argv[0] is a recording or a file of perf, not a command. False, without a message, if
 * it is not, if it is a program in the PATH, or if @argv is NULL.
 */
bool input_command_tell(const char *command, char *const *argv);

#endif
