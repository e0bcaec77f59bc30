/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: looks for the kernel whose footprint is asked for.
 * In: a recording, or the running kernel. Out: paths of its files, or a message and an exit code.
 */
#ifndef KMEMX_CMD_FOOTPRINT_SEARCH_H
#define KMEMX_CMD_FOOTPRINT_SEARCH_H

#include "footprint_files.h"
#include "symbol/debug_search.h"

/**
 * footprint_search() - the kernel's files, where neither --vmlinux nor --kernel names them
 * @recording: NULL: of the running kernel
 * @places: where else than on this machine; its kernel is NULL
 * @verbose: of message_log
 *
 * Return: GO_ON, with @files->vmlinux set, and @files->modules if there are any and the user named
 * none; otherwise the exit code, after a message.
 */
int footprint_search(struct footprint_files *files, const char *recording,
		     const struct debug_places *places, unsigned int verbose,
		     const char *command);

#endif
