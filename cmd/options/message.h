/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: messages to the user.
 * In: text. Out: stderr, prefixed "kmemx CMD: "; at most three short lines per error.
 */
#ifndef KMEMX_CMD_MESSAGE_H
#define KMEMX_CMD_MESSAGE_H

#include "base/log.h"
#include "base/strbuf.h"
#include "cmd/options/command.h"

/* Prints "kmemx stat: text" for a command that fails with it: returns @code. The arguments are made
 * safe for a terminal (base/safe_text.h) and must not contain line breaks. The format may have more
 * lines ("\n  Try: ...").
 */
int message_fail(enum exit_code code, const char *command, const char *fmt, ...)
	__printf_fmt(3, 4);
/* The same without a code. */
#define message_error(command, ...) \
	((void)message_fail(EXIT_FAILED, command, __VA_ARGS__))
/* A plain progress line: "kmemx: text". */
#define message_info(...) message_error(NULL, __VA_ARGS__)
/* The same for lack of memory: EXIT_FAILED. */
int message_no_memory(const char *command);
/* Prints kmemx's own text unchanged. */
void message_text(const char *command, const char *text);

#define MESSAGE_KINDS 16
/* Warnings of one kind that are printed; more are only counted. */
#define MESSAGE_LIMIT 10

/* Warnings with the same format. */
struct message_kind {
	const char *format;
	uint64_t count;
	char last[256]; /* the last one not printed, truncated */
};

/* State of a log that prints warnings and errors; more with @verbose 1 or 2, only errors with
 * @quiet. A damaged file can cause thousands of warnings: only MESSAGE_LIMIT of each kind are
 * printed, all with @verbose 2. If @to is set, messages are appended there, to be printed later.
 * Set the first four fields and zero the rest. It must outlive the log.
 */
struct message_log {
	const char *command;
	unsigned int verbose;
	bool quiet;
	struct strbuf *to;
	struct message_kind kinds[MESSAGE_KINDS]; /* the last: all other kinds */
};
struct log message_log(struct message_log *state);
/* Call it after the last message: prints how many were left out. No-op if there was no log. */
void message_log_end(struct message_log *state);
/* Prints what a log appended to @text, if anything. */
void message_print_log(const struct strbuf *text);

#endif
