/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: which objects and pages a sampled recording has, all their events or none.
 * In: one in how many, or the text that a recording says it in. Out: what is in the sample, and
 * in which unit of it.
 *
 * An address decides, so an object's allocation and its free are both there or both not.
 * Documentation/sampling.md says why it is these bits.
 */
#ifndef KMEMX_RECORDING_SAMPLE_H
#define KMEMX_RECORDING_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "recording/recording.h"

/* The item of a recording with "1/16 phase=5 object=15 block=3 certain=16,4": sample_parse(). */
#define RECORDING_META_SAMPLE "sample"

/* The same of the slab allocations that have a callchain, in a recording that has all events. */
#define RECORDING_META_STACK_SAMPLE "stack_sample"

/* The fewest that can be recorded: one in so many. */
#define SAMPLE_MAX   256U
/* Groups of bits that are added without carry. */
#define SAMPLE_FOLDS 3U

/**
 * struct sample - sample_init() or sample_parse() it
 * @one_in: a power of two from 2 to SAMPLE_MAX; 0: no sample, everything is recorded
 * @phase: which of the @one_in parts is recorded
 * @object_shift: a unit of slab addresses has 1 << @object_shift bytes
 * @block_shift: a unit of pages has 1 << @block_shift pages
 * @certain_shift: objects at multiples of 1 << @certain_shift bytes are all recorded
 * @certain_order: so are blocks of pages of at least this order
 */
struct sample {
	uint32_t one_in, phase;
	unsigned int object_shift, block_shift;
	unsigned int certain_shift, certain_order;
};

/* An object or a page in a unit that is not recorded; one that is recorded in any case. */
#define SAMPLE_OUT     UINT64_MAX
#define SAMPLE_CERTAIN (UINT64_MAX - 1)

/* May one in @one_in be recorded? */
static inline bool sample_possible(uint64_t one_in)
{
	return one_in >= 2 && one_in <= SAMPLE_MAX && !(one_in & (one_in - 1));
}

/**
 * sample_init() - the rule of a new recording
 * @one_in: sample_possible()
 * @random: chooses the part: any number
 * @page_size: bytes of a page, a power of two
 *
 * A unit is an aligned block of eight pages, of the order up to which the kernel makes slabs and
 * keeps lists of free pages for each CPU, and of the same memory for objects and for pages.
 */
void sample_init(struct sample *s, uint32_t one_in, uint64_t random, uint64_t page_size);

/* The part that the unit of this number belongs to, below @one_in. */
uint32_t sample_part(const struct sample *s, uint64_t unit);
/* Is it recorded whatever the part: an object (also NULL), a block of pages? */
static inline bool sample_object_certain(const struct sample *s, uint64_t ptr)
{
	return !(ptr & ((UINT64_C(1) << s->certain_shift) - 1));
}

static inline bool sample_block_certain(const struct sample *s, uint64_t pfn,
					uint32_t order)
{
	return order >= s->certain_order || pfn == UINT64_MAX;
}

/* The unit of an object, SAMPLE_CERTAIN (also for NULL) or SAMPLE_OUT. */
uint64_t sample_object(const struct sample *s, uint64_t ptr);
/* The same of a block of pages; a failed allocation, whose @pfn is all ones, is certain. */
uint64_t sample_block(const struct sample *s, uint64_t pfn, uint32_t order);

/* Appends the text of the rule. */
void sample_format(const struct sample *s, struct strbuf *out);
/* Reads it. 0; -EINVAL: it is no such text, or of another rule than this kmemx knows. */
int sample_parse(struct sample *s, const char *text) __must_check;
/* The sample that @rec is. 0; -ENOENT: it is none, one_in is 0; -EINVAL as sample_parse(). */
int sample_of(struct sample *s, const struct recording *rec) __must_check;

#endif
