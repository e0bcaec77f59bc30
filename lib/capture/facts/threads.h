/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the live threads: their processes, and how long they have run.
 * In: /proc. Out: a call for each, or lines for a recording.
 */
#ifndef KMEMX_CAPTURE_THREADS_H
#define KMEMX_CAPTURE_THREADS_H

#include <sys/types.h>

#include "base/keyed.h"
#include "base/strbuf.h"
#include "capture/facts/lists.h"

/* Called for thread @pid of process @tgid; the directory @task_fd has its files in a directory
 * named @pid. The main thread, which has the process's number, comes before the others. A negative
 * value ends the walk, which returns it.
 */
typedef int (*thread_fn)(void *ctx, int task_fd, uint32_t pid, uint32_t tgid);

/* Calls @fn for every live thread of @proc, which is "/proc". Threads that come or go meanwhile may
 * be left out. @most_ns: limit of CPU time; 0: none. 0; -ETIME: it takes longer; another -errno.
 */
int threads_walk(const char *proc, thread_fn fn, void *ctx,
		 uint64_t most_ns) __must_check;

/* Reads the start of a thread's file into @text, NUL terminated. Returns the bytes read; 0 or less:
 * it cannot be read.
 */
ssize_t thread_read(int task_fd, uint32_t pid, const char *file, char *text, size_t size);

/* Lists the live threads, as RECORDING_META_PROCESSES has them. Threads that come or go meanwhile
 * may be left out. A thousand processes take some 20 milliseconds.
 */
list_fn processes_list;
/* Lists the live threads that are not in @earlier, such a list. @proc is "/proc". Takes some 5 us a
 * thread, and gives up after 50 ms of CPU time. 0; -ETIME: @out has only some; another -errno.
 */
int processes_list_new(const char *earlier, const char *proc,
		       struct strbuf *out) __must_check;
/* Appends the lines of @earlier, such a list, whose threads are not in the list @now, which may be
 * @out's text. 0 or -ENOMEM.
 */
int processes_list_gone(const char *earlier, const char *now,
			struct strbuf *out) __must_check;
/* Appends the control group of a process as in the list, "HIERARCHY:PATH"; nothing if it has ended. */
void processes_list_group(int32_t pid, struct strbuf *out);

/**
 * struct tasks_ran - which user-space tasks ran during a recording; zero-initialise it
 * @begun: all threads were read at the start
 * @ns: how long each had run by then
 *
 * A task that ran and has no event may have allocated what the ledger misses.
 */
struct tasks_ran {
	bool begun;
	INDEXED(uint64_t) ns;
};

/* Reads how long each thread has run so far. @proc is "/proc". Takes some 20 us a thread, and gives
 * up after 50 ms of CPU time. 0; -ETIME; -EOPNOTSUPP: the kernel does not count it
 * (CONFIG_SCHED_INFO); another -errno.
 */
int tasks_ran_begin(struct tasks_ran *t, const char *proc) __must_check;
/* Appends "PID NS" for each thread that has run since, except @self and kernel threads. NS: for how
 * long. Errors as above; -EINVAL: tasks_ran_begin() failed.
 */
int tasks_ran_end(const struct tasks_ran *t, const char *proc, uint32_t self,
		  struct strbuf *out) __must_check;
void tasks_ran_free(struct tasks_ran *t);

#endif
