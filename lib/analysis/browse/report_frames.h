/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): who held which page frames, for a page.
 * In: pages by pageblock and callsite over time. Out: parts of the page frames, and who held them.
 */
#ifndef KMEMX_ANALYSIS_REPORT_FRAMES_H
#define KMEMX_ANALYSIS_REPORT_FRAMES_H

#include "analysis/time/frame_map.h"
#include "report/web/web_report.h"

/* Fills in @f, which is empty. @names: group of callsites of @m -> number of its name. 0 or
 * -ENOMEM.
 */
int report_frames_fill(struct web_frames *f, const struct frame_map *m,
		       const uint32_t *names) __must_check;

#endif
