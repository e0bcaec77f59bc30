/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: which tasks of user space ran during a recording.
 * In: /proc at its start and at its end. Out: "PID NS" lines.
 *
 * A task that ran and has no event may have allocated what the ledger misses.
 */
#ifndef KMEMX_CAPTURE_TASKS_RAN_H
#define KMEMX_CAPTURE_TASKS_RAN_H

#include "base/hash.h"
#include "base/strbuf.h"

/**
 * struct tasks_ran - zero-initialise it
 * @begun: all threads were read at the start
 * @by_pid: place in @ns of a thread; @ns: for how long it had run then
 */
struct tasks_ran {
	bool begun;
	struct u64_map by_pid;
	uint64_t *ns;
	size_t nr, capacity;
};

/* Reads how long each thread has run so far. @proc is "/proc". Takes some 20 us a thread, and gives
 * up after 50 ms of CPU time. 0; -ETIME; -EOPNOTSUPP: the kernel does not count it
 * (CONFIG_SCHED_INFO); another -errno.
 */
int tasks_ran_begin(struct tasks_ran *t, const char *proc) __must_check;
/* Appends "PID NS" for each thread that has run since, @self and the kernel's own left out. NS: for
 * how long. Errors as above; -EINVAL: tasks_ran_begin() failed.
 */
int tasks_ran_end(const struct tasks_ran *t, const char *proc, uint32_t self,
		  struct strbuf *out) __must_check;
void tasks_ran_free(struct tasks_ran *t);

#endif
