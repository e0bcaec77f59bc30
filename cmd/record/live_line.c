// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/live_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/record/recorder.h"

/* The terminal's width; 0 if unknown. A line that wraps could not be removed. */
static unsigned int terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

void live_line_start(struct live_line *l, bool wanted)
{
	*l = (struct live_line){ .off = !wanted || !isatty(STDERR_FILENO),
				 .inner = l->inner };
}

/* "99999", "1.34 M": at most five digits, so that the line stays readable while it changes. */
static void add_count(struct strbuf *sb, double n)
{
	if (n < 1e5)
		strbuf_printf(sb, "%.0f", n);
	else if (n < 1e9)
		strbuf_printf(sb, "%.2f M", n / 1e6);
	else
		strbuf_printf(sb, "%.2f G", n / 1e9);
}

static void add_line(struct strbuf *sb, const struct live_line *l,
		     const struct capture_progress *p)
{
	uint64_t ns = p->ns > l->ns ? p->ns - l->ns : 1;
	/* Another program may have reset the kernel's counters. */
	uint64_t events = p->events > l->events ? p->events - l->events : 0;
	char bytes[32];

	recorder_format_bytes(bytes, sizeof(bytes), p->bytes);
	strbuf_printf(sb, "recording %.0f s: ", (double)p->ns / 1e9);
	add_count(sb, (double)p->events);
	strbuf_puts(sb, " events, ");
	add_count(sb, (double)events * 1e9 / (double)ns);
	strbuf_printf(sb, "/s, %s, ", bytes);
	if (p->lost)
		strbuf_printf(sb, "%" PRIu64 " LOST", p->lost);
	else
		strbuf_puts(sb, "none lost");
}

void live_line_show(struct live_line *l, const struct capture_progress *so_far)
{
	struct strbuf __auto_free text = { 0 };
	unsigned int columns;

	if (l->off)
		return;
	add_line(&text, l, so_far);
	l->events = so_far->events;
	l->ns = so_far->ns;
	columns = terminal_columns();
	/* A single write, so that the terminal never shows half a line. */
	if (!text.failed && (!columns || text.size < columns)) {
		fprintf(stderr, "\r\033[K%s", strbuf_text(&text));
		fflush(stderr);
		l->shown = true;
	}
}

void live_line_end(struct live_line *l)
{
	if (l->shown)
		fprintf(stderr, "\r\033[K");
	l->shown = false;
}

static void pass_on(void *ctx, enum log_level level, const char *kind,
		    const char *message)
{
	struct live_line *l = ctx;

	live_line_end(l);
	l->inner.fn(l->inner.ctx, level, kind, message);
}

struct log live_line_log(struct live_line *l, struct log inner)
{
	l->inner = inner;
	return (struct log){ pass_on, l };
}
