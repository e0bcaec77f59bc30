/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what an input is that is no recording.
 * In: a path. Out: a message that says what it is and which command reads it.
 */
#ifndef KMEMX_CMD_INPUT_KIND_H
#define KMEMX_CMD_INPUT_KIND_H

#include <stdbool.h>

/* Tells what the file is, from its name and its first bytes. False, without a message, if that is
 * not known, such as of "-".
 */
bool input_kind_tell(const char *command, const char *path);

/* The same for a directory, from the names in it; always prints a message. */
void input_directory_tell(const char *command, const char *path);

/* Tells that a file or a directory is perf's and not @wanted, such as "a command"; false, without
 * a message, if it is not perf's.
 */
bool input_perf_tell(const char *command, const char *path, const char *wanted);

/* The same of the command that @argv begins with, which may be NULL, and of recordings, too: false
 * where it can be run, or is no such file.
 */
bool input_command_tell(const char *command, char *const *argv);

#endif
