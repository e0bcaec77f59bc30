/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: which allocations are recorded, as filters of the kernel's events.
 * In: criteria, selected events. Out: the instance's filters, set.
 */
#ifndef KMEMX_CAPTURE_EVENT_CRITERIA_H
#define KMEMX_CAPTURE_EVENT_CRITERIA_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "capture/events.h"

/* Is anything chosen? */
bool event_criteria_any(const struct event_criteria *c);

/**
 * event_criteria_filter() - the filter of one event
 * @name: of an event of the system kmem
 * @filter_frees: frees are chosen by the same; else only by what is certain of them: an object
 *	is of the same cache when it is freed
 * @out: receives the filter; nothing: all of this event are recorded
 *
 * Return: the name of the field that it needs most, which not all kernels' events have; NULL:
 * there is no filter.
 */
const char *event_criteria_filter(const struct event_criteria *c, const char *name,
				  bool filter_frees, struct strbuf *out);

/**
 * events_criteria() - set the filters of the selected events, and read them back
 * @frees: the instance that has the frees by all tasks; tracefs NULL: @in has them
 *
 * A filter that an event has stays, beside that of the criteria.
 *
 * Return: 0; -errno after an LOG_ERROR message: -ENOTSUP if an event lacks a field.
 */
int events_criteria(struct event_list *list, const struct instance *in,
		    const struct instance *frees, const struct event_choice *choice,
		    const struct log *log) __must_check;

#endif
