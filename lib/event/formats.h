/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: the event formats from the recording's own format files.
 * In: format texts. Out: event ids with their types, names and field places.
 */
#ifndef KMEMX_EVENT_FORMATS_H
#define KMEMX_EVENT_FORMATS_H

#include "base/log.h"
#include "event/event.h"
#include "event/gfp.h"
#include "recording/recording.h"

/* Indices of struct event_format.fields, by kind of event. */
enum slab_field {
	SLAB_CALLSITE,
	SLAB_PTR,
	SLAB_NAME, /* the place of the __data_loc word */
	SLAB_BYTES_REQ,
	SLAB_BYTES_ALLOC,
	SLAB_GFP,
	SLAB_NODE,
	SLAB_ACCOUNTED,
};

enum page_field {
	PAGE_PFN,
	PAGE_ORDER,
	PAGE_GFP,
	PAGE_MIGRATETYPE,
	PAGE_REFILL,
};

enum extfrag_field {
	EXTFRAG_PFN,
	EXTFRAG_ALLOC_ORDER,
	EXTFRAG_FALLBACK_ORDER,
	EXTFRAG_ALLOC_MIGRATETYPE,
	EXTFRAG_FALLBACK_MIGRATETYPE,
	EXTFRAG_CHANGE_OWNERSHIP,
};

/* Fields of the recorder's probes. */
enum objects_field {
	OBJECTS_CALLSITE,
	OBJECTS_NR,   /* of the call */
	OBJECTS_PTR,  /* the first; event_format.nr_objects follow each other */
	OBJECTS_RET,  /* of ALLOC_BULK: how many were allocated */
	OBJECTS_HEAD, /* of FREE_RCU: the object's rcu_head */
	OBJECTS_FUNC, /* before 6.2, not OBJECTS_PTR: offset of rcu_head, or the object */
};

/* Areas of vmalloc and per-CPU memory have SLAB_CALLSITE, SLAB_PTR, SLAB_GFP, and these. */
enum area_field {
	AREA_SIZE = SLAB_BYTES_REQ,	     /* of per-CPU memory: on one CPU */
	AREA_BYTES_ALLOC = SLAB_BYTES_ALLOC, /* on all CPUs */
	AREA_FAILED = SLAB_NODE,	     /* not 0: nothing was allocated */
};

enum task_field {
	TASK_PID, /* absent: the event's own task */
	TASK_NAME,
	TASK_CLONE_FLAGS,
};

enum group_field {
	GROUP_HIERARCHY,
	GROUP_PATH, /* the place of the __data_loc word */
	GROUP_PID,
};

enum call_field { CALL_ID };

enum stack_field {
	STACK_SIZE,
	STACK_CALLER, /* the first frame; size is one frame's */
};

/* Where a field is in a record; size 0: this kernel's event has no such field. */
struct event_field {
	uint16_t offset;
	uint8_t size; /* 1, 2, 4, 8 */
};

/**
 * struct event_format - one event of this recording
 * @name: e.g. "kmalloc"; @system: e.g. "kmem"; owned by the table
 * @fields: numbered by the enums above
 * @page_pointer: PAGE_PFN is a struct page pointer (kernels before 4.1); 0 is a failure
 * @plain: on 64-bit kernels of this machine's byte order: addresses, sizes, frame numbers and
 *	frames are words of 8 bytes; orders, migratetypes, nodes and STACK_SIZE of 4; SLAB_PTR comes
 *	directly after SLAB_CALLSITE, SLAB_BYTES_ALLOC after SLAB_BYTES_REQ
 * @nr_objects: slab objects that a probe's record has room for, at most KMEM_OBJECTS_MAX
 * @min_size: a record shorter than this cannot be decoded; UINT32_MAX: none can, because kmemx
 *	knows the event but cannot use its format
 */
struct event_format {
	const char *system;
	const char *name;
	uint16_t id;
	uint8_t type; /* enum kmem_event_type */
	bool page_pointer;
	bool plain;
	uint8_t nr_objects;
	uint32_t min_size;
	struct event_field fields[8];
};

