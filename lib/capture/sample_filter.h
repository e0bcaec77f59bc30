/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: a sample as a filter of the kernel's events.
 * In: the rule of a sample. Out: the text of a filter.
 */
#ifndef KMEMX_CAPTURE_SAMPLE_FILTER_H
#define KMEMX_CAPTURE_SAMPLE_FILTER_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "recording/sample.h"

/* What passes is what sample_object() keeps, without kfree(NULL), of which there are many, where
 * @is_free. The event has a field "ptr".
 */
void sample_filter_object(const struct sample *s, bool is_free, struct strbuf *out);
/* What passes is what sample_block() keeps. The event has a field "pfn", and @has_order: "order".
 * @long_size: bytes of pfn, 4 or 8.
 */
void sample_filter_block(const struct sample *s, bool has_order, unsigned int long_size,
			 struct strbuf *out);

#endif
