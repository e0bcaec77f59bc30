/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: which events a recorder was told to record.
 * In: a recording's metadata, its formats. Out: whether a kind of event could be in it.
 */
#ifndef KMEMX_EVENT_RECORDED_H
#define KMEMX_EVENT_RECORDED_H

#include <stdint.h>

#include "event/formats.h"
#include "recording/recording.h"

/* Why no such event is in a recording: unknown; they were not recorded; none occurred. */
enum recorded { RECORDED_UNKNOWN, RECORDED_NO, RECORDED_YES };

/**
 * recorded_types() - were events of one of these types recorded?
 * @types: bits of enum kmem_event_type
 *
 * Only kmemx record notes this, in a metadata item: "kmem:kmalloc kmem:kfree ...". The item is
 * hostile, and any text is accepted.
 */
enum recorded recorded_types(const struct recording *rec,
			     const struct event_formats *fmts, uint32_t types);

#endif
