/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: which files processes map as code while a recording is made.
 * In: /proc/PID/maps at the start, then the kernel's own records of mappings, forks and execs,
 * which perf uses too. Out: metadata from which user-space frames get names.
 */
#ifndef KMEMX_CAPTURE_MAPPINGS_H
#define KMEMX_CAPTURE_MAPPINGS_H

#include "capture/events/ring_reader.h"
#include "capture/facts/facts.h"
#include "recording/user_maps.h"

struct mappings;

/**
 * mappings_begin() - read the mappings of all processes, and make the kernel report new ones
 * @clock: the trace clock
 *
 * Return: 0; -errno after a LOG_ERROR message. If the kernel cannot report them, that is a warning.
 */
int mappings_begin(struct mappings **out, const char *clock,
		   const struct log *log) __must_check;
/* Reads the kernel's reports since the last call. */
void mappings_read(struct mappings *m);
/* Adds the mappings and the symbols of all frames in @reader's user_stack events. 0; -ENOMEM;
 * -errno of reading the events.
 */
int mappings_add(struct mappings *m, struct facts *f,
		 struct ring_reader *reader) __must_check;
void mappings_end(struct mappings *m);

#endif
