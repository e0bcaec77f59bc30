/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the names of a comparison's rows.
 * In: addresses, stacks, caches. Out: names that also hold in another build of the kernel.
 */
#ifndef KMEMX_ANALYSIS_COMPARISON_NAME_H
#define KMEMX_ANALYSIS_COMPARISON_NAME_H

#include "analysis/analysis.h"
#include "base/strbuf.h"

/* The name if file or line are not known. */
#define SOURCE_UNKNOWN "(unknown)"

/* All append to @out. Code without a symbol is "[unknown]": addresses cannot be compared. */

/* The row's name by @kind: "function"; "fs/dcache.c" or "fs/dcache.c:1640" of the callsite, or
 * SOURCE_UNKNOWN; "module" or "[kernel]"; "fs/ext4", by directories_find() with @depth, where @out
 * fails if that has no memory; "function [module]", the callsite, for other kinds.
 */
void comparison_name_by(const struct analysis_env *env, enum subject_kind kind,
			uint64_t addr, unsigned int depth, struct strbuf *out);
/* The functions of stack @id from @callsite outwards (0: starting where the rule says), separated
 * by ';'; without a stack the callsite's, and "[no stack]". Inlined ones are marked, except the
 * first.
 */
void comparison_name_stack(const struct analysis_env *env, uint32_t id, uint64_t callsite,
			   struct strbuf *out);
/* "kmalloc-64", "kmalloc-1k", the kernel's name of the cache for objects of @size. */
void comparison_name_kmalloc(const struct analysis_env *env, uint64_t size,
			     struct strbuf *out);
/* The callsite in stack @id; 0: none. */
uint64_t comparison_callsite(const struct analysis_env *env, uint32_t id);

#endif