/**
 * struct event_common - places of the fields that every record begins with
 * @type_offset: u16; @flags_offset: u8; @pid_offset: s32
 * @min_size: a record shorter than this has no common fields
 */
struct event_common {
	uint16_t type_offset;
	uint16_t flags_offset;
	uint16_t pid_offset;
	uint32_t min_size;
};

/* Are they where nearly every kernel has them: type, flags, preemption count, pid? */
static inline bool event_common_usual(const struct event_common *c)
{
	return !c->type_offset && c->flags_offset == 2 && c->pid_offset == 4 &&
	       c->min_size == 8;
}

/**
 * struct event_formats - all formats of a recording
 * @list: @count of them
 * @by_id: for all possible ids: index in @list + 1; 0: the recording has none
 * @common: the common fields' places, the same for all events; @has_common: a format has them
 * @nr_failed: formats that could not be used: refused, unparsable, or a repeated ID
 * @gfp: the gfp flag names from the formats' own print strings
 */
struct event_formats {
	struct event_format *list;
	size_t count;
	uint32_t *by_id;
	struct event_common common;
	bool has_common;
	uint32_t nr_failed;
	struct gfp_names gfp;
	const struct log *log;
};

/**
 * event_formats_new() - read all formats of a recording
 *
 * kmem events, the recorder's probes (of the systems kmemx and kmemx_PID) and ftrace's kernel_stack
 * are parsed by libtraceevent; of the others only name and ID are read. A format that cannot be
 * parsed is logged and counted, its events become KMEM_OTHER; those of kmem and of probes are
 * counted as undecodable. The texts are hostile: text that would make libtraceevent recurse deeply
 * is refused first. libtraceevent's own messages are switched off, which is possible only for the
 * whole process. Return: 0; -ENODATA without any kmem format; -ENOMEM.
 */
int event_formats_new(struct event_formats **out, const struct recording *rec,
		      const struct log *log) __must_check;
void event_formats_free(struct event_formats *fmts);

/* The format of @id; NULL if the recording has none. */
const struct event_format *event_formats_find(const struct event_formats *fmts,
					      uint16_t id);
/* The text that @fmt was read from; NULL: the recording lacks it. */
const struct recording_text *event_format_text(const struct recording *rec,
					       const struct event_format *fmt);
/* Format @i; NULL after the last one. */
static inline const struct event_format *
event_formats_at(const struct event_formats *fmts, uint32_t i)
{
	return i < fmts->count ? &fmts->list[i] : NULL;
}

/* Is there an event whose type is one of these? */
bool event_formats_any(const struct event_formats *fmts,
		       bool (*is_one)(unsigned int type));

/* Why no such event is in a recording: unknown; they were not recorded; none occurred. */
enum recorded { RECORDED_UNKNOWN, RECORDED_NO, RECORDED_YES };

/**
 * recorded_types() - were events of one of these types recorded?
 * @types: bits of enum kmem_event_type
 *
 * Only kmemx record notes this, in a metadata item: "kmem:kmalloc kmem:kfree ...". The item is
 * hostile, and any text is accepted.
 */
enum recorded recorded_types(const struct recording *rec,
			     const struct event_formats *fmts, uint32_t types);

/* Hostile format texts. */

/* The longest kmem format known is 9 KiB. */
#define FORMAT_MAX_SIZE	     (256U << 10)
#define FORMAT_MAX_NESTING   64
/* Operators and parentheses between two commas: libtraceevent recurses over them. The
 * longest known, GFP_TRANSHUGE, has some 250.
 */
#define FORMAT_MAX_OPERATORS 1024

/**
 * format_check() - is @text safe to parse?
 *
 * libtraceevent's parser recurses for each parenthesis, operator and cast, so that a text
 * of some hundred KiB would run it out of stack.
 *
 * Return: NULL if it is; else the reason, a static string.
 */
const char *format_check(const char *text, size_t size);

/**
 * format_head() - the name and ID of a format, from its first lines
 * @name: receives the name, NUL terminated
 *
 * Return: whether the text has both: a printable name that fits, and an ID below 65536.
 */
bool format_head(const char *text, size_t size, char name[128], uint16_t *id);

#endif
