/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: memory of each allocation site in the kernel's source, from alloc_tag events.
 * In: the events, decoded by their formats. Out: bytes by place.
 *
 * The events are emitted where the kernel counts for /proc/allocinfo, so they see what no kmem
 * event reports: bulk allocations, per-CPU memory, vmalloc. There are three: alloc_tag_hit names a
 * tag; alloc_tag_mem_alloced and alloc_tag_mem_freed report the bytes it gained and lost. A kernel
 * emits them only for the places where somebody has enabled them.
 */
#ifndef KMEMX_ANALYSIS_ALLOC_TAGS_H
#define KMEMX_ANALYSIS_ALLOC_TAGS_H

#include "base/keyed.h"
#include "event/event.h"
#include "recording/recording.h"

/**
 * struct alloc_tag - one place in the source that allocates
 * @function: number of the text "FUNCTION [MODULE]"; @place: of "FILE:LINE"; 0: no hit event named
 *	it
 * @bytes: allocated minus freed, including frees of older allocations; @nr: the same in allocations
 */
struct alloc_tag {
	uint32_t function, place;
	int64_t bytes, nr;
};

struct alloc_tag_format;

/**
 * struct alloc_tags - zero-initialise it, then alloc_tags_init()
 * @texts: of functions and places
 * @tags: in order of their first event; by address
 * @bad: events too short for their format, or with more bytes than there is memory
 */
struct alloc_tags {
	bool big_endian;
	struct alloc_tag_format *formats;
	size_t nr_formats;
	struct intern texts;
	INDEXED(struct alloc_tag) tags;
	uint64_t bad;
	bool failed; /* memory ran out */
};

/* Looks up the events in @rec's formats. 0 or -ENOMEM; call alloc_tags_free() in any case. */
int alloc_tags_init(struct alloc_tags *t, const struct recording *rec) __must_check;
/* Takes every event; ignores those that are not alloc_tag's. */
void alloc_tags_event(struct alloc_tags *t, const struct kmem_event *ev);
void alloc_tags_free(struct alloc_tags *t);

#endif
