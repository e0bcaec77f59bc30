/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: callsites as the rows of a report.
 * In: addresses and stacks. Out: one number per function (or per address), and its name; names for
 * comparisons.
 */
#ifndef KMEMX_ANALYSIS_SITES_H
#define KMEMX_ANALYSIS_SITES_H

#include "analysis/analysis.h"
#include "base/hash.h"
#include "base/strbuf.h"

/**
 * struct sites - groups of callsites; sites_init() it
 *
 * A group is a function, including the parts and clones that the compiler made of it (foo.part.0),
 * unless env->raw_names. With @exact or env->raw_ip, or without a symbol, it is an address. An
 * inlined function has its own group if env->rule sees it.
 */
struct sites {
	const struct analysis_env *env;
	bool exact; /* as env->by_site says, until changed before the first group */
	const char *nameless;	 /* shown for code without a symbol; NULL: its address */
	struct u64_map by_addr;	 /* address -> group */
	struct u64_map by_start; /* function's first address, or address -> group */
	struct u64_map by_name;	 /* hash of a name as shown, and module -> first group */
	struct site_group *groups;
	size_t nr_groups, capacity;
	struct u64_map name_uses; /* hash of a name, and module -> groups that have it */
	uint64_t *of_stack;	  /* by stack: its callsite, 0: not known yet */
	size_t nr_stacks, stacks_capacity;
};

void sites_init(struct sites *s, const struct analysis_env *env);
/* The group of code address @addr; UINT32_MAX: no memory. */
uint32_t sites_group(struct sites *s, uint64_t addr);
/* The group's name: "function"; "function+0x1f" if another function of that name has rows, too;
 * "function (file)" if it was inlined; "function [module]"; or an address. Call it after all groups
 * are known. Suffixes that a build adds to a name (symbol/symbols.h) are left out unless
 * env->raw_names.
 */
void sites_name(const struct sites *s, uint32_t group, struct strbuf *out);
/* The same as a cell of @t. */
struct cell sites_cell(const struct sites *s, uint32_t group, struct table *t);
/* The exact address: "function+0x1f [module]", or a number with env->raw_ip. */
void sites_exact(const struct sites *s, uint64_t addr, struct strbuf *out);
/* Appends a function's name as in a callchain: "function [module]". */
void sites_shown(const struct analysis_env *env, const struct symbol *sym,
		 struct strbuf *out);
/* Appends "function;caller;...", by sites_chain(); @callsite alone if stack @id has no frames. With
 * @exact the frames have their offsets. Inlined functions are marked, except the first:
 * "function;caller (inlined);...".
 */
void sites_callchain(const struct sites *s, uint32_t id, uint64_t callsite,
		     struct strbuf *out);
/**
 * struct sites_chain - a callchain from its callsite outward
 * @first: the callsite
 * @callers: its @nr callers, innermost first; points into the frames of the event
 */
struct sites_chain {
	uint64_t first;
	const uint64_t *callers;
	uint32_t nr;
};

/**
 * sites_chain() - the callchain of an event
 * @frames: the recorded frames, @nr > 0 of them
 * @callsite: the callsite in the event; 0: the event has none, the rule finds the start of the
 *	callchain
 *
 * If @callsite is not among the frames, it is put before them: the unwinder of 32-bit ARM often
 * starts at its caller. Functions that the user wants skipped do not come first, unless there is no
 * other.
 */
struct sites_chain sites_chain(const struct analysis_env *env, const uint64_t *frames,
			       uint32_t nr, uint64_t callsite);
/* The callsite of an event; if the user wants functions skipped, the first one outward from it in
 * stack @id that is not skipped. Without a stack it stays as it is; if all of the stack is skipped,
 * the outermost frame is taken.
 */
uint64_t sites_beyond(const struct analysis_env *env, uint64_t callsite, uint32_t id);
/* Is @addr in a function that the user wants skipped? */
bool sites_skipped(const struct analysis_env *env, uint64_t addr);
/* Adds a note that @nr allocations are in rows of skipped functions, for the reason @why. */
void sites_note_skipped(uint64_t nr, const char *why, struct table *t);
/* The callsite in stack @id of the stream, by the rule; 0: no stack. */
uint64_t sites_of_stack(const struct sites *s, uint32_t id);
/* The same; each stack is resolved once. */
uint64_t sites_of_stack_once(struct sites *s, uint32_t id);
void sites_free(struct sites *s);

/* The name if file or line are not known. */
#define SOURCE_UNKNOWN "(unknown)"

/* Names that also hold in another build of the kernel, appended to @out. Code without a symbol is
 * "[unknown]": addresses cannot be compared.
 */

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

#endif
