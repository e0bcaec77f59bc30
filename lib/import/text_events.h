/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: converts events of a kernel's text log to ring-buffer records.
 * In: lines of ftrace text. Out: records, and their formats as the kernel writes them.
 *
 * Records are those of a 64-bit kernel in this machine's byte order. Events that kmemx does not
 * interpret keep their text.
 */
#ifndef KMEMX_IMPORT_TEXT_EVENTS_H
#define KMEMX_IMPORT_TEXT_EVENTS_H

#include "base/hash.h"
#include "import/ftrace_text.h"
#include "import/text_gfp.h"
#include "recording/writer.h"
#include "symbol/name_addr.h"

/* Kmem events as printed: TP_printk() of include/trace/events/kmem.h, 2.6.33 to 6.18. */

/* Event IDs: the kernel's own for a stack; the events of text_specs start at TEXT_ID_KMEM. */
#define TEXT_ID_STACK 4
#define TEXT_ID_KMEM  1000
#define TEXT_ID_OTHER 2000

/* Offsets in a record: fields, a stack's frames, the text of an event that is kept as text. */
#define TEXT_COMMON_SIZE  8
#define TEXT_STACK_FRAMES 16
#define TEXT_OTHER_TEXT	  12

enum text_kind {
	TEXT_SITE,    /* %pS, or %lx before Linux 4.15 */
	TEXT_POINTER, /* %p */
	TEXT_PFN,
	TEXT_UINT,
	TEXT_INT,
	TEXT_GFP,
	TEXT_BOOL,
	TEXT_NAME, /* a string, at the record's end */
};

/**
 * struct text_field - a field, its place in the record, and how it is printed
 * @optional: some kernels do not print it; then the format lacks it, too
 * @print: its part of the print format
 */
struct text_field {
	const char *key;
	uint8_t kind; /* enum text_kind */
	uint8_t offset, size;
	bool optional;
	const char *print;
};

/* @size: bytes of the common part and all fields; a NULL key ends these. */
struct text_spec {
	const char *name;
	uint8_t size;
	struct text_field fields[9];
};

/* Number of event types. */
#define TEXT_NR_SPECS 12
extern const struct text_spec text_specs[TEXT_NR_SPECS];

/* The records made from these events. */

/* Longer texts of uninterpreted events are cut. */
#define TEXT_EVENTS_MAX_TEXT   1024U
/* The most frames of a stack; the kernel's own limit is lower. */
#define TEXT_EVENTS_MAX_FRAMES 256U
/* The most distinct names of uninterpreted events; further ones share one. */
#define TEXT_EVENTS_MAX_OTHERS 4096U
#define TEXT_EVENTS_MAX_RECORD (16U + TEXT_EVENTS_MAX_FRAMES * 8U)

/**
 * struct text_event_stats - what the text lacked or hid
 * @nr_records: records made by this module, including stacks
 * @nr_others: events that are kept as text
 * @nr_no_gfp: flags printed as nothing (some 6.1 kernels, with nohash-ptr)
 * @nr_named, @nr_nameless: events of slab caches with the cache's name, and without one
 * @nr_no_name: cache names printed as nothing
 * @nr_pointers: objects' addresses other than NULL
 * @nr_high: of those, with a bit set above the lowest 32
 * @nr_uneven: of those, not word-aligned
 * @nr_hidden: printed as (____ptrval____): indistinguishable
 * @nr_hex_sites: callsites printed as numbers
 * @nr_bare_frames: stack frames with a function's name but no offset
 * @nr_cut: stacks and texts that were too long
 */
struct text_event_stats {
	uint64_t nr_records, nr_others;
	uint64_t nr_no_gfp, nr_no_name, nr_named, nr_nameless;
	uint64_t nr_pointers, nr_high, nr_uneven, nr_hidden;
	uint64_t nr_hex_sites, nr_bare_frames, nr_cut;
};

/**
 * struct text_record - a record, ready for subbuf_writer_add()
 * @site: the event's callsite; for a stack, that of its event; 0: none
 * @site_function: start of the function of @site
 */
struct text_record {
	uint64_t site, site_function;
	uint8_t data[TEXT_EVENTS_MAX_RECORD] __attribute__((aligned(8)));
	size_t size;
};

/**
 * struct text_events - the state of reading one text; zero-initialise it
 * @gfp, @addrs: the caller calls text_gfp_init() and name_addrs_new(); text_events_free() frees
 *	them
 */
struct text_events {
	struct text_gfp gfp;
	struct name_addrs *addrs;
	uint64_t seen[TEXT_NR_SPECS]; /* bits: which fields occurred */
	struct intern others;
	struct text_event_stats stats;
};

/**
 * text_events_encode() - make an event's record
 *
 * Return: 0; -EINVAL if a required field is missing or unreadable; -ENOMEM.
 */
int text_events_encode(struct text_events *te, const struct ftrace_line *line,
		       struct text_record *out) __must_check;
/**
 * text_events_stack() - begin a stack; frames are added to the record
 * @site, @site_function: of the stack's event: its frame has no offset, so the callsite is used
 *	instead
 */
void text_events_stack(struct text_events *te, const struct ftrace_line *line,
		       uint64_t site, uint64_t site_function, struct text_record *out);
/* Adds a line of FTRACE_LINE_FRAME. 0; -EINVAL if unreadable, then the frame is 0; -ENOMEM. */
int text_events_frame(struct text_events *te, const struct ftrace_line *line,
		      struct text_record *out) __must_check;
void text_events_free(struct text_events *te);

/* Adds the formats of all events so far, named and grouped by their system. 0 or -ENOMEM. */
int text_formats(const struct text_events *te, struct text_list *events) __must_check;
/* The same for ftrace's own events: kernel_stack. */
int text_formats_of_ftrace(struct text_list *ftrace) __must_check;

#endif
