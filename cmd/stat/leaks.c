// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the options that only kmemx leaks has.
 * In: a time, files of known leaks. Out: options of the analysis, or a message and an exit code.
 */

#include "analysis/life/leaks.h"
#include "cmd/options/message.h"
#include "cmd/stat/tables.h"
#include "base/io.h"

static const char command_name[] = "leaks";

/* Reads the text of a file of known leaks. */
static int read_text(const char *path, char *text, size_t *size)
{
	FILE *file = fopen(path, "re");
	int err = 0;

	if (!file)
		return -errno;
	errno = EIO;
	*size = fread(text, 1, SUPPRESSIONS_TEXT_MAX + 1, file);
	if (ferror(file))
		err = -errno;
	else if (*size > SUPPRESSIONS_TEXT_MAX)
		err = -E2BIG;
	fclose(file);
	return err;
}

static int read_suppressions(struct suppressions *s, const char *path)
{
	char *text __auto_mem = malloc(SUPPRESSIONS_TEXT_MAX + 1);
	unsigned int line = 0;
	size_t size = 0;
	int err = text ? read_text(path, text, &size) : -ENOMEM;

	if (!err)
		err = suppressions_parse(s, text, size, &line);
	if (!err)
		return GO_ON;
	if (err == -EINVAL)
		message_error(command_name,
			      "%s:%u: a line is leak:FUNCTION or begins with #", path,
			      line);
	else if (err == -E2BIG)
		message_error(command_name, "%s: over %u lines or %u KiB", path,
			      SUPPRESSIONS_MAX, SUPPRESSIONS_TEXT_MAX >> 10);
	else
		message_error(command_name, "cannot read %s: %s", path, strerror(-err));
	return err == -EINVAL || err == -E2BIG ? EXIT_USAGE : EXIT_FAILED;
}

int leaks_choose(struct tables_args *args, struct stat_options *o)
{
	struct leaks_options *own = stat_analyses_own(&o->analyses, command_name);
	int ret = GO_ON;

	for (size_t i = 0; i < args->suppress.count && ret == GO_ON; i++)
		ret = read_suppressions(&args->known, args->suppress.items[i]);
	if (args->known.nr)
		own->suppress = &args->known;
	return ret;
}
