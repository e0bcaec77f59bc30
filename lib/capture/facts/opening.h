/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: what each page frame is used for before a recording.
 * In: page_owner of debugfs, or /proc/kpageflags. Out: the text of RECORDING_META_OPENING.
 */
#ifndef KMEMX_CAPTURE_OPENING_H
#define KMEMX_CAPTURE_OPENING_H

#include "base/hash.h"
#include "base/strbuf.h"

/**
 * struct opening_runs - the text under construction
 * @next: frame after the runs in @out; @first, @nr, @name: the run that is not yet there
 */
struct opening_runs {
	struct strbuf *out;
	struct intern names;
	uint32_t nr_names;
	uint64_t next, first, nr;
	uint32_t name;
};

/* Adds @nr frames from @first on, after those of earlier calls; others are left out. 0 or
 * -ENOMEM.
 */
int opening_add(struct opening_runs *r, uint64_t first, uint64_t nr, const char *name,
		size_t name_len) __must_check;
/* Appends the last run. */
void opening_end(struct opening_runs *r);
/* Appends the uses of frames by /proc/kpageflags. Limits and errors: those of page_owner_sum(). */
int opening_of_flags(const char *path, uint64_t most_ns, size_t most_bytes,
		     struct strbuf *out) __must_check;

#endif
