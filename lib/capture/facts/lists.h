/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: short lists made from the kernel's long files, for a recording.
 * In: /proc. Out: texts.
 */
#ifndef KMEMX_CAPTURE_LISTS_H
#define KMEMX_CAPTURE_LISTS_H

#include "base/keyed.h"
#include "base/log.h"
#include "base/strbuf.h"

/* The sums for one key of a list. */
struct list_sum {
	uint64_t nr, pages;
};

/**
 * struct list - a list that is being made
 * @most_ns, @end_ns: how long it may take, and when it must end, in CLOCK_MONOTONIC
 * @most_bytes: limit of @out's size
 * @sums: keyed by the end of a line of @out; if the key has a NUL, the part before it begins the
 *	line
 */
struct list {
	struct strbuf *out;
	uint64_t most_ns, end_ns;
	size_t most_bytes;
	KEYED(struct list_sum) sums;
};

/* Reads @path, a file or a directory of the kernel, or one like it. 0, -errno. */
typedef int list_fn(struct list *l, const char *path);

/* Appends what @read finds at @path. 0; -ETIME: it takes longer than @most_ns; -EFBIG: it is more
 * than @most_bytes; -errno: not readable, -ENOMEM.
 */
int list_make(list_fn *read, const char *path, uint64_t most_ns, size_t most_bytes,
	      struct strbuf *out) __must_check;
/* Reads @item: RECORDING_META_PROCESSES, RECORDING_META_VMALLOCINFO, RECORDING_META_PAGE_OWNER,
 * RECORDING_META_OPENING, RECORDING_META_ALLOC_TRACES or RECORDING_META_PERCPU_STATS;
 * @long_time: take up to a minute. 0 or -errno, after a message unless the kernel has no such list;
 * -ETIME: it would take too long.
 */
int list_read(const char *item, bool long_time, struct strbuf *out,
	      const struct log *log) __must_check;

/* Is the list within its limits? 0, -ETIME, -EFBIG. */
int list_check(const struct list *l) __must_check;
/* Calls @add for each line of @file until it fails or the list exceeds its limits; @add may change
 * the line. @file NULL: opening it failed, with errno.
 */
int list_lines(const struct list *l, FILE *file, int (*add)(void *ctx, char *line),
	       void *ctx) __must_check;
/* Adds to the sum of a key, which becomes the line "NR KEY", or "NR PAGES KEY". 0 or -ENOMEM. */
int list_add(struct list *l, const char *key, size_t len,
	     const struct list_sum *more) __must_check;

/* "PAGES 0xGFP FUNCTION FUNCTION ..." for each kind of page, innermost first and without offsets
 * and modules; a long callchain is cut. Pages may also have the numbers of callchains in
 * PATH_stacks/show_stacks_handles.
 */
list_fn page_owner_sum;
/* The frames of each kind of page, as RECORDING_META_OPENING has them. */
list_fn page_owner_frames;
/* What each frame is used for, by /proc/kpageflags. */
list_fn opening_of_flags;
/* "CACHE OBJECTS FUNCTION [MODULE]" for each callsite in CACHE/alloc_traces. -ENOENT: no cache has
 * such a file.
 */
list_fn alloc_traces_sum;
/* "AREAS PAGES FUNCTION [MODULE]" for each caller. Areas without pages of their own (ioremap, vmap,
 * freed and not yet purged) are left out. A thousand areas take about a millisecond.
 */
list_fn vmallocinfo_sum;

#endif
