/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study (internal): the debug information of a recording's kernel.
 * In: an open recording, and where to look. Out: study.found, study.lines, study.dirs.
 */
#ifndef KMEMX_STUDY_STUDY_DEBUG_H
#define KMEMX_STUDY_STUDY_DEBUG_H

#include "study/study.h"

/* Looks for the kernel's files, if @o asks for that and names none; @s has its recording and no
 * symbols yet. 0, or as study_open().
 */
int study_find_debug(struct study *s, const struct study_options *o) __must_check;
/* Opens the symbols that @o names, or the recording's own; a recording without any takes those of
 * the file that was found. 0, or as study_open().
 */
int study_find_symbols(struct study *s, const struct study_options *o) __must_check;
/* Opens what knows directories, inlined functions and lines; @s has its symbols. 0, or as
 * study_open().
 */
int study_open_debug(struct study *s, const struct study_options *o) __must_check;
/* What was added to the addresses of the vmlinux in use (KASLR); 0: there is none. */
uint64_t study_vmlinux_offset(const struct study *s);

#endif
