/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the pages of all CPUs in one file, far apart while they are recorded.
 * In: a file on a filesystem that can remove a range from a file. Out: where each CPU's pages
 * begin; the file without the holes between them, with no byte copied.
 */
#ifndef KMEMX_RECORDING_CPU_REGIONS_H
#define KMEMX_RECORDING_CPU_REGIONS_H

#include "base/compiler.h"

/**
 * struct cpu_regions - where the CPUs' pages begin in the file
 * @first: of the first CPU; the room before it is for the metadata
 * @stride: from one CPU to the next; 0: the file cannot have regions
 * @block: what holes must be multiples of, in bytes
 */
struct cpu_regions {
	uint64_t first;
	uint64_t stride;
	uint32_t block;
};

/* The most that metadata may need; a hole costs nothing. */
#define CPU_REGIONS_FIRST (1ULL << 30)

/**
 * cpu_regions_probe() - can @fd, an empty file, hold @nr regions of sub-buffers?
 *
 * Tries it out: makes the file large and removes a range from it (ext4, xfs, f2fs). It is empty
 * again afterwards.
 *
 * Return: 0 and @out; -EOPNOTSUPP if it cannot, or if the process's limit of file sizes or
 * the filesystem's leaves a CPU too little.
 */
int cpu_regions_probe(int fd, size_t nr, uint32_t subbuf_size,
		      struct cpu_regions *out) __must_check;

static inline uint64_t cpu_regions_start(const struct cpu_regions *r, size_t i)
{
	return r->first + r->stride * i;
}

/**
 * cpu_regions_take_out() - remove the bytes from @from up to @to from @fd
 *
 * The bytes after it move up. Both are multiples of the block; the file must extend beyond @to.
 * Return: 0 or -errno.
 */
int cpu_regions_take_out(int fd, uint64_t from, uint64_t to) __must_check;

/* The plan that turns these pages into a recording, with which another process continues if this
 * one is killed.
 */

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
