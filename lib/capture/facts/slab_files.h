/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the files of each slab cache, open for as long as a recording takes.
 * In: /sys/kernel/slab, the names of slabinfo. Out: descriptors.
 *
 * The kernel has an object for each file of sysfs that is open (struct kernfs_open_node, in
 * kmalloc-96), and from 6.0 on frees it with kfree_rcu(): seconds later, without an event. Files
 * that stay open are the same objects at both counts, and reading them again allocates nothing.
 * They take 3 or 4 pages a cache, for the text of each file that is read.
 */
#ifndef KMEMX_CAPTURE_SLAB_FILES_H
#define KMEMX_CAPTURE_SLAB_FILES_H

#include "base/compiler.h"

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

/* Zero-initialise it; slab_files_close() at the end. */
struct slab_files {
	struct slab_files_cache *caches;
	size_t nr;
};

/**
 * slab_files_open() - open the files of caches, and read those that are read again
 * @path: /sys/kernel/slab, or a directory like it
 * @slabinfo: text of slabinfo, which lists the caches
 *
 * Raises this process's limit of open files, as far as it may. Files for which that is not enough,
 * and those that the kernel does not have, are left out.
 */
void slab_files_open(struct slab_files *f, const char *path, const char *slabinfo);
/* The cache of slabinfo's @name; NULL: it has no open files. */
const struct slab_files_cache *slab_files_of(const struct slab_files *f,
					     const char *name);
void slab_files_close(struct slab_files *f);
/* Opens and reads the files of one cache in @dir. */
void slab_files_open_cache(int dir, const char *name, struct slab_files_cache *c);
void slab_files_close_cache(const struct slab_files_cache *c);

#endif
