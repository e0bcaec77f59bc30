// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (import): a perf.data file.
 * In: what perf record wrote, also to a pipe or a directory. Out: a recording.
 */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/new_file.h"
#include "base/number.h"
#include "cmd/import/import.h"
#include "cmd/input/input.h"
#include "cmd/options/command.h"
#include "import/perf_import.h"

static const char command_name[] = IMPORT_COMMAND;

/* --- a directory, as perf record --threads writes it ------------------------------------- */

/* Opens the file @name of the directory. Returns a descriptor or -errno. */
static int open_in_directory(const struct import *im, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", im->opts->perf, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	return io_open_input(path, IO_FILE);
}

/* Opens data.@nr. Returns 1, 0 if it does not exist, or -errno. */
static int open_more(void *ctx, unsigned int nr, struct source *out)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "data.%u", nr);
	fd = open_in_directory(ctx, name);
	if (fd == -ENOENT)
		return 0;
	fd = fd < 0 ? fd : source_open_fd(out, fd);
	return fd < 0 ? fd : 1;
}

/* Counts the files data.N; @end receives the highest N + 1. 0 or -errno. */
static int count_files(const char *path, size_t *count, unsigned long *end)
{
	const struct dirent *entry;
	DIR *dir __auto_dir = opendir(path);

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		uint64_t nr;

		if (strncmp(entry->d_name, "data.", 5) != 0 ||
		    !number_is(entry->d_name + 5, ULONG_MAX - 1, &nr))
			continue;
		++*count;
		*end = nr >= *end ? (unsigned long)nr + 1 : *end;
	}
	return 0;
}

/* Opens the file "data" of the directory. Returns a descriptor, or -1 after a message. */
static int open_directory(const struct import *im)
{
	const char *path = im->opts->perf;
	unsigned long end = 0;
	size_t count = 0;
	int err = count_files(path, &count, &end), fd;

	if (err) {
		import_unreadable(path, err);
		return -1;
	}
	fd = open_in_directory(im, "data");
	if (fd == -ENOENT)
		message_error(
			command_name,
			"%s is a directory, but not one of perf record --threads: it has no file data\n  Give a perf.data file",
			path);
	else if (fd < 0)
		import_unreadable(path, fd);
	if (fd >= 0 && count != end) {
		message_error(
			command_name,
			"%s lacks one of its files data.0 to data.%lu\n  Copy the whole directory",
			path, end - 1);
		close(fd);
		return -1;
	}
	return fd < 0 ? -1 : fd;
}

/* --- a file or a pipe -------------------------------------------------------------------- */

/* Returns a descriptor, or -1 after a message. */
static int open_input(struct import *im)
{
	const char *path = im->opts->perf;
	int fd = import_open(path);

	if (fd == -EISDIR) {
		im->known.open_more = open_more;
		return open_directory(im);
	}
	if (fd < 0)
		import_unreadable(path, fd);
	return fd < 0 ? -1 : fd;
}

/* Copies a pipe to an unnamed file next to the recording: sections may be anywhere in the input. */
static int as_file(const struct import *im, int fd)
{
	struct stat st;
	int file, ret;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	file = new_file_unnamed(im->out.file.dir_fd, false);
	ret = file < 0 ? file : io_copy_rest(fd, file);
	close(fd);
	if (ret)
		io_close(&file);
	return ret ? ret : file;
}

static int run_failed(const struct import *im, int err)
{
	const char *path = im->opts->perf;

	switch (err) {
	case -EPROTO:
		if (!input_kind_tell(command_name, path))
			message_error(command_name, "%s is not a perf.data file", path);
		return EXIT_UNREADABLE;
	case -EBADMSG:
	case -ENODATA:
	case -ENOTSUP:
		return EXIT_UNREADABLE; /* the message was printed */
	default:
		return import_failed(im, path, err);
	}
}

static int run(struct import *im, const struct source *src)
{
	struct perf_import pi;
	int err, ret;

	progress_start(&im->progress, "importing");
	err = perf_import_run(&pi, src, im->opts->perf, &im->known, &im->log);
	progress_end(&im->progress);
	ret = err ? run_failed(im, err)
		  : import_finish(im, &pi.made, pi.nr_samples, "", "");
	imported_free(&pi.made);
	return ret;
}

int import_perf(struct import *im)
{
	struct source src = { 0 };
	int fd = open_input(im), ret;

	if (fd < 0)
		return EXIT_UNREADABLE;
	ret = import_begin(im);
	if (ret != GO_ON) {
		close(fd);
		return ret;
	}
	fd = as_file(im, fd);
	ret = fd < 0 ? fd : source_open_fd(&src, fd);
	ret = ret ? import_failed(im, im->opts->perf, ret) : run(im, &src);
	source_close(&src);
	return ret;
}
