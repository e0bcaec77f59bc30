/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: --csv-dir DIR of a command with a report.
 * In: a report. Out: a file for each of its tables in a directory of their own.
 */
#ifndef KMEMX_CMD_CSV_DIR_H
#define KMEMX_CMD_CSV_DIR_H

#include "report/table.h"

/* Can the tables be written to @path: is it an empty directory, or can it be created? GO_ON, or
 * EXIT_FAILED after a message.
 */
int csv_dir_check(const char *path, const char *command);
/**
 * csv_dir_write() - write the tables of @r to @path
 *
 * Creates the directory if it does not exist; new_file_open_dir() says which links it follows. A
 * table is NAME.csv, or NAME-BY.csv if several are called NAME. The files get their names when all
 * are complete: a failure leaves no file, and no directory that did not exist before.
 *
 * Return: EXIT_OK after a line that names the directory; EXIT_FAILED after a message.
 */
int csv_dir_write(const char *path, const struct report *r, const char *command);

#endif
