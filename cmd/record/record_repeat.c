// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/record_repeat.h"

#include <dirent.h>

#include "base/safe_text.h"
#include "cmd/options/command.h"
#include "cmd/options/message.h"
#include "cmd/record/recorder.h"

/* Rejects a directory with recordings: a comparison would mix older runs with the new ones. */
static int check_empty(const char *directory)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	int ret = GO_ON;

	if (!dir)
		return message_fail(EXIT_FAILED, "record", "cannot open %s: %s",
				    directory, strerror(errno));
	while (ret == GO_ON && (entry = readdir(dir))) {
		size_t size = strlen(entry->d_name);

		if (size <= 4 || strcmp(entry->d_name + size - 4, ".dat"))
			continue;
		message_error(
			"record",
			"%s already has recordings (%s)\n  Name another directory, or empty it first",
			directory, entry->d_name);
		ret = EXIT_FAILED;
	}
	closedir(dir);
	return ret;
}

int record_repeat(const struct record_repeat *r)
{
	char path[4096];
	int ret;

	ret = recorder_make_directory(r->directory);
	if (ret == GO_ON)
		ret = check_empty(r->directory);
	if (ret != GO_ON)
		return ret;
	for (uint64_t i = 1; i <= r->times; i++) {
		bool stopped = false,
		     slash = r->directory[strlen(r->directory) - 1] == '/';

		if (snprintf(path, sizeof(path), "%s%s%03" PRIu64 ".dat", r->directory,
			     slash ? "" : "/", i) >= (int)sizeof(path))
			return message_fail(EXIT_FAILED, "record", "%s: %s", r->directory,
					    strerror(ENAMETOOLONG));
		ret = r->once(r->ctx, path, &stopped);
		if (!ret && !stopped)
			continue;
		message_error("record",
			      "run %" PRIu64 " of %" PRIu64
			      " %s: the remaining runs are skipped",
			      i, r->times, stopped ? "was stopped" : "failed");
		return ret;
	}
	if (!r->quiet)
		message_info("%" PRIu64 " run%s in %s; compare: kmemx diff OLD/ %s",
			     r->times, plural(r->times), r->directory,
			     SHELL_NAME(r->directory));
	return EXIT_OK;
}
