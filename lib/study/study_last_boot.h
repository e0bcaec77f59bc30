/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study (internal): a recording of the previous boot, saved by trace-cmd.
 * In: an open recording. Out: its symbols at their addresses during that boot.
 */
#ifndef KMEMX_STUDY_STUDY_LAST_BOOT_H
#define KMEMX_STUDY_STUDY_LAST_BOOT_H

#include "study/study.h"

/* Moves the recording's symbols if its events are from another boot than the symbols. 0, or as
 * study_open().
 */
int study_last_boot(struct study *s) __must_check;

#endif
