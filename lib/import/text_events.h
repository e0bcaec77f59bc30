/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: events of a kernel's text log as the records that a ring buffer would hold.
 * In: lines of ftrace text. Out: records; text_formats.h describes them.
 *
 * Records are those of a 64-bit kernel of this machine's byte order. Events that kmemx does
 * not interpret keep their text.
 */
#ifndef KMEMX_IMPORT_TEXT_EVENTS_H
#define KMEMX_IMPORT_TEXT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "import/ftrace_text.h"
#include "import/text_gfp.h"
#include "import/text_specs.h"
#include "symbol/name_addr.h"

/* A longer text of an event that is not interpreted is cut. */
#define TEXT_EVENTS_MAX_TEXT   1024U
/* Frames of a stack; the kernel's own limit is lower. */
#define TEXT_EVENTS_MAX_FRAMES 256U
/* Different names of events that are not interpreted; more share one. */
#define TEXT_EVENTS_MAX_OTHERS 4096U
#define TEXT_EVENTS_MAX_RECORD (16U + TEXT_EVENTS_MAX_FRAMES * 8U)

/**
 * struct text_event_stats - what the text left out or hid
 * @nr_records: by this module, stacks too
 * @nr_others: events that are kept as text
 * @nr_no_gfp: flags printed as nothing (some 6.1 kernels, with nohash-ptr)
 * @nr_no_name: cache names printed as nothing
 * @nr_pointers: objects' addresses other than NULL
 * @nr_high: of those, with a bit set above the low 32
 * @nr_uneven: of those, not at a word
 * @nr_hidden: printed as (____ptrval____): indistinguishable
 * @nr_hex_sites: callsites printed as numbers
 * @nr_bare_frames: of stacks, that name a function but no place in it
 * @nr_cut: stacks and texts that were too long
 */
struct text_event_stats {
	uint64_t nr_records, nr_others;
	uint64_t nr_no_gfp, nr_no_name;
	uint64_t nr_pointers, nr_high, nr_uneven, nr_hidden;
	uint64_t nr_hex_sites, nr_bare_frames, nr_cut;
};

/**
 * struct text_record - a record, ready for native_pages_event()
 * @site: the event's callsite, and in a stack, that of the event that it belongs to; 0: none
 * @site_function: where the function of @site begins
 */
struct text_record {
	uint64_t site, site_function;
	uint8_t data[TEXT_EVENTS_MAX_RECORD] __attribute__((aligned(8)));
	size_t size;
};

/**
 * struct text_events - the state of reading one text; zero-initialise it
 * @gfp: text_gfp_init() is the caller's, text_events_free() frees it
 * @addrs: the caller's
 */
struct text_events {
	struct text_gfp gfp;
	struct name_addrs *addrs;
	uint64_t seen[TEXT_NR_SPECS]; /* bits: its fields that occurred */
	struct intern others;
	struct text_event_stats stats;
};

/**
 * text_events_encode() - make an event's record
 *
 * Return: 0; -EINVAL a field that it needs is missing or unreadable; -ENOMEM.
 */
int text_events_encode(struct text_events *te, const struct ftrace_line *line,
		       struct text_record *out) __must_check;
/**
 * text_events_stack() - begin a stack; frames are added to the record
 * @site, @site_function: of the event that it belongs to: its frame has no place in the
 *	function, but is the callsite
 */
void text_events_stack(struct text_events *te, const struct ftrace_line *line,
		       uint64_t site, uint64_t site_function, struct text_record *out);
/* A line of FTRACE_LINE_FRAME. 0; -EINVAL unreadable, the frame is 0; -ENOMEM. */
int text_events_frame(struct text_events *te, const struct ftrace_line *line,
		      struct text_record *out) __must_check;
void text_events_free(struct text_events *te);

#endif
