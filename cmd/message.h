/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: messages to the user.
 * In: text. Out: stderr, prefixed "kmemx CMD: "; at most three short lines an error.
 */
#ifndef KMEMX_CMD_MESSAGE_H
#define KMEMX_CMD_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"

/* "kmemx stat: text". The arguments are made safe for a terminal (base/safe_text.h); a list
 * that is one of them has no line breaks of its own. The format may have more lines
 * ("\n  Try: ...").
 */
void message_error(const char *command, const char *fmt, ...) __printf_fmt(2, 3);
/* Prints kmemx's own text unchanged. */
void message_text(const char *command, const char *text);
/* A plain progress line: "kmemx: text". */
void message_info(const char *fmt, ...) __printf_fmt(1, 2);

#define MESSAGE_KINDS 16
/* So many warnings of one kind are printed. */
#define MESSAGE_LIMIT 10

/* Warnings of one kind: what is common to them is their format. */
struct message_kind {
	const char *format;
	uint64_t count;
	char last[256]; /* of those that were not printed, cut */
};

/* A log that prints warnings and errors, and with @verbose 1 or 2 more. A damaged file has
 * thousands of warnings: of a kind ten are printed, and with @verbose 2 all. With @to they
 * are not printed, but appended there, for whoever prints it later. Zero but for the first
 * four; it is the caller's and must outlive the log.
 */
struct message_log {
	const char *command;
	unsigned int verbose;
	bool quiet;
	struct strbuf *to;
	struct message_kind kinds[MESSAGE_KINDS]; /* the last is for all others */
};
struct log message_log(struct message_log *state);
/* No more messages follow: prints how many were not printed. Nothing if there was no log. */
void message_log_end(struct message_log *state);
/* Prints what a log appended to @text, if anything. */
void message_print_log(const struct strbuf *text);

#endif
