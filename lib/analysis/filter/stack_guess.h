/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: callchains for slab objects when only a sample was recorded with one.
 * In: a recording's events, twice. Out: in the second pass, objects without a callchain have
 * that of a similar object.
 *
 * A recording made with --stack-sample has all allocations, but callchains of only one object
 * in N. Each object without one gets that of an object with the same callsite, cache and sizes
 * that ended the same way (freed, or still live). Each callchain is given out in proportion to its
 * share in the sample. If the sample has no object of these sizes, objects of all sizes count. If
 * it has far fewer than one in N, most objects stay without. Objects get callchains as wholes, so
 * totals do not change.
 */
#ifndef KMEMX_ANALYSIS_STACK_GUESS_H
#define KMEMX_ANALYSIS_STACK_GUESS_H

#include "base/keyed.h"
#include "event/event.h"
#include "recording/sample.h"

/* How an object ended: freed, or its address was allocated again; or live at the end. */
enum guess_outcome { GUESS_ENDED, GUESS_LIVES, GUESS_OUTCOMES };

/* Allocations, and their bytes. */
struct guess_count {
	uint64_t objects, bytes;
};

/**
 * struct stack_guess - stack_guess_init() it
 * @rule: which objects have a callchain
 * @donors: by kind and callchain
 * @objects: those that live at an address, by that
 * @lives: one bit per allocation without a callchain, in order: set if it lives at the end
 * @pools, @picks: made by stack_guess_learned()
 * @nr_given: allocations without a callchain so far in the second pass
 * @known, @guessed, @none: counts of the second pass: objects with their own callchain, with a
 *	guessed one, with none
 * @failed: memory ran out
 */
struct stack_guess {
	struct sample rule;
	KEYED(struct guess_kind) kinds; /* by struct guess_key */
	INDEXED(struct guess_donor) donors;
	INDEXED(struct guess_object) objects;
	struct guess_pool *pools;
	struct guess_pick *picks;
	uint64_t *lives;
	size_t nr_pools, nr_picks, picks_room;
	uint64_t nr_bare, nr_given;
	struct guess_count known, guessed, none;
	bool learned, failed;
};

void stack_guess_init(struct stack_guess *g, const struct sample *rule);
/* The first pass: takes @nr events. Failures are kept for stack_guess_learned(). */
void stack_guess_learn(struct stack_guess *g, const struct kmem_event *evs, size_t nr);
/* The first pass has ended. 0 or -ENOMEM. */
int stack_guess_learned(struct stack_guess *g) __must_check;
/* The second pass: must see the same events in the same order, with the same numbers of callchains
 * and names. Gives callchains to the allocations among them.
 */
void stack_guess_give(struct stack_guess *g, struct kmem_event *evs, size_t nr);
/* Counts the allocations that no filter has hidden; call it after stack_guess_give(). */
void stack_guess_count(struct stack_guess *g, const struct kmem_event *evs, size_t nr);
/* Was anything counted? */
static inline bool stack_guess_any(const struct stack_guess *g)
{
	return g->known.objects || g->guessed.objects || g->none.objects;
}
/* Frees all that was learned; keeps the counts. */
void stack_guess_free(struct stack_guess *g);

#endif
