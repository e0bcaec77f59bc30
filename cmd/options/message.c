// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/message.h"

#include <stdarg.h>

#include "base/safe_text.h"

/* One write per message, so that lines of several processes do not mix. */
void message_text(const char *command, const char *text)
{
	fprintf(stderr, "kmemx%s%s: %s\n", command ? " " : "", command ? command : "",
		text);
}

int message_fail(enum exit_code code, const char *command, const char *fmt, ...)
{
	struct strbuf __auto_free text = { 0 };
	va_list args;

	va_start(args, fmt);
	safe_text_vprintf(&text, fmt, args);
	va_end(args);
	message_text(command, text.failed ? "out of memory" : strbuf_text(&text));
	return code;
}

int message_no_memory(const char *command)
{
	message_text(command, "out of memory");
	return EXIT_FAILED;
}

static struct message_kind *find_kind(struct message_log *state, const char *format)
{
	struct message_kind *kind = state->kinds;
	struct message_kind *last = &state->kinds[MESSAGE_KINDS - 1];

	while (kind < last && kind->format && kind->format != format)
		kind++;
	kind->format = format;
	return kind;
}

/* Have enough messages of this kind been printed? */
static bool is_too_much(struct message_log *state, const char *format,
			const char *message)
{
	struct message_kind *kind = find_kind(state, format);

	if (++kind->count <= MESSAGE_LIMIT || state->verbose > 1)
		return false;
	snprintf(kind->last, sizeof(kind->last), "%.*s", (int)strcspn(message, "\n"),
		 message);
	return true;
}

static void put(const struct message_log *state, const char *text)
{
	if (state->to)
		strbuf_printf(state->to, "kmemx %s: %s\n", state->command, text);
	else
		message_text(state->command, text);
}

static void take_message(void *ctx, enum log_level level, const char *format,
			 const char *message)
{
	struct message_log *state = ctx;
	enum log_level most = LOG_WARN;
	struct strbuf __auto_free text = { 0 };

	if (state->quiet)
		most = LOG_ERROR;
	else if (state->verbose)
		most = state->verbose > 1 ? LOG_DEBUG : LOG_INFO;
	if (level > most || (level == LOG_WARN && is_too_much(state, format, message)))
		return;
	strbuf_puts(&text, level == LOG_WARN ? "warning: " : "");
	strbuf_puts(&text, message);
	put(state, strbuf_text(&text));
}

struct log message_log(struct message_log *state)
{
	return (struct log){ take_message, state };
}

static void tell_rest(const struct message_log *state, const struct message_kind *kind)
{
	struct strbuf __auto_free text = { 0 };

	strbuf_printf(&text, "warning: ... and %" PRIu64 " more (-vv: all), the last: ",
		      kind->count - MESSAGE_LIMIT);
	safe_text_puts(&text, kind->last);
	put(state, text.failed ? "out of memory" : strbuf_text(&text));
}

void message_log_end(struct message_log *state)
{
	for_each(kind, state->kinds, MESSAGE_KINDS) {
		if (*kind->last)
			tell_rest(state, kind);
		*kind = (struct message_kind){ 0 };
	}
}

void message_print_log(const struct strbuf *text)
{
	if (text->size)
		fputs(strbuf_text(text), stderr);
	if (text->failed)
		message_text(NULL, "out of memory: some messages were left out");
}
