/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the threads that live now.
 * In: /proc. Out: a call for each.
 */
#ifndef KMEMX_CAPTURE_THREADS_H
#define KMEMX_CAPTURE_THREADS_H

#include <sys/types.h>

#include "base/compiler.h"

/* Looks at thread @pid of process @tgid; its directory in @task_fd is @pid in digits. The first
 * thread of a process, with the same number, comes before the others. Negative: the walk ends, and
 * returns that.
 */
typedef int (*thread_fn)(void *ctx, int task_fd, uint32_t pid, uint32_t tgid);

/* Calls @fn for every live thread of @proc, which is "/proc". Threads that come or go meanwhile may
 * be left out. 0 or -errno.
 */
int threads_walk(const char *proc, thread_fn fn, void *ctx) __must_check;
/* Reads the start of a thread's file into @text, NUL terminated. The bytes read; 0 or less: it
 * cannot be read.
 */
ssize_t thread_read(int task_fd, uint32_t pid, const char *file, char *text, size_t size);
/* Reads a process number, in digits alone. */
bool thread_parse_pid(const char *text, uint32_t *pid);

#endif
