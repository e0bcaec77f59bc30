// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (query): which files are loaded.
 * In: operands. Out: recordings and files of rows, in order; for a directory, those below it.
 */
#include "cmd/query/query_load.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/safe_text.h"
#include "cmd/options/message.h"
#include "export/wire.h"

static const char command_name[] = "query";

#define NSEC_PER_SEC 1000000000ULL

#define START_SIZE 64
/* Maximum depth of directories: "DIR/dt=DAY/kernel=RELEASE" has three. */
#define DEPTH_MAX  8

static int failed(const char *path, int err)
{
	return message_fail(err == -ENOMEM ? EXIT_FAILED : EXIT_UNREADABLE, command_name,
			    "cannot open %s: %s", path, io_strerror(err));
}

static int add(struct query_files *files, const char *path, bool rows, uint64_t size)
{
	char *copy = strdup(path);

	if (!copy ||
	    ARRAY_ADD(files->items, files->nr,
		      (struct query_file){ .path = copy, .rows = rows, .size = size })) {
		free(copy);
		return failed(path, -ENOMEM);
	}
	files->bytes += size;
	return GO_ON;
}

/* Notes what shows later whether the file last added has changed. The path is absolute. */
static int identify(struct query_files *files, const struct stat *st)
{
	struct query_file *f = &files->items[files->nr - 1];

	f->id = (struct query_file_id){
		.path = realpath(f->path, NULL),
		.size = (uint64_t)st->st_size,
		.mtime_ns = (uint64_t)st->st_mtim.tv_sec * NSEC_PER_SEC +
			    (uint64_t)st->st_mtim.tv_nsec,
	};
	return f->id.path ? GO_ON : failed(f->path, -errno);
}

/* Formats of rows that cannot be read: their first bytes, and advice. */
static const struct {
	const char *magic;
	size_t size;
	const char *what, *advice;
} other_forms[] = {
	{ "recording_id,", 13, "a CSV file",
	  "Write the rows with: kmemx export --format ndjson" },
	{ "\x1f\x8b", 2, "compressed with gzip",
	  "Read it through a pipe: zcat FILE | kmemx query - SQL" },
	{ "\xfd"
	  "7zXZ",
	  5, "compressed with xz",
	  "Read it through a pipe: xzcat FILE | kmemx query - SQL" },
};

/* GO_ON, or EXIT_UNREADABLE after a message if the file has one of those formats. */
static int check_form(const char *path, const char *start, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(other_forms); i++) {
		if (size < other_forms[i].size ||
		    memcmp(start, other_forms[i].magic, other_forms[i].size) != 0)
			continue;
		return message_fail(EXIT_UNREADABLE, command_name, "%s is %s\n  %s", path,
				    other_forms[i].what, other_forms[i].advice);
	}
	return GO_ON;
}

/* Is it a file of rows, by its first bytes or its name? What is wrong with it is found by line. */
static bool has_rows(const char *path, const char *start, size_t size)
{
	static const char *const marks[] = {
		"{",	      " ", "\t", "\r", "\n", "\xef\xbb\xbf{", "\x28\xb5\x2f\xfd",
		PARQUET_MAGIC
	};
	static const char *const names[] = { ".ndjson", ".ndjson.zst", ".parquet" };

	return ANY(i, ARRAY_SIZE(marks),
		   size >= strlen(marks[i]) &&
			   !memcmp(start, marks[i], strlen(marks[i]))) ||
	       ANY(i, ARRAY_SIZE(names), text_ends(path, names[i]));
}

/* Adds the open file @fd. */
static int add_open(struct query_files *files, const char *path, int fd)
{
	char start[START_SIZE];
	struct stat st;
	ssize_t size;
	int ret;

	if (fstat(fd, &st) < 0)
		return failed(path, -errno);
	if (!S_ISREG(st.st_mode))
		return add(files, path, true, 0);
	size = pread(fd, start, sizeof(start), 0);
	if (size < 0)
		return failed(path, -errno);
	ret = check_form(path, start, (size_t)size);
	if (ret != GO_ON)
		return ret;
	if (has_rows(path, start, (size_t)size))
		ret = add(files, path, true, (uint64_t)st.st_size);
	else
		ret = add(files, path, false, 0);
	return ret ?: identify(files, &st);
}

static int add_file(struct query_files *files, const char *path)
{
	struct stat st;
	int fd __auto_fd = -1;

	/* Do not open a FIFO to look at it: closing it would end its writer. */
	if (!stat(path, &st) && S_ISFIFO(st.st_mode))
		return add(files, path, true, 0);
	fd = io_open_input(path, IO_FILE);
	return fd < 0 ? failed(path, fd) : add_open(files, path, fd);
}

/* Skip names that begin with a dot: temporary files of writers. */
static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Adds the entry @path, unless it is a directory. Links to directories are not followed: they could
 * form a loop.
 */
static int add_entry(struct query_files *files, const struct strbuf *path,
		     const char *name, bool *is_directory)
{
	struct stat st;

	*is_directory = false;
	if (path->failed)
		return failed(name, -ENOMEM);
	if (lstat(strbuf_text(path), &st) < 0)
		return failed(strbuf_text(path), -errno);
	*is_directory = S_ISDIR(st.st_mode);
	if (*is_directory ||
	    !(text_ends(name, ".ndjson") || text_ends(name, ".ndjson.zst") ||
	      text_ends(name, ".parquet") || text_ends(name, ".dat")))
		return GO_ON;
	return add_file(files, strbuf_text(path));
}

static int add_directory(struct query_files *files, const char *directory,
			 unsigned int depth)
{
	struct dirent **entries __auto_mem = NULL;
	int nr = scandir(directory, &entries, is_shown, alphasort), i, ret = GO_ON;
	struct strbuf __auto_free path = { 0 };
	bool is_directory;

	if (nr < 0)
		return failed(directory, -errno);
	for (i = 0; i < nr; i++) {
		strbuf_reset(&path);
		strbuf_printf(&path, "%s%s%s", directory,
			      text_ends(directory, "/") || !strcmp(directory, "/") ? ""
										   : "/",
			      entries[i]->d_name);
		if (ret == GO_ON)
			ret = add_entry(files, &path, entries[i]->d_name, &is_directory);
		else
			is_directory = false;
		if (ret == GO_ON && is_directory && depth < DEPTH_MAX)
			ret = add_directory(files, strbuf_text(&path), depth + 1);
		free(entries[i]);
	}
	return ret;
}

int query_files_add(struct query_files *files, const char *path)
{
	size_t nr = files->nr;
	struct stat st;
	int ret;

	if (!strcmp(path, "-"))
		return add(files, path, true, 0);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return add_file(files, path);
	ret = add_directory(files, path, 1);
	if (ret != GO_ON || files->nr > nr)
		return ret;
	return message_fail(
		EXIT_UNREADABLE, command_name,
		"%s has no *.ndjson, *.ndjson.zst, *.parquet or *.dat files\n  Write rows: kmemx export --format ndjson --into %s FILE",
		path, SHELL_NAME(path));
}

void query_files_free(struct query_files *files)
{
	while (files->nr) {
		free(files->items[--files->nr].path);
		free((char *)files->items[files->nr].id.path);
	}
	free(files->items);
}
