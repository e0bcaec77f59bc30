// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: --time and --instance: which part of a recording is meant.
 * In: the options' values and an open recording. Out: time stamps, or a message.
 */
#include "window.h"

#include <errno.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "recording/time_span.h"

int window_check(struct window *w, const char *command)
{
	if (!w->time || !time_window_parse(&w->parsed, w->time))
		return GO_ON;
	message_error(
		command,
		"cannot understand --time '%s'\n  START,STOP in seconds as trace-cmd prints them (81.5,82), from the start\n  (+1s,+1500ms) or in percent (10%%,20%%); either may be left out.",
		w->time);
	return EXIT_USAGE;
}

bool window_has_buffer(const struct window *w, const struct recording *rec, uint32_t i)
{
	return !w->instance || !strcmp(rec->buffers[i].name, w->instance);
}

/* Learns the time span of the buffers that take part. */
static void find_span(struct window *w, const struct recording *rec)
{
	uint64_t first, last;
	bool found = false;
	uint32_t i;

	for (i = 0; i < rec->nr_buffers; i++) {
		if (!window_has_buffer(w, rec, i) ||
		    recording_time_span(rec, i, &first, &last))
			continue;
		if (!found) {
			w->buffer = i;
			w->first_ts = first;
			w->last_ts = last;
			found = true;
		}
		if (first < w->first_ts)
			w->first_ts = first;
		if (last > w->last_ts)
			w->last_ts = last;
	}
}

int window_resolve(struct window *w, const struct input *in)
{
	const char *clock;
	int err;

	w->start_ts = 0;
	w->stop_ts = UINT64_MAX;
	find_span(w, in->rec);
	if (!w->time)
		return GO_ON;
	clock = recording_clock(in->rec, w->buffer);
	err = time_window_resolve(&w->parsed, w->first_ts, w->last_ts,
				  recording_clock_is_ns(clock), &w->start_ts,
				  &w->stop_ts);
	if (err == -EOPNOTSUPP)
		message_error(
			in->command,
			"--time in seconds: the clock '%s' does not count them.\n  Use its own units (whole numbers) or percent.",
			clock);
	else if (err)
		message_error(in->command, "--time '%s' ends before it begins.", w->time);
	return err ? EXIT_USAGE : GO_ON;
}

int window_open_stream(struct window *w, const struct input *in,
		       const struct event_stream_options *opts, struct event_stream **out)
{
	struct event_stream_options so = *opts;
	int err, ret = window_resolve(w, in);

	if (ret != GO_ON)
		return ret;
	so.instance = w->instance;
	so.start_ts = w->start_ts;
	so.stop_ts = w->stop_ts;
	err = event_stream_open(out, in->rec, in->fmts, &so, &in->log);
	if (err == -ENOENT)
		return input_no_instance(in, w->instance);
	return err ? input_stream_failed(in, err) : GO_ON;
}
