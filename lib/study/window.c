// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * study: the selected part of a recording.
 * In: a time window, an instance, and an open recording. Out: time stamps.
 */
#include "study/window.h"

#include <string.h>

#include "recording/time_span.h"

bool window_has_buffer(const struct window *w, const struct recording *rec, uint32_t i)
{
	return !w->instance || !strcmp(rec->buffers[i].name, w->instance);
}

/* Finds the time span of the selected buffers. */
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

int window_resolve(struct window *w, const struct recording *rec)
{
	struct time_range recorded, range = { 0 };
	uint64_t start, stop;
	int err;

	w->start_ts = 0;
	w->stop_ts = UINT64_MAX;
	find_span(w, rec);
	/* Before that time a flight recording has the events of some CPUs only. */
	if (!w->time && recording_flight(rec) && !recording_span(rec, &start, &stop))
		w->start_ts = start;
	if (!w->time)
		return 0;
	recorded = (struct time_range){ w->first_ts, w->last_ts };
	err = time_window_resolve(&w->parsed, &recorded,
				  recording_clock_is_ns(recording_clock(rec, w->buffer)),
				  &range);
	w->start_ts = range.first;
	w->stop_ts = range.last;
	return err;
}
