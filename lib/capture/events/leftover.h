/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: what a recorder that was killed leaves behind.
 * In: a directory. Out: the unfinished files in it, by the recording that each belongs to.
 *
 * A recorder makes the directory DIR/.NAME.TOKEN.tmp and writes recording.tmp in it, locked with
 * flock(2) while it lives, and its tracing instance has the same token. The file begins with
 * everything known before the first event, as a stream (recording/wire.h) that breaks off. Each
 * CPU's pages are in a region of the same file, or in recording.cpuN.
 *
 * Where the directory would not belong to this user, and in earlier versions, DIR/.NAME.TOKEN.tmp
 * is the file itself, with .NAME.TOKEN.cpuN beside it.
 *
 * Files of another user, links and FIFOs with such names are not opened.
 */
#ifndef KMEMX_CAPTURE_LEFTOVER_H
#define KMEMX_CAPTURE_LEFTOVER_H

#include "base/new_file.h"

/* All names in the directory begin with this. */
#define LEFTOVER_INSIDE "recording"
#define LEFTOVER_SUFFIX ".tmp"

/**
 * struct leftover - a killed recorder's files, locked against others
 * @tmp: the path DIR/.NAME.TOKEN.tmp, for messages
 * @prefix: @tmp without .tmp, with which all its names in DIR begin
 * @path: the intended path of the recording
 * @token: part of the names of its files and its tracing instance
 * @dir_fd, @base: the directory of the files, opened once, and the prefix of their names
 * @parent_fd: DIR, if @tmp is a directory; else -1
 * @fd: the file, open for reading and writing
 */
struct leftover {
	char *tmp;
	char *prefix;
	char *path;
	char token[NEW_FILE_TOKEN];
	int dir_fd, parent_fd;
	const char *base; /* within @prefix, or LEFTOVER_INSIDE */
	int fd;
};

/**
 * leftovers_find() - list the unfinished files in a directory, including those of live recorders
 * @name: the recording's name; NULL: any
 * @tmps: receives their paths; call leftovers_free() in any case
 *
 * Return: 0; -errno of opening the directory; -ENOMEM.
 */
int leftovers_find(const char *dir, const char *name, char ***tmps,
		   size_t *nr) __must_check;
void leftovers_free(char **tmps, size_t nr);

/* Is this the path of an unfinished file, DIR/.NAME.TOKEN.tmp? */
bool leftover_is_named(const char *path);

/**
 * leftover_open() - take one over
 * @l: call leftover_close() in any case
 *
 * Return: 0; -EINVAL if @tmp is not such a name; -EBUSY if its recorder lives or another kmemx has
 * locked it; -EPERM if this user does not own the file; -errno of open(2).
 */
int leftover_open(struct leftover *l, const char *tmp) __must_check;
void leftover_close(struct leftover *l);

/* Bytes of its files on disk; 0: unknown. */
uint64_t leftover_bytes(const struct leftover *l);
/* Were any pages recorded? */
bool leftover_has_pages(const struct leftover *l);
/* A .cpuN file that this user owns. */
struct leftover_part {
	uint32_t cpu;
	uint64_t size, disk_bytes;
};

/* Lists them, ascending; free() @parts in any case. 0 or -errno. */
int leftover_parts(const struct leftover *l, struct leftover_part **parts,
		   size_t *nr) __must_check;
/* Opens a CPU's .cpuN file for reading and writing. A descriptor or -errno. */
int leftover_open_cpu(const struct leftover *l, uint32_t cpu) __must_check;
/* The file's name in @dir_fd. */
const char *leftover_name(const struct leftover *l);
/* Removes all its files. 0 or -errno. */
int leftover_remove(const struct leftover *l) __must_check;

#endif
