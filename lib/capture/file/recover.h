/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: makes a recording from what a killed recorder left.
 * In: its unfinished files, and its tracing instance if that is still there. Out: a file.
 */
#ifndef KMEMX_CAPTURE_RECOVER_H
#define KMEMX_CAPTURE_RECOVER_H

#include "base/log.h"
#include "capture/events/leftover.h"

/**
 * struct recover_result - what was recovered
 * @file_bytes: size of the recording
 * @page_bytes: bytes of the pages in it
 * @nr_cpus: CPUs with pages
 * @from_buffers: bytes of pages that were still in the kernel's ring buffers
 * @buffers_read: the ring buffers still existed; else their content is lost, unless @whole or
 *	@extract
 * @whole: the recorder had written everything
 * @extract: the killed process was an extract: what it had not read is still in its buffer
 * @nothing: the file has neither pages nor a beginning, so only the ring buffers may hold events
 *	and there is no message
 * @unwritten: events that the recorder had read but not written, which are lost; known with
 *	@buffers_read
 */
struct recover_result {
	uint64_t file_bytes;
	uint64_t page_bytes;
	size_t nr_cpus;
	uint64_t from_buffers;
	uint64_t unwritten;
	bool buffers_read, whole, extract, nothing;
};

/**
 * recover_run() - write the recording, then remove the leftover files
 * @l: from leftover_open()
 * @output: path of the recording
 *
 * Reads the ring buffers of the instance that the recorder left and removes it. The result has a
 * metadata item "recovered". On failure the files do not change, except that pages from ring
 * buffers may have been added.
 *
 * Return: 0; -errno after a LOG_ERROR message, or with @nothing.
 */
int recover_run(const struct leftover *l, const char *output,
		struct recover_result *result, const struct log *log) __must_check;

#endif
