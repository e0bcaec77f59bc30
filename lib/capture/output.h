/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the recording's file while it is being made.
 * In: the path that the user wants. Out: a hidden file beside it that takes the name when
 * it is complete.
 */
#ifndef KMEMX_CAPTURE_OUTPUT_H
#define KMEMX_CAPTURE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/log.h"

/**
 * struct output - a recording in the making
 * @path: the final name
 * @prefix: DIR/.NAME.PID, with which all names of parts begin
 * @tmp: the file behind @fd, locked with flock(2) as long as its owner lives
 * @second, @second_fd: a file that is to take the place of @tmp; NULL and -1: none
 * @reserve_fd: an unnamed file that keeps room for the metadata on a disk that fills up
 */
struct output {
	char *path;
	char *prefix;
	char *tmp;
	int fd;
	char *second;
	int second_fd;
	int reserve_fd;
};

/* Zero but for the descriptors. */
#define OUTPUT_INIT ((struct output){ .fd = -1, .second_fd = -1, .reserve_fd = -1 })

/**
 * output_open() - check that @path can be written, before anything is traced
 *
 * Tells of what killed recorders of the same @path had recorded, and removes their files if
 * that is nothing. Nothing happens to an existing @path yet.
 *
 * Return: 0; -errno after an LOG_ERROR message.
 */
int output_open(struct output *o, const char *path, const struct log *log) __must_check;
/* Gives the reserved room back to the disk. */
void output_release_reserve(struct output *o);
/* Has the disk room for @bytes more, with a margin? */
bool output_has_room(const struct output *o, uint64_t bytes);

/* Opens @second_fd, an empty file beside @tmp. 0 or -errno. */
int output_open_second(struct output *o) __must_check;
/* The second file becomes @tmp, and @fd. 0 or -errno: then it still is not. */
int output_use_second(struct output *o) __must_check;
/* Removes it, if there is one. */
void output_drop_second(struct output *o);

/**
 * output_commit() - the file takes its name; an existing one becomes NAME.old
 * @uid, @gid: its owner, or -1
 */
int output_commit(struct output *o, uid_t uid, gid_t gid,
		  const struct log *log) __must_check;
/* Releases everything; an uncommitted file is removed. */
void output_close(struct output *o);

#endif
