// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: where the directories of functions come from.
 * In: --vmlinux, --modules, --source. Out: what can be asked about a recording, or a message.
 */
#include "input_dirs.h"

#include <errno.h>
#include <string.h>

#include "base/io.h"
#include "command.h"

bool dir_files_any(const struct dir_files *files)
{
	return files->vmlinux || files->modules || files->source;
}

static int vmlinux_failed(const char *command, const char *path, int err)
{
	switch (err) {
	case -ENODATA:
		message_error(
			command,
			"%s has no debug information (DWARF), so it knows no directories.\n  Take the vmlinux of the kernel's debug package, or give the source: --source DIR",
			path);
		break;
	case -EOPNOTSUPP:
		message_error(
			command,
			"this build cannot read debug information (it has no libdw), so %s gives no directories.\n  Give the kernel's source instead: --source DIR",
			path);
		break;
	case -EFBIG:
		message_error(
			command,
			"the debug information in %s asks for more work than a file of its size may: it is damaged, or was made to.\n  Take the vmlinux of the kernel's debug package, or give the source instead: --source DIR",
			path);
		break;
	case -ENOEXEC:
		message_error(command, "%s is not an ELF file, or a damaged one.", path);
		break;
	default:
		message_error(command, "cannot read debug information from %s: %s", path,
			      io_strerror(err));
	}
	return EXIT_FAILED;
}

static int modules_failed(const char *command, const char *path, int err)
{
	if (err == -EINVAL)
		message_error(
			command,
			"--modules %s has the modules of several kernels.\n  Name one of them: --modules %s/VERSION",
			path, path);
	else if (err == -ENODATA)
		message_error(
			command,
			"--modules %s: there is no module (*.ko) in it or below it.\n  Such as /lib/modules/VERSION, or a kernel's build tree.",
			path);
	else
		message_error(command, "cannot read --modules %s: %s", path,
			      strerror(-err));
	return EXIT_FAILED;
}

static int source_failed(const char *command, const char *path, int err)
{
	if (err == -ENODATA)
		message_error(
			command,
			"--source %s: there is no C function in it or below it.\n  It takes the top of a kernel's source tree.",
			path);
	else
		message_error(command, "cannot read --source %s: %s", path,
			      strerror(-err));
	return EXIT_FAILED;
}

int input_dirs_open(struct directory_sources *sources, const struct dir_files *files,
		    const char *command)
{
	int err;

	*sources = (struct directory_sources){ 0 };
	/* Without debug information it still gives the symbols; others may know directories. */
	err = files->vmlinux ? debug_units_open(&sources->vmlinux, files->vmlinux) : 0;
	if (err && ((err != -ENODATA && err != -EOPNOTSUPP) ||
		    (!files->modules && !files->source)))
		return vmlinux_failed(command, files->vmlinux, err);
	err = files->modules ? module_files_open(&sources->modules, files->modules) : 0;
	if (err)
		return modules_failed(command, files->modules, err);
	err = files->source ? source_tree_open(&sources->tree, files->source) : 0;
	return err ? source_failed(command, files->source, err) : GO_ON;
}

int input_dirs_for(struct directories **dirs, const struct directory_sources *sources,
		   const struct input *in)
{
	uint64_t offset = in->origin.kind == SYMBOLS_VMLINUX ? in->origin.offset : 0;
	char machine[64];

	recording_machine(in->rec, machine, sizeof(machine));
	if (!directories_new(dirs, sources, in->syms, offset, machine))
		return GO_ON;
	message_error(in->command, "%s", strerror(ENOMEM));
	return EXIT_FAILED;
}

void input_dirs_banner(const struct directories *dirs, struct report *report)
{
	const struct directory_counts c = directories_counts(dirs);

	if (c.unknown || c.ambiguous)
		report_add_banner(
			report, false,
			"directories: of %zu functions, %zu have none: %s; %zu may be of several: %s",
			c.all, c.unknown, DIRECTORY_UNKNOWN, c.ambiguous,
			DIRECTORY_AMBIGUOUS);
	else
		report_add_banner(report, false,
				  "directories: of %zu functions, all are known", c.all);
}

unsigned int input_dirs_depth(uint64_t depth)
{
	return depth < 1000 ? (unsigned int)depth : 0;
}

int input_dirs_missing(const char *command, const char *what, const char *of)
{
	message_error(
		command,
		"%s, but nothing says where functions%s are from.\n  Give the kernel's --vmlinux FILE (with debug information), its --source DIR,\n  or, for modules, --modules /lib/modules/VERSION.",
		what, of);
	return EXIT_USAGE;
}

int input_dirs_unused(const struct dir_files *files, bool depth, const char *command)
{
	const char *option = files->source    ? "--source"
			     : files->modules ? "--modules"
			     : depth	      ? "--dir-depth"
					      : NULL;

	if (!option)
		return GO_ON;
	message_error(command, "%s is for directories.\n  Add --by dir%s.", option,
		      !strcmp(command, "diff")
			      ? ", or a --budget with rules such as 'fs/ext4 net < 2M'"
			      : "");
	return EXIT_USAGE;
}
