/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what a row of a comparison is called.
 * In: addresses, stacks, caches. Out: names that hold in another build of the kernel.
 */
#ifndef KMEMX_ANALYSIS_COMPARISON_NAME_H
#define KMEMX_ANALYSIS_COMPARISON_NAME_H

#include "analysis/analysis.h"
#include "base/strbuf.h"

/* What is called so has no file or line that anybody knows. */
#define SOURCE_UNKNOWN "(unknown)"

/* All append to @out. What has no symbol is "[unknown]": addresses compare with nothing. */

/* "function" or "function [module]". */
void comparison_name_site(const struct analysis_env *env, uint64_t addr,
			  struct strbuf *out);
/* "function", without the module that it is in. */
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
/* "fs/ext4": directories_find(); @out fails where that has no memory. */
void comparison_name_directory(const struct analysis_env *env, uint64_t addr,
			       unsigned int depth, struct strbuf *out);
/* What of the above a row by @kind is called; by callsite, if it is none of them. @depth: of
 * comparison_name_directory().
 */
void comparison_name_by(const struct analysis_env *env, enum subject_kind kind,
			uint64_t addr, unsigned int depth, struct strbuf *out);
/* The functions of stack @id from @callsite outwards (0: from where the rule says), with ';'
 * between; without a stack @callsite's, and "[no stack]". Inlined ones say so, but for the first.
 */
void comparison_name_stack(const struct analysis_env *env, uint32_t id, uint64_t callsite,
			   struct strbuf *out);
/* "kmalloc-64", "kmalloc-1k", as the kernel names the cache that has objects of @size. */
void comparison_name_kmalloc(const struct analysis_env *env, uint64_t size,
			     struct strbuf *out);
/* The callsite in stack @id; 0: none. */
uint64_t comparison_callsite(const struct analysis_env *env, uint32_t id);

#endif
