/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: what a recording has of long files of the kernel: a list made of each.
 * In: /proc. Out: texts.
 */
#ifndef KMEMX_CAPTURE_LISTS_H
#define KMEMX_CAPTURE_LISTS_H

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"

/* Reads @item: RECORDING_META_PROCESSES or RECORDING_META_VMALLOCINFO. 0 or -errno, after a
 * message; -ETIME: it would take too long.
 */
int list_read(const char *item, struct strbuf *out, const struct log *log) __must_check;

#endif
