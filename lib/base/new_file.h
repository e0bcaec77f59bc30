/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: new files where others may write too.
 * In: a directory, opened once. Out: descriptors of files that nobody else has made, linked
 * to, or can guess the name of.
 *
 * kmemx runs as root and writes into directories such as /tmp. A name there may be a link
 * or a FIFO that another user has laid. So every file is made with O_EXCL and O_NOFOLLOW in
 * a directory that is looked up once, has no name or a random one until it is complete,
 * and is used by its descriptor alone.
 */
#ifndef KMEMX_BASE_NEW_FILE_H
#define KMEMX_BASE_NEW_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"

/* 64 random bits as hex digits, and the NUL. */
#define NEW_FILE_TOKEN 17

/* Fills @token. 0 or -errno of getrandom(2). */
int new_file_token(char token[NEW_FILE_TOKEN]) __must_check;

/**
 * new_file_dir() - open the directory that @path names a file in
 * @name: receives the last part of @path, within it
 *
 * Return: a descriptor; -EISDIR if @path ends in a slash, -EINVAL if it is empty; -errno.
 */
int new_file_dir(const char *path, const char **name) __must_check;

/**
 * new_file_open_dir() - open the directory @path, into which files are to be written
 * @other: a user whose links are trusted as well; -1: none
 *
 * If @path itself is a symbolic link, it is followed only if it is root's, this user's or @other's,
 * and the same holds for each link that it leads to. The kernel checks this too
 * (fs.protected_symlinks), but only in directories with the sticky bit.
 *
 * Return: a descriptor; -EPERM if a link is another user's; -errno.
 */
int new_file_open_dir(const char *path, uid_t other) __must_check;

/* A new file @name, for its owner alone. A descriptor; -EEXIST, whatever has that name. */
int new_file_create(int dir_fd, const char *name) __must_check;

/**
 * new_file_unnamed() - a new file that is gone when its descriptor is closed
 * @linkable: new_file_link() shall be able to give it a name
 *
 * Not even SIGKILL leaves any of it.
 *
 * Return: a descriptor; -EOPNOTSUPP if the filesystem has no linkable ones; -errno.
 */
int new_file_unnamed(int dir_fd, bool linkable) __must_check;

/* Gives an unnamed file a name that nothing has yet. 0 or -errno. */
int new_file_link(int fd, int dir_fd, const char *name) __must_check;

/* Opens @fd's file once more, for reading and writing: with flags and a position of its own.
 * A descriptor or -errno: -ENOENT without /proc.
 */
int new_file_again(int fd) __must_check;

/**
 * new_file_open_own() - open a file for reading and writing that this user made earlier
 *
 * Return: a descriptor; -EPERM if it is another user's, has another name as well, or is no
 * regular file; -ELOOP if it is a link; -errno.
 */
int new_file_open_own(int dir_fd, const char *name) __must_check;

/* Would new_file_open_own() trust @name? */
bool new_file_is_own(int dir_fd, const char *name);

/**
 * struct new_file - a file that takes the place of another when it is complete
 * @dir_fd, @name: the directory, and the name that it is to have there
 * @hidden: the name that it has until then; NULL: none
 * @keep: it outlives new_file_close()
 */
struct new_file {
	int dir_fd, fd;
	char *name, *hidden;
	bool keep;
};

#define NEW_FILE_INIT ((struct new_file){ .dir_fd = -1, .fd = -1 })

/**
 * new_file_open() - begin the file that is to be @path
 *
 * Where the filesystem has no unnamed files it is called .kmemx.TOKEN until it is complete.
 * new_file_close() in any case. Return: 0; -errno, as of new_file_dir().
 */
int new_file_open(struct new_file *f, const char *path) __must_check;
/* The same for @name in a directory that is open already, and with a hidden name if @hidden. */
int new_file_open_at(struct new_file *f, int dir_fd, const char *name,
		     const char *hidden) __must_check;
/* The file takes its name, and replaces what has it; @fd stays open. 0 or -errno: then
 * nothing changed.
 */
int new_file_commit(struct new_file *f) __must_check;
/* new_file_close() will not remove it: it stays under @hidden, which it gets if it has none
 * yet. 0 or -errno.
 */
int new_file_keep(struct new_file *f) __must_check;
/* Releases everything; an uncommitted file is gone. */
void new_file_close(struct new_file *f);

/* The user or group, from SUDO_UID or SUDO_GID as @name, for whom root runs this with sudo;
 * (uint32_t)-1 without sudo.
 */
uint32_t new_file_sudo_id(const char *name);

#endif
