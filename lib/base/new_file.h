/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: new files in directories that others may write to.
 * In: a directory, opened once. Out: descriptors of files that no other process has made or linked
 * to, and whose names cannot be guessed.
 *
 * kmemx runs as root and writes into directories such as /tmp. Another user may have placed a link
 * or a FIFO there. So every file is created with O_EXCL and O_NOFOLLOW in a directory that is
 * looked up once; it has no name or a random one until it is complete, and is accessed only by its
 * descriptor.
 */
#ifndef KMEMX_BASE_NEW_FILE_H
#define KMEMX_BASE_NEW_FILE_H

#include <sys/types.h>

#include "base/compiler.h"

/* 64 random bits as hex digits, and the NUL. */
#define NEW_FILE_TOKEN 17

/* Fills @token. 0 or -errno of getrandom(2). */
int new_file_token(char token[NEW_FILE_TOKEN]) __must_check;

/**
 * new_file_dir() - open the directory part of @path to write a file into it
 * @name: receives the last part of @path; points into it
 *
 * Follows links as new_file_open_dir() does, also those of the user who called sudo.
 *
 * Return: a descriptor; -EISDIR if @path ends in a slash, -EINVAL if it is empty; -EPERM as
 * new_file_open_dir(); -errno.
 */
int new_file_dir(const char *path, const char **name) __must_check;

/**
 * new_file_open_dir() - open the directory @path to write files into it
 * @other: a user whose links are trusted, too; -1: nobody
 *
 * If @path itself is a symbolic link, it is followed only if it is root's, this user's or @other's,
 * and the same holds for each link that it leads to. The kernel checks this too
 * (fs.protected_symlinks), but only in directories with the sticky bit.
 *
 * Return: a descriptor; -EPERM if a link is another user's; -errno.
 */
int new_file_open_dir(const char *path, uid_t other) __must_check;

/* Creates @name, accessible by its owner only. A descriptor; -EEXIST if anything has that name. */
int new_file_create(int dir_fd, const char *name) __must_check;

/**
 * new_file_unnamed() - create a file that is gone when its descriptor is closed
 * @linkable: new_file_link() must be able to name it
 *
 * Nothing of it is left even after SIGKILL.
 *
 * Return: a descriptor; -EOPNOTSUPP if the filesystem cannot make linkable ones; -errno.
 */
int new_file_unnamed(int dir_fd, bool linkable) __must_check;

/* Gives an unnamed file a name that must not exist. 0 or -errno. */
int new_file_link(int fd, int dir_fd, const char *name) __must_check;

/* Opens @fd's file again for reading and writing, with its own flags and position. A descriptor or
 * -errno: -ENOENT without /proc.
 */
int new_file_again(int fd) __must_check;

/**
 * new_file_open_own() - open a file that this user made earlier, for reading and writing
 *
 * Return: a descriptor; -EPERM if it belongs to another user, has a second name, or is not a
 * regular file; -ELOOP if it is a link; -errno.
 */
int new_file_open_own(int dir_fd, const char *name) __must_check;

/* Would new_file_open_own() accept @name? */
bool new_file_is_own(int dir_fd, const char *name);

/**
 * new_file_make_dir() - make a directory for files that are not complete, which git ignores
 *
 * A recorded command may be git, which would list such a file. Others may read the directory, as
 * their git complains if it cannot.
 *
 * Return: a descriptor; -EEXIST if anything has that name; -EPERM if the new directory belongs to
 * another user: the filesystem decides the owner, or that user has replaced it; -errno.
 */
int new_file_make_dir(int dir_fd, const char *name) __must_check;
/* Opens a directory that this user made earlier. A descriptor; -ENOTDIR if it is a link or a file;
 * -EPERM if it is another user's; -errno.
 */
int new_file_open_own_dir(int dir_fd, const char *name) __must_check;
/* Removes the directory @name, open as @fd, with the files in it. 0 or -errno. */
int new_file_remove_dir(int dir_fd, const char *name, int fd);

/**
 * struct new_file - a file that replaces another when it is complete
 * @dir_fd, @name: its directory, and its final name there
 * @hidden: its name until then; NULL: it has no name
 * @inside, @inside_fd: the directory in @dir_fd that @hidden is in, made for this; NULL: @dir_fd
 * @keep: new_file_close() does not remove it
 */
struct new_file {
	int dir_fd, fd, inside_fd;
	char *name, *hidden, *inside;
	bool keep;
};

#define NEW_FILE_INIT ((struct new_file){ .dir_fd = -1, .fd = -1, .inside_fd = -1 })

/**
 * new_file_open() - begin the file that becomes @path
 *
 * If the filesystem has no unnamed files, it is called .kmemx.TOKEN until it is complete. Call
 * new_file_close() in any case. Return: 0; -errno, as new_file_dir().
 */
int new_file_open(struct new_file *f, const char *path) __must_check;
/* The same for @name in an open directory; @hidden: with a hidden name. */
int new_file_open_at(struct new_file *f, int dir_fd, const char *name,
		     const char *hidden) __must_check;
/* Gives the file its final name, replacing any file of that name; @fd stays open. 0 or -errno:
 * nothing changed then.
 */
int new_file_commit(struct new_file *f) __must_check;
/* The directory of the file until it is complete. */
int new_file_hidden_dir(const struct new_file *f);
/* Makes new_file_close() keep the file as @hidden; an unnamed file gets a hidden name first. 0 or
 * -errno.
 */
int new_file_keep(struct new_file *f) __must_check;
/* Releases everything; an uncommitted file and @inside are removed. */
void new_file_close(struct new_file *f);

/* The ID of the user (@name is SUDO_UID) or group (SUDO_GID) that called sudo; (uint32_t)-1 without
 * sudo.
 */
uint32_t new_file_sudo_id(const char *name);
/* With sudo, makes the file @fd the calling user's. 0 or -errno. */
int new_file_give(int fd);

#endif
