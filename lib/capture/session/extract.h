/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: saves the contents of a ring buffer that somebody else filled, such as the kernel since
 * boot.
 * In: the top-level instance or an instance. Out: a trace.dat file; the buffer is then empty.
 */
#ifndef KMEMX_CAPTURE_EXTRACT_H
#define KMEMX_CAPTURE_EXTRACT_H

#include "capture/session/capture.h"

/**
 * extract_run() - save a buffer
 * @opts: only these are used: output, command_line, file_version, compress, owner_uid, owner_gid,
 *	log
 * @name: the instance; NULL: the top-level instance
 * @stop: switch tracing off while reading, then restore it; else read no more than the buffer can
 *	hold
 * @result: events, file_bytes, what the kernel counted as lost, write_error
 *
 * Events that have been read are gone from the buffer. Nothing else changes: no event is switched
 * on or off, and the instance is not removed.
 *
 * Return: 0; -ESRCH without a message if there is no such instance; else -errno after an
 * LOG_ERROR message: -ENODATA if the buffer is empty. There is no file then, and an existing
 * one is untouched.
 */
int extract_run(const struct capture_options *opts, const char *name, bool stop,
		struct capture_result *result) __must_check;

#endif
