/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study: the bytes of a recording.
 * In: a path, "-", a pipe. Out: a byte source with random access.
 */
#ifndef KMEMX_STUDY_STUDY_SOURCE_H
#define KMEMX_STUDY_STUDY_SOURCE_H

#include "base/compiler.h"
#include "recording/source.h"

/**
 * study_source_open() - open @path, or standard input as "-"
 * @tmpdir: directory for an unnamed file with a pipe's content; NULL or "": /tmp
 *
 * Return: 0; -ENODEV for a device, which may have no end; -errno of opening or copying.
 */
int study_source_open(struct source *src, const char *path,
		      const char *tmpdir) __must_check;

#endif
