/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the kernel whose footprint is shown.
 * In: --vmlinux, --kernel, --modules, --source. Out: its parts, or a message and an exit code.
 */
#ifndef KMEMX_CMD_FOOTPRINT_FILES_H
#define KMEMX_CMD_FOOTPRINT_FILES_H

#include "report/table.h"
#include "symbol/debug_search.h"
#include "symbol/footprint.h"

/**
 * struct footprint_files - zero-initialise it; the option table points at the first four
 * @in_tree: path of the vmlinux in @kernel
 * @found: files that were searched for
 * @sources: of directories
 * @no_debug: vmlinux has no debug information
 */
struct footprint_files {
	const char *vmlinux, *kernel, *modules, *source;
	char *in_tree;
	struct debug_found found;
	struct directory_sources sources;
	struct footprint fp;
	bool no_debug;
	size_t nr_modules;
};

/* Can the options be used together? GO_ON, or EXIT_USAGE after a message. @places: where else to
 * look for the kernel.
 */
int footprint_files_check(const struct footprint_files *files,
			  const struct debug_places *places, const char *command);
/* Opens and reads the files. GO_ON, or the exit code after a message. */
int footprint_files_open(struct footprint_files *files, const char *command);
/* Adds what the report is based on to its banner. */
void footprint_files_banner(const struct footprint_files *files, struct report *report);
void footprint_files_free(struct footprint_files *files);

/**
 * footprint_search() - find the kernel's files if neither --vmlinux nor --kernel names them
 * @recording: whose kernel; NULL for the running kernel
 * @places: where to look besides this machine; @places->kernel is NULL
 * @verbose: for message_log
 *
 * Return: GO_ON with @files->vmlinux set, and @files->modules if modules were found and the user
 * named none; else the exit code, after a message.
 */
int footprint_search(struct footprint_files *files, const char *recording,
		     const struct debug_places *places, unsigned int verbose,
		     const char *command);

#endif
