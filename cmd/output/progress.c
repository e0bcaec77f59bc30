// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: progress of work that takes over a second.
 * In: how much is done. Out: one line on stderr, if that is a terminal.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "cmd/output/output.h"

#define SECOND_NS 1000000000ULL

void progress_start(struct progress *p, const char *what)
{
	*p = (struct progress){ .what = what, .off = !isatty(STDERR_FILENO) };
	p->start_ns = p->last_ns = clock_ns(CLOCK_MONOTONIC);
}

void progress_show(struct progress *p, uint64_t done, uint64_t total, uint64_t events)
{
	double seconds, part = 0;
	struct strbuf line = { 0 };
	uint64_t now;

	if (p->off)
		return;
	now = clock_ns(CLOCK_MONOTONIC);
	if (now - p->start_ns < SECOND_NS ||
	    (p->shown && now - p->last_ns < SECOND_NS / 5))
		return;
	seconds = (double)(now - p->start_ns) / 1e9;
	if (done && done <= total)
		part = (double)done / (double)total;
	strbuf_printf(&line, "\r\033[K%s", p->what);
	if (part > 0)
		strbuf_printf(&line, "  %2.0f %%", 100 * part);
	if (events)
		strbuf_printf(&line, "  %.1f M events/s", (double)events / seconds / 1e6);
	if (part > 0)
		strbuf_printf(&line, "  %.0f s left", seconds * (1 - part) / part);
	fputs(strbuf_text(&line), stderr); /* one write: never half a line */
	fflush(stderr);
	strbuf_free(&line);
	p->shown = true;
	p->last_ns = now;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->shown = false;
}
