/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: a sample of a recording that has all events.
 * In: the rule of a sample, a record. Out: would a recording of that sample have it?
 */
#ifndef KMEMX_EVENT_SPLIT_SAMPLE_H
#define KMEMX_EVENT_SPLIT_SAMPLE_H

#include <stdbool.h>

#include "base/compiler.h"
#include "event/formats.h"
#include "recording/sample.h"
#include "recording/subbuf.h"

/* Can a sample be taken? 0; -EEXIST: the recording is already a sample, of events or of callchains;
 * -ENOTSUP: its pages have no frame numbers, as with kernels before 4.1.
 */
int split_sample_check(const struct recording *rec,
		       const struct event_formats *fmts) __must_check;
/* Is the event in the sample? Events that are not of the slab and page allocators always are. @rec
 * is at least as long as @fmt wants.
 */
bool split_sample_has(const struct sample *s, const struct event_format *fmt,
		      const struct raw_record *rec, bool big_endian);

#endif
