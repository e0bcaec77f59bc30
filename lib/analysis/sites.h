/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: callsites as the rows of a report.
 * In: addresses and stacks. Out: one number per function (or per address), and its name.
 */
#ifndef KMEMX_ANALYSIS_SITES_H
#define KMEMX_ANALYSIS_SITES_H

#include "analysis/analysis.h"
#include "base/hash.h"
#include "base/strbuf.h"

/**
 * struct sites - groups of callsites; sites_init() it
 *
 * A group is a function, with the parts and clones that the compiler made of it (foo.part.0),
 * unless env->raw_names; with @exact or env->raw_ip, or where no symbol is known, an address. A
 * function that was inlined is one, too, where env->rule sees it.
 */
struct sites {
	const struct analysis_env *env;
	bool exact; /* as env->by_site says, until changed before the first group */
	struct u64_map by_addr;	 /* address -> group */
	struct u64_map by_start; /* function's first address, or address -> group */
	struct u64_map by_name;	 /* hash of a name as shown, and module -> first group */
	struct site_group *groups;
	size_t nr_groups, capacity;
	struct u64_map name_uses; /* hash of a name, and module -> groups that have it */
};

void sites_init(struct sites *s, const struct analysis_env *env);
/* The group of code address @addr; UINT32_MAX if memory ran out. */
uint32_t sites_group(struct sites *s, uint64_t addr);
/* The group's name: "function", "function+0x1f" where another function of that name has
 * rows too, of an inlined one "function (file)"; "function [module]", or an address. Ask when every group is known. What a build
 * adds to a name (symbol/fold.h) is left out unless env->raw_names.
 */
void sites_name(const struct sites *s, uint32_t group, struct strbuf *out);
/* The same as a cell of @t. */
struct cell sites_cell(const struct sites *s, uint32_t group, struct table *t);
/* One address exactly: "function+0x1f [module]", or as env->raw_ip says. */
void sites_exact(const struct sites *s, uint64_t addr, struct strbuf *out);
/* Appends a function's name as a callchain has it: "function [module]". */
void sites_shown(const struct analysis_env *env, const struct symbol *sym,
		 struct strbuf *out);
/* Appends "function;caller;...", as sites_chain() says; @callsite alone if stack @id has no frames.
 * With @exact the frames have their offsets. Inlined functions say so, but for the first:
 * "function;caller (inlined);...".
 */
void sites_callchain(const struct sites *s, uint32_t id, uint64_t callsite,
		     struct strbuf *out);
/**
 * struct sites_chain - a callchain from its callsite outward
 * @first: the callsite
 * @callers: its @nr callers, innermost first: part of the frames that it was made of
 */
struct sites_chain {
	uint64_t first;
	const uint64_t *callers;
	uint32_t nr;
};

/**
 * sites_chain() - the callchain of an event
 * @frames: what was recorded, @nr > 0 of them
 * @callsite: what the event names; 0: it names none, the rule says where the callchain begins
 *
 * A return address is in the frames as it is, or not at all: the unwinder of 32-bit ARM often
 * begins at the caller of @callsite, which is put before the frames then. Functions that the user
 * wants skipped are not the first, if there is another one.
 */
struct sites_chain sites_chain(const struct analysis_env *env, const uint64_t *frames,
			       uint32_t nr, uint64_t callsite);
/* The callsite that an event names, or with functions that the user wants skipped the first
 * one outward from it, in stack @id, that is none of them. It stays where it is without a
 * stack; of a stack of nothing else the outermost frame is taken.
 */
uint64_t sites_beyond(const struct analysis_env *env, uint64_t callsite, uint32_t id);
/* Is @addr in a function that is skipped, now that the user has named some? */
bool sites_skipped(const struct analysis_env *env, uint64_t addr);
/* The callsite in stack @id of the stream, by the rule; 0 if there is no stack. */
uint64_t sites_of_stack(const struct sites *s, uint32_t id);
void sites_free(struct sites *s);

#endif
