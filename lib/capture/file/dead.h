/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the tracing instances and probes of recorders that were killed.
 * In: tracefs. Out: tracing stopped in them, and counts of the events that their buffers still
 * hold. Nothing that holds events is ever removed here.
 */
#ifndef KMEMX_CAPTURE_DEAD_H
#define KMEMX_CAPTURE_DEAD_H

#include "base/log.h"
#include "capture/events/instance.h"
#include "capture/events/leftover.h"

/**
 * struct dead_content - the kernel's statistics of an instance's buffers
 * @events: events that the buffers hold
 * @history: events that were read from them or lost
 */
struct dead_content {
	uint64_t events, history;
};

/* Counts both of @in's instances. 0; -errno: they cannot be read, @out is incomplete. */
int dead_count(const struct instance *in, struct dead_content *out) __must_check;

/**
 * dead_look() - stop tracing in the instance of a killed recorder, and count its events
 *
 * Removes an instance that never recorded anything; one that cannot be read stays. Return: 0 with
 * @out filled, zeroed without an instance; -EBUSY if its recorder lives; -errno.
 */
int dead_look(const char *token, struct dead_content *out,
	      const struct log *log) __must_check;

/* Can anything be recovered from @l or its instance? If the instance cannot be read, whatever was
 * begun is assumed to be recoverable.
 */
bool dead_has_events(const struct leftover *l, const struct log *log);

/* Checks the instances of all killed recorders: removes the empty ones, and warns about those that
 * hold events. Then removes the probes that no instance records.
 */
void dead_sweep(const struct log *log);

#endif
