/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: --csv-dir DIR of a command with a report.
 * In: a report. Out: a file for each of its tables in a directory of their own.
 */
#ifndef KMEMX_CMD_CSV_DIR_H
#define KMEMX_CMD_CSV_DIR_H

#include "report/table.h"

/* Can @path become such a directory: is it an empty one, or is there none? GO_ON; EXIT_FAILED
 * after a message.
 */
int csv_dir_check(const char *path, const char *command);
/**
 * csv_dir_write() - write the tables of @r to @path
 *
 * The directory is made if there is none; new_file_open_dir() says which links lead to it. A table
 * is NAME.csv, or NAME-BY.csv where several are called NAME. The files get their names when all are
 * complete: a failure leaves none of them, nor a directory that was not there before.
 *
 * Return: EXIT_OK after a line about them; EXIT_FAILED after a message.
 */
int csv_dir_write(const char *path, const struct report *r, const char *command);

#endif
