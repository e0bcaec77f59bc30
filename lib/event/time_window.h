/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: a part of a recording's time.
 * In: "START,STOP" as a user writes it, and the recording's span. Out: time stamps.
 */
#ifndef KMEMX_EVENT_TIME_WINDOW_H
#define KMEMX_EVENT_TIME_WINDOW_H

#include "base/compiler.h"

enum time_bound_kind {
	TIME_OPEN,     /* no bound on this side */
	TIME_ABSOLUTE, /* 1234.567890, as trace-cmd report prints time stamps */
	TIME_RELATIVE, /* +1.5s, +500ms: from the first event */
	TIME_PERCENT,  /* 10%: of the span between the first and the last event */
};

/**
 * struct time_bound - one end of a window
 * @value: ns; for TIME_PERCENT millionths of the span
 * @raw, @is_raw: the number as written, if it was whole and without a unit: used with a clock that
 *	does not count nanoseconds
 * @only_raw: too large for seconds
 */
struct time_bound {
	enum time_bound_kind kind;
	uint64_t value;
	uint64_t raw;
	bool is_raw, only_raw;
};

struct time_window {
	struct time_bound start, stop;
};

/* Time stamps, both included. */
struct time_range {
	uint64_t first, last;
};

/**
 * time_window_parse() - read "START,STOP", "START,", ",STOP" or "START"
 *
 * A number may have up to nine digits after the point and the units s (the default), ms,
 * us, ns, or %, which must not exceed 100.
 *
 * Return: 0; -EINVAL it has another form; -ERANGE a time beyond 584 years, which no clock has.
 */
int time_window_parse(struct time_window *w, const char *text) __must_check;

/**
 * time_window_resolve() - turn a window into time stamps
 * @recorded: time stamps of the recording's first and last event
 * @ns: the clock counts nanoseconds; if not, absolute and relative times must be whole
 *	numbers without a unit, in the clock's own
 * @out: receives the bounds; open ones are 0 and UINT64_MAX
 *
 * Return: 0; -EOPNOTSUPP a time in seconds with a clock that does not count them; -EOVERFLOW
 * a time beyond 584 years; -ERANGE the window ends before it begins.
 */
int time_window_resolve(const struct time_window *w, const struct time_range *recorded,
			bool ns, struct time_range *out) __must_check;

#endif
