/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the rule that finds the real callsite in a stack.
 * In: frames, innermost first, and symbols. Out: the first frame that is neither the
 * tracer's nor the page allocator's.
 */
#ifndef KMEMX_SYMBOL_CALLSITE_H
#define KMEMX_SYMBOL_CALLSITE_H

#include "symbol/source_lines.h"
#include "symbol/symbols.h"

struct callsite_rule;

/* Stands for functions that allocate for their callers: kmemdup(), getname_flags(). */
#define CALLSITE_WRAPPERS "wrappers"

/**
 * callsite_rule_new() - the built-in rule and the user's additions
 * @skip: POSIX extended regular expressions of further functions to skip; or CALLSITE_WRAPPERS
 * @error: on -EINVAL receives which expression is wrong and why
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int callsite_rule_new(struct callsite_rule **out, const char *const *skip, size_t nr_skip,
		      struct strbuf *error) __must_check;
void callsite_rule_free(struct callsite_rule *rule);
/* From now on the rule sees inlined functions, too. @lines is borrowed. */
void callsite_rule_use(struct callsite_rule *rule, struct source_lines *lines);
/* Did the user add functions to skip? False for NULL. */
bool callsite_rule_extended(const struct callsite_rule *rule);
/* The i-th distinct addition of the user, as it was given; NULL past the end, and for NULL. */
const char *callsite_rule_added(const struct callsite_rule *rule, uint32_t i);
/* Was CALLSITE_WRAPPERS among them? False for NULL. */
bool callsite_rule_wrappers(const struct callsite_rule *rule);
/* Is the function @name (with its _noprof, .isra.0 ... endings) to be skipped? Remembers
 * the names skipped for callsite_rule_skipped().
 */
bool callsite_rule_skips(struct callsite_rule *rule, const char *name);

/**
 * struct callsite_place - a callsite, by the function that counts
 * @function: NULL: not known; @module: of its symbol; NULL: the kernel itself, or not known
 * @start: of the symbol that has the address; 0: it has none
 * @chain, @nr: the functions that have the address; NULL and 0 where no debug information
 *		says it, or the rule does not use it
 * @index: of the one that counts among them
 */
struct callsite_place {
	const char *function, *module;
	uint64_t start;
	const struct source_frame *chain;
	size_t nr, index;
};

/**
 * callsite_look() - which function of an address counts
 * @rule: NULL: none is skipped
 *
 * A function that was inlined from a header (kmalloc_array, alloc_skb) is a wrapper and counts
 * only where nothing else does: its caller counts. What is within a function that is skipped is
 * skipped, too.
 *
 * Return: false: all are to be skipped; @place is of the function that holds the code then.
 */
bool callsite_look(struct callsite_rule *rule, const struct symbols *syms, uint64_t addr,
		   struct callsite_place *place);
/* Index of the callsite in @frames; @nr - 1 if every frame is to be skipped; -1 if @nr is 0.
 * Frames without a symbol are never skipped, so without symbols the first frame is taken;
 * frames of 0, which the unwinder did not find, always are.
 */
int callsite_find(struct callsite_rule *rule, const struct symbols *syms,
		  const uint64_t *frames, uint32_t nr);
/* The i-th distinct function name skipped so far; NULL past the end (for -v). */
const char *callsite_rule_skipped(const struct callsite_rule *rule, uint32_t i);

#endif
