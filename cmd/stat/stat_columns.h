/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx stat --columns.
 * In: the registry. Out: every column of every table, and its meaning.
 */
#ifndef KMEMX_CMD_STAT_COLUMNS_H
#define KMEMX_CMD_STAT_COLUMNS_H

#include "cmd/output/output.h"

/* Prints all columns. Returns an exit code. */
int stat_columns(const struct output_options *output, const char *command);

#endif
