/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: which allocations are recorded, as filters of the kernel's events.
 * In: criteria, selected events. Out: the instance's filters, set.
 */
#ifndef KMEMX_CAPTURE_EVENT_CRITERIA_H
#define KMEMX_CAPTURE_EVENT_CRITERIA_H

#include "base/log.h"
#include "base/strbuf.h"
#include "capture/events/events.h"

/* Is any criterion set? */
bool event_criteria_any(const struct event_criteria *c);

/**
 * event_criteria_filter() - the filter of one event
 * @name: name of a kmem event
 * @filter_frees: frees must meet the same criteria; else only what also holds at the free: an
 *	object's cache
 * @out: receives the filter; nothing: every such event is recorded
 *
 * Return: the name of the most important field that the filter needs, which not all kernels' events
 * have; NULL: there is no filter.
 */
const char *event_criteria_filter(const struct event_criteria *c, const char *name,
				  bool filter_frees, struct strbuf *out);

/**
 * events_criteria() - set the filters of the selected events, and read them back
 * @frees: the instance with the frees by all tasks; tracefs NULL: they are in @in
 *
 * An event's existing filter stays, combined with that of the criteria.
 *
 * Return: 0; -errno after a LOG_ERROR message: -ENOTSUP if an event lacks a field.
 */
int events_criteria(struct event_list *list, const struct instance *in,
		    const struct instance *frees, const struct event_choice *choice,
		    const struct log *log) __must_check;

#endif
