/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: which objects and pages are in a sampled recording, with all their events or none.
 * In: one in how many, or the rule as text in a recording. Out: what is in the sample, and in which
 * unit of it.
 *
 * The address decides, so an object's allocation and free are either both recorded or both not.
 * Documentation/sampling.md explains the choice of bits.
 */
#ifndef KMEMX_RECORDING_SAMPLE_H
#define KMEMX_RECORDING_SAMPLE_H

#include "base/strbuf.h"
#include "recording/recording.h"

/* Metadata item, such as "1/16 phase=5 object=15 block=3 certain=16,4": sample_parse(). */
#define RECORDING_META_SAMPLE "sample"

/* The same for slab allocations that have a callchain, in a recording that has all events. */
#define RECORDING_META_STACK_SAMPLE "stack_sample"

/* The smallest sample: one in this many. */
#define SAMPLE_MAX   256U
/* How many groups of bits are added without carry. */
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

/* The object or page is in a unit that is not recorded; it is always recorded. */
#define SAMPLE_OUT     UINT64_MAX
#define SAMPLE_CERTAIN (UINT64_MAX - 1)

/* Is a sample of one in @one_in possible? */
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
 * A unit is an aligned block of eight pages, the order up to which the kernel makes slabs and keeps
 * per-CPU lists of free pages. Units of objects and of pages are the same memory.
 */
void sample_init(struct sample *s, uint32_t one_in, uint64_t random, uint64_t page_size);

/* The part, below @one_in, of the unit with this number. */
uint32_t sample_part(const struct sample *s, uint64_t unit);
/* Is an object (also NULL), or a block of pages, recorded whatever its part? */
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
/* The same for a block of pages; a failed allocation, whose @pfn is all ones, is certain. */
uint64_t sample_block(const struct sample *s, uint64_t pfn, uint32_t order);

/* Appends the text of the rule. */
void sample_format(const struct sample *s, struct strbuf *out);
/* Parses that text. 0; -EINVAL: it is not such a text, or its rule is unknown to this version. */
int sample_parse(struct sample *s, const char *text) __must_check;
/* The sample of @rec. 0; -ENOENT: it is not a sample, one_in is 0; -EINVAL as sample_parse(). */
int sample_of(struct sample *s, const struct recording *rec) __must_check;

#endif
