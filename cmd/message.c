// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: messages to the user.
 * In: text and the library's log messages. Out: whole lines on stderr.
 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

/* One write per message, so that lines of several processes do not mix. */
static void print_line(const char *command, const char *fmt, va_list args)
{
	char text[2048];

	vsnprintf(text, sizeof(text), fmt, args);
	if (command)
		fprintf(stderr, "kmemx %s: %s\n", command, text);
	else
		fprintf(stderr, "kmemx: %s\n", text);
}

void message_error(const char *command, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line(command, fmt, args);
	va_end(args);
}

void message_info(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line(NULL, fmt, args);
	va_end(args);
}

static void log_to_stderr(void *ctx, enum log_level level, const char *message)
{
	const struct message_log *state = ctx;
	enum log_level most = LOG_WARN;

	if (state->quiet)
		most = LOG_ERROR;
	else if (state->verbose)
		most = state->verbose > 1 ? LOG_DEBUG : LOG_INFO;
	if (level > most)
		return;
	message_error(state->command, "%s%s", level == LOG_WARN ? "warning: " : "",
		      message);
}

struct log message_log(struct message_log *state)
{
	return (struct log){ log_to_stderr, state };
}
