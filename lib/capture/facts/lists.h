/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: what a recording has of long files of the kernel: a list made of each.
 * In: /proc. Out: texts.
 */
#ifndef KMEMX_CAPTURE_LISTS_H
#define KMEMX_CAPTURE_LISTS_H

#include "base/log.h"
#include "base/strbuf.h"

/* Reads @item: RECORDING_META_PROCESSES, RECORDING_META_VMALLOCINFO, RECORDING_META_PAGE_OWNER,
 * RECORDING_META_OPENING, RECORDING_META_ALLOC_TRACES or RECORDING_META_PERCPU_STATS;
 * @long_time: for up to a minute. 0 or -errno, after a message unless the kernel has no such list;
 * -ETIME: it would take too long.
 */
int list_read(const char *item, bool long_time, struct strbuf *out,
	      const struct log *log) __must_check;

/* Appends "PAGES 0xGFP FUNCTION FUNCTION ..." for each kind of page at @path, innermost first and
 * without offsets and modules; a long callchain is cut. Pages may also have the numbers of
 * callchains in @path_stacks/show_stacks_handles. @most_ns, @most_bytes: of reading, and of what is
 * appended. 0; -ETIME: it takes longer; -EFBIG: it is more; -errno: not readable, -ENOMEM.
 */
int page_owner_sum(const char *path, uint64_t most_ns, size_t most_bytes,
		   struct strbuf *out) __must_check;
/* Appends the frames of each kind of page, as RECORDING_META_OPENING has them. As above. */
int page_owner_frames(const char *path, uint64_t most_ns, size_t most_bytes,
		      struct strbuf *out) __must_check;

/* Appends "CACHE OBJECTS FUNCTION [MODULE]" for each callsite in CACHE/alloc_traces below @path. As
 * above; -ENOENT: no cache has such a file.
 */
int alloc_traces_sum(const char *path, uint64_t most_ns, size_t most_bytes,
		     struct strbuf *out) __must_check;

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

/**
 * processes_list() - list the live threads
 * @proc: "/proc"
 * @most_ns: give up after this time; a thousand processes take some 20 milliseconds
 *
 * Threads that come or go meanwhile may be left out.
 *
 * Return: 0; -ETIME: there are too many; -ENOMEM; another -errno of reading.
 */
int processes_list(const char *proc, uint64_t most_ns, struct strbuf *out) __must_check;
/* Appends the control group of a process as in the list, "HIERARCHY:PATH"; nothing if it has ended. */
void processes_list_group(int32_t pid, struct strbuf *out);

#endif
