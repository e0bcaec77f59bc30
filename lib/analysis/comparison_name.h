/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what a row of a comparison is called.
 * In: addresses, stacks, caches. Out: names that hold in another build of the kernel.
 */
#ifndef KMEMX_ANALYSIS_COMPARISON_NAME_H
#define KMEMX_ANALYSIS_COMPARISON_NAME_H

#include "analysis/analysis.h"
#include "base/strbuf.h"

/* All append to @out. What has no symbol is "[unknown]": addresses compare with nothing. */

/* "function" or "function [module]". */
void comparison_name_site(const struct analysis_env *env, uint64_t addr,
			  struct strbuf *out);
/* "module", or "[kernel]". */
void comparison_name_module(const struct analysis_env *env, uint64_t addr,
			    struct strbuf *out);
/* "fs/ext4": directories_find(); @out fails where that has no memory. */
void comparison_name_directory(const struct analysis_env *env, uint64_t addr,
			       unsigned int depth, struct strbuf *out);
/* The functions of stack @id from @callsite outwards (0: from where the rule says), with ';'
 * between; without a stack @callsite's, and "[no stack]".
 */
void comparison_name_stack(const struct analysis_env *env, uint32_t id, uint64_t callsite,
			   struct strbuf *out);
/* "kmalloc-64", "kmalloc-1k", as the kernel names the cache that has objects of @size. */
void comparison_name_kmalloc(const struct analysis_env *env, uint64_t size,
			     struct strbuf *out);
/* The callsite in stack @id; 0: none. */
uint64_t comparison_callsite(const struct analysis_env *env, uint32_t id);

#endif
