/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: what a recorder that was killed leaves behind.
 * In: a directory. Out: the unfinished files in it, by the recording that each belongs to.
 *
 * A recorder writes DIR/.NAME.TOKEN.tmp, locked with flock(2) while it lives, and its tracing
 * instance has the same token. The file begins with everything known before the first event, as a
 * stream (recording/wire.h) that breaks off. Each CPU's pages are in a region of the same file, or
 * in .NAME.TOKEN.cpuN.
 *
 * Files of another user, links and FIFOs with such names are not opened.
 */
#ifndef KMEMX_CAPTURE_LEFTOVER_H
#define KMEMX_CAPTURE_LEFTOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/new_file.h"

/**
 * struct leftover - a killed recorder's files, locked against others
 * @tmp: the path that ends in .tmp, for messages
 * @prefix: the same without .tmp: all its file names begin with it
 * @path: the intended path of the recording
 * @token: part of the names of its files and its tracing instance
 * @dir_fd, @base: the directory, opened once, and the prefix of file names in it
 * @fd: @tmp, open for reading and writing
 */
struct leftover {
	char *tmp;
	char *prefix;
	char *path;
	char token[NEW_FILE_TOKEN];
	int dir_fd;
	const char *base; /* within @prefix */
	int fd;
};

/**
 * leftovers_find() - list the unfinished files in a directory, including those of live recorders
 * @name: the recording's name; NULL: any
 * @tmps: receives their paths; free each, and the array
 *
 * Return: 0; -errno of opening the directory; -ENOMEM.
 */
int leftovers_find(const char *dir, const char *name, char ***tmps,
		   size_t *nr) __must_check;
void leftovers_free(char **tmps, size_t nr);

/**
 * leftover_open() - take one over
 * @l: call leftover_close() in any case
 *
 * Return: 0; -EINVAL if @tmp is no such name; -EBUSY if its recorder lives or another kmemx has
 * locked it; -EPERM if this user does not own the file; -errno of open(2).
 */
int leftover_open(struct leftover *l, const char *tmp) __must_check;
void leftover_close(struct leftover *l);

/* Total size of its files. */
uint64_t leftover_bytes(const struct leftover *l);
/* Were any pages recorded? */
bool leftover_has_pages(const struct leftover *l);
/* The CPU number of each .cpuN file, ascending; free() it. 0 or -errno. */
int leftover_cpus(const struct leftover *l, uint32_t **cpus, size_t *nr) __must_check;
/* Opens a CPU's .cpuN file for reading and writing. A descriptor or -errno. */
int leftover_open_cpu(const struct leftover *l, uint32_t cpu) __must_check;
/* The name of @tmp in @dir_fd. */
const char *leftover_name(const struct leftover *l);
/* Removes all its files. 0 or -errno. */
int leftover_remove(const struct leftover *l) __must_check;

#endif
