/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the plan that turns pages far apart into a recording.
 * In: the finished metadata, the ranges to remove from the file. Out: a plan in one of these
 * ranges, with which another process continues if this one is killed.
 */
#ifndef KMEMX_RECORDING_JOIN_PLAN_H
#define KMEMX_RECORDING_JOIN_PLAN_H

#include "base/compiler.h"

/* A range of the file, in bytes. */
struct join_range {
	uint64_t from, to;
};

/**
 * struct join_plan - how a file becomes a recording
 * @metadata, @size: the start of the finished file
 * @ranges, @nr: to be removed one after the other; the last one lies before all pages
 */
struct join_plan {
	const void *metadata;
	size_t size;
	const struct join_range *ranges;
	size_t nr;
};

/**
 * join_plan_write() - note the plan in the last range
 *
 * No range was removed from @fd yet. Return: 0; -EFBIG if the range has no room for it; -errno of
 * writing: a partial plan does not count.
 */
int join_plan_write(int fd, const struct join_plan *plan) __must_check;
/* Runs the whole plan. After each step, join_plan_resume() can finish the file. */
int join_plan_run(int fd, const struct join_plan *plan) __must_check;

/**
 * join_plan_resume() - finish what another process began
 *
 * Return: 1: the file is a recording now; 0: it has no plan; -EBADMSG; -errno.
 */
int join_plan_resume(int fd) __must_check;

#endif
