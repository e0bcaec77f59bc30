// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/input/input_dirs.h"

#include "base/io.h"
#include "cmd/options/message.h"

/* What can be wrong with a file: the message's text before and after its path, and advice. */
static const struct {
	int which, err;
	const char *before, *after, *advice;
} problems[] = {
	{ DIR_FILE_VMLINUX, -ENODATA, "",
	  " has no debug information (DWARF), so it gives no directories",
	  "Use the vmlinux from the kernel's debug package, or give the source: --source DIR" },
	{ DIR_FILE_VMLINUX, -EOPNOTSUPP,
	  "this build cannot read debug information (it has no libdw), so ",
	  " gives no directories", "Give the kernel's source instead: --source DIR" },
	{ DIR_FILE_VMLINUX, -EFBIG, "the debug information in ",
	  " takes too long to read for a file of its size: it is damaged or malicious",
	  "Use the vmlinux from the kernel's debug package, or give the source: --source DIR" },
	{ DIR_FILE_MODULES, -ENODATA, "--modules ", ": no modules (*.ko) in or below it",
	  "Give /lib/modules/VERSION or a kernel's build tree" },
	{ DIR_FILE_SOURCE, -ENODATA, "--source ", ": no C functions in or below it",
	  "Give the top directory of a kernel source tree" },
};

int input_dirs_failed(const char *command, const struct dir_failure *failure, int err)
{
	bool vmlinux = failure->which == DIR_FILE_VMLINUX;
	const char *path = failure->path;

	for (size_t i = 0; i < ARRAY_SIZE(problems); i++) {
		if (problems[i].which == (int)failure->which && problems[i].err == err)
			return message_fail(EXIT_UNREADABLE, command, "%s%s%s\n  %s",
					    problems[i].before, path, problems[i].after,
					    problems[i].advice);
	}
	if (vmlinux && (err == -ENOEXEC || err == -EBADMSG))
		message_error(command, "%s is not a valid ELF file", path);
	else if (vmlinux)
		message_error(command, "cannot read debug information from %s: %s", path,
			      io_strerror(err));
	else if (failure->which == DIR_FILE_MODULES && err == -EINVAL)
		message_error(
			command,
			"--modules %s has the modules of several kernels\n  Choose one: --modules %s/VERSION",
			path, path);
	else
		message_error(command, "cannot read --%s %s: %s",
			      failure->which == DIR_FILE_MODULES ? "modules" : "source",
			      path, strerror(-err));
	return err == -ENOMEM ? EXIT_FAILED : EXIT_UNREADABLE;
}

unsigned int input_dirs_depth(uint64_t depth)
{
	return depth < 1000 ? (unsigned int)depth : 0;
}

int input_dirs_missing(const char *command, const char *what, const char *of)
{
	return message_fail(
		EXIT_USAGE, command,
		"%s; none are given%s\n  Give the kernel's --vmlinux FILE (with debug information), its --source DIR,\n  or, for modules, --modules /lib/modules/VERSION; kmemx info --symbols says which packages have them",
		what, of);
}

/* Says that this build cannot read lines from any file. */
static int lines_not_built_in(const char *command)
{
	return message_fail(
		EXIT_UNREADABLE, command,
		"this build cannot read debug information (it has no libdw), so there are no lines\n  Install %s and build kmemx again",
		version_packages("libdw"));
}

int input_lines_missing(const char *command, const char *word, const char *of)
{
	if (!debug_units_built_in())
		return lines_not_built_in(command);
	return message_fail(
		EXIT_USAGE, command,
		"--by %s needs the kernel's debug information; none is given%s\n  Give the kernel's --vmlinux FILE, with debug information (modules: --modules DIR)\n  kmemx info --symbols says where kmemx looked, and which package has it",
		word, of);
}

int input_lines_none(const char *command, const char *path)
{
	if (!debug_units_built_in())
		return lines_not_built_in(command);
	return message_fail(
		EXIT_UNREADABLE, command,
		"%s has no readable debug information (DWARF), so it gives no lines\n  Use the vmlinux from the kernel's debug package",
		path);
}

int input_dirs_unused(const struct dir_files *files, bool filter, bool depth,
		      const char *users, const char *command)
{
	const char *file = filter	    ? NULL
			   : files->source  ? "--source"
			   : files->modules ? "--modules"
					    : NULL;

	if (!file && !depth)
		return GO_ON;
	return message_fail(EXIT_USAGE, command, "%s needs %s",
			    file ? file : "--dir-depth", file ? users : "--by dir");
}
