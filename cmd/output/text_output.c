// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/output/text_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/options/message.h"
#include "cmd/options/signals.h"

/* Opens a link, FIFO or device to write into it, as a shell would, such as /dev/stdout. Refuses one
 * of another user, except root.
 */
static int open_existing(const char *path, const struct stat *st)
{
	int fd;

	if (st->st_uid != geteuid() && st->st_uid != 0)
		return -EPERM;
	fd = open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Duplicates standard output, as the output is closed at the end. */
static int open_stdout(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? -errno : fd;
}

static int cannot_write(const char *command, const char *path, int err)
{
	if (err == EPERM)
		return message_fail(
			EXIT_FAILED, command,
			"cannot write %s: it is another user's link, FIFO or device, or its directory is another user's link\n  Name another file",
			path);
	return message_fail(EXIT_FAILED, command, "cannot write %s: %s", path,
			    strerror(err));
}

/* Opens a new file. If it has a name already, signals are held: they must not leave it behind. */
static int open_new(struct text_output *o, const char *path)
{
	int ret;

	signals_hold(&o->before);
	ret = new_file_open(&o->file, path);
	o->holds = !ret && o->file.hidden;
	if (ret)
		new_file_close(&o->file);
	if (!o->holds)
		signals_release(&o->before);
	return ret ? ret : o->file.fd;
}

int text_output_open(struct text_output *o, const char *path, const char *input,
		     const char *command)
{
	struct stat st, target, in;
	bool there = lstat(path, &st) == 0;

	*o = TEXT_OUTPUT_INIT;
	if (there && !stat(path, &target) && S_ISREG(target.st_mode) &&
	    !stat(input, &in) && in.st_dev == target.st_dev && in.st_ino == target.st_ino)
		return message_fail(EXIT_USAGE, command,
				    "%s is the input file\n  Give another name", path);
	if (!strcmp(path, "-"))
		o->fd = open_stdout();
	else
		o->fd = there && !S_ISREG(st.st_mode) ? open_existing(path, &st)
						      : open_new(o, path);
	return o->fd < 0 ? cannot_write(command, path, -o->fd) : GO_ON;
}

int text_output_write(void *ctx, const char *data, size_t size)
{
	const struct text_output *o = ctx;

	if (o->holds && signals_wait(&o->before))
		return -EINTR;
	while (size) {
		ssize_t n = write(o->fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

void text_output_share(const struct text_output *o)
{
	mode_t mask = umask(077);

	umask(mask);
	/* Ignore errors: some file systems have no modes. */
	if (o->file.fd >= 0 && fchmod(o->file.fd, 0644 & ~mask))
		return;
}

int text_output_commit(struct text_output *o)
{
	sigset_t before;
	int ret = 0;

	if (o->file.fd >= 0) {
		signals_hold(&before);
		ret = new_file_commit(&o->file);
		signals_release(&before);
		return ret;
	}
	if (close(o->fd))
		ret = -errno;
	o->fd = -1;
	return ret;
}

void text_output_say_page(const char *path)
{
	struct stat st;

	if (isatty(STDERR_FILENO) && !stat(path, &st) && S_ISREG(st.st_mode))
		message_info("wrote %s: open it in a browser", path);
}

void text_output_close(struct text_output *o)
{
	if (o->fd >= 0 && o->file.fd < 0)
		close(o->fd);
	new_file_close(&o->file);
	if (o->holds)
		signals_release(&o->before);
	*o = TEXT_OUTPUT_INIT;
}

int text_output_end(struct text_output *o, int err, const char *path, const char *command)
{
	err = err ?: text_output_commit(o);
	text_output_close(o);
	if (!err)
		return EXIT_OK;
	return message_fail(EXIT_FAILED, command, "cannot write %s: %s",
			    strcmp(path, "-") ? path : "standard output", strerror(-err));
}
