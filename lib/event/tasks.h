/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: the names of tasks.
 * In: a recording's saved command lines. Out: the name of a pid.
 */
#ifndef KMEMX_EVENT_TASKS_H
#define KMEMX_EVENT_TASKS_H

#include "base/hash.h"

/* Zero-initialise it. */
struct tasks {
	struct intern names;
	struct u64_map by_pid; /* pid -> number of its name */
};

/* Reads "pid comm" lines; a later line of the same pid wins. @text may be NULL, and is hostile:
 * other lines are skipped. 0 or -ENOMEM.
 */
int tasks_read(struct tasks *t, const char *text) __must_check;
/* The name of @pid; like the kernel, "<idle>" for 0 and "<...>" if unknown. Valid until
 * tasks_read() or tasks_free().
 */
const char *tasks_name(const struct tasks *t, int32_t pid);

/* The number of the name "<idle>"; that of "<...>" is 0. */
#define TASKS_IDLE UINT32_MAX

/* The number of @pid's name: tasks of the same name share it. */
static inline uint32_t tasks_number(const struct tasks *t, int32_t pid)
{
	const uint32_t *name = pid < 0 ? NULL : u64_map_find(&t->by_pid, (uint64_t)pid);

	if (!pid)
		return TASKS_IDLE;
	return name ? *name : 0;
}

/* The name with @number, as tasks_name() returns it and valid as long. */
const char *tasks_numbered(const struct tasks *t, uint32_t number);
void tasks_free(struct tasks *t);

#endif
