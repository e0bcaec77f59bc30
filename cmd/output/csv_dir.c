// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: --csv-dir DIR of a command with a report.
 * In: a report. Out: a file for each of its tables, in one directory.
 */
#include "cmd/output/output.h"

#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/new_file.h"
#include "cmd/options/message.h"
#include "cmd/options/signals.h"
#include "cmd/output/text_output.h"

/* The file of one table. */
struct csv_file {
	struct strbuf name;
	struct text_output out;
	bool committed;
};

/**
 * struct csv_dir - the directory being written
 * @fd: its descriptor
 * @made: this run created it
 * @files: one for each table of @r, in the same order
 */
struct csv_dir {
	const char *path, *command;
	const struct report *r;
	int fd;
	bool made;
	struct csv_file *files;
};

static int cannot_use(const char *path, int err, const char *command)
{
	if (err == EPERM)
		return message_fail(
			EXIT_FAILED, command,
			"--csv-dir: '%s' goes through a symbolic link of another user\n  Name the directory itself",
			path);
	if (err == ENOTDIR)
		return message_fail(
			EXIT_FAILED, command,
			"--csv-dir: '%s' is not a directory\n  Name a new directory, or an empty one",
			path);
	return message_fail(EXIT_FAILED, command, "cannot open directory %s: %s", path,
			    strerror(err));
}

/* GO_ON if the directory @fd is empty, else EXIT_FAILED after a message. Closes @fd. */
static int check_empty(int fd, const char *path, const char *command)
{
	DIR *dir __auto_dir = io_list(fd);
	const struct dirent *entry;

	if (!dir)
		return cannot_use(path, errno, command);
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		return message_fail(
			EXIT_FAILED, command,
			"--csv-dir: '%s' is not empty\n  Name a new directory, or an empty one",
			path);
	}
	return GO_ON;
}

/* Returns a descriptor or -errno. */
static int open_dir(const char *path)
{
	return new_file_open_dir(path, new_file_sudo_id("SUDO_UID"));
}

static int cannot_create(const char *path, int err, const char *command)
{
	return message_fail(EXIT_FAILED, command, "cannot create directory %s: %s", path,
			    strerror(err));
}

/* @path does not exist: can it be created? */
static int check_parent(const char *path, const char *command)
{
	char *copy __auto_mem = strdup(path);

	if (copy && !access(dirname(copy), W_OK | X_OK))
		return GO_ON;
	return cannot_create(path, copy ? errno : ENOMEM, command);
}

int csv_dir_check(const char *path, const char *command)
{
	int fd = *path ? open_dir(path) : -ENOTDIR;

	if (fd < 0)
		return fd == -ENOENT ? check_parent(path, command)
				     : cannot_use(path, -fd, command);
	if (!access(path, W_OK | X_OK))
		return check_empty(fd, path, command);
	message_error(command, "cannot write into %s: %s", path, strerror(errno));
	close(fd);
	return EXIT_FAILED;
}

/* Creates the directory, or opens it if it exists and is empty. */
static int begin(struct csv_dir *d)
{
	int again;

	d->made = !mkdir(d->path, 0777);
	if (!d->made && errno != EEXIST)
		return cannot_create(d->path, errno, d->command);
	d->fd = open_dir(d->path);
	if (d->fd < 0)
		return cannot_use(d->path, -d->fd, d->command);
	again = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (again < 0)
		return cannot_use(d->path, errno, d->command);
	return check_empty(again, d->path, d->command);
}

/* Appends @text; characters other than letters, digits and '_' become '-'. */
static void add_plain(struct strbuf *sb, const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	for (; *text; text++)
		strbuf_add(sb, strchr(plain, *text) ? text : "-", 1);
}

/* "slab.csv", or "slab-comm-pid.csv" if several tables are called "slab". */
static void name_file(const struct report *r, size_t index, struct strbuf *name)
{
	const struct table *t = r->tables[index];
	size_t same = 0, before = 0;

	for (size_t i = 0; i < r->nr_tables; i++) {
		bool other = i != index && !strcmp(r->tables[i]->name, t->name);

		same += other;
		before += other && i < index && text_same(r->tables[i]->by, t->by);
	}
	add_plain(name, t->name);
	if (same && t->by) {
		strbuf_puts(name, "-");
		add_plain(name, t->by);
	}
	if (before)
		strbuf_printf(name, "-%zu", before + 1);
	strbuf_puts(name, ".csv");
}

/* Writes table @index to a file that has no name yet. 0 or -errno. */
static int write_table(struct csv_dir *d, size_t index)
{
	struct csv_file *file = &d->files[index];
	struct table *table = d->r->tables[index];
	const struct report one = { .tables = &table, .nr_tables = 1 };
	const struct render_options opts = { 0 };
	const struct render_out out = { text_output_write, &file->out };
	int ret;

	name_file(d->r, index, &file->name);
	if (file->name.failed)
		return -ENOMEM;
	ret = new_file_open_at(&file->out.file, d->fd, strbuf_text(&file->name), NULL);
	if (ret)
		return ret;
	file->out.fd = file->out.file.fd;
	return render_csv(&one, &opts, &out);
}

static int cannot_write(const struct csv_dir *d, size_t index, int err)
{
	return message_fail(EXIT_FAILED, d->command,
			    "cannot write %s/%s: %s\n  No file was written", d->path,
			    strbuf_text(&d->files[index].name), strerror(-err));
}

/* Stops before the next table if a signal is pending that @before does not block. */
static int write_all(struct csv_dir *d, const sigset_t *before)
{
	int err;

	for (size_t i = 0; i < d->r->nr_tables; i++) {
		if (signals_wait(before))
			return EXIT_FAILED;
		err = write_table(d, i);
		if (err)
			return cannot_write(d, i, err);
	}
	for (size_t i = 0; i < d->r->nr_tables; i++) {
		err = text_output_commit(&d->files[i].out);
		if (err)
			return cannot_write(d, i, err);
		d->files[i].committed = true;
	}
	return EXIT_OK;
}

/* Releases everything. @keep: the files stay. */
static void end(struct csv_dir *d, bool keep)
{
	for (size_t i = 0; d->files && i < d->r->nr_tables; i++) {
		text_output_close(&d->files[i].out);
		if (d->files[i].committed && !keep)
			unlinkat(d->fd, strbuf_text(&d->files[i].name), 0);
		strbuf_free(&d->files[i].name);
	}
	free(d->files);
	io_close(&d->fd);
	if (d->made && !keep)
		rmdir(d->path);
}

int csv_dir_write(const char *path, const struct report *r, const char *command)
{
	struct csv_dir d = { .path = path, .command = command, .r = r, .fd = -1 };
	sigset_t before;
	int ret;

	d.files = calloc(r->nr_tables + 1, sizeof(*d.files));
	if (!d.files)
		return message_no_memory(command);
	for (size_t i = 0; i < r->nr_tables; i++)
		d.files[i].out = TEXT_OUTPUT_INIT;
	signals_hold(&before); /* a signal must leave all tables or nothing */
	ret = begin(&d);
	ret = ret ?: write_all(&d, &before);
	end(&d, ret == EXIT_OK);
	signals_release(&before);
	if (ret == EXIT_OK)
		message_info("%zu table%s in %s", r->nr_tables, plural(r->nr_tables),
			     path);
	return ret;
}
