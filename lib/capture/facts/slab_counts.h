/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the kernel's count of each slab cache, as exact as possible.
 * In: /sys/kernel/slab, the names of slabinfo. Out: lines for a recording's metadata.
 */
#ifndef KMEMX_CAPTURE_SLAB_COUNTS_H
#define KMEMX_CAPTURE_SLAB_COUNTS_H

#include <time.h>

#include "base/log.h"
#include "base/strbuf.h"

enum slab_file {
	SLAB_SHRINK,
	SLAB_OBJECTS,
	SLAB_CPU_SLABS,
	SLAB_CPU_PARTIAL,
	SLAB_SHEAF_CAPACITY,
	SLAB_RECLAIM_ACCOUNT,
	SLAB_FILES,
};

/* One cache. @fds: its open files; -1: not open. */
struct slab_files_cache {
	char name[256];
	int fds[SLAB_FILES];
};

/**
 * struct slab_files - files that stay open during a recording
 *
 * The kernel has an object for each file of sysfs that is open (struct kernfs_open_node, in
 * kmalloc-96), and from 6.0 on frees it with kfree_rcu(): seconds later, without an event. Files
 * that stay open are the same objects at both counts, and reading them again allocates nothing.
 * They take 3 or 4 pages a cache, for the text of each file that is read.
 *
 * Zero-initialise it; slab_files_close() at the end.
 */
struct slab_files {
	struct slab_files_cache *caches;
	size_t nr;
};

/**
 * slab_files_open() - open the files of caches, and read those that are read again
 * @path: /sys/kernel/slab, or a directory like it
 * @slabinfo: text of slabinfo, which lists the caches
 *
 * Raises this process's limit of open files as far as it may. Files beyond it, and those that the
 * kernel lacks, are left out.
 */
void slab_files_open(struct slab_files *f, const char *path, const char *slabinfo);
/* The cache of slabinfo's @name; NULL: it has no open files. */
const struct slab_files_cache *slab_files_of(const struct slab_files *f,
					     const char *name);
void slab_files_close(struct slab_files *f);

/**
 * struct slab_counts_options - how to count
 * @path: /sys/kernel/slab, or a directory like it
 * @slabinfo: the text of slabinfo, which lists the caches to count
 * @clock: the trace clock, by which all times are
 * @shrink_ns: time to spend on shrinking caches, which makes CPUs return the slabs that they hold.
 *	Caches are not shrunk if no time is left, if they have many free objects, if CPUs are
 *	isolated, and after a cache that took 10 ms. The time is checked between caches,
 *	never within one. UINT64_MAX: shrink them all
 * @open: files of caches that are already open; may be NULL
 */
struct slab_counts_options {
	const char *path, *slabinfo;
	clockid_t clock;
	uint64_t shrink_ns;
	const struct slab_files *open;
};

/**
 * slab_counts_take() - count the objects of every cache, one after the other
 * @out: a line is appended for each: "NAME OBJECTS HELD SHEAF SHRUNK BEGIN READ END"
 *
 * OBJECTS were in use at some time from READ to END (ns). They include the free objects of HELD
 * slabs and of CPUs' sheaves, each with SHEAF objects. SHRUNK: 1 if the cache was shrunk between
 * BEGIN and READ. Caches that sysfs does not have are left out.
 *
 * Return: nanoseconds that shrinking took.
 */
uint64_t slab_counts_take(struct strbuf *out, const struct slab_counts_options *opts);

/* Appends lines "NAME SLABS SHEAF" of all caches of @path. SLABS: the most that CPUs may hold,
 * whose free objects slabinfo counts as in use. SHEAF: objects of a sheaf; 0 unless @sheaves.
 */
void slab_counts_held(struct strbuf *out, const char *path, bool sheaves);

/* Appends lines "NAME 1" for the caches of @path that are reclaimable, "NAME 0" for the others. */
void slab_counts_reclaim(struct strbuf *out, const char *path);

/**
 * shrink_caches() - shrink every slab cache
 * @path: /sys/kernel/slab, or a directory like it
 * @level: level of the message about failures
 *
 * Skips aliases, which are symbolic links, so that each cache is shrunk once. Caches that vanish
 * meanwhile do not count.
 *
 * Return: true if all caches were shrunk; false after a message of @level, and a LOG_INFO one
 * for each cache that was not.
 */
bool shrink_caches(const char *path, enum log_level level, const struct log *log);
/* Shrinks again the few caches from which CPUs have taken slabs since. */
void shrink_again(const char *path, const struct log *log);

#endif
