/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the kernel's filters and triggers of a sampled recording.
 * In: the rule of a sample, selected events. Out: the instance's event files, set.
 */
#ifndef KMEMX_CAPTURE_EVENT_SAMPLE_H
#define KMEMX_CAPTURE_EVENT_SAMPLE_H

#include "base/log.h"
#include "base/strbuf.h"
#include "capture/events/events.h"
#include "recording/sample.h"

/**
 * events_sample() - make the kernel drop what is not in the sample
 *
 * Adds to the filter of each slab and page allocator event, and reads it back; other events do not
 * change. Call it after all other filters are set: events_leave_out() and events_filter() replace
 * filters.
 * @part: which events: frees with a ring buffer of their own are filtered in that instance
 *
 * Return: 0; -errno after a LOG_ERROR message: -ENOTSUP if an event has neither "ptr" nor "pfn",
 * -EINVAL if the kernel rejects the filter.
 */
int events_sample(struct event_list *list, const struct instance *in,
		  const struct sample *s, enum events_part part,
		  const struct log *log) __must_check;
/**
 * events_sample_stacks() - record a callchain on the slab allocations of the sample
 *
 * All allocations stay recorded. Return: 0; -errno without a message: this kernel cannot.
 */
int events_sample_stacks(const struct event_list *list, const struct instance *in,
			 const struct sample *s) __must_check;

/* Passes what sample_object() keeps. With @is_free it drops kfree(NULL), which is frequent. The
 * event has a field "ptr".
 */
void sample_filter_object(const struct sample *s, bool is_free, struct strbuf *out);
/* Passes what sample_block() keeps. The event has a field "pfn", and with @has_order a field
 * "order". @long_size: bytes of pfn, 4 or 8.
 */
void sample_filter_block(const struct sample *s, bool has_order, unsigned int long_size,
			 struct strbuf *out);

#endif
