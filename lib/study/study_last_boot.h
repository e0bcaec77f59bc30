/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study (internal): a recording of the boot before, saved by trace-cmd.
 * In: an open recording. Out: its symbols where they were when the events came.
 */
#ifndef KMEMX_STUDY_STUDY_LAST_BOOT_H
#define KMEMX_STUDY_STUDY_LAST_BOOT_H

#include "study/study.h"

/* Moves the recording's symbols, if its events are of another boot than they are. 0, or as
 * study_open().
 */
int study_last_boot(struct study *s) __must_check;

#endif
