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

/* "function" or "function [module]". */
void comparison_name_site(const struct analysis_env *env, uint64_t addr,
			  struct strbuf *out);
/* "function", without its module. */
void comparison_name_function(const struct analysis_env *env, uint64_t addr,
			      struct strbuf *out);
/* "fs/dcache.c", and "fs/dcache.c:1640": of the callsite, or SOURCE_UNKNOWN. */
void comparison_name_file(const struct analysis_env *env, uint64_t addr,
			  struct strbuf *out);
void comparison_name_line(const struct analysis_env *env, uint64_t addr,
			  struct strbuf *out);
/* "module", or "[kernel]". */
void comparison_name_module(const struct analysis_env *env, uint64_t addr,
			    struct strbuf *out);
/* "fs/ext4": directories_find(); @out fails if that has no memory. */
void comparison_name_directory(const struct analysis_env *env, uint64_t addr,
			       unsigned int depth, struct strbuf *out);
/* The row's name by @kind, one of the above; by callsite for other kinds. @depth: of
 * comparison_name_directory().
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
