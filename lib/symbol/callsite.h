/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the rule that finds the real callsite in a stack.
 * In: frames, innermost first, and symbols. Out: the first frame that is neither the
 * tracer's nor the page allocator's.
 */
#ifndef KMEMX_SYMBOL_CALLSITE_H
#define KMEMX_SYMBOL_CALLSITE_H

#include "symbol/symbols.h"

struct callsite_rule;

/**
 * callsite_rule_new() - the built-in rule and the user's additions
 * @skip: POSIX extended regular expressions of further functions to skip
 * @error: on -EINVAL receives which expression is wrong and why
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int callsite_rule_new(struct callsite_rule **out, const char *const *skip, size_t nr_skip,
		      struct strbuf *error) __must_check;
void callsite_rule_free(struct callsite_rule *rule);
/* Did the user add functions to skip? False for NULL. */
bool callsite_rule_extended(const struct callsite_rule *rule);
/* Is the function @name (with its _noprof, .isra.0 ... endings) to be skipped? Remembers
 * the names skipped for callsite_rule_skipped().
 */
bool callsite_rule_skips(struct callsite_rule *rule, const char *name);
/* Index of the callsite in @frames; @nr - 1 if every frame is to be skipped; -1 if @nr is 0.
 * Frames without a symbol are never skipped, so without symbols the first frame is taken;
 * frames of 0, which the unwinder did not find, always are.
 */
int callsite_find(struct callsite_rule *rule, const struct symbols *syms,
		  const uint64_t *frames, uint32_t nr);
/* The i-th distinct function name skipped so far; NULL past the end (for -v). */
const char *callsite_rule_skipped(const struct callsite_rule *rule, uint32_t i);

#endif
