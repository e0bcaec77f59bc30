/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the names of tasks.
 * In: a recording's saved command lines. Out: the name of a pid.
 */
#ifndef KMEMX_ANALYSIS_TASKS_H
#define KMEMX_ANALYSIS_TASKS_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/hash.h"

/* Zero-initialise it. */
struct tasks {
	struct intern names;
	struct u64_map by_pid; /* pid -> number of its name */
};

/* Reads "pid comm" lines, of which a later one wins; @text may be NULL, and hostile: what
 * is no such line is skipped. 0 or -ENOMEM.
 */
int tasks_read(struct tasks *t, const char *text) __must_check;
/* The name of @pid; "<idle>" for 0 and "<...>" where it is unknown, as the kernel has it.
 * Valid until tasks_read() or tasks_free().
 */
const char *tasks_name(const struct tasks *t, int32_t pid);
void tasks_free(struct tasks *t);

#endif
