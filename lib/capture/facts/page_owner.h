/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: who has pages, by page_owner.
 * In: page_owner of debugfs. Out: pages by GFP flags and callchain.
 */
#ifndef KMEMX_CAPTURE_PAGE_OWNER_H
#define KMEMX_CAPTURE_PAGE_OWNER_H

#include <stdint.h>

#include "base/strbuf.h"

/* Appends "PAGES 0xGFP FUNCTION FUNCTION ..." for each kind of page at @path, innermost first and
 * without offsets and modules; a long callchain is cut. @most_ns, @most_bytes: of reading, and of
 * what is appended. 0; -ETIME: it takes longer; -EFBIG: it is more; -errno: not readable, -ENOMEM.
 */
int page_owner_sum(const char *path, uint64_t most_ns, size_t most_bytes,
		   struct strbuf *out) __must_check;
/* Appends the frames of each kind of page, as RECORDING_META_OPENING has them. As above. */
int page_owner_frames(const char *path, uint64_t most_ns, size_t most_bytes,
		      struct strbuf *out) __must_check;

#endif
