/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: what a recording has of long files of the kernel: a list made of each.
 * In: /proc. Out: texts.
 */
#ifndef KMEMX_CAPTURE_LISTS_H
#define KMEMX_CAPTURE_LISTS_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"

/* Reads @item: RECORDING_META_PROCESSES, RECORDING_META_VMALLOCINFO, RECORDING_META_PAGE_OWNER
 * or RECORDING_META_OPENING;
 * @long_time: for up to a minute. 0 or -errno, after a message unless the kernel has no such list;
 * -ETIME: it would take too long.
 */
int list_read(const char *item, bool long_time, struct strbuf *out,
	      const struct log *log) __must_check;

#endif
