/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study (internal): the debug information of a recording's kernel.
 * In: an open recording, and the places to search. Out: study.found, study.lines, study.dirs.
 */
#ifndef KMEMX_STUDY_STUDY_DEBUG_H
#define KMEMX_STUDY_STUDY_DEBUG_H

#include "study/study.h"

/* Searches for the kernel's files, if @o asks for it and names none. @s has its recording but no
 * symbols yet. 0, or as study_open().
 */
int study_find_debug(struct study *s, const struct study_options *o) __must_check;
/* Opens the symbols that @o names, or the recording's own; if it has none, those of the file that
 * was found. 0, or as study_open().
 */
int study_find_symbols(struct study *s, const struct study_options *o) __must_check;
/* Opens the sources of directories, inlined functions and lines. @s has its symbols. 0, or as
 * study_open().
 */
int study_open_debug(struct study *s, const struct study_options *o) __must_check;
/* The offset added to the addresses of the vmlinux in use (KASLR); 0: none. */
uint64_t study_vmlinux_offset(const struct study *s);

#endif
