/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: which event of a CPU a callchain belongs to.
 * In: the events and callchains of one CPU, in their order. Out: each callchain's event.
 *
 * The kernel writes an event and then its callchain, and does not give up the CPU in between: only
 * interrupts can come between the two, and each ends before the callchain follows. So an event
 * waits for its callchain only while everything that follows is of the same task and of contexts
 * that interrupt its own.
 */
#ifndef KMEMX_EVENT_STACK_CLAIMS_H
#define KMEMX_EVENT_STACK_CLAIMS_H

#include "base/compiler.h"

/* Task, softirq, hardirq, NMI, and their combinations. */
#define STACK_CONTEXTS 8U

/* Bits of common_flags that name the context (the kernel's enum trace_flag_type). */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10
#define FLAG_NMI     0x40

#define FLAGS_CONTEXT (FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_NMI)

/**
 * struct stack_claims - the events that wait for their callchain; zero-initialise it
 * @owners: by context, values that the caller defines; 0: none
 * @place: task and context of the last event or callchain: stack_place()
 * @context: that context as an index into @owners
 */
struct stack_claims {
	uintptr_t owners[STACK_CONTEXTS];
	uint64_t place;
	unsigned int context;
};

/* Drops all claims: no event before now gets a callchain after now. */
static inline void stack_claims_clear(struct stack_claims *sc)
{
	memset(sc->owners, 0, sizeof(sc->owners));
}

/* Task and context: their bits in the first word of the common fields, where those
 * lie as usual and the machine is little endian.
 */
#define STACK_PLACE_BITS (0xffffffffULL << 32 | FLAGS_CONTEXT << 16)

static inline uint64_t stack_place(uint8_t flags, uint32_t pid)
{
	return (uint64_t)pid << 32 | (uint64_t)(flags & FLAGS_CONTEXT) << 16;
}

/* The CPU changed its task or context: events in contexts that the new one cannot interrupt stop
 * waiting.
 */
static inline void stack_claims_turn(struct stack_claims *sc, uint64_t place)
{
	unsigned int flags = (unsigned int)place >> 16;
	unsigned int context =
		(flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ)) >> 3 | (flags & FLAG_NMI) >> 4;
	bool other_task = place >> 32 != sc->place >> 32;

	for (unsigned int i = 0; i < STACK_CONTEXTS; i++) {
		if (other_task || (i & context) != i)
			sc->owners[i] = 0;
	}
	sc->place = place;
	sc->context = context;
}

/* The entry in @owners of the event or callchain that comes next, at @place. */
static inline uintptr_t *stack_claims_at_place(struct stack_claims *sc, uint64_t place)
{
	if (unlikely(place != sc->place))
		stack_claims_turn(sc, place);
	return &sc->owners[sc->context];
}

/* The same for an event or a callchain with these common fields. */
static inline uintptr_t *stack_claims_at(struct stack_claims *sc, uint8_t flags,
					 uint32_t pid)
{
	return stack_claims_at_place(sc, stack_place(flags, pid));
}

#endif
