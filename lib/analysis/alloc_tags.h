/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what the alloc_tag events say of each place in the kernel that allocates.
 * In: the events, as formats that were posted have them. Out: bytes by place.
 *
 * They are where the kernel counts for /proc/allocinfo, so they see what no kmem event tells: bulk,
 * per-CPU memory, vmalloc. Three events: alloc_tag_hit names a tag, alloc_tag_mem_alloced and
 * alloc_tag_mem_freed say how many bytes came to it and went. A kernel emits them for the places
 * for which somebody has switched them on.
 */
#ifndef KMEMX_ANALYSIS_ALLOC_TAGS_H
#define KMEMX_ANALYSIS_ALLOC_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "event/event.h"
#include "recording/recording.h"

/**
 * struct alloc_tag - one such place
 * @function: number of the text "FUNCTION [MODULE]"; @place: of "FILE:LINE"; 0: no hit said
 * @bytes: allocated less freed, older allocations too; @nr: the same in allocations
 */
struct alloc_tag {
	uint32_t function, place;
	int64_t bytes, nr;
};

struct alloc_tag_format;

/**
 * struct alloc_tags - zero-initialise it, then alloc_tags_init()
 * @texts: of functions and places
 * @tags: in the order in which they came; @by_tag: a tag's address -> its index
 * @bad: events too short for their format, or with more bytes than there is memory
 */
struct alloc_tags {
	bool big_endian;
	struct alloc_tag_format *formats;
	size_t nr_formats, formats_capacity;
	struct intern texts;
	struct u64_map by_tag;
	struct alloc_tag *tags;
	size_t nr, capacity;
	uint64_t bad;
	bool failed; /* memory ran out */
};

/* Finds the events among @rec's formats. 0 or -ENOMEM; alloc_tags_free() in any case. */
int alloc_tags_init(struct alloc_tags *t, const struct recording *rec) __must_check;
/* Takes any event. */
void alloc_tags_event(struct alloc_tags *t, const struct kmem_event *ev);
void alloc_tags_free(struct alloc_tags *t);

#endif
