/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the recording's file while it is being made.
 * In: the path that the user wants. Out: a file without a name, or in a hidden directory if it can
 * be recovered. It takes its final name when it is complete.
 */
#ifndef KMEMX_CAPTURE_NEW_RECORDING_H
#define KMEMX_CAPTURE_NEW_RECORDING_H

#include "base/log.h"
#include "base/new_file.h"

/**
 * struct new_recording - a recording in the making
 * @path: the final name, for messages
 * @prefix: prefix of a recorder's file names
 * @file: a recorder's file is called PREFIX.tmp (capture/events/leftover.h says in which directory)
 *	and is locked with flock(2) while its owner lives
 * @second: a file that will replace @file
 * @reserve_fd: an unnamed file that reserves room for the metadata on a disk that fills up
 * @reserved: its size in bytes
 */
struct new_recording {
	char *path;
	char *prefix;
	struct new_file file, second;
	int reserve_fd;
	uint64_t reserved;
};

#define NEW_RECORDING_INIT       \
	((struct new_recording){ \
		.file = NEW_FILE_INIT, .second = NEW_FILE_INIT, .reserve_fd = -1 })

/**
 * new_recording_open() - check that @path can be written, and begin a file that is removed unless
 * it is completed
 *
 * Nothing happens to an existing @path yet. A killed process leaves nothing if the filesystem has
 * unnamed files, else .kmemx.TOKEN.
 *
 * Return: 0; -errno after a LOG_ERROR message.
 */
int new_recording_open(struct new_recording *o, const char *path,
		       const struct log *log) __must_check;
/**
 * new_recording_open_recorder() - the same for a file that survives a killed process
 * @token: from new_file_token()
 * @alone: no other recorder of this user may be recording to @path: each one that ends moves the
 *	existing file to NAME.old, so one of three recordings would be lost
 *
 * The file is in the directory .NAME.TOKEN.tmp. Reports what killed recorders of the same @path had
 * recorded, and removes their files if they recorded nothing.
 *
 * Return: 0; after a LOG_ERROR message, -EBUSY if there is another, or another -errno.
 */
int new_recording_open_recorder(struct new_recording *o, const char *path,
				const char *token, bool alone,
				const struct log *log) __must_check;
/* Does the disk have room for @bytes more, with a margin? */
bool new_recording_has_room(const struct new_recording *o, uint64_t bytes);
/* Reserves an eighth of the free space, at most 12 MiB and at least @least, in place of any earlier
 * reservation. 0; -ENOSPC, -EDQUOT if the disk has less than that; -errno of fallocate(2).
 */
int new_recording_reserve(struct new_recording *o, uint64_t least) __must_check;
/* Shrinks the reservation to @least bytes. False: it is not larger, or cannot be shrunk. */
bool new_recording_shrink_reserve(struct new_recording *o, uint64_t least);
/* Releases the whole reservation. */
void new_recording_release_reserve(struct new_recording *o);

/* Opens the second file. 0 or -errno. */
int new_recording_open_second(struct new_recording *o) __must_check;
/* Makes the second file @file. 0; -errno: nothing changes; new_recording_close() removes it. */
int new_recording_use_second(struct new_recording *o) __must_check;

/* Changes the final name, in the same directory. 0 or -ENOMEM. */
int new_recording_rename(struct new_recording *o, const char *path) __must_check;
/**
 * new_recording_commit() - the file takes its name; an existing one becomes NAME.old
 * @recorded: give the file to the user who called sudo, as reports do not need root
 *
 * Return: 0; -errno after a LOG_ERROR message: the file keeps its hidden name, which the message
 * gives.
 */
int new_recording_commit(struct new_recording *o, bool recorded,
			 const struct log *log) __must_check;
/**
 * new_recording_commit_other() - another file takes the name instead
 * @dir_fd, @name, @fd: its current name
 *
 * Return: 0; -EXDEV without a message if it is on another filesystem; else -errno after one.
 */
int new_recording_commit_other(struct new_recording *o, int dir_fd, const char *name,
			       int fd, const struct log *log) __must_check;
/* Releases everything; an uncommitted file is removed. */
void new_recording_close(struct new_recording *o);

#endif
