/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: expresses a sample as a kernel event filter.
 * In: the rule of a sample. Out: the text of a filter.
 */
#ifndef KMEMX_CAPTURE_SAMPLE_FILTER_H
#define KMEMX_CAPTURE_SAMPLE_FILTER_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "recording/sample.h"

/* Passes what sample_object() keeps. With @is_free it drops kfree(NULL), which is frequent. The
 * event has a field "ptr".
 */
void sample_filter_object(const struct sample *s, bool is_free, struct strbuf *out);
/* Passes what sample_block() keeps. The event has a field "pfn", and with @has_order a field
 * "order". @long_size: bytes of pfn, 4 or 8.
 */
void sample_filter_block(const struct sample *s, bool has_order, unsigned int long_size,
			 struct strbuf *out);

#endif
