/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: saves what a ring buffer holds that somebody else has filled, such as the kernel
 * since it booted.
 * In: the top-level instance or an instance. Out: a trace.dat file; the buffer is empty then.
 */
#ifndef KMEMX_CAPTURE_EXTRACT_H
#define KMEMX_CAPTURE_EXTRACT_H

#include <stdbool.h>

#include "base/compiler.h"
#include "capture/capture.h"

/**
 * extract_run() - save a buffer
 * @opts: of these are used: output, command_line, file_version, compress, owner_uid,
 *	owner_gid, log
 * @name: the instance; NULL: the top-level instance
 * @stop: tracing is off there while it is read, and then as it was; else no more is read
 *	than the buffer can hold
 * @result: events, file_bytes, what the kernel counted as lost, write_error
 *
 * Events that have been read are gone from the buffer. Nothing else of it changes: no event
 * is switched, the instance is not removed.
 *
 * Return: 0; -ESRCH without a message if there is no such instance; else -errno after an
 * LOG_ERROR message: -ENODATA if the buffer is empty. There is no file then, and an existing
 * one is untouched.
 */
int extract_run(const struct capture_options *opts, const char *name, bool stop,
		struct capture_result *result) __must_check;

#endif
