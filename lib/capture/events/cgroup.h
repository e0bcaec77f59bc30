/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the processes of a control group.
 * In: /sys/fs/cgroup, as mounted. Out: process IDs.
 */
#ifndef KMEMX_CAPTURE_CGROUP_H
#define KMEMX_CAPTURE_CGROUP_H

#include <sys/types.h>

#include "base/compiler.h"

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
 * @pids: receives them, unordered; free() it
 *
 * Return: 0; -errno of opening @dir; -EOPNOTSUPP for a group of threads; -ENOMEM.
 */
int cgroup_pids(const char *dir, pid_t **pids, size_t *nr) __must_check;

#endif
