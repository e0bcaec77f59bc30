// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: which recordings kmemx diff compares.
 * In: its operands. Out: the paths of either side; a directory stands for its recordings.
 */
#include "cmd/diff/diff_options.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/input/input.h"
#include "cmd/input/input_kind.h"
#include "cmd/options/message.h"

/* All values of a row are kept in memory, and text has no room for more. */
#define RUNS_MAX 1000

static int failed(int err)
{
	return message_fail(EXIT_FAILED, "diff", "%s", strerror(err));
}

static int add_path(struct diff_paths *paths, const char *path)
{
	char **grown;

	if (paths->nr == RUNS_MAX)
		return message_fail(EXIT_USAGE, "diff",
				    "too many recordings (at most %d)", RUNS_MAX);
	grown = reallocarray(paths->items, paths->nr + 1, sizeof(*grown));
	if (!grown)
		return failed(ENOMEM);
	paths->items = grown;
	grown[paths->nr] = strdup(path);
	if (!grown[paths->nr])
		return failed(ENOMEM);
	paths->nr++;
	return GO_ON;
}

static int is_recording(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);

	return entry->d_name[0] != '.' && size > 4 &&
	       !strcmp(entry->d_name + size - 4, ".dat");
}

/* Adds all recordings of a directory, sorted by name. */
static int add_directory(struct diff_paths *paths, const char *directory)
{
	struct dirent **entries = NULL;
	char path[4096];
	int nr = scandir(directory, &entries, is_recording, alphasort), i, ret = GO_ON;
	int size = (int)strnlen(directory, sizeof(path));

	/* "old/" gives "old/1.dat"; "/" is left empty and gives "/1.dat". */
	while (size && directory[size - 1] == '/')
		size--;
	if (nr <= 0) {
		if (!nr &&
		    input_perf_tell("diff", directory, "a directory of recordings")) {
			free(entries);
			return EXIT_UNREADABLE;
		}
		message_error("diff", "%s: %s", directory,
			      nr ? strerror(errno)
				 : "no recordings (*.dat) in this directory");
		free(entries);
		return EXIT_UNREADABLE;
	}
	for (i = 0; i < nr; i++) {
		if (ret == GO_ON &&
		    snprintf(path, sizeof(path), "%.*s/%s", size, directory,
			     entries[i]->d_name) >= (int)sizeof(path))
			ret = failed(ENAMETOOLONG);
		if (ret == GO_ON)
			ret = add_path(paths, path);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

static int add(struct diff_paths *paths, const char *path)
{
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return add_directory(paths, path);
	return add_path(paths, path);
}

int diff_paths_init(struct diff_paths *paths, char **operands, int nr, int nr_old)
{
	char *defaults[] = { INPUT_DEFAULT ".old", INPUT_DEFAULT };
	int ret = GO_ON, i;

	if (!nr) {
		operands = defaults;
		nr = 2;
	}
	if (nr_old < 0 && nr != 2)
		return message_fail(
			EXIT_USAGE, "diff",
			nr == 1 ? "need two recordings\n  Two: kmemx diff OLD NEW    several: kmemx diff OLD... -- NEW..."
				: "cannot tell which of the %d recordings are new\n  Put -- between the old ones and the new ones",
			nr);
	if (nr_old < 0)
		nr_old = 1;
	if (!nr_old || nr_old == nr)
		return message_fail(
			EXIT_USAGE, "diff",
			"no recordings %s --\n  Several runs per side: kmemx diff OLD... -- NEW...",
			nr_old ? "behind" : "before");
	for (i = 0; i < nr && ret == GO_ON; i++) {
		if (i == nr_old)
			paths->nr_old = paths->nr;
		ret = add(paths, operands[i]);
	}
	return ret;
}

void diff_paths_free(struct diff_paths *paths)
{
	while (paths->nr)
		free(paths->items[--paths->nr]);
	free(paths->items);
	paths->items = NULL;
}
