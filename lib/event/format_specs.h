/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: which events are decoded, and which of their fields.
 * In: an event's name. Out: its type, and the names of its fields.
 */
#ifndef KMEMX_EVENT_FORMAT_SPECS_H
#define KMEMX_EVENT_FORMAT_SPECS_H

#include "event/event.h"

/* A field that the decoder reads; @other is the name it has on other kernels. */
struct field_spec {
	const char *name;
	uint8_t index;
	bool required;
	const char *other;
};

/* How an event of this name is decoded. */
struct event_spec {
	const char *system;
	const char *name;
	enum kmem_event_type type;
	const struct field_spec *fields;
};

/* How the event is decoded; NULL: it is not. */
const struct event_spec *format_spec_find(const char *system, const char *name);

#endif
