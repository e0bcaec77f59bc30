/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the tracing instances of recorders that were killed.
 * In: tracefs. Out: tracing that has stopped, and what their buffers still hold.
 */
#ifndef KMEMX_CAPTURE_DEAD_H
#define KMEMX_CAPTURE_DEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "capture/instance.h"
#include "capture/leftover.h"

/**
 * struct dead_content - the kernel's statistics of an instance's buffers
 * @events: that they hold
 * @history: events that were read from them or lost
 */
struct dead_content {
	uint64_t events, history;
};

struct dead_content dead_count(const struct instance *in);

/**
 * dead_look() - stop tracing in the instance of a killed recorder, and count what it has
 *
 * One in which nothing was ever recorded is removed. Return: 0 and @out, which is zero
 * without an instance; -EBUSY if its recorder lives; -errno.
 */
int dead_look(const char *token, struct dead_content *out,
	      const struct log *log) __must_check;

/* Has @l, or its instance, anything that could be recovered? Where the instance cannot be
 * read, whatever was begun is taken for that.
 */
bool dead_has_events(const struct leftover *l, const struct log *log);

/* Looks at all of them: removes the empty ones, and warns of those that hold events. */
void dead_sweep(const struct log *log);

#endif
