/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the rule that finds the real callsite in a stack.
 * In: frames, innermost first, and symbols. Out: the first frame that belongs neither to the tracer
 * nor to the page, vmalloc or per-CPU allocator.
 */
#ifndef KMEMX_SYMBOL_CALLSITE_H
#define KMEMX_SYMBOL_CALLSITE_H

#include "symbol/source_lines.h"
#include "symbol/symbols.h"

struct callsite_rule;

/* Stands for the functions that allocate for their callers: kmemdup(), getname_flags(). */
#define CALLSITE_WRAPPERS "wrappers"

/**
 * callsite_rule_new() - create a rule: the built-in one and the user's additions
 * @skip: POSIX extended regular expressions of further functions to skip; or CALLSITE_WRAPPERS
 * @error: on -EINVAL receives the faulty expression and the reason
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int callsite_rule_new(struct callsite_rule **out, const char *const *skip, size_t nr_skip,
		      struct strbuf *error) __must_check;
void callsite_rule_free(struct callsite_rule *rule);
/* Makes the rule consider inlined functions, too. @lines is borrowed. */
void callsite_rule_use(struct callsite_rule *rule, struct source_lines *lines);
/* Did the user add functions to skip? False for NULL. */
bool callsite_rule_extended(const struct callsite_rule *rule);
/* The i-th distinct addition of the user, as given; NULL past the end, and for NULL. */
const char *callsite_rule_added(const struct callsite_rule *rule, uint32_t i);
/* Did the user add CALLSITE_WRAPPERS? False for NULL. */
bool callsite_rule_wrappers(const struct callsite_rule *rule);
/* Should the function @name (with its endings _noprof, .isra.0, ...) be skipped? Remembers skipped
 * names for callsite_rule_skipped().
 */
bool callsite_rule_skips(struct callsite_rule *rule, const char *name);

/**
 * struct callsite_place - a callsite
 * @function: its name, NULL if unknown; @module: of its symbol; NULL: the kernel itself, or unknown
 * @start: of the symbol that contains the address; 0: no symbol does
 * @chain, @nr: the functions at the address, inlined ones included; NULL and 0 without debug
 *	information, or if the rule does not use it
 * @index: of the callsite's function in @chain
 */
struct callsite_place {
	const char *function, *module;
	uint64_t start;
	const struct source_frame *chain;
	size_t nr, index;
};

/**
 * callsite_look() - find the function at an address that is the callsite
 * @rule: NULL: no function is skipped
 *
 * A function inlined from a header (kmalloc_array, alloc_skb) is a wrapper: its caller is the
 * callsite, unless there is no other function. Functions inlined into a skipped function are
 * skipped, too.
 *
 * Return: false if all are skipped; @place then holds the function that contains the code.
 */
bool callsite_look(struct callsite_rule *rule, const struct symbols *syms, uint64_t addr,
		   struct callsite_place *place);
/* Index of the callsite in @frames; @nr - 1 if every frame is skipped; -1 if @nr is 0. Frames
 * without a symbol are never skipped, so without symbols the first frame is the callsite; frames of
 * 0, which the unwinder did not find, are always skipped.
 */
int callsite_find(struct callsite_rule *rule, const struct symbols *syms,
		  const uint64_t *frames, uint32_t nr);
/* The i-th distinct function name skipped so far; NULL past the end (for -v). */
const char *callsite_rule_skipped(struct callsite_rule *rule, uint32_t i);

#endif
