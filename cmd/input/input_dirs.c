// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/input/input_dirs.h"

#include "base/io.h"
#include "cmd/options/message.h"

static void vmlinux_failed(const char *command, const char *path, int err)
{
	switch (err) {
	case -ENODATA:
		message_error(
			command,
			"%s has no debug information (DWARF), so it gives no directories\n  Use the vmlinux from the kernel's debug package, or give the source: --source DIR",
			path);
		break;
	case -EOPNOTSUPP:
		message_error(
			command,
			"this build cannot read debug information (it has no libdw), so %s gives no directories\n  Give the kernel's source instead: --source DIR",
			path);
		break;
	case -EFBIG:
		message_error(
			command,
			"the debug information in %s takes too long to read for a file of its size: it is damaged or malicious\n  Use the vmlinux from the kernel's debug package, or give the source: --source DIR",
			path);
		break;
	case -ENOEXEC:
	case -EBADMSG:
		message_error(command, "%s is not a valid ELF file", path);
		break;
	default:
		message_error(command, "cannot read debug information from %s: %s", path,
			      io_strerror(err));
	}
}

static void modules_failed(const char *command, const char *path, int err)
{
	if (err == -EINVAL)
		message_error(
			command,
			"--modules %s has the modules of several kernels\n  Choose one: --modules %s/VERSION",
			path, path);
	else if (err == -ENODATA)
		message_error(
			command,
			"--modules %s: no modules (*.ko) in or below it\n  Give /lib/modules/VERSION or a kernel's build tree",
			path);
	else
		message_error(command, "cannot read --modules %s: %s", path,
			      strerror(-err));
}

static void source_failed(const char *command, const char *path, int err)
{
	if (err == -ENODATA)
		message_error(
			command,
			"--source %s: no C functions in or below it\n  Give the top directory of a kernel source tree",
			path);
	else
		message_error(command, "cannot read --source %s: %s", path,
			      strerror(-err));
}

int input_dirs_failed(const char *command, const struct dir_failure *failure, int err)
{
	switch (failure->which) {
	case DIR_FILE_VMLINUX:
		vmlinux_failed(command, failure->path, err);
		break;
	case DIR_FILE_MODULES:
		modules_failed(command, failure->path, err);
		break;
	default:
		source_failed(command, failure->path, err);
	}
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
