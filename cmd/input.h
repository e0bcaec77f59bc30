/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the study that every command opens that reads a recording.
 * In: options. Out: an open study, or a message and an exit code.
 */
#ifndef KMEMX_CMD_INPUT_H
#define KMEMX_CMD_INPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/analyze.h"
#include "base/compiler.h"
#include "message.h"
#include "output.h"
#include "study/study.h"

#define INPUT_DEFAULT "kmemx.dat"
#define INPUT_OPTION(path)                                                         \
	{                                                                          \
		OPTION_STRING | OPTION_EVERYDAY, 'i', "input", "FILE", path,       \
			"recording (default " INPUT_DEFAULT "; -: standard input)" \
	}

#define JOBS_OPTION(jobs)                                          \
	{                                                          \
		OPTION_POSITIVE, 0, "jobs", "N", jobs,             \
			"threads (default: one for each CPU here)" \
	}

/* A file that comes from a server; @before: signals, before they were held. */
struct fetching {
	struct progress progress;
	sigset_t before;
};

/* A study that a command has open, where its messages go, and what it fetches from servers. */
struct input {
	const char *command;
	struct message_log log_state;
	struct fetching fetching;
	struct study study;
};

/* -i FILE or one operand: sets @path. GO_ON, or EXIT_USAGE after a message. */
int input_path(const char *command, int argc, char **argv, int operands,
	       const char **path);
/* Threads to use if JOBS_OPTION() was given as @given; 0: it was not, one for each CPU that this
 * process may run on.
 */
unsigned int input_jobs(uint64_t given);
/**
 * input_open() - open a study for @command
 * @opts: but for tmpdir and log, which are set here
 * @verbose: of message_log
 *
 * Return: GO_ON; otherwise the exit code, after a message. @in must be given to
 * input_close() in any case, and must not be moved.
 */
int input_open(struct input *in, const struct study_options *opts, const char *command,
	       unsigned int verbose) __must_check;
/* input_open() without the message of a failure, which input_failed() prints; messages of the
 * study's own go to @messages, which outlives it. 0 or a negative errno.
 */
int input_open_quietly(struct input *in, const struct study_options *opts,
		       const char *command, unsigned int verbose,
		       struct strbuf *messages) __must_check;
/* What a server is given to tell @fetching, which lives as long as it is asked. */
struct debug_fetching input_fetching(struct fetching *fetching);
/* study_read(), with a message: GO_ON, or the exit code. */
int input_read(struct input *in, const struct event_stream_options *how) __must_check;
/**
 * input_analyze() - run analyses over the study's events, with a progress line
 * @env: of study_env()
 *
 * Return: GO_ON with their tables in @report; otherwise the exit code, after a message.
 */
int input_analyze(struct input *in, const struct analysis_env *env,
		  const struct analysis_set *set, struct report *report) __must_check;
void input_close(struct input *in);

/* input_failed.c: the exit codes for what a study could not do, after a message. */
/* For a call of @in's study that failed. */
int input_failed(const struct input *in);
/* There is no such ring buffer. */
int input_no_instance(const struct input *in, const char *instance);
/* For a stream's error. */
int input_stream_failed(const struct input *in, int err);

#endif
