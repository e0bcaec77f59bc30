/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: which files processes map as code while a recording is made.
 * In: /proc/PID/maps at the start, then the kernel's own records of mappings, forks and execs,
 * which perf uses too. Out: metadata with which frames of programs have names.
 */
#ifndef KMEMX_CAPTURE_MAPPINGS_H
#define KMEMX_CAPTURE_MAPPINGS_H

#include "capture/events/ring_reader.h"
#include "capture/facts/facts.h"
#include "recording/user_maps.h"

struct mappings;

/**
 * mappings_begin() - reads the mappings of all processes, and has the kernel tell of new ones
 * @clock: the trace clock
 *
 * Return: 0; -errno after a LOG_ERROR message. A kernel that does not tell is a warning.
 */
int mappings_begin(struct mappings **out, const char *clock,
		   const struct log *log) __must_check;
/* Reads what the kernel has told since the last call. */
void mappings_read(struct mappings *m);
/* Adds the mappings and the symbols of all frames in @reader's user_stack events. 0; -ENOMEM;
 * -errno of reading the events.
 */
int mappings_add(struct mappings *m, struct facts *f,
		 struct ring_reader *reader) __must_check;
void mappings_end(struct mappings *m);

#endif
