// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: what every command that reads a recording opens.
 * In: a path. Out: the recording, its formats, symbols and migratetypes, or a message.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/new_file.h"
#include "base/strbuf.h"
#include "command.h"
#include "input_symbols.h"

int input_path(const char *command, int argc, char **argv, int operands,
	       const char **path)
{
	if (operands + 1 == argc && !*path) {
		*path = argv[operands];
		return GO_ON;
	}
	if (operands < argc) {
		message_error(command,
			      "unexpected argument '%s'\n  One recording: -i FILE",
			      argv[*path ? operands : operands + 1]);
		return EXIT_USAGE;
	}
	if (!*path)
		*path = INPUT_DEFAULT;
	return GO_ON;
}

static int copy_all(int from, int to)
{
	char buf[65536];
	ssize_t got, put, done;

	while ((got = read(from, buf, sizeof(buf))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		for (done = 0; done < got; done += put) {
			put = write(to, buf + done, (size_t)(got - done));
			if (put < 0 && errno == EINTR)
				put = 0;
			else if (put < 0)
				return -errno;
		}
	}
	return 0;
}

/* Is @fd a regular file at its beginning? Then nothing need be copied. */
static bool is_whole_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
}

/* A recording is read in many places at once: a pipe's content goes to a file without a
 * name first.
 */
static int open_pipe(struct source *src, int fd)
{
	const char *dir = getenv("TMPDIR");
	struct stat st;
	int tmp, err, dir_fd;

	/* A device may have no end. */
	if (!fstat(fd, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
		return -ENODEV;
	dir_fd = open(dir && *dir ? dir : "/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	tmp = new_file_unnamed(dir_fd, false);
	close(dir_fd);
	if (tmp < 0)
		return tmp;
	err = copy_all(fd, tmp);
	if (!err)
		return source_open_fd(src, tmp);
	close(tmp);
	return err;
}

static int open_source(struct source *src, const char *path)
{
	int fd, err;

	if (!strcmp(path, "-") && !is_whole_file(STDIN_FILENO))
		return open_pipe(src, STDIN_FILENO);
	if (!strcmp(path, "-")) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? -errno : source_open_fd(src, fd);
	}
	fd = io_open_input(path, IO_FILE_OR_PIPE);
	if (fd < 0)
		return fd;
	err = source_open_fd(src, fd);
	if (err == -ENODEV)
		err = open_pipe(src, fd);
	else if (!err)
		return 0;
	close(fd);
	return err;
}

static int open_failed(const struct input *in, int err)
{
	if (err == -ENOENT)
		message_error(
			in->command,
			"cannot open %s: %s\n  Record one with: sudo kmemx record -- CMD    or name one: -i FILE",
			in->path, strerror(-err));
	else if (err == -ENOSPC)
		message_error(
			in->command,
			"no room for %s, which is a pipe and must be kept while it is read\n  Choose a folder with room for it: TMPDIR=DIR",
			in->path);
	else if (err == -EACCES)
		message_error(
			in->command,
			"cannot open %s: %s\n  What root recorded is root's to read. Try sudo, or make it yours with chown.",
			in->path, strerror(-err));
	else
		message_error(in->command, "cannot open %s: %s", in->path,
			      io_strerror(err));
	return EXIT_UNREADABLE;
}

static int recording_failed(const struct input *in, int err)
{
	switch (err) {
	case -EPROTO:
		message_error(
			in->command,
			"cannot read %s as a recording.\n  kmemx reads what 'kmemx record' and 'trace-cmd record' write.",
			in->path);
		break;
	case -EBADMSG:
		message_error(in->command, "%s is damaged beyond use.", in->path);
		break;
	case -ENOTSUP:
		message_error(
			in->command,
			"%s has a version or compression that this build cannot read.\n  What it can: kmemx version --build-options",
			in->path);
		break;
	default:
		message_error(in->command, "cannot read %s: %s", in->path,
			      strerror(-err));
	}
	return EXIT_UNREADABLE;
}

static void open_migratetypes(struct input *in)
{
	const struct recording_text *info =
		recording_meta(in->rec, "pagetypeinfo.before");
	char release[128];

	if (!info)
		info = recording_meta(in->rec, "pagetypeinfo.after");
	recording_release(in->rec, release, sizeof(release));
	migratetypes_init(&in->migratetypes, info ? info->text : NULL, release);
}

int input_open(struct input *in, const struct input_options *opts)
{
	struct source src;
	int err;

	*in = (struct input){ .command = opts->command, .path = opts->path };
	in->log_state = (struct message_log){ .command = opts->command,
					      .verbose = opts->verbose };
	in->log = message_log(&in->log_state);
	err = open_source(&src, in->path);
	if (err)
		return open_failed(in, err);
	err = recording_open(&in->rec, &src, in->path, &in->log);
	if (err)
		return recording_failed(in, err);
	err = event_formats_new(&in->fmts, in->rec, &in->log);
	if (err == -ENODATA && in->rec->nr_damaged) {
		message_error(
			in->command,
			"%s is damaged: the kmem events' formats are lost, and with them the events.",
			in->path);
		return EXIT_UNREADABLE;
	}
	if (err == -ENODATA) {
		message_error(
			in->command,
			"%s knows no kmem events.\n  Record them with: sudo kmemx record -- CMD",
			in->path);
		return EXIT_FAILED;
	}
	if (err) {
		message_error(in->command, "cannot read the event formats of %s: %s",
			      in->path, strerror(-err));
		return err == -ENOMEM ? EXIT_FAILED : EXIT_UNREADABLE;
	}
	open_migratetypes(in);
	return opts->want_symbols ? input_symbols_open(in, &opts->symbols) : GO_ON;
}

void input_close(struct input *in)
{
	symbols_free(in->syms);
	event_formats_free(in->fmts);
	recording_close(in->rec);
	message_log_end(&in->log_state);
}
