/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: who has memory from vmalloc.
 * In: /proc/vmallocinfo. Out: a line for each caller, "AREAS PAGES FUNCTION [MODULE]".
 */
#ifndef KMEMX_CAPTURE_VMALLOCINFO_H
#define KMEMX_CAPTURE_VMALLOCINFO_H

#include "base/compiler.h"
#include "base/strbuf.h"

/**
 * vmallocinfo_sum() - add up the areas of each caller
 * @path: /proc/vmallocinfo, or a file like it
 * @most_ns: give up after this time; a thousand areas take about a millisecond
 *
 * Areas without pages of their own (ioremap, vmap, freed and not yet purged) are left out.
 *
 * Return: 0; -ETIME: there are too many areas; -ENOMEM; another -errno of reading.
 */
int vmallocinfo_sum(const char *path, uint64_t most_ns, struct strbuf *out) __must_check;

#endif
