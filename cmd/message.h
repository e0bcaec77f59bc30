/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: messages to the user.
 * In: text. Out: stderr, prefixed "kmemx CMD: "; at most three short lines an error.
 */
#ifndef KMEMX_CMD_MESSAGE_H
#define KMEMX_CMD_MESSAGE_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/log.h"

/* "kmemx stat: text". Continuation lines in the text are the caller's ("\n  Try: ..."). */
void message_error(const char *command, const char *fmt, ...) __printf_fmt(2, 3);
/* A plain progress line: "kmemx: text". */
void message_info(const char *fmt, ...) __printf_fmt(1, 2);

/* A log that prints warnings and errors, and with @verbose 1 or 2 more. @state is the
 * caller's and must outlive the log.
 */
struct message_log {
	const char *command;
	unsigned int verbose;
	bool quiet;
};
struct log message_log(struct message_log *state);

#endif
