/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the numbers by which the kernel knows this process and the command, and those of a
 * control group.
 * In: a tracing instance, /sys/fs/cgroup. Out: process numbers of the first PID namespace.
 *
 * Events and event filters use the kernel's own numbers. In a PID namespace such as a container's,
 * getpid() and /proc use others, and the kernel never translates them. Every event has the kernel's
 * number of the process that caused it, so both processes write a line into the instance's
 * trace_marker and the numbers are read back from the buffer.
 */
#ifndef KMEMX_CAPTURE_PIDS_H
#define KMEMX_CAPTURE_PIDS_H

#include <sys/types.h>

#include "base/log.h"
#include "capture/events/instance.h"

/* The lines that the two processes write. */
#define PIDS_RECORDER "kmemx: the recorder"
#define PIDS_COMMAND  "kmemx: the command"

/**
 * struct pids - the kernel's numbers
 * @self: of this process; 0: unknown
 * @command: of the command's process; 0: none, or unknown
 * @proc_agrees: /proc uses the kernel's numbers too
 */
struct pids {
	pid_t self, command;
	bool proc_agrees;
};

/* Lets the instance accept lines. Returns a descriptor to write them to, or -errno. */
int pids_begin(const struct instance *in) __must_check;

/**
 * pids_end() - write this process's line, and read the numbers
 * @marker_fd: from pids_begin(), closed here; if it is an error, the numbers are known only in the
 *	first PID namespace
 * @command: the command's process as returned by fork(2); 0: none
 *
 * The instance's buffers are empty afterwards, and tracing is off.
 */
void pids_end(struct pids *out, const struct instance *in, int marker_fd, pid_t command,
	      const struct log *log);

/* Is task @pid still running? A task that has ended may keep its number until its parent waits for
 * it.
 */
bool pids_runs(pid_t pid);

/* The current parent of process @pid; 0: it has none; -1: @pid has ended. */
pid_t pids_parent(pid_t pid);

/* Is this process in the first PID namespace, where all numbers are the kernel's? */
bool pids_in_first_namespace(void);

/**
 * cgroup_find() - the directory of a control group
 * @name: a directory with cgroup.procs, or the group's path below the mount point, as in
 *	/proc/PID/cgroup, or as in reports, with the first 12 digits of a container's ID
 * @mounts: /proc/mounts
 * @dir: receives the directory; free() it
 *
 * Return: 0; -ENOENT if there is no such group; -ENOMEM; -errno of reading @mounts.
 */
int cgroup_find(const char *name, const char *mounts, char **dir) __must_check;

/**
 * cgroup_pids() - the processes in a group and in the groups below it
 * @pids: receives them, unordered; free() it in any case
 *
 * Return: 0; -errno of opening @dir; -EOPNOTSUPP for a group of threads; -ENOMEM.
 */
int cgroup_pids(const char *dir, pid_t **pids, size_t *nr) __must_check;

#endif
