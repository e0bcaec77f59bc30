/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how the kernel was entered when it allocated.
 * In: a callchain. Out: "openat(2)", "page fault", "softirq: NET_RX", "kworker: FUNCTION".
 *
 * Documentation/entries.md has the rule, and the functions of each architecture.
 */
#ifndef KMEMX_ANALYSIS_ENTRY_H
#define KMEMX_ANALYSIS_ENTRY_H

#include "analysis/analysis.h"
#include "base/strbuf.h"

/* Appends the entry of a callchain of @nr > 0 frames, innermost first. */
void entry_name(const struct analysis_env *env, const uint64_t *frames, uint32_t nr,
		struct strbuf *out);

#endif
