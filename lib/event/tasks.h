/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: the names of tasks.
 * In: a recording's saved command lines. Out: the name of a pid.
 */
#ifndef KMEMX_EVENT_TASKS_H
#define KMEMX_EVENT_TASKS_H

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

/* The number of a name that "<idle>" stands for; that of "<...>" is 0. */
#define TASKS_IDLE UINT32_MAX

/* The number of @pid's name: tasks of one name have one number. */
static inline uint32_t tasks_number(const struct tasks *t, int32_t pid)
{
	const uint32_t *name = pid < 0 ? NULL : u64_map_find(&t->by_pid, (uint64_t)pid);

	if (!pid)
		return TASKS_IDLE;
	return name ? *name : 0;
}

/* The name that has @number, as tasks_name() says it, and as long valid. */
const char *tasks_numbered(const struct tasks *t, uint32_t number);
void tasks_free(struct tasks *t);

#endif
