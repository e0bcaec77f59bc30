/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: finds the kernel whose footprint is shown.
 * In: a recording, or the running kernel. Out: paths of its files, or a message and an exit code.
 */
#ifndef KMEMX_CMD_FOOTPRINT_SEARCH_H
#define KMEMX_CMD_FOOTPRINT_SEARCH_H

#include "cmd/footprint/footprint_files.h"
#include "symbol/debug_search.h"

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
