/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd (export): where an export goes.
 * In: a report, and options. Out: standard output, a file, or one in a directory of many.
 */
#ifndef KMEMX_CMD_EXPORT_WRITE_H
#define KMEMX_CMD_EXPORT_WRITE_H

#include "export/export.h"
#include "recording/recording.h"

/**
 * struct export_place - where the export goes
 * @output: a file; NULL or "-": standard output
 * @into: instead of @output: a directory; day, kernel, host and recording give the path below it
 * @input: the recording, which must not be overwritten
 */
struct export_place {
	const char *output, *into, *input;
};

/* Writes @report for @exporter: an exit code, after a message if it is not EXIT_OK. */
int export_write(const struct exporter *exporter, const struct export_options *opts,
		 const struct report *report, const struct export_place *place);

#endif
