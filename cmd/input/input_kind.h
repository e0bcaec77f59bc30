/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what an input is if it is not a recording.
 * In: a path. Out: a message that says what it is and which command reads it.
 */
#ifndef KMEMX_CMD_INPUT_KIND_H
#define KMEMX_CMD_INPUT_KIND_H

#include "base/compiler.h"

/* Says what the file is, from its name and first bytes. False, without a message, if unknown, as
 * for "-".
 */
bool input_kind_tell(const char *command, const char *path);

/* The same for a directory, from the names in it. Always prints a message. */
void input_directory_tell(const char *command, const char *path);

/* Says that a file or directory was written by perf and is not @wanted, such as "a command". False,
 * without a message, if perf did not write it.
 */
bool input_perf_tell(const char *command, const char *path, const char *wanted);

/* Says that argv[0] is a recording or a file of perf, not a command. False, without a message, if
 * it is not, if it is a program in the PATH, or if @argv is NULL.
 */
bool input_command_tell(const char *command, char *const *argv);

#endif
